/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_THREADS_H
#define PDEXEC_THREADS_H

#include <pthread.h>
#include <stdbool.h>

#include "pdexec/rank.h"
#include "util/list.h"

/*
 * Threads that the ranks start. They run on the host when the system lets them. Each has a time of
 * its own: that of its creator at its creation, plus the CPU time that it has used. Who waits for
 * another one takes over its time if that is later. And what all threads of a rank compute takes at
 * least its CPU time ÷ the cores that the rank holds. What that adds to the CPU time of the rank's
 * own thread becomes part of its computation step (docs/model.md §2).
 *
 * All times here are seconds of the host's CPU. Each function may be called by any thread; those
 * that a rank did not start are left alone.
 */
enum { PD_THREAD_SIGNALS = 64 };

struct pd_thread; /* one that a rank started */

struct pd_threads {		 /* of a rank that started any */
	double main_s;		 /* CPU time of the rank's own thread that was measured so far */
	double extra_s;		 /* that the step takes beside it; pdexec/compute.c charges it */
	double beside_s;	 /* CPU time of the others in sections of the step */
	struct util_list started; /* struct pd_thread, the newest one first */
	double stopped_s;	 /* while is_stopped: what the own thread had used when its time was
				    stopped */
	bool is_stopped;
	bool is_region, is_spread; /* the section is one; its threads take work as it comes */
	sim_time_ps region_began;
	int depth;    /* of parallel regions */
	bool is_open; /* others may compute since begin_s, when the own thread had main_mark_s */
	double begin_s, main_mark_s;
	double signals_s[PD_THREAD_SIGNALS]; /* times of the last ones to signal, by what they
						signalled */
	double barriers_s[2]; /* the latest to come to an even and an odd barrier of the region */
	int n_barriers;	      /* that the own thread came to */
	double lost_s; /* computed by threads of which nobody was seen to wait; once the rank has
			  ended */
};

/* What a thread that is being created runs, with `argument`: passes on to `function`. NULL: the
 * rank did not create it, or there is no memory; then it is created as it is. */
void *pd_threads_create(void *(*function)(void *), void *argument);
void *pd_threads_main(void *thread);
/* It could not be created. */
void pd_threads_forget(void *thread);
/* The calling thread has joined the one with the id. */
void pd_threads_join(pthread_t id);

/* The calling thread lets others go on that wait for `object`; waits for it; has waited. */
void pd_threads_signal(const void *object);
void pd_threads_wait(void);
void pd_threads_resume(const void *object);

/* The rank's thread begins and ends a parallel region with all threads that it starts within one.
 */
void pd_threads_fork(struct pd_rank *rank);
void pd_threads_gather(struct pd_rank *rank, int n_threads);
/* The region has work that any thread takes as it comes. */
void pd_threads_spread(void);
/* The calling thread comes to a barrier of the region; leaves it. */
void pd_threads_arrive(void);
void pd_threads_depart(void);

/* The rank is over: what its threads computed is counted; may be called again. */
void pd_threads_end(struct pd_rank *rank);
/* False: some still run, and with them stays what they use: the process is about to end. */
bool pd_threads_destroy(struct pd_rank *rank);

/* How many threads libraries started when they were loaded: they belong to no rank. */
int pd_threads_of_libraries(void);

/* What replaces a function of OpenMP for the program; NULL: nothing (pdexec/openmp.c). */
void *pd_openmp_override(const char *name);

#endif
