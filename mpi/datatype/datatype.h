/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_DATATYPE_H
#define MPI_DATATYPE_DATATYPE_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/core/rank.h"

/* The datatype engine: what the rest of the library needs to know of a datatype. Typemap and
 * constructors are the engine's own. */
struct mpi_typemap;
struct mpi_type_contents;
struct mpi_attribute;

enum mpi_basic {	     /* element classes on which operations are defined */
		 BASIC_NONE, /* derived, or not a type for reductions */
		 BASIC_INTEGER,
		 BASIC_UNSIGNED,
		 BASIC_FLOAT,
		 BASIC_COMPLEX,
		 BASIC_LOGICAL,
		 BASIC_BYTE,
		 BASIC_CHAR, /* MPI_CHAR, MPI_CHARACTER, MPI_WCHAR: communication only */
		 BASIC_PAIR, /* for MINLOC, MAXLOC */
};

enum mpi_element { /* how one element lies in memory; complex ones by their parts; logical ones by
		      the integer of their size */
		   ELEMENT_NONE, /* derived, and the pairs */
		   ELEMENT_INT8,
		   ELEMENT_INT16,
		   ELEMENT_INT32,
		   ELEMENT_INT64,
		   ELEMENT_INT128,
		   ELEMENT_UINT8,
		   ELEMENT_UINT16,
		   ELEMENT_UINT32,
		   ELEMENT_UINT64,
		   ELEMENT_FLOAT16, /* IEEE binary16 */
		   ELEMENT_FLOAT,
		   ELEMENT_DOUBLE,
		   ELEMENT_LONG_DOUBLE,
		   ELEMENT_FLOAT128, /* IEEE binary128 */
};

struct mpi_datatype {
	MPI_Datatype handle;
	int n_references;
	bool is_predefined, is_committed;
	bool is_contiguous; /* `count` items are count * size_B bytes without holes, at buf +
			       true_lb_B */
	bool is_dense; /* the data of one item is a run of size_B bytes at true_lb_B, in typemap
			     order */
	bool has_lb, has_ub; /* this bound was set, by MPI_Type_create_resized, by an array
				constructor (these set both), or by MPI_LB or MPI_UB */
	MPI_Count size_B;    /* bytes of data per item */
	MPI_Count lb_B, extent_B;
	MPI_Count true_lb_B, true_extent_B;
	MPI_Count n_elements; /* basic elements per item */
	int alignment_B;      /* the largest of its basic elements */
	enum mpi_basic basic;
	enum mpi_element element;
	struct mpi_typemap *map;	    /* NULL for predefined ones that are not pairs */
	struct mpi_type_contents *contents; /* how it was made; NULL for predefined ones */
	char *name;
	struct mpi_attribute *attributes;
};

/* The predefined ones by their numbers from the first one; all zero where there is none. */
#define MPI_DATATYPE_FIRST_NUMBER 0x200
#define MPI_DATATYPE_N_NUMBERS 0x100
extern const struct mpi_datatype mpi_datatypes_predefined[MPI_DATATYPE_N_NUMBERS];

/* The datatype of a handle; NULL when it is none. O(1). */
struct mpi_datatype *mpi_datatype_get(const struct mpi_rank *me, MPI_Datatype handle);
static inline void mpi_datatype_retain(struct mpi_datatype *type)
{
	if (!type->is_predefined)
		type->n_references++;
}
void mpi_datatype_destroy(struct mpi_rank *me, struct mpi_datatype *type); /* for the next one */
/* Frees at the last reference; NULL and predefined are fine. */
static inline void mpi_datatype_release(struct mpi_rank *me, struct mpi_datatype *type)
{
	if (type && !type->is_predefined && --type->n_references <= 0)
		mpi_datatype_destroy(me, type);
}

/* MPI_BOTTOM is NULL in this ABI: only a type with absolute addresses may go with it. */
#define MPI_ABSOLUTE_ADDRESS_MIN 4096
static inline bool mpi_datatype_is_relative(const struct mpi_datatype *type)
{
	return type->true_lb_B > -MPI_ABSOLUTE_ADDRESS_MIN &&
	       type->true_lb_B < MPI_ABSOLUTE_ADDRESS_MIN;
}

/* One more handle for a derived type, which the program frees as any other; of predefined ones
 * theirs. MPI_DATATYPE_NULL when out of memory. */
MPI_Datatype mpi_datatype_new_handle(struct mpi_rank *me, struct mpi_datatype *type);

/*
 * Marshals `count` items at `buf` into `packed` (count * size_B bytes) and back; never touches a
 * hole. Unpack stops after `size_B` bytes, which may end within an item. `buf` is as the
 * application gave it: both run on the owner's own fiber.
 */
void mpi_datatype_pack(const struct mpi_datatype *type, const void *buf, MPI_Count count,
		       void *packed);
void mpi_datatype_unpack(const struct mpi_datatype *type, void *buf, MPI_Count count,
			 const void *packed, MPI_Count size_B);

/*
 * Calls `visit` for each run of bytes that `count` items at `buf` consist of, in typemap order;
 * holes lie between them, but runs may touch.
 */
typedef void (*mpi_datatype_run_fn)(void *context, uintptr_t at, size_t size_B);
void mpi_datatype_runs(const struct mpi_datatype *type, const void *buf, MPI_Count count,
		       mpi_datatype_run_fn visit, void *context);

#endif
