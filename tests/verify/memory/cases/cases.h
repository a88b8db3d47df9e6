/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_VERIFY_MEMORY_CASES_H
#define TESTS_VERIFY_MEMORY_CASES_H

#include <mpi.h>
#include <mpisim.h>

/*
 * Buffers that are touched while MPI has them, and others: a program of two ranks, whose arguments
 * are cases. Comments name the lines that findings have to name.
 */
struct memory_case {
	const char *name;
	void (*run)(void);
};

/* The cases of each file; the last one has no name. */
extern const struct memory_case unread_cases[], undefined_cases[], bounds_cases[], active_cases[],
    onesided_cases[], files_cases[], groups_cases[], kernels_cases[], impact_cases[];

extern int rank;
extern volatile int sink; /* what is read goes here */

/* An int from or to the other rank. */
void send_number(void);
void recv_number(void);

/* Receives what rank 0 sends, whatever it is. */
void take_any(void);

/* Ends the run where something is not right. */
void check(int is_right);

#endif
