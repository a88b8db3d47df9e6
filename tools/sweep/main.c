// SPDX-License-Identifier: BSD-3-Clause
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/sweep/options.h"
#include "util/version.h"

static const char help[] =
    "mpisim-sweep predicts a program for many parameters, clusters and settings at once, keeps\n"
    "the results in one file, and draws them.\n"
    "\n"
    "usage: mpisim-sweep SUBCOMMAND …          mpisim-sweep SUBCOMMAND --help has more\n"
    "\n"
    "  run SWEEP.yaml         run what the file asks for and is not yet there\n"
    "  status SWEEP.db        how far it is, what failed, the fastest point\n"
    "  export SWEEP.db        the results as CSV or JSON\n"
    "  plot SWEEP.db KIND     a picture: speedup, efficiency, time, heatmap, tornado, curves,\n"
    "                         pareto\n"
    "\n"
    "first steps, in a file lu.yaml:\n"
    "  mpisim_sweep: 1\n"
    "  program: build/apps/lu\n"
    "  arguments: --n 2592 --r {r} --variant {variant}\n"
    "  cluster: clusters/ultrasparc-fast-ethernet.yaml\n"
    "  run: {n: 16, compute: modelled, bench: apps/lu/ultrasparc.bench, no_alloc: true}\n"
    "  parameters:\n"
    "    r: [108, 162, 216, 324]\n"
    "    variant: [basic, P, P+FC]\n"
    "and then:\n"
    "  mpisim-sweep run lu.yaml\n"
    "  mpisim-sweep plot lu.db time --x r --by variant\n"
    "\n"
    "docs/sweep.md describes the file and the pictures.\n";

int sweep_refuse(const struct util_error *err)
{
	fprintf(stderr, "mpisim-sweep: %s\n", err->text);
	return SWEEP_EXIT_USAGE;
}

/* The path of this executable; its siblings are beside it. */
static int find_own_path(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);

	if (n < 0)
		return -1;
	out[n] = '\0';
	return 0;
}

static int call(int argc, char **argv)
{
	struct util_error err = {0};
	char own_path[PATH_MAX] = "";

	if (strcmp(argv[0], "status") == 0)
		return sweep_main_status(argc, argv);
	if (strcmp(argv[0], "export") == 0)
		return sweep_main_export(argc, argv);
	if (strcmp(argv[0], "plot") == 0)
		return sweep_main_plot(argc, argv);
	if (strcmp(argv[0], "task") == 0) /* called by job arrays only, and not in the help */
		return sweep_main_task(argc, argv);
	if (strcmp(argv[0], "run") == 0) {
		if (find_own_path(own_path, sizeof own_path)) {
			util_error_set(&err, UTIL_ESYSTEM, "cannot find where mpisim-sweep is");
			return sweep_refuse(&err);
		}
		return sweep_main_run(argc, argv, own_path, MPISIM_LIB_FROM_BIN);
	}
	util_refuse(&err,
		    "found the subcommand \"%.40s\", wanted run, status, export or plot; see "
		    "mpisim-sweep --help",
		    argv[0]);
	return sweep_refuse(&err);
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 2) {
		fputs(help, stderr);
		return SWEEP_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		fputs(help, stdout);
	else if (strcmp(argv[1], "--version") == 0)
		printf("mpisim-sweep %s\n", util_version());
	else
		status = call(argc - 1, argv + 1);
	if (fflush(stdout) && status == 0) {
		perror("mpisim-sweep: cannot write to standard output");
		return SWEEP_EXIT_USAGE;
	}
	return status;
}
