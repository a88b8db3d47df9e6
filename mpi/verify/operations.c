/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows and the one-sided operations on them, as accesses to memory. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/call_info.h"
#include "mpi/datatype/typemap.h"
#include "mpi/info/info.h"
#include "mpi/verify/races.h"
#include "util/array.h"

union mpi_value mpi_races_argument(const struct mpi_verify_call *call, const char *name)
{
	const struct mpi_call_info *info = mpi_memory_info(call);

	for (int i = 0; i < info->n_parameters; i++)
		if (strcmp(info->parameters[i].name, name) == 0)
			return mpi_memory_argument(call, i);
	return (union mpi_value){.i = 0};
}

struct mpi_race_epoch *mpi_races_epoch(struct mpi_races *races, struct mpi_win *win)
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

/* --- memory of windows --- */

void mpi_races_add_region(struct mpi_races *races, struct mpi_win *win, const void *base,
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

void mpi_races_created(struct mpi_races *races, struct mpi_verify_call *call)
{
	const MPI_Win *handle = mpi_races_argument(call, "win").p;
	struct mpi_win *win = handle ? mpi_win_get(call->me, *handle) : NULL;

	if (win)
		mpi_races_synchronize(races, win);
	if (!win || win->window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return;
	if (win->window->flavor != MPI_WIN_FLAVOR_SHARED) {
		mpi_races_add_region(races, win, win->base, win->size_B, win->owner->rank);
		return;
	}
	for (int i = 0; i < win->size; i++)
		if (rma_member(win, i))
			mpi_races_add_region(races, win, rma_member(win, i)->base,
					     rma_member(win, i)->size_B, races->n);
}

/* --- operations --- */

bool mpi_races_is_operation(const struct mpi_verify_call *call)
{
	return call->function->window >= MPI_WINDOW_PUT;
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

static const char *hint(const struct mpi_win *win, const char *key)
{
	const char *value = win->info ? mpi_info_value(win->info, key) : NULL;

	return value ? value : "";
}

static unsigned ordering_of(const struct mpi_win *win)
{
	const char *list = hint(win, "accumulate_ordering");

	return (strstr(list, "rar") ? RACE_RAR : 0) | (strstr(list, "raw") ? RACE_RAW : 0) |
	       (strstr(list, "war") ? RACE_WAR : 0) | (strstr(list, "waw") ? RACE_WAW : 0);
}

static void kind_of(const struct mpi_verify_call *call, const struct mpi_win *win,
		    struct mpi_race_access *access)
{
	enum mpi_window_call does = call->function->window;

	access->op = (uintptr_t)mpi_races_argument(call, "op").p;
	access->kind = does == MPI_WINDOW_PUT	? RACE_PUT
		       : does == MPI_WINDOW_GET ? RACE_GET
						: RACE_ACCUMULATE;
	if (access->kind != RACE_ACCUMULATE)
		return;
	access->fetches = does == MPI_WINDOW_FETCH;
	access->ordering = ordering_of(win);
	access->needs_same_op = strcmp(hint(win, "accumulate_ops"), "same_op") == 0;
}

/* The predefined type that all of it is made of (§12.3.4). */
static const struct mpi_datatype *element_of(const struct mpi_datatype *type)
{
	while (!type->is_predefined && type->map && type->map->n_blocks > 0)
		type = mpi_map_child(type->map, 0);
	return type;
}

static int space_of(const struct mpi_races *races, const struct mpi_win *win)
{
	return win->window->flavor == MPI_WIN_FLAVOR_SHARED ? races->n : win->owner->rank;
}

/* Who fetches from the location knows, once that is done, of those that changed it. */
static void tell_others(struct mpi_races *races, const struct mpi_race_access *access, uint64_t key)
{
	if (access->fetches)
		access->operation->learns = key;
	if (access->op != (uintptr_t)MPI_NO_OP)
		mpi_races_publish(races, key, access->rank);
}

static void at_target(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win,
		      int target, struct mpi_race_access *access)
{
	const struct mpi_win *at = rma_member(win, target);
	const void *handle = mpi_races_argument(call, "target_datatype").p;
	const struct mpi_datatype *type;
	MPI_Count count = mpi_races_argument(call, "target_count").i;
	struct runs runs = {0};
	const char *base;

	if (!handle) {
		handle = mpi_races_argument(call, "datatype").p;
		count = 1;
	}
	type = mpi_datatype_get(call->me, (MPI_Datatype)(uintptr_t)handle);
	if (!at || !type)
		return;
	base = win->window->flavor == MPI_WIN_FLAVOR_DYNAMIC ? NULL : at->base;
	base =
	    (const char *)((uintptr_t)base + (uintptr_t)(mpi_races_argument(call, "target_disp").i *
							 (base ? at->disp_unit : 1)));
	access->type = (uintptr_t)element_of(type)->handle;
	access->element_B = (uint32_t)element_of(type)->size_B;
	access->win = at;
	mpi_datatype_runs(type, base, count, add_run, &runs);
	mpi_races_add(races, space_of(races, at), access, runs.runs, runs.n);
	if (access->kind == RACE_ACCUMULATE && runs.n > 0)
		tell_others(races, access, mpi_races_key(space_of(races, at), runs.runs[0].at));
	free(runs.runs);
}

static void add_buffer(struct mpi_races *races, const struct mpi_memory_active *active,
		       struct mpi_race_access access)
{
	const struct mpi_race_region *region = mpi_races_region(
	    races, access.rank, active->buffer.low, active->buffer.high - active->buffer.low);

	if (!region)
		return;
	access.kind = active->buffer.use & MEMORY_WRITE ? RACE_STORE : RACE_LOAD;
	access.win = region->win;
	mpi_races_add(races, region->space, &access, active->buffer.runs, active->buffer.n_runs);
}

/* The origin's own buffers may lie in a window, too. */
static void at_origin(struct mpi_races *races, const struct mpi_verify_call *call,
		      struct mpi_race_access access)
{
	for (int i = 0; call->buffers && i < call->buffers->n; i++) {
		const struct mpi_memory_active *active = call->buffers->actives[i];

		if (active)
			add_buffer(races, active, access);
	}
}

void mpi_races_hold(struct mpi_races *races, struct mpi_memory_active *active)
{
	struct mpi_rank *me = &races->world->ranks[active->buffer.call.rank];
	struct mpi_race_access access = {.rank = me->rank, .call = active->buffer.call};

	if (me->rank >= races->n || active->win || active->operation ||
	    !mpi_races_region(races, me->rank, active->buffer.low,
			      active->buffer.high - active->buffer.low))
		return;
	active->operation = access.operation = mpi_races_operation(me, -1);
	access.start = mpi_races_stamp(races, me->rank);
	add_buffer(races, active, access);
	mpi_races_release(access.start);
}

void mpi_races_mark(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win,
		    enum mpi_race_kind kind, uintptr_t at, size_t size_B)
{
	struct mpi_race_stamp *now = mpi_races_stamp(races, call->me->rank);
	struct mpi_race_access access = {
	    .kind = kind,
	    .rank = call->me->rank,
	    .win = win,
	    .start = now,
	    .end = now->clock[call->me->rank],
	    .call = {call->me->rank, call->function->name, call->me->pd->site},
	};
	struct mpi_memory_run run = {at, size_B};

	mpi_races_add(races, space_of(races, win), &access, &run, 1);
	mpi_races_release(now);
}

struct mpi_race_operation *mpi_races_operation(struct mpi_rank *me, int target)
{
	struct mpi_race_operation *operation = calloc(1, sizeof *operation);

	if (!operation)
		mpi_request_fail_memory(me);
	*operation = (struct mpi_race_operation){
	    .n_references = 1, .rank = me->rank, .target = target, .end = RACE_PENDING};
	return operation;
}

/* `now`, whose reference it takes, with what is known through the epoch. */
static struct mpi_race_stamp *with_acquired(struct mpi_races *races, struct mpi_rank *me,
					    struct mpi_race_stamp *now, const uint32_t *acquired)
{
	struct mpi_race_stamp *start;
	uint32_t *clock;

	start = malloc(sizeof *start + (size_t)races->n * sizeof *clock);
	if (!start)
		mpi_request_fail_memory(me);
	start->n_references = 1;
	memcpy(start->clock, now->clock, (size_t)races->n * sizeof *clock);
	clock = start->clock;
	mpi_races_merge(races, &clock, acquired);
	mpi_races_release(now);
	return start;
}

void mpi_races_operate(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win)
{
	int target = (int)mpi_races_argument(call, "target_rank").i;
	struct mpi_race_epoch *epoch = mpi_races_epoch(races, win);
	struct mpi_race_stamp *now = mpi_races_stamp(races, call->me->rank), *start = now;
	struct mpi_race_operation *remote, *local;
	struct mpi_race_access access = {.rank = call->me->rank};

	if (target < 0 || target >= win->size) {
		mpi_races_release(now);
		return;
	}
	if (epoch->acquired[target])
		start = with_acquired(races, call->me, now, epoch->acquired[target]);
	access.start = start;
	access.call =
	    (struct mpi_finding_call){call->me->rank, call->function->name, call->me->pd->site};
	kind_of(call, win, &access);
	local = mpi_races_operation(call->me, target);
	remote = access.kind == RACE_GET ? local : mpi_races_operation(call->me, target);
	if (remote == local)
		local->n_references++;
	access.operation = local;
	at_origin(races, call, access);
	access.operation = remote;
	at_target(races, call, win, target, &access);
	local->learns = remote->learns;
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
