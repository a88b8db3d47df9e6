/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpisim.h>

#include "calibrate.h"
#include "child.h"
#include "storage.h"
#include "util/outfile.h"
#include "util/outpath.h"

static void note_run(struct cal *cal)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING], date[64];
	time_t now = time(NULL);
	int length;

	MPI_Get_library_version(version, &length);
	version[strcspn(version, "\n")] = '\0';
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
	cal_fact(cal, "date", "%s", date);
	cal_fact(cal, "library", "%.200s", version);
	cal_fact(cal, "simulated", "%d", cal->is_simulated);
	cal_fact(cal, "budget_s", "%g", cal->settings.budget_s);
	cal_fact(cal, "window_s", "%g", cal->settings.window_s);
	cal_fact(cal, "max_size_B", "%lld", (long long)cal->settings.max_size_B);
}

/* One rank more than CPUs is what the CPU cost needs: that one waits. */
static void judge_place(struct cal *cal)
{
	long n_cpus = cal->settings.cores;

	if (n_cpus == 0 && !cal->is_simulated)
		n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (n_cpus > 0)
		cal_fact(cal, "cpus", "%ld", n_cpus);
	if (n_cpus > 0 && cal->n_here > n_cpus + 1)
		cal_fact(
		    cal, "warning",
		    "overcommitted: more ranks than CPUs on the first node; ranks disturb each "
		    "other, do not trust these values");
	if (cal->far < 0)
		cal_fact(cal, "warning",
			 "one node only: network values are those within the node; CPU cost and "
			 "sharing were not measured");
	else if (cal->near < 0)
		cal_fact(cal, "warning",
			 "one rank on the first node: values within a node were not measured");
}

/* Parts of the budget. The last one is beyond it, so that the others are what they were. */
enum part { SPAWN, MESSAGES, RMA, STORAGE, LAST };
/* Where the network, or in its absence the node, is the subject. */
enum { SUBJECT = -1 };
enum needs { NOTHING, OTHERS_HERE, OTHER_NODES, BOTH = OTHERS_HERE | OTHER_NODES };
/* Each may take until that of its part. Some libraries end the whole job where they cannot spawn:
 * better at once than at the end. What needs connections that carried nothing large comes before
 * all that uses them. */
static const struct stage {
	enum part part;
	cal_probe_fn *run;
	int where;
	double until;
	enum needs needs;
} stages[] = {
    {SPAWN, probe_spawn, WITHIN_NODE, 1, NOTHING},
    {MESSAGES, probe_sizes, SUBJECT, 0.35, NOTHING},
    {MESSAGES, probe_overhead, SUBJECT, 0.40, NOTHING},
    {MESSAGES, probe_sizes, WITHIN_NODE, 0.50, BOTH},
    {MESSAGES, probe_overhead, WITHIN_NODE, 0.52, BOTH},
    {MESSAGES, probe_eager, WITHIN_NODE, 0.54, BOTH},
    {MESSAGES, probe_eager, SUBJECT, 0.6, NOTHING},
    {MESSAGES, probe_overhead_by_size, SUBJECT, 0.61, NOTHING},
    {MESSAGES, probe_protocol, SUBJECT, 0.66, NOTHING},
    {MESSAGES, probe_breaks, WITHIN_NODE, 0.67, OTHERS_HERE},
    {MESSAGES, probe_cores, WITHIN_NODE, 0.69, NOTHING},
    {MESSAGES, probe_rest, BETWEEN_NODES, 0.71, OTHER_NODES},
    {MESSAGES, probe_packets, BETWEEN_NODES, 0.77, OTHER_NODES},
    {MESSAGES, probe_breaks, BETWEEN_NODES, 0.775, OTHER_NODES},
    {MESSAGES, probe_rested, BETWEEN_NODES, 0.778, OTHER_NODES},
    {MESSAGES, probe_trains, BETWEEN_NODES, 0.78, OTHER_NODES},
    {MESSAGES, probe_used, BETWEEN_NODES, 0.79, OTHER_NODES},
    {MESSAGES, probe_send_buffer, BETWEEN_NODES, 0.81, OTHER_NODES},
    {MESSAGES, probe_ends, BETWEEN_NODES, 0.83, OTHER_NODES},
    /* sizes that have come since */
    {MESSAGES, probe_rested, BETWEEN_NODES, 0.832, OTHER_NODES},
    {MESSAGES, probe_sharing, BETWEEN_NODES, 0.86, OTHER_NODES},
    {MESSAGES, probe_cpu_cost, BETWEEN_NODES, 1, OTHER_NODES},
    {RMA, probe_rma, SUBJECT, 1, NOTHING},
    {STORAGE, probe_storage, BETWEEN_NODES, 1, NOTHING},
    /* at the end: they use all connections */
    {LAST, probe_collectives, SUBJECT, 1, NOTHING},
    {LAST, probe_variation, BETWEEN_NODES, 1, NOTHING},
};

static void measure(struct cal *cal)
{
	double share[] = {[SPAWN] = cal->settings.spawns ? 0.1 : 0,
			  [STORAGE] = cal->settings.storage ? 0.25 : 0,
			  [RMA] = 0.01,
			  [LAST] = 0.02};
	int found = (cal->near >= 0 ? OTHERS_HERE : 0) | (cal->far >= 0 ? OTHER_NODES : 0);

	share[MESSAGES] = 1 - share[SPAWN] - share[STORAGE] - share[RMA];
	for (size_t k = 0; k < sizeof(stages) / sizeof(stages[0]); k++) {
		const struct stage *stage = &stages[k];

		if (k > 0 && stage->part != stages[k - 1].part)
			cal->from = cal->to;
		cal->to = cal->from + share[stage->part];
		if ((stage->needs & found) != stage->needs)
			continue;
		cal->until = cal->from + stage->until * share[stage->part];
		stage->run(cal, stage->where == SUBJECT ? cal->subject : stage->where);
	}
}

