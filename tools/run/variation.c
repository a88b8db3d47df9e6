// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/variation.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/record/record.h"
#include "tools/run/reasons.h"
#include "tools/run/record.h"
#include "tools/run/repeat.h"
#include "tools/run/run.h"

enum { MOST_RUNS = 9, LEAST_RUNS = 3, REPLAYED_MESSAGES = 200000 };

/* How many runs, by the point-to-point and collective messages of the first: odd, so that the
 * median is one of them; 9 where these take about two seconds, at least 3. */
static int count_runs(uint64_t n_messages)
{
	uint64_t more = REPLAYED_MESSAGES / (n_messages + 1);

	more = more < LEAST_RUNS - 1 ? LEAST_RUNS - 1 : more > MOST_RUNS - 1 ? MOST_RUNS - 1 : more;
	return 1 + (int)(more - more % 2);
}

void run_variation_resolve(struct run *run)
{
	struct run_options *o = &run->options;
	const struct cluster *cluster = run->cluster;
	bool has_own = cluster->variation.computation > 0 || cluster->variation.messages > 0;
	/* one run without the file's variation */
	bool is_one = o->deterministic || o->verify || o->graph || o->debug_fd;

	run->gave_vary_compute = o->vary_compute >= 0;
	run->gave_vary_transfer = o->vary_transfer >= 0;
	if (o->vary_compute < 0)
		o->vary_compute = is_one ? 0 : cluster->variation.computation;
	if (o->vary_transfer < 0)
		o->vary_transfer = is_one ? 0 : cluster->variation.messages;
	run->is_varied = has_own && !is_one && (o->vary_compute > 0 || o->vary_transfer > 0) &&
			 o->n_repeats == 0 && !o->vary_cluster && !o->vary_kernels &&
			 o->mode != PD_COMPUTE_COLLECT;
}

int run_replay_create(struct run *run, struct mtrace_file *file, int64_t seed, bool only_time,
		      struct replay **out, struct util_error *err)
{
	const struct run_options *o = &run->options;
	struct sim_observers observers = {.n = 0};
	struct replay_config config = {
	    .cluster = run->cluster,
	    .node_of = run->node_of,
	    .cpus_per_rank = o->cpus_per_rank,
	    .observers = &observers,
	    .mode = o->mode,
	    .bench_in = o->is_replay ? o->bench_in : NULL, /* what a run took from it is recorded */
	    .scales = o->scales,
	    .n_scales = o->n_scales,
	    .vary_compute = o->vary_compute,
	    .vary_transfer = o->vary_transfer,
	    .vary_kernels = o->vary_kernels,
	    .seed = (uint64_t)seed,
	    .change = run->change,
	};
	int failed =
	    trace_summary_create(run->n_ranks, run->node_of, run->cluster, &run->summary, err);

	if (!failed && only_time)
		run_observe(&observers, trace_summary_observer(run->summary));
	else if (!failed)
		failed = run_observers_create(run, &observers, err);
	if (!failed)
		failed = replay_create(file, &config, out, err);
	if (!failed) {
		run->world = (*out)->world;
		run->mpi = (*out)->mpi;
		if (run->analysis)
			trace_analysis_set_model(run->analysis, run->world->model);
	}
	return failed;
}

void run_twin_finish(struct run_twin *twin)
{
	replay_destroy(twin->replay);
	run_observers_destroy(&twin->run);
}

void run_twin_init(struct run_twin *twin, const struct run *first)
{
	*twin = (struct run_twin){
	    .run = {.tool = first->tool,
		    .options = first->options,
		    .console = first->console,
		    .cluster = first->cluster,
		    .node_of = first->node_of,
		    .n_ranks = first->n_ranks,
		    .begin_s = first->begin_s,
		    .told = first->told ? first->told : first},
	};
}

int run_twin_go(struct run_twin *twin, struct util_error *err)
{
	struct run *run = &twin->run;

	pd_world_start(run->world);
	run_loop(run);
	if (run->signal || run->world->failure.kind == PD_FAILURE_NONE)
		return 0;
	return util_error_set(err, UTIL_EPROGRAM, "%s", run->world->failure.text);
}

static int twin_run(struct run_twin *twin, const struct run *first, struct mtrace_file *file,
		    int64_t seed, bool only_time, struct util_error *err)
{
	int failed;

	run_twin_init(twin, first);
	twin->run.trace = file;
	failed = run_replay_create(&twin->run, file, seed, only_time, &twin->replay, err);
	return failed ? failed : run_twin_go(twin, err);
}

/* The trace of the first run. */
int run_recorded_open(struct run *run, struct mtrace_file **out, struct util_error *err)
{
	const char *why = mpi_record_given_up(run->record);
	bool with_sites = run->options.record || run->analysis || run->exporter || run->detail ||
			  run->options.verbose;
	char path[64];

	if (why)
		return util_error_set(err, UTIL_EUNSUPPORTED, "%s", why);
	run->is_record_closed = true;
	run->trace_record = run->record;
	if (mpi_record_close(run->record, with_sites, err)) {
		run->record_error = *err;
		return err->code;
	}
	if (run->options.record)
		return mtrace_file_open(run->options.record, out, err);
	snprintf(path, sizeof path, "/proc/self/fd/%d", run->trace_fd);
	return mtrace_file_open(path, out, err);
}

