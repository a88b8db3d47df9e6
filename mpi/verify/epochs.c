/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls about windows begin, end and order. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/call_info.h"
#include "mpi/verify/races.h"

enum { CHANNEL_POST = 1, CHANNEL_COMPLETE };

static struct mpi_win *window_of(const struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	int place = mpi_memory_parameter(info, PARAMETER_WIN);
	const void *value = place >= 0 ? mpi_memory_argument(call, place).p : NULL;

	if (!value)
		return NULL;
	return mpi_win_get(call->me, info->parameters[place].is_place ? *(const MPI_Win *)value
								      : (MPI_Win)(uintptr_t)value);
}

/* `win` is no more: it is only compared. */
static void remove_regions(struct mpi_races *races, const struct mpi_win *win, uintptr_t low)
{
	for (size_t i = 0; i < races->n_regions;) {
		struct mpi_race_region region = races->regions[i];

		if (region.win != win || (low && region.low != low)) {
			i++;
			continue;
		}
		memmove(&races->regions[i], &races->regions[i + 1],
			(races->n_regions - i - 1) * sizeof region);
		races->n_regions--;
		mpi_races_forget(races, &region);
	}
}

static void end_stores(struct mpi_races *races, struct mpi_race_epoch *epoch, int rank)
{
	if (epoch->stores)
		epoch->stores->end = mpi_races_clock(races, rank)[rank];
	mpi_races_drop(epoch->stores);
	epoch->stores = NULL;
}

void mpi_races_synchronize(struct mpi_races *races, struct mpi_win *win)
{
	struct mpi_race_epoch *epoch;

	if (!races->is_separate)
		return;
	epoch = mpi_races_epoch(races, win);
	mpi_races_release(epoch->seen);
	epoch->seen = mpi_races_stamp(races, win->owner->rank);
}

/* `win`, of `rank`, is no more: it is only compared. */
static void remove_epoch(struct mpi_races *races, const struct mpi_win *win, int rank)
{
	struct util_map_slot *slot = util_map_find(&races->epochs, (uintptr_t)win);
	struct mpi_race_epoch *epoch = slot ? slot->item : NULL;

	remove_regions(races, win, 0);
	if (!epoch)
		return;
	for (int i = 0; i < epoch->size; i++)
		free(epoch->acquired[i]);
	end_stores(races, epoch, rank);
	mpi_races_release(epoch->seen);
	free(epoch->acquired);
	free(epoch->released[0]);
	free(epoch->released[1]);
	free(epoch->locked);
	free(epoch->targets);
	free(epoch->origins);
	util_map_remove(&races->epochs, (uintptr_t)win, epoch);
	free(epoch);
}

/* --- the end of operations --- */

/* Ends the operations on `target` (-1: all) at their targets. */
static void end_operations(struct mpi_races *races, struct mpi_race_epoch *epoch, int target)
{
	int rank = epoch->win->owner->rank;
	struct mpi_race_operation **place = &epoch->open, *operation;

	while ((operation = *place)) {
		if (target >= 0 && operation->target != target) {
			place = &operation->next;
			continue;
		}
		*place = operation->next;
		if (operation->end == RACE_PENDING) /* gets may be complete */
			operation->end = mpi_races_clock(races, rank)[rank];
		if (operation->learns)
			mpi_races_learn(races, operation->learns, rank);
		mpi_races_drop(operation);
	}
}

/* … and at this rank: its buffers are its own. */
static void give_buffers(struct mpi_races *races, struct mpi_rank *me, const struct mpi_win *win,
			 int target)
{
	struct mpi_memory_active *next, *active = races->memory->ranks[me->rank].actives.first;

	for (; active; active = next) {
		next = active->link.next;
		if (active->win != win || (target >= 0 && active->target != target))
			continue;
		mpi_memory_unlock(races->memory, active);
		mpi_memory_forget(races->memory, me, active);
	}
}

void mpi_races_complete_locally(struct mpi_races *races, struct mpi_memory_active *active)
{
	struct mpi_race_operation *operation = active->operation;
	int rank = active->buffer.call.rank;

	active->operation = NULL;
	if (!operation)
		return;
	if (races && operation->end == RACE_PENDING)
		operation->end = mpi_races_clock(races, rank)[rank];
	if (races)
		mpi_races_tick(races, rank);
	if (races && operation->learns)
		mpi_races_learn(races, operation->learns, rank);
	mpi_races_drop(operation);
}

/* --- post, start, complete, wait --- */

static int ranks_of(struct mpi_verify_call *call, int **out)
{
	MPI_Group handle = (MPI_Group)(uintptr_t)mpi_races_argument(call, "group").p;
	const struct mpi_group *group = mpi_group_get(call->me, handle);
	int n = group ? group->size : 0;

	free(*out);
	*out = calloc((size_t)n + 1, sizeof **out);
	for (int i = 0; *out && i < n; i++)
		(*out)[i] = mpi_group_world_rank(group, i);
	return *out ? n : 0;
}

