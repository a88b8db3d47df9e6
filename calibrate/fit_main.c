/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-calibrate-fit: from the samples of a run of mpisim-calibrate to its cluster file, or what
 * a cluster file makes of them. No MPI. */
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fit.h"
#include "fit_files.h"
#include "predict.h"
#include "util/options.h"
#include "util/outpath.h"
#include "util/units.h"

#define NAME "mpisim-calibrate-fit"
#define SEE_HELP "see " NAME " --help"

static const char help[] =
    "mpisim-calibrate-fit makes a cluster file from the samples that mpisim-calibrate took.\n"
    "\n"
    "usage: mpisim-calibrate-fit SAMPLES -o cluster.yaml [--plot DIR]\n"
    "       mpisim-calibrate-fit SAMPLES --check cluster.yaml\n"
    "       mpisim-calibrate-fit --fit FILE... -o cluster.yaml\n"
    "\n"
    "  -o, --output FILE   the cluster file\n"
    "  --plot DIR          pictures of what was measured and fitted (gnuplot)\n"
    "  --check FILE        how well this cluster file reproduces the samples: the probes run in\n"
    "                      the simulator\n"
    "  --no-check          the cluster file is not compared with the samples\n"
    "  --version, --help\n"
    "\n"
    "--fit finds the cluster with which the simulator predicts times that others have measured:\n"
    "output of the OSU micro-benchmarks or the Intel MPI Benchmarks, tables operation,size,time\n"
    "or time,command. FILE@8: its collective operations ran on 8 ranks. With --fit:\n"
    "  --cluster FILE      what is known of the cluster: nodes, cores, storage\n"
    "  --library NAME      whose protocols: plain, rdma, openmpi, mpich, openmpi-tcp,\n"
    "                      mpich-tcp; otherwise whose predict best\n"
    "  --jobs N            runs of the simulator at once (2)\n"
    "  --check FILE        in place of -o: how well this cluster file predicts the times\n"
    "\n"
    "Exit status: 0, 1 --check found measurements that are more than 10 % off, 2 wrong usage or\n"
    "input, or nothing could be written.\n";

struct command {
	const char *samples, *output, *plot, *check;
	bool is_unchecked, fits;
	struct fit_files files;
};

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
					{"plot", required_argument, NULL, 'p'},
					{"check", required_argument, NULL, 'c'},
					{"no-check", no_argument, NULL, 'n'},
					{"fit", no_argument, NULL, 'f'},
					{"cluster", required_argument, NULL, 'k'},
					{"library", required_argument, NULL, 'l'},
					{"jobs", required_argument, NULL, 'j'},
					{"version", no_argument, NULL, 'V'},
					{"help", no_argument, NULL, 'h'},
					{NULL, 0, NULL, 0}};

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int read_option(struct command *out, int option, const char *text, struct util_error *err)
{
	int64_t n;

	switch (option) {
	case 'o':
		out->output = text;
		return 0;
	case 'p':
		out->plot = text;
		return 0;
	case 'c':
		out->check = text;
		return 0;
	case 'k':
		out->files.known = text;
		return 0;
	case 'l':
		out->files.library = text;
		return 0;
	case 'j':
		if (util_parse_int(text, 1, PREDICT_JOBS, &n, err))
			return util_error_prepend(err, "--jobs");
		out->files.n_jobs = (int)n;
		return 0;
	case 'f':
		out->fits = true;
		return 0;
	default:
		out->is_unchecked = true;
		return 0;
	}
}

static int check_samples(struct command *out, int n, struct util_error *err)
{
	if (n != 1)
		return util_error_set(err, UTIL_EINPUT,
				      "found %d files, wanted one with samples; " SEE_HELP, n);
	if (out->files.known || out->files.library || out->files.n_jobs)
		return util_error_set(err, UTIL_EINPUT,
				      "%s: found no --fit, wanted it beside; " SEE_HELP,
				      out->files.known	   ? "--cluster"
				      : out->files.library ? "--library"
							   : "--jobs");
	if (!out->output && !out->check)
		return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
	if (out->output && is_same_file(out->output, out->samples))
		return util_error_set(err, UTIL_EINPUT,
				      "-o: found %s, which has the samples, wanted another file",
				      out->output);
	return 0;
}

static int check_files(struct command *out, char **paths, int n, struct util_error *err)
{
	out->files.n_paths = n;
	out->files.paths = paths;
	out->files.output = out->output;
	out->files.plot = out->plot;
	out->files.check = out->check;
	if (out->files.n_jobs == 0)
		out->files.n_jobs = 2;
	if (n == 0)
		return util_error_set(err, UTIL_EINPUT,
				      "--fit: found no file, wanted some with times; " SEE_HELP);
	if (out->is_unchecked)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "--fit: found --no-check, too, wanted one of them; " SEE_HELP);
	if (out->check)
		return 0;
	if (!out->output)
		return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
	for (int k = 0; k < n; k++)
		if (is_same_file(out->output, paths[k]))
			return util_error_set(err, UTIL_EINPUT,
					      "-o: found %s, which has the times, wanted another "
					      "file",
					      out->output);
	return util_output_check(out->output, err);
}

/* What only writes is not meant for --check. */
static int check_check(const struct command *out, struct util_error *err)
{
	if (out->check && (out->output || out->plot || out->is_unchecked))
		return util_error_set(err, UTIL_EINPUT,
				      "--check: found %s, too, wanted one of them; " SEE_HELP,
				      out->output ? "-o"
				      : out->plot ? "--plot"
						  : "--no-check");
	return 0;
}

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
			return util_option_refuse(option, argv, options, SEE_HELP, err);
		if (util_option_check(option, optarg, options, &given, err) ||
		    read_option(out, option, optarg, err))
			return err->code;
	}
	out->samples = argv[optind];
	if (check_check(out, err))
		return err->code;
	return out->fits ? check_files(out, argv + optind, argc - optind, err)
			 : check_samples(out, argc - optind, err);
}

static int run(const struct command *command)
{
	struct samples samples = {0};
	struct util_error err;
	char error[SAMPLES_ERROR_B];
	int status;

	if (command->fits) {
		status = fit_files(NAME, &command->files, &err);
		if (status < 0)
			fprintf(stderr, NAME ": %s\n", err.text);
		return status < 0 ? 2 : status;
	}
	if (samples_read(&samples, command->samples, error) < 0) {
		fprintf(stderr, NAME ": %s\n", error);
		return 2;
	}
	if (command->check)
		status = fit_check(NAME, &samples, command->check);
	else
		status = fit_report(NAME, &samples, command->output, command->plot,
				    !command->is_unchecked) < 0
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
		fprintf(stderr, NAME ": %s\n", err.text);
	return parsed == 0 ? run(&command) : parsed < 0 ? 2 : 0;
}
