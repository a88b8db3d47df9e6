// SPDX-License-Identifier: BSD-3-Clause
#include "tools/orders/execution.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pdexec/image.h"
#include "tools/run/failure.h"

/* Deeper copies of copies go on from MPI_Init instead. */
enum { MAX_DEPTH = 200 };

/* Standard input where it stands, with a position of its own. */
static void own_input(void)
{
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	int fd = at >= 0 ? open("/proc/self/fd/0", O_RDONLY) : -1;

	if (fd >= 0 && lseek(fd, at, SEEK_SET) == at)
		dup2(fd, STDIN_FILENO);
	if (fd >= 0)
		close(fd);
}

pid_t orders_fork(struct pd_world *world)
{
	pid_t pid = (pid_t)syscall(SYS_fork);

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	world->process_id = getpid();
	own_input();
	return 0;
}

/* --- decisions --- */

static void note_made(struct orders_execution *x, const struct mpi_decision *decision)
{
	struct mpi_decision *larger;

	if (x->n_made == x->n_reserved) {
		x->n_reserved = x->n_reserved ? 2 * x->n_reserved : 64;
		larger = realloc(x->made, x->n_reserved * sizeof *larger);
		if (!larger)
			abort();
		x->made = larger;
	}
	x->made[x->n_made++] = *decision;
}

static bool decide(struct orders_execution *x, const struct mpi_decision *decision)
{
	const struct mpi_decision copy = *decision;

	if (!mpi_orders_apply(x->orders, &copy))
		return false;
	note_made(x, &copy);
	if (x->log)
		orders_print_decision(x, &copy, x->log);
	return true;
}

/* Whoever reads the line describes the place: it keeps what it has described. */
static const char *site(const void *address, char *text, size_t size)
{
	if (!address)
		return "an unknown place";
	snprintf(text, size, "%c%" PRIxPTR "%c", ORDERS_PLACE_MARK, (uintptr_t)address,
		 ORDERS_PLACE_MARK);
	return text;
}

/* For another process, whose copy of the program lies elsewhere. */
static unsigned long long place(const struct orders_execution *x, int rank, const void *address)
{
	uint64_t out = 0;

	if (address && rank >= 0)
		pd_image_locate(x->run->world->ranks[rank].program->image, address, &out);
	return out;
}

static void print_text(struct orders_execution *x, const struct mpi_decision *d, FILE *file)
{
	const struct mpi_orders *orders = x->orders;
	char taken[256], sent[256];

	fprintf(file, "rank %d: %s at %s ", d->rank,
		orders->taken_at.function ? orders->taken_at.function : "a call",
		site(orders->taken_at.site, taken, sizeof taken));
	if (d->kind == MPI_CHOICE_RECV || d->kind == MPI_CHOICE_PROBE)
		fprintf(file, "%s message %d of rank %d (tag %d, %lld B), sent at %s\n",
			d->kind == MPI_CHOICE_RECV ? "takes" : "finds", d->value, d->source,
			orders->tag, (long long)orders->size_B,
			site(orders->sent_at.site, sent, sizeof sent));
	else if (d->kind == MPI_CHOICE_LOCK)
		fprintf(file, "is the %uth to get the lock of %s %d\n", d->ordinal + 1,
			d->value < 0 ? "all," : "rank", d->value);
	else if (d->value == MPI_CHOOSE_NONE)
		fprintf(file, "finds nothing\n");
	else
		fprintf(file, "%s%s%s\n", orders->answer, orders->sent_at.site ? ", sent at " : "",
			orders->sent_at.site ? site(orders->sent_at.site, sent, sizeof sent) : "");
}

void orders_print_decision(struct orders_execution *x, const struct mpi_decision *d, FILE *file)
{
	const struct mpi_orders *orders = x->orders;

	int source = d->source >= 0 ? d->source : orders->sent_by;

	fprintf(file, "%d %s %llu %d %llu ", d->rank,
		orders->taken_at.function ? orders->taken_at.function : "?",
		place(x, d->rank, orders->taken_at.site), source,
		place(x, source, orders->sent_at.site));
	print_text(x, d, file);
}

/* --- branching --- */

static void leave_work(struct orders_execution *x, const struct mpi_decision *next)
{
	if (next)
		atomic_fetch_add(&x->shared->n_choices, 1);
	orders_work_put(x->shared, orders_list_keep(x->shared, x->made, x->n_made, next));
}

/* Another process may run beside this one. */
static bool take_turn(struct orders_shared *shared, int jobs)
{
	int n = atomic_load(&shared->n_running);

	while (n < jobs)
		if (atomic_compare_exchange_weak(&shared->n_running, &n, n + 1))
			return true;
	return false;
}

