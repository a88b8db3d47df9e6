/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_IO_FILE_H
#define MPI_IO_FILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/comm/comm.h"
#include "mpi/core/meeting.h"
#include "mpi/io/view.h"
#include "netmodel/storage.h"
#include "util/list.h"

/*
 * Files. What all ranks that opened one together share is an io_shared; what one rank has of it,
 * and what its handle names, is a mpi_file. The bytes are those of a real file, which is open once
 * for all of them.
 */
struct mpi_errhandler;
struct mpi_info;
struct mpi_request;
struct io_datarep;
struct io_op;

struct io_shared {
	struct mpi_meeting meeting; /* first */
	int fd;		  /* -1: not open */
	char *path;	  /* as rank 0 gave it; NULL: not yet */
	char *found;	  /* the same from the root: ranks may be in different directories */
	int64_t pointer;  /* the shared file pointer, in etypes of the view */
	int64_t opened_at; /* where all pointers began */
	int64_t base;	  /* of the ordered access under way: where rank 0's data lie */
	uint32_t n_steps; /* collective steps that the first member has taken for all */
	struct net_stripes stripes;
};

struct mpi_file {
	struct util_link link; /* of the same rank */
	MPI_File handle;
	struct io_shared *shared;
	struct mpi_rank *owner;
	int64_t number;	       /* of the rank's: mpi/io/effects.h */
	struct mpi_comm *comm; /* of its own */
	struct mpi_errhandler *errhandler;
	struct mpi_info *info;
	int amode;
	bool is_atomic;
	struct io_view view;
	int64_t pointer;  /* the individual file pointer, in etypes of the view */
	int n_pending;	  /* nonblocking accesses under way */
	uint32_t n_steps; /* collective steps that this member has come to */
	struct {	  /* the split collective that has begun */
		bool is_active;
		int kind; /* which end belongs to it: io_split_kind */
		struct mpi_request *request;
		MPI_Status status;
	} split;
};

struct io_world { /* what this chapter keeps per run (mpi_world.io) */
	struct net_storage *storage; /* made at its first use */
	struct io_op *ops;	     /* accesses that are not over */
};

struct io_rank {			   /* … and per rank (mpi_rank.io) */
	struct mpi_errhandler *errhandler; /* of MPI_FILE_NULL, which new files inherit */
	struct util_list files;		   /* struct mpi_file */
	struct util_list datareps;	   /* registered ones, newest first */
	struct io_effects *effects; /* borrowed: where the call under way tells them; NULL: nobody asks */
};

/* The rank's part, made when it is not there. Never NULL: fails the run when out of memory. */
struct io_rank *io_rank(struct mpi_rank *me);

/* MPI_SUCCESS and *out, or the error raised on MPI_FILE_NULL. */
int io_check_file(struct mpi_rank *me, MPI_File handle, struct mpi_file **out);
/* mpi_raise on a file: (me, file, error class, format, …). */
#define io_raise(me, file, ...) \
	mpi_raise_on(me, (file)->errhandler, (uintptr_t)(file)->handle, __VA_ARGS__)
/* The same where there is no file yet: the handler of MPI_FILE_NULL. */
#define io_raise_null(me, ...) \
	mpi_raise_on(me, io_rank(me)->errhandler, (uintptr_t)MPI_FILE_NULL, __VA_ARGS__)

/* The error class of what the operating system said. */
int io_error_class(int error_number);

/* Makes the caller's part of a file, which is not open yet: collective, the messages of a
 * duplication of the communicator. An error class that is yet to be raised. */
int io_file_create(struct mpi_rank *me, struct mpi_comm *comm, int amode, struct mpi_file **out);
/* Ends the caller's part: without messages. */
void io_file_destroy(struct mpi_rank *me, struct mpi_file *file);

/* True on the one member that comes first to the present step of a collective call: it does for all
 * what is done once. */
bool io_is_first(struct mpi_file *file);
/*
 * Collective: whether all members give the same value; nobody leaves before all have come. Returns
 * MPI_SUCCESS, MPI_ERR_NOT_SAME or another class that is yet to be raised.
 */
int io_agree(struct mpi_rank *me, struct mpi_file *file, int64_t value);
/* Rank 0's value for all. An error class that is yet to be raised. */
int io_from_first(struct mpi_rank *me, struct mpi_file *file, int *value);

/* Hints: takes the reserved ones of `given` (NULL: none) over. MPI_SUCCESS or MPI_ERR_NO_MEM. */
int io_hints_set(struct mpi_file *file, const struct mpi_info *given);

#endif
