/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FORTRAN_BINDING_H
#define FORTRAN_BINDING_H

#include <ISO_Fortran_binding.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi/core/foreign.h"

/*
 * What the generated bindings are made of. They are linked to the program, not to the library: so
 * each rank has its own, and its sentinels have the addresses that its program gives.
 */
#define FORTRAN_CALL() mpisim_foreign_call(__builtin_return_address(0))
/* A second name, which the program may define itself. */
#define FORTRAN_ALIAS(function, name) \
	extern __typeof__(function) name __attribute__((weak, alias(#function)));

typedef void(fortran_procedure)(void);

/* COMMON blocks of mpif.h and of the modules; known by their addresses, never read. */
extern int mpisim_f_bottom_, mpisim_f_in_place_, mpisim_f_automatic_, mpisim_f_status_[8],
    mpisim_f_statuses_[8], mpisim_f_errcodes_[1], mpisim_f_unweighted_[1], mpisim_f_empty_[1];
extern char mpisim_f_argv_[1], mpisim_f_argvs_[1];

#define fortran_handle(kind, number) mpisim_foreign_handle(FOREIGN_##kind, number)

static inline void fortran_return(int *ierror, int code)
{
	if (ierror)
		*ierror = code;
}

/* What a call left in `handle`: NULL when it failed, or what it refused. */
static inline void fortran_number(int *number, const void *handle)
{
	if (handle && handle != FOREIGN_NO_HANDLE)
		*number = mpisim_foreign_number(handle);
}

/* A buffer as C knows it. */
static inline void *fortran_buffer(const void *buf)
{
	if (buf == &mpisim_f_bottom_)
		return MPI_BOTTOM;
	if (buf == &mpisim_f_in_place_)
		return MPI_IN_PLACE;
	if (buf == &mpisim_f_automatic_)
		return MPI_BUFFER_AUTOMATIC;
	return (void *)buf;
}

static inline MPI_Status *fortran_status(const MPI_Status *status)
{
	if ((const int *)status == mpisim_f_status_ || (const int *)status == mpisim_f_statuses_)
		return MPI_STATUS_IGNORE;
	return (MPI_Status *)status;
}

static inline int *fortran_weights(int *weights)
{
	if (weights == mpisim_f_unweighted_)
		return MPI_UNWEIGHTED;
	return weights == mpisim_f_empty_ ? MPI_WEIGHTS_EMPTY : weights;
}

static inline void *fortran_detached(void *buf)
{
	return buf == MPI_BUFFER_AUTOMATIC ? &mpisim_f_automatic_ : buf;
}

static inline int fortran_n_send(const void *sendbuf, MPI_Comm comm, int what)
{
	return sendbuf == MPI_IN_PLACE ? 0 : mpisim_foreign_n_types(comm, what);
}

/* Characters that come in: without trailing blanks (`is_key`: without any outer ones), and with a
 * NUL. */
struct fortran_string {
	char *text;
	char local[256];
};
void fortran_string_begin(struct fortran_string *string, const char *chars, size_t length,
			  bool is_key);
void fortran_string_end(struct fortran_string *string);
/* Characters that go out: cut or padded with blanks to `length`. */
void fortran_text(char *chars, size_t length, const char *text);

/* An array of handles; `numbers` NULL: what it holds is to come. */
struct fortran_list {
	void **handles;
	int n;
	void *local[16];
};
void fortran_list_begin(struct fortran_list *list, enum mpi_foreign_kind kind, MPI_Count n,
			const int *numbers);
/* Gives them back to `numbers` unless that is NULL. */
void fortran_list_end(struct fortran_list *list, int *numbers);

/* Those of Fortran that C made: any value but 0 is true, but for the compiler only 1 is. */
void fortran_logicals(int n, int *flags);
/* A procedure as C's function, or the sentinel that it stands for. */
fortran_procedure *fortran_callback(fortran_procedure *procedure);
/* The value of the attribute `keyval` in Fortran; of predefined ones C gets an address. */
MPI_Aint fortran_attribute(int keyval, const void *value);
/* malloc, or the end of the run. */
void *fortran_memory(const char *function, size_t size_B);

/* Whether its elements follow each other: also scalars, arrays without elements and assumed-size
 * arrays, whose last extent is -1. */
bool fortran_is_contiguous(const CFI_cdesc_t *array);
/* Of its first `n_dims` dimensions. */
size_t fortran_n_elements(const CFI_cdesc_t *array, int n_dims);

/*
 * A buffer that may be a section with gaps: a copy of it, whose end gives the section what the call
 * wrote, and nothing else. `*copy` is NULL where none is needed. It is kept by the request of a
 * call that goes on after its return, and by nobody when that call failed.
 */
struct fortran_copy;
void *fortran_copy_begin(struct fortran_copy **copy, const char *function,
			 const CFI_cdesc_t *section, bool is_written);
void fortran_copy_end(struct fortran_copy *copy);
void fortran_copy_keep(struct fortran_copy *copy, MPI_Request request);

/*
 * The same for calls that go on, and whose count and datatype say which elements are meant: `count`
 * items of `type`, laid out in the section, as `count` and `type` of the struct. Where the items
 * are no elements of it the request keeps a copy; the run ends when there is no request.
 */
struct fortran_section {
	const char *function;
	const void *site; /* where the call comes from */
	bool is_written, has_request;
	/* results */
	MPI_Count count;
	MPI_Datatype type;
	bool is_made;
	struct fortran_copy *copy;
};
void *fortran_section_begin(struct fortran_section *section, const CFI_cdesc_t *array,
			    MPI_Count count, MPI_Datatype type);
void fortran_section_end(struct fortran_section *section, MPI_Request request);
/* Ends the run unless the section has no gaps. */
void fortran_contiguous(const char *function, const CFI_cdesc_t *section);

#endif
