/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_ERRHANDLER_H
#define MPI_CORE_ERRHANDLER_H

#include <mpi.h>

#include "mpi/core/rank.h"

enum mpi_errhandler_kind { ERRHANDLER_FATAL, ERRHANDLER_ABORT, ERRHANDLER_RETURN, ERRHANDLER_USER };

struct mpi_errhandler {
	MPI_Errhandler handle;
	int n_references; /* of the objects that have it, and of the program */
	int n_held;	  /* of the program alone: until it frees what it made or was given */
	enum mpi_errhandler_kind kind;
	enum mpi_kind object; /* ERRHANDLER_USER: of what it is a handler: KIND_COMM, KIND_WIN,
				 KIND_FILE, KIND_SESSION */
	void (*user)(void);   /* MPI_Comm_errhandler_function and the like, cast */
	enum mpi_language language; /* of `user` */
};

struct mpi_errhandler *mpi_errhandler_get(const struct mpi_rank *me,
					  MPI_Errhandler handle); /* NULL: none */
void mpi_errhandler_retain(struct mpi_errhandler *handler);
void mpi_errhandler_release(struct mpi_rank *me, struct mpi_errhandler *handler);
/*
 * Behind MPI_*_set_errhandler of every `kind` of object, with this handle; *slot is where the object
 * keeps its handler. Raises its errors.
 */
int mpi_errhandler_set(struct mpi_rank *me, enum mpi_kind kind, uintptr_t object,
		       MPI_Errhandler handle, struct mpi_errhandler **slot);
/* Behind _get_errhandler: MPI_SUCCESS. */
int mpi_errhandler_give(struct mpi_errhandler *handler, MPI_Errhandler *out);
/* The class of an error code (codes of MPI itself are classes; the program may add its own). */
int mpi_error_class_of(const struct mpi_rank *me, int code);
/* "MPI_ERR_RANK" and the like. */
const char *mpi_error_class_name(int error_class);
/* The value of MPI_LASTUSEDCODE. */
int mpi_error_last_code(const struct mpi_rank *me);
/* Forgets what the program added. */
void mpi_errors_finish(struct mpi_rank *me);
/* MPI_ERRORS_ARE_FATAL: what communicators start with. */
struct mpi_errhandler *mpi_errhandler_fatal(void);

#endif
