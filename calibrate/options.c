/* SPDX-License-Identifier: BSD-3-Clause */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"

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
    "  --plot DIR            pictures of what was measured and fitted (gnuplot)\n"
    "  --spawn               how long MPI_Comm_spawn takes, too; needs slots for four processes "
    "more\n"
    "  --storage DIR         files of MPI-IO, too, in a directory that all nodes share\n"
    "  --quick               under a minute: shorter, less sure\n"
    "  --budget SECONDS      how long to measure, about (300; quick: 40)\n"
    "  --tolerance FRACTION  a median known within this is good enough (0.01; quick: 0.03)\n"
    "  --max-size SIZE       largest message (64M; quick: 16M); K, M: powers of 1024\n"
    "  --transfers N         CPU cost for up to N transfers each way (other nodes, 2 to 8; quick: "
    "2)\n"
    "  --cores N             cores of a node, where the system says another number\n"
    "  --window SECONDS      length of one measurement of the CPU (0.05; quick: 0.02)\n"
    "  --help\n"
    "\n"
    "docs/calibrate.md explains what is measured, and how to judge it.\n";

static enum verdict complain(int rank, const char *option, const char *found)
{
	if (rank == 0)
		fprintf(stderr, "mpisim-calibrate: %s%s cannot be \"%s\" (--help explains)\n",
			option ? "--" : "an argument", option ? option : "", found);
	return WRONG;
}

static int read_number(const char *text, double low, double high, double *out)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high))
		return -1;
	*out = value;
	return 0;
}

static int read_size(const char *text, int64_t *out)
{
	char *end;
	long long value = strtoll(text, &end, 10);

	if (end == text || value < 1 || value > 1 << 30)
		return -1;
	if (*end == 'K' || *end == 'M')
		value <<= *end++ == 'K' ? 10 : 20;
	if (*end || value < 1024 || value > 1 << 30)
		return -1;
	*out = value;
	return 0;
}

static int read_option(struct settings *s, int option, const char *text)
{
	double number = 0;
	int failed = 0;

	switch (option) {
	case 'o':
		s->output = text;
		break;
	case 'S':
		s->samples = text;
		break;
	case 'p':
		s->plot = text;
		break;
	case 'd':
		s->storage = text;
		break;
	case 's':
		s->spawns = true;
		break;
	case 'q':
		s->is_quick = true;
		break;
	case 'b':
		return read_number(text, 1, 1e6, &s->budget_s);
	case 't':
		return read_number(text, 1e-6, 1, &s->tolerance);
	case 'w':
		return read_number(text, 1e-3, 10, &s->window_s);
	case 'm':
		return read_size(text, &s->max_size_B);
	case 'n':
		failed = read_number(text, 1, 32, &number) || number != floor(number);
		s->n_transfers = (int)number;
		break;
	case 'c':
		failed = read_number(text, 1, 1e6, &number) || number != floor(number);
		s->cores = (int)number;
		break;
	}
	return failed ? -1 : 0;
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

enum verdict cal_options(int argc, char **argv, int rank, struct settings *settings)
{
	static const struct option options[] = {
	    {"output", required_argument, NULL, 'o'},  {"samples", required_argument, NULL, 'S'},
	    {"plot", required_argument, NULL, 'p'},    {"spawn", no_argument, NULL, 's'},
	    {"storage", required_argument, NULL, 'd'}, {"quick", no_argument, NULL, 'q'},
	    {"budget", required_argument, NULL, 'b'},  {"tolerance", required_argument, NULL, 't'},
	    {"window", required_argument, NULL, 'w'},  {"max-size", required_argument, NULL, 'm'},
	    {"cores", required_argument, NULL, 'c'},   {"transfers", required_argument, NULL, 'n'},
	    {"help", no_argument, NULL, 'h'},	       {NULL, 0, NULL, 0}};
	int option, index = 0;

	*settings = (struct settings){.n_transfers = -1};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:", options, &index)) != -1) {
		if (option == 'h') {
			if (rank == 0)
				fputs(help, stdout);
			return HELP_SHOWN;
		}
		if (option == '?')
			return complain(rank, NULL, argv[optind - 1]);
		if (read_option(settings, option, optarg) < 0)
			return complain(rank, options[index].name, optarg);
	}
	if (optind < argc)
		return complain(rank, NULL, argv[optind]);
	use_defaults(settings);
	if (!settings->output && !settings->samples) {
		if (rank == 0)
			fputs("mpisim-calibrate: nowhere to write to; wanted -o FILE\n", stderr);
		return WRONG;
	}
	return GO_ON;
}
