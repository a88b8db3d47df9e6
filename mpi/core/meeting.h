/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_MEETING_H
#define MPI_CORE_MEETING_H

#include <stddef.h>
#include <stdint.h>

struct mpi_world;

/*
 * Ranks that make something together meet at an object that all of them share, since all live in
 * one process: the first one to come makes it, the last one to leave frees it. What the agreement
 * costs in time are the messages that a real library would exchange; those the caller sends.
 */
enum mpi_meeting_kind {
	MPI_MEETING_COMM,   /* mpi/comm/context.h */
	MPI_MEETING_COLL,   /* a collective by formula: mpi/coll/ideal.h */
	MPI_MEETING_WINDOW, /* mpi/rma/window.h */
	MPI_MEETING_FILE,   /* mpi/io/file.h */
	MPI_N_MEETING_KINDS
};

struct mpi_meeting_key {
	enum mpi_meeting_kind kind;
	uint32_t context;  /* of the communicator */
	uint32_t sequence; /* number of the operation on it */
	int32_t part;	   /* where several meet in one operation */
	const char *name;  /* where there is no communicator; NULL: there is */
};

/* The first member of what is shared. */
struct mpi_meeting {
	struct mpi_meeting_key key;
	int n_left;		      /* who have yet to leave; 0 until the first one sets it */
	void (*finish)(void *shared); /* releases what it holds, not itself */
};

/*
 * What is shared under this key; for the first to ask, `size_B` zeroed bytes that begin with struct
 * mpi_meeting. NULL: out of memory. O(1) expected.
 */
void *mpi_meeting_join(struct mpi_world *world, struct mpi_meeting_key key, size_t size_B,
		       void (*finish)(void *shared));
/* The caller has what it wants: counts n_left down; the last one ends the meeting. */
void mpi_meeting_leave(struct mpi_world *world, struct mpi_meeting *meeting);
/* How many of this kind have not ended. */
size_t mpi_meetings_count(const struct mpi_world *world, enum mpi_meeting_kind kind);
/* Ends all that some of their members never left. */
void mpi_meetings_destroy(struct mpi_world *world);

#endif
