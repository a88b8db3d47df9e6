/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-calibrate-fit: from the samples of a run of mpisim-calibrate to its cluster file. No MPI.
 */
#include <getopt.h>
#include <stdio.h>

#include "fit.h"

static const char help[] =
    "mpisim-calibrate-fit makes a cluster file from the samples that mpisim-calibrate took.\n"
    "\n"
    "usage: mpisim-calibrate-fit SAMPLES -o cluster.yaml [--plot DIR]\n";

static int complain(const char *sentence)
{
	fprintf(stderr, "mpisim-calibrate-fit: %s\n", sentence);
	return 2;
}

static int run(const char *path, const char *output, const char *plot)
{
	struct samples samples;
	char error[SAMPLES_ERROR_B];
	int status;

	if (samples_read(&samples, path, error) < 0)
		return complain(error);
	status = fit_report(&samples, output, plot) < 0 ? 2 : 0;
	samples_finish(&samples);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{"plot", required_argument, NULL, 'p'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	const char *output = NULL, *plot = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			output = optarg;
			break;
		case 'p':
			plot = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (optind != argc - 1 || !output)
		return complain("wanted one file of samples and -o FILE (--help explains)");
	return run(argv[optind], output, plot);
}
