// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "pdexec/arch.h"
#include "pdexec/libc-next.h"
#include "tools/debug/debug.h"
#include "tools/run/output.h"
#include "tools/run/run.h"
#include "util/units.h"

#define STEPS_PER_LOOK 1024  /* at the clock, and for a signal */
#define FIRST_PROGRESS_S 1.0 /* short runs show none */
#define PROGRESS_INTERVAL_S 0.5
#define GRACE_S 1 /* that a rank has to come to an MPI call after Ctrl-C */

double run_host_time_s(void)
{
	struct timespec now = {0};

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/*
 * Ctrl-C. The loop sees it when the running rank blocks. A rank that computes without end never
 * does: after a grace period control is taken from it as it stands, which is safe enough for what
 * follows (a report, no more ranks). A second Ctrl-C kills. A handler has no other way to tell than
 * a global.
 */
static volatile sig_atomic_t caught_signal;
static volatile int stuck_rank;
static const void *volatile stuck_site;

static void on_interrupt(int signal)
{
	const struct itimerval grace = {.it_value.tv_sec = GRACE_S};

	caught_signal = signal;
	pd_libc_next()->setitimer(ITIMER_REAL, &grace, NULL);
}

static void on_grace_over(int signal, siginfo_t *info, void *context)
{
	struct pd_rank *rank = pd_rank_here();

	if (caught_signal && rank) {
		stuck_rank = rank->rank;
		stuck_site = pd_arch_fault(context).pc;
		sim_engine_stop(&rank->world->engine);
		sim_task_block(&rank->task);
	}
}

void run_catch_signals(struct sigaction saved[3])
{
	struct sigaction action = {.sa_handler = on_interrupt,
				   .sa_flags = SA_RESETHAND | SA_RESTART | SA_ONSTACK};

	caught_signal = 0;
	stuck_rank = -1;
	sigaction(SIGINT, &action, &saved[0]);
	sigaction(SIGTERM, &action, &saved[1]);
	action.sa_sigaction = on_grace_over;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER; /* its handler does not return */
	sigaction(SIGALRM, &action, &saved[2]);
}

void run_release_signals(const struct sigaction saved[3])
{
	const struct itimerval none = {.it_value.tv_sec = 0};

	pd_libc_next()->setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGINT, &saved[0], NULL);
	sigaction(SIGTERM, &saved[1], NULL);
	sigaction(SIGALRM, &saved[2], NULL);
}

int run_caught_signal(void)
{
	return caught_signal;
}

struct progress {
	bool is_wanted, is_shown;
	double next_s, last_s;
	uint64_t last_events;
};

static void show_progress(struct run *run, struct progress *progress, double now_s)
{
	const struct sim_engine *engine = &run->world->engine;
	uint64_t events = engine->n_events + engine->n_switches;
	char simulated[32];

	util_format_time(simulated, sizeof simulated, sim_time_to_s(engine->now));
	fprintf(run->console,
		"\r\033[K%s: simulated %s, %.3g million messages, %.3g million events/s", run->tool,
		simulated, 1e-6 * (double)(run->mpi->n_messages + run->mpi->n_collective_messages),
		1e-6 * (double)(events - progress->last_events) / (now_s - progress->last_s));
	fflush(run->console);
	progress->is_shown = true;
	progress->last_events = events;
	progress->last_s = now_s;
	progress->next_s = now_s + PROGRESS_INTERVAL_S;
}

static void look(struct run *run, struct progress *progress)
{
	double now_s = run_host_time_s();

	if (now_s >= progress->next_s)
		show_progress(run, progress, now_s);
}

static void fail(struct pd_world *world, enum pd_failure_kind kind, const char *text)
{
	world->failure = (struct pd_failure){.kind = kind, .rank = -1, .time = world->engine.now};
	snprintf(world->failure.text, sizeof world->failure.text, "%s", text);
}

