/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/threads.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pdexec/arch.h"
#include "pdexec/compute.h"
#include "pdexec/image.h"
#include "pdexec/process.h"

struct pd_thread {
	struct pd_thread *next;
	struct pd_rank *owner;
	pthread_t id;
	clockid_t clock;
	void *(*function)(void *);
	void *argument;
	double time_s, mark_s; /* its time when it had used mark_s of CPU */
	double counted_s;      /* CPU time that is counted in sections */
	double seen_s;	       /* CPU time after which somebody waited for it */
	double cpu_s;	       /* once it has ended */
	int n_barriers;
	bool has_begun, has_ended, is_waiting;
	bool is_joined;
	bool is_pooled; /* started within a parallel region: computes in these */
};

/* All that is here, also the ranks' records: threads of a rank may run while another rank does. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct pd_thread *here; /* NULL: started by no rank */

static double read_clock(clockid_t clock)
{
	struct timespec now = {0};

	syscall(SYS_clock_gettime, clock, &now); /* clock_gettime is the simulated clock */
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu_of(const struct pd_thread *thread)
{
	if (thread->has_ended)
		return thread->cpu_s;
	return thread->has_begun ? read_clock(thread->clock) : 0;
}

/* --- times --- */

static double time_of(const struct pd_thread *thread)
{
	return thread->time_s + cpu_of(thread) - thread->mark_s;
}

static void set_time(struct pd_thread *thread, double time_s)
{
	thread->mark_s = cpu_of(thread);
	thread->time_s = time_s;
}

/* CPU time of the rank's thread since measuring went on; what is done here is not the program's. */
static double measured(const struct pd_rank *rank)
{
	if (!rank->is_measuring)
		return 0;
	return rank->threads->is_stopped ? rank->threads->stopped_s
					 : pd_host_cpu_s() - rank->host_mark_s;
}

static void stop(struct pd_rank *rank)
{
	rank->threads->stopped_s = measured(rank);
	rank->threads->is_stopped = true;
}

static void go_on(struct pd_rank *rank)
{
	rank->threads->is_stopped = false;
	if (rank->is_measuring)
		rank->host_mark_s = pd_host_cpu_s() - rank->threads->stopped_s;
}

/* Of the rank's thread: simulated time, and what is to become of it when the step ends. */
static double time_of_rank(const struct pd_rank *rank)
{
	const struct net_cluster *cluster = rank->world->cluster;
	double now_s = sim_time_to_s(rank->world->engine.now) * cluster->node_speed[rank->node];

	return (now_s + rank->pending_s) / cluster->host_to_target + measured(rank) +
	       rank->threads->extra_s;
}

static void wait_until(struct pd_rank *rank, double time_s)
{
	double more_s = time_s - time_of_rank(rank);

	if (rank->is_measuring && more_s > 0)
		rank->threads->extra_s += more_s;
}

/* --- sections: while several threads may compute, they share the cores of the rank --- */

static void open_section(struct pd_rank *rank)
{
	struct pd_threads *threads = rank->threads;

	if (threads->is_open)
		return;
	threads->is_open = true;
	threads->begin_s = time_of_rank(rank);
	threads->main_mark_s = threads->main_s + measured(rank);
	for (struct pd_thread *thread = threads->first; thread; thread = thread->next)
		thread->counted_s = cpu_of(thread);
}

/* The CPU time of all since the section began. */
static double work_of_section(const struct pd_rank *rank)
{
	const struct pd_threads *threads = rank->threads;
	double work_s = threads->main_s + measured(rank) - threads->main_mark_s;

	for (const struct pd_thread *thread = threads->first; thread; thread = thread->next)
		work_s += cpu_of(thread) - thread->counted_s;
	return work_s;
}

static void close_section(struct pd_rank *rank)
{
	struct pd_threads *threads = rank->threads;

	if (threads->is_open)
		wait_until(rank, threads->begin_s + work_of_section(rank) / rank->program->n_cpus);
	threads->is_open = false;
}

static bool others_compute(const struct pd_threads *threads)
{
	for (const struct pd_thread *thread = threads->first; thread; thread = thread->next)
		if (!thread->has_ended && !thread->is_waiting && !thread->is_pooled)
			return true;
	return false;
}

/* --- who calls --- */

/*
 * Begins what the calling thread wants of its rank's threads, until leave. NULL: it belongs to no rank, or its time
 * is not measured.
 */
static struct pd_threads *enter(void)
{
	struct pd_rank *rank = here ? here->owner : pd_current ? pd_process_here() : NULL;

	if (!rank || !rank->threads || (!here && !rank->is_measuring))
		return NULL;
	pthread_mutex_lock(&lock);
	if (!here)
		stop(rank);
	return rank->threads;
}

static void leave(void)
{
	if (!here)
		go_on(pd_current);
	pthread_mutex_unlock(&lock);
}

static double calling_time(void)
{
	return here ? time_of(here) : time_of_rank(pd_current);
}

static void call_waits_until(double time_s)
{
	if (!here)
		wait_until(pd_current, time_s);
	else if (time_s > time_of(here))
		set_time(here, time_s);
}

/* --- life --- */

static bool get_threads(struct pd_rank *rank)
{
	if (!rank->threads)
		rank->threads = calloc(1, sizeof *rank->threads);
	return rank->threads != NULL;
}

/* The rank that the calling thread belongs to; NULL: none, or it is a child of fork(). */
static struct pd_rank *creating_rank(void)
{
	struct pd_rank *rank = here ? here->owner : pd_current ? pd_process_here() : NULL;

	if (!rank || rank->has_ended || rank->world->process_id != getpid() || !get_threads(rank))
		return NULL;
	return rank;
}

void *pd_threads_create(void *(*function)(void *), void *argument)
{
	struct pd_rank *rank = creating_rank();
	struct pd_thread *thread = rank ? calloc(1, sizeof *thread) : NULL;
	bool is_counted;

	if (!thread)
		return NULL;
	is_counted = enter() != NULL;
	if (!is_counted)
		pthread_mutex_lock(&lock);
	*thread = (struct pd_thread){.owner = rank, .function = function, .argument = argument};
	thread->time_s = here ? time_of(here) : time_of_rank(rank);
	thread->is_pooled = here ? here->is_pooled : rank->threads->depth > 0;
	thread->n_barriers = *(here ? &here->n_barriers : &rank->threads->n_barriers);
	if (!here && is_counted)
		open_section(rank);
	thread->next = rank->threads->first;
	rank->threads->first = thread;
	if (is_counted)
		leave();
	else
		pthread_mutex_unlock(&lock);
	return thread;
}

static void begin(struct pd_thread *thread)
{
	pthread_mutex_lock(&lock);
	thread->id = pthread_self();
	pthread_getcpuclockid(thread->id, &thread->clock);
	thread->has_begun = true;
	pthread_mutex_unlock(&lock);
	here = thread;
}

static void end(void *argument)
{
	struct pd_thread *thread = argument;

	pthread_mutex_lock(&lock);
	thread->cpu_s = read_clock(thread->clock);
	thread->has_ended = true;
	pthread_mutex_unlock(&lock);
}

/* The program's thread-local variables begin with their values, as in the thread of the rank. */
static void fill_variables(const struct pd_rank *rank)
{
	const struct pd_image *image = rank->program->image;
	const struct pd_elf *elf = &image->elf;

	if (elf->tls)
		memcpy(pd_arch_thread_pointer() - pd_elf_tls_size(elf),
		       pd_image_base(image, rank->rank - rank->program->first_rank) + elf->tls->p_vaddr,
		       elf->tls->p_filesz);
}

void *pd_threads_main(void *argument)
{
	struct pd_thread *thread = argument;
	void *result;

	begin(thread);
	fill_variables(thread->owner);
	pthread_cleanup_push(end, thread);
	result = thread->function(thread->argument);
	pthread_cleanup_pop(1);
	return result;
}

void pd_threads_forget(void *argument)
{
	struct pd_thread *thread = argument, **link;

	if (!thread)
		return;
	pthread_mutex_lock(&lock);
	link = &thread->owner->threads->first;
	while (*link != thread)
		link = &(*link)->next;
	*link = thread->next;
	pthread_mutex_unlock(&lock);
	free(thread);
}

/* The newest of the caller's rank with this id: the system uses ids again. */
static struct pd_thread *find(struct pd_threads *threads, pthread_t id)
{
	struct pd_thread *thread = threads ? threads->first : NULL;

	while (thread && (thread->is_joined || !thread->has_begun || thread->id != id))
		thread = thread->next;
	return thread;
}

void pd_threads_join(pthread_t id)
{
	struct pd_threads *threads = enter();
	struct pd_thread *thread;

	if (!threads)
		return;
	thread = find(threads, id);
	if (thread) {
		thread->is_joined = true;
		thread->seen_s = thread->cpu_s;
		call_waits_until(time_of(thread));
		if (!here && !others_compute(threads))
			close_section(pd_current);
	}
	leave();
}

/* --- waiting for each other --- */

static double *signal_of(struct pd_threads *threads, const void *object)
{
	return &threads->signals_s[((uintptr_t)object >> 4) % PD_THREAD_SIGNALS];
}

void pd_threads_signal(const void *object)
{
	struct pd_threads *threads = enter();
	double *latest, time_s;

	if (!threads)
		return;
	latest = signal_of(threads, object);
	time_s = calling_time();
	*latest = time_s > *latest ? time_s : *latest;
	if (here)
		here->seen_s = cpu_of(here);
	else
		open_section(pd_current);
	leave();
}

void pd_threads_wait(void)
{
	if (here)
		here->is_waiting = true;
}

/* Of several that did something for the rank's thread only the last one signals. */
static double latest_of_idle(struct pd_threads *threads)
{
	double latest_s = 0;

	for (struct pd_thread *thread = threads->first; thread; thread = thread->next) {
		if (!thread->is_waiting && !thread->has_ended)
			continue;
		thread->seen_s = cpu_of(thread);
		latest_s = time_of(thread) > latest_s ? time_of(thread) : latest_s;
	}
	return latest_s;
}

void pd_threads_resume(const void *object)
{
	struct pd_threads *threads = enter();

	if (!threads)
		return;
	call_waits_until(*signal_of(threads, object));
	if (here) {
		here->is_waiting = false;
	} else {
		call_waits_until(latest_of_idle(threads));
		close_section(pd_current);
	}
	leave();
}

/* --- parallel regions --- */

void pd_threads_fork(struct pd_rank *rank)
{
	struct pd_threads *threads;
	double now_s;

	if (!get_threads(rank) || rank->threads->depth++ > 0)
		return;
	threads = enter();
	now_s = time_of_rank(rank);
	threads->is_region = !threads->is_open;
	threads->is_spread = false;
	threads->region_began = rank->world->engine.now;
	open_section(rank);
	threads->barriers_s[0] = threads->barriers_s[1] = 0;
	for (struct pd_thread *thread = threads->first; thread; thread = thread->next) {
		if (!thread->is_pooled)
			continue;
		set_time(thread, now_s);
		thread->n_barriers = threads->n_barriers;
	}
	leave();
}

void pd_threads_spread(void)
{
	struct pd_threads *threads = enter();

	if (!threads)
		return;
	threads->is_spread = true;
	leave();
}

/*
 * Who took how much of what threads take as it comes depends on who of them ran here: it is the
 * sum that tells. The rank's own thread may have done too much of it.
 */
static void end_spread(struct pd_rank *rank, int n_threads)
{
	struct pd_threads *threads = rank->threads;
	int n = n_threads < rank->program->n_cpus ? n_threads : rank->program->n_cpus;
	double end_s = threads->begin_s + work_of_section(rank) / (n > 0 ? n : 1);

	if (rank->world->engine.now == threads->region_began)
		threads->extra_s += end_s - time_of_rank(rank);
	else
		wait_until(rank, end_s);
	threads->is_open = false;
}

void pd_threads_gather(struct pd_rank *rank, int n_threads)
{
	struct pd_threads *threads = rank->threads;
	double latest_s = 0;

	if (!threads || --threads->depth > 0 || !enter())
		return;
	for (struct pd_thread *thread = threads->first; thread; thread = thread->next) {
		if (!thread->is_pooled)
			continue;
		if (time_of(thread) > latest_s)
			latest_s = time_of(thread);
		thread->seen_s = cpu_of(thread);
	}
	if (threads->is_region && threads->is_spread) {
		end_spread(rank, n_threads);
	} else {
		wait_until(rank, latest_s);
		if (!others_compute(threads))
			close_section(rank);
	}
	leave();
}

static int *barriers_of_caller(struct pd_threads *threads)
{
	return here ? &here->n_barriers : &threads->n_barriers;
}

void pd_threads_arrive(void)
{
	struct pd_threads *threads = enter();
	double *latest, time_s;

	if (!threads)
		return;
	latest = &threads->barriers_s[*barriers_of_caller(threads) % 2];
	time_s = calling_time();
	*latest = time_s > *latest ? time_s : *latest;
	leave();
}

void pd_threads_depart(void)
{
	struct pd_threads *threads = enter();

	if (!threads)
		return;
	call_waits_until(threads->barriers_s[(*barriers_of_caller(threads))++ % 2]);
	leave();
}

/* --- the end --- */

void pd_threads_end(struct pd_rank *rank)
{
	struct pd_threads *threads = rank->threads;

	if (!threads || !enter())
		return;
	close_section(rank);
	threads->lost_s = 0;
	for (struct pd_thread *thread = threads->first; thread; thread = thread->next)
		threads->lost_s += cpu_of(thread) - thread->seen_s;
	leave();
}

bool pd_threads_destroy(struct pd_rank *rank)
{
	struct pd_thread *thread = rank->threads ? rank->threads->first : NULL;
	bool is_running = false;

	pthread_mutex_lock(&lock);
	for (const struct pd_thread *other = thread; other; other = other->next)
		is_running = is_running || !other->has_ended;
	pthread_mutex_unlock(&lock);
	if (is_running)
		return false;
	while (thread) {
		struct pd_thread *next = thread->next;

		free(thread);
		thread = next;
	}
	free(rank->threads);
	return true;
}

/* The child has one thread, whatever the others were doing. */
static void forget_threads(void)
{
	here = NULL;
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forget_threads);
}
