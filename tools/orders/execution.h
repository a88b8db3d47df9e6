/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ORDERS_EXECUTION_H
#define TOOLS_ORDERS_EXECUTION_H

#include <stdio.h>

#include "tools/orders/options.h"
#include "tools/orders/shared.h"
#include "tools/run/run.h"
#include "util/rng.h"

/* What ranks wrote to standard output and error, held back: by rank. */
struct orders_capture {
	struct pd_world *world;
	int memory[2]; /* in the place of descriptors 1 and 2 */
	int rank;      /* that ran last; -1: none */
	struct orders_written {
		char *text; /* its beginning */
		size_t length_B, total_B;
		uint64_t hash[2];
	} * written; /* [n_ranks] */
	void (*next_resume)(struct sim_task *task, void *context);
	void *next_context;
};
int orders_capture_create(struct pd_world *world, struct orders_capture *out,
			  struct util_error *err);
/* Takes what was written since. */
void orders_capture_take(struct orders_capture *capture);
/* In a copy of the process: what follows is its own. */
void orders_capture_renew(struct orders_capture *capture);

/* A value that an execution ends with; name and bytes follow. For text `element` is ELEMENT_NONE. */
struct orders_value {
	int32_t rank, element;
	uint32_t name_B, is_text;
	uint64_t size_B;
};

/*
 * One execution of the program under one order, or many: where there is a choice the process forks
 * (docs/decisions/0080-orders.md).
 */
struct orders_execution {
	struct run *run;
	struct mpi_orders *orders;
	const struct orders_options *options;
	struct orders_shared *shared; /* NULL: only what `prefix` says is followed */
	struct orders_capture capture;
	const struct mpi_decision *prefix; /* [n_prefix], borrowed: decided already */
	uint32_t n_prefix;
	struct mpi_decision *made; /* [n_made] */
	uint32_t n_made, n_reserved, n_forks;
	int n_children, n_asynchronous;
	bool is_over,
	    has_misfit; /* it has nothing to add; a decision of the prefix was not possible */
	struct util_rng rng;
	FILE *log; /* a line for each decision; NULL: none */
};

/* In a process of its own, with the world as it was started: runs, notes how it ends, and exits. */
_Noreturn void orders_execute(struct orders_execution *x);
/* What run->at_rest does: the next decision. False: there is none. */
bool orders_go_on(struct orders_execution *x);
/* A line: rank, call and its place in the file of the program, source and the send's place, and
 * "rank 0: MPI_Recv at a.c:7 takes message 0 of rank 2 (tag 0, 4 B), sent at a.c:12", with addresses
 * between ORDERS_PLACE_MARK for the places. */
enum { ORDERS_PLACE_MARK = 1 };
void orders_print_decision(struct orders_execution *x, const struct mpi_decision *decision,
			   FILE *file);
/* A copy of the process, which is no rank's fork. -1: none. */
pid_t orders_fork(struct pd_world *world);

/* Which result an execution ended with: for a key, and its values kept in shared memory. */
void orders_key(struct orders_execution *x, enum orders_end end, uint64_t key[2]);
void orders_keep_values(struct orders_execution *x, struct orders_outcome *outcome);
/* The first difference of two outcomes' values, as a sentence; 0: they are equal within epsilon. */
int orders_compare(const struct orders_shared *shared, const struct orders_outcome *a,
		   const struct orders_outcome *b, double epsilon, FILE *file);
/* Whether something tells of results at all: registered memory, output. */
bool orders_is_observed(const struct orders_execution *x);

enum { ORDERS_EXIT_COUNTED = 0, ORDERS_EXIT_MISFIT = 3 };

#endif
