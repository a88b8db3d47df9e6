/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_RANK_H
#define PDEXEC_RANK_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netmodel/model.h"
#include "pdexec/swap.h"
#include "simcore/engine.h"
#include "simcore/observer.h"
#include "util/error.h"

/*
 * Ranks: the processes of the simulated program, each a task with private memory. A world holds all that one run consists of.
 * `mpi` stands on this header, and keeps its own state behind rank->mpi and world->mpi.
 */
struct pd_image;  /* the loaded executable; pdexec/image.h */
struct pd_store;  /* benchmark store and kernel models; pdexec/store.h */

struct pd_rank;
struct pd_threads; /* that a rank started; pdexec/threads.h */
struct pd_streams;
struct net_devices;

enum pd_compute_mode { PD_COMPUTE_DIRECT, PD_COMPUTE_COLLECT, PD_COMPUTE_PARTIAL, PD_COMPUTE_MODELLED };
enum pd_isolation { PD_ISOLATION_AUTO, PD_ISOLATION_MAP, PD_ISOLATION_COPY };

/*
 * One of the programs that a run consists of; its ranks are consecutive, in the order of the programs. Programs of one job share an MPI_COMM_WORLD; jobs know
 * nothing of each other but share nodes and links.
 */
struct pd_program_config {
	const char *name;               /* of its job, stands before its phases' names; NULL: there is one job */
	const char *path;               /* of the executable; borrowed, as all here */
	char **argv;                    /* argv[0] … NULL, the same for each of its ranks */
	int n_ranks;
	int job;                        /* 0 …, never less than that of the program before */
	const char *directory;          /* working directory at its start; NULL: that of the simulator */
	const char *bench_in;           /* instead of the run's; NULL: none of its own */
	/* Instead of an executable: what each rank does, on its fiber; ends with pd_rank_end. For all programs of a run, or none. NULL: there is an executable. */
	void (*builtin)(struct pd_rank *rank);
	void *context;                  /* of `builtin` */
};

struct pd_config {
	const struct pd_program_config *programs; /* [n_programs]; borrowed */
	int n_programs;
	const int *node_of;             /* [n_ranks], over all programs; borrowed */
	int cpus_per_rank;              /* cores that each rank holds; 0: its share of the node's */
	int max_spawned;                /* ranks that pd_world_add may add */
	enum pd_compute_mode mode;
	const char *bench_in;           /* store or model file; NULL: none */
	const char *blas_model;         /* the same for BLAS routines, which are then charged instead of called; NULL: they are not */
	const char *bench_out;          /* where collect appends; NULL: none */
	int first_n;                    /* > 0: execute and measure the first n calls of each key, replay their average afterwards */
	bool no_alloc;
	int n_scales;                   /* "kernel=0.9", or "*=0.25" for all computation; [n_scales] */
	const char *const *scales;
	double vary_compute, vary_transfer; /* relative amplitudes, 0: none */
	bool vary_kernels;              /* replay the variation that bench_in and blas_model state */
	uint64_t seed;
	size_t stack_size_B;            /* 0: chosen */
	enum pd_isolation isolation;
	int n_private_libraries;        /* names of libraries that are private wherever they lie (pdexec/private.h); borrowed */
	const char *const *private_libraries;
	/*
	 * Room for the program's thread-local variables directly below the thread pointer: the only `_Thread_local` variable of the executable that runs the
	 * simulator, aligned to 64 bytes (tools/run/main.c). NULL: programs that have any are refused.
	 */
	void *tls_area;
	size_t tls_area_size_B;
	void *(*substitute)(const char *name); /* what the program gets for a function of the simulator; NULL, and NULL where it gives it: that one */
};

