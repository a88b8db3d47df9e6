/* SPDX-License-Identifier: BSD-3-Clause */
/* What the entry points MPI_X, MPI_Ix and MPI_X_init have in common. */
#include <stdlib.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/operation.h"
#include "mpi/coll/staged.h"
#include "mpi/core/status.h"
#include "mpi/info/info.h"
#include "pdexec/image.h"

static void join_groups(struct mpi_coll_barriers *barriers, int a, int b)
{
	int from = barriers->groups[a], to = barriers->groups[b];

	for (int i = 0; i < barriers->n; i++)
		if (barriers->groups[i] == from || barriers->groups[i] == to)
			barriers->groups[i] = from < to ? from : to;
}

/* Of one barrier that ranks call at different places. */
static void link_places(const struct mpi_rank *me, struct mpi_coll_barriers *barriers, int i,
			MPI_Comm handle)
{
	const struct mpi_comm *comm = mpi_comm_get(me, handle);
	uint64_t key =
	    comm ? ((uint64_t)comm->context << 32 | (uint32_t)comm->collective_count) + 1 : 0;
	int at = (int)((key ^ key >> 32) % MPI_COLL_SEEN_BARRIERS);

	if (key && barriers->seen[at].key == key)
		join_groups(barriers, i, barriers->seen[at].place);
	barriers->seen[at].key = key;
	barriers->seen[at].place = i;
}

/* Notes a barrier of the program; true: it is left out. */
static bool is_left_out(const struct mpi_rank *me, struct mpi_coll_barriers *barriers,
			MPI_Comm comm)
{
	uint64_t place = 0;
	int i = 0;

	if (!me->pd->site || me->world->pd->is_builtin ||
	    !pd_image_locate(me->pd->program->image, me->pd->site, &place))
		return false;
	while (i < barriers->n && barriers->places[i] != place)
		i++;
	if (i == MPI_COLL_MAX_BARRIERS)
		return false;
	if (i == barriers->n) {
		barriers->places[i] = place;
		barriers->groups[i] = i;
		barriers->ranks[i] = me->rank;
		barriers->n++;
	}
	if (barriers->left_out == 0)
		link_places(me, barriers, i, comm);
	return barriers->left_out == 1 + barriers->groups[i];
}

int mpi_coll_call_blocking(struct mpi_rank *me, const struct mpi_coll_args *args)
{
	const struct mpi_coll_selection *selection = me->world->coll_selection;
	struct mpi_coll coll;
	struct mpi_comm *comm;
	int code;

	if (selection && selection->barriers && args->kind == COLL_BARRIER &&
	    is_left_out(me, selection->barriers, args->comm))
		return MPI_SUCCESS;
	code = mpi_coll_resolve(me, args, &coll);

	if (code != MPI_SUCCESS)
		return code;
	comm = coll.comm;
	code = mpi_coll_run(me, &coll);
	if (code != MPI_SUCCESS)
		code = mpi_raise(me, comm, code,
				 "a message of the operation failed: counts and datatypes differ "
				 "between ranks, or sendbuf and recvbuf do");
	return code;
}

/* --- behind a request --- */

/* The program may free handles while the operation is under way. */
static void retain_objects(const struct mpi_coll *coll)
{
	const struct mpi_coll_side *sides[] = {&coll->given.send, &coll->given.recv};

	if (coll->op)
		mpi_op_retain(coll->op);
	for (int s = 0; s < 2; s++) {
		if (sides[s]->type)
			mpi_datatype_retain(sides[s]->type);
		for (int i = 0; sides[s]->types && i < sides[s]->n_blocks; i++)
			mpi_datatype_retain(sides[s]->types[i]);
	}
}

static void release_objects(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_side *sides[] = {&coll->given.send, &coll->given.recv};

	for (int s = 0; s < 2; s++) {
		mpi_datatype_release(me, sides[s]->type);
		for (int i = 0; sides[s]->types && i < sides[s]->n_blocks; i++)
			mpi_datatype_release(me, sides[s]->types[i]);
	}
	if (coll->op)
		mpi_op_release(me, coll->op);
}

