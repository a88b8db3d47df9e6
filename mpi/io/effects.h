/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_IO_EFFECTS_H
#define MPI_IO_EFFECTS_H

#include "mpi/io/file.h"

/*
 * What a call of this chapter does that takes time, for recordings: messages of its communicator,
 * operations on metadata, bytes from and to the storage. A recording asks for it by io_rank.effects
 * before the call; io_effects_play does the same again, where there is neither the file nor its data.
 *
 * A list of integers: each effect, the number of the file that it is of (from 1, the rank's own; 0:
 * of none), then its values.
 */
enum io_effect {
	IO_EFFECT_CREATE,   /* the rank's part of a file on the call's communicator */
	IO_EFFECT_DESTROY,  /* of the same */
	IO_EFFECT_STRIPES,  /* text of the name, hints: servers, size of a stripe; 0: none given */
	IO_EFFECT_METADATA, /* operations */
	IO_EFFECT_AGREE,
	IO_EFFECT_FROM_FIRST,
	IO_EFFECT_EXCHANGE,
	IO_EFFECT_BYTES, /* of the next access: first place, length, distance of the next ones, how
			    many */
	IO_EFFECT_DROP,	 /* no access comes after all */
	IO_EFFECT_START, /* an access: 1 if it writes, operations on metadata before it, 1 if the file
			    waits for it */
	IO_EFFECT_WAIT,	 /* for it */
	IO_EFFECT_SPLIT, /* it is waited for in another call … */
	IO_EFFECT_WAIT_SPLIT, /* … in this one */
	IO_N_EFFECTS,
};

struct io_effects {
	int64_t *items; /* [n], owned */
	size_t n, capacity;
	size_t bytes;	 /* items from here on are IO_EFFECT_BYTES that may grow; SIZE_MAX: none */
	bool is_lost;	 /* out of memory */
	uint32_t (*number_of)(void *context, const char *text); /* of a text */
	void *context;
};

void io_effects_clear(struct io_effects *effects);
void io_effects_finish(struct io_effects *effects);

void io_effects_add(struct mpi_rank *me, const struct mpi_file *file, enum io_effect effect,
		    const int64_t values[]);
/* Adds one, if somebody asks, of `file` (NULL: none), with its values (NULL: it has none). */
static inline void io_tell(struct mpi_rank *me, const struct mpi_file *file, enum io_effect effect,
			   const int64_t values[])
{
	if (me->io && ((struct io_rank *)me->io)->effects)
		io_effects_add(me, file, effect, values);
}
void io_tell_stripes(struct mpi_rank *me, const struct mpi_file *file, const char *name, int n,
		     int64_t size_B);
void io_tell_bytes(struct mpi_rank *me, const struct mpi_file *file, int64_t offset_B,
		   int64_t length_B);

/*
 * Does what the list says, on the rank's fiber, within a call of it; `comm` may be NULL. *out: a
 * started access that nobody has waited for, to be published; NULL: none. MPI_SUCCESS, an error
 * class, or -1 for a list that cannot be.
 */
int io_effects_play(struct mpi_rank *me, struct mpi_comm *comm, size_t n, const MPI_Count items[],
		    uint32_t n_texts, const char *const texts[], struct mpi_request **out);

#endif
