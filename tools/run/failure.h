/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_FAILURE_H
#define TOOLS_RUN_FAILURE_H

#include "tools/run/run.h"
#include "tools/run/strings.h"

/* How a run failed, described: what trace_failure borrows. */
struct run_failure {
	struct trace_failure description;
	struct run_strings strings;
	struct run_strings sites;
	struct trace_blocked *blocked;
	int **peers; /* [n_blocked], owned; entries may be NULL */
	int *cycle;
};

/* Describes world->failure and, for a deadlock, every blocked rank and a cycle. Starts helper
 * processes for source lines. */
void run_failure_describe(const struct run *run, struct run_failure *out);
/* Every rank that has begun and not ended, with the call it is in. */
void run_blocked_describe(const struct run *run, struct run_failure *out);
/* A line for each, or for each place where there are many. */
void run_blocked_print(const struct trace_failure *failure, FILE *file);
void run_failure_finish(struct run_failure *failure);
/* `tool`: whose message it is. */
void run_failure_print(const struct run_failure *failure, const char *tool, FILE *file);

/* "lu.c:88 (main)"; NULL for NULL. `sites` keeps the texts: equal places are equal pointers. */
const char *run_site(const struct run *run, struct run_strings *sites, const void *site);

/*
 * What a blocked rank waits for, as the MPI layer knows it: fills text (kept in `strings`),
 * waits_for (allocated, also put into *out_peers, the caller's to free) and waits_for_any. Leaves
 * them empty where nothing is known. (tools/run/waits.c)
 */
void run_waits_describe(const struct run *run, int rank, struct run_strings *strings,
			struct trace_blocked *blocked, int **out_peers);

/* Tells --explain, if it is asked for, who a rank waits for in a call that was open at the end. */
void run_waits_explain(struct run *run, const struct sim_record_call *open);

#endif