static void await(struct orders_execution *x, pid_t pid, bool had_turn)
{
	int status = 0;
	uint64_t key[2] = {(uint64_t)x->n_made, 0};
	struct orders_outcome *outcome;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == ORDERS_EXIT_COUNTED)
		return;
	if (had_turn)
		atomic_fetch_sub(&x->shared->n_running, 1);
	if (atomic_load(&x->shared->stop))
		return;
	key[1] = (uint64_t)(WIFSIGNALED(status) ? WTERMSIG(status) : 1000 + WEXITSTATUS(status));
	key[0] = 0;
	atomic_fetch_add(&x->shared->n_executions, 1);
	if (orders_outcome_note(x->shared, ORDERS_CRASHED, key, &outcome)) {
		outcome->decisions = orders_list_keep(x->shared, x->made, x->n_made, NULL);
		outcome->rank = -1;
		snprintf(outcome->text, sizeof outcome->text, "its process ended with %s %d",
			 WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
}

/* A copy goes on with `next`: true in the copy. */
static bool branch(struct orders_execution *x, const struct mpi_decision *next)
{
	bool has_turn = take_turn(x->shared, x->options->jobs);
	pid_t pid;

	fflush(x->run->console);
	pid = orders_fork(x->run->world);
	if (pid == 0) {
		x->n_forks++;
		x->n_children = 0;
		x->n_asynchronous = has_turn;
		orders_capture_renew(&x->capture);
		return true;
	}
	if (pid < 0) { /* no more processes: later, from the beginning */
		if (has_turn)
			atomic_fetch_sub(&x->shared->n_running, 1);
		leave_work(x, next);
	} else if (has_turn) {
		x->n_children++;
	} else {
		await(x, pid, false);
	}
	return false;
}

static bool go_on_with(struct orders_execution *x, const struct mpi_decision *next)
{
	atomic_fetch_add(&x->shared->n_choices, 1);
	return decide(x, next);
}

/* A copy of the process has only the thread that made it. */
static bool has_threads(const struct pd_world *world)
{
	for (int i = 0; i < world->n_ranks; i++)
		if (world->ranks[i].threads)
			return true;
	return false;
}

/* The choice leads to a state that was seen: no copy is needed to find that out. */
static bool leads_back(struct orders_execution *x, const struct mpi_decision *next)
{
	uint64_t hash[2];

	if (x->options->merge != ORDERS_MERGE_HISTORIES)
		return false;
	mpi_orders_hash_after(x->orders, next, hash);
	if (!orders_table_has(x->shared, &x->shared->states, hash))
		return false;
	atomic_fetch_add(&x->shared->n_choices, 1);
	atomic_fetch_add(&x->shared->n_merged, 1);
	return true;
}

/* All that is enabled is tried: the first one here, the others in copies or later. */
static bool try_all(struct orders_execution *x)
{
	struct mpi_orders *orders = x->orders;
	bool copies = !x->options->reruns && x->options->search != ORDERS_BREADTH_FIRST &&
		      x->n_forks < MAX_DEPTH && !has_threads(x->run->world);
	int n = orders->n_enabled;
	struct mpi_decision *all = malloc((size_t)n * sizeof *all), chosen;

	if (!all)
		abort();
	memcpy(all, orders->enabled, (size_t)n * sizeof *all);
	chosen = all[0];
	orders_capture_take(&x->capture);
	for (int i = n - 1; i > 0; i--) {
		if (leads_back(x, &all[i]))
			continue;
		if (!copies || atomic_load(&x->shared->stop)) {
			leave_work(x, &all[i]);
		} else if (branch(x, &all[i])) {
			chosen = all[i];
			break;
		}
	}
	free(all);
	return go_on_with(x, &chosen);
}

/* Ends this execution without a result. */
static bool drop(struct orders_execution *x)
{
	x->is_over = true;
	return false;
}

static bool explore(struct orders_execution *x)
{
	const struct orders_options *options = x->options;
	uint64_t hash[2];

	if (atomic_load(&x->shared->stop)) {
		leave_work(x, NULL);
		return drop(x);
	}
	if (options->search == ORDERS_RANDOM)
		return go_on_with(
		    x,
		    &x->orders->enabled[util_rng_next(&x->rng) % (uint64_t)x->orders->n_enabled]);
	if (options->search == ORDERS_ONE)
		return go_on_with(x, &x->orders->enabled[0]);
	mpi_orders_hash(x->orders, options->merge == ORDERS_MERGE_STATE, hash);
	if (!orders_table_add(x->shared, &x->shared->states, hash) &&
	    options->merge != ORDERS_MERGE_NONE) {
		atomic_fetch_add(&x->shared->n_merged, 1);
		return drop(x);
	}
	if (options->merge != ORDERS_MERGE_NONE && !options->tries_all)
		mpi_orders_reduce(x->orders);
	return try_all(x);
}

bool orders_go_on(struct orders_execution *x)
{
	if (x->n_made < x->n_prefix && decide(x, &x->prefix[x->n_made]))
		return true;
	if (mpi_orders_collect(x->orders) == 0)
		return mpi_orders_tick(x->orders);
	if (x->n_made < x->n_prefix) {
		x->has_misfit = true;
		return drop(x);
	}
	if (!x->shared) /* what comes after a file of decisions: whoever is first */
		return decide(x, &x->orders->enabled[0]);
	return explore(x);
}

/* --- the end --- */

static enum orders_end end_of(const struct orders_execution *x)
{
	const struct pd_world *world = x->run->world;

	if (world->failure.kind == PD_FAILURE_DEADLOCK)
		return x->orders->n_ticks >= MPI_ORDERS_MAX_TICKS ? ORDERS_POLLING
								  : ORDERS_DEADLOCK;
	return world->failure.kind == PD_FAILURE_NONE ? ORDERS_COMPLETE : ORDERS_ERROR;
}

static void note_call(const struct orders_execution *x, struct orders_outcome *outcome, int rank,
		      const char *function, const void *site)
{
	if (!function || rank < 0 || outcome->n_calls >= ORDERS_MAX_CALLS)
		return;
	snprintf(outcome->calls[outcome->n_calls].function,
		 sizeof outcome->calls[outcome->n_calls].function, "%s", function);
	outcome->calls[outcome->n_calls].rank = rank;
	outcome->calls[outcome->n_calls++].place = place(x, rank, site);
}

/* The call that failed, or all that nobody comes back from. */
static void note_calls(const struct orders_execution *x, struct orders_outcome *outcome)
{
	const struct pd_world *world = x->run->world;

	outcome->n_calls = 0;
	if (outcome->end == ORDERS_ERROR)
		note_call(x, outcome, world->failure.rank, world->failure.function,
			  world->failure.site);
	for (int i = 0; i < world->n_ranks && outcome->end != ORDERS_ERROR; i++)
		if (!world->ranks[i].has_ended)
			note_call(x, outcome, i, world->ranks[i].function, world->ranks[i].site);
}

static void describe(struct orders_execution *x, struct orders_outcome *outcome)
{
	struct run_failure failure;
	FILE *file = fmemopen(outcome->text, sizeof outcome->text, "w");

	outcome->rank = x->run->world->failure.rank;
	outcome->n_unmatched = mpi_orders_count_unmatched(x->orders);
	outcome->decisions = orders_list_keep(x->shared, x->made, x->n_made, NULL);
	if (outcome->end == ORDERS_COMPLETE) {
		orders_keep_values(x, outcome);
	} else if (file) {
		note_calls(x, outcome);
		run_failure_describe(x->run, &failure);
		if (outcome->end == ORDERS_ERROR)
			run_failure_print(&failure, "run", file);
		else
			run_blocked_print(&failure.description, file);
		run_failure_finish(&failure);
	}
	if (file)
		fclose(file);
	outcome->text[sizeof outcome->text - 1] = '\0';
}

static void note_end(struct orders_execution *x)
{
	enum orders_end end = end_of(x);
	struct orders_shared *shared = x->shared;
	struct orders_outcome *outcome;
	uint64_t hash[2], key[2];
	uint64_t n = atomic_fetch_add(&shared->n_executions, 1) + 1;

	if (x->options->merge == ORDERS_MERGE_STATE)
		mpi_orders_hash(x->orders, true, hash);
	else
		mpi_orders_hash_matches(x->orders, hash);
	orders_table_add(shared, &shared->finals[end], hash);
	orders_key(x, end, key);
	if (orders_outcome_note(shared, end, key, &outcome))
		describe(x, outcome);
	if (n >= x->options->max_executions ||
	    (x->options->stops_at_first && (end != ORDERS_COMPLETE || shared->n_outcomes > 1)))
		atomic_store(&shared->stop, 1);
}

_Noreturn void orders_execute(struct orders_execution *x)
{
	int n_children;

	run_loop(x->run);
	orders_capture_take(&x->capture);
	if (x->has_misfit)
		_exit(ORDERS_EXIT_MISFIT);
	if (x->shared && !x->is_over)
		note_end(x);
	if (x->log)
		fflush(x->log);
	if (x->shared && x->n_asynchronous)
		atomic_fetch_sub(&x->shared->n_running, 1);
	for (n_children = x->n_children; n_children > 0; n_children--)
		await(x, -1, true);
	_exit(ORDERS_EXIT_COUNTED);
}
