/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_ARGUMENTS_H
#define MPI_CORE_ARGUMENTS_H

#include <limits.h>

#include "mpi/core/rank.h"

/*
 * What arguments are looked up and checked with, by the entry points that mpi/abi/entries.py writes
 * and by those that are written by hand. `name`: of the argument, for the sentence. Each returns
 * MPI_SUCCESS, or what raising the error gave.
 */
struct mpi_comm;
struct mpi_datatype;
struct mpi_file;
struct mpi_group;
struct mpi_info;
struct mpi_op;
struct mpi_request;
struct mpi_session;
struct mpi_win;

/* The object whose error handler an error goes to. */
struct mpi_raiser {
	const struct mpi_errhandler *handler; /* NULL: as mpi_raise says */
	uintptr_t object;
};
#define MPI_ON_NONE ((struct mpi_raiser){NULL, 0})
/* mpi_raise or mpi_raise_on: (me, on, error class, format, …). */
#define mpi_raise_for(me, on, ...)                                               \
	((on).handler ? mpi_raise_on(me, (on).handler, (on).object, __VA_ARGS__) \
		      : mpi_raise(me, NULL, __VA_ARGS__))
struct mpi_raiser mpi_on_comm(const struct mpi_comm *comm);
struct mpi_raiser mpi_on_file(const struct mpi_file *file);
struct mpi_raiser mpi_on_no_file(struct mpi_rank *me);		     /* MPI_FILE_NULL */
struct mpi_raiser mpi_on_request(const struct mpi_request *request); /* its communicator */
struct mpi_raiser mpi_on_session(const struct mpi_session *session);
struct mpi_raiser mpi_on_win(const struct mpi_win *win);

/* The object of a handle. `may_be_null`: *out is NULL for the null handle, which is no error. */
int mpi_find_comm(struct mpi_rank *me, struct mpi_raiser on, MPI_Comm handle, const char *name,
		  bool may_be_null, struct mpi_comm **out);
int mpi_find_datatype(struct mpi_rank *me, struct mpi_raiser on, MPI_Datatype handle,
		      const char *name, bool may_be_null, struct mpi_datatype **out);
int mpi_find_file(struct mpi_rank *me, struct mpi_raiser on, MPI_File handle, const char *name,
		  bool may_be_null, struct mpi_file **out);
int mpi_find_group(struct mpi_rank *me, struct mpi_raiser on, MPI_Group handle, const char *name,
		   bool may_be_null, struct mpi_group **out);
int mpi_find_info(struct mpi_rank *me, struct mpi_raiser on, MPI_Info handle, const char *name,
		  bool may_be_null, struct mpi_info **out);
int mpi_find_op(struct mpi_rank *me, struct mpi_raiser on, MPI_Op handle, const char *name,
		bool may_be_null, struct mpi_op **out);
int mpi_find_request(struct mpi_rank *me, struct mpi_raiser on, MPI_Request handle,
		     const char *name, bool may_be_null, struct mpi_request **out);
int mpi_find_session(struct mpi_rank *me, struct mpi_raiser on, MPI_Session handle,
		     const char *name, bool may_be_null, struct mpi_session **out);
int mpi_find_win(struct mpi_rank *me, struct mpi_raiser on, MPI_Win handle, const char *name,
		 bool may_be_null, struct mpi_win **out);

/* A communicator of one group, of two. */
int mpi_check_intra(struct mpi_rank *me, struct mpi_raiser on, const struct mpi_comm *comm,
		    const char *name);
int mpi_check_inter(struct mpi_rank *me, struct mpi_raiser on, const struct mpi_comm *comm,
		    const char *name);

/* Where the call writes to, or what it reads: it must not be NULL. */
static inline int mpi_check_place(struct mpi_rank *me, struct mpi_raiser on, const void *place,
				  const char *name)
{
	return place ? MPI_SUCCESS : mpi_raise_for(me, on, MPI_ERR_ARG, "%s is NULL", name);
}

/* A buffer of a call that takes no memory of accelerators. */
__attribute__((cold)) int mpi_check_device(struct mpi_rank *me, const void *buf, const char *name);
static inline int mpi_check_host(struct mpi_rank *me, const void *buf, const char *name)
{
	return __builtin_expect(pd_memory_is_reserved(buf), 0) ? mpi_check_device(me, buf, name)
							       : MPI_SUCCESS;
}

/* An array of n items: n must not be negative, which is an error of that class, and there must be
 * an array for more than 0. */
static inline int mpi_check_list(struct mpi_rank *me, struct mpi_raiser on, int negative,
				 MPI_Count n, const char *name_of_n, const void *list,
				 const char *name)
{
	if (n < 0)
		return mpi_raise_for(me, on, negative, "%s is %lld, it must not be negative",
				     name_of_n, (long long)n);
	return n > 0 ? mpi_check_place(me, on, list, name) : MPI_SUCCESS;
}

/* An array of counts as a function (int) or its _c twin (MPI_Count) got it; both NULL: absent. */
struct mpi_counts {
	const int *narrow;
	const MPI_Count *wide;
};

static inline MPI_Count mpi_counts_at(struct mpi_counts counts, MPI_Count i)
{
	return counts.wide ? counts.wide[i] : counts.narrow[i];
}

static inline bool mpi_counts_are_set(struct mpi_counts counts)
{
	return counts.wide || counts.narrow;
}

/* Handles as numbers. A number that stands for no handle of this rank gives `null`. */
int mpi_handle_to_int(const char *function, const void *site, const void *handle);
void *mpi_handle_from_int(const char *function, const void *site, enum mpi_kind kind, int number,
			  const void *null);
void *mpi_handle_from_fint(enum mpi_kind kind, MPI_Fint number, const void *null);

/* As an int: MPI_UNDEFINED when it is too large (MPI 4.1, §5.1.5). */
static inline int mpi_narrow(MPI_Count value)
{
	return value > INT_MAX ? MPI_UNDEFINED : (int)value;
}

#endif
