/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_THREAD_TIMES_H
#define PDEXEC_THREAD_TIMES_H

#include "pdexec/threads.h"
#include "util/list.h"

/* What the parts of threads of ranks share: threads.c and thread-regions.c. All but
 * pd_threads_enter is called between that and pd_threads_leave. */
struct pd_thread {
	struct util_link link;
	struct pd_rank *owner;
	pthread_t id;
	clockid_t clock;
	void *(*function)(void *);
	void *argument;
	double time_s, mark_s; /* its time when it had used mark_s of CPU */
	double counted_s;      /* CPU time that is counted in sections */
	double seen_s;	       /* CPU time after which somebody waited for it */
	double cpu_s;	       /* once it has ended */
	int n_barriers;
	bool has_begun, has_ended, is_waiting;
	bool is_joined;
	bool is_pooled; /* started within a parallel region: computes in these */
};

/* The calling thread; NULL: started by no rank. */
struct pd_thread *pd_thread_here(void);

/*
 * Begins what the calling thread wants of its rank's threads; what happens until pd_threads_leave
 * is not the program's computing. NULL: it belongs to no rank, or its time is not measured.
 */
struct pd_threads *pd_threads_enter(void);
void pd_threads_leave(void);

/* CPU time of a thread; its time, and that it is to be. */
double pd_thread_cpu(const struct pd_thread *thread);
double pd_thread_time(const struct pd_thread *thread);
void pd_thread_set_time(struct pd_thread *thread, double time_s);
/* Of the rank's own thread: its time, and that it goes on at `time_s` at the earliest. */
double pd_threads_rank_time(const struct pd_rank *rank);
void pd_threads_wait_until(struct pd_rank *rank, double time_s);
/* The same of the calling thread, whichever it is. */
double pd_threads_calling_time(void);
void pd_threads_call_waits_until(double time_s);

/* Sections: while several threads may compute, they share the cores of the rank. */
void pd_threads_open_section(struct pd_rank *rank);
void pd_threads_close_section(struct pd_rank *rank);
/* Ends it without that: its work, the CPU time of all. What the others had of it draws on memory. */
double pd_threads_end_section(struct pd_rank *rank);
bool pd_threads_others_compute(const struct pd_threads *threads);
/* The rank's record, made if there is none. False: no memory. */
bool pd_threads_get(struct pd_rank *rank);

#endif
