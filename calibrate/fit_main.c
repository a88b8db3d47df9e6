/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-calibrate-fit: from the samples of a run of mpisim-calibrate to its cluster file, or what
 * a cluster file makes of them. No MPI. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "fit.h"
#include "fit_files.h"
#include "forward.h"
#include "util/options.h"
#include "util/outfile.h"
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
    "  --jobs N            runs of the simulator at once (all cores)\n"
    "  --version, --help\n"
    "\n"
    "--fit finds the cluster with which the simulator predicts times that others have measured:\n"
    "output of the OSU micro-benchmarks or the Intel MPI Benchmarks, tables operation,size,time\n"
    "or time,command. FILE@8: its collective operations or pairs ran on 8 ranks. With --fit:\n"
    "  --cluster FILE      what is known of the cluster: nodes, cores, storage\n"
    "  --library NAME      whose protocols: plain, rdma, openmpi, mpich, openmpi-tcp,\n"
    "                      mpich-tcp; otherwise whose predict best\n"
    "  --check FILE        in place of -o: how well this cluster file predicts the times\n"
    "\n"
    "Exit status: 0, 1 --check found measurements that are more than 10 % off, 2 wrong usage or\n"
    "input, or nothing could be written.\n";

struct command {
	struct fit_files files; /* without --fit one, of samples */
	int n_jobs;
	bool is_unchecked, fits, help, version;
};

#define AT(member) .at = offsetof(struct command, member)
static const struct util_option table[] = {
    {"output", UTIL_OPTION_TEXT, AT(files.output), .letter = 'o'},
    {"plot", UTIL_OPTION_TEXT, AT(files.plot)},
    {"check", UTIL_OPTION_TEXT, AT(files.check)},
    {"no-check", UTIL_OPTION_FLAG, AT(is_unchecked)},
    {"fit", UTIL_OPTION_FLAG, AT(fits)},
    {"cluster", UTIL_OPTION_TEXT, AT(files.known)},
    {"library", UTIL_OPTION_TEXT, AT(files.library)},
    {"jobs", UTIL_OPTION_COUNT, AT(n_jobs), .max = FORWARD_JOBS},
    {"version", UTIL_OPTION_LAST, AT(version)},
    {"help", UTIL_OPTION_LAST, AT(help)},
};

static int check_output(const struct command *command, struct util_error *err)
{
	const struct fit_files *files = &command->files;

	if (!files->output)
		return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
	if (files->known && util_outfile_is_same(files->output, files->known))
		return util_error_set(
		    err, UTIL_EINPUT,
		    "-o: found %s, which is the file of --cluster, wanted another "
		    "file",
		    files->output);
	for (int k = 0; k < files->n_paths; k++)
		if (util_outfile_is_same(files->output, files->paths[k]))
			return util_error_set(err, UTIL_EINPUT,
					      "-o: found %s, which has the %s, wanted another file",
					      files->output, command->fits ? "times" : "samples");
	if (files->plot && util_output_check_folder(files->plot, err))
		return err->code;
	return util_output_check(files->output, err);
}

static int check_usage(const struct command *command, struct util_error *err)
{
	const struct fit_files *files = &command->files;
	bool fits = command->fits;

	/* what only writes is not meant for --check */
	if (files->check && (files->output || files->plot || command->is_unchecked))
		return util_error_set(err, UTIL_EINPUT,
				      "--check: found %s, too, wanted one of them; " SEE_HELP,
				      files->output ? "-o"
				      : files->plot ? "--plot"
						    : "--no-check");
	if (files->check && (files->known || files->library))
		return util_error_set(err, UTIL_EINPUT,
				      "--check: found %s, too, wanted one of them; " SEE_HELP,
				      files->known ? "--cluster" : "--library");
	if (!fits && files->n_paths != 1)
		return util_error_set(err, UTIL_EINPUT,
				      "found %d files, wanted one with samples; " SEE_HELP,
				      files->n_paths);
	if (!fits && (files->known || files->library))
		return util_error_set(err, UTIL_EINPUT,
				      "%s: found no --fit, wanted it beside; " SEE_HELP,
				      files->known ? "--cluster" : "--library");
	if (fits && files->n_paths == 0)
		return util_error_set(err, UTIL_EINPUT,
				      "--fit: found no file, wanted some with times; " SEE_HELP);
	if (fits && command->is_unchecked)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "--fit: found --no-check, too, wanted one of them; " SEE_HELP);
	return files->check ? 0 : check_output(command, err);
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
	out->files.paths = argv + optind;
	out->files.n_paths = argc - optind;
	if (out->n_jobs > 0)
		forward_set_jobs(out->n_jobs);
	return check_usage(out, err);
}

static int run(const struct command *command)
{
	const struct fit_files *files = &command->files;
	struct samples samples = {0};
	struct util_error err;
	char error[SAMPLES_ERROR_B];
	int status;

	if (command->fits) {
		status = fit_files(NAME, files, &err);
		if (status < 0)
			fprintf(stderr, NAME ": %s\n", err.text);
	} else if (samples_read(&samples, files->paths[0], error) < 0) {
		fprintf(stderr, NAME ": %s\n", error);
		status = -1;
	} else if (files->check) {
		status = fit_check(NAME, &samples, files->check);
	} else {
		status =
		    fit_report(NAME, &samples, files->output, files->plot, !command->is_unchecked);
	}
	samples_finish(&samples);
	return status < 0 ? 2 : status;
}

int main(int argc, char **argv)
{
	struct command command = {0};
	struct util_error err;
	int parsed = parse(argc, argv, &command, &err), status;

	if (command.help)
		fputs(help, stdout);
	if (command.version)
		puts("mpisim-calibrate-fit " MPISIM_VERSION);
	if (parsed < 0)
		fprintf(stderr, NAME ": %s\n", err.text);
	status = parsed == 0 ? run(&command) : parsed < 0 ? 2 : 0;
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, NAME ": cannot write to standard output\n");
		return 2;
	}
	return status;
}
