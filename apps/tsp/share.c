/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No send here waits for a receive that might not come: notices to many ranks are nonblocking and kept until they
 * are through, all others go to a rank that is receiving. So nothing depends on the library's buffers.
 */
#include "share.h"

#include <stdlib.h>

enum { TAG_BOUND, TAG_DONE, TAG_ASK, TAG_TASK, TAG_STOP };

/* One number on its way to several ranks. */
struct notice {
	struct notice *next;
	int value, n_requests;
	MPI_Request requests[];
};

struct share {
	MPI_Comm comm;
	int rank, n_ranks;
	struct notice *notices;
};

static void share_init(struct share *share, struct tsp *tsp, MPI_Comm comm)
{
	*share = (struct share){.comm = comm};
	MPI_Comm_rank(comm, &share->rank);
	MPI_Comm_size(comm, &share->n_ranks);
	tsp->context = share;
}

/* Sends `value` to all ranks from `first` on, but not to this one nor to `except`. */
static void notify(struct share *share, int value, int tag, int first, int except)
{
	struct notice *notice = malloc(sizeof(*notice) + (size_t)share->n_ranks * sizeof(MPI_Request));

	if (!notice)
		MPI_Abort(share->comm, 1);
	notice->next = share->notices;
	notice->value = value;
	notice->n_requests = 0;
	for (int r = first; r < share->n_ranks; r++)
		if (r != share->rank && r != except)
			MPI_Isend(&notice->value, 1, MPI_INT, r, tag, share->comm,
				  &notice->requests[notice->n_requests++]);
	share->notices = notice;
}

/* Frees the notices that have left; with `wait`, all. */
static void drop_notices(struct share *share, int wait)
{
	for (struct notice **at = &share->notices, *notice; (notice = *at);) {
		int done = 1;

		if (wait)
			MPI_Waitall(notice->n_requests, notice->requests, MPI_STATUSES_IGNORE);
		else
			MPI_Testall(notice->n_requests, notice->requests, &done, MPI_STATUSES_IGNORE);
		if (done) {
			*at = notice->next;
			free(notice);
		} else {
			at = &notice->next;
		}
	}
}

static void lower(struct tsp *tsp, int bound)
{
	if (bound < tsp->best)
		tsp->best = bound;
}

/* --- round robin --- */

static void poll_bounds(struct tsp *tsp)
{
	struct share *share = tsp->context;
	int waiting, bound;

	if (share->n_ranks == 1)
		return;
	for (;;) {
		MPI_Iprobe(MPI_ANY_SOURCE, TAG_BOUND, share->comm, &waiting, MPI_STATUS_IGNORE);
		if (!waiting)
			break;
		MPI_Recv(&bound, 1, MPI_INT, MPI_ANY_SOURCE, TAG_BOUND, share->comm, MPI_STATUS_IGNORE);
		lower(tsp, bound);
	}
	drop_notices(share, 0);
}

static void tell_everybody(struct tsp *tsp)
{
	struct share *share = tsp->context;

	notify(share, tsp->best, TAG_BOUND, 0, share->rank);
}

void share_round_robin(struct tsp *tsp, MPI_Comm comm)
{
	struct share share;
	MPI_Status status;
	int bound;

	share_init(&share, tsp, comm);
	tsp->poll = poll_bounds;
	tsp->improved = tell_everybody;
	for (int task = share.rank; task < tsp_n_tasks(tsp); task += share.n_ranks) {
		poll_bounds(tsp);
		tsp_search(tsp, task);
	}
	/* messages of one rank do not overtake each other: behind its "done" comes nothing */
	notify(&share, 0, TAG_DONE, 0, share.rank);
	for (int n_done = 1; n_done < share.n_ranks;) {
		MPI_Recv(&bound, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
		if (status.MPI_TAG == TAG_DONE)
			n_done++;
		else
			lower(tsp, bound);
	}
	drop_notices(&share, 1);
}

/* --- load-balanced --- */

static void tell_master(struct tsp *tsp)
{
	struct share *share = tsp->context;

	MPI_Send(&tsp->best, 1, MPI_INT, 0, TAG_BOUND, share->comm);
}

static void poll_master(struct tsp *tsp)
{
	struct share *share = tsp->context;
	int waiting, bound;

	for (;;) {
		MPI_Iprobe(0, TAG_BOUND, share->comm, &waiting, MPI_STATUS_IGNORE);
		if (!waiting)
			return;
		MPI_Recv(&bound, 1, MPI_INT, 0, TAG_BOUND, share->comm, MPI_STATUS_IGNORE);
		lower(tsp, bound);
	}
}

static void work(struct tsp *tsp, struct share *share)
{
	MPI_Status status;
	int value;

	tsp->poll = poll_master;
	tsp->improved = tell_master;
	for (;;) {
		MPI_Send(NULL, 0, MPI_INT, 0, TAG_ASK, share->comm);
		do {
			MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, share->comm, &status);
			if (status.MPI_TAG == TAG_BOUND)
				lower(tsp, value);
		} while (status.MPI_TAG == TAG_BOUND);
		if (status.MPI_TAG == TAG_STOP)
			return;
		tsp_search(tsp, value);
	}
}

static void hand_out(struct tsp *tsp, struct share *share)
{
	int next = 0, value, n_working = share->n_ranks - 1;
	MPI_Status status;

	while (n_working > 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, share->comm, &status);
		if (status.MPI_TAG == TAG_BOUND) {
			if (value < tsp->best) {
				tsp->best = value;
				notify(share, value, TAG_BOUND, 1, status.MPI_SOURCE);
			}
		} else if (next < tsp_n_tasks(tsp)) {
			MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TAG_TASK, share->comm);
			next++;
		} else {
			MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TAG_STOP, share->comm);
			n_working--;
		}
		drop_notices(share, 0);
	}
	drop_notices(share, 1);
}

void share_balanced(struct tsp *tsp, MPI_Comm comm)
{
	struct share share;

	share_init(&share, tsp, comm);
	if (share.n_ranks == 1)
		share_round_robin(tsp, comm);
	else if (share.rank == 0)
		hand_out(tsp, &share);
	else
		work(tsp, &share);
}