enum pd_failure_kind {
	PD_FAILURE_NONE,
	PD_FAILURE_DEADLOCK,    /* found by whoever runs the loop */
	PD_FAILURE_ABORT,       /* MPI_Abort or abort() */
	PD_FAILURE_MPI_ERROR,   /* an error under MPI_ERRORS_ARE_FATAL (truncation, invalid arguments) */
	PD_FAILURE_UNSUPPORTED, /* a call that mpisim does not have yet */
	PD_FAILURE_CRASH,       /* a signal */
	PD_FAILURE_OVERFLOW,    /* stack overflow */
	PD_FAILURE_ANNOTATION,  /* wrong use of mpisim.h, a kernel without a measurement */
	PD_FAILURE_MEMORY,      /* the simulator ran out of memory */
};

struct pd_failure {
	enum pd_failure_kind kind;
	int rank;               /* -1: none in particular */
	const char *function;   /* the MPI or mpisim call it was in; NULL: in the application itself */
	const void *site;       /* where the application called it (return address), or just behind the faulting instruction's first byte; NULL: unknown */
	sim_time_ps time;
	int exit_code;          /* of MPI_Abort */
	char text[1024];        /* one sentence */
};

#define PD_MAX_PARTS 8
struct pd_part {
	const char *kernel;             /* interned */
	double seconds;
};

struct pd_program {
	struct pd_program_config config;
	int first_rank;
	int n_cpus;                   /* cores of the node that each of its ranks holds, 1 … */
	struct pd_image *image;
	const struct pd_swap *swap;   /* the image's; NULL: built in */
	struct pd_store *store;
	struct sim_fiber_set *fibers; /* of its ranks, where it was added; NULL: the world's */
};

struct pd_rank {
	struct sim_task task;           /* task.data points back to this */
	int rank, node;                 /* rank: over all programs of the run */
	int core;                       /* the first one that it holds; the others follow */
	int place;                      /* among the ranks that were placed on its node */
	struct pd_program *program;
	struct pd_world *world;
	void *mpi;                      /* the MPI layer's state of this rank */
	/* the call that the rank is in, for reports; NULL between calls */
	const char *function;
	const void *site;
	/* computation step that is being accumulated */
	double pending_s;               /* charged so far, reference CPU seconds */
	double host_mark_s;             /* host time at which measuring (re)started */
	bool is_measuring;
	bool has_step;                  /* is_measuring, pending_s is not 0, or a kernel of a stream is open */
	bool is_computing;              /* blocked until `compute` is done */
	int n_parts;                    /* of pending_s, by kernel; what is not annotated is the rest */
	struct pd_part parts[PD_MAX_PARTS];
	unsigned char told;             /* bit i: parts[i] has said what it reads and writes of memory … */
	double memory_B;                /* … in all */
	struct net_compute compute;
	void *annotation;               /* pdexec/annotate.c */
	struct pd_streams *streams;     /* pdexec/device.h; NULL: none in use */
	struct pd_threads *threads;     /* NULL: it has never started any */
	void *process;                  /* libc state: atexit list, rand, strtok, getopt, … (pdexec/process.c) */
	/* reading clocks */
	sim_time_ps clock_read_at;      /* the last one */
	uint32_t n_clock_spins;         /* reads in a row at the same simulated time */
	bool has_ended;
	int exit_code;
};

/*
 * Whoever gives nodes to the programs of a run (tools/run/launcher.h). `released` and `rank_ended` are called on the rank's fiber; without a broker a rank may
 * have its node back at any time.
 */
struct pd_node_broker {
	void *context;
	bool (*may_acquire)(void *context, struct pd_rank *rank); /* false: the rank's task is woken when it may try again */
	void (*acquired)(void *context, struct pd_rank *rank);
	void (*released)(void *context, struct pd_rank *rank);
	void (*rank_ended)(void *context, struct pd_rank *rank);
	/* How many ranks hold the node; -1: processes that `rank` spawns cannot begin there. */
	int (*holders)(void *context, const struct pd_rank *rank, int node);
	/* `n` processes that `rank` spawns are about to begin on these nodes; then they have begun, from rank `first` on (-1: they do not). */
	void (*spawning)(void *context, const struct pd_rank *rank, int n, const int node_of[]);
	void (*spawned)(void *context, const struct pd_rank *rank, int first, int n, const int node_of[]);
};

