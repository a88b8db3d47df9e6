// SPDX-License-Identifier: BSD-3-Clause
#include "tools/orders/explore.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mpi/coll/algorithms.h"
#include "mpi/orders/series.h"
#include "mpi/p2p/match.h"
#include "pdexec/process.h"
#include "tools/orders/decisions.h"
#include "tools/run/input.h"

/* How long processes have, when all is to end, to come to a choice and say what they leave. */
#define GRACE_S 2.0
#define PROGRESS_S 0.5
/* Naps grow while nothing happens. */
enum { NAP_NS = 50000, NAP_DOUBLINGS = 5, EXIT_INPUT_GONE = 3 };

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal)
{
	is_interrupted = signal;
}

/* --- processes --- */

static bool has_logged(struct run *run)
{
	return orders_go_on(run->execution);
}

pid_t orders_launch(struct orders_view_run *view, struct orders_list prefix, bool is_exploring,
		    FILE *log)
{
	uint64_t index = view->n_started++;
	struct orders_execution *x;
	pid_t pid;

	fflush(view->run->console);
	pid = orders_fork(view->run->world);
	if (pid != 0)
		return pid;
	setpgid(0, 0);
	signal(SIGINT, SIG_IGN);
	x = calloc(1, sizeof *x);
	if (!x)
		_exit(1);
	*x = (struct orders_execution){
	    .run = view->run,
	    .orders = view->orders,
	    .options = view->options,
	    .shared = is_exploring ? view->shared : NULL,
	    .prefix = orders_at(view->shared, prefix.first),
	    .n_prefix = prefix.n,
	    .n_asynchronous = is_exploring,
	    .log = log,
	};
	orders_capture_renew(&view->capture);
	x->capture = view->capture;
	view->run->world->engine.context = &x->capture;
	util_rng_init(&x->rng, view->options->seed, index);
	view->run->execution = x;
	view->run->at_rest = has_logged;
	orders_execute(x);
}

struct worker {
	pid_t pid;
	struct orders_list prefix;
};

struct pool {
	struct orders_view_run *view;
	struct worker *workers; /* [options->jobs] pid 0: none */
	int n;
	double stop_s, shown_s;
};

