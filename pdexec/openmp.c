/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions of OpenMP, as programs that gcc compiled begin and end them, and their barriers: threads of the
 * runtime stay when a region is over, and wait in ways that nobody else sees.
 */
#include <dlfcn.h>
#include <string.h>

#include "pdexec/process.h"
#include "pdexec/threads.h"

typedef void (*body_fn)(void *data);
typedef void (*plain_fn)(void);
typedef void (*parallel_fn)(body_fn body, void *data, unsigned n, unsigned flags);
typedef unsigned (*reductions_fn)(body_fn body, void *data, unsigned n, unsigned flags);
typedef void (*sections_fn)(body_fn body, void *data, unsigned n, unsigned count, unsigned flags);
typedef void (*loop_fn)(body_fn body, void *data, unsigned n, long start, long end, long step,
			long chunk, unsigned flags);
typedef void (*runtime_fn)(body_fn body, void *data, unsigned n, long start, long end, long step,
			   unsigned flags);

typedef bool (*start_fn)(long start, long end, long step, long chunk, long *first, long *last);
typedef bool (*start_runtime_fn)(long start, long end, long step, long *first, long *last);
/* Later versions have more arguments; those that are not there are not looked at. */
typedef void (*task_fn)(body_fn body, void *data, void (*copy)(void *, void *), long size,
			long alignment, bool condition, unsigned flags, void **depend, int priority,
			void *detach);

/* The runtime's own functions, known once a program that needs them is loaded. */
static struct {
	parallel_fn parallel;
	reductions_fn reductions;
	sections_fn sections;
	loop_fn loop_static, loop_dynamic, loop_guided;
	runtime_fn loop_runtime;
	plain_fn barrier, loop_end, sections_end;
	start_fn dynamic_start, guided_start;
	start_runtime_fn runtime_start;
	task_fn task;
	int (*level)(void), (*max_threads)(void);
} runtime;

/* The rank that begins a region; NULL: nothing is measured, or a thread of a region does. */
static struct pd_rank *begin_region(void)
{
	struct pd_rank *rank = pd_process_here();

	if (!rank || !rank->is_measuring)
		return NULL;
	pd_threads_fork(rank);
	return rank;
}

/* `n`: as the program asked for it; 0: as many as there can be. */
static void end_region(struct pd_rank *rank, unsigned n)
{
	if (rank)
		pd_threads_gather(rank, n ? (int)n : runtime.max_threads());
}

static void run_parallel(body_fn body, void *data, unsigned n, unsigned flags)
{
	struct pd_rank *rank = begin_region();

	runtime.parallel(body, data, n, flags);
	end_region(rank, n);
}

static unsigned run_reductions(body_fn body, void *data, unsigned n, unsigned flags)
{
	struct pd_rank *rank = begin_region();
	unsigned n_threads = runtime.reductions(body, data, n, flags);

	end_region(rank, n);
	return n_threads;
}

static void run_sections(body_fn body, void *data, unsigned n, unsigned count, unsigned flags)
{
	struct pd_rank *rank = begin_region();

	runtime.sections(body, data, n, count, flags);
	end_region(rank, n);
}

static void run_static(body_fn body, void *data, unsigned n, long start, long end, long step,
		       long chunk, unsigned flags)
{
	struct pd_rank *rank = begin_region();

	runtime.loop_static(body, data, n, start, end, step, chunk, flags);
	end_region(rank, n);
}

static void run_dynamic(body_fn body, void *data, unsigned n, long start, long end, long step,
			long chunk, unsigned flags)
{
	struct pd_rank *rank = begin_region();

	pd_threads_spread();
	runtime.loop_dynamic(body, data, n, start, end, step, chunk, flags);
	end_region(rank, n);
}

static void run_guided(body_fn body, void *data, unsigned n, long start, long end, long step,
		       long chunk, unsigned flags)
{
	struct pd_rank *rank = begin_region();

	pd_threads_spread();
	runtime.loop_guided(body, data, n, start, end, step, chunk, flags);
	end_region(rank, n);
}

static void run_runtime(body_fn body, void *data, unsigned n, long start, long end, long step,
			unsigned flags)
{
	struct pd_rank *rank = begin_region();

	pd_threads_spread();
	runtime.loop_runtime(body, data, n, start, end, step, flags);
	end_region(rank, n);
}

static bool run_dynamic_start(long start, long end, long step, long chunk, long *first, long *last)
{
	pd_threads_spread();
	return runtime.dynamic_start(start, end, step, chunk, first, last);
}

static bool run_guided_start(long start, long end, long step, long chunk, long *first, long *last)
{
	pd_threads_spread();
	return runtime.guided_start(start, end, step, chunk, first, last);
}