static uint64_t channel_of(const struct mpi_win *win, int kind)
{
	return (uint64_t)(uintptr_t)win->window * 4 + (uint64_t)kind;
}

static void post(struct mpi_races *races, struct mpi_verify_call *call,
		 struct mpi_race_epoch *epoch)
{
	epoch->n_origins = ranks_of(call, &epoch->origins);
	for (int i = 0; i < epoch->n_origins; i++)
		mpi_races_send(races, channel_of(epoch->win, CHANNEL_POST), call->me->rank,
			       epoch->origins[i], 0);
}

/* Operations come after the posts, whether or not the call waits for them. */
static void start(struct mpi_races *races, struct mpi_verify_call *call,
		  struct mpi_race_epoch *epoch)
{
	epoch->n_targets = ranks_of(call, &epoch->targets);
	for (int i = 0; i < epoch->n_targets; i++) {
		int member = mpi_group_index(epoch->win->comm->group, epoch->targets[i]);
		struct mpi_race_stamp *stamp =
		    mpi_races_recv(races, channel_of(epoch->win, CHANNEL_POST), epoch->targets[i],
				   call->me->rank, 0);

		if (stamp && member >= 0 && member < epoch->win->size)
			mpi_races_merge(races, &epoch->acquired[member], stamp->clock);
		mpi_races_release(stamp);
	}
}

static void complete(struct mpi_races *races, struct mpi_verify_call *call,
		     struct mpi_race_epoch *epoch)
{
	end_operations(races, epoch, -1);
	for (int i = 0; i < epoch->n_targets; i++)
		mpi_races_send(races, channel_of(epoch->win, CHANNEL_COMPLETE), call->me->rank,
			       epoch->targets[i], 0);
	mpi_races_tick(races, call->me->rank);
	epoch->n_targets = 0;
}

static void end_exposure(struct mpi_races *races, struct mpi_verify_call *call,
			 struct mpi_race_epoch *epoch)
{
	const int *flag = mpi_races_argument(call, "flag").p;

	if (flag && !*flag)
		return;
	for (int i = 0; i < epoch->n_origins; i++) {
		struct mpi_race_stamp *stamp =
		    mpi_races_recv(races, channel_of(epoch->win, CHANNEL_COMPLETE),
				   epoch->origins[i], call->me->rank, 0);

		if (stamp)
			mpi_races_join(races, call->me->rank, stamp->clock);
		mpi_races_release(stamp);
	}
	epoch->n_origins = 0;
}

/* --- locks --- */

/* Of the target's lock: exclusive ones come after all, shared ones after exclusive ones. */
/* With MPI_MODE_NOCHECK the lock may exclude nobody: it orders nothing. */
enum { LOCK_UNCHECKED = -1 };

static void acquire(struct mpi_races *races, struct mpi_race_epoch *epoch, int target, int type)
{
	struct mpi_win *at = rma_member(epoch->win, target);

	epoch->locked[target] = type;
	if (!at || type == LOCK_UNCHECKED)
		return;
	mpi_races_merge(races, &epoch->acquired[target],
			mpi_races_epoch(races, at)->released[type == MPI_LOCK_EXCLUSIVE]);
	/* the lock of one's own memory is there when the call returns (§12.5.3) */
	if (at->owner == epoch->win->owner)
		mpi_races_join(races, at->owner->rank, epoch->acquired[target]);
}

static void release(struct mpi_races *races, struct mpi_race_epoch *epoch, int target)
{
	struct mpi_win *at = rma_member(epoch->win, target);
	const uint32_t *clock = mpi_races_clock(races, epoch->win->owner->rank);
	bool is_checked = at && epoch->locked[target] != LOCK_UNCHECKED;
	struct mpi_race_epoch *other = is_checked ? mpi_races_epoch(races, at) : NULL;

	if (other && epoch->locked[target] == MPI_LOCK_EXCLUSIVE)
		mpi_races_merge(races, &other->released[0], clock);
	if (other)
		mpi_races_merge(races, &other->released[1], clock);
	epoch->locked[target] = 0;
}

static void for_targets(struct mpi_races *races, struct mpi_race_epoch *epoch, int target,
			void (*act)(struct mpi_races *, struct mpi_race_epoch *, int))
{
	for (int i = 0; i < epoch->win->size; i++)
		if ((target < 0 || i == target) && epoch->locked[i])
			act(races, epoch, i);
}

/* The operation was done under the lock: whoever had it before is known to have given it back. */
static void learn(struct mpi_races *races, struct mpi_race_epoch *epoch, int target)
{
	mpi_races_join(races, epoch->win->owner->rank, epoch->acquired[target]);
}

/* --- which call --- */

static int target_of(const struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	int place = mpi_memory_parameter(info, PARAMETER_RANK);

	return place >= 0 ? (int)mpi_memory_argument(call, place).i : -1;
}

/* §12.7, rule 5: stores are in the public copy. */
static bool shows_stores(enum mpi_window_call does)
{
	return does == MPI_WINDOW_POST || does == MPI_WINDOW_FENCE || does == MPI_WINDOW_SYNC ||
	       does == MPI_WINDOW_UNLOCK;
}

