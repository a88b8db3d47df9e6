// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/coll/algorithms.h"
#include "pdexec/process.h"
#include "tools/orders/explore.h"
#include "util/units.h"

struct advice { /* shared by the processes that look */
	struct mpi_coll_barriers barriers;
	sim_time_ps end; /* of the run that was predicted; -1: it did not end well */
};

/* What both views have without one barrier; NULL: not all of it was seen. */
static json_t *look(struct run *run, struct advice *advice, int left_out, struct util_error *err)
{
	static const enum orders_view views[] = {ORDERS_STRICT, ORDERS_LOOSE};
	json_t *all = json_array(), *prints = json_array();

	advice->barriers.left_out = left_out;
	for (int i = 0; i < 2; i++) {
		struct orders_view_run view = {.run = run,
					       .options = &run->options.orders,
					       .view = views[i],
					       .barriers = &advice->barriers,
					       .is_counting = true};
		const json_t *found;

		if (orders_explore_view(&view, all, err))
			break;
		found = json_array_get(all, (size_t)i);
		if (json_is_null(json_object_get(found, "incomplete")))
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
	pd_descriptors_keep();
	pd_world_start(run->world);
	run_loop(run);
	if (run_ended_well(run))
		advice->end = run->world->engine.now;
	_exit(0);
}

/* The predicted time of the run without one barrier; negative: it does not end well. */
static double predict_s(struct run *run, struct advice *advice, int left_out)
{
	int status;
	pid_t pid;

	advice->barriers.left_out = left_out;
	advice->end = -1;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_once(run, advice);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return advice->end < 0 ? -1 : sim_time_to_s(advice->end);
}

static json_t *tell(const struct advice *advice, int i, double with_s, double without_s)
{
	const struct mpi_coll_barriers *barriers = &advice->barriers;
	char found[256], with[32], without[32];
	json_t *calls = json_pack("[{s:i, s:s, s:I}]", "rank", barriers->ranks[i], "function",
				  "MPI_Barrier", "place", (json_int_t)barriers->places[i]);

	util_format_time(with, sizeof with, with_s);
	util_format_time(without, sizeof without, without_s);
	snprintf(
	    found, sizeof found,
	    "this barrier can go: no order of messages changes in either view; the predicted time "
	    "is %s without it, %s with it (%+.1f %%)",
	    without, with, with_s > 0 ? 100 * (without_s - with_s) / with_s : 0);
	return json_pack(
	    "{s:s, s:s, s:o, s:s, s:s, s:i}", "class", "removable-barrier", "severity", "note",
	    "calls", calls, "found", found, "why",
	    "it costs time and orders nothing that messages do not order; files, and memory "
	    "that ranks share, were not looked at",
	    "count", 1);
}

static void advise_all(struct run *run, struct advice *advice, json_t *findings,
		       struct util_error *err)
{
	json_t *with = look(run, advice, 0, err);
	int n = advice->barriers.n;
	double with_s = with && n > 0 ? predict_s(run, advice, 0) : -1;

	for (int i = 0; i < n && with_s >= 0; i++) {
		json_t *without;
		double without_s = -1;

		if (advice->barriers.groups[i] != i)
			continue;
		without = look(run, advice, 1 + i, err);
		if (without && json_equal(with, without))
			without_s = predict_s(run, advice, 1 + i);
		if (without_s >= 0)
			json_array_append_new(findings, tell(advice, i, with_s, without_s));
		json_decref(without);
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