/* A computation that ends later than the clock can say ends never, as the engine sees it. */
static const struct pd_rank *find_endless(const struct pd_world *world)
{
	for (int rank = 0; rank < world->n_ranks; rank++)
		if (world->ranks[rank].is_computing)
			return &world->ranks[rank];
	return NULL;
}

/* So does a transfer: it has its share of a link, and nothing will happen to it. */
static bool has_endless_transfer(const struct pd_world *world)
{
	for (int node = 0; node < world->cluster->n_nodes; node++)
		if (net_model_link_load(world->model, node, 0) > 0)
			return true;
	return false;
}

static void fail_deadlock(struct pd_world *world)
{
	const struct pd_rank *endless = find_endless(world);
	char text[128];

	if (has_endless_transfer(world)) {
		fail(world, PD_FAILURE_UNSUPPORTED,
		     "a message ends later than simulated time can go, 106 days");
		return;
	}
	if (endless) {
		fail(world, PD_FAILURE_UNSUPPORTED,
		     "computation that ends later than simulated time can go, 106 days");
		world->failure.rank = endless->rank;
		world->failure.function = endless->function;
		world->failure.site = endless->site;
		return;
	}
	if (sim_queue_peek(&world->engine.queue)) {
		fail(world, PD_FAILURE_UNSUPPORTED,
		     "what ranks wait for ends later than simulated time can go, 106 days");
		return;
	}
	if (world->n_running == world->n_ranks)
		snprintf(text, sizeof text, "every rank waits and nothing is under way");
	else if (world->n_running == 1)
		snprintf(text, sizeof text,
			 "the only rank that has not ended waits and nothing is under way");
	else
		snprintf(text, sizeof text,
			 "all %d ranks that have not ended wait and nothing is under way",
			 world->n_running);
	fail(world, PD_FAILURE_DEADLOCK, text);
}

/* Whoever debugs the run, or decides its order, may let it go on. */
static bool goes_on(struct run *run)
{
	return run->world->engine.ready_first || (run->debug && run_debug_idle(run->debug)) ||
	       (run->at_rest && run->at_rest(run));
}

static void step_until_over(struct run *run, struct progress *progress)
{
	struct pd_world *world = run->world;
	const struct sim_engine *engine = &world->engine;
	uint32_t n_tasks = run->output ? 1 : STEPS_PER_LOOK; /* output is looked at after each */
	uint64_t next_look = STEPS_PER_LOOK;

	while (!pd_world_is_over(world) && !caught_signal) {
		enum sim_step step = pd_world_run(world, n_tasks);

		if (step == SIM_STEP_TASK && run->output)
			run_output_collect(run->output);
		if (run->debug && !run_debug_look(run->debug)) {
			caught_signal = SIGTERM;
			break;
		}
		if (step == SIM_STEP_IDLE && !pd_world_is_over(world) && !goes_on(run))
			fail_deadlock(world);
		if (progress->is_wanted && engine->n_events + engine->n_switches >= next_look) {
			look(run, progress);
			next_look = engine->n_events + engine->n_switches + STEPS_PER_LOOK;
		}
	}
}

void run_loop(struct run *run)
{
	double now_s = run_host_time_s();
	struct progress progress = {
	    .is_wanted = !run->options.quiet && isatty(fileno(run->console)),
	    .next_s = now_s + FIRST_PROGRESS_S,
	    .last_s = now_s,
	};
	struct sigaction saved[3];
	jmp_buf way_out;

	run_catch_signals(saved);
	if (run->signal) /* before the run began */
		caught_signal = run->signal;
	run->world->way_out = &way_out;
	if (setjmp(way_out) == 0)
		step_until_over(run, &progress);
	run->world->way_out = NULL;
	run->signal = pd_world_is_over(run->world) ? 0 : caught_signal;
	run->stuck_rank = stuck_rank;
	run->stuck_site = stuck_site;
	run_release_signals(saved);
	free(run->reserve);
	run->reserve = NULL;
	if (run->debug)
		run_debug_end(run->debug);
	if (progress.is_shown)
		fprintf(run->console, "\r\033[K");
	fflush(run->console);
}
