// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/named.h"
#include "util/cpus.h"
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
    "  --rma-designs          predict one-sided communication by each rma.design, instead\n"
    "  --async MODE           instead: what the blocking messages of a trace would gain if they\n"
    "                         did not block: chain, touch, touch-exact, priority or all; may be\n"
    "                         repeated. The trace is one of mpisim-run --record-memory\n"
    "  --async-cost NAME=TIME what that costs: request, copy, protect, page, fault; gap:\n"
    "                         computation so short that tells no access counts as none\n"
    "                         (default: 5us that were measured and seen to have none); may be\n"
    "                         repeated\n"
    "  --async-trace FILE     keep the trace as it would be, for mpisim-replay\n"
    "  --html FILE            of --async: a page with the advice, and the timelines as it is and\n"
    "                         as it would be beside each other\n"
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
    "  -n RANKS, --cpus-per-rank N, --compute MODE, --no-alloc, --first-n N, --blas-model FILE,\n"
    "  --stack-size SIZE, --isolation HOW\n"
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
    "  placement=WHERE        where ranks go, as in placement=cyclic or placement=0-3,0-3\n"
    "  KEY=VALUE              any key with a dot of the cluster file (docs/cluster-file.md)\n"
    "\n"
    "exit status: 0 ok; 1 a scenario could not be predicted (the table says why); 2 wrong usage\n"
    "or input; 130 interrupted. docs/what-if.md has the details.\n";

/* Lists have room for every word of the command line. */
static int allocate(int argc, char **argv, struct whatif_options *out, struct util_error *err)
{
	size_t n = (size_t)argc + 1;

	*out = (struct whatif_options){
	    .overrides = calloc(n, sizeof *out->overrides),
	    .scales = calloc(n, sizeof *out->scales),
	    .scenarios = calloc(n, sizeof *out->scenarios),
	    .pairs = calloc(n, sizeof *out->pairs),
	    .async = calloc(n, sizeof *out->async),
	    .async_costs = calloc(n, sizeof *out->async_costs),
	    .passed = calloc(2 * n, sizeof *out->passed),
	    .program = calloc(n, sizeof *out->program),
	    .n_jobs = util_cpus(),
	    .argv = argv,
	};
	if (!out->overrides || !out->scales || !out->scenarios || !out->pairs || !out->async ||
	    !out->async_costs || !out->passed || !out->program)
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
	free(o->async);
	free(o->async_costs);
	free(o->passed);
	free(o->program);
}

/* The option as it stands: in one word, or with its value in the next. */
static int pass_on(const char *value, void *options, struct util_error *err)
{
	struct whatif_options *o = options;

	if (value && o->argv[optind - 1] == value)
		o->passed[o->n_passed++] = o->argv[optind - 2];
	o->passed[o->n_passed++] = o->argv[optind - 1];
	return 0;
}

static int take_cluster(const char *value, void *options, struct util_error *err)
{
	struct whatif_options *o = options;

	return cluster_named_find(value, &o->cluster, err);
}

static int take_ranks(const char *value, void *options, struct util_error *err)
{
	struct whatif_options *o = options;

	o->has_ranks = true;
	return pass_on(value, options, err);
}

#define AT(member) .at = offsetof(struct whatif_options, member)
#define LIST(member)                                                                        \
	UTIL_OPTION_LIST, AT(member), .count = offsetof(struct whatif_options, n_##member), \
				      .may_repeat = true
/* Those that are passed on are mpisim-run's to refuse. */
#define PASSED UTIL_OPTION_CALL, .take = pass_on, .may_repeat = true
static const struct util_option table[] = {
    {"scenario", LIST(scenarios)},
    {"pair", LIST(pairs)},
    {"rma-designs", UTIL_OPTION_FLAG, AT(rma_designs)},
    {"async", LIST(async)},
    {"async-cost", LIST(async_costs)},
    {"async-trace", UTIL_OPTION_TEXT, AT(async_trace)},
    {"html", UTIL_OPTION_TEXT, AT(html)},
    {"json", UTIL_OPTION_TEXT, AT(json)},
    {"no-derivatives", UTIL_OPTION_FLAG, AT(no_derivatives)},
    {"jobs", UTIL_OPTION_COUNT, AT(n_jobs), .letter = 'j', .max = 4096},
    {"quiet", UTIL_OPTION_FLAG, AT(quiet)},
    {"version", UTIL_OPTION_LAST, AT(version)},
    {"help", UTIL_OPTION_LAST, AT(help), .letter = 'h'},
    {"cluster", UTIL_OPTION_CALL, .take = take_cluster},
    {"set", LIST(overrides)},
    {"scale", LIST(scales)},
    {NULL, UTIL_OPTION_CALL, .letter = 'n', .take = take_ranks, .may_repeat = true},
    {"placement", PASSED},
    {"cpus-per-rank", PASSED},
    {"bench", PASSED},
    {"vary-compute", PASSED},
    {"vary-transfer", PASSED},
    {"seed", PASSED},
    {"compute", PASSED},
    {"no-alloc", UTIL_OPTION_SWITCH, .take = pass_on, .may_repeat = true},
    {"first-n", PASSED},
    {"blas-model", PASSED},
    {"stack-size", PASSED},
    {"isolation", PASSED},
};

static const struct util_options options = {
    .table = table,
    .n = sizeof table / sizeof table[0],
    .see = "see mpisim-whatif --help",
    .ends_at_word = true,
    .takes_empty = true,
};

static int check(const struct whatif_options *o, struct util_error *err)
{
	if (o->n_program == 0)
		return util_refuse(
		    err, "found no trace and no program, wanted one: see mpisim-whatif --help");
	if (o->n_async > 0 &&
	    (o->has_ranks || o->n_scenarios > 0 || o->n_pairs > 0 || o->rma_designs))
		return util_refuse(err, "--async changes traces; found %s",
				   o->has_ranks ? "a program" : "scenarios");
	if (o->n_async == 0 && (o->n_async_costs > 0 || o->async_trace || o->html))
		return util_refuse(err, "found %s, wanted --async MODE, too",
				   o->async_trace ? "--async-trace"
				   : o->html	  ? "--html"
						  : "--async-cost");
	if (o->html && o->n_program > 1)
		return util_refuse(err, "--html: found %d traces, wanted one", o->n_program);
	if (o->async_trace && o->n_program > 1)
		return util_refuse(err, "--async-trace: found %d traces, wanted one", o->n_program);
	for (int i = 0; o->n_async > 0 && i < o->n_passed; i++)
		if (strncmp(o->passed[i], "--bench", 7) == 0)
			return util_refuse(err,
					   "--async cuts kernels; found --bench, which says only "
					   "what whole ones take");
	if (o->has_ranks && !o->cluster)
		return util_refuse(err, "wanted --cluster FILE with a program");
	return 0;
}

/* What follows a program is its own; traces and options may stand in any order. */
int whatif_options_parse(int argc, char **argv, struct whatif_options *out, struct util_error *err)
{
	uint64_t given = 0;
	int failed = allocate(argc, argv, out, err);

	if (!failed)
		failed = util_options_read(argc, argv, &options, &given, out, err);
	while (!failed && !out->has_ranks && optind < argc) {
		out->program[out->n_program++] = argv[optind++];
		failed = util_options_read(argc, argv, &options, &given, out, err);
		if (!failed && out->has_ranks)
			return util_refuse(err,
					   "found -n after \"%.80s\", wanted it before the program",
					   out->program[0]);
	}
	while (!failed && optind < argc)
		out->program[out->n_program++] = argv[optind++];
	if (failed)
		return failed > 0 ? 0 : failed;
	return check(out, err);
}
