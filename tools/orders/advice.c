// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/coll/algorithms.h"
#include "mpi/p2p/synchronous.h"
#include "mpi/watch/watch.h"
#include "pdexec/process.h"
#include "tools/orders/explore.h"
#include "tools/orders/series.h"
#include "util/units.h"

struct advice { /* shared by the processes that look */
	struct mpi_coll_barriers barriers;
	struct mpi_synchronous synchronous;
	struct mpi_all_series series;
	sim_time_ps end; /* of the run that was predicted; -1: it did not end well */
};

/*
 * All of it was seen, and it ends well in every order. Others are to be mended first: whether the
 * run that is predicted ends would depend on the host.
 */
static bool is_right(const json_t *view)
{
	static const char *const bad[] = {"deadlocks", "errors", "crashes"};
	bool is_complete = json_is_null(json_object_get(view, "incomplete"));

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (json_integer_value(json_object_get(view, bad[i])) > 0)
			return false;
	return is_complete;
}

/* What both views have, of series the results; NULL: one is not right. */
static json_t *look(struct run *run, struct advice *advice, bool at_series, struct util_error *err)
{
	static const enum orders_view views[] = {ORDERS_STRICT, ORDERS_LOOSE};
	json_t *all = json_array(), *prints = json_array();

	for (int i = 0; i < 2; i++) {
		struct orders_view_run view = {.run = run,
					       .options = &run->options.orders,
					       .view = views[i],
					       .barriers = &advice->barriers,
					       .synchronous = &advice->synchronous,
					       .series = at_series ? &advice->series : NULL,
					       .is_counting = true};
		const json_t *found;

		if (orders_explore_view(&view, all, err))
			break;
		found = json_array_get(all, (size_t)i);
		if (is_right(found))
			json_array_append(prints, json_object_get(found, "fingerprint"));
	}
	json_decref(all);
	if (json_array_size(prints) == 2)
		return prints;
	json_decref(prints);
	return NULL;
}

/* What a predicted run does besides. */
enum purpose { PREDICT, FIND_SERIES };

static int prepare(struct run *run, struct advice *advice, enum purpose purpose,
		   struct orders_series **series, struct util_error *err)
{
	orders_prepare_options(run);
	run->is_ordered = false;
	run->substitute = purpose == FIND_SERIES ? mpi_watch_substitute : mpi_series_substitute;
	if (run_prepare(run, err))
		return -1;
	((struct mpi_coll_selection *)(uintptr_t)run->mpi->coll_selection)->barriers =
	    &advice->barriers;
	run->mpi->synchronous = &advice->synchronous;
	if (purpose == FIND_SERIES)
		*series = orders_series_watch(run->mpi);
	else
		run->mpi->series = mpi_series_run_create(&advice->series);
	return *series || run->mpi->series ? 0 : -1;
}

static _Noreturn void run_once(struct run *run, struct advice *advice, enum purpose purpose)
{
	struct orders_series *series = NULL;
	struct util_error err;
	const char *null_device = "/dev/null";

	if (!freopen(null_device, "w", stdout) || !freopen(null_device, "w", stderr) ||
	    prepare(run, advice, purpose, &series, &err))
		_exit(2);
	pd_descriptors_keep();
	pd_world_start(run->world);
	run_loop(run);
	if (run_ended_well(run))
		advice->end = run->world->engine.now;
	if (series && run_ended_well(run))
		orders_series_find(series, &advice->series);
	_exit(0);
}

/* The predicted time of the run; negative: it does not end well. */
static double predict_s(struct run *run, struct advice *advice, enum purpose purpose)
{
	int status;
	pid_t pid;

	advice->end = -1;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_once(run, advice, purpose);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return advice->end < 0 ? -1 : sim_time_to_s(advice->end);
}

/* A change of the program: of calls that it makes, at one place or several. */
struct change {
	int *on; /* of struct advice: 1 + number, 0 without it */
	int number;
	bool is_series;
	const char *class_name, *what, *same, *why;
	struct mpi_series_place calls[1 + MPI_SERIES_MAX_OTHERS]; /* [n_calls] */
	int n_calls;
};

static json_t *tell(const struct change *change, double with_s, double without_s)
{
	char found[320], with[32], without[32];
	json_t *calls = json_array();

	for (int i = 0; i < change->n_calls; i++)
		json_array_append_new(calls,
				      json_pack("{s:i, s:s, s:I}", "rank", change->calls[i].rank,
						"function", change->calls[i].function, "place",
						(json_int_t)change->calls[i].place));
	util_format_time(with, sizeof with, with_s);
	util_format_time(without, sizeof without, without_s);
	snprintf(found, sizeof found,
		 "%s: no %s in either view; the predicted time is %s %s, "
		 "%s %s (%+.1f %%)",
		 change->what, change->same, without, change->is_series ? "then" : "without it",
		 with, change->is_series ? "now" : "with it",
		 with_s > 0 ? 100 * (without_s - with_s) / with_s : 0);
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:i}", "class", change->class_name, "severity",
			 "note", "calls", calls, "found", found, "why", change->why, "count", 1);
}

