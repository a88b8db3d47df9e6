/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls about windows begin, end and order. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/call_info.h"
#include "mpi/verify/races.h"
#include "util/array.h"

enum { CHANNEL_POST = 1, CHANNEL_COMPLETE };

static union mpi_verify_value argument(const struct mpi_verify_call *call, const char *name)
{
	const struct mpi_call_info *info = mpi_memory_info(call);

	for (int i = 0; i < info->n_parameters; i++)
		if (strcmp(info->parameters[i].name, name) == 0)
			return mpi_memory_argument(call, i);
	return (union mpi_verify_value){.i = 0};
}

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

static struct mpi_race_epoch *epoch_of(struct mpi_races *races, struct mpi_win *win)
{
	struct util_map_slot *slot = util_map_find(&races->epochs, (uintptr_t)win);
	struct mpi_race_epoch *epoch = slot ? slot->item : calloc(1, sizeof *epoch);

	if (slot)
		return epoch;
	if (!epoch)
		mpi_request_fail_memory(win->owner);
	epoch->win = win;
	epoch->size = win->size;
	epoch->acquired = calloc((size_t)win->size, sizeof *epoch->acquired);
	epoch->locked = calloc((size_t)win->size, sizeof *epoch->locked);
	if (!epoch->acquired || !epoch->locked ||
	    util_map_put(&races->epochs, (uintptr_t)win, epoch))
		mpi_request_fail_memory(win->owner);
	return epoch;
}

/* `win` is no more: it is only compared. */
static void remove_regions(struct mpi_races *races, const struct mpi_win *win, uintptr_t low)
{
	size_t n = 0;

	for (size_t i = 0; i < races->n_regions; i++)
		if (races->regions[i].win != win || (low && races->regions[i].low != low))
			races->regions[n++] = races->regions[i];
	races->n_regions = n;
}

static void remove_epoch(struct mpi_races *races, struct mpi_win *win)
{
	struct util_map_slot *slot = util_map_find(&races->epochs, (uintptr_t)win);
	struct mpi_race_epoch *epoch = slot ? slot->item : NULL;

	remove_regions(races, win, 0);
	if (!epoch)
		return;
	for (int i = 0; i < epoch->size; i++)
		free(epoch->acquired[i]);
	free(epoch->acquired);
	free(epoch->released[0]);
	free(epoch->released[1]);
	free(epoch->locked);
	free(epoch->targets);
	free(epoch->origins);
	util_map_remove(&races->epochs, (uintptr_t)win, epoch);
	free(epoch);
}

/* --- memory of windows --- */

static void add_region(struct mpi_races *races, struct mpi_win *win, const void *base,
		       MPI_Aint size_B, int space)
{
	struct mpi_memory_rank *rank = &races->memory->ranks[win->owner->rank];
	uintptr_t low = (uintptr_t)base, high = low + (uintptr_t)size_B;

	if (size_B <= 0 || pd_memory_is_absent(base) ||
	    !util_array_room(&races->regions, races->n_regions, sizeof *races->regions))
		return;
	races->regions[races->n_regions++] =
	    (struct mpi_race_region){low, high, win, win->owner->rank, space};
	if (rank->window_low == rank->window_high || low < rank->window_low)
		rank->window_low = low;
	rank->window_high = high > rank->window_high ? high : rank->window_high;
	mpi_memory_widen(rank, rank->window_low, rank->window_high);
}

static void created(struct mpi_races *races, struct mpi_verify_call *call)
{
	const MPI_Win *handle = argument(call, "win").p;
	struct mpi_win *win = handle ? mpi_win_get(call->me, *handle) : NULL;

	if (!win || strcmp(call->function->name, "MPI_Win_create_dynamic") == 0)
		return;
	if (win->window->flavor != MPI_WIN_FLAVOR_SHARED) {
		add_region(races, win, win->base, win->size_B, win->owner->rank);
		return;
	}
	for (int i = 0; i < win->size; i++)
		if (rma_member(win, i))
			add_region(races, win, rma_member(win, i)->base, rma_member(win, i)->size_B,
				   races->n);
}

/* --- operations --- */

bool mpi_races_is_operation(const struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);

	return info && mpi_memory_parameter(info, PARAMETER_WIN) >= 0 &&
	       mpi_memory_parameter(info, PARAMETER_BUFFER) >= 0 &&
	       mpi_memory_parameter(info, PARAMETER_RANK) >= 0;
}

struct runs {
	struct mpi_memory_run *runs; /* [n] malloc'd */
	size_t n;
};

static void add_run(void *context, uintptr_t at, size_t size_B)
{
	struct runs *runs = context;

	if (util_array_room(&runs->runs, runs->n, sizeof *runs->runs))
		runs->runs[runs->n++] = (struct mpi_memory_run){at, size_B};
}