/* mpi_request.release */
static void release(struct mpi_rank *me, struct mpi_request *request)
{
	struct mpi_coll *coll = request->operation;

	release_objects(me, coll);
	mpi_coll_finish(coll);
	free(coll);
}

static bool round_is_complete(const struct mpi_coll *coll)
{
	for (int i = 0; i < coll->n_posted; i++)
		if (coll->posted[i]->state != REQUEST_COMPLETE)
			return false;
	return true;
}

/* Rounds that can run now; true when the operation has ended and its request is complete. */
static bool make_progress(struct mpi_rank *me, struct mpi_coll *coll)
{
	bool has_ended = false;

	if (coll->is_advancing) /* a send of the round let the rank look for progress */
		return false;
	coll->is_advancing = true;
	while (!has_ended && round_is_complete(coll))
		has_ended = mpi_coll_continue(me, coll);
	if (has_ended)
		mpi_coll_unstage(me, coll);
	coll->is_advancing = false;
	if (!has_ended)
		return false;
	mpi_status_set_empty(&coll->request->status);
	mpi_request_complete(coll->request, coll->error);
	return true;
}

static bool advance(struct mpi_rank *me, struct mpi_progress *progress)
{
	return make_progress(me, (struct mpi_coll *)progress);
}

static void begin_in_background(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_begin(me, coll);
	if (!make_progress(me, coll))
		mpi_progress_add(me, &coll->progress);
}

/* mpi_request.start: MPI_Start of a persistent collective. */
static int start(struct mpi_rank *me, struct mpi_request *request)
{
	request->state = REQUEST_PENDING;
	begin_in_background(me, request->operation);
	return MPI_SUCCESS;
}

static void put_behind_request(struct mpi_rank *me, struct mpi_coll *coll)
{
	retain_objects(coll);
	coll->progress.advance = advance;
	coll->request = mpi_request_create(me, REQUEST_COLL);
	mpi_comm_retain(coll->comm);
	coll->request->comm = coll->comm; /* the request's reference serves the operation too */
	coll->request->operation = coll;
	coll->request->release = release;
}

struct mpi_request *mpi_coll_start(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_request *request;

	put_behind_request(me, coll);
	request = coll->request;
	begin_in_background(me, coll);
	return request;
}

/* Resolves the arguments into an operation behind a new request. */
static int create(struct mpi_rank *me, const struct mpi_coll_args *args, MPI_Request *request,
		  struct mpi_coll **out)
{
	struct mpi_coll *coll;
	int code;

	if (!request)
		return mpi_raise(me, mpi_comm_get(me, args->comm), MPI_ERR_ARG, "request is NULL");
	coll = malloc(sizeof *coll);
	if (!coll)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a collective operation");
	code = mpi_coll_resolve(me, args, coll);
	if (code != MPI_SUCCESS) {
		free(coll);
		return code;
	}
	put_behind_request(me, coll);
	*request = mpi_request_publish(me, coll->request);
	*out = coll;
	return MPI_SUCCESS;
}

int mpi_coll_call_nonblocking(struct mpi_rank *me, const struct mpi_coll_args *args,
			      MPI_Request *request)
{
	struct mpi_coll *coll;
	int code = create(me, args, request, &coll);

	if (code == MPI_SUCCESS)
		begin_in_background(me, coll);
	return code;
}

int mpi_coll_call_persistent(struct mpi_rank *me, const struct mpi_coll_args *args,
			     MPI_Request *request)
{
	struct mpi_coll *coll;
	int code = MPI_SUCCESS;

	if (args->info != MPI_INFO_NULL && !mpi_info_get(me, args->info))
		code = mpi_raise(me, mpi_comm_get(me, args->comm), MPI_ERR_INFO,
				 "info is not an info object");
	if (code == MPI_SUCCESS)
		code = create(me, args, request, &coll);
	if (code == MPI_SUCCESS) {
		coll->request->is_persistent = true;
		coll->request->state = REQUEST_IDLE;
		coll->request->start = start;
	}
	return code;
}
