/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_TIMES_TIMES_H
#define TESTS_MPI_TIMES_TIMES_H

#include <mpi.h>
#include <stdbool.h>

/*
 * What the programs of this folder share. Each asserts for the functions of one chapter of
 * functions.txt what they take in simulated time, by formulas of docs/model.md and
 * docs/collectives.md with the numbers of times.yaml, in seconds:
 */
#define LATENCY 1e-3
#define BYTE 1e-6			  /* of bandwidth: a byte on a link */
#define OS 200e-6			  /* overhead of a message for who sends it … */
#define OR 300e-6			  /* … and for who takes it */
#define CONTROL 0			  /* bytes of a control message */
#define T(bytes) (LATENCY + (bytes)*BYTE) /* a transfer alone on its links */
#define X(bytes) (OS + T(bytes) + OR)	  /* a message to who waits for it, an exchange */

enum {
	N_RANKS = 4,
	EAGER = 500,
	LONG = 2000
}; /* EAGER, LONG: bytes below and above the threshold */

extern int times_rank; /* in MPI_COMM_WORLD */

/*
 * A row: the call, which must succeed, takes so long; or it ends so long after all ranks went on
 * together. It counts for the function that it begins with. To a billionth of the value.
 */
#define TAKES(seconds, call) (times_before(), times_after(#call, (call), false, seconds))
#define ENDS(seconds, call) (times_before(), times_after(#call, (call), true, seconds))

void times_before(void);
void times_after(const char *call, int code, bool is_since_together, double wanted_s);
/* All ranks go on together, later than any of them would otherwise. */
void times_together(void);
/* Computes until so long after that. */
void times_until(double seconds);
void times_expect(const char *what, long long found, long long wanted);

/* After MPI_Init: the chapter whose functions all want a row. */
void times_begin(const char *chapter);
/*
 * The last of all, which finalizes: the exit code; not 0 when a row did not hold, or a function of
 * the chapter has none. Collective over MPI_COMM_WORLD.
 */
int times_end(void);

#endif
