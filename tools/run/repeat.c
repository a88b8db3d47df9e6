// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/repeat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run/input.h"
#include "tools/run/run.h"
#include "util/array.h"
#include "util/cpus.h"
#include "util/units.h"

#define USUAL_COVERAGE 0.95
#define MAX_AT_ONCE 64
#define CHILD_FD 3 /* where a child writes its time */
#define ROUNDING 1e-9

/* What the smallest and largest of n times cover. */
static double widest_coverage(int n)
{
	return (n - 1.0) / (n + 1.0);
}

/* The least n whose smallest and largest time cover it; 0 < coverage < 1. */
static int least_repeats(double coverage)
{
	int n = (int)((1 + coverage) / (1 - coverage) - ROUNDING);

	while (widest_coverage(n) < coverage - ROUNDING)
		n++;
	return n;
}

int run_coverage_parse(const char *text, double *out, struct util_error *err)
{
	double percent;

	if (util_parse_double(text, &percent, NULL) || percent <= 0 || percent >= 100)
		return util_refuse(err, "--interval: found \"%s\", wanted per cent, as in 95",
				   text);
	*out = percent / 100;
	return 0;
}

/* Runs that come out alike would pretend a certainty that there is not. */
int run_repeat_check_varies(const struct run_options *o, struct util_error *err)
{
	bool varies = o->vary_cluster || o->vary_kernels || o->vary_compute > 0 ||
		      o->vary_transfer > 0 || o->mode == PD_COMPUTE_DIRECT ||
		      o->mode == PD_COMPUTE_PARTIAL;

	if (o->n_repeats <= 1 || varies)
		return 0;
	return util_refuse(
	    err, "--repeat: found nothing that varies, wanted --vary-cluster, --vary-kernels, "
		 "--vary-compute, --vary-transfer or a section \"variation\" of the cluster file");
}

int run_repeat_check(const struct run_options *o, struct util_error *err)
{
	if (o->coverage > 0 && o->n_repeats <= 1 && !o->time_only)
		return util_refuse(err,
				   "--interval needs --repeat N, the runs that it is taken from");
	if (o->n_repeats <= 1)
		return 0;
	if (o->mode == PD_COMPUTE_COLLECT)
		return util_refuse(err, "--repeat needs another mode than --compute collect, whose "
					"runs append to --bench-out");
	if (o->coverage > widest_coverage(o->n_repeats) + 1e-9)
		return util_refuse(
		    err, "--interval: found %g with --repeat %d, wanted at least %d runs for it",
		    100 * o->coverage, o->n_repeats, least_repeats(o->coverage));
	return 0;
}

int run_interval_compute(const double times_s[], int n, double coverage,
			 struct trace_prediction *out)
{
	double wanted = coverage > 0 ? coverage : USUAL_COVERAGE;
	int k = (int)((n + 1) * (1 - wanted) / 2 + ROUNDING);
	double *sorted = malloc((size_t)n * sizeof *sorted);

