/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-calibrate-fit: from the samples of a run of mpisim-calibrate to its cluster file. No MPI.
 */
#include <stdio.h>

#include "fit.h"
#include "util/options.h"

#define SEE_HELP "see mpisim-calibrate-fit --help"

static const char help[] =
    "mpisim-calibrate-fit makes a cluster file from the samples that mpisim-calibrate took.\n"
    "\n"
    "usage: mpisim-calibrate-fit SAMPLES -o cluster.yaml [--plot DIR]\n"
    "\n"
    "  -o, --output FILE   the cluster file\n"
    "  --plot DIR          pictures of what was measured and fitted (gnuplot)\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0, 2 wrong usage or input, or nothing could be written.\n";

struct command {
	const char *samples, *output, *plot;
};

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
					{"plot", required_argument, NULL, 'p'},
					{"version", no_argument, NULL, 'V'},
					{"help", no_argument, NULL, 'h'},
					{NULL, 0, NULL, 0}};

/* 0; 1: --help, 2: --version; or negative. */
static int parse(int argc, char **argv, struct command *out, struct util_error *err)
{
	uint64_t given = 0;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (option == 'h' || option == 'V')
			return option == 'h' ? 1 : 2;
		if (option == '?' || option == ':')
			return util_option_refuse(option, argv, SEE_HELP, err);
		if (util_option_check(option, optarg, options, &given, err))
			return err->code;
		*(option == 'o' ? &out->output : &out->plot) = optarg;
	}
	if (optind != argc - 1)
		return util_error_set(err, UTIL_EINPUT,
				      "found %d files, wanted one with samples; " SEE_HELP,
				      argc - optind);
	if (!out->output)
		return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
	out->samples = argv[optind];
	return 0;
}

static int run(const struct command *command)
{
	struct samples samples;
	char error[SAMPLES_ERROR_B];
	int status;

	if (samples_read(&samples, command->samples, error) < 0) {
		fprintf(stderr, "mpisim-calibrate-fit: %s\n", error);
		return 2;
	}
	status = fit_report("mpisim-calibrate-fit", &samples, command->output, command->plot) < 0
		     ? 2
		     : 0;
	samples_finish(&samples);
	return status;
}

int main(int argc, char **argv)
{
	struct command command = {0};
	struct util_error err;
	int parsed = parse(argc, argv, &command, &err);

	if (parsed == 1)
		fputs(help, stdout);
	if (parsed == 2)
		puts("mpisim-calibrate-fit " MPISIM_VERSION);
	if (parsed < 0)
		fprintf(stderr, "mpisim-calibrate-fit: %s\n", err.text);
	return parsed == 0 ? run(&command) : parsed < 0 ? 2 : 0;
}