static void note_crash(struct orders_view_run *view, const struct worker *worker, int status)
{
	const uint64_t key[2] = {0, (uint64_t)status};
	struct orders_outcome *outcome;

	atomic_fetch_add(&view->shared->n_executions, 1);
	if (!orders_outcome_note(view->shared, ORDERS_CRASHED, key, &outcome))
		return;
	outcome->decisions = worker->prefix;
	outcome->rank = -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == ORDERS_EXIT_MISFIT)
		snprintf(
		    outcome->text, sizeof outcome->text,
		    "the program did not do the same again: something besides messages decides "
		    "what it does (memory that was not set, files, the host)");
	else
		snprintf(outcome->text, sizeof outcome->text, "its process ended with %s %d",
			 WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static bool reap(struct pool *pool)
{
	struct orders_shared *shared = pool->view->shared;
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	if (pid <= 0)
		return false;
	for (int i = 0; i < pool->view->options->jobs; i++) {
		struct worker *worker = &pool->workers[i];

		if (worker->pid != pid)
			continue;
		worker->pid = 0;
		pool->n--;
		if (WIFEXITED(status) && WEXITSTATUS(status) == ORDERS_EXIT_COUNTED)
			break;
		atomic_fetch_sub(&shared->n_running, 1);
		if (!WIFSIGNALED(status) || !atomic_load(&shared->stop))
			note_crash(pool->view, worker, status);
		else
			orders_work_put(shared, worker->prefix); /* was ended */
	}
	return true;
}

static bool start_one(struct pool *pool)
{
	struct orders_view_run *view = pool->view;
	bool is_random = view->options->search == ORDERS_RANDOM;
	struct worker *worker = pool->workers;

	if (pool->n == 0) /* one that was ended may have left copies, which end with it */
		atomic_store(&view->shared->n_running, 0);
	if (atomic_load(&view->shared->stop) || pool->n >= view->options->jobs ||
	    atomic_load(&view->shared->n_running) >= view->options->jobs)
		return false;
	if (is_random && view->n_started >= view->options->max_executions)
		return false;
	while (worker->pid)
		worker++;
	if (is_random)
		worker->prefix = (struct orders_list){.n = 0};
	else if (!orders_work_take(view->shared, view->options->search == ORDERS_BREADTH_FIRST,
				   &worker->prefix))
		return false;
	atomic_fetch_add(&view->shared->n_running, 1);
	worker->pid = orders_launch(view, worker->prefix, true, NULL);
	pool->n += worker->pid > 0;
	if (worker->pid > 0)
		return true;
	worker->pid = 0;
	atomic_fetch_sub(&view->shared->n_running, 1);
	atomic_store(&view->shared->stop, 1);
	view->why_incomplete = "no more processes can be started";
	return false;
}

/* --- limits --- */

static void show(struct pool *pool, double now_s)
{
	const struct orders_view_run *view = pool->view;
	const struct orders_shared *shared = view->shared;

	if (!isatty(fileno(view->run->console)) || now_s - pool->shown_s < PROGRESS_S)
		return;
	pool->shown_s = now_s;
	fprintf(view->run->console,
		"\r\033[Korders, %s view: %llu executions, %u states, %llu merged, %d outcomes",
		orders_view_name(view->view),
		(unsigned long long)atomic_load(&shared->n_executions), shared->states.n,
		(unsigned long long)atomic_load(&shared->n_merged), shared->n_outcomes);
	fflush(view->run->console);
}

static void look_at_limits(struct pool *pool)
{
	struct orders_view_run *view = pool->view;
	const struct orders_options *options = view->options;
	double now_s = run_host_time_s();

	show(pool, now_s);
	if (!atomic_load(&view->shared->stop)) {
		if (is_interrupted)
			view->why_incomplete = "it was interrupted";
		else if (options->max_time_s > 0 && now_s - view->begin_s > options->max_time_s)
			view->why_incomplete = "the time was over";
		if (view->why_incomplete)
			atomic_store(&view->shared->stop, 1);
	}
	if (!atomic_load(&view->shared->stop))
		return;
	if (pool->stop_s == 0)
		pool->stop_s = now_s;
	for (int i = 0; i < options->jobs; i++)
		if (pool->workers[i].pid && now_s - pool->stop_s > GRACE_S)
			kill(-pool->workers[i].pid, SIGKILL); /* its own group */
}

static void nap(int *n_doublings)
{
	const struct timespec time = {.tv_nsec = (long)NAP_NS << *n_doublings};

	*n_doublings += *n_doublings < NAP_DOUBLINGS;
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

static void tell_incomplete(struct orders_view_run *view)
{
	const struct orders_shared *shared = view->shared;
	enum orders_search search = view->options->search;

	if (view->why_incomplete)
		return;
	if (search == ORDERS_RANDOM)
		view->why_incomplete = "orders were drawn at random";
	else if (search == ORDERS_ONE)
		view->why_incomplete = "one order was asked for";
	else if (shared->is_full)
		view->why_incomplete = "there was no room for more";
	else if (shared->work_first < shared->work_last)
		view->why_incomplete = view->options->stops_at_first
					   ? "it stopped at the first finding"
					   : "the bound was reached";
}

static int explore(struct orders_view_run *view)
{
	struct pool pool = {.view = view};
	int n_doublings = 0;
	bool is_resumed = false;
	struct util_error err;

	pool.workers = calloc((size_t)view->options->jobs, sizeof *pool.workers);
	if (!pool.workers)
		return 2;
	if (view->options->resume && orders_resume(view, &is_resumed, &err)) {
		fprintf(view->run->console, "%s: --orders: resume: %s\n", view->run->tool,
			err.text);
		return 2;
	}
	if (!is_resumed)
		orders_work_put(view->shared, orders_list_keep(view->shared, NULL, 0, NULL));
	do {
		while (start_one(&pool))
			;
		if (reap(&pool))
			n_doublings = 0;
		else
			nap(&n_doublings);
		look_at_limits(&pool);
	} while (pool.n > 0 ||
		 (!atomic_load(&view->shared->stop) && view->options->search != ORDERS_RANDOM &&
		  view->shared->work_first < view->shared->work_last) ||
		 (!atomic_load(&view->shared->stop) && view->options->search == ORDERS_RANDOM &&
		  view->n_started < view->options->max_executions));
	if (pool.shown_s > 0)
		fprintf(view->run->console, "\r\033[K");
	free(pool.workers);
	tell_incomplete(view);
	if (view->options->save && orders_save(view, &err)) {
		fprintf(view->run->console, "%s: --orders: save: %s\n", view->run->tool, err.text);
		return 2;
	}
	return 0;
}

/* --- a view --- */

static int prepare(struct orders_view_run *view, struct util_error *err)
{
	struct run *run = view->run;
	int failed;

	if (orders_save_check(view, err))
		return err->code;
	orders_prepare_options(run);
	if (view->series)
		run->substitute = mpi_series_substitute;
	failed = run_prepare(run, err);
	if (!failed && view->series && !(run->mpi->series = mpi_series_run_create(view->series)))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for advice");
	if (!failed)
		failed = orders_prepare_world(run, view->options, view->view, &view->orders, err);
	if (!failed)
		failed = orders_capture_create(run->world, &view->capture, err);
	if (!failed && view->barriers)
		((struct mpi_coll_selection *)(uintptr_t)run->mpi->coll_selection)->barriers =
		    view->barriers;
	if (!failed)
		run->mpi->synchronous = view->synchronous;
	view->shared = orders_shared_create();
	if (!failed && !view->shared)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for the states of orders");
	return failed;
}

/* In a process of its own. */
static _Noreturn void run_view(struct orders_view_run *view, int result)
{
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
	struct util_error err;
	json_t *found = NULL;
	int status, input = view->run->input_begin < 0 ? run_input_open(-1) : -1;

	if (input >= 0)
		dup2(input, STDIN_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	view->begin_s = run_host_time_s();
	if (prepare(view, &err)) {
		fprintf(view->run->console, "mpisim-run: %s\n", err.text);
		fflush(view->run->console);
		_exit(2);
	}
	pd_descriptors_keep();
	pd_world_start(view->run->world);
	status = explore(view);
	if (status == 0)
		found = orders_describe(view);
	if (found && json_dumpfd(found, result, JSON_COMPACT))
		status = 2;
	if (status == 0 && input >= 0 && run_input_is_missed(input))
		status = EXIT_INPUT_GONE;
	fflush(view->run->console);
	_exit(status ? status : found ? 0 : 2);
}

/* Ctrl-C may reach this process alone: the view stops, and says what it has seen. */
static int wait_for(pid_t view)
{
	int status = 0, told = 0, n_doublings = 0;

	while (waitpid(view, &status, WNOHANG) == 0) {
		if (run_caught_signal() && !told++)
			kill(view, SIGINT);
		nap(&n_doublings);
	}
	return status;
}

int orders_explore_view(struct orders_view_run *view, json_t *all, struct util_error *err)
{
	int result = memfd_create("mpisim-orders", MFD_CLOEXEC), status = 0;
	bool is_input_gone;
	json_t *found;
	pid_t pid;

	fflush(NULL);
	pid = result < 0 ? -1 : fork();
	if (pid == 0)
		run_view(view, result);
	if (pid > 0)
		status = wait_for(pid);
	is_input_gone = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INPUT_GONE;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
	    lseek(result, 0, SEEK_SET) == 0 && (found = json_loadfd(result, 0, NULL)))
		json_array_append_new(all, found);
	else
		status = -1;
	if (result >= 0)
		close(result);
	if (is_input_gone)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "--verify=orders: the program reads standard input, which every "
		    "order needs from its begin: found a pipe or a terminal, "
		    "wanted a file (< FILE)");
	if (status == 0)
		return 0;
	return util_error_set(err, UTIL_ESYSTEM,
			      "--verify=orders: the %s view could not be explored",
			      orders_view_name(view->view));
}

int orders_explore(struct run *run, json_t **out, struct util_error *err)
{
	static const enum orders_view views[] = {ORDERS_STRICT, ORDERS_LOOSE};
	struct sigaction saved[3];
	json_t *all = json_array();
	int failed = 0;

	run_catch_signals(saved);
	for (int i = 0; i < 2 && !failed && !run_caught_signal(); i++)
		if (run->options.orders.views & views[i])
			failed = orders_explore_view(
			    &(struct orders_view_run){
				.run = run, .options = &run->options.orders, .view = views[i]},
			    all, err);
	if (!failed && run->options.orders.advises && !run_caught_signal())
		failed = orders_advise(run, all, err);
	run->signal = run_caught_signal();
	run_release_signals(saved);
	if (failed)
		json_decref(all);
	else
		*out = all;
	return failed;
}
