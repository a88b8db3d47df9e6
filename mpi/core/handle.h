/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_HANDLE_H
#define MPI_CORE_HANDLE_H

#include <stdint.h>

/*
 * Handles of objects that the program creates. Predefined handles are the ABI's constants (<
 * 0x400); ours are indices into one table per run with a kind and a generation, so that a stale,
 * foreign or invented handle is recognised without touching memory it points to. Layout of the 64
 * bits: kind << 56 | generation << 36 | index + 1.
 */
enum mpi_kind {
	KIND_COMM = 1,
	KIND_GROUP,
	KIND_DATATYPE,
	KIND_OP,
	KIND_REQUEST,
	KIND_INFO,
	KIND_ERRHANDLER,
	KIND_MESSAGE,
	KIND_WIN,
	KIND_FILE,
	KIND_SESSION,
	KIND_TOOL_CVAR,
	KIND_TOOL_SESSION,
	KIND_TOOL_PVAR,
	N_KINDS,
};

#define MPI_HANDLE_PREDEFINED_MAX 0x3ff

/* The index in the table: of one handle of all that are live. */
static inline uint64_t mpi_handle_index(uintptr_t handle)
{
	return (handle & ((UINT64_C(1) << 36) - 1)) - 1;
}

struct mpi_rank;
struct mpi_handle_table;

int mpi_handle_table_create(struct mpi_handle_table **out);
void mpi_handle_table_destroy(struct mpi_handle_table *table);

/*
 * Makes a handle for `object`, owned by rank `me`, and remembers the present call and its site for
 * the leak report. 0 when out of memory. O(1).
 */
uintptr_t mpi_handle_create(struct mpi_rank *me, enum mpi_kind kind, void *object);
/* Ends the handle's life; later look-ups fail. */
void mpi_handle_destroy(struct mpi_rank *me, uintptr_t handle);
/* The object, or NULL when `handle` is predefined, stale, of another kind or another rank's. O(1).
 */
void *mpi_handle_object(const struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle);

/*
 * Handles as numbers: predefined ones are their own, the others are counted from above. A number
 * knows nothing of generations: it stands for what has its place now. O(1).
 */
int64_t mpi_handle_number(uintptr_t handle);
/* 0 when the number stands for no handle of this kind and rank. */
uintptr_t mpi_handle_of_number(const struct mpi_rank *me, enum mpi_kind kind, int number);

/* Visits every live handle of `me` (for the report at MPI_Finalize). */
typedef void (*mpi_handle_visit_fn)(void *context, enum mpi_kind kind, void *object,
				    const char *function, const void *site);
void mpi_handle_visit(const struct mpi_rank *me, mpi_handle_visit_fn visit, void *context);

#endif
