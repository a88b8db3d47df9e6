/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_ATTRIBUTE_H
#define MPI_CORE_ATTRIBUTE_H

#include <mpi.h>

#include "mpi/core/rank.h"

/*
 * Attribute caching, for communicators, datatypes and windows: keyvals belong to a rank,
 * values hang on the object, the newest first. A keyval lives until it is freed and the last
 * attribute that uses it is gone. The ABI's sentinels NULL_COPY_FN (0), NULL_DELETE_FN (0) and
 * DUP_FN (1) are values and are never called.
 */
struct mpi_attribute;

/*
 * Runs the copy functions of the attributes of `from` (handle `old`), oldest first, and hangs what
 * they want copied on *to, which is empty. MPI_SUCCESS, or what a copy function or the lack of
 * memory returned: then *to is empty again (without running delete functions of what was copied).
 */
int mpi_attributes_copy(struct mpi_rank *me, enum mpi_kind kind, uintptr_t old,
			const struct mpi_attribute *from, struct mpi_attribute **to);
/* Runs the delete functions, newest first, and empties the list. Stops at the first that fails and
 * returns its code. */
int mpi_attributes_delete_all(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
			      struct mpi_attribute **list);
/* Frees a list without running anything. */
void mpi_attributes_discard(struct mpi_attribute *list);

/* Visits the keyvals of `me` that were not freed (for the report at MPI_Finalize); `kind`: what
 * they are for. */
typedef void (*mpi_keyval_visit_fn)(void *context, enum mpi_kind kind, const char *function,
				    const void *site);
void mpi_keyval_visit(const struct mpi_rank *me, mpi_keyval_visit_fn visit, void *context);
int mpi_attribute_set(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
		      struct mpi_attribute **list, int keyval, void *value);
int mpi_attribute_get(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
		      const struct mpi_attribute *list, int keyval, void *value, int *flag);
int mpi_attribute_delete(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
			 struct mpi_attribute **list, int keyval);

#endif
