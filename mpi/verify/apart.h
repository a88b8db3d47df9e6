/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_APART_H
#define MPI_VERIFY_APART_H

#include "mpi/core/entry.h"
#include "mpi/datatype/datatype.h"
#include "mpi/verify/call.h"
#include "mpi/verify/ranges.h"

/*
 * Buffers of a rank's active requests are to be apart from each other and from those of other calls,
 * but for those that are only read (MPI 4.1, §3.7.2). To look for each one among the others costs as
 * much as a small message, and programs post the same buffers again and again. So what a rank posts
 * from the time when it has no active request is a sequence, told by its hash: what was all right
 * once is not looked at again. A sequence ends with the first completion, whose order is not a part of
 * it, and with the first operation that is more than a send or receive. Posts after that are looked at
 * one by one until none is active.
 */
struct mpi_apart_post {
	uintptr_t request; /* 0: it was over with its call */
	uint64_t known[2]; /* sequences that end here and are all right; 0: none */
};

struct mpi_apart {	  /* of a rank; all zero at first */
	int n_active;	  /* requests, also of other kinds, and what is held */
	bool is_sequence; /* it has not ended */
	int n, n_room;
	struct mpi_apart_post *posts; /* [n] of the sequence, of [n_room] */
	uint64_t hash;		      /* of the sequence */
	/* Of what is sent [0] and received [1], where it lies in all, high 0: nowhere; and each one by
	   itself, of which some may be over. Posts of the sequence are entered when they are wanted. */
	struct mpi_range hulls[2];
	struct mpi_ranges ranges[2];
	int n_in_hulls, n_in_ranges; /* of the first posts */
	/* Of all other operations, likewise; each one is there while it is active: mpi/verify/held.h. */
	struct mpi_ranges held[2];
};

struct mpi_apart_buffer { /* of a send or receive */
	const void *buf;
	MPI_Count count;
	const struct mpi_datatype *type;
	int peer, tag; /* as given */
	bool is_receive;
};

void mpi_apart_finish(struct mpi_apart *apart);

/* A request begins, ends to be active. */
static MPI_HOT void mpi_apart_begin(struct mpi_apart *apart)
{
	if (apart->n_active++ > 0)
		return;
	apart->is_sequence = true;
	apart->n = apart->n_in_hulls = apart->n_in_ranges = 0;
	apart->hash = 0;
	for (int i = 0; i < 2; i++) {
		apart->hulls[i].high = 0;
		apart->ranges[i].n = apart->ranges[i].widest_B = 0;
	}
}

static MPI_HOT void mpi_apart_end(struct mpi_apart *apart)
{
	apart->n_active--;
	apart->is_sequence = false;
}

static MPI_HOT uint64_t mpi_apart_hash(uint64_t hash, const struct mpi_apart_buffer *buffer)
{
	uint64_t handle;

	hash = (hash ^ (uintptr_t)buffer->buf) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 32;
	hash += (uint64_t)buffer->count << 1 | buffer->is_receive;
	handle = (uintptr_t)buffer->type->handle;
	/* all of it: its place may serve for another datatype */
	hash = (hash ^ (handle << 20 | handle >> 44)) * UINT64_C(0xff51afd7ed558ccd);
	return (hash ^ hash >> 32) | 1;
}

/* mpi_apart_post for what is not known. `hash`: of the sequence with it. */
void mpi_apart_look(struct mpi_rank *me, struct mpi_apart *apart,
		    const struct mpi_apart_buffer *buffer, uintptr_t request, uint64_t hash);

/* The call that `me` is in posts the buffer: with an active request, which has begun, or (0) for as
 * long as the call goes on. */
static MPI_HOT void mpi_apart_post(struct mpi_rank *me, struct mpi_apart *apart,
				   const struct mpi_apart_buffer *buffer, uintptr_t request)
{
	struct mpi_apart_post *post;
	uint64_t hash;

	if (buffer->peer == MPI_PROC_NULL)
		return;
	hash = mpi_apart_hash(apart->hash, buffer);
	post = &apart->posts[apart->n];
	if (__builtin_expect(!apart->is_sequence || apart->n >= apart->n_room ||
				 (post->known[0] != hash && post->known[1] != hash),
			     0)) {
		mpi_apart_look(me, apart, buffer, request, hash);
		return;
	}
	post->request = request;
	apart->hash = hash;
	apart->n++;
}

/* The same of a request that has begun, if it is one send or receive. */
void mpi_apart_post_request(struct mpi_rank *me, MPI_Request request);
/* The buffers of a call that blocks. */
void mpi_apart_look_at_call(const struct mpi_verify_call *call);
/* A call that does not block has returned: if it gave a request of anything else, its buffers are held
 * whenever that is active (held.c). */
void mpi_apart_hold(const struct mpi_verify_call *call);

#endif
