/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VALIDATE_PHASES_H
#define TOOLS_VALIDATE_PHASES_H

#include <jansson.h>
#include <stdio.h>

#include "util/error.h"

/* Where a prediction is off: phases of a real run against those of its prediction. */
struct val_phase {
	char *name;
	long n_measured, n_predicted;	/* occurrences, over all ranks */
	double measured_s, predicted_s; /* time inside, summed over the ranks */
};

struct val_phases {
	struct val_phase *list; /* [n], in the order of their first begins in the log */
	int n;
	struct val_phase total; /* of those within no other; nameless */
};

struct val_places {
	struct val_phases phases;
	struct val_phases parts; /* computation and functions of MPI; only of a trace */
	struct val_phases sizes; /* calls by the size of their messages; only of a prediction with --real */
	char *mismatch;		 /* what only one of both has, in words; NULL: nothing */
};

/*
 * Reads the log of libmpisim-real (MPISIM_PHASE_LOG: rank,name,begin or end,seconds) or a trace of
 * libmpisim-trace, and the phases, computation and calls of a file of mpisim-run --json. Errors:
 * UTIL_EINPUT with path:line for lines of another form, ends without their begin, phases that do
 * not end, times that go backwards, and for a prediction of another number of ranks; UTIL_ESYSTEM,
 * UTIL_ENOMEM.
 */
int val_phases_read(const char *log, const char *prediction, struct val_places *out,
		    struct util_error *err);
void val_phases_finish(struct val_places *places);

/* Everything as JSON (docs/validate.md), the caller's; NULL: out of memory. */
json_t *val_phases_json(const struct val_places *places);
/* As Markdown. Returns 0 or UTIL_ENOMEM. */
int val_phases_print(const struct val_places *places, FILE *file);

#endif
