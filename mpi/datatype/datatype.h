/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_DATATYPE_H
#define MPI_DATATYPE_DATATYPE_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/core/rank.h"

/* The datatype engine: what the rest of the library needs to know of a datatype. Typemap and constructors are the engine's own. */
struct mpi_typemap;

enum mpi_basic { /* element classes on which operations are defined */
	BASIC_NONE, /* derived, or not a type for reductions */
	BASIC_INTEGER,
	BASIC_UNSIGNED,
	BASIC_FLOAT,
	BASIC_COMPLEX,
	BASIC_LOGICAL,
	BASIC_BYTE,
	BASIC_CHAR,  /* MPI_CHAR, MPI_CHARACTER, MPI_WCHAR: communication only */
	BASIC_PAIR,  /* for MINLOC, MAXLOC */
};

struct mpi_datatype {
	MPI_Datatype handle;
	int n_references;
	bool is_predefined, is_committed;
	bool is_contiguous;       /* `count` items are count * size_B bytes without holes, at buf + true_lb_B */
	MPI_Count size_B;         /* bytes of data per item */
	MPI_Count lb_B, extent_B;
	MPI_Count true_lb_B, true_extent_B;
	enum mpi_basic basic;
	struct mpi_typemap *map;  /* NULL for predefined ones that are not pairs */
	char *name;
	void *attributes;
};

/* The datatype of a handle; NULL when it is none. O(1). */
struct mpi_datatype *mpi_datatype_get(const struct mpi_rank *me, MPI_Datatype handle);
void mpi_datatype_retain(struct mpi_datatype *type);
void mpi_datatype_release(struct mpi_rank *me, struct mpi_datatype *type); /* frees at the last reference; NULL and predefined are fine */

/*
 * Marshals `count` items at `buf` into `packed` (count * size_B bytes) and back; never touches a hole. Unpack stops after `size_B` bytes, which may end within an item.
 * `buf` is as the application gave it: both run on the owner's own fiber.
 */
void mpi_datatype_pack(const struct mpi_datatype *type, const void *buf, MPI_Count count, void *packed);
void mpi_datatype_unpack(const struct mpi_datatype *type, void *buf, MPI_Count count, const void *packed, MPI_Count size_B);

#endif