static void complain(const char *text)
{
	fprintf(stderr, "mpisim-calibrate: %s\n", text);
}

/* What the fit is made of, and then the fit, where there is one. */
static int conclude(const struct settings *settings, const struct samples *samples)
{
	int status = 0;
	struct util_error err;

	if (settings->samples && samples_write(samples, settings->samples, &err)) {
		complain(err.text);
		status = 1; /* what was measured is worth the other file all the same */
	}
	return cal_conclude(settings, samples) | status;
}

/* 0 or 2, on all ranks. */
static int begin_replay(struct cal *cal)
{
	char error[SAMPLES_ERROR_B];
	int status = 0;

	cal->is_replay = cal->settings.replay != NULL;
	if (cal->is_replay && cal->rank == 0 &&
	    samples_read(&cal->measured, cal->settings.replay, error)) {
		complain(error);
		status = 2;
	}
	MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return status;
}

static int run(struct cal *cal)
{
	int status = begin_replay(cal);

	if (status)
		return status;
	cal_world_init(cal);
	if (cal->settings.times) {
		status = measure_times(cal);
		cal_world_finish(cal);
		return status;
	}
	note_run(cal);
	judge_place(cal);
	if (cal->rank == 0 && !cal->is_simulated)
		cal->progress = isatty(STDERR_FILENO) ? ON_TERMINAL : BY_LINES;
	cal->begin_s = cal_share(MPI_Wtime());
	probe_universe(cal);
	probe_clock(cal);
	load_init(cal);
	measure(cal);
	cal_progress_end(cal);
	cal_fact(cal, "duration_s", "%.1f", MPI_Wtime() - cal->begin_s);
	if (cal->rank == 0)
		status = conclude(&cal->settings, &cal->samples);
	cal_share_asleep(cal, &status);
	cal_world_finish(cal);
	return status;
}

/* In the simulator GSL stays out of its process: mpisim-calibrate-fit does the rest. */
static int cannot_conclude(const struct settings *s, struct util_error *err)
{
	if (mpisim_is_simulated() && (!s->samples || s->output || s->check))
		return util_error_set(err, UTIL_EINPUT,
				      "%s in the simulator, wanted --samples FILE; then "
				      "mpisim-calibrate-fit FILE -o cluster.yaml",
				      s->output	 ? "found -o FILE"
				      : s->check ? "found --check FILE"
						 : "nowhere to write to");
	if (s->replay && !mpisim_is_simulated())
		return util_error_set(err, UTIL_EINPUT,
				      "--replay: found a real MPI, wanted the simulator");
	if (!s->output && !s->samples && !s->check)
		return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
	return 0;
}

static int check_outputs(const struct settings *s, struct util_error *err)
{
	if (s->times)
		return util_output_check(s->times, err);
	if (cannot_conclude(s, err) || (s->output && util_output_check(s->output, err)) ||
	    (s->samples && util_output_check(s->samples, err)))
		return -1;
	if (s->output && s->samples && util_outfile_is_same(s->output, s->samples))
		return util_error_set(err, UTIL_EINPUT,
				      "cannot write %s: it is the cluster file already",
				      s->samples);
	return s->plot ? util_output_check_folder(s->plot, err) : 0;
}

/* Minutes of measuring are better not begun when the result cannot be kept. */
static int check_files(const struct settings *s, int rank)
{
	struct util_error err = {0};
	const char *why;
	int failed = rank == 0 && check_outputs(s, &err);

	MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!failed) {
		why = storage_check(s->storage, rank);
		failed = why &&
			 util_error_set(&err, UTIL_EINPUT, "cannot write %s: %s", s->storage, why);
		MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	if (failed && rank == 0)
		complain(err.text);
	return failed;
}

/* "--fit" is no measurement: another program does it in place of this one. */
static void hand_over(int argc, char **argv)
{
	struct util_error err;
	char program[PATH_MAX];

	for (int k = 1; k < argc; k++) {
		if (strcmp(argv[k], "--fit"))
			continue;
		if (child_find("mpisim-calibrate-fit", program, &err) == 0)
			execv(program, argv);
		fprintf(stderr, "mpisim-calibrate: --fit needs mpisim-calibrate-fit beside it\n");
		_exit(2);
	}
}

int main(int argc, char **argv)
{
	struct cal cal = {0};
	int rank, n_ranks, status = 0;

	if (!mpisim_is_simulated()) {
		hand_over(argc, argv);
		storage_start_watcher(argc, argv);
		launcher_watch();
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (spawn_is_child(argc, argv)) {
		spawn_child();
		MPI_Finalize();
		return 0;
	}
	cal.program = argv[0];
	cal.rank = rank;
	switch (cal_options(argc, argv, rank, &cal.settings)) {
	case GO_ON:
		if (n_ranks < 2)
			complain(
			    "found 1 rank, wanted 2 or more: mpirun -n 2 mpisim-calibrate ...");
		status = n_ranks < 2 || check_files(&cal.settings, rank) ? 2 : run(&cal);
		break;
	case HELP_SHOWN:
		break;
	case WRONG:
		status = 2;
	}
	if (status == 0 && !mpisim_is_simulated())
		launcher_end(rank);
	MPI_Finalize();
	return status;
}
