// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define MAX_RANKS 10000000
#define SEE_HELP "see mpisim-run --help"

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
	OPTION_PLACEMENT,
	OPTION_COMPUTE,
	OPTION_BENCH,
	OPTION_BENCH_OUT,
	OPTION_BLAS_MODEL,
	OPTION_FIRST_N,
	OPTION_NO_ALLOC,
	OPTION_SCALE,
	OPTION_SET,
	OPTION_VARY_COMPUTE,
	OPTION_VARY_KERNELS,
	OPTION_VARY_TRANSFER,
	OPTION_SEED,
	OPTION_STACK_SIZE,
	OPTION_ISOLATION,
	OPTION_JSON,
	OPTION_REPORT,
	OPTION_TAG_OUTPUT,
	OPTION_QUIET,
	OPTION_VERSION,
};

static const struct option long_options[] = {
	{"bench", required_argument, NULL, OPTION_BENCH},
	{"bench-out", required_argument, NULL, OPTION_BENCH_OUT},
	{"blas-model", required_argument, NULL, OPTION_BLAS_MODEL},
	{"cluster", required_argument, NULL, OPTION_CLUSTER},
	{"compute", required_argument, NULL, OPTION_COMPUTE},
	{"first-n", required_argument, NULL, OPTION_FIRST_N},
	{"help", no_argument, NULL, OPTION_HELP},
	{"isolation", required_argument, NULL, OPTION_ISOLATION},
	{"json", required_argument, NULL, OPTION_JSON},
	{"no-alloc", no_argument, NULL, OPTION_NO_ALLOC},
	{"placement", required_argument, NULL, OPTION_PLACEMENT},
	{"quiet", no_argument, NULL, OPTION_QUIET},
	{"report", required_argument, NULL, OPTION_REPORT},
	{"scale", required_argument, NULL, OPTION_SCALE},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"set", required_argument, NULL, OPTION_SET},
	{"stack-size", required_argument, NULL, OPTION_STACK_SIZE},
	{"tag-output", no_argument, NULL, OPTION_TAG_OUTPUT},
	{"vary-compute", required_argument, NULL, OPTION_VARY_COMPUTE},
	{"vary-kernels", no_argument, NULL, OPTION_VARY_KERNELS},
	{"vary-transfer", required_argument, NULL, OPTION_VARY_TRANSFER},
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
	int failed = util_parse_int(text, min, max, out, err);

	return failed ? util_error_prepend(err, "%s", option) : 0;
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
				      ">= 0, as in \"dgemm=0.9\" or "
				      "\"*=0.5\" for all computation",
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
				      "cluster file, as in "
				      "\"network.latency=2us\"",
				      text);
	out->overrides[out->n_overrides++] = text;
	return 0;
}

static int parse_count(const char *option, const char *text, int64_t max, int *out,
		       struct util_error *err)
{
	int64_t value = 0;

	if (parse_int(option, text, 1, max, &value, err))
		return err ? err->code : UTIL_EINPUT;
	*out = (int)value;
	return 0;
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
	case OPTION_BENCH:
		out->bench_in = value;
		return 0;
	case OPTION_BENCH_OUT:
		out->bench_out = value;
		return 0;
	case OPTION_BLAS_MODEL:
		out->blas_model = value;
		return 0;
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
	case OPTION_SEED:
		return parse_int("--seed", value, 0, INT64_MAX, &out->seed, err);
	default:
		return 1;
	}
}

/* The options that say what comes out. 1: not one of these. */
static int take_output_option(int option, char *value, struct run_options *out)
{
	switch (option) {
	case OPTION_JSON:
		out->json = value;
		return 0;
	case OPTION_REPORT:
		out->report = value;
		return 0;
	case OPTION_TAG_OUTPUT:
		out->tag_output = true;
		return 0;
	case OPTION_QUIET:
		out->quiet = true;
		return 0;
	default:
		return 1;
	}
}

static int take_option(int option, char *value, struct run_options *out, struct util_error *err)
{
	int choice = 0, failed;

	switch (option) {
	case OPTION_CLUSTER:
		out->cluster = value;
		return 0;
	case OPTION_RANKS:
		if (strcmp(value, "p") == 0)
			return util_error_set(err, UTIL_EINPUT, "found -np, wanted -n RANKS");
		return parse_count("-n", value, MAX_RANKS, &out->n_ranks, err);
	case OPTION_PLACEMENT:
		out->placement = value;
		return 0;
	case OPTION_SET:
		return parse_override(value, out, err);
	case OPTION_STACK_SIZE:
		return parse_stack_size(value, out, err);
	case OPTION_ISOLATION:
		failed = parse_name("--isolation", value, isolation_names, &choice, err);
		out->isolation = (enum pd_isolation)choice;
		return failed;
	default:
		failed = take_output_option(option, value, out);
		return failed == 1 ? take_compute_option(option, value, out, err) : failed;
	}
}