enum { PD_UNWIND_WORDS = 5 };

/* The first timer of the host that a program set; `function` NULL: none. */
struct pd_timer {
	int rank;
	const char *function;
	const void *site;
};

struct pd_world {
	struct pd_config config;
	struct sim_engine engine;
	struct net_model *model;        /* borrowed */
	const struct cluster *cluster;
	struct sim_observers observers;
	struct pd_node_broker broker;   /* all NULL: none */
	struct sim_fiber_set *fibers;
	struct pd_program *programs;    /* [n_programs]; stays where it is */
	int *n_on;                      /* [n_nodes] ranks that were placed on each */
	int n_programs;
	struct pd_signals *signals;     /* handlers while the world exists; pdexec/signals.h */
	struct pd_blas *blas;           /* pdexec/blas.h; NULL without config.blas_model */
	struct pd_noalloc *noalloc;     /* buffers that are not there, or of accelerators; pdexec/noalloc.h; NULL: none */
	struct net_devices *devices;    /* accelerators that are in use; NULL: none */
	int n_waiting;			/* ranks that wait in the system; pdexec/waiting.c */
	void *no_input;                 /* FILE that is empty: standard input of all ranks but 0; pdexec/streams.c */
	struct pd_process *outside;     /* variables of libc as they were around the run */
	char *thread;                   /* thread pointer of the thread that runs the ranks */
	int *error;                     /* its errno */
	bool is_builtin;                /* the programs are built in: there is nothing of libc to keep apart, nothing is measured */
	const char *(*describe_site)(const void *site); /* of a built-in program; NULL: as for executables */
	int process_id;                 /* of the simulator: children of fork() are none of its ranks */
	struct pd_rank *ranks;          /* [n_ranks]; stays where it is when ranks are added */
	struct pd_directories *directories; /* pdexec/directory.h */
	struct pd_private *private;     /* libraries with variables for each rank; pdexec/private.h */
	int n_ranks, n_running;         /* n_running: those that have not ended, started or not */
	void *mpi;
	void (*mpi_rank_end)(struct pd_rank *rank); /* called on the rank's fiber when it has returned or exited; set by mpi */
	struct pd_failure failure;      /* kind != NONE: the run is over */
	/* whether pages there are closed for a check; they are open from now on, and the access is done again. Called in the signal's handler;
	   `site`: in the program, NULL: the library did it, or a system call is going to; set by mpi, NULL: nobody asks */
	bool (*fault)(struct pd_world *world, const void *address, size_t size_B, const void *site);
	struct pd_rank *receiver; /* into whose buffer a message is being copied right now; NULL:
				     nobody's, or by the rank itself. Set by mpi */
	jmp_buf *way_out; /* of whoever steps the engine: taken when a fault ends the run outside of
			     ranks, with `failure` set; NULL: none */
	struct pd_timer timer;          /* pdexec/timers.c */
	bool has_skipped;               /* a kernel was skipped that did not say what it accesses */
	bool is_annotated;              /* some rank, or the trace, has said what computing takes: a kernel, a time */
	uint64_t n_ended_badly;         /* ranks that returned a non-zero exit code */
	double needed_B;                /* of memory, before the programs allocate anything: pdexec/estimate.h */
	void **unwind; /* [PD_UNWIND_WORDS], for __builtin_setjmp: where pd_fail goes when a rank's
			  work is not done on its fiber; NULL: it is */
	bool counts_clocks;             /* a rank's clocks tell how often it has read them, not the time */
	double clock_cost_s;            /* of reading the host's clock, taken out of what is measured; 0: not known yet (pdexec/compute.c) */
};

/*
 * The rank whose application or MPI code is executing; in the engine's loop the one that ran last, NULL before the first. The
 * one mutable global.
 */
