/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VERIFY_VERIFY_H
#define TOOLS_VERIFY_VERIFY_H

#include <stdio.h>

#include "tools/run/run.h"
#include "tools/verify/suppress.h"

/* `mpisim-run --verify`: its options, and what it says. docs/verify.md. */

/* "matching,leaks" as bits of enum mpi_verify_part; NULL: those without a list. UTIL_EINPUT. */
int verify_parts_parse(const char *text, unsigned *out, struct util_error *err);

/* --verify-memory: "valgrind", "unread", parted by commas. UTIL_EINPUT. */
int verify_memory_parse(const char *text, struct run_options *out, struct util_error *err);

/* Findings are to be priced or tried, by repeated runs. */
bool verify_repeats(const struct run *run);
/* Starts verification of run->mpi, and reads the file of --verify-suppress. */
int verify_create(struct run *run, struct util_error *err);

struct verify_report {
	struct trace_finding *findings; /* [n] */
	int n, n_suppressed;		/* findings; those that the file took away */
	int n_counting;			/* findings that are more than notes */
	struct run_strings sites;
};

/* Ends verification and describes what was found; nothing without --verify. */
void verify_describe(struct run *run, struct verify_report *out);
void verify_print(const struct verify_report *report, const char *tool, FILE *file);
void verify_report_finish(struct verify_report *report);

#endif
