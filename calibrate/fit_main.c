/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-calibrate-fit: from the samples of a run of mpisim-calibrate to its cluster file, or what
 * a cluster file makes of them. No MPI. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fit.h"
#include "fit_files.h"
#include "forward.h"
#include "util/options.h"
#include "util/outpath.h"

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
    "  --no-check          nothing is simulated: the plain model, not compared with the samples\n"
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
	bool is_unchecked, fits, help, version;
	struct fit_files files;
};

#define AT(member) .at = offsetof(struct command, member)
static const struct util_option table[] = {
    {"output", UTIL_OPTION_TEXT, AT(output), .letter = 'o'},
    {"plot", UTIL_OPTION_TEXT, AT(plot)},
    {"check", UTIL_OPTION_TEXT, AT(check)},
    {"no-check", UTIL_OPTION_FLAG, AT(is_unchecked)},
    {"fit", UTIL_OPTION_FLAG, AT(fits)},
    {"cluster", UTIL_OPTION_TEXT, AT(files.known)},
    {"library", UTIL_OPTION_TEXT, AT(files.library)},
    {"jobs", UTIL_OPTION_COUNT, AT(files.n_jobs), .max = FORWARD_JOBS},
    {"version", UTIL_OPTION_LAST, AT(version)},
    {"help", UTIL_OPTION_LAST, AT(help)},
};

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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

/* 0; 1: --help or --version; or negative. */
static int parse(int argc, char **argv, struct command *out, struct util_error *err)
{
	static const struct util_options options = {table, sizeof table / sizeof table[0],
						    .see = SEE_HELP};
	uint64_t given = 0;
	int failed = util_options_read(argc, argv, &options, &given, out, err);

	if (failed)
		return failed;
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

	if (command.help)
		fputs(help, stdout);
	if (command.version)
		puts("mpisim-calibrate-fit " MPISIM_VERSION);
	if (parsed < 0)
		fprintf(stderr, NAME ": %s\n", err.text);
	return parsed == 0 ? run(&command) : parsed < 0 ? 2 : 0;
}
