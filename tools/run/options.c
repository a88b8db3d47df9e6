// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/options.h"

#include <getopt.h>
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

enum option_code {
	OPTION_RANKS = 'n',
	OPTION_HELP = 'h',
	OPTION_CLUSTER = 0x100,
	OPTION_LIST_CLUSTERS,
	OPTION_CHECK_BINARY,
	OPTION_COLL,
	OPTION_COLL_PROFILE,
	OPTION_DECISIONS,
	OPTION_ORDERS,
	OPTION_PLACEMENT,
	OPTION_CPUS_PER_RANK,
	OPTION_COMPUTE,
	OPTION_BENCH,
	OPTION_BENCH_OUT,
	OPTION_BLAS_MODEL,
	OPTION_CONTENTION,
	OPTION_DEBUG_FD, /* of mpisim-debug */ OPTION_DETERMINISTIC,
	OPTION_FIRST_N,
	OPTION_INTERVAL,
	OPTION_NO_ALLOC,
	OPTION_REPEAT,
	OPTION_SCALE,
	OPTION_SCHEDULE,
	OPTION_SET,
	OPTION_PRIVATE_LIB,
	OPTION_TIME_ONLY,
	OPTION_VARY_CLUSTER,
	OPTION_VARY_COMPUTE,
	OPTION_VARY_KERNELS,
	OPTION_VARY_TRANSFER,
	OPTION_SEED,
	OPTION_STACK_SIZE,
	OPTION_ISOLATION,
	OPTION_GRAPH,
	OPTION_HTML,
	OPTION_WHAT_IF,
	OPTION_JSON,
	OPTION_REPORT,
	OPTION_EXPLAIN,
	OPTION_IDEAL,
	OPTION_IGNORE_LEAKS,
	OPTION_TRACE_OUT,
	OPTION_REAL,
	OPTION_RECORD,
	OPTION_TAG_OUTPUT,
	OPTION_QUIET,
	OPTION_VERIFY,
	OPTION_VERIFY_MEMORY,
	OPTION_VERIFY_SUPPRESS,
	OPTION_VERIFY_WARN,
	OPTION_VERSION,
};

static const struct option long_options[] = {
    {"bench", required_argument, NULL, OPTION_BENCH},
    {"bench-out", required_argument, NULL, OPTION_BENCH_OUT},
    {"blas-model", required_argument, NULL, OPTION_BLAS_MODEL},
    {"check-binary", required_argument, NULL, OPTION_CHECK_BINARY},
    {"cluster", required_argument, NULL, OPTION_CLUSTER},
    {"list-clusters", no_argument, NULL, OPTION_LIST_CLUSTERS},
    {"contention", required_argument, NULL, OPTION_CONTENTION},
    {"coll", required_argument, NULL, OPTION_COLL},
    {"coll-profile", required_argument, NULL, OPTION_COLL_PROFILE},
    {"compute", required_argument, NULL, OPTION_COMPUTE},
    {"cpus-per-rank", required_argument, NULL, OPTION_CPUS_PER_RANK},
    {"debug-fd", required_argument, NULL, OPTION_DEBUG_FD},
    {"decisions", required_argument, NULL, OPTION_DECISIONS},
    {"deterministic", no_argument, NULL, OPTION_DETERMINISTIC},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    {"first-n", required_argument, NULL, OPTION_FIRST_N},
    {"graph", required_argument, NULL, OPTION_GRAPH},
    {"help", no_argument, NULL, OPTION_HELP},
    {"html", required_argument, NULL, OPTION_HTML},
    {"what-if", required_argument, NULL, OPTION_WHAT_IF},
    {"ideal", required_argument, NULL, OPTION_IDEAL},
    {"ignore-leaks", no_argument, NULL, OPTION_IGNORE_LEAKS},
    {"interval", required_argument, NULL, OPTION_INTERVAL},
    {"isolation", required_argument, NULL, OPTION_ISOLATION},
    {"json", required_argument, NULL, OPTION_JSON},
    {"no-alloc", no_argument, NULL, OPTION_NO_ALLOC},
    {"orders", required_argument, NULL, OPTION_ORDERS},
    {"placement", required_argument, NULL, OPTION_PLACEMENT},
    {"private-lib", required_argument, NULL, OPTION_PRIVATE_LIB},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"repeat", required_argument, NULL, OPTION_REPEAT},
    {"real", required_argument, NULL, OPTION_REAL},
    {"record", required_argument, NULL, OPTION_RECORD},
    {"report", required_argument, NULL, OPTION_REPORT},
    {"scale", required_argument, NULL, OPTION_SCALE},
    {"schedule", required_argument, NULL, OPTION_SCHEDULE},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"set", required_argument, NULL, OPTION_SET},
    {"stack-size", required_argument, NULL, OPTION_STACK_SIZE},
    {"tag-output", no_argument, NULL, OPTION_TAG_OUTPUT},
    {"time-only", required_argument, NULL, OPTION_TIME_ONLY},
    {"trace-out", required_argument, NULL, OPTION_TRACE_OUT},
    {"vary-cluster", no_argument, NULL, OPTION_VARY_CLUSTER},
    {"vary-compute", required_argument, NULL, OPTION_VARY_COMPUTE},
    {"vary-kernels", no_argument, NULL, OPTION_VARY_KERNELS},
    {"vary-transfer", required_argument, NULL, OPTION_VARY_TRANSFER},
    {"verify", optional_argument, NULL, OPTION_VERIFY},
    {"verify-memory", required_argument, NULL, OPTION_VERIFY_MEMORY},
    {"verify-suppress", required_argument, NULL, OPTION_VERIFY_SUPPRESS},
    {"verify-warn", no_argument, NULL, OPTION_VERIFY_WARN},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