	if (!sorted)
		return UTIL_ENOMEM;
	k = k < 1 ? 1 : k;
	for (int i = 0; i < n; i++)
		sorted[i] = times_s[i];
	qsort(sorted, (size_t)n, sizeof *sorted, util_compare_doubles);
	out->n_runs = n;
	out->times_s = times_s;
	out->coverage = (n + 1.0 - 2 * k) / (n + 1.0);
	out->low_s = sorted[k - 1];
	out->high_s = sorted[n - k];
	out->median_s = (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
	free(sorted);
	return 0;
}

struct child {
	pid_t pid;
	int pid_fd, time_fd, input_fd;
	int index; /* of its time */
};

#define N_OURS 8 /* options of a further run */

struct repetition {
	struct run *run;
	int next;			    /* run to be started */
	struct child children[MAX_AT_ONCE]; /* [n_children] under way */
	int n_children, most;
};

/* This command with options that say which run it is, in front of the program. After the first word
 * of ours the last one of an option holds. */
static char **child_argv(const struct run *run, char *seed, bool is_recorded)
{
	static char more[N_OURS][16] = {"--seed",   "",	 "--time-only", RUN_REPEAT_TIME,
					"--repeat", "1", "--record",	RUN_REPEAT_TRACE};
	int n_more = is_recorded ? N_OURS : N_OURS - 2;
	int n_options = (int)(run->options.program - run->argv), n_words = 0, n = 0;
	char **argv;

	while (run->options.program[n_words])
		n_words++;
	argv = calloc((size_t)(n_options + n_words) + N_OURS + 3, sizeof *argv);
	if (argv) {
		argv[n++] = run->argv[0];
		argv[n++] = more[2];
		argv[n++] = more[3];
	}
	for (int i = 1; argv && i < n_options; i++) {
		/* what ends the options would end them before ours */
		if (i < n_options - 1 || strcmp(run->argv[i], "--") != 0)
			argv[n++] = run->argv[i];
	}
	for (int i = 0; argv && i < n_more; i++)
		argv[n++] = i == 1 ? seed : more[i];
	for (int i = 0; argv && i < n_words; i++)
		argv[n++] = run->options.program[i];
	return argv;
}

static int spawn(const struct run *run, char **argv, const struct child *child, int time_fd,
		 int trace_fd, pid_t *out)
{
	posix_spawn_file_actions_t actions;
	int failed = posix_spawn_file_actions_init(&actions);

	if (failed)
		return failed;
	if (run->start_dir_fd >= 0)
		posix_spawn_file_actions_addfchdir_np(&actions, run->start_dir_fd);
	posix_spawn_file_actions_adddup2(&actions, child->input_fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, time_fd, CHILD_FD);
	if (trace_fd >= 0)
		posix_spawn_file_actions_adddup2(&actions, trace_fd, RUN_REPEAT_TRACE_FD);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
	failed = posix_spawn(out, "/proc/self/exe", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failed;
}

/* trace_fd: where the run records itself; negative: it does not. */
static int start(struct repetition *r, int trace_fd, struct util_error *err)
{
	struct child *child = &r->children[r->n_children];
	char seed[32];
	char **argv;
	int pipe_fds[2], failed;

	snprintf(seed, sizeof seed, "%lld", (long long)(r->run->options.seed + r->next));
	argv = child_argv(r->run, seed, trace_fd >= 0);
	if (!argv)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	child->input_fd = run_input_open(r->run->input_begin);
	if (child->input_fd < 0 || pipe2(pipe_fds, O_CLOEXEC)) {
		failed = errno;
		if (child->input_fd >= 0)
			close(child->input_fd);
		free(argv);
		return util_error_errno(err, failed, "--repeat: cannot make a pipe");
	}
	failed = spawn(r->run, argv, child, pipe_fds[1], trace_fd, &child->pid);
	free(argv);
	close(pipe_fds[1]);
	if (failed) {
		close(child->input_fd);
		close(pipe_fds[0]);
		return util_error_errno(err, failed, "--repeat: cannot start a run");
	}
	child->time_fd = pipe_fds[0];
	child->pid_fd = pidfd_open(child->pid, 0);
	child->index = r->next++;
	r->n_children++;
	return child->pid_fd < 0 ? util_error_errno(err, errno, "--repeat: cannot wait for a run")
				 : 0;
}

/* Why the time of a child does not count. */
static int refuse(const struct run *run, int index, bool is_input_missed, struct util_error *err)
{
	long long seed = run->options.seed + index;
	const char *option = run->is_varied ? "" : "--repeat: "; /* if it was given */

	if (is_input_missed)
		return util_error_set(err, UTIL_EUNSUPPORTED,
				      "%sthe program reads standard input, which the further runs "
				      "have only if it is a file",
				      option);
	return util_error_set(err, UTIL_EPROGRAM,
			      "%sthe run with seed %lld failed; --repeat 1 --seed %lld shows why",
			      option, seed, seed);
}

/* What the first run took is known: a program that goes by what it finds (a file that it wrote
 * before) takes another time. */
static int put_time(struct run *run, int index, double time_s, struct util_error *err)
{
	double *place = &run->repeat_times_s[index];

	if (index == 0 && time_s != *place)
		return util_error_set(
		    err, UTIL_EPROGRAM,
		    "the program does something else when it is run again: with seed %lld "
		    "it took %.4g s, then %.4g s; does it read what it wrote before?",
		    (long long)run->options.seed, *place, time_s);
	*place = time_s;
	return 0;
}

/* Takes the time of a child that has ended, or is about to. */
static int collect(struct repetition *r, int k, struct util_error *err)
{
	struct child child = r->children[k];
	char text[64] = "";
	ssize_t n = read(child.time_fd, text, sizeof text - 1);
	bool is_input_missed;
	int status = -1;
	double time_s;

	while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
		;
	is_input_missed = run_input_is_missed(child.input_fd);
	close(child.input_fd);
	close(child.time_fd);
	if (child.pid_fd >= 0)
		close(child.pid_fd);
	r->children[k] = r->children[--r->n_children];
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = '\0';
	if (status == 0 && n > 0 && !is_input_missed && !util_parse_double(text, &time_s, NULL))
		return put_time(r->run, child.index, time_s, err);
	return refuse(r->run, child.index, is_input_missed, err);
}

/* Waits until a child ends, or a signal comes. */
static int wait_for_one(struct repetition *r, struct util_error *err)
{
	struct pollfd fds[MAX_AT_ONCE];

	for (int k = 0; k < r->n_children; k++)
		fds[k] = (struct pollfd){.fd = r->children[k].pid_fd, .events = POLLIN};
	if (poll(fds, (nfds_t)r->n_children, -1) < 0)
		return errno == EINTR ? 0 : util_error_errno(err, errno, "--repeat: cannot wait");
	for (int k = r->n_children - 1; k >= 0; k--) {
		int failed = fds[k].revents ? collect(r, k, err) : 0;

		if (failed)
			return failed;
	}
	return 0;
}

static void stop_all(struct repetition *r)
{
	for (int k = 0; k < r->n_children; k++)
		kill(r->children[k].pid, SIGKILL);
	while (r->n_children > 0)
		collect(r, 0, NULL);
}

/* Computation that is measured must not be disturbed. */
static int most_at_once(const struct run_options *options)
{
	int n = options->mode == PD_COMPUTE_MODELLED ? util_cpus() : 1;

	return n < MAX_AT_ONCE ? n : MAX_AT_ONCE;
}

static int run_all(struct repetition *r, struct util_error *err)
{
	struct run *run = r->run;
	bool is_shown = !run->options.quiet && isatty(fileno(run->console));
	int failed = 0;

	while (!failed && !run_caught_signal() &&
	       (r->next < run->options.n_repeats || r->n_children > 0)) {
		if (r->next < run->options.n_repeats && r->n_children < r->most)
			failed = start(r, -1, err);
		else
			failed = wait_for_one(r, err);
		if (is_shown)
			fprintf(run->console, "\r\033[Kmpisim-run: %d of %d runs",
				r->next - r->n_children, run->options.n_repeats);
	}
	if (is_shown)
		fprintf(run->console, "\r\033[K");
	stop_all(r);
	return failed;
}

int run_repeat_record(struct run *run, int k, struct util_error *err)
{
	struct repetition r = {.run = run, .next = k, .most = 1};
	/* not in the way of the numbers that the child has */
	int memory = memfd_create("mpisim trace", MFD_CLOEXEC);
	int fd = memory < 0 ? -1 : fcntl(memory, F_DUPFD_CLOEXEC, RUN_REPEAT_TRACE_FD + 1);
	double time_s = run->repeat_times_s[k];
	struct sigaction saved[3];
	int failed = fd < 0 ? util_error_errno(err, errno, "no file in memory") : 0;

	if (memory >= 0)
		close(memory);
	run_catch_signals(saved);
	if (!failed)
		failed = start(&r, fd, err);
	while (!failed && r.n_children > 0 && !run_caught_signal())
		failed = wait_for_one(&r, err);
	stop_all(&r);
	run->signal = run_caught_signal();
	run_release_signals(saved);
	if (!failed && run->signal == 0 && run->repeat_times_s[k] == time_s)
		return fd;
	if (!failed && run->signal == 0)
		util_error_set(err, UTIL_EPROGRAM,
			       "the run with seed %lld came out differently again",
			       (long long)run->options.seed + k);
	if (fd >= 0)
		close(fd);
	return -1;
}

int run_repeat(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;
	/* who asked for runs knows the program; else the first one is run again, too */
	struct repetition r = {.run = run, .next = run->is_varied ? 0 : 1, .most = most_at_once(o)};
	struct sigaction saved[3];
	int failed;

	run->repeat_times_s = calloc((size_t)o->n_repeats, sizeof *run->repeat_times_s);
	if (!run->repeat_times_s)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d runs", o->n_repeats);
	run->repeat_times_s[0] = sim_time_to_s(run->world->engine.now);
	run_catch_signals(saved);
	failed = run_all(&r, err);
	run->signal = run_caught_signal();
	run_release_signals(saved);
	if (failed || run->signal)
		return run->signal ? 0 : failed;
	run->interval.first_seed = run->interval.reported_seed = (uint64_t)o->seed;
	if (run_interval_compute(run->repeat_times_s, o->n_repeats, o->coverage, &run->interval))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d runs", o->n_repeats);
	return 0;
}