static void kind_of(const struct mpi_verify_call *call, struct mpi_race_access *access)
{
	const char *name = call->function->name + strlen("MPI_");

	name += name[0] == 'R';
	access->op = (uintptr_t)argument(call, "op").p;
	access->kind = RACE_ACCUMULATE;
	if (strncmp(name, "Put", 3) == 0 || strncmp(name, "put", 3) == 0)
		access->kind = RACE_PUT;
	else if (strcmp(name, "Get") == 0 || strcmp(name, "get") == 0 ||
		 strcmp(name, "Get_c") == 0 || strcmp(name, "get_c") == 0)
		access->kind = RACE_GET;
}

/* Of the target's elements: those of derived datatypes are those that they are made of. */
static uintptr_t element_of(const struct mpi_datatype *type)
{
	return type->is_predefined ? (uintptr_t)type->handle : (uintptr_t)type->n_elements << 1 | 1;
}

static void at_target(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win,
		      int target, struct mpi_race_access *access)
{
	const struct mpi_win *at = rma_member(win, target);
	const void *handle = argument(call, "target_datatype").p;
	const struct mpi_datatype *type;
	MPI_Count count = argument(call, "target_count").i;
	struct runs runs = {0};
	const char *base;

	if (!handle) {
		handle = argument(call, "datatype").p;
		count = 1;
	}
	type = mpi_datatype_get(call->me, (MPI_Datatype)(uintptr_t)handle);
	if (!at || !type)
		return;
	base = win->window->flavor == MPI_WIN_FLAVOR_DYNAMIC ? NULL : at->base;
	base = (const char *)((uintptr_t)base + (uintptr_t)(argument(call, "target_disp").i *
							    (base ? at->disp_unit : 1)));
	access->type = element_of(type);
	mpi_datatype_runs(type, base, count, add_run, &runs);
	mpi_races_add(races,
		      win->window->flavor == MPI_WIN_FLAVOR_SHARED ? races->n : at->owner->rank,
		      access, runs.runs, runs.n);
	free(runs.runs);
}

/* The origin's own buffers may lie in a window, too. */
static void at_origin(struct mpi_races *races, const struct mpi_verify_call *call,
		      struct mpi_race_access access)
{
	for (int i = 0; call->buffers && i < call->buffers->n; i++) {
		const struct mpi_memory_active *active = call->buffers->actives[i];
		int space = active ? mpi_races_space(races, access.rank, active->buffer.low,
						     active->buffer.high - active->buffer.low)
				   : -1;

		if (space < 0)
			continue;
		access.kind = active->buffer.use & MEMORY_WRITE ? RACE_STORE : RACE_LOAD;
		mpi_races_add(races, space, &access, active->buffer.runs, active->buffer.n_runs);
	}
}

static struct mpi_race_operation *new_operation(struct mpi_rank *me, int target)
{
	struct mpi_race_operation *operation = calloc(1, sizeof *operation);

	if (!operation)
		mpi_request_fail_memory(me);
	*operation = (struct mpi_race_operation){
	    .n_references = 1, .rank = me->rank, .target = target, .end = RACE_PENDING};
	return operation;
}

static void operate(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win)
{
	int target = (int)argument(call, "target_rank").i;
	struct mpi_race_epoch *epoch = epoch_of(races, win);
	struct mpi_race_stamp *now = mpi_races_stamp(races, call->me->rank), *start = now;
	struct mpi_race_operation *remote, *local;
	struct mpi_race_access access = {.rank = call->me->rank};

	if (target < 0 || target >= win->size) {
		mpi_races_release(now);
		return;
	}
	if (epoch->acquired[target]) {
		uint32_t *clock;

		start = malloc(sizeof *start + (size_t)races->n * sizeof *clock);
		if (!start)
			mpi_request_fail_memory(call->me);
		start->n_references = 1;
		memcpy(start->clock, now->clock, (size_t)races->n * sizeof *clock);
		clock = start->clock;
		mpi_races_merge(races, &clock, epoch->acquired[target]);
		mpi_races_release(now);
	}
	access.start = start;
	access.call =
	    (struct mpi_finding_call){call->me->rank, call->function->name, call->me->pd->site};
	kind_of(call, &access);
	local = new_operation(call->me, target);
	remote = access.kind == RACE_GET ? local : new_operation(call->me, target);
	if (remote == local)
		local->n_references++;
	access.operation = local;
	at_origin(races, call, access);
	access.operation = remote;
	at_target(races, call, win, target, &access);
	remote->next = epoch->open;
	epoch->open = remote;
	for (int i = 0; call->buffers && i < call->buffers->n; i++)
		if (call->buffers->actives[i]) {
			call->buffers->actives[i]->operation = local;
			local->n_references++;
		}
	mpi_races_drop(local);
	mpi_races_release(start);
}

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
		operation->end = mpi_races_clock(races, rank)[rank];
		mpi_races_drop(operation);
	}
}

