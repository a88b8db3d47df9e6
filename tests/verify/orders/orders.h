/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_VERIFY_ORDERS_H
#define TESTS_VERIFY_ORDERS_H

#include <mpi.h>
#include <mpisim.h>

/*
 * Programs whose orders are known (orders.py has the verdicts). Run as `orders CASE`. Each message
 * carries a number that names its sender and its place among the sender's.
 */
struct order_case {
	const char *name;
	void (*run)(void);
};

/* The cases of each file; the last one has no name. */
extern const struct order_case letters_cases[], registered_cases[], choices_cases[];

#define ANY MPI_ANY_SOURCE
#define WORLD MPI_COMM_WORLD

extern int rank, n_ranks, value[64]; /* what was received */
extern MPI_Request requests[64];
extern MPI_Comm copy, pair; /* copy: of WORLD; pair: of ranks 1 and 2 */

/* Letters: to send, synchronously, to receive, without waiting; to wait for all; barrier, broadcast. */
void S(int to);
void SS(int to);
void R(int from);
void IS(int to);
void IR(int from);
void W(void);
void wait_any(void);
void B(MPI_Comm comm);
void BC(MPI_Comm comm);

#endif
