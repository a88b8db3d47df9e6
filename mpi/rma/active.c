/* SPDX-License-Identifier: BSD-3-Clause */
/* Active target synchronization: fence; post, start, complete, wait and test. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/coll/coll.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/rma/epoch.h"
#include "mpi/rma/operation.h"

static int check_fence(struct mpi_rank *me, struct mpi_win *win, int assert)
{
	int code = rma_check_assert(me, win, assert,
				    MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
					MPI_MODE_NOSUCCEED);

	if (code == MPI_SUCCESS && win->access != ACCESS_FENCE)
		code = rma_check_no_access(me, win);
	if (code == MPI_SUCCESS && win->is_exposed)
		code =
		    rma_raise(me, win, MPI_ERR_RMA_SYNC, "the window is exposed by MPI_Win_post");
	if (code == MPI_SUCCESS && (assert &MPI_MODE_NOPRECEDE) && win->n_remote > 0)
		code = rma_raise(me, win, MPI_ERR_ASSERT,
				 "MPI_MODE_NOPRECEDE, but %d operations precede the fence",
				 win->n_remote);
	return code;
}

int mpi_win_fence(struct mpi_rank *me, int assert, struct mpi_win *win)
{
	int code = check_fence(me, win, assert);

	if (code != MPI_SUCCESS)
		return code;
	rma_wait_for(me, win, WAIT_REMOTE, -1);
	/* all or none say so: then there is nothing to order */
	if (~assert &(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED))
		code = mpi_coll_barrier(me, win->comm);
	win->access = assert &MPI_MODE_NOSUCCEED ? ACCESS_NONE : ACCESS_FENCE;
	win->is_used = false;
	if (code != MPI_SUCCESS)
		code = rma_raise(me, win, code, "the ranks did not meet");
	return code;
}

/* The member of the window that a group's member is. */
static int member_of(const struct mpi_win *win, const struct mpi_group *group, int index)
{
	return mpi_group_index(win->comm->group, mpi_group_world_rank(group, index));
}

static int check_group(struct mpi_rank *me, struct mpi_win *win, const struct mpi_group *group)
{
	for (int i = 0; i < group->size; i++)
		if (member_of(win, group, i) == MPI_UNDEFINED)
			return rma_raise(me, win, MPI_ERR_GROUP,
					 "rank %d of group is not in the window's group", i);
	return MPI_SUCCESS;
}

static void expose(struct mpi_rank *me, struct mpi_win *win, struct mpi_group *group,
		   bool is_checked)
{
	mpi_group_retain(group);
	win->exposure_group = group;
	win->is_exposed = true;
	win->n_awaited_completes = group->size;
	for (int i = 0; i < group->size; i++)
		rma_peer(win, member_of(win, group, i))->is_exposed_to = true;
	for (int i = 0; is_checked && i < group->size; i++)
		rma_notify(me, win, RMA_POST, member_of(win, group, i), 0);
}

int mpi_win_post(struct mpi_rank *me, struct mpi_group *group, int assert, struct mpi_win *win)
{
	int code = check_group(me, win, group);

	if (code == MPI_SUCCESS)
		code = rma_check_assert(me, win, assert,
					MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
	if (code == MPI_SUCCESS && win->is_exposed)
		code = rma_raise(me, win, MPI_ERR_RMA_SYNC, "the window is exposed already");
	if (code == MPI_SUCCESS && win->access == ACCESS_FENCE)
		code = rma_check_no_access(me, win);
	if (code == MPI_SUCCESS)
		expose(me, win, group, !(assert &MPI_MODE_NOCHECK));
	return code;
}

/* Every member of the group has posted, or does so before the wait ends. */
static void start(struct mpi_rank *me, struct mpi_win *win, struct mpi_group *group,
		  bool is_checked)
{
	mpi_group_retain(group);
	win->access_group = group;
	win->access = ACCESS_STARTED;
	for (int i = 0; i < group->size; i++) {
		struct rma_peer *peer = rma_peer(win, member_of(win, group, i));

		peer->is_accessed = true;
		if (!is_checked)
			continue;
		peer->is_awaited = peer->n_posts == 0;
		win->n_awaited_posts += peer->is_awaited;
	}
	if (!is_checked)
		return;
	rma_wait_for(me, win, WAIT_POSTS, -1);
	for (int i = 0; i < group->size; i++)
		rma_peer(win, member_of(win, group, i))->n_posts--;
}

int mpi_win_start(struct mpi_rank *me, struct mpi_group *group, int assert, struct mpi_win *win)
{
	int code = check_group(me, win, group);

	if (code == MPI_SUCCESS)
		code = rma_check_assert(me, win, assert, MPI_MODE_NOCHECK);
	if (code == MPI_SUCCESS)
		code = rma_check_no_access(me, win);
	if (code == MPI_SUCCESS)
		start(me, win, group, !(assert &MPI_MODE_NOCHECK));
	return code;
}

static void complete(struct mpi_rank *me, struct mpi_win *win)
{
	struct mpi_group *group = win->access_group;

	rma_wait_for(me, win, WAIT_REMOTE, -1);
	for (int i = 0; i < group->size; i++) {
		int target = member_of(win, group, i);

		rma_peer(win, target)->is_accessed = false;
		rma_notify(me, win, RMA_COMPLETE, target, 0);
	}
	win->access = ACCESS_NONE;
	win->access_group = NULL;
	mpi_group_release(me, group);
}

int mpi_win_complete(struct mpi_rank *me, struct mpi_win *win)
{
	if (win->access != ACCESS_STARTED)
		return rma_raise(me, win, MPI_ERR_RMA_SYNC, "there was no MPI_Win_start");
	complete(me, win);
	return MPI_SUCCESS;
}

static int check_exposed(struct mpi_rank *me, struct mpi_win *win)
{
	return win->is_exposed ? MPI_SUCCESS
			       : rma_raise(me, win, MPI_ERR_RMA_SYNC, "there was no MPI_Win_post");
}

static void end_exposure(struct mpi_rank *me, struct mpi_win *win)
{
	win->is_exposed = false;
	mpi_group_release(me, win->exposure_group);
	win->exposure_group = NULL;
}

int mpi_win_wait(struct mpi_rank *me, struct mpi_win *win)
{
	int code = check_exposed(me, win);

	if (code != MPI_SUCCESS)
		return code;
	rma_wait_for(me, win, WAIT_COMPLETES, -1);
	end_exposure(me, win);
	return MPI_SUCCESS;
}

int mpi_win_test(struct mpi_rank *me, struct mpi_win *win, int *flag)
{
	int code = check_exposed(me, win);

	if (code != MPI_SUCCESS)
		return code;
	mpi_progress_poll(me, 0, NULL, false);
	*flag = rma_is_so(win, WAIT_COMPLETES, -1);
	if (*flag) {
		me->endpoint->n_polls = 0;
		end_exposure(me, win);
	} else {
		mpi_endpoint_poll_failed(me);
	}
	return MPI_SUCCESS;
}
