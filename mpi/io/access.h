/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_IO_ACCESS_H
#define MPI_IO_ACCESS_H

#include "mpi/io/wait.h"

struct mpi_birth;

/* Accesses to the data of files: reading and writing in all their forms. */
enum io_place { IO_AT, IO_INDIVIDUAL, IO_SHARED, IO_ORDERED };

struct io_call { /* the arguments, as the program gave them */
	enum io_place place;
	bool is_write, is_collective, is_nonblocking;
	bool is_split; /* …_begin and …_end */
	MPI_File fh;
	MPI_Offset offset;
	void *buf;
	MPI_Count count;
	MPI_Datatype datatype;
	MPI_Status *status;
	MPI_Request *request;
};

/* What all of them do, and the …_end ones. */
int io_access(struct mpi_rank *me, const struct io_call *call);
int io_access_end(struct mpi_rank *me, const struct io_call *call);

/* Collective: where everybody's bytes lie, position and length in etypes, on the board of *all, which
 * the caller leaves (mpi_birth_leave) unless it is NULL. An error class that is yet to be raised. */
int io_exchange(struct mpi_rank *me, const struct mpi_file *file, int64_t position, int64_t length,
		struct mpi_birth **all);

/* One access, its arguments checked. */
struct io_access {
	struct mpi_file *file;
	bool is_write;
	void *buf;
	MPI_Count count;
	struct mpi_datatype *type;
	int64_t size_B;	    /* in the file */
	int64_t position_B; /* of the first byte among the view's data */
};

/*
 * Moves the data between memory and the file, and adds them to `op`. *moved_B: bytes of memory,
 * fewer than wanted at the file's end. Memory without content (--no-alloc) is neither read nor
 * written: the file only grows. MPI_SUCCESS, or an error class that is yet to be raised.
 */
int io_move(struct mpi_rank *me, const struct io_access *access, struct io_op *op,
	    int64_t *moved_B);

/* The access under way becomes that of a split collective, `kind` of it; or the end of it. */
void io_split_begin(struct mpi_file *file, int kind, struct mpi_request *request,
		    const MPI_Status *status);
int io_split_kind(const struct io_call *call);

#endif
