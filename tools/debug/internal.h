/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_DEBUG_INTERNAL_H
#define TOOLS_DEBUG_INTERNAL_H

#include "mpi/orders/orders.h"
#include "mpi/p2p/causes.h"
#include "mpi/watch/watch.h"
#include "tools/debug/debug.h"
#include "util/list.h"
#include "util/map.h"

/* What the files of this folder share. */

struct debug_rank {
	const struct mpi_watch_call *call; /* at whose begin it stands; NULL: at none */
	bool is_kept;			   /* `hold`: it stands at the begin of each call */
	bool is_first;			   /* it has not come to its first call */
	bool is_passing;		   /* it may go on from where it stands */
	bool is_stepped;		   /* the run stops at its next call */
	bool waits_for_line;		   /* on its own fiber, for gdb */
	uint32_t n_recvs, n_probes;	   /* with MPI_ANY_SOURCE, so far */
};

enum debug_compare { DEBUG_EQUAL, DEBUG_LESS, DEBUG_MORE };

struct debug_break { /* all that are given have to hold */
	int number;
	char *call, *type; /* NULL: any */
	bool has_rank, has_dest, has_size, has_tag;
	int rank, dest, tag;
	enum debug_compare compare;
	int64_t size_B;
	uint64_t count, n_hits; /* it stops from the count-th on */
};

struct debug_message { /* that no receive has matched */
	struct util_link link;
	const struct mpi_message *message;
	const char *function;
	const void *site;
};

struct run_debug {
	struct mpi_world *world;
	int fd;
	char **program; /* borrowed, ends with NULL */
	char *in;	/* [n_in] received and not taken */
	size_t n_in;
	bool is_connected, is_killed;
	struct debug_rank *ranks; /* [n_ranks] */
	int n_ranks;
	int stopped;	 /* the rank at whose call the run stops; -1: none */
	bool is_resumed; /* a command lets the run go on */
	bool steps_any;	 /* it stops at the next call of any rank */
	bool has_begun;	 /* the ranks have left their first calls */
	bool was_held;	 /* ranks were kept back while time went on */
	const char *reason;
	struct debug_break *breaks; /* [n_breaks] */
	int n_breaks, last_break;
	struct util_list messages; /* struct debug_message */
	struct debug_message *launched;
	struct util_map n_arrived;	      /* messages by pair of ranks */
	struct mpi_decision *taken, *planned; /* [n_taken], [n_planned] */
	int n_taken, n_planned;
	char wrong[200]; /* what debug_wrong says */
	struct mpi_choice choice;
	struct mpi_meets meets;
	struct sim_causes causes;
};

/* --- protocol.c --- */
/* The next command without its newline, malloc'd; NULL: nobody is there any more. */
char *debug_read_line(struct run_debug *debug);
/* Until it is there. False: it will not come. */
bool debug_await_line(struct run_debug *debug);
/* A line of the answer. */
void debug_say(struct run_debug *debug, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What is wrong with a command, until the next one. */
const char *debug_wrong(struct run_debug *debug, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- commands.c --- */
/* A rank of the run. NULL, or what is wrong. */
const char *debug_take_rank(struct run_debug *debug, const char *word, int *out);
/* Takes commands until one lets the run go on. */
void debug_take_commands(struct run_debug *debug);

/* --- breaks.c --- */
bool debug_hits_break(struct run_debug *debug, const struct mpi_watch_call *call);
/* `words`: NULL at the end. NULL, or what is wrong. */
const char *debug_break_add(struct run_debug *debug, char *words[]);
const char *debug_break_remove(struct run_debug *debug, int number);
void debug_breaks_list(struct run_debug *debug);

/* --- choose.c --- */
void debug_choose_begin(struct run_debug *debug);
void debug_choose_finish(struct run_debug *debug);
const char *debug_choose_plan(struct run_debug *debug, const struct mpi_decision *decision);
const char *debug_choices_save(struct run_debug *debug, const char *path);
const char *debug_choices_load(struct run_debug *debug, const char *path);
void debug_choices_list(struct run_debug *debug);
/* The plan of this receive or probe; NULL: none. */
const struct mpi_decision *debug_planned(const struct run_debug *debug, int rank, int kind,
					 uint32_t ordinal);

/* --- show.c --- */
void debug_show_stop(struct run_debug *debug);
void debug_show_ranks(struct run_debug *debug);
void debug_show_pending(struct run_debug *debug);

#endif
