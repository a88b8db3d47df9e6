// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/coll/algorithms.h"
#include "mpi/p2p/synchronous.h"
#include "pdexec/process.h"
#include "tools/orders/explore.h"
#include "util/units.h"

struct advice { /* shared by the processes that look */
	struct mpi_coll_barriers barriers;
	struct mpi_synchronous synchronous;
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

/* What both views have; NULL: one is not right. */
static json_t *look(struct run *run, struct advice *advice, struct util_error *err)
{
	static const enum orders_view views[] = {ORDERS_STRICT, ORDERS_LOOSE};
	json_t *all = json_array(), *prints = json_array();

	for (int i = 0; i < 2; i++) {
		struct orders_view_run view = {.run = run,
					       .options = &run->options.orders,
					       .view = views[i],
					       .barriers = &advice->barriers,
					       .synchronous = &advice->synchronous,
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

static _Noreturn void run_once(struct run *run, struct advice *advice)
{
	struct util_error err;
	const char *null_device = "/dev/null";

	orders_prepare_options(run);
	run->is_ordered = false;
	if (!freopen(null_device, "w", stdout) || !freopen(null_device, "w", stderr) ||
	    run_prepare(run, &err))
		_exit(2);
	((struct mpi_coll_selection *)(uintptr_t)run->mpi->coll_selection)->barriers =
	    &advice->barriers;
	run->mpi->synchronous = &advice->synchronous;
	pd_descriptors_keep();
	pd_world_start(run->world);
	run_loop(run);
	if (run_ended_well(run))
		advice->end = run->world->engine.now;
	_exit(0);
}

/* The predicted time of the run; negative: it does not end well. */
static double predict_s(struct run *run, struct advice *advice)
{
	int status;
	pid_t pid;

	advice->end = -1;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_once(run, advice);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return advice->end < 0 ? -1 : sim_time_to_s(advice->end);
}

/* A change of the program: a call that it makes, at one place. */
struct change {
	int *on; /* of struct advice: 1 + place, 0 without it */
	int place;
	const char *class_name, *what, *function, *why;
	int rank;
	uint64_t site;
};

static json_t *tell(const struct change *change, double with_s, double without_s)
{
	char found[256], with[32], without[32];
	json_t *calls = json_pack("[{s:i, s:s, s:I}]", "rank", change->rank, "function",
				  change->function, "place", (json_int_t)change->site);

	util_format_time(with, sizeof with, with_s);
	util_format_time(without, sizeof without, without_s);
	snprintf(
	    found, sizeof found,
	    "%s: no order of messages changes in either view; the predicted time is %s without it, "
	    "%s with it (%+.1f %%)",
	    change->what, without, with, with_s > 0 ? 100 * (without_s - with_s) / with_s : 0);
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:i}", "class", change->class_name, "severity",
			 "note", "calls", calls, "found", found, "why", change->why, "count", 1);
}

/* Whether the program is the same with the change, and what that saves. */
static void try(struct run *run, struct advice *advice, const struct change *change,
		const json_t *with, double with_s, json_t *findings, struct util_error *err)
{
	json_t *without;
	double without_s = -1;

	*change->on = 1 + change->place;
	without = look(run, advice, err);
	if (without && json_equal(with, without))
		without_s = predict_s(run, advice);
	*change->on = 0;
	if (without_s >= 0)
		json_array_append_new(findings, tell(change, with_s, without_s));
	json_decref(without);
}

static struct change without_barrier(struct advice *advice, int i)
{
	return (struct change){
	    .on = &advice->barriers.left_out,
	    .place = i,
	    .class_name = "removable-barrier",
	    .what = "this barrier can go",
	    .function = "MPI_Barrier",
	    .why = "it costs time and orders nothing that messages do not order; files, and memory "
		   "that ranks share, were not looked at",
	    .rank = advice->barriers.ranks[i],
	    .site = advice->barriers.places[i],
	};
}

static struct change standard_send(struct advice *advice, int i)
{
	return (struct change){
	    .on = &advice->synchronous.turned,
	    .place = i,
	    .class_name = "needless-synchronous-send",
	    .what = "this synchronous send can be a standard one",
	    .function = advice->synchronous.functions[i],
	    .why = "its rank waits for a receive that nothing depends on",
	    .rank = advice->synchronous.ranks[i],
	    .site = advice->synchronous.places[i],
	};
}

static void advise_all(struct run *run, struct advice *advice, json_t *findings,
		       struct util_error *err)
{
	json_t *with = look(run, advice, err);
	int n_barriers = advice->barriers.n, n_sends = advice->synchronous.n;
	double with_s = with && n_barriers + n_sends > 0 ? predict_s(run, advice) : -1;

	for (int i = 0; i < n_barriers && with_s >= 0; i++) {
		const struct change change = without_barrier(advice, i);

		if (advice->barriers.groups[i] == i)
			try(run, advice, &change, with, with_s, findings, err);
	}
	for (int i = 0; i < n_sends && with_s >= 0; i++) {
		const struct change change = standard_send(advice, i);

		try(run, advice, &change, with, with_s, findings, err);
	}
	json_decref(with);
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