/* … and at this rank: its buffers are its own. */
static void give_buffers(struct mpi_races *races, struct mpi_rank *me, const struct mpi_win *win,
			 int target)
{
	struct mpi_memory_active *next, *active = races->memory->ranks[me->rank].actives;

	for (; active; active = next) {
		next = active->next;
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
	mpi_races_drop(operation);
}

/* --- post, start, complete, wait --- */

static int ranks_of(struct mpi_verify_call *call, int **out)
{
	MPI_Group handle = (MPI_Group)(uintptr_t)argument(call, "group").p;
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
	const int *flag = argument(call, "flag").p;

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
static void acquire(struct mpi_races *races, struct mpi_race_epoch *epoch, int target, int type)
{
	struct mpi_win *at = rma_member(epoch->win, target);

	epoch->locked[target] = type;
	if (!at)
		return;
	mpi_races_merge(races, &epoch->acquired[target],
			epoch_of(races, at)->released[type == MPI_LOCK_EXCLUSIVE]);
	/* the lock of one's own memory is there when the call returns (§12.5.3) */
	if (at->owner == epoch->win->owner)
		mpi_races_join(races, at->owner->rank, epoch->acquired[target]);
}

static void release(struct mpi_races *races, struct mpi_race_epoch *epoch, int target)
{
	struct mpi_win *at = rma_member(epoch->win, target);
	const uint32_t *clock = mpi_races_clock(races, epoch->win->owner->rank);
	struct mpi_race_epoch *other = at ? epoch_of(races, at) : NULL;

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

static bool is(const struct mpi_verify_call *call, const char *name)
{
	return strcmp(call->function->name + strlen("MPI_Win_"), name) == 0;
}

static int target_of(const struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	int place = mpi_memory_parameter(info, PARAMETER_RANK);

	return place >= 0 ? (int)mpi_memory_argument(call, place).i : -1;
}

static bool has_prefix(const struct mpi_verify_call *call, const char *prefix)
{
	return strncmp(call->function->name, prefix, strlen(prefix)) == 0;
}

void mpi_races_window_before(struct mpi_races *races, struct mpi_verify_call *call)
{
	struct mpi_win *win = window_of(call);
	struct mpi_race_epoch *epoch;
	int target;

	if (!win || !has_prefix(call, "MPI_Win_") || mpi_races_is_operation(call))
		return;
	epoch = epoch_of(races, win);
	target = target_of(call);
	if (is(call, "post")) {
		post(races, call, epoch);
	} else if (is(call, "complete")) {
		complete(races, call, epoch);
	} else if (is(call, "fence") || is(call, "free")) {
		end_operations(races, epoch, -1);
		races->freed[call->me->rank] = is(call, "free") ? win : NULL;
	} else if (has_prefix(call, "MPI_Win_unlock") || is(call, "flush") ||
		   is(call, "flush_all")) {
		end_operations(races, epoch, target);
		for_targets(races, epoch, target, learn);
		if (has_prefix(call, "MPI_Win_unlock"))
			for_targets(races, epoch, target, release);
		mpi_races_tick(races, call->me->rank);
	}
}

void mpi_races_window_after(struct mpi_races *races, struct mpi_verify_call *call)
{
	struct mpi_win *win;
	struct mpi_race_epoch *epoch;

	if (has_prefix(call, "MPI_Win_create") || has_prefix(call, "MPI_Win_allocate")) {
		created(races, call);
		return;
	}
	if (races->freed[call->me->rank]) {
		give_buffers(races, call->me, races->freed[call->me->rank], -1);
		remove_epoch(races, races->freed[call->me->rank]);
		races->freed[call->me->rank] = NULL;
		return;
	}
	win = window_of(call);
	if (!win)
		return;
	epoch = epoch_of(races, win);
	if (mpi_races_is_operation(call)) {
		operate(races, call, win);
	} else if (is(call, "start")) {
		start(races, call, epoch);
	} else if (is(call, "wait") || is(call, "test")) {
		end_exposure(races, call, epoch);
	} else if (is(call, "lock")) {
		if (target_of(call) >= 0 && target_of(call) < win->size)
			acquire(races, epoch, target_of(call), (int)argument(call, "lock_type").i);
	} else if (is(call, "lock_all")) {
		for (int i = 0; i < win->size; i++)
			acquire(races, epoch, i, MPI_LOCK_SHARED);
	} else if (is(call, "attach")) {
		add_region(races, win, argument(call, "base").p, (MPI_Aint)argument(call, "size").i,
			   win->owner->rank);
	} else if (is(call, "detach")) {
		remove_regions(races, win, (uintptr_t)argument(call, "base").p);
	} else if (is(call, "fence") || is(call, "complete") ||
		   has_prefix(call, "MPI_Win_unlock") || has_prefix(call, "MPI_Win_flush")) {
		give_buffers(races, call->me, win, target_of(call));
	}
}
