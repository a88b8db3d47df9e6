// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/named.h"
#include "util/options.h"
#include "util/units.h"

const char whatif_help[] =
    "mpisim-whatif predicts what changes of a cluster or of a program would gain.\n"
    "\n"
    "usage: mpisim-whatif [OPTION…] TRACE…\n"
    "       mpisim-whatif [OPTION…] --cluster FILE -n RANKS PROGRAM [ARGUMENT…]\n"
    "\n"
    "TRACE comes from mpisim-run --record; each gets a table. A program is run once for each\n"
    "scenario, a trace is replayed, which is much faster.\n"
    "\n"
    "  --scenario S           predict S instead of the usual scenarios; may be repeated\n"
    "  --pair A+B             A, B and both together; may be repeated. With --scenario or\n"
    "                         besides the usual ones\n"
    "  --json FILE            results for programs, and for --what-if; -: standard output\n"
    "  --no-derivatives       leave out how the time follows latency, bandwidth, overhead\n"
    "  -j, --jobs N           predictions at a time (default: the number of cores here)\n"
    "  --quiet                no table\n"
    "  --version, --help\n"
    "\n"
    "of the runs, as of mpisim-run and mpisim-replay:\n"
    "  --cluster FILE, --set KEY=VALUE, --placement WHERE, --bench FILE, --scale KERNEL=FACTOR,\n"
    "  --vary-compute A, --vary-transfer A, --seed N\n"
    "and of a program:\n"
    "  -n RANKS, --compute MODE, --no-alloc, --first-n N, --blas-model FILE, --stack-size SIZE,\n"
    "  --isolation HOW\n"
    "\n"
    "scenarios, several joined by +:\n"
    "  ideal-network          no latency, endless bandwidth, no overhead, no CPU for messages\n"
    "  latency/10             or latency=2us; between nodes\n"
    "  bandwidth*10           or \"bandwidth=912 MB/s\"; between nodes\n"
    "  overhead/2             CPU time per message\n"
    "  cpu-cost/4             CPU that transfers under way take\n"
    "  kernel:NAME*0.9        time of an annotated kernel\n"
    "  computation/4          time of all computation\n"
    "  balanced-load          all nodes compute for the same time, together as long as now\n"
    "  node:3/2               node 3 at half its speed;  node:3/2@10s from then on,\n"
    "                         node:3/2@50% from half of the running time on\n"
    "  cores*2                or cores=8; of each node\n"
    "  KEY=VALUE              any key with a dot of the cluster file (docs/cluster-file.md)\n"
    "\n"
    "exit status: 0 ok; 1 a scenario could not be predicted (the table says why); 2 wrong usage\n"
    "or input; 130 interrupted. docs/what-if.md has the details.\n";

enum {
	OPTION_SCENARIO = 0x100,
	OPTION_PAIR,
	OPTION_JSON,
	OPTION_NO_DERIVATIVES,
	OPTION_QUIET,
	OPTION_VERSION,
	OPTION_CLUSTER,
	OPTION_SET,
	OPTION_SCALE,
	OPTION_PASSED,
};

static const struct option options[] = {
    {"scenario", required_argument, NULL, OPTION_SCENARIO},
    {"pair", required_argument, NULL, OPTION_PAIR},
    {"json", required_argument, NULL, OPTION_JSON},
    {"no-derivatives", no_argument, NULL, OPTION_NO_DERIVATIVES},
    {"jobs", required_argument, NULL, 'j'},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"help", no_argument, NULL, 'h'},
    {"cluster", required_argument, NULL, OPTION_CLUSTER},
    {"set", required_argument, NULL, OPTION_SET},
    {"scale", required_argument, NULL, OPTION_SCALE},
    {"placement", required_argument, NULL, OPTION_PASSED},
    {"bench", required_argument, NULL, OPTION_PASSED},
    {"vary-compute", required_argument, NULL, OPTION_PASSED},
    {"vary-transfer", required_argument, NULL, OPTION_PASSED},
    {"seed", required_argument, NULL, OPTION_PASSED},
    {"compute", required_argument, NULL, OPTION_PASSED},
    {"no-alloc", no_argument, NULL, OPTION_PASSED},
    {"first-n", required_argument, NULL, OPTION_PASSED},
    {"blas-model", required_argument, NULL, OPTION_PASSED},
    {"stack-size", required_argument, NULL, OPTION_PASSED},
    {"isolation", required_argument, NULL, OPTION_PASSED},
    {0},
};

