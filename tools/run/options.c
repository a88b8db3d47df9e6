// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/repeat.h"
#include "tools/verify/verify.h"
#include "util/options.h"
#include "util/units.h"

static const char *const mode_names[] = {
	[PD_COMPUTE_DIRECT] = "direct",
	[PD_COMPUTE_COLLECT] = "collect",
	[PD_COMPUTE_PARTIAL] = "partial",
	[PD_COMPUTE_MODELLED] = "modelled",
	NULL,
};

static const char *const isolation_names[] = {
	[PD_ISOLATION_AUTO] = "auto",
	[PD_ISOLATION_MAP] = "map",
	[PD_ISOLATION_COPY] = "copy",
	NULL,
};

const char *run_mode_name(enum pd_compute_mode mode)
{
	return mode_names[mode];
}

static int parse_amplitude(const char *option, const char *text, double *out,
			   struct util_error *err)
{
	double value;

	if (util_parse_double(text, &value, NULL) || value < 0 || value >= 1)
		return util_refuse(err,
				   "%s: found \"%s\", wanted a relative amplitude in [0, 1), 0.05 "
				   "for up to 5 %% either way",
				   option, text);
	*out = value;
	return 0;
}

static int take_vary_compute(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;

	return parse_amplitude("--vary-compute", text, &out->vary_compute, err);
}

static int take_vary_transfer(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;

	return parse_amplitude("--vary-transfer", text, &out->vary_transfer, err);
}

static int take_scale(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;
	const char *equals = strrchr(text, '=');
	double factor;

	if (!equals || equals == text || util_parse_double(equals + 1, &factor, NULL) || factor < 0)
		return util_refuse(err,
				   "--scale: found \"%s\", wanted KERNEL=FACTOR with a factor >= "
				   "0, as in \"dgemm=0.9\" or \"*=0.5\" for all computation",
				   text);
	out->scales[out->n_scales++] = text;
	return 0;
}

static int take_set(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || equals[1] == '\0')
		return util_refuse(err,
				   "--set: found \"%s\", wanted KEY=VALUE with a key of the "
				   "cluster file, as in \"network.latency=2us\"",
				   text);
	out->overrides[out->n_overrides++] = text;
	return 0;
}

static int take_library(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;

	if (text[0] == '\0' || strchr(text, '/'))
		return util_refuse(err,
				   "--private-lib: found \"%s\", wanted a library's name without "
				   "its folder, as in \"libsolver.so.1\" or \"libsolver\"",
				   text);
	out->private_libraries[out->n_private_libraries++] = text;
	return 0;
}

static int take_stack_size(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;
	int failed = util_parse_size_B(text, &out->stack_size_B, err);

	if (failed)
		return util_error_prepend(err, "--stack-size");
	if (out->stack_size_B < 16384 || out->stack_size_B > (int64_t)1 << 40)
		return util_refuse(err, "--stack-size: found \"%s\", wanted 16KiB to 1TiB", text);
	return 0;
}

/* Further runs have the seeds behind it. */
static int take_seed(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;
	int failed = util_parse_int(text, 0, INT64_MAX - RUN_MAX_REPEATS, &out->seed, err);

	return failed ? util_error_prepend(err, "--seed") : 0;
}

static int take_ranks(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;
	int64_t n = 0;

	if (strcmp(text, "p") == 0)
		return util_refuse(err, "found -np, wanted -n RANKS");
	if (util_parse_int(text, 1, RUN_MAX_RANKS, &n, err))
		return util_error_prepend(err, "-n");
	out->n_ranks = (int)n;
	return 0;
}

static int take_coll(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;
	int failed = run_options_take_coll(text, out, err);

	return failed ? failed : out->coll_help || out->coll_rules;
}

static int take_profile(const char *text, void *options, struct util_error *err)
{
	return run_options_take_profile("--coll-profile", text, options, err);
}

static int take_interval(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;

	return run_coverage_parse(text, &out->coverage, err);
}

static int take_ideal(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;

	out->ideal = text;
	out->explain = true;
	return 0;
}

static int take_orders(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;

	out->orders.is_given = true;
	return orders_options_parse(text, &out->orders, err);
}

static int take_verify(const char *text, void *options, struct util_error *err)
{
	struct run_options *out = options;

	return verify_parts_parse(text, &out->verify, err);
}