const char *run_mode_name(enum pd_compute_mode mode)
{
	return mode_names[mode];
}

static int parse_name(const char *option, const char *text, const char *const names[], int *out,
		      struct util_error *err)
{
	char wanted[128] = "";

	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], text) == 0) {
			*out = i;
			return 0;
		}
		strcat(wanted, i == 0 ? "" : names[i + 1] ? ", " : " or ");
		strcat(wanted, names[i]);
	}
	return util_error_set(err, UTIL_EINPUT, "%s: found \"%s\", wanted %s", option, text,
			      wanted);
}

static int parse_int(const char *option, const char *text, int64_t min, int64_t max, int64_t *out,
		     struct util_error *err)
{
	return util_parse_int(text, min, max, out, err) ? util_error_prepend(err, "%s", option) : 0;
}

static int parse_amplitude(const char *option, const char *text, double *out,
			   struct util_error *err)
{
	double value;

	if (util_parse_double(text, &value, NULL) || value < 0 || value >= 1)
		return util_error_set(err, UTIL_EINPUT,
				      "%s: found \"%s\", wanted a relative amplitude in [0, 1), "
				      "0.05 for up to 5 %% either way",
				      option, text);
	*out = value;
	return 0;
}

static int parse_scale(const char *text, struct run_options *out, struct util_error *err)
{
	const char *equals = strrchr(text, '=');
	double factor;

	if (!equals || equals == text || util_parse_double(equals + 1, &factor, NULL) || factor < 0)
		return util_error_set(err, UTIL_EINPUT,
				      "--scale: found \"%s\", wanted KERNEL=FACTOR with a factor "
				      ">= 0, as in \"dgemm=0.9\" or \"*=0.5\" for all computation",
				      text);
	out->scales[out->n_scales++] = text;
	return 0;
}

static int parse_override(const char *text, struct run_options *out, struct util_error *err)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || equals[1] == '\0')
		return util_error_set(err, UTIL_EINPUT,
				      "--set: found \"%s\", wanted KEY=VALUE with a key of the "
				      "cluster file, as in \"network.latency=2us\"",
				      text);
	out->overrides[out->n_overrides++] = text;
	return 0;
}

static int parse_library(const char *text, struct run_options *out, struct util_error *err)
{
	if (text[0] == '\0' || strchr(text, '/'))
		return util_error_set(err, UTIL_EINPUT,
				      "--private-lib: found \"%s\", wanted a library's name without its "
				      "folder, as in \"libsolver.so.1\" or \"libsolver\"", text);
	out->private_libraries[out->n_private_libraries++] = text;
	return 0;
}

