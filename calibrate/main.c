/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <mpisim.h>

#include "calibrate.h"
#include "storage.h"
#include "util/outpath.h"

/* Of the budget. */
static const double SPAWN_SHARE = 0.1, STORAGE_SHARE = 0.25, RMA_SHARE = 0.01;
/* Beyond it, so that the others are what they were. */
static const double LAST_SHARE = 0.02;

static void warn(struct cal *cal, const char *text)
{
	if (cal->rank == 0)
		samples_fact(&cal->samples, "warning", "%s", text);
}

static void note_run(struct cal *cal)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING], date[64];
	time_t now = time(NULL);
	int length;

	MPI_Get_library_version(version, &length);
	version[strcspn(version, "\n")] = '\0';
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
	samples_fact(&cal->samples, "date", "%s", date);
	samples_fact(&cal->samples, "library", "%.200s", version);
	samples_fact(&cal->samples, "simulated", "%d", cal->is_simulated);
	samples_fact(&cal->samples, "budget_s", "%g", cal->settings.budget_s);
	samples_fact(&cal->samples, "window_s", "%g", cal->settings.window_s);
}

/* One rank more than CPUs is what the CPU cost needs: that one waits. */
static void judge_place(struct cal *cal)
{
	long n_cpus = cal->settings.cores;

	if (n_cpus == 0 && !cal->is_simulated)
		n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (cal->rank == 0 && n_cpus > 0)
		samples_fact(&cal->samples, "cpus", "%ld", n_cpus);
	if (n_cpus > 0 && cal->n_here > n_cpus + 1)
		warn(cal,
		     "overcommitted: more ranks than CPUs on the first node; ranks disturb each "
		     "other, do not trust these values");
	if (cal->far < 0)
		warn(cal, "one node only: network values are those within the node; CPU cost and "
			  "sharing were not measured");
	else if (cal->near < 0)
		warn(cal, "one rank on the first node: values within a node were not measured");
}

/* Where the network, or in its absence the node, is the subject. */
static void measure_messages(struct cal *cal)
{
	int where = cal->far >= 0 ? BETWEEN_NODES : WITHIN_NODE;

	probe_sizes(cal, where, 0.35);
	probe_overhead(cal, where, 0.40);
	if (cal->far >= 0 && cal->near >= 0) {
		probe_sizes(cal, WITHIN_NODE, 0.50);
		probe_overhead(cal, WITHIN_NODE, 0.52);
		probe_eager(cal, WITHIN_NODE, 0.54);
	}
	probe_eager(cal, where, 0.6);
	probe_overhead_by_size(cal, where, 0.61);
	probe_protocol(cal, where, 0.66);
	if (cal->near >= 0)
		probe_breaks(cal, WITHIN_NODE, 0.67);
	probe_cores(cal, 0.69);
	if (cal->far >= 0) {
		probe_rest(cal, 0.71);
		probe_packets(cal, 0.77);
		probe_breaks(cal, BETWEEN_NODES, 0.775);
		probe_rested(cal, 0.778);
		probe_trains(cal, 0.78);
		probe_used(cal, 0.79);
		probe_send_buffer(cal, 0.81);
		probe_ends(cal, 0.83);
		probe_rested(cal, 0.832); /* sizes that have come since */
		probe_sharing(cal, 0.86);
		probe_cpu_cost(cal, 1);
	}
}

/* Some libraries end the whole job where they cannot spawn: better at once than at the end. */
static void measure(struct cal *cal)
{
	double spawn = cal->settings.spawns ? SPAWN_SHARE : 0,
	       storage = cal->settings.storage ? STORAGE_SHARE : 0;

	cal_part(cal, spawn);
	probe_universe(cal);
	probe_clock(cal);
	load_init(cal);
	probe_spawn(cal);
	cal_part(cal, 1 - spawn - storage - RMA_SHARE);
	measure_messages(cal);
	cal_part(cal, RMA_SHARE);
	probe_rma(cal, cal->far >= 0 ? BETWEEN_NODES : WITHIN_NODE);
	cal_part(cal, storage);
	probe_storage(cal);
	cal_part(cal, LAST_SHARE);
	probe_collectives(cal);
	probe_variation(cal);
}

static int run(struct cal *cal)
{
	int status = 0;

	cal_world_init(cal);
	if (cal->settings.times) {
		status = measure_times(cal);
		cal_world_finish(cal);
		return status;
	}
	if (cal->rank == 0)
		note_run(cal);
	judge_place(cal);
	if (cal->rank == 0 && !cal->is_simulated)
		cal->progress = isatty(STDERR_FILENO) ? ON_TERMINAL : BY_LINES;
	cal->begin_s = cal_share(MPI_Wtime());
	measure(cal);
	if (cal->rank == 0) {
		cal_progress_end(cal);
		samples_fact(&cal->samples, "duration_s", "%.1f", MPI_Wtime() - cal->begin_s);
		status = cal_conclude(&cal->settings, &cal->samples);
	}
	cal_share_asleep(cal, &status);
	cal_world_finish(cal);
	return status;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	if (!strcmp(a, b))
		return true;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static int check_outputs(const struct settings *s, struct util_error *err)
{
	if (s->times)
		return util_output_check(s->times, err);
	if (cal_cannot_conclude(s, err) || (s->output && util_output_check(s->output, err)) ||
	    (s->samples && util_output_check(s->samples, err)))
		return -1;
	if (s->output && s->samples && is_same_file(s->output, s->samples))
		return util_error_set(err, UTIL_EINPUT,
				      "cannot write %s: it is the cluster file already",
				      s->samples);
	return s->plot ? util_output_check_folder(s->plot, err) : 0;
}

static int complain(const char *text)
{
	fprintf(stderr, "mpisim-calibrate: %s\n", text);
	return 1;
}

static int check_storage(const struct settings *s, int rank)
{
	const char *why = storage_check(s->storage, rank);
	struct util_error err;
	int failed = why != NULL;

	if (failed && rank == 0) {
		util_error_set(&err, UTIL_EINPUT, "cannot write %s: %s", s->storage, why);
		complain(err.text);
	}
	MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return failed;
}

/* Minutes of measuring are better not begun when the result cannot be kept. */
static int check_files(const struct settings *s, int rank)
{
	struct util_error err;
	int failed = 0;

	if (rank == 0 && check_outputs(s, &err))
		failed = complain(err.text);
	MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return failed ? failed : check_storage(s, rank);
}

int main(int argc, char **argv)
{
	struct cal cal = {0};
	int rank, n_ranks, status = 0;

	cal_hand_over(argc, argv);
	if (!mpisim_is_simulated()) {
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
	switch (cal_options(argc, argv, rank, &cal.settings)) {
	case GO_ON:
		if (n_ranks > 1) {
			status = check_files(&cal.settings, rank) ? 2 : run(&cal);
			break;
		}
		complain("found 1 rank, wanted 2 or more: mpirun -n 2 mpisim-calibrate ...");
		status = 2;
		break;
	case HELP_SHOWN:
		break;
	case WRONG:
		status = 2;
		break;
	}
	if (status == 0 && !mpisim_is_simulated())
		launcher_end(rank);
	MPI_Finalize();
	return status;
}
