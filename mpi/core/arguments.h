/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_ARGUMENTS_H
#define MPI_CORE_ARGUMENTS_H

#include <limits.h>

#include "mpi/core/rank.h"

/*
 * What arguments are looked up and checked with, by the entry points that mpi/abi/entries.py writes
 * and by those that are written by hand. `name`: of the argument, for the sentence. Each returns
 * MPI_SUCCESS, or what raising the error gave: on `comm`, or where that is NULL as mpi_raise says.
 */
struct mpi_comm;
struct mpi_datatype;
struct mpi_file;
struct mpi_group;
struct mpi_info;
struct mpi_op;
struct mpi_win;

/* The object of a handle. `may_be_null`: *out is NULL for the null handle, which is no error. */
int mpi_find_comm(struct mpi_rank *me, struct mpi_comm *comm, MPI_Comm handle, const char *name,
		  bool may_be_null, struct mpi_comm **out);
int mpi_find_datatype(struct mpi_rank *me, struct mpi_comm *comm, MPI_Datatype handle,
		      const char *name, bool may_be_null, struct mpi_datatype **out);
int mpi_find_file(struct mpi_rank *me, struct mpi_comm *comm, MPI_File handle, const char *name,
		  bool may_be_null, struct mpi_file **out);
int mpi_find_group(struct mpi_rank *me, struct mpi_comm *comm, MPI_Group handle, const char *name,
		   bool may_be_null, struct mpi_group **out);
int mpi_find_info(struct mpi_rank *me, struct mpi_comm *comm, MPI_Info handle, const char *name,
		  bool may_be_null, struct mpi_info **out);
int mpi_find_op(struct mpi_rank *me, struct mpi_comm *comm, MPI_Op handle, const char *name,
		bool may_be_null, struct mpi_op **out);
int mpi_find_win(struct mpi_rank *me, struct mpi_comm *comm, MPI_Win handle, const char *name,
		 bool may_be_null, struct mpi_win **out);

/* Where the call writes to, or what it reads: it must not be NULL. */
int mpi_check_place(struct mpi_rank *me, struct mpi_comm *comm, const void *place,
		    const char *name);
int mpi_check_place_of_win(struct mpi_rank *me, struct mpi_win *win, const void *place,
			   const char *name);
int mpi_check_place_of_file(struct mpi_rank *me, struct mpi_file *file, const void *place,
			    const char *name);
/* An array of n items: n must not be negative, and there must be an array for more than 0. */
int mpi_check_list(struct mpi_rank *me, struct mpi_comm *comm, int n, const char *name_of_n,
		   const void *list, const char *name);

/* As an int: MPI_UNDEFINED when it is too large (MPI 4.1, §5.1.5). */
static inline int mpi_narrow(MPI_Count value)
{
	return value > INT_MAX ? MPI_UNDEFINED : (int)value;
}

#endif
