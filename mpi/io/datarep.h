/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_IO_DATAREP_H
#define MPI_IO_DATAREP_H

#include "mpi/datatype/typemap.h"
#include "util/list.h"

/* Data representations: how elements lie in a file. */
enum io_datarep_kind {
	DATAREP_NATIVE,	  /* as in memory: "native" and "internal" */
	DATAREP_EXTERNAL, /* "external32" */
	DATAREP_USER,	  /* of MPI_Register_datarep */
};

struct io_converter { /* one of the two, or neither: MPI_CONVERSION_FN_NULL */
	MPI_Datarep_conversion_function *plain;
	MPI_Datarep_conversion_function_c *large;
};

struct io_datarep {
	struct util_link link;
	char name[MPI_MAX_DATAREP_STRING];
	enum io_datarep_kind kind;
	struct io_converter read, write;
	MPI_Datarep_extent_function *extent;
	void *extra_state; /* of Fortran: an integer */
	enum mpi_language language;
};

const struct io_datarep *io_datarep_native(void);
/* The representation of this name; NULL: there is none. */
const struct io_datarep *io_datarep_find(struct mpi_rank *me, const char *name);

/*
 * The type as it lies in files: predefined types have the representation's size; displacements
 * counted in items follow, those in bytes stay. Valid as long as `type` is. *out is a reference,
 * the type itself where nothing differs. MPI_SUCCESS, or an error class that is yet to be raised:
 * MPI_ERR_CONVERSION when the program's function fails.
 */
int io_datarep_layout(struct mpi_rank *me, const struct io_datarep *datarep,
		      struct mpi_datatype *type, struct mpi_datatype **out);

/* Items of `type` at `buf` as they lie in a file, one behind the other, into *out (malloc, the
 * caller's; *size_B bytes). MPI_SUCCESS, or an error class that is yet to be raised. */
int io_datarep_write(struct mpi_rank *me, const struct io_datarep *datarep, const void *buf,
		     MPI_Count count, struct mpi_datatype *type, char **out, int64_t *size_B);
/* The other way: `size_B` bytes that were read, which may end within an item. *out_B: what came of
 * them in memory. */
int io_datarep_read(struct mpi_rank *me, const struct io_datarep *datarep, void *buf,
		    MPI_Count count, struct mpi_datatype *type, const char *bytes, int64_t size_B,
		    int64_t *out_B);
/* What so many bytes of the file are in memory: whole elements. */
int io_datarep_in_memory(struct mpi_rank *me, const struct io_datarep *datarep,
			 struct mpi_datatype *type, int64_t size_B, int64_t *out_B);
/* What the program's function says: bytes of an element of a predefined type in a file. Its code. */
int io_datarep_extent(const struct io_datarep *datarep, const struct mpi_datatype *type,
		      MPI_Aint *out_B);
/* Bytes of one item in a file. */
int io_datarep_item(struct mpi_rank *me, const struct io_datarep *datarep,
		    struct mpi_datatype *type, MPI_Count *out_B);

#endif