extern struct pd_rank *pd_current;
/* Is this the thread that the ranks run on, not one that a program started? */
bool pd_is_own_thread(const struct pd_world *world);
/* In a child of fork(), where nothing is a rank: the rank that called fork(). NULL: this is no child, or a thread's. */
struct pd_rank *pd_rank_before_fork(void);
/* The rank that is executing on the calling thread; NULL in the engine's loop and on threads that the program started. */
struct pd_rank *pd_rank_here(void);

/*
 * Loads the programs and prepares the ranks; nothing runs yet. `cluster` is borrowed, `observers` copied (NULL: none); the model is created on world->engine. Errors: UTIL_EINPUT for a program that is not there or
 * is no position-independent executable of this machine; UTIL_ENOMEM; what the store's file says.
 */
int pd_world_create(const struct pd_config *config, const struct cluster *cluster,
		    const struct sim_observers *observers, struct pd_world **out,
		    struct util_error *err);
void pd_world_destroy(struct pd_world *world);
/* Makes every rank ready to run; then step world->engine until idle or pd_world_is_over. */
void pd_world_start(struct pd_world *world);
/* The same for the ranks of one program, now or at any later instant; until then their nodes may be changed. */
void pd_program_start(struct pd_world *world, struct pd_program *program);
/*
 * Adds `n` programs of a new job with their ranks, `node_of` in their order, while the world runs,
 * but not on a rank's fiber; pd_program_start is the caller's. All of them, or none and an error as
 * pd_world_create's, or UTIL_EINPUT for more than config.max_spawned ranks in all. `programs` and
 * what they hold are borrowed until the world is destroyed.
 */
int pd_world_add(struct pd_world *world, const struct pd_program_config programs[], int n,
		 const int node_of[], struct util_error *err);
/* Turns SIM_STEP_NO_MEMORY and SIM_STEP_OVERFLOW into world->failure. */
void pd_world_fail_step(struct pd_world *world, enum sim_step step);
/* sim_engine_run with that: whoever looks at pd_world_is_over when it returns misses nothing. */
static inline enum sim_step pd_world_run(struct pd_world *world, uint32_t n_tasks)
{
	enum sim_step step = sim_engine_run(&world->engine, n_tasks);

	if (__builtin_expect(step >= SIM_STEP_NO_MEMORY, 0))
		pd_world_fail_step(world, step);
	return step;
}
static inline enum sim_step pd_world_step(struct pd_world *world)
{
	return pd_world_run(world, 1);
}
static inline bool pd_world_is_over(const struct pd_world *world)
{
	return world->failure.kind != PD_FAILURE_NONE || world->n_running == 0;
}

