/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/clash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

struct file {
	const char *what, *path; /* NULL: not given */
};

/* Devices and pipes may have several results. */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;
	bool is_there = stat(one, &a) == 0;

	if (is_there != (stat(other, &b) == 0))
		return false;
	if (!is_there)
		return strcmp(one, other) == 0 && strcmp(one, "-") != 0;
	return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int run_clash_check(const struct run_options *o, struct util_error *err)
{
	const struct file files[] = {
	    /* results */
	    {"--json", o->json},
	    {"--html", o->html},
	    {"--trace-out", o->trace_out},
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
	    {o->is_replay ? "the trace" : "the program", o->program ? o->program[0] : NULL},
	};
	const int n = sizeof files / sizeof *files, n_results = 5;

	for (int i = 0; i < n_results; i++)
		for (int k = i + 1; k < n && files[i].path; k++)
			if (files[k].path && is_same(files[i].path, files[k].path))
				return util_error_set(
				    err, UTIL_EINPUT,
				    "%s: found '%s', which is the file of %s, wanted another one",
				    files[i].what, files[i].path, files[k].what);
	return 0;
}