static int take_verify_memory(const char *text, void *options, struct util_error *err)
{
	return verify_memory_parse(text, options, err);
}

#define AT(member) .at = offsetof(struct run_options, member)
static const struct util_option table[] = {
    {"bench", UTIL_OPTION_TEXT, AT(bench_in)},
    {"bench-out", UTIL_OPTION_TEXT, AT(bench_out)},
    {"blas-model", UTIL_OPTION_TEXT, AT(blas_model)},
    {"check-binary", UTIL_OPTION_TEXT, AT(check_binary)},
    {"cluster", UTIL_OPTION_TEXT, AT(cluster)},
    {"list-clusters", UTIL_OPTION_LAST, AT(list_clusters)},
    {"contention", UTIL_OPTION_TEXT, AT(contention)},
    {"coll", UTIL_OPTION_CALL, .take = take_coll, .may_repeat = true},
    {"coll-profile", UTIL_OPTION_CALL, .take = take_profile},
    {"compute", UTIL_OPTION_WORD, AT(mode), .words = mode_names},
    {"cpus-per-rank", UTIL_OPTION_COUNT, AT(cpus_per_rank), .max = RUN_MAX_RANKS},
    {"debug-fd", UTIL_OPTION_COUNT, AT(debug_fd), .max = INT32_MAX},
    {"decisions", UTIL_OPTION_TEXT, AT(decisions)},
    {"deterministic", UTIL_OPTION_FLAG, AT(deterministic)},
    {"explain", UTIL_OPTION_FLAG, AT(explain)},
    {"first-n", UTIL_OPTION_COUNT, AT(first_n), .max = INT32_MAX},
    {"graph", UTIL_OPTION_TEXT, AT(graph)},
    {"help", UTIL_OPTION_LAST, AT(help), .letter = 'h'},
    {"html", UTIL_OPTION_TEXT, AT(html)},
    {"ideal", UTIL_OPTION_CALL, .take = take_ideal},
    {"ignore-leaks", UTIL_OPTION_FLAG, AT(ignore_leaks)},
    {"interval", UTIL_OPTION_CALL, .take = take_interval},
    {"isolation", UTIL_OPTION_WORD, AT(isolation), .words = isolation_names},
    {"json", UTIL_OPTION_TEXT, AT(json)},
    {NULL, UTIL_OPTION_CALL, .letter = 'n', .take = take_ranks},
    {"no-alloc", UTIL_OPTION_FLAG, AT(no_alloc)},
    {"orders", UTIL_OPTION_CALL, .take = take_orders},
    {"placement", UTIL_OPTION_TEXT, AT(placement)},
    {"private-lib", UTIL_OPTION_CALL, .take = take_library, .may_repeat = true},
    {"quiet", UTIL_OPTION_FLAG, AT(quiet)},
    {"repeat", UTIL_OPTION_COUNT, AT(n_repeats), .max = RUN_MAX_REPEATS},
    {"real", UTIL_OPTION_TEXT, AT(real)},
    {"compare", UTIL_OPTION_TEXT, AT(compare)},
    {"record", UTIL_OPTION_TEXT, AT(record)},
    {"record-memory", UTIL_OPTION_FLAG, AT(record_memory)},
    {"record-touches", UTIL_OPTION_FLAG, AT(record_touches)},
    {"report", UTIL_OPTION_TEXT, AT(report)},
    {"scale", UTIL_OPTION_CALL, .take = take_scale, .may_repeat = true},
    {"schedule", UTIL_OPTION_TEXT, AT(schedule)},
    {"seed", UTIL_OPTION_CALL, .take = take_seed},
    {"set", UTIL_OPTION_CALL, .take = take_set, .may_repeat = true},
    {"show-cluster", UTIL_OPTION_TEXT, AT(show_cluster)},
    {"stack-size", UTIL_OPTION_CALL, .take = take_stack_size},
    {"tag-output", UTIL_OPTION_FLAG, AT(tag_output)},
    {"time-only", UTIL_OPTION_TEXT, AT(time_only)},
    {"trace-out", UTIL_OPTION_TEXT, AT(trace_out)},
    {"vary-cluster", UTIL_OPTION_FLAG, AT(vary_cluster)},
    {"vary-compute", UTIL_OPTION_CALL, .take = take_vary_compute},
    {"vary-kernels", UTIL_OPTION_FLAG, AT(vary_kernels)},
    {"vary-transfer", UTIL_OPTION_CALL, .take = take_vary_transfer},
    {"verbose", UTIL_OPTION_FLAG, AT(verbose)},
    {"verify", UTIL_OPTION_MAYBE, .take = take_verify},
    {"verify-memory", UTIL_OPTION_CALL, .take = take_verify_memory},
    {"verify-suppress", UTIL_OPTION_TEXT, AT(verify_suppress)},
    {"verify-warn", UTIL_OPTION_FLAG, AT(verify_warn)},
    {"version", UTIL_OPTION_LAST, AT(version)},
    {"what-if", UTIL_OPTION_TEXT, AT(what_if)},
};

