/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_OBJECTS_H
#define MPI_CORE_OBJECTS_H

#include "mpi/core/attribute.h"
#include "mpi/core/rank.h"

struct mpi_datatype;
struct mpi_f90_type;
struct mpi_group;
struct mpi_group_recall;

/* What the object chapters keep per rank (mpi_rank.attributes) and per run (mpi_world.predefined).
 */

struct mpi_keyval {
	enum mpi_kind kind;
	void (*copy)(void); /* a function of the kind's type, or a sentinel */
	void (*delete)(void);
	void *extra_state; /* of Fortran: an integer */
	enum mpi_language language;
	int n_references; /* attributes, and one until MPI_*_free_keyval; 0: slot is free */
	bool is_freed;
	const char *function; /* the call that made it, and where the program called it */
	const void *site;
};

/* A predefined datatype is the same constant for all ranks; what one rank did to it is kept here.
 */
struct mpi_type_overlay {
	struct mpi_type_overlay *next;
	MPI_Datatype handle;
	char *name; /* NULL: as it was */
	struct mpi_attribute *attributes;
};

/* What the program said about its Fortran compiler: MPI_Abi_set_fortran_*. */
#define MPI_LOGICAL_SIZES 5 /* 1, 2, 4, 8 and 16 bytes */
#define MPI_LOGICAL_MAX_B 16
struct mpi_fortran_abi {
	struct {
		bool is_set;
		unsigned char true_bytes[MPI_LOGICAL_MAX_B], false_bytes[MPI_LOGICAL_MAX_B];
	} logicals[MPI_LOGICAL_SIZES];
	struct mpi_info *info; /* NULL: not set */
};

struct mpi_rank_objects {
	struct mpi_keyval *keyvals; /* [n_keyvals] */
	int n_keyvals;
	struct mpi_type_overlay *overlays;
	struct mpi_f90_type *f90_types;
	struct mpi_info *info_env; /* MPI_INFO_ENV, made on first use */
	struct mpi_fortran_abi fortran;
	int last_used_code; /* value of MPI_LASTUSEDCODE, as given last */
};

/* The programs that share an MPI_COMM_WORLD. */
struct mpi_job {
	struct mpi_group *group; /* of MPI_COMM_WORLD, shared by its ranks */
	uint32_t context;
	int n_ranks, universe_size;
	const struct mpi_spawn *spawn; /* mpi/dynamic/spawn.h; NULL: it was there from the start */
};

struct mpi_world_objects {
	struct mpi_job *jobs; /* [n_jobs]; stays where it is when jobs are added */
	int n_jobs;
	/* values of the predefined attributes, which the program gets pointers to */
	int tag_ub, io, host, wtime_is_global;
	struct mpi_group_recall *recall; /* mpi/comm/group_recall.h */
	int *appnums;			 /* [n_programs]: place among those of its job */
};

struct mpi_job *mpi_rank_job(const struct mpi_rank *me);
/* Prepares the next job, of `n_ranks` ranks that are about to be added to the world behind those
 * that it has; NULL when out of memory. */
struct mpi_job *mpi_job_prepare(struct mpi_world *world, int n_ranks);
/* It is there, with `n` programs, the last of the world; or is not to be. */
void mpi_job_add(struct mpi_world *world, int n);
void mpi_job_forget(struct mpi_world *world);
/* Value of MPI_APPNUM. */
const int *mpi_rank_appnum(const struct mpi_rank *me);

/* Made on first use; NULL when out of memory. */
struct mpi_rank_objects *mpi_rank_objects(struct mpi_rank *me);
/* The overlay of a predefined datatype, made when there is none; NULL when out of memory. O(types
 * that have one). */
struct mpi_type_overlay *mpi_type_overlay(struct mpi_rank *me, MPI_Datatype handle);
/* The same without making one: NULL. */
struct mpi_type_overlay *mpi_type_overlay_find(const struct mpi_rank *me, MPI_Datatype handle);
/* Where the attributes of a type hang for this rank; NULL when out of memory. */
struct mpi_attribute **mpi_type_attributes(struct mpi_rank *me, struct mpi_datatype *type);

#endif
