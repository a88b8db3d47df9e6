/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_TYPEMAP_H
#define MPI_DATATYPE_TYPEMAP_H

#include "mpi/datatype/datatype.h"

/*
 * The engine behind datatype.h: a type is a tree. An inner node is a list of blocks, each of them
 * `length` consecutive items of a child; leaves are the predefined types. Regular lists
 * (contiguous, vector, dimensions of arrays) are kept as four numbers, so that a vector of 10^6
 * blocks costs what a vector of 2 does.
 */
enum mpi_map_kind {
	MAP_STRIDED, /* block i: `blocklength` items of `child` at offset_B + i * stride_B */
	MAP_INDEXED, /* block i: lengths[i] (or blocklength) items of `child` at displs[i] * scale_B
		      */
	MAP_STRUCT,  /* block i: lengths[i] items of types[i] at displs[i] */
};

struct mpi_typemap {
	enum mpi_map_kind kind;
	MPI_Count n_blocks;
	MPI_Count blocklength; /* where `lengths` is NULL */
	MPI_Count offset_B, stride_B;
	const MPI_Count *lengths, *displs; /* [n_blocks]; borrowed from the contents */
	MPI_Count scale_B;
	struct mpi_datatype *child;	   /* borrowed: `inner` or a type of the contents */
	struct mpi_datatype *const *types; /* [n_blocks]; borrowed from the contents */
	struct mpi_datatype *inner; /* owned reference to an intermediate type; may be NULL */
};

/* The arguments a type was made with, as MPI_Type_get_contents gives them. */
struct mpi_type_contents {
	int combiner;
	MPI_Count n_integers, n_addresses, n_counts, n_types;
	MPI_Count *values;	     /* [n_integers + n_addresses + n_counts], in this order */
	struct mpi_datatype **types; /* [n_types], retained */
};

/* How many items block i has and where it lies. */
static inline MPI_Count mpi_map_length(const struct mpi_typemap *map, MPI_Count i)
{
	return map->lengths ? map->lengths[i] : map->blocklength;
}

static inline MPI_Count mpi_map_displacement(const struct mpi_typemap *map, MPI_Count i)
{
	return map->kind == MAP_STRIDED ? map->offset_B + i * map->stride_B
					: map->displs[i] * map->scale_B;
}

static inline struct mpi_datatype *mpi_map_child(const struct mpi_typemap *map, MPI_Count i)
{
	return map->kind == MAP_STRUCT ? map->types[i] : map->child;
}

/* The predefined type with this number (MPI_INT: 0x209), NULL when there is none. Constant, shared
 * by all ranks. */
struct mpi_datatype *mpi_datatype_predefined(uintptr_t number);

/*
 * Contents with zeroed values and room for n_types retained types, filled by the caller. NULL when
 * out of memory.
 */
struct mpi_type_contents *mpi_contents_create(int combiner, MPI_Count n_integers,
					      MPI_Count n_addresses, MPI_Count n_counts,
					      MPI_Count n_types);
void mpi_contents_destroy(struct mpi_rank *me,
			  struct mpi_type_contents *contents); /* NULL is fine */

/*
 * Makes a type without a handle from its map (copied; map->inner is taken over) and its contents
 * (taken over; NULL for intermediate types), and computes its size and bounds. MPI_SUCCESS;
 * MPI_ERR_NO_MEM; MPI_ERR_VALUE_TOO_LARGE when size or bounds do not fit into MPI_Count: then both
 * are released. O(1) for MAP_STRIDED, else O(n_blocks).
 */
int mpi_datatype_build(struct mpi_rank *me, const struct mpi_typemap *map,
		       struct mpi_type_contents *contents, struct mpi_datatype **out);
/* Sets lower bound and extent as MPI_Type_create_resized does. */
void mpi_datatype_set_bounds(struct mpi_datatype *type, MPI_Count lb_B, MPI_Count extent_B);
/*
 * Gives the outcome of a construction (`code` of mpi_datatype_build) to the application: a handle
 * in *newtype, or the error. Returns the code to leave with.
 */
int mpi_datatype_publish(struct mpi_rank *me, int code, struct mpi_datatype *type,
			 MPI_Datatype *newtype);

/* Basic elements in the first size_B bytes of items of `type`; -1 when they end within an element.
 */
MPI_Count mpi_datatype_elements(const struct mpi_datatype *type, MPI_Count size_B);
/* Bytes of the first n basic elements of items of `type`. */
MPI_Count mpi_datatype_bytes(const struct mpi_datatype *type, MPI_Count n_elements);

/* Bytes of one item in the "external32" representation. */
MPI_Count mpi_external_size(const struct mpi_datatype *type);
/* Converts `count` items between `buf` and `external`. */
void mpi_external_pack(const struct mpi_datatype *type, const void *buf, MPI_Count count,
		       void *external);
void mpi_external_unpack(const struct mpi_datatype *type, void *buf, MPI_Count count,
			 const void *external);

#endif