/* A run of --repeat has the options of the first one, and some again. */
static bool is_further_run(const void *options)
{
	const struct run_options *o = options;

	return o->time_only && strcmp(o->time_only, RUN_REPEAT_TIME) == 0;
}

/*
 * getopt remembers the leading "+" until it is told to start anew, and the simulated program shares
 * the C library with us: its own calls must find the default, which permutes, and optind = 1.
 */
static void reset_getopt(void)
{
	static char name[] = "mpisim-run";
	char *const argv[] = {name, NULL};

	optind = 0;
	getopt(1, argv, "");
	optind = 1;
	opterr = 1;
	optopt = '?';
}

static int take_programs(struct run_options *out, struct util_error *err)
{
	int failed =
	    run_programs_parse(out->program, out->n_ranks, RUN_MAX_RANKS, &out->programs, err);

	for (int i = 1; i < out->programs.n; i++)
		out->n_ranks += out->programs.programs[i].n_ranks;
	return failed;
}

static int parse_all(int argc, char **argv, struct run_options *out, struct util_error *err)
{
	const struct util_options options = {
	    .table = table,
	    .n = sizeof table / sizeof table[0],
	    .see = out->is_replay ? "see mpisim-replay --help" : "see mpisim-run --help",
	    .ends_at_word = !out->is_replay,
	    .may_repeat = is_further_run,
	};
	uint64_t given = 0;
	int failed;

	optind = 0;
	failed = util_options_read(argc, argv, &options, &given, out, err);
	if (failed > 0)
		return 0;
	out->program = argv + optind;
	if (!failed)
		failed = run_options_check(out, err);
	if (!failed)
		failed = run_options_take_contention(out, err);
	if (out->time_only && !failed)
		failed = run_options_keep_time_only(out, err);
	out->verbose = out->verbose || out->explain;
	out->explain = out->explain || out->html; /* which the page shows, not the text */
	return failed || out->schedule || out->is_replay || out->check_binary || out->show_cluster
		       ? failed
		       : take_programs(out, err);
}

static int parse(int argc, char **argv, struct run_options options, struct run_options *out,
		 struct util_error *err)
{
	size_t n_overrides;
	int failed;

	options.vary_compute = options.vary_transfer = -1;
	orders_options_init(&options.orders);
	options.scales = calloc((size_t)argc + 1, sizeof *options.scales);
	n_overrides = (size_t)run_options_count_overrides(argc, argv);
	options.overrides = calloc(n_overrides, sizeof *options.overrides);
	options.made_overrides = calloc(n_overrides, sizeof *options.made_overrides);
	options.private_libraries = calloc((size_t)argc + 1, sizeof *options.private_libraries);
	if (!options.scales || !options.overrides || !options.made_overrides ||
	    !options.private_libraries) {
		run_options_finish(&options);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	failed = parse_all(argc, argv, &options, err);
	reset_getopt();
	if (failed) {
		run_options_finish(&options);
		return failed;
	}
	*out = options;
	return 0;
}

int run_options_parse(int argc, char **argv, struct run_options *out, struct util_error *err)
{
	return parse(argc, argv,
		     (struct run_options){.mode = PD_COMPUTE_DIRECT, .isolation = PD_ISOLATION_AUTO},
		     out, err);
}

int run_options_parse_replay(int argc, char **argv, struct run_options *out, struct util_error *err)
{
	return parse(argc, argv,
		     (struct run_options){.mode = PD_COMPUTE_MODELLED,
					  .isolation = PD_ISOLATION_AUTO,
					  .seed = -1,
					  .is_replay = true},
		     out, err);
}
