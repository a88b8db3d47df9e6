/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_PROCESS_H
#define PDEXEC_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pdexec/arch.h"
#include "pdexec/directory.h"
#include "pdexec/rank.h"

/*
 * What the C library keeps for a process is kept per rank here. Functions named as libc's are
 * exported from the simulator's library, which precedes libc in the search order, so the program
 * and every library it uses call them; outside of ranks each falls through to libc's own
 * (pdexec/libc-next.h). docs/decisions/0002-libc-state.md says what is covered.
 */
#define PD_INTERPOSE __attribute__((visibility("default")))

struct pd_exit_handler {
	enum pd_exit_kind {
		PD_EXIT_PLAIN,
		PD_EXIT_WITH_STATUS,
		PD_EXIT_QUICK,
		PD_EXIT_THREAD
	} kind;
	void (*function)(void); /* of the kind's own type */
	void *argument;
};

/* Variables of libc that are exchanged when another rank is resumed. */
struct pd_libc_variables {
	int error; /* errno */
	char **environment;
	int optind, opterr, optopt;
	char *optarg;
	FILE *in, *out, *err; /* stdin, stdout, stderr */
};

struct pd_getopt {		     /* pdexec/getopt.c */
	char *next;		     /* rest of the cluster of short options being read */
	int first_other, last_other; /* arguments [first, last) that were skipped */
	bool is_scanning;
};

struct pd_random { /* libc's own generators, pdexec/libc-state.c */
	struct random_data additive;
	struct drand48_data linear;
	char state[128];
	bool is_seeded;
};

struct pd_process {
	struct pd_libc_variables libc;
	struct pd_directory *directory;	  /* the working one; NULL: the simulator's */
	struct pd_exit_handler *handlers; /* in order of registration */
	size_t n_handlers;
	struct pd_random random;
	struct pd_getopt getopt;
	char *strtok_next;
	char **environment; /* the list, once it was allocated anew */
	cpu_set_t *affinity; /* pdexec/cores.c; NULL: as in the beginning */
	void *leave[PD_ARCH_SAVE_WORDS];
	const char *child_function; /* by which it started a process; NULL: none (pdexec/children.c) */
	const void *child_site;
	int exit_code;
	bool has_finished; /* the image's own destructors ran */
};

/* With the environment of `outside`; NULL: with the one that there is now. */
int pd_process_create(struct pd_process **out, const struct pd_process *outside,
		      struct util_error *err);
void pd_process_destroy(struct pd_process *process); /* NULL is fine */

/* Runs the program on the calling fiber; returns when the rank has ended. */
void pd_process_run(struct pd_rank *rank);
/* The rank ends now, without handlers or destructors. */
_Noreturn void pd_process_leave(struct pd_rank *rank);
/* Runs exit handlers and destructors, last registered first; may be entered again by one of them.
 */
void pd_process_run_exit(struct pd_rank *rank);
/* Ends a child of fork() as its process: the handlers that it has of its rank, then libc's. */
_Noreturn void pd_process_exit_child(struct pd_rank *rank, int code);
/* Registers a handler of the rank. 0, or -1 when out of memory. */
int pd_process_at_exit(struct pd_rank *rank, enum pd_exit_kind kind, void (*function)(void),
		       void *argument);

/* Sets a variable of libc to what `to` has and keeps what `from` has: one after the other, so that
 * a register is enough for each. */
#define PD_EXCHANGE(variable, member)         \
	do {                                  \
		from->libc.member = variable; \
		variable = to->libc.member;   \
	} while (0)

/*
 * Exchanges libc's variables and the working directory: `from` is left, `to` comes. `error` is
 * errno of the thread that runs the ranks. O(1), part of every change of ranks.
 */
static inline void pd_process_switch(int *error, struct pd_process *from,
				     const struct pd_process *to)
{
	PD_EXCHANGE(*error, error);
	PD_EXCHANGE(environ, environment);
	PD_EXCHANGE(optind, optind);
	PD_EXCHANGE(opterr, opterr);
	PD_EXCHANGE(optopt, optopt);
	PD_EXCHANGE(optarg, optarg);
	PD_EXCHANGE(stdin, in);
	PD_EXCHANGE(stdout, out);
	PD_EXCHANGE(stderr, err);
	if (__builtin_expect(from->directory != to->directory, 0))
		pd_directory_enter(from, to);
}

/* Gives getopt's variables the values that a process starts with. On the rank's fiber. */
void pd_getopt_begin(struct pd_rank *rank);

/* Ranks cannot close files that are open now. */
void pd_descriptors_keep(void);

/* What replaces a function for the program only (not for libraries); NULL: nothing. */
void *pd_process_override(const char *name);

/* Time passes for the running rank; `function` and `site` are where the program is meanwhile.
 * Within a call of MPI it stays there. */
void pd_process_sleep(struct pd_rank *rank, const char *function, const void *site,
		      sim_time_ps duration);

/* The rank when it is this process that is running (not a child of fork); NULL as pd_rank_here. */
struct pd_rank *pd_process_here(void);

#endif
