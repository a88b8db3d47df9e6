// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/options.h"

#include <getopt.h>
#include <stdio.h>

#include "tools/sweep/verdict.h"
#include "util/options.h"
#include "util/units.h"

#define MAX_JOBS 4096
#define MAX_TASKS 1000000
#define DEFAULT_TASKS 200 /* a job array that no cluster minds */

static const char help[] =
    "mpisim-sweep run predicts every point of a grid that has no result yet.\n"
    "\n"
    "usage: mpisim-sweep run [OPTION…] SWEEP.yaml\n"
    "\n"
    "Results go to SWEEP.db beside SWEEP.yaml. Call it again after a kill, a change of the grid "
    "or\n"
    "of an input: points whose inputs are the same are not run again.\n"
    "\n"
    "  -o, --output FILE      the results file\n"
    "  -j, --jobs N           points at a time (default: the number of cores here)\n"
    "  --engine ENGINE        auto (default): replays a trace where that says the same as a run,\n"
    "                         else runs; direct: runs all; replay: replays all, which is an\n"
    "                         estimate where the program's course depends on time; slurm: runs\n"
    "                         all in a job array on a Slurm cluster\n"
    "  --tasks N              slurm: at most N tasks in the job array (default 200)\n"
    "  --sbatch OPTIONS       slurm: more options of sbatch, as in \"--partition=short -t 60\"\n"
    "  --measurements N       where computation is measured, each point is measured 3 times, and "
    "those\n"
    "                         of which it cannot be told which is the fastest up to N times\n"
    "                         (default: what SWEEP.yaml says, else 9)\n"
    "  --retry-failed         run points that failed again; they are kept as failed otherwise\n"
    "  --dry-run              say what would be run, run nothing\n"
    "  --quiet                no progress and no last line, only what failed\n"
    "  --help\n"
    "\n"
    "exit status: 0 every point of the grid is done; 1 some failed (they are kept with their\n"
    "error); 2 wrong usage or input; 130 interrupted. docs/sweep.md describes SWEEP.yaml.\n";

enum {
	OPTION_ENGINE = 0x100,
	OPTION_TASKS,
	OPTION_SBATCH,
	OPTION_MEASUREMENTS,
	OPTION_RETRY,
	OPTION_DRY,
	OPTION_QUIET
};

static int parse_count(const char *name, const char *text, int64_t max, int *out,
		       struct util_error *err)
{
	int64_t value = 0;

	if (util_parse_int(text, 1, max, &value, err))
		return util_error_prepend(err, "%s", name);
	*out = (int)value;
	return 0;
}

static int take_option(int option, const char *value, struct sweep_run_options *out,
		       struct util_error *err)
{
	switch (option) {
	case 'o':
		out->db = value;
		return 0;
	case 'j':
		return parse_count("--jobs", value, MAX_JOBS, &out->n_jobs, err);
	case OPTION_ENGINE:
		out->engine = sweep_engine_of(value);
		if (out->engine < 0)
			return util_error_set(
			    err, UTIL_EINPUT,
			    "--engine: found \"%s\", wanted auto, direct, replay or slurm", value);
		return 0;
	case OPTION_TASKS:
		return parse_count("--tasks", value, MAX_TASKS, &out->n_tasks, err);
	case OPTION_SBATCH:
		out->sbatch = value;
		return 0;
	case OPTION_MEASUREMENTS:
		return parse_count("--measurements", value, SWEEP_MOST_MEASUREMENTS,
				   &out->n_measurements, err);
	case OPTION_RETRY:
		out->retries_failed = true;
		return 0;
	case OPTION_DRY:
		out->is_dry = true;
		return 0;
	default:
		out->is_quiet = true;
		return 0;
	}
}

int sweep_run_options_parse(int argc, char **argv, struct sweep_run_options *out,
			    struct util_error *err)
{
	static const struct option options[] = {
	    {"output", required_argument, NULL, 'o'},
	    {"jobs", required_argument, NULL, 'j'},
	    {"engine", required_argument, NULL, OPTION_ENGINE},
	    {"tasks", required_argument, NULL, OPTION_TASKS},
	    {"sbatch", required_argument, NULL, OPTION_SBATCH},
	    {"measurements", required_argument, NULL, OPTION_MEASUREMENTS},
	    {"retry-failed", no_argument, NULL, OPTION_RETRY},
	    {"dry-run", no_argument, NULL, OPTION_DRY},
	    {"quiet", no_argument, NULL, OPTION_QUIET},
	    {"help", no_argument, NULL, 'h'},
	    {0}};
	struct sweep_run_options found = {.engine = -1, .n_tasks = DEFAULT_TASKS};
	uint64_t given = 0;
	int option, failed = 0;

	opterr = 0;
	while (!failed && (option = getopt_long(argc, argv, ":o:j:h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			out->help = true;
			return 0;
		}
		if (option == '?' || option == ':')
			failed = util_option_refuse(option, argv, options,
						    "see mpisim-sweep run --help", err);
		else
			failed = util_option_check(option, NULL, options, &given, err);
		if (!failed)
			failed = take_option(option, optarg, &found, err);
	}
	if (failed)
		return failed;
	if (argc - optind != 1)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "found %d sweep files, wanted one: mpisim-sweep run SWEEP.yaml", argc - optind);
	found.spec = argv[optind];
	*out = found;
	return 0;
}