static int parse_count(const char *option, const char *text, int64_t max, int *out,
		       struct util_error *err)
{
	int64_t value = 0;
	int failed = parse_int(option, text, 1, max, &value, err);

	*out = failed ? *out : (int)value;
	return failed;
}

static int parse_stack_size(const char *text, struct run_options *out, struct util_error *err)
{
	int failed = util_parse_size_B(text, &out->stack_size_B, err);

	if (failed)
		return util_error_prepend(err, "--stack-size");
	if (out->stack_size_B < 16384 || out->stack_size_B > (int64_t)1 << 40)
		return util_error_set(err, UTIL_EINPUT,
				      "--stack-size: found \"%s\", wanted 16KiB to 1TiB", text);
	return 0;
}

/* The options that say how computation is timed. 1: not one of these. */
static int take_compute_option(int option, char *value, struct run_options *out,
			       struct util_error *err)
{
	int choice = 0, failed;

	switch (option) {
	case OPTION_COMPUTE:
		failed = parse_name("--compute", value, mode_names, &choice, err);
		out->mode = (enum pd_compute_mode)choice;
		return failed;
	case OPTION_FIRST_N:
		return parse_count("--first-n", value, INT32_MAX, &out->first_n, err);
	case OPTION_NO_ALLOC:
		out->no_alloc = true;
		return 0;
	case OPTION_SCALE:
		return parse_scale(value, out, err);
	case OPTION_VARY_COMPUTE:
		return parse_amplitude("--vary-compute", value, &out->vary_compute, err);
	case OPTION_VARY_KERNELS:
		out->vary_kernels = true;
		return 0;
	case OPTION_VARY_TRANSFER:
		return parse_amplitude("--vary-transfer", value, &out->vary_transfer, err);
	case OPTION_VARY_CLUSTER:
		out->vary_cluster = true;
		return 0;
	case OPTION_DETERMINISTIC:
		out->deterministic = true;
		return 0;
	case OPTION_SEED:
		/* further runs have the seeds behind it */
		return parse_int("--seed", value, 0, INT64_MAX - RUN_MAX_REPEATS, &out->seed, err);
	default:
		return 1;
	}
}

/* Options whose text is kept as it stands: names of files and folders, mostly. */
#define TEXT(option, member) {OPTION_##option, offsetof(struct run_options, member)}
static const struct {
	int option;
	size_t at; /* in struct run_options, a const char * */
} text_options[] = {
	TEXT(BENCH, bench_in), TEXT(BENCH_OUT, bench_out), TEXT(BLAS_MODEL, blas_model),
	TEXT(CHECK_BINARY, check_binary), TEXT(CLUSTER, cluster), TEXT(CONTENTION, contention),
	TEXT(DECISIONS, decisions), TEXT(GRAPH, graph), TEXT(HTML, html), TEXT(JSON, json),
	TEXT(PLACEMENT, placement), TEXT(REAL, real), TEXT(RECORD, record), TEXT(REPORT, report),
	TEXT(SCHEDULE, schedule), TEXT(TIME_ONLY, time_only), TEXT(TRACE_OUT, trace_out),
	TEXT(VERIFY_SUPPRESS, verify_suppress), TEXT(WHAT_IF, what_if),
};

static bool take_text_option(int option, const char *value, struct run_options *out)
{
	for (size_t i = 0; i < sizeof text_options / sizeof text_options[0]; i++)
		if (text_options[i].option == option) {
			*(const char **)((char *)out + text_options[i].at) = value;
			return true;
		}
	return false;
}

