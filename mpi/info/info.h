/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_INFO_INFO_H
#define MPI_INFO_INFO_H

#include <mpi.h>

#include "mpi/core/rank.h"

/*
 * Types of hardware that MPI_Get_hw_resource_info and MPI_Comm_split_type speak of: a rank stays on
 * its node, where its first core is in a socket and a memory domain.
 */
#define MPI_RESOURCE_NODE "mpisim://node"
#define MPI_RESOURCE_SOCKET "mpisim://socket"
#define MPI_RESOURCE_DOMAIN "mpisim://domain"
#define MPI_RESOURCE_CORE "mpisim://core"

struct mpi_info_pair {
	char *key, *value;
};

/* (key, value) pairs in the order in which the keys were first set. */
struct mpi_info {
	struct mpi_info_pair *pairs; /* [n_pairs] */
	int n_pairs;
};

/* The object of a handle, MPI_INFO_ENV included; NULL when it is none (MPI_INFO_NULL too). */
struct mpi_info *mpi_info_get(struct mpi_rank *me, MPI_Info handle);
struct mpi_info *mpi_info_create(void);	      /* NULL when out of memory */
void mpi_info_destroy(struct mpi_info *info); /* NULL is fine */
/* Sets or replaces; copies both strings. 0 or UTIL_ENOMEM. O(n_pairs). */
int mpi_info_set(struct mpi_info *info, const char *key, const char *value);
/* The value of a key, NULL when it is not there. */
const char *mpi_info_value(const struct mpi_info *info, const char *key);
/* Removes a key; false when it is not there. */
bool mpi_info_delete(struct mpi_info *info, const char *key);
/* An equal object; of NULL an empty one. 0 or UTIL_ENOMEM. */
int mpi_info_duplicate(const struct mpi_info *info, struct mpi_info **out);
/* What MPI_INFO_ENV and MPI_Info_create_env hold. NULL when out of memory. */
struct mpi_info *mpi_info_create_env(const struct mpi_rank *me);
/*
 * `size_B` bytes at an address that is a multiple of what "mpi_minimum_memory_alignment" asks for
 * (a power of two; MPI 4.1, §9.2), at least of malloc's. `info` may be NULL. free() takes them;
 * NULL when out of memory.
 */
void *mpi_info_aligned_alloc(const struct mpi_info *info, size_t size_B);
/* Gives the object (taken over) to the application. MPI_SUCCESS, or what mpi_raise returned. */
int mpi_info_publish(struct mpi_rank *me, struct mpi_info *info, MPI_Info *out);

#endif