/* … rule 6: updates by others are in the private one. */
static bool shows_updates(enum mpi_window_call does)
{
	return does == MPI_WINDOW_WAIT || does == MPI_WINDOW_TEST || does == MPI_WINDOW_FENCE ||
	       does == MPI_WINDOW_LOCK || does == MPI_WINDOW_LOCK_ALL || does == MPI_WINDOW_SYNC;
}

void mpi_races_window_before(struct mpi_races *races, struct mpi_verify_call *call)
{
	enum mpi_window_call does = call->function->window;
	struct mpi_win *win = window_of(call);
	struct mpi_race_epoch *epoch;
	int target;

	if (!win || does == MPI_WINDOW_NONE || mpi_races_is_operation(call))
		return;
	epoch = mpi_races_epoch(races, win);
	target = target_of(call);
	if (shows_stores(does))
		end_stores(races, epoch, epoch->win->owner->rank);
	if (does == MPI_WINDOW_POST) {
		post(races, call, epoch);
	} else if (does == MPI_WINDOW_COMPLETE) {
		complete(races, call, epoch);
	} else if (does == MPI_WINDOW_FENCE || does == MPI_WINDOW_FREE) {
		end_operations(races, epoch, -1);
		races->freed[call->me->rank] = does == MPI_WINDOW_FREE ? win : NULL;
	} else if (does == MPI_WINDOW_UNLOCK || does == MPI_WINDOW_FLUSH) {
		end_operations(races, epoch, target);
		for_targets(races, epoch, target, learn);
		if (does == MPI_WINDOW_UNLOCK)
			for_targets(races, epoch, target, release);
		mpi_races_tick(races, call->me->rank);
	}
}

static void attach(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win)
{
	const void *base = mpi_races_argument(call, "base").p;
	MPI_Aint size_B = (MPI_Aint)mpi_races_argument(call, "size").i;

	mpi_races_add_region(races, win, base, size_B, win->owner->rank);
	mpi_races_mark(races, call, win, RACE_ATTACH, (uintptr_t)base, (size_t)size_B);
}

/* Who still accesses the memory does so too late. */
static void detach(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win)
{
	uintptr_t low = (uintptr_t)mpi_races_argument(call, "base").p;

	for (size_t i = 0; i < races->n_regions; i++)
		if (races->regions[i].win == win && races->regions[i].low == low)
			mpi_races_mark(races, call, win, RACE_DETACH, low,
				       races->regions[i].high - low);
	remove_regions(races, win, low);
}

static int lock_of(const struct mpi_verify_call *call)
{
	if (mpi_races_argument(call, "assert").i & MPI_MODE_NOCHECK)
		return LOCK_UNCHECKED;
	return call->function->window == MPI_WINDOW_LOCK
		   ? (int)mpi_races_argument(call, "lock_type").i
		   : MPI_LOCK_SHARED;
}

/* A call about a window that is there before and after it. */
static void after(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win)
{
	enum mpi_window_call does = call->function->window;
	struct mpi_race_epoch *epoch = mpi_races_epoch(races, win);

	if (mpi_races_is_operation(call)) {
		mpi_races_operate(races, call, win);
		return;
	}
	if (does == MPI_WINDOW_START) {
		start(races, call, epoch);
	} else if (does == MPI_WINDOW_WAIT || does == MPI_WINDOW_TEST) {
		end_exposure(races, call, epoch);
	} else if (does == MPI_WINDOW_LOCK) {
		if (target_of(call) >= 0 && target_of(call) < win->size)
			acquire(races, epoch, target_of(call), lock_of(call));
	} else if (does == MPI_WINDOW_LOCK_ALL) {
		for (int i = 0; i < win->size; i++)
			acquire(races, epoch, i, lock_of(call));
	} else if (does == MPI_WINDOW_ATTACH) {
		attach(races, call, win);
	} else if (does == MPI_WINDOW_DETACH) {
		detach(races, call, win);
	} else if (does == MPI_WINDOW_FENCE || does == MPI_WINDOW_COMPLETE ||
		   does == MPI_WINDOW_UNLOCK || does == MPI_WINDOW_FLUSH ||
		   does == MPI_WINDOW_FLUSH_LOCAL) {
		give_buffers(races, call->me, win, target_of(call));
	}
	if (shows_updates(does))
		mpi_races_synchronize(races, win);
}

void mpi_races_window_after(struct mpi_races *races, struct mpi_verify_call *call)
{
	struct mpi_win *win;

	if (call->function->window == MPI_WINDOW_CREATE) {
		mpi_races_created(races, call);
		return;
	}
	if (races->freed[call->me->rank]) {
		give_buffers(races, call->me, races->freed[call->me->rank], -1);
		remove_epoch(races, races->freed[call->me->rank], call->me->rank);
		races->freed[call->me->rank] = NULL;
		return;
	}
	win = window_of(call);
	if (win)
		after(races, call, win);
}
