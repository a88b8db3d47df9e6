/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/thread-times.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pdexec/arch.h"
#include "pdexec/compute.h"
#include "pdexec/cores.h"
#include "pdexec/image.h"
#include "pdexec/process.h"

/* All that is here, also the ranks' records: threads of a rank may run while another rank does. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Not thread-local: the executable that runs the simulator may have one such variable only. */
static pthread_key_t here;
static bool has_key;

struct pd_thread *pd_thread_here(void)
{
	return has_key ? pthread_getspecific(here) : NULL;
}

static double read_clock(clockid_t clock)
{
	struct timespec now = {0};

	syscall(SYS_clock_gettime, clock, &now); /* clock_gettime is the simulated clock */
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double pd_thread_cpu(const struct pd_thread *thread)
{
	if (thread->has_ended)
		return thread->cpu_s;
	return thread->has_begun ? read_clock(thread->clock) : 0;
}

/* --- times --- */

double pd_thread_time(const struct pd_thread *thread)
{
	return thread->time_s + pd_thread_cpu(thread) - thread->mark_s;
}

void pd_thread_set_time(struct pd_thread *thread, double time_s)
{
	thread->mark_s = pd_thread_cpu(thread);
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
double pd_threads_rank_time(const struct pd_rank *rank)
{
	const struct cluster *cluster = rank->world->cluster;
	double now_s = sim_time_to_s(rank->world->engine.now) * cluster->cpu.speed[rank->node];

	return (now_s + rank->pending_s) / cluster->cpu.host_to_target + measured(rank) +
	       rank->threads->extra_s;
}

void pd_threads_wait_until(struct pd_rank *rank, double time_s)
{
	double more_s = time_s - pd_threads_rank_time(rank);

	if (rank->is_measuring && more_s > 0)
		rank->threads->extra_s += more_s;
}

/* --- sections: while several threads may compute, they share the cores of the rank --- */

/* No section counts those any more that were joined. A program may start thousands, one by one. */
static void forget_joined(struct pd_threads *threads)
{
	for (struct pd_thread *thread = threads->started.first, *next; thread; thread = next) {
		next = thread->link.next;
		if (thread->is_joined) {
			util_list_remove(&threads->started, thread);
			free(thread);
		}
	}
}

void pd_threads_open_section(struct pd_rank *rank)
{
	struct pd_threads *threads = rank->threads;

	if (threads->is_open)
		return;
	forget_joined(threads);
	threads->is_open = true;
	threads->begin_s = pd_threads_rank_time(rank);
	threads->main_mark_s = threads->main_s + measured(rank);
	for (struct pd_thread *thread = threads->started.first; thread; thread = thread->link.next)
		thread->counted_s = pd_thread_cpu(thread);
}

/* The CPU time of all since the section began. */
static double work_of_section(const struct pd_rank *rank)
{
	const struct pd_threads *threads = rank->threads;
	double work_s = threads->main_s + measured(rank) - threads->main_mark_s;

	for (const struct pd_thread *thread = threads->started.first; thread;
	     thread = thread->link.next)
		work_s += pd_thread_cpu(thread) - thread->counted_s;
	return work_s;
}

double pd_threads_end_section(struct pd_rank *rank)
{
	struct pd_threads *threads = rank->threads;
	double work_s = work_of_section(rank);

	threads->beside_s += work_s - (threads->main_s + measured(rank) - threads->main_mark_s);
	threads->is_open = false;
	return work_s;
}

void pd_threads_close_section(struct pd_rank *rank)
{
	struct pd_threads *threads = rank->threads;

	if (threads->is_open)
		pd_threads_wait_until(rank, threads->begin_s + pd_threads_end_section(rank) /
								   rank->program->n_cpus);
}

bool pd_threads_others_compute(const struct pd_threads *threads)
{
	for (const struct pd_thread *thread = threads->started.first; thread;
	     thread = thread->link.next)
		if (!thread->has_ended && !thread->is_waiting && !thread->is_pooled)
			return true;
	return false;
}

/* --- who calls --- */

/*
 * Begins what the calling thread wants of its rank's threads, until leave. NULL: it belongs to no
 * rank, or its time is not measured.
 */
struct pd_threads *pd_threads_enter(void)
{
	struct pd_rank *rank = pd_thread_here() ? pd_thread_here()->owner
			       : pd_current   ? pd_process_here()
					      : NULL;

	if (!rank || !rank->threads || (!pd_thread_here() && !rank->is_measuring))
		return NULL;
	pthread_mutex_lock(&lock);
	if (!pd_thread_here())
		stop(rank);
	return rank->threads;
}

void pd_threads_leave(void)
{
	if (!pd_thread_here())
		go_on(pd_current);
	pthread_mutex_unlock(&lock);
}

double pd_threads_calling_time(void)
{
	return pd_thread_here() ? pd_thread_time(pd_thread_here()) : pd_threads_rank_time(pd_current);
}

void pd_threads_call_waits_until(double time_s)
{
	if (!pd_thread_here())
		pd_threads_wait_until(pd_current, time_s);
	else if (time_s > pd_thread_time(pd_thread_here()))
		pd_thread_set_time(pd_thread_here(), time_s);
}

/* --- life --- */

bool pd_threads_get(struct pd_rank *rank)
{
	if (!rank->threads)
		rank->threads = calloc(1, sizeof *rank->threads);
	return rank->threads != NULL;
}

/* The rank that the calling thread belongs to; NULL: none, or it is a child of fork(). */
static struct pd_rank *creating_rank(void)
{
	struct pd_rank *rank = pd_thread_here() ? pd_thread_here()->owner
			       : pd_current   ? pd_process_here()
					      : NULL;

	if (!rank || rank->has_ended || rank->world->process_id != getpid() ||
	    !pd_threads_get(rank))
		return NULL;
	return rank;
}

static int n_of_libraries;

int pd_threads_of_libraries(void)
{
	return n_of_libraries;
}

void *pd_threads_create(void *(*function)(void *), void *argument)
{
	struct pd_rank *rank = creating_rank();
	struct pd_thread *thread = rank ? calloc(1, sizeof *thread) : NULL;
	bool is_counted;

	if (!rank && pd_cores_is_loading())
		n_of_libraries++;
	if (!thread)
		return NULL;
	is_counted = pd_threads_enter() != NULL;
	if (!is_counted)
		pthread_mutex_lock(&lock);
	*thread = (struct pd_thread){.owner = rank, .function = function, .argument = argument};
	thread->time_s =
	    pd_thread_here() ? pd_thread_time(pd_thread_here()) : pd_threads_rank_time(rank);
	thread->is_pooled = pd_thread_here() ? pd_thread_here()->is_pooled : rank->threads->depth > 0;
	thread->n_barriers =
	    *(pd_thread_here() ? &pd_thread_here()->n_barriers : &rank->threads->n_barriers);
	if (!pd_thread_here() && is_counted)
		pd_threads_open_section(rank);
	util_list_prepend(&rank->threads->started, thread);
	if (is_counted)
		pd_threads_leave();
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
	pthread_setspecific(here, thread);
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
		       pd_image_base(image, rank->rank - rank->program->first_rank) +
			   elf->tls->p_vaddr,
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
	struct pd_thread *thread = argument;

	if (!thread)
		return;
	pthread_mutex_lock(&lock);
	util_list_remove(&thread->owner->threads->started, thread);
	pthread_mutex_unlock(&lock);
	free(thread);
}

/* The newest of the caller's rank with this id: the system uses ids again. */
static struct pd_thread *find(struct pd_threads *threads, pthread_t id)
{
	struct pd_thread *thread = threads ? threads->started.first : NULL;

	while (thread && (thread->is_joined || !thread->has_begun || thread->id != id))
		thread = thread->link.next;
	return thread;
}

void pd_threads_join(pthread_t id)
{
	struct pd_threads *threads = pd_threads_enter();
	struct pd_thread *thread;

	if (!threads)
		return;
	thread = find(threads, id);
	if (thread) {
		thread->is_joined = true;
		thread->seen_s = thread->cpu_s;
		pd_threads_call_waits_until(pd_thread_time(thread));
		if (!pd_thread_here() && !pd_threads_others_compute(threads))
			pd_threads_close_section(pd_current);
	}
	pd_threads_leave();
}

/* --- waiting for each other --- */

static double *signal_of(struct pd_threads *threads, const void *object)
{
	return &threads->signals_s[((uintptr_t)object >> 4) % PD_THREAD_SIGNALS];
}

void pd_threads_signal(const void *object)
{
	struct pd_threads *threads = pd_threads_enter();
	double *latest, time_s;

	if (!threads)
		return;
	latest = signal_of(threads, object);
	time_s = pd_threads_calling_time();
	*latest = time_s > *latest ? time_s : *latest;
	if (pd_thread_here())
		pd_thread_here()->seen_s = pd_thread_cpu(pd_thread_here());
	else
		pd_threads_open_section(pd_current);
	pd_threads_leave();
}

void pd_threads_wait(void)
{
	if (pd_thread_here())
		pd_thread_here()->is_waiting = true;
}

/* Of several that did something for the rank's thread only the last one signals. */
static double latest_of_idle(struct pd_threads *threads)
{
	double latest_s = 0;

	for (struct pd_thread *thread = threads->started.first; thread;
	     thread = thread->link.next) {
		if (!thread->is_waiting && !thread->has_ended)
			continue;
		thread->seen_s = pd_thread_cpu(thread);
		latest_s = pd_thread_time(thread) > latest_s ? pd_thread_time(thread) : latest_s;
	}
	return latest_s;
}

void pd_threads_resume(const void *object)
{
	struct pd_threads *threads = pd_threads_enter();

	if (!threads)
		return;
	pd_threads_call_waits_until(*signal_of(threads, object));
	if (pd_thread_here()) {
		pd_thread_here()->is_waiting = false;
	} else {
		pd_threads_call_waits_until(latest_of_idle(threads));
		pd_threads_close_section(pd_current);
	}
	pd_threads_leave();
}

/* --- the end --- */

void pd_threads_end(struct pd_rank *rank)
{
	struct pd_threads *threads = rank->threads;

	if (!threads || !pd_threads_enter())
		return;
	pd_threads_close_section(rank);
	threads->lost_s = 0;
	for (struct pd_thread *thread = threads->started.first; thread; thread = thread->link.next)
		threads->lost_s += pd_thread_cpu(thread) - thread->seen_s;
	pd_threads_leave();
}

bool pd_threads_destroy(struct pd_rank *rank)
{
	struct util_list none = {.first = NULL},
			 *all = rank->threads ? &rank->threads->started : &none;
	struct pd_thread *thread;
	bool is_running = false;

	pthread_mutex_lock(&lock);
	for (const struct pd_thread *other = all->first; other; other = other->link.next)
		is_running = is_running || !other->has_ended;
	pthread_mutex_unlock(&lock);
	if (is_running)
		return false;
	while ((thread = util_list_pop(all)))
		free(thread);
	free(rank->threads);
	return true;
}

/* The child has one thread, whatever the others were doing. */
static void forget_threads(void)
{
	pthread_setspecific(here, NULL);
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void prepare(void)
{
	has_key = pthread_key_create(&here, NULL) == 0;
	pthread_atfork(NULL, NULL, forget_threads);
}