static int refuse_unknown(int option, char **argv, struct util_error *err)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return util_error_set(err, UTIL_EINPUT, "%s needs a value; " SEE_HELP, word);
	if (optopt > 0 && optopt < 0x100)
		return util_error_set(err, UTIL_EINPUT, "unknown option -%c; " SEE_HELP, optopt);
	if (optopt)
		return util_error_set(err, UTIL_EINPUT, "%s takes no value; " SEE_HELP, word);
	return util_error_set(err, UTIL_EINPUT, "unknown or ambiguous option %s; " SEE_HELP, word);
}

/* Options that contradict each other would be silently half obeyed. */
static int check_compute(const struct run_options *o, struct util_error *err)
{
	bool measures_only = o->mode == PD_COMPUTE_DIRECT || o->mode == PD_COMPUTE_COLLECT;
	const char *mode = run_mode_name(o->mode);

	if (o->mode == PD_COMPUTE_COLLECT && !o->bench_out)
		return util_error_set(
			err, UTIL_EINPUT,
			"--compute collect needs --bench-out FILE, where measurements go");
	if (o->mode != PD_COMPUTE_COLLECT && o->bench_out)
		return util_error_set(err, UTIL_EINPUT,
				      "--bench-out needs --compute collect; found --compute %s",
				      mode);
	if (measures_only && o->bench_in)
		return util_error_set(err, UTIL_EINPUT,
				      "--bench needs --compute partial or modelled; --compute %s "
				      "measures everything itself",
				      mode);
	if (measures_only && o->blas_model)
		return util_error_set(err, UTIL_EINPUT,
				      "--blas-model needs --compute partial or modelled; --compute "
				      "%s executes and measures everything",
				      mode);
	if (measures_only && o->vary_kernels)
		return util_error_set(err, UTIL_EINPUT,
				      "--vary-kernels needs --compute partial or modelled; with "
				      "--compute %s kernels take what is measured",
				      mode);
	if (measures_only && o->no_alloc)
		return util_error_set(err, UTIL_EINPUT,
				      "--no-alloc needs --compute partial or modelled; --compute "
				      "%s executes the kernels, which need "
				      "their memory",
				      mode);
	if (o->first_n > 0 && o->no_alloc)
		return util_error_set(err, UTIL_EINPUT,
				      "--first-n executes kernels, which need the memory that "
				      "--no-alloc does not give: use one of them");
	if (o->first_n > 0 && (o->mode == PD_COMPUTE_MODELLED || o->mode == PD_COMPUTE_COLLECT))
		return util_error_set(
			err, UTIL_EINPUT,
			"--first-n needs --compute direct or partial; found --compute %s", mode);
	return 0;
}

static int check(const struct run_options *options, struct util_error *err)
{
	if (!options->cluster)
		return util_error_set(err, UTIL_EINPUT,
				      "no cluster; wanted --cluster FILE, a description of the "
				      "machine; " SEE_HELP);
	if (options->n_ranks == 0)
		return util_error_set(err, UTIL_EINPUT,
				      "no number of ranks; wanted -n N; " SEE_HELP);
	if (!options->program[0])
		return util_error_set(
			err, UTIL_EINPUT,
			"no program; wanted mpisim-run --cluster FILE -n N PROGRAM [ARGUMENT…]");
	return check_compute(options, err);
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

static int parse_all(int argc, char **argv, struct run_options *out, struct util_error *err)
{
	int option, failed = 0;

	optind = 0;
	opterr = 0;
	while (!failed && (option = getopt_long(argc, argv, "+:n:h", long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			failed = refuse_unknown(option, argv, err);
		else if (option == OPTION_HELP)
			out->help = true;
		else if (option == OPTION_VERSION)
			out->version = true;
		else
			failed = take_option(option, optarg, out, err);
		if (out->help || out->version)
			return 0;
	}
	out->program = argv + optind;
	return failed ? failed : check(out, err);
}

int run_options_parse(int argc, char **argv, struct run_options *out, struct util_error *err)
{
	struct run_options options = {.mode = PD_COMPUTE_DIRECT, .isolation = PD_ISOLATION_AUTO};
	int failed;

	options.scales = calloc((size_t)argc + 1, sizeof *options.scales);
	options.overrides = calloc((size_t)argc + 1, sizeof *options.overrides);
	if (!options.scales || !options.overrides) {
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

void run_options_finish(struct run_options *options)
{
	free(options->scales);
	free(options->overrides);
	options->scales = options->overrides = NULL;
}
