/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_FOREIGN_H
#define MPI_CORE_FOREIGN_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the bindings of another language (fortran/, linked to the program) need of the library
 * beyond MPI's own functions, which they call. All of it is for ranks only, O(1), and costs calls
 * from C nothing. The functions are exported.
 */

/* Of the objects that have handles; the values of enum mpi_kind. */
enum mpi_foreign_kind {
	FOREIGN_COMM = 1,
	FOREIGN_GROUP,
	FOREIGN_DATATYPE,
	FOREIGN_OP,
	FOREIGN_REQUEST,
	FOREIGN_INFO,
	FOREIGN_ERRHANDLER,
	FOREIGN_MESSAGE,
	FOREIGN_WIN,
	FOREIGN_FILE,
	FOREIGN_SESSION,
};

/*
 * In which language the program gave a callback or an attribute. The two of Fortran differ in the
 * integers of attributes and extra states: MPI_ADDRESS_KIND, or the default kind as in MPI-1.
 */
enum mpi_language { MPI_LANGUAGE_C, MPI_LANGUAGE_FORTRAN, MPI_LANGUAGE_FORTRAN_1 };

/* The arguments of Fortran's callbacks, which all have addresses; handles are their numbers. */
typedef void(mpi_fortran_copy_fn)(int *handle, int *keyval, void *extra_state, void *value_in,
				  void *value_out, int *flag, int *ierror);
typedef void(mpi_fortran_delete_fn)(int *handle, int *keyval, void *value, void *extra_state,
				    int *ierror);
typedef void(mpi_fortran_user_fn)(void *in, void *inout, int *n, int *type);
typedef void(mpi_fortran_user_fn_c)(void *in, void *inout, MPI_Count *n, int *type);
typedef void(mpi_fortran_errhandler_fn)(int *handle, int *error_code);
typedef void(mpi_fortran_query_fn)(MPI_Aint *extra_state, MPI_Status *status, int *ierror);
typedef void(mpi_fortran_free_fn)(MPI_Aint *extra_state, int *ierror);
typedef void(mpi_fortran_cancel_fn)(MPI_Aint *extra_state, int *complete, int *ierror);
typedef void(mpi_fortran_extent_fn)(int *type, MPI_Aint *extent, MPI_Aint *extra_state,
				    int *ierror);
typedef void(mpi_fortran_conversion_fn)(void *userbuf, int *type, int *count, void *filebuf,
					MPI_Offset *position, MPI_Aint *extra_state, int *ierror);
typedef void(mpi_fortran_conversion_fn_c)(void *userbuf, int *type, MPI_Count *count, void *filebuf,
					  MPI_Offset *position, MPI_Aint *extra_state, int *ierror);

/*
 * Memory of a binding that stands for the program's buffer while an operation goes on. Both
 * functions are called on the rank's fiber: `fetch` when a persistent operation starts and when a
 * partition is ready, `give` when the program is told that the operation is complete or that a
 * partition is there.
 */
struct mpi_foreign_memory {
	void (*fetch)(struct mpi_foreign_memory *memory);
	void (*give)(struct mpi_foreign_memory *memory);
	/* the request is no more: just before the memory is freed; NULL: nothing is to be done */
	void (*end)(struct mpi_foreign_memory *memory);
	struct mpi_foreign_memory *next; /* of the same request, given to it later */
};

#pragma GCC visibility push(default)

/* The MPI function that is called next was called from `site`. It has to be one that enters the
 * library: MPI_Wtick, MPI_Aint_add, MPI_Aint_diff and MPI_Pcontrol do not. */
void mpisim_foreign_call(const void *site);
/* … and its callbacks and attributes are those of `language` (enum mpi_language). To be set back
 * to C afterwards. */
void mpisim_foreign_language(int language);
/* Neither predefined nor of any kind: every look-up fails. */
#define FOREIGN_NO_HANDLE ((void *)0x3ff)

/* A handle's number, and back. A number that stands for nothing gives FOREIGN_NO_HANDLE. Without a
 * simulator around: predefined handles only. */
int mpisim_foreign_number(const void *handle);
void *mpisim_foreign_handle(int kind, int number);
/* How many datatypes MPI_Alltoallw (0), MPI_Neighbor_alltoallw for sending (1) and receiving (2)
 * take on `comm`; 0 for what is no such communicator. */
int mpisim_foreign_n_types(MPI_Comm comm, int what);
/* Whether this rank is `root` of `comm`: only its arguments mean something to MPI_Comm_spawn. */
bool mpisim_foreign_is_root(MPI_Comm comm, int root);
/* Memory that begins with a struct mpi_foreign_memory; NULL: there is none. */
void *mpisim_foreign_allocate(size_t size_B);
/* Gives `memory` to a request, which frees it with itself; frees it when `request` is none. */
void mpisim_foreign_keep(MPI_Request request, struct mpi_foreign_memory *memory);
/* Ends the run: the call that mpisim_foreign_call announced, `function`, cannot be done; `text`
 * says why. */
void mpisim_foreign_fail(const char *function, const char *text);

#pragma GCC visibility pop

struct mpi_rank;

/* The language of the call under way; C from now on, for the calls that callbacks make. */
enum mpi_language mpi_foreign_take_language(struct mpi_rank *me);

#endif
