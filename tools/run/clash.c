/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/options.h"

#include <string.h>

#include "util/outfile.h"

struct file {
	const char *what, *path; /* NULL: not given */
};

int run_clash_check(const struct run_options *o, struct util_error *err)
{
	const struct file files[] = {
	    /* results */
	    {"--json", o->json},
	    {"--html", o->html},
	    {"--trace-out", o->trace_out},
	    {"--graph", o->graph},
	    {"--record", o->record},
	    {"--time-only", o->time_only},
	    /* what is read, or added to */
	    {"--cluster", o->cluster},
	    {"--schedule", o->schedule},
	    {"--bench", o->bench_in},
	    {"--bench-out", o->bench_out},
	    {"--blas-model", o->blas_model},
	    {"--ideal", o->ideal},
	    {"--what-if", o->what_if},
	    {"--real", o->real},
	    {"--compare", o->compare},
	    {"--decisions", o->decisions},
	    {"--verify-suppress", o->verify_suppress},
	    {o->is_replay ? "the trace" : "the program", o->program ? o->program[0] : NULL},
	};
	const int n = sizeof files / sizeof *files, n_results = 6;

	for (int i = 0; i < n_results; i++)
		for (int k = i + 1; k < n && files[i].path; k++)
			if (files[k].path && (util_outfile_is_same(files[i].path, files[k].path) ||
					      (k < n_results && strcmp(files[i].path, "-") == 0 &&
					       strcmp(files[k].path, "-") == 0)))
				return util_refuse(
				    err,
				    "%s: found '%s', which is the file of %s, wanted another one",
				    files[i].what, files[i].path, files[k].what);
	return 0;
}
