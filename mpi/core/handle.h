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
	N_KINDS,
};

#define MPI_HANDLE_PREDEFINED_MAX 0x3ff

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

/* Visits every live handle of `me` (for the report at MPI_Finalize). */
typedef void (*mpi_handle_visit_fn)(void *context, enum mpi_kind kind, void *object,
				    const char *function, const void *site);
void mpi_handle_visit(const struct mpi_rank *me, mpi_handle_visit_fn visit, void *context);

#endif