/* Ends the run with a failure of the calling rank; does not return to the application. On a rank's fiber only. */
_Noreturn void pd_fail(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of a rank that does not call, or goes on until it blocks. On any fiber or none. */
void pd_fail_aside(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What the end of a rank means to the layers above and to those who record. */
void pd_rank_end(struct pd_rank *rank, int code);
/* Ends the calling rank as _exit(code) does. */
_Noreturn void pd_rank_leave(struct pd_rank *rank, int code);
/* Ends the calling rank as exit(code) does: atexit handlers, destructors. Does not return. */
_Noreturn void pd_rank_exit(struct pd_rank *rank, int code);

/* --- computation steps (pdexec/compute.c) --- */

/*
 * Ends the computation step: stops measuring and, when time was charged, blocks until the rank's node has computed it. Called at the entry of every MPI call and
 * clock read; costs a compare when there is nothing to do.
 */
void pd_compute_end_step(struct pd_rank *rank);
static inline void pd_compute_end(struct pd_rank *rank)
{
	if (rank->has_step)
		pd_compute_end_step(rank);
}
/*
 * Ends a step that was only measured, without letting its time pass: the seconds of the reference
 * CPU, which the caller lets pass otherwise, or gives back to a step of their own. 0: nothing was
 * measured, or annotations charged something; then pd_compute_end has to end it.
 */
double pd_compute_take(struct pd_rank *rank);
void pd_compute_give_back(struct pd_rank *rank, double seconds);
/* The call returns to the application: starts measuring in the modes that measure. */
void pd_compute_begin_measuring(struct pd_rank *rank);
static inline void pd_compute_begin(struct pd_rank *rank)
{
	if (rank->world->config.mode != PD_COMPUTE_MODELLED && !rank->world->is_builtin)
		pd_compute_begin_measuring(rank);
}

/*
 * The program reads a clock, outside a computation step: the present time. A program that does nothing but read it until some time has come would wait for
 * ever where nothing is measured: after a thousand reads at one instant each waits, 1 us first, then twice as long up to 1 ms.
 */
sim_time_ps pd_clock_read(struct pd_rank *rank);

/* --- memory (pdexec/image.h, pdexec/noalloc.c) --- */

/* Where buffers lie that are not there. */
#define PD_ABSENT_BEGIN ((uintptr_t)0x200000000000)
#define PD_ABSENT_B ((size_t)48 << 40)

/* Where the bytes at `address`, as `rank` sees it, lie now: differs from `address` only for globals of a rank that is swapped out. O(1). */
void *pd_rank_memory_aside(const struct pd_rank *rank, const void *address); /* for the next one */
static inline void *pd_rank_memory(const struct pd_rank *rank, const void *address)
{
	const struct pd_swap *swap = rank->program->swap;

	return swap && swap->n_regions > 0 ? pd_rank_memory_aside(rank, address)
					   : (void *)(uintptr_t)address;
}
/* Whether the bytes at `address`, as `rank`, who runs, sees it, lie there for good. O(1). */
bool pd_rank_memory_stays(const struct pd_rank *rank, const void *address);
/*
 * Lets `to`'s memory lie at its own addresses instead of `from`'s (NULL: nobody's). Whoever does so for a moment exchanges with pd_current, and back before
 * anything else runs. O(bytes that ranks exchange).
 */
void pd_rank_memory_exchange(struct pd_rank *from, struct pd_rank *to);
/* An address with room around it that pd_memory_is_absent holds for, in every world: buffers of built-in programs. */
void *pd_memory_absent(void);
/*
 * What is there of [address, address + size_B), which lies in one buffer of mpisim_alloc_part: out[0] and so many bytes, none: 0. For
 * addresses among those that are absent otherwise. O(1).
 */
size_t pd_memory_part(const void *address, size_t size_B, char **out);
/* Whether `address` lies where buffers are that are not there, or not but for a part. */
static inline bool pd_memory_is_reserved(const void *address)
{
	return (uintptr_t)address - PD_ABSENT_BEGIN < PD_ABSENT_B;
}
/* Whether it lies in memory of an accelerator (mpisim_device_alloc). O(1). */
bool pd_memory_is_device_aside(const void *address); /* for the next one */
static inline bool pd_memory_is_device(const void *address)
{
	return __builtin_expect(pd_memory_is_reserved(address), 0) && pd_memory_is_device_aside(address);
}
/* True when `address` lies in a buffer that was reserved but not allocated (--no-alloc): it must not be touched. O(1). */
static inline bool pd_memory_is_absent(const void *address)
{
	char *part;

	return __builtin_expect(pd_memory_is_reserved(address), 0) && pd_memory_part(address, 1, &part) == 0;
}

/*
 * "lu.c:88 (main)" for an address in the program or a library it loaded; "lu+0x12ab" without debug information. `size` >= 64. Starts a helper process (addr2line): for
 * reports only. Returns `buf`.
 */
char *pd_describe_site(const struct pd_world *world, const void *site, char *buf, size_t size);
/* The next calls are for these (NULL: none): one process tells of all that are in the program. */
void pd_describe_soon(const struct pd_world *world, const void *const sites[], size_t n);
/* The same, and a line more for each function that the place's is part of by inlining, from there outwards. */
char *pd_describe_frames(const struct pd_world *world, const void *site, char *buf, size_t size);

#endif
