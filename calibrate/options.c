/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "util/options.h"
#include "util/units.h"

#define SEE_HELP "see mpisim-calibrate --help"

static const char help[] =
    "mpisim-calibrate measures the machine that it runs on and describes it in a cluster file.\n"
    "\n"
    "usage: mpirun -n RANKS mpisim-calibrate -o cluster.yaml [OPTION...]\n"
    "\n"
    "One rank on each node measures the network; more than one on the first node measure\n"
    "transfers within a node and how communication slows computation on multi-core nodes.\n"
    "\n"
    "  -o, --output FILE     the cluster file (docs/cluster-file.md)\n"
    "  --samples FILE        every single sample; mpisim-calibrate-fit turns it into a cluster "
    "file\n"
    "  --check FILE          in place of -o: measures again, and says what has changed since this\n"
    "                        cluster file was written\n"
    "  --fit FILE...         measures nothing: a cluster file from times of benchmarks;\n"
    "                        see mpisim-calibrate-fit --help\n"
    "  --times FILE          alone: times of pairs of ranks for --fit, within a node, between two\n"
    "                        and across all; one rank on each core, bound to it\n"
    "  --plot DIR            pictures of what was measured and fitted (gnuplot)\n"
    "  --spawn               how long MPI_Comm_spawn takes, too; needs slots for four processes "
    "more\n"
    "  --storage DIR         files of MPI-IO, too, in a directory that all nodes share\n"
    "  --quick               under a minute: shorter, less sure\n"
    "  --budget TIME         how long to measure, about (300s; quick: 40s); 5min, or seconds\n"
    "  --tolerance FRACTION  a median known within this is good enough (0.01; quick: 0.03)\n"
    "  --max-size SIZE       largest message (64M; quick: 16M); K, M: powers of 1024\n"
    "  --transfers N         CPU cost for up to N transfers each way (other nodes, 2 to 8; quick: "
    "2)\n"
    "  --cores N             cores of a node, where the system says another number\n"
    "  --window TIME         length of one measurement of the CPU (50ms; quick: 20ms)\n"
    "  --version, --help\n"
    "\n"
    "docs/calibrate.md explains what is measured, and how to judge it.\n";

struct command {
	struct settings settings;
	bool help, version;
};

static int refuse_range(const char *option, const char *text, const char *wanted,
			struct util_error *err)
{
	return util_refuse(err, "--%s: found \"%s\", wanted %s", option, text, wanted);
}

static int read_time(const char *option, const char *text, double low_s, double high_s,
		     const char *wanted, double *out_s, struct util_error *err)
{
	double value_s;

	if (util_parse_span_s(text, &value_s, err))
		return util_error_prepend(err, "--%s", option);
	if (!(value_s >= low_s && value_s <= high_s))
		return refuse_range(option, text, wanted, err);
	*out_s = value_s;
	return 0;
}

static int take_tolerance(const char *text, void *options, struct util_error *err)
{
	struct command *command = options;
	double value;

	if (util_parse_double(text, &value, err) || !(value >= 1e-6 && value <= 1))
		return refuse_range("tolerance", text, "a fraction from 1e-6 to 1", err);
	command->settings.tolerance = value;
	return 0;
}

/* "64M" is 64 MiB, as benchmarks of messages have it; "64MB" is what it says. */
static int take_max_size(const char *text, void *options, struct util_error *err)
{
	struct command *command = options;
	static const char wanted[] = "a size from 1K to 1G such as 64M or 64MiB";
	char *end;
	long long value = strtoll(text, &end, 10);
	int64_t size_B = value;

	if (end > text && value >= 0 && value <= 1 << 30 && *end && strchr("KMG", *end) && !end[1])
		size_B = (int64_t)value << (*end == 'K' ? 10 : *end == 'M' ? 20 : 30);
	else if (util_parse_size_B(text, &size_B, err))
		return refuse_range("max-size", text, wanted, err);
	if (size_B < 1024 || size_B > 1 << 30)
		return refuse_range("max-size", text, wanted, err);
	command->settings.max_size_B = size_B;
	return 0;
}

static int take_budget(const char *text, void *options, struct util_error *err)
{
	return read_time("budget", text, 1, 1e6, "a time from 1s to 1000000s",
			 &((struct command *)options)->settings.budget_s, err);
}