/* Whether the program is the same with the change, and what that saves. */
static void try(struct run *run, struct advice *advice, const struct change *change,
		const json_t *with, double with_s, json_t *findings, struct util_error *err)
{
	json_t *without;
	double without_s = -1;

	*change->on = 1 + change->number;
	without = look(run, advice, change->is_series, err);
	if (without && json_equal(with, without))
		without_s = predict_s(run, advice, PREDICT);
	*change->on = 0;
	if (without_s >= 0)
		json_array_append_new(findings, tell(change, with_s, without_s));
	json_decref(without);
}

static struct change without_barrier(struct advice *advice, int i)
{
	return (struct change){
	    .on = &advice->barriers.left_out,
	    .number = i,
	    .class_name = "removable-barrier",
	    .what = "this barrier can go",
	    .same = "order of messages changes",
	    .why = "it costs time and orders nothing that messages do not order; files, and memory "
		   "that ranks share, were not looked at",
	    .calls = {{.function = "MPI_Barrier",
		       .rank = advice->barriers.ranks[i],
		       .place = advice->barriers.places[i]}},
	    .n_calls = 1,
	};
}

static struct change standard_send(struct advice *advice, int i)
{
	return (struct change){
	    .on = &advice->synchronous.turned,
	    .number = i,
	    .class_name = "needless-synchronous-send",
	    .what = "this synchronous send can be a standard one",
	    .same = "order of messages changes",
	    .why = "its rank waits for a receive that nothing depends on",
	    .calls = {{.function = advice->synchronous.functions[i],
		       .rank = advice->synchronous.ranks[i],
		       .place = advice->synchronous.places[i]}},
	    .n_calls = 1,
	};
}

static const struct {
	const char *class_name, *collective, *what;
} series_words[MPI_SERIES_N_KINDS] = {
    [MPI_SERIES_BCAST] = {"sends-are-bcast", "MPI_Bcast", "sends of the same data to"},
    [MPI_SERIES_SCATTER] = {"sends-are-scatter", "MPI_Scatter", "sends of blocks to"},
    [MPI_SERIES_GATHER] = {"receives-are-gather", "MPI_Gather", "receives of blocks from"},
};

/* `text`, of `size` bytes, is borrowed. */
static struct change one_collective(struct advice *advice, int i, char *text, size_t size)
{
	const struct mpi_series *series = &advice->series.list[i];
	struct change change = {
	    .on = &advice->series.turned,
	    .number = i,
	    .is_series = true,
	    .class_name = series_words[series->kind].class_name,
	    .what = text,
	    .same = "result changes",
	    .why =
		"a collective can share the work among the ranks, and the line says what happens",
	    .n_calls = 1 + series->n_others,
	};

	change.calls[0] = series->hub;
	memcpy(&change.calls[1], series->others, sizeof series->others);
	snprintf(text, size, "these %d %s all other ranks, %llu time%s, can be one %s",
		 series->n_messages, series_words[series->kind].what, (unsigned long long)series->n,
		 series->n == 1 ? "" : "s", series_words[series->kind].collective);
	return change;
}

static void advise_calls(struct run *run, struct advice *advice, double with_s, json_t *findings,
			 struct util_error *err)
{
	json_t *with = look(run, advice, false, err);
	int n_barriers = advice->barriers.n, n_sends = advice->synchronous.n;

	for (int i = 0; i < n_barriers && with; i++) {
		const struct change change = without_barrier(advice, i);

		if (advice->barriers.groups[i] == i)
			try(run, advice, &change, with, with_s, findings, err);
	}
	for (int i = 0; i < n_sends && with; i++) {
		const struct change change = standard_send(advice, i);

		try(run, advice, &change, with, with_s, findings, err);
	}
	json_decref(with);
}

/* Where kernels are skipped nobody knows whether data are the same. */
static void advise_series(struct run *run, struct advice *advice, double with_s, json_t *findings,
			  struct util_error *err)
{
	json_t *with = NULL;
	char text[128];

	if (advice->series.n > 0 && run->options.mode != PD_COMPUTE_PARTIAL)
		with = look(run, advice, true, err);
	for (int i = 0; i < advice->series.n && with; i++) {
		const struct change change = one_collective(advice, i, text, sizeof text);

		try(run, advice, &change, with, with_s, findings, err);
	}
	json_decref(with);
}

static void advise_all(struct run *run, struct advice *advice, json_t *findings,
		       struct util_error *err)
{
	double with_s = predict_s(run, advice, FIND_SERIES);

	if (with_s < 0)
		return;
	advise_calls(run, advice, with_s, findings, err);
	advise_series(run, advice, with_s, findings, err);
}

int orders_advise(struct run *run, json_t *views, struct util_error *err)
{
	json_t *findings =
	    json_object_get(json_array_get(views, json_array_size(views) - 1), "findings");
	struct advice *advice =
	    mmap(NULL, sizeof *advice, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (advice == MAP_FAILED)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for advice");
	advise_all(run, advice, findings, err);
	munmap(advice, sizeof *advice);
	return 0;
}
