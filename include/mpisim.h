/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPISIM_H
#define MPISIM_H

#include <stddef.h>
#include <stdint.h>

/*
 * The annotation API of mpisim. The same source runs in the simulator (linked by mpisim-cc) and under a real MPI (linked with
 * libmpisim-real, see `pkg-config mpisim-real`). Times are seconds. Which mode a run is in decides everything: programs have no modes of their own.
 *
 *     if (mpisim_kernel_begin("dgemm", 3, (double[]){m, n, k}))
 *             cblas_dgemm(…);
 *     mpisim_kernel_end();
 */
#ifdef __cplusplus
extern "C" {
#endif
#if defined(MPISIM_BUILDING)
#pragma GCC visibility push(default)
#endif

#define MPISIM_MAX_PARAMS 4

/*
 * Charges `seconds` of computation on the reference CPU to the calling rank. Negative amounts take time out again (the cost of obtaining an
 * estimate); a computation step never ends below 0. Under a real MPI: nothing, or sleeps (MPISIM_REAL_SLEEP=1).
 */
void mpisim_add_compute_time(double seconds);
void add_compute_time(double seconds); /* short name of the above */

/*
 * Opens an annotated kernel with its name and 0 … MPISIM_MAX_PARAMS parameters. 1: execute the kernel; 0: skip it, its time is charged.
 * Every begin is followed by an end, on the same rank, whatever was returned. Kernels do not nest and call no MPI.
 */
int mpisim_kernel_begin(const char *name, int n_params, const double params[]);
void mpisim_kernel_end(void);
/*
 * Within a kernel: it reads and writes so many bytes of memory in all, beyond its caches. Where the cluster file says what memory carries (cores.memory),
 * kernels and copies of messages share that. A kernel that says nothing draws what cores.computation says.
 */
void mpisim_kernel_memory(double bytes);
/* The time that the store or model has for this kernel, in seconds; negative when there is none. */
double mpisim_kernel_time(const char *name, int n_params, const double params[]);

/*
 * Accelerators. A stream is a queue of work that the calling rank hands to its accelerator: pieces of one stream follow each other, those of
 * several go on side by side. Streams are numbers from 0 on, and are there without being made. The cluster file says how many accelerators a node
 * has (`accelerators`); rank k of a node has number k modulo that. The calls return when the work is handed over; its time passes until it is
 * waited for. On this host kernels run, and copies are made, at once. docs/kernels.md, docs/model.md §12
 *
 *     if (mpisim_stream_kernel_begin("stencil", 2, (double[]){nx, ny}, 1))
 *             stencil(…);
 *     mpisim_kernel_end();
 *     …
 *     mpisim_stream_synchronize(1);
 */
#define MPISIM_MAX_STREAMS 32

/* As mpisim_kernel_begin; the time of the kernel is the stream's. mpisim_kernel_end ends it. */
int mpisim_stream_kernel_begin(const char *name, int n_params, const double params[], int stream);
/* Copies to the accelerator or from it: one of the two lies in a buffer of mpisim_device_alloc. */
void mpisim_stream_copy(void *to, const void *from, size_t size_B, int stream);
/* What is handed to `stream` from now on begins after all that was handed to `other`. */
void mpisim_stream_wait(int stream, int other);
/* Returns when the stream, or all of the rank, have done all. Before its end a rank waits for all. */
void mpisim_stream_synchronize(int stream);
void mpisim_device_synchronize(void);
/* Memory of the accelerator, which the program may touch here. MPI calls know it: those that cannot take it end the run. NULL: none is left. */
void *mpisim_device_alloc(size_t size_B);
void mpisim_device_free(void *buf);

/* Named regions for the report; phases nest. */
void mpisim_phase_begin(const char *name);
void mpisim_phase_end(void);

/* A large buffer whose content is only touched by annotated kernels and MPI: reserves no memory with --no-alloc. NULL when out of memory. */
void *mpisim_alloc(size_t size_B);
/*
 * The same, but for its bytes [from_B, from_B + there_B), which are there in any case: small data within large. Messages from one
 * rank to another carry what is there of both their buffers.
 */
void *mpisim_alloc_part(size_t size_B, size_t from_B, size_t there_B);
void mpisim_free(void *buf);

/* The calling rank no longer needs its node: the node stops counting in dynamic efficiency once every rank on it has said so. */
void mpisim_node_release(void);
/* … needs it again: it counts from now on. In a schedule of jobs this waits while another job has the node for itself. */
void mpisim_node_acquire(void);
/* 1 in the simulator, 0 under a real MPI. */
int mpisim_is_simulated(void);
/* The host's clock (MPI_Wtime gives simulated time). */
double mpisim_real_time(void);

/*
 * mpisim_state(name, address, count, MPI datatype): memory that is a result of the calling rank, for comparing the orders in which messages may
 * be received (docs/verify-orders.md). It is read when the rank finalizes, and while it waits. The same name again replaces it; count 0 takes it out. Types
 * without gaps only. Does nothing but under --verify=orders, and under a real MPI.
 */
#define mpisim_state(name, address, count, type) mpisim_state_register((name), (address), (size_t)(count), (const void *)(intptr_t)(type))
void mpisim_state_register(const char *name, const void *address, size_t count, const void *type);

/*
 * mpisim_touch(address, count, MPI datatype, MPISIM_READ | MPISIM_WRITE, fraction): memory that a computation accesses, first when `fraction`
 * (0 ... 1) of it is over: of the kernel that is open, else of all that is computed from the MPI call before to the next one. For kernels that
 * may be skipped, between begin and end: --verify=memory then knows what a skipped kernel would have read and written. Memory that is not told
 * counts as not accessed. Holes of the datatype are left out. Under a real MPI: nothing.
 */
#define MPISIM_READ 1
#define MPISIM_WRITE 2
#define mpisim_touch(address, count, type, use, fraction) \
	mpisim_touch_memory((address), (size_t)(count), (const void *)(intptr_t)(type), (use), (fraction))
void mpisim_touch_memory(const void *address, size_t count, const void *type, int use, double fraction);

#if defined(MPISIM_BUILDING)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