static int take_window(const char *text, void *options, struct util_error *err)
{
	return read_time("window", text, 1e-3, 10, "a time from 1ms to 10s",
			 &((struct command *)options)->settings.window_s, err);
}

static double either(double given, double otherwise)
{
	return given != 0 ? given : otherwise;
}

static void use_defaults(struct settings *s)
{
	bool quick = s->is_quick;

	s->budget_s = either(s->budget_s, quick ? 40 : 300);
	s->tolerance = either(s->tolerance, quick ? 0.03 : 0.01);
	s->max_size_B = (int64_t)either((double)s->max_size_B, s->times ? TIMES_LARGEST_B
							       : quick	? 16 << 20
									: 64 << 20);
	s->window_s = either(s->window_s, quick ? 0.02 : 0.05);
	if (s->n_transfers < 0 && quick)
		s->n_transfers = 2;
}

#define AT(member) .at = offsetof(struct command, member)
static const struct util_option table[] = {
    {"output", UTIL_OPTION_TEXT, AT(settings.output), .letter = 'o'},
    {"samples", UTIL_OPTION_TEXT, AT(settings.samples)},
    {"times", UTIL_OPTION_TEXT, AT(settings.times)},
    {"plot", UTIL_OPTION_TEXT, AT(settings.plot)},
    {"spawn", UTIL_OPTION_FLAG, AT(settings.spawns)},
    {"storage", UTIL_OPTION_TEXT, AT(settings.storage)},
    {"quick", UTIL_OPTION_FLAG, AT(settings.is_quick)},
    {"budget", UTIL_OPTION_CALL, .take = take_budget},
    {"tolerance", UTIL_OPTION_CALL, .take = take_tolerance},
    {"window", UTIL_OPTION_CALL, .take = take_window},
    {"max-size", UTIL_OPTION_CALL, .take = take_max_size},
    {"cores", UTIL_OPTION_COUNT, AT(settings.cores), .max = 1000000},
    {"transfers", UTIL_OPTION_COUNT, AT(settings.n_transfers), .max = 32},
    {"check", UTIL_OPTION_TEXT, AT(settings.check)},
    {"version", UTIL_OPTION_LAST, AT(version)},
    {"replay", UTIL_OPTION_TEXT, AT(settings.replay)},
    {"help", UTIL_OPTION_LAST, AT(help)},
};

/* `given`: a bit for each option of the table. */
static int check(const struct settings *settings, uint64_t given, int argc, char **argv,
		 struct util_error *err)
{
	if (optind < argc)
		return util_refuse(err, "found \"%s\", wanted options only; %s", argv[optind],
				   SEE_HELP);
	if (settings->check && settings->output)
		return util_refuse(err, "--check: found -o, too, wanted one of them; " SEE_HELP);
	for (size_t k = 0; k < sizeof table / sizeof table[0] && settings->times; k++)
		if ((given >> k & 1) && strcmp(table[k].name, "times"))
			return util_refuse(err,
					   "--times: found --%s, too, wanted it alone; " SEE_HELP,
					   table[k].name);
	if (settings->check && access(settings->check, R_OK))
		return util_error_errno(err, errno, "cannot read %s", settings->check);
	if (settings->plot && !settings->output)
		return util_refuse(
		    err, "--plot: found no -o FILE, wanted one: pictures show what it says");
	return 0;
}

enum verdict cal_options(int argc, char **argv, int rank, struct settings *settings)
{
	static const struct util_options options = {table, sizeof table / sizeof table[0],
						    .see = SEE_HELP};
	struct command command = {.settings = {.n_transfers = -1}};
	struct util_error err;
	uint64_t given = 0;
	int failed = util_options_read(argc, argv, &options, &given, &command, &err);

	failed = failed ? failed : check(&command.settings, given, argc, argv, &err);
	*settings = command.settings;
	if (command.help && rank == 0)
		fputs(help, stdout);
	if (command.version && rank == 0)
		puts("mpisim-calibrate " MPISIM_VERSION);
	if (failed < 0 && rank == 0)
		fprintf(stderr, "mpisim-calibrate: %s\n", err.text);
	use_defaults(settings);
	return !failed ? GO_ON : failed < 0 ? WRONG : HELP_SHOWN;
}