/* Lists have room for every word of the command line. */
static int allocate(int argc, struct whatif_options *out, struct util_error *err)
{
	size_t n = (size_t)argc + 1;
	long n_cores = sysconf(_SC_NPROCESSORS_ONLN);

	*out = (struct whatif_options){
	    .overrides = calloc(n, sizeof *out->overrides),
	    .scales = calloc(n, sizeof *out->scales),
	    .scenarios = calloc(n, sizeof *out->scenarios),
	    .pairs = calloc(n, sizeof *out->pairs),
	    .passed = calloc(2 * n, sizeof *out->passed),
	    .program = calloc(n, sizeof *out->program),
	    .n_jobs = n_cores > 0 ? (int)n_cores : 1,
	};
	if (!out->overrides || !out->scales || !out->scenarios || !out->pairs || !out->passed ||
	    !out->program)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	return 0;
}

void whatif_options_finish(struct whatif_options *o)
{
	free(o->cluster);
	free(o->overrides);
	free(o->scales);
	free(o->scenarios);
	free(o->pairs);
	free(o->passed);
	free(o->program);
}

static int take_jobs(const char *text, int *out, struct util_error *err)
{
	int64_t value = 0;

	if (util_parse_int(text, 1, 4096, &value, err))
		return util_error_prepend(err, "--jobs");
	*out = (int)value;
	return 0;
}

/* The option as it stands: in one word, or with its value in the next. */
static void pass_on(char **argv, struct whatif_options *o)
{
	if (optarg && argv[optind - 1] == optarg)
		o->passed[o->n_passed++] = argv[optind - 2];
	o->passed[o->n_passed++] = argv[optind - 1];
}

/* Those that are passed on are mpisim-run's to refuse. */
static bool may_repeat(int option)
{
	return option == OPTION_SCENARIO || option == OPTION_PAIR || option == OPTION_SET ||
	       option == OPTION_SCALE || option == OPTION_PASSED || option == 'n';
}

static int take(int option, char **argv, struct whatif_options *o, struct util_error *err)
{
	switch (option) {
	case OPTION_SCENARIO:
		o->scenarios[o->n_scenarios++] = optarg;
		break;
	case OPTION_PAIR:
		o->pairs[o->n_pairs++] = optarg;
		break;
	case OPTION_JSON:
		o->json = optarg;
		break;
	case OPTION_NO_DERIVATIVES:
		o->no_derivatives = true;
		break;
	case OPTION_QUIET:
		o->quiet = true;
		break;
	case OPTION_CLUSTER:
		return cluster_named_find(optarg, &o->cluster, err);
	case OPTION_SET:
		o->overrides[o->n_overrides++] = optarg;
		break;
	case OPTION_SCALE:
		o->scales[o->n_scales++] = optarg;
		break;
	case 'j':
		return take_jobs(optarg, &o->n_jobs, err);
	default:
		o->has_ranks |= option == 'n';
		pass_on(argv, o);
	}
	return 0;
}

/* 1: an option for help or the version. `given`: as of util_option_check. */
static int parse_options(int argc, char **argv, uint64_t *given, struct whatif_options *out,
			 struct util_error *err)
{
	int option, failed = 0;

	while (!failed && (option = getopt_long(argc, argv, "+:j:n:h", options, NULL)) != -1) {
		if (option == 'h' || option == OPTION_VERSION) {
			out->help = option == 'h';
			out->version = !out->help;
			return 1;
		}
		if (option == '?' || option == ':')
			return util_option_refuse(option, argv, options,
						  "see mpisim-whatif --help", err);
		failed = util_option_check(option, NULL, options, may_repeat(option) ? NULL : given,
					   err);
		if (!failed)
			failed = take(option, argv, out, err);
	}
	return failed;
}

static int check(const struct whatif_options *o, struct util_error *err)
{
	if (o->n_program == 0)
		return util_error_set(err, UTIL_EINPUT,
				      "found no trace and no program, wanted one: see "
				      "mpisim-whatif --help");
	if (o->has_ranks && !o->cluster)
		return util_error_set(err, UTIL_EINPUT, "wanted --cluster FILE with a program");
	return 0;
}

/* What follows a program is its own; traces and options may stand in any order. */
int whatif_options_parse(int argc, char **argv, struct whatif_options *out, struct util_error *err)
{
	uint64_t given = 0;
	int failed = allocate(argc, out, err);

	opterr = 0;
	if (!failed)
		failed = parse_options(argc, argv, &given, out, err);
	while (!failed && !out->has_ranks && optind < argc) {
		out->program[out->n_program++] = argv[optind++];
		failed = parse_options(argc, argv, &given, out, err);
		if (!failed && out->has_ranks)
			return util_error_set(
			    err, UTIL_EINPUT,
			    "found -n after \"%.80s\", wanted it before the program",
			    out->program[0]);
	}
	while (!failed && optind < argc)
		out->program[out->n_program++] = argv[optind++];
	if (failed)
		return failed > 0 ? 0 : failed;
	return check(out, err);
}