static bool run_runtime_start(long start, long end, long step, long *first, long *last)
{
	pd_threads_spread();
	return runtime.runtime_start(start, end, step, first, last);
}

static void run_task(body_fn body, void *data, void (*copy)(void *, void *), long size,
		     long alignment, bool condition, unsigned flags, void **depend, int priority,
		     void *detach)
{
	pd_threads_spread();
	runtime.task(body, data, copy, size, alignment, condition, flags, depend, priority, detach);
}

/* Barriers of regions within regions are their own affair. */
static void meet(plain_fn barrier)
{
	if (runtime.level() != 1) {
		barrier();
		return;
	}
	pd_threads_arrive();
	barrier();
	pd_threads_depart();
}

static void run_barrier(void)
{
	meet(runtime.barrier);
}

static void run_loop_end(void)
{
	meet(runtime.loop_end);
}

static void run_sections_end(void)
{
	meet(runtime.sections_end);
}

static void *find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

static void find_runtime(void)
{
	runtime.parallel = (parallel_fn)find("GOMP_parallel");
	runtime.reductions = (reductions_fn)find("GOMP_parallel_reductions");
	runtime.sections = (sections_fn)find("GOMP_parallel_sections");
	runtime.loop_static = (loop_fn)find("GOMP_parallel_loop_static");
	runtime.loop_dynamic = (loop_fn)find("GOMP_parallel_loop_nonmonotonic_dynamic");
	runtime.loop_guided = (loop_fn)find("GOMP_parallel_loop_nonmonotonic_guided");
	runtime.loop_runtime = (runtime_fn)find("GOMP_parallel_loop_runtime");
	runtime.barrier = (plain_fn)find("GOMP_barrier");
	runtime.loop_end = (plain_fn)find("GOMP_loop_end");
	runtime.sections_end = (plain_fn)find("GOMP_sections_end");
	runtime.dynamic_start = (start_fn)find("GOMP_loop_nonmonotonic_dynamic_start");
	runtime.guided_start = (start_fn)find("GOMP_loop_nonmonotonic_guided_start");
	runtime.runtime_start = (start_runtime_fn)find("GOMP_loop_runtime_start");
	runtime.task = (task_fn)find("GOMP_task");
	runtime.max_threads = (int (*)(void))find("omp_get_max_threads");
	runtime.level = (int (*)(void))find("omp_get_level");
}

static plain_fn replacement(const char *name)
{
	/* libgomp's own "nonmonotonic" and "maybe_nonmonotonic" do as their siblings do */
	static const struct {
		const char *name;
		plain_fn function;
	} functions[] = {
	    {"GOMP_parallel", (plain_fn)run_parallel},
	    {"GOMP_parallel_reductions", (plain_fn)run_reductions},
	    {"GOMP_parallel_sections", (plain_fn)run_sections},
	    {"GOMP_parallel_loop_static", (plain_fn)run_static},
	    {"GOMP_parallel_loop_dynamic", (plain_fn)run_dynamic},
	    {"GOMP_parallel_loop_nonmonotonic_dynamic", (plain_fn)run_dynamic},
	    {"GOMP_parallel_loop_guided", (plain_fn)run_guided},
	    {"GOMP_parallel_loop_nonmonotonic_guided", (plain_fn)run_guided},
	    {"GOMP_parallel_loop_runtime", (plain_fn)run_runtime},
	    {"GOMP_parallel_loop_nonmonotonic_runtime", (plain_fn)run_runtime},
	    {"GOMP_parallel_loop_maybe_nonmonotonic_runtime", (plain_fn)run_runtime},
	    {"GOMP_loop_dynamic_start", (plain_fn)run_dynamic_start},
	    {"GOMP_loop_nonmonotonic_dynamic_start", (plain_fn)run_dynamic_start},
	    {"GOMP_loop_guided_start", (plain_fn)run_guided_start},
	    {"GOMP_loop_nonmonotonic_guided_start", (plain_fn)run_guided_start},
	    {"GOMP_loop_runtime_start", (plain_fn)run_runtime_start},
	    {"GOMP_loop_nonmonotonic_runtime_start", (plain_fn)run_runtime_start},
	    {"GOMP_loop_maybe_nonmonotonic_runtime_start", (plain_fn)run_runtime_start},
	    {"GOMP_task", (plain_fn)run_task},
	    {"GOMP_barrier", run_barrier},
	    {"GOMP_loop_end", run_loop_end},
	    {"GOMP_sections_end", run_sections_end},
	};

	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].function;
	return NULL;
}

void *pd_openmp_override(const char *name)
{
	plain_fn function = replacement(name);

	if (!function || !find(name))
		return NULL;
	find_runtime();
	return runtime.level ? (void *)(uintptr_t)function : NULL;
}
