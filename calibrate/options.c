/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
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

static int refuse_range(const char *option, const char *text, const char *wanted,
			struct util_error *err)
{
	return util_error_set(err, UTIL_EINPUT, "--%s: found \"%s\", wanted %s", option, text,
			      wanted);
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

static int read_fraction(const char *text, double *out, struct util_error *err)
{
	double value;

	if (util_parse_double(text, &value, err) || !(value >= 1e-6 && value <= 1))
		return refuse_range("tolerance", text, "a fraction from 1e-6 to 1", err);
	*out = value;
	return 0;
}

static int read_count(const char *option, const char *text, int64_t high, int *out,
		      struct util_error *err)
{
	int64_t value;

	if (util_parse_int(text, 1, high, &value, err))
		return util_error_prepend(err, "--%s", option);
	*out = (int)value;
	return 0;
}

/* "64M" is 64 MiB, as benchmarks of messages have it; "64MB" is what it says. */
static int read_size(const char *text, int64_t *out, struct util_error *err)
{
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
	*out = size_B;
	return 0;
}

static int read_option(struct settings *s, int option, const char *text, struct util_error *err)
{
	switch (option) {
	case 'o':
		s->output = text;
		return 0;
	case 'S':
		s->samples = text;
		return 0;
	case 'C':
		s->check = text;
		return 0;
	case 'p':
		s->plot = text;
		return 0;
	case 'd':
		s->storage = text;
		return 0;
	case '1':
		s->measures_once = true;
		return 0;
	case 's':
		s->spawns = true;
		return 0;
	case 'q':
		s->is_quick = true;
		return 0;
	case 'b':
		return read_time("budget", text, 1, 1e6, "a time from 1s to 1000000s", &s->budget_s,
				 err);
	case 't':
		return read_fraction(text, &s->tolerance, err);
	case 'w':
		return read_time("window", text, 1e-3, 10, "a time from 1ms to 10s", &s->window_s,
				 err);
	case 'm':
		return read_size(text, &s->max_size_B, err);
	case 'n':
		return read_count("transfers", text, 32, &s->n_transfers, err);
	default:
		return read_count("cores", text, 1000000, &s->cores, err);
	}
}

static void use_defaults(struct settings *s)
{
	if (s->budget_s == 0)
		s->budget_s = s->is_quick ? 40 : 300;
	if (s->tolerance == 0)
		s->tolerance = s->is_quick ? 0.03 : 0.01;
	if (s->max_size_B == 0)
		s->max_size_B = s->is_quick ? 16 << 20 : 64 << 20;
	if (s->window_s == 0)
		s->window_s = s->is_quick ? 0.02 : 0.05;
	if (s->n_transfers < 0 && s->is_quick)
		s->n_transfers = 2;
}

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
					{"samples", required_argument, NULL, 'S'},
					{"plot", required_argument, NULL, 'p'},
					{"spawn", no_argument, NULL, 's'},
					{"storage", required_argument, NULL, 'd'},
					{"quick", no_argument, NULL, 'q'},
					{"budget", required_argument, NULL, 'b'},
					{"tolerance", required_argument, NULL, 't'},
					{"window", required_argument, NULL, 'w'},
					{"max-size", required_argument, NULL, 'm'},
					{"cores", required_argument, NULL, 'c'},
					{"transfers", required_argument, NULL, 'n'},
					{"check", required_argument, NULL, 'C'},
					{"version", no_argument, NULL, 'V'},
					{"once", no_argument, NULL, '1'},
					{"help", no_argument, NULL, 'h'},
					{NULL, 0, NULL, 0}};

/* 0; 1: --help, 2: --version; or negative. */
static int parse(int argc, char **argv, struct settings *settings, struct util_error *err)
{
	uint64_t given = 0;
	int option, failed = 0;

	opterr = 0;
	while (!failed && (option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (option == 'h' || option == 'V')
			return option == 'h' ? 1 : 2;
		if (option == '?' || option == ':')
			return util_option_refuse(option, argv, options, SEE_HELP, err);
		failed = util_option_check(option, optarg, options, &given, err);
		if (!failed)
			failed = read_option(settings, option, optarg, err);
	}
	if (!failed && optind < argc)
		failed = util_error_set(err, UTIL_EINPUT, "found \"%s\", wanted options only; %s",
					argv[optind], SEE_HELP);
	if (!failed && settings->check && settings->output)
		failed = util_error_set(err, UTIL_EINPUT,
					"--check: found -o, too, wanted one of them; " SEE_HELP);
	if (!failed && settings->check && access(settings->check, R_OK))
		failed = util_error_errno(err, errno, "cannot read %s", settings->check);
	if (!failed && settings->plot && !settings->output)
		failed =
		    util_error_set(err, UTIL_EINPUT,
				   "--plot: found no -o FILE, wanted one: pictures show what it "
				   "says");
	return failed;
}

enum verdict cal_options(int argc, char **argv, int rank, struct settings *settings)
{
	struct util_error err;
	int failed;

	*settings = (struct settings){.n_transfers = -1};
	failed = parse(argc, argv, settings, &err);
	if (failed == 1 && rank == 0)
		fputs(help, stdout);
	if (failed == 2 && rank == 0)
		puts("mpisim-calibrate " MPISIM_VERSION);
	if (failed < 0 && rank == 0)
		fprintf(stderr, "mpisim-calibrate: %s\n", err.text);
	if (failed)
		return failed < 0 ? WRONG : HELP_SHOWN;
	use_defaults(settings);
	return GO_ON;
}
