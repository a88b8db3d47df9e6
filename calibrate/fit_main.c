/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-calibrate-fit: from the samples of a run of mpisim-calibrate to its cluster file, or what
 * a cluster file makes of them. No MPI. */
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fit.h"
#include "util/options.h"

#define NAME "mpisim-calibrate-fit"
#define SEE_HELP "see " NAME " --help"

static const char help[] =
    "mpisim-calibrate-fit makes a cluster file from the samples that mpisim-calibrate took.\n"
    "\n"
    "usage: mpisim-calibrate-fit SAMPLES -o cluster.yaml [--plot DIR]\n"
    "       mpisim-calibrate-fit SAMPLES --check cluster.yaml\n"
    "\n"
    "  -o, --output FILE   the cluster file\n"
    "  --plot DIR          pictures of what was measured and fitted (gnuplot)\n"
    "  --check FILE        how well this cluster file reproduces the samples: the probes run in\n"
    "                      the simulator\n"
    "  --no-check          the cluster file is not compared with the samples\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0, 1 --check found measurements that are more than 10 % off, 2 wrong usage or\n"
    "input, or nothing could be written.\n";

struct command {
	const char *samples, *output, *plot, *check;
	bool is_unchecked;
};

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'}, {"plot", required_argument, NULL, 'p'},
    {"check", required_argument, NULL, 'c'},  {"no-check", no_argument, NULL, 'n'},
    {"version", no_argument, NULL, 'V'},      {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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
		if (util_option_check(option, optarg, options, &given, err))
			return err->code;
		out->is_unchecked |= option == 'n';
		if (option == 'n')
			continue;
		*(option == 'o' ? &out->output : option == 'p' ? &out->plot : &out->check) = optarg;
	}
	if (optind != argc - 1)
		return util_error_set(err, UTIL_EINPUT,
				      "found %d files, wanted one with samples; " SEE_HELP,
				      argc - optind);
	if (out->check && (out->output || out->plot || out->is_unchecked))
		return util_error_set(err, UTIL_EINPUT,
				      "--check: found %s, too, wanted one of them; " SEE_HELP,
				      out->output ? "-o"
				      : out->plot ? "--plot"
						  : "--no-check");
	if (!out->output && !out->check)
		return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
	out->samples = argv[optind];
	if (out->output && is_same_file(out->output, out->samples))
		return util_error_set(err, UTIL_EINPUT,
				      "-o: found %s, which has the samples, wanted another file",
				      out->output);
	return 0;
}

static int check(const struct samples *samples, const char *cluster)
{
	struct check check;

	check_file(samples, cluster, &check);
	if (!check.is_made) {
		fprintf(stderr, NAME ": %s\n", check.why_not);
		return 2;
	}
	check_verdict(&check, stdout);
	putchar('\n');
	check_list(&check, "  ", stdout);
	return check.n_off > 0;
}

static int run(const struct command *command)
{
	struct samples samples = {0};
	char error[SAMPLES_ERROR_B];
	int status;

	if (samples_read(&samples, command->samples, error) < 0) {
		fprintf(stderr, NAME ": %s\n", error);
		return 2;
	}
	if (command->check)
		status = check(&samples, command->check);
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