/* Whether what a program does may depend on what is there first. Clocks are read by nearly all, to
 * print how long they took. */
static bool depends_on_time(const struct mtrace_file *file)
{
	for (uint32_t i = 0; i < file->n_doubts; i++)
		if (file->doubts[i].kind != MTRACE_DOUBT_CLOCK &&
		    file->doubts[i].kind != MTRACE_DOUBT_PLACE)
			return true;
	return false;
}

static int replay_all(struct run *run, struct mtrace_file *file, struct util_error *err)
{
	struct run_options *o = &run->options;
	int failed = 0;

	run->repeat_times_s = calloc((size_t)o->n_repeats, sizeof *run->repeat_times_s);
	if (!run->repeat_times_s)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d runs", o->n_repeats);
	run->repeat_times_s[0] = sim_time_to_s(run->world->engine.now);
	for (int i = 1; i < o->n_repeats && !failed && !run->signal; i++) {
		struct run_twin twin;

		failed = twin_run(&twin, run, file, o->seed + i, true, err);
		if (failed)
			util_error_prepend(err, "the replay with seed %lld failed",
					   (long long)o->seed + i);
		else
			run->repeat_times_s[i] = sim_time_to_s(twin.run.world->engine.now);
		run->signal = failed ? 0 : twin.run.signal;
		run_twin_finish(&twin);
	}
	if (failed || run->signal)
		return failed;
	run->interval.first_seed = (uint64_t)o->seed;
	if (run_interval_compute(run->repeat_times_s, o->n_repeats, o->coverage, &run->interval))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d runs", o->n_repeats);
	return 0;
}

/* The seed whose time is the median, less the first one. */
static int find_median(const struct run *run)
{
	for (int i = 0; i < run->interval.n_runs; i++)
		if (run->interval.times_s[i] == run->interval.median_s)
			return i;
	return 0;
}

/* Reports the run with the median's seed by what it does in a replay, which is the same. */
static int report_median(struct run *run, struct mtrace_file *file, int k, struct util_error *err)
{
	struct run_twin twin;
	int status = -1;
	int failed = twin_run(&twin, run, file, run->options.seed + k, false, err);

	run->signal = twin.run.signal;
	if (!failed && !run->signal &&
	    sim_time_to_s(twin.run.world->engine.now) != run->interval.times_s[k])
		failed = util_error_set(err, UTIL_EPROGRAM,
					"the replay of the run with seed %lld takes another time",
					(long long)run->options.seed + k);
	if (!failed && !run->signal) {
		run->interval.reported_seed = run->interval.first_seed + (uint64_t)k;
		twin.run.interval = run->interval;
		twin.run.trace_record = file == run->trace ? run->trace_record : NULL;
		status = run_finish(&twin.run);
	}
	run_twin_finish(&twin);
	return status;
}

/* The same where programs were run again: the median's once more, recorded. */
static int report_recorded(struct run *run, int k, struct util_error *err)
{
	struct mtrace_file *file = NULL;
	char path[64];
	int status = -1, fd = run_repeat_record(run, k, err);

	if (fd < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (!mtrace_file_open(path, &file, err))
		status = report_median(run, file, k, err);
	mtrace_file_close(file);
	close(fd);
	return status;
}

/* Makes the other runs. Returns the exit status of the one that is reported; -1: it is the first.
 */
static int vary(struct run *run, struct mtrace_file *file, struct util_error *err)
{
	struct run_options *o = &run->options;
	bool runs_again;
	int k, failed;

	o->n_repeats = count_runs(run->mpi->n_messages + run->mpi->n_collective_messages);
	runs_again = !o->is_replay && o->mode == PD_COMPUTE_MODELLED && depends_on_time(file);
	failed = runs_again ? run_repeat(run, err) : replay_all(run, file, err);
	if (failed || run->signal)
		return -1;
	run->interval.reported_seed = run->interval.first_seed;
	k = find_median(run);
	if (k == 0)
		return -1;
	return runs_again ? report_recorded(run, k, err) : report_median(run, file, k, err);
}

int run_variation_finish(struct run *run, struct mtrace_file *file)
{
	struct util_error err = {0};
	struct mtrace_file *recorded = NULL;
	int status = -1;

	if (!run_ended_well(run))
		return run_finish(run);
	if (run->schedule)
		util_error_set(&err, UTIL_EUNSUPPORTED, "schedules cannot be recorded");
	else if (file || !run_recorded_open(run, &recorded, &err)) {
		run->trace = file ? file : recorded;
		status = vary(run, run->trace, &err);
	}
	if (err.code) {
		run->interval.n_runs = 0;
		run_strings_add(&run->notes,
				"the prediction is one run with variation, not the median of "
				"several: %s",
				err.text);
	}
	if (status < 0)
		status = run_finish(run);
	mtrace_file_close(recorded);
	return status;
}

int run_recorded_finish(struct run *run)
{
	struct util_error err;
	struct mtrace_file *recorded = NULL;
	int status;

	if (run->record && run_ended_well(run) && run_reasons_are_wanted(run) &&
	    !run_recorded_open(run, &recorded, &err))
		run->trace = recorded;
	status = run_finish(run);
	mtrace_file_close(recorded);
	return status;
}
