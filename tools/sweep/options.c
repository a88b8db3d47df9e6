// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/options.h"

#include <stdio.h>

#include "tools/sweep/verdict.h"
#include "util/options.h"

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

#define AT(member) .at = offsetof(struct sweep_run_options, member)
static const struct util_option table[] = {
    {"output", UTIL_OPTION_TEXT, AT(db), .letter = 'o'},
    {"jobs", UTIL_OPTION_COUNT, AT(n_jobs), .letter = 'j', .max = MAX_JOBS},
    {"engine", UTIL_OPTION_WORD, AT(engine), .words = sweep_engine_names},
    {"tasks", UTIL_OPTION_COUNT, AT(n_tasks), .max = MAX_TASKS},
    {"sbatch", UTIL_OPTION_TEXT, AT(sbatch)},
    {"measurements", UTIL_OPTION_COUNT, AT(n_measurements), .max = SWEEP_MOST_MEASUREMENTS},
    {"retry-failed", UTIL_OPTION_FLAG, AT(retries_failed)},
    {"dry-run", UTIL_OPTION_FLAG, AT(is_dry)},
    {"quiet", UTIL_OPTION_FLAG, AT(is_quiet)},
    {"help", UTIL_OPTION_LAST, AT(help), .letter = 'h'},
};

int sweep_run_options_parse(int argc, char **argv, struct sweep_run_options *out,
			    struct util_error *err)
{
	static const struct util_options options = {table, sizeof table / sizeof table[0],
						    "see mpisim-sweep run --help",
						    .takes_empty = true};
	struct sweep_run_options found = {.engine = -1, .n_tasks = DEFAULT_TASKS};
	uint64_t given = 0;
	int failed = util_options_read(argc, argv, &options, &given, &found, err);

	if (failed > 0) {
		fputs(help, stdout);
		out->help = true;
	}
	if (failed)
		return failed > 0 ? 0 : failed;
	if (argc - optind != 1)
		return util_refuse(err,
				   "found %d sweep files, wanted one: mpisim-sweep run SWEEP.yaml",
				   argc - optind);
	found.spec = argv[optind];
	*out = found;
	return 0;
}
