/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VERIFY_ASIDE_H
#define TOOLS_VERIFY_ASIDE_H

#include "tools/run/run.h"

/*
 * Runs that are repeated with something changed, for what a finding is worth: a process stands aside from
 * before the run on, and a process of its own repeats the run for each question.
 */
struct verify_aside; /* NULL: nothing is repeated */

struct verify_question {
	enum { VERIFY_ASIDE_PRICE, VERIFY_ASIDE_IMPACT } kind;
	int index;     /* what is changed, of those in the data; -1: nothing */
	size_t data_B; /* of verify_aside_give */
};

struct verify_answer {
	double
	    time_s; /* that is predicted; negative: the run did not end well, or there was none */
	/* How results differ from those of the question before with index -1; `rank`: whose; -1: nobody's. */
	enum {
		VERIFY_SAME,
		VERIFY_OTHER_OUTPUT,
		VERIFY_OTHER_MEMORY,
		VERIFY_OTHER_EXIT,
		VERIFY_OTHER_END,
		VERIFY_UNKNOWN,
	} difference;
	int rank;
};

/* Results of a run, in memory that all repeated runs share. */
struct verify_results {
	int end; /* enum pd_failure_kind; -1: there are none yet */
	struct verify_rank_results {
		uint64_t output, memory;
		int exit_code;
	} ranks[1 << 14]; /* further ones share places with these */
};

/* Before anything of the run is prepared. NULL: there is no process to be had. */
struct verify_aside *verify_aside_start(struct run *run);
/* What questions are about: once. False: there is no room for it. */
bool verify_aside_give(struct verify_aside *aside, const void *data, size_t size_B);
/* The next question with index -1 is what later ones are compared with. */
void verify_aside_forget(struct verify_aside *aside);
struct verify_answer verify_aside_ask(struct verify_aside *aside,
				      const struct verify_question *question);
void verify_aside_end(struct verify_aside *aside); /* NULL is fine */

/* --- in the process that repeats the run --- */
/* Prepares it, without anything that is told of it: 0 or -1. `parts`: of --verify. */
int verify_aside_prepare(struct run *run, unsigned parts);
/* price.c, impact.c: runs it. */
struct verify_answer verify_price_repeat(struct run *run, const struct verify_question *question,
					 const void *data);
struct verify_answer verify_impact_repeat(struct run *run, const struct verify_question *question,
					  const void *data, struct verify_results *results);

#endif
