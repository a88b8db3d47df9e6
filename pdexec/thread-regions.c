/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions: the rank's own thread begins and ends them with a pool of others. */
#include "pdexec/thread-times.h"

void pd_threads_fork(struct pd_rank *rank)
{
	struct pd_threads *threads;
	double now_s;

	if (!pd_threads_get(rank) || rank->threads->depth++ > 0)
		return;
	threads = pd_threads_enter();
	now_s = pd_threads_rank_time(rank);
	threads->is_region = !threads->is_open;
	threads->is_spread = false;
	threads->region_began = rank->world->engine.now;
	pd_threads_open_section(rank);
	threads->barriers_s[0] = threads->barriers_s[1] = 0;
	for (struct pd_thread *thread = threads->started.first; thread;
	     thread = thread->link.next) {
		if (!thread->is_pooled)
			continue;
		pd_thread_set_time(thread, now_s);
		thread->n_barriers = threads->n_barriers;
	}
	pd_threads_leave();
}

void pd_threads_spread(void)
{
	struct pd_threads *threads = pd_threads_enter();

	if (!threads)
		return;
	threads->is_spread = true;
	pd_threads_leave();
}

/*
 * Who took how much of what threads take as it comes depends on who of them ran here: it is the
 * sum that tells. The rank's own thread may have done too much of it.
 */
static void end_spread(struct pd_rank *rank, int n_threads)
{
	struct pd_threads *threads = rank->threads;
	int n = n_threads < rank->program->n_cpus ? n_threads : rank->program->n_cpus;
	double end_s = threads->begin_s + pd_threads_end_section(rank) / (n > 0 ? n : 1);

	if (rank->world->engine.now == threads->region_began)
		threads->extra_s += end_s - pd_threads_rank_time(rank);
	else
		pd_threads_wait_until(rank, end_s);
}

void pd_threads_gather(struct pd_rank *rank, int n_threads)
{
	struct pd_threads *threads = rank->threads;
	double latest_s = 0;

	if (!threads || --threads->depth > 0 || !pd_threads_enter())
		return;
	for (struct pd_thread *thread = threads->started.first; thread;
	     thread = thread->link.next) {
		if (!thread->is_pooled)
			continue;
		if (pd_thread_time(thread) > latest_s)
			latest_s = pd_thread_time(thread);
		thread->seen_s = pd_thread_cpu(thread);
	}
	if (threads->is_region && threads->is_spread) {
		end_spread(rank, n_threads);
	} else {
		pd_threads_wait_until(rank, latest_s);
		if (!pd_threads_others_compute(threads))
			pd_threads_close_section(rank);
	}
	pd_threads_leave();
}

static int *barriers_of_caller(struct pd_threads *threads)
{
	return pd_thread_here() ? &pd_thread_here()->n_barriers : &threads->n_barriers;
}

void pd_threads_arrive(void)
{
	struct pd_threads *threads = pd_threads_enter();
	double *latest, time_s;

	if (!threads)
		return;
	latest = &threads->barriers_s[*barriers_of_caller(threads) % 2];
	time_s = pd_threads_calling_time();
	*latest = time_s > *latest ? time_s : *latest;
	pd_threads_leave();
}

void pd_threads_depart(void)
{
	struct pd_threads *threads = pd_threads_enter();

	if (!threads)
		return;
	pd_threads_call_waits_until(threads->barriers_s[(*barriers_of_caller(threads))++ % 2]);
	pd_threads_leave();
}