/* The options that say what comes out. 1: not one of these. */
static int take_output_option(int option, char *value, struct run_options *out,
			      struct util_error *err)
{
	switch (option) {
	case OPTION_REPEAT:
		return parse_count("--repeat", value, RUN_MAX_REPEATS, &out->n_repeats, err);
	case OPTION_INTERVAL:
		return run_coverage_parse(value, &out->coverage, err);
	case OPTION_IDEAL:
		out->ideal = value;
		out->explain = true;
		return 0;
	case OPTION_EXPLAIN:
		out->explain = true;
		return 0;
	case OPTION_IGNORE_LEAKS:
		out->ignore_leaks = true;
		return 0;
	case OPTION_TAG_OUTPUT:
		out->tag_output = true;
		return 0;
	case OPTION_QUIET:
		out->quiet = true;
		return 0;
	case OPTION_ORDERS:
		out->orders.is_given = true;
		return orders_options_parse(value, &out->orders, err);
	case OPTION_VERIFY_MEMORY:
		return verify_memory_parse(value, out, err);
	case OPTION_VERIFY:
	case OPTION_VERIFY_WARN:
		out->verify_warn |= option == OPTION_VERIFY_WARN;
		return option == OPTION_VERIFY ? verify_parts_parse(value, &out->verify, err) : 0;
	default:
		return 1;
	}
}

static bool may_repeat(int option)
{
	return option == OPTION_SET || option == OPTION_SCALE || option == OPTION_COLL || option == OPTION_PRIVATE_LIB;
}

/* `given`: as of util_option_check. */
static int take_option(int option, char *value, uint64_t *given, struct run_options *out,
		       struct util_error *err)
{
	int choice = 0, failed = util_option_check(option, value, long_options,
						   may_repeat(option) ? NULL : given, err);

	if (failed || take_text_option(option, value, out))
		return failed;
	switch (option) {
	case OPTION_RANKS:
		if (strcmp(value, "p") == 0)
			return util_error_set(err, UTIL_EINPUT, "found -np, wanted -n RANKS");
		return parse_count("-n", value, RUN_MAX_RANKS, &out->n_ranks, err);
	case OPTION_DEBUG_FD:
		return parse_count("--debug-fd", value, INT32_MAX, &out->debug_fd, err);
	case OPTION_CPUS_PER_RANK:
		return parse_count("--cpus-per-rank", value, RUN_MAX_RANKS, &out->cpus_per_rank, err);
	case OPTION_SET:
		return parse_override(value, out, err);
	case OPTION_COLL:
		return run_options_take_coll(value, out, err);
	case OPTION_COLL_PROFILE:
		return run_options_take_profile("--coll-profile", value, out, err);
	case OPTION_PRIVATE_LIB:
		return parse_library(value, out, err);
	case OPTION_STACK_SIZE:
		return parse_stack_size(value, out, err);
	case OPTION_ISOLATION:
		failed = parse_name("--isolation", value, isolation_names, &choice, err);
		out->isolation = (enum pd_isolation)choice;
		return failed;
	default:
		failed = take_output_option(option, value, out, err);
		return failed == 1 ? take_compute_option(option, value, out, err) : failed;
	}
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
	uint64_t given = 0, *once = &given;
	int option, failed = 0;

	optind = 0;
	opterr = 0;
	while (!failed && (option = getopt_long(argc, argv, out->is_replay ? ":n:h" : "+:n:h",
					     long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			failed = util_option_refuse(
			    option, argv, long_options,
			    out->is_replay ? "see mpisim-replay --help" : "see mpisim-run --help", err);
		else if (option == OPTION_HELP)
			out->help = true;
		else if (option == OPTION_VERSION)
			out->version = true;
		else if (option == OPTION_LIST_CLUSTERS)
			out->list_clusters = true;
		else
			failed = take_option(option, optarg, once, out, err);
		/* a run of --repeat has the options of the first one, and some again */
		if (out->time_only && strcmp(out->time_only, RUN_REPEAT_TIME) == 0)
			once = NULL;
		if (out->help || out->version || out->coll_help || out->list_clusters)
			return failed;
	}
	out->program = argv + optind;
	if (!failed)
		failed = run_options_check(out, err);
	if (!failed)
		failed = run_options_take_contention(out, err);
	if (out->time_only && !failed)
		failed = run_options_keep_time_only(out, err);
	out->explain = out->explain || out->html;
	return failed || out->schedule || out->is_replay || out->check_binary
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
