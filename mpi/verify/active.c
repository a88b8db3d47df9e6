/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers that MPI has: who touches them meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/buffer.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/verify/impact.h"
#include "mpi/verify/memcheck.h"
#include "mpi/verify/races.h"
#include "mpi/verify/unread.h"
#include "simcore/fiber.h"

/* What a request has of an active buffer; the request frees it. */
struct tie {
	struct mpi_foreign_memory memory; /* first */
	struct mpi_memory *checks;
	struct mpi_memory_active *active;
	const struct mpi_request *request; /* which has it */
};

static bool is_on_stack(const struct mpi_rank *me, uintptr_t at)
{
	void *stack;
	size_t stack_B;

	sim_fiber_stack(me->pd->task.fiber, &stack, &stack_B);
	return at - (uintptr_t)stack < stack_B;
}

/* Whether MPI gets memory of its own instead of the buffer. Not of what it reads where nobody can write, nor of a receive that
 * gets what comes at one time (mpi_memory_receiving), where it can be looked at while other ranks run. */
static bool needs_copy(struct mpi_memory *memory, const struct mpi_rank *me,
		       const struct mpi_memory_buffer *buffer, bool is_receive)
{
	if (memory->memcheck || memory->impact)
		return true;
	if (is_receive) /* a frame that has ended is found when its rank calls MPI next: this may come before */
		return !buffer->type || !buffer->type->is_contiguous || is_on_stack(me, buffer->low) ||
		       !pd_rank_memory_stays(me->pd, (const void *)buffer->low);
	return (buffer->use & MEMORY_WRITE) || !mpi_memory_may_guard(memory, me, buffer);
}

static struct mpi_memory_active *hold(struct mpi_memory *memory, struct mpi_rank *me,
				      struct mpi_memory_buffer *buffer, bool is_receive,
				      bool is_in_place)
{
	struct mpi_memory_rank *rank = &memory->ranks[me->rank];
	struct mpi_memory_active *active = calloc(1, sizeof *active);
	size_t span_B = buffer->high - buffer->low;

	if (!active)
		return NULL;
	active->is_receive = is_receive;
	active->is_in_place = is_in_place;
	if (!is_in_place && needs_copy(memory, me, buffer, is_receive)) {
		active->mine = mpi_memory_take(memory, span_B);
		if (!active->mine) {
			free(active);
			return NULL;
		}
	}
	active->buffer = *buffer;
	active->is_on_stack = is_on_stack(me, buffer->low);
	buffer->runs = NULL; /* they are the active one's */
	buffer->n_runs = 0;
	util_list_prepend(&rank->actives, active);
	rank->n_actives++;
	return active;
}

struct mpi_memory_active *mpi_memory_hold(struct mpi_memory *memory, struct mpi_rank *me,
					  struct mpi_memory_buffer *buffer, bool is_receive)
{
	return hold(memory, me, buffer, is_receive, false);
}

struct mpi_memory_active *mpi_memory_hold_in_place(struct mpi_memory *memory, struct mpi_rank *me,
						   struct mpi_memory_buffer *buffer)
{
	return hold(memory, me, buffer, false, true);
}

void mpi_memory_widen(struct mpi_memory_rank *rank, uintptr_t low, uintptr_t high)
{
	if (rank->low == rank->high || low < rank->low)
		rank->low = low;
	if (high > rank->high)
		rank->high = high;
}

/* What MPI reads. The same data are often sent to several. */
static void fill(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	struct mpi_memory_buffer *buffer = &active->buffer;
	size_t span_B = buffer->high - buffer->low;
	struct mpi_memory_active *twin =
	    memory->impact ? NULL : mpi_memory_twin(&memory->ranks[buffer->call.rank], active);
	char *own;

	if (twin) {
		mpi_memory_put_back(memory, active->mine);
		active->mine = mpi_memory_share(twin->mine);
		return;
	}
	if (mpi_memory_is_shared(active->mine)) {
		own = mpi_memory_take(memory, span_B);
		if (!own)
			mpi_request_fail_memory(&memory->world->ranks[buffer->call.rank]);
		mpi_memory_put_back(memory, active->mine);
		active->mine = own;
	}
	memcpy(active->mine, (const void *)buffer->low, span_B);
}

/* What MPI writes there changes it, too. */
static bool is_compared(const struct mpi_memory_active *active)
{
	return !(active->is_in_place && (active->buffer.use & MEMORY_WRITE));
}

void mpi_memory_lock(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	struct mpi_memory_buffer *buffer = &active->buffer;
	struct mpi_memory_rank *rank = &memory->ranks[buffer->call.rank];

	mpi_memory_widen(rank, buffer->low, buffer->high);
	memset(rank->gaps, 0, sizeof rank->gaps);
	if (!active->is_locked && !mpi_memory_insert(rank, active))
		mpi_request_fail_memory(&memory->world->ranks[buffer->call.rank]);
	rank->n_locked += !active->is_locked;
	rank->n_on_stack += !active->is_locked && active->is_on_stack;
	active->is_locked = true;
	active->is_lost = active->is_told = active->is_early = active->is_faulted = false;
	active->finding = -1;
	active->changed = (struct mpi_memory_changes){0};
	active->is_open = false;
	active->ordinal = rank->n_locks++;
	active->came_B = 0;
	if (memory->memcheck)
		mpi_memcheck_pause();
	if (!active->is_receive && active->mine)
		fill(memory, active);
	if (memory->impact)
		active->is_early = mpi_impact_apply(memory->impact, active);
	if (is_compared(active) && (!active->mine || (buffer->use & MEMORY_WRITE))) {
		mpi_memory_guard(memory, active);
		mpi_memory_take_snapshot(memory, active);
	}
	if (memory->races)
		mpi_races_hold(memory->races, active);
	if (!memory->memcheck)
		return;
	mpi_memcheck_resume();
	if ((buffer->use & MEMORY_WRITE) && is_compared(active))
		mpi_memcheck_lock(active);
}

/* MPI_Buffer_detach is not looked at: the library is asked whether the buffer is still attached. */
static bool is_lost(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	const struct mpi_rank *me = &memory->world->ranks[active->buffer.call.rank];
	const struct mpi_buffer *buffer = me->endpoint->buffer;

	if (active->is_attached && (!buffer || buffer->address != (void *)active->buffer.base))
		active->is_lost = true;
	return active->is_lost;
}

void mpi_memory_forget_detached(struct mpi_memory *memory, struct mpi_rank *me)
{
	struct mpi_memory_active *next, *active = memory->ranks[me->rank].actives.first;

	for (; active; active = next) {
		next = active->link.next;
		if (active->is_attached && is_lost(memory, active))
			mpi_memory_forget(memory, me, active);
	}
}

static void tell(struct mpi_memory *memory, struct mpi_memory_active *active,
		 const struct mpi_finding_call *by, unsigned use, int64_t first, size_t n_B,
		 size_t size_B)
{
	struct mpi_finding_call calls[] = {*by, active->buffer.call};
	const char *what = use & MEMORY_WRITE ? "write" : "read";

	active->is_told = true;
	mpi_memory_open(memory, active);
	active->finding = mpi_memory_report(
	    &memory->world->ranks[by->rank], use & MEMORY_WRITE ? "active-write" : "active-read",
	    active->is_attached ? "MPI keeps messages there until it is detached"
	    : active->buffer.use & MEMORY_WRITE
		? "MPI may put what comes there before or after that"
		: "MPI may have read the buffer before that, or may read it later",
	    calls, 2, "%s of %zu byte%s: bytes [%lld,%lld) of %s, before it is complete", what,
	    size_B, size_B == 1 ? "" : "s", (long long)first, (long long)(first + (int64_t)n_B),
	    MEMORY_TEXT(&active->buffer));
}

static void end_lock(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	struct mpi_memory_rank *rank = &memory->ranks[active->buffer.call.rank];

	active->is_locked = false;
	mpi_memory_remove(rank, active);
	mpi_memory_open(memory, active);
	if (active->is_lost && !active->mine)
		mpi_memory_give_back(memory, &memory->world->ranks[active->buffer.call.rank],
				     active);
	if (memory->memcheck && !active->is_lost && is_compared(active) &&
	    (active->buffer.use & MEMORY_WRITE))
		mpi_memcheck_unlock(active);
	rank->n_on_stack -= active->is_on_stack;
	if (--rank->n_locked > 0)
		return;
	rank->low = rank->window_low;
	rank->high = rank->window_high;
}

static void compare(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;
	struct mpi_rank *me = &memory->world->ranks[buffer->call.rank];
	struct mpi_finding_call by = {me->rank, me->pd->function, me->pd->site};
	struct mpi_memory_changes changes = active->changed;

	if (active->is_told)
		return;
	if (active->is_faulted && active->fault_site) {
		by = (struct mpi_finding_call){me->rank, NULL, active->fault_site};
		changes.first = (int64_t)(active->fault_at - mpi_memory_origin(buffer));
		changes.size_B = buffer->element_B;
		changes.first -= changes.first % (int64_t)changes.size_B;
		changes.end = changes.first + (int64_t)changes.size_B;
	} else if (!active->is_open) {
		mpi_memory_compare(active, &changes);
	}
	if (changes.size_B > 0)
		tell(memory, active, &by, MEMORY_WRITE, changes.first,
		     (size_t)(changes.end - changes.first), changes.size_B);
}

/* Messages fill a buffer in the order of its datatype. */
static void hand_over(const struct mpi_memory_active *active)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;
	size_t left_B = active->is_receive ? active->came_B : SIZE_MAX;

	for (size_t i = 0; i < buffer->n_runs && left_B > 0; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];
		size_t n_B = run->size_B < left_B ? run->size_B : left_B;

		memcpy((void *)run->at, active->mine + (run->at - buffer->low), n_B);
		left_B -= n_B;
	}
}

void mpi_memory_unlock(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	if (!active->is_locked)
		return;
	end_lock(memory, active);
	mpi_races_complete_locally(memory->races, active);
	if (active->is_lost)
		return;
	if (memory->memcheck)
		mpi_memcheck_pause();
	if (is_compared(active))
		compare(memory, active);
	if (memory->memcheck)
		mpi_memcheck_resume();
	if (memory->impact)
		mpi_impact_note(memory->impact, active);
	mpi_memory_put_back(memory, active->snapshot);
	active->snapshot = NULL;
	if ((active->buffer.use & MEMORY_WRITE) && active->mine && !active->is_early)
		hand_over(active);
}

void mpi_memory_forget(struct mpi_memory *memory, struct mpi_rank *me,
		       struct mpi_memory_active *active)
{
	struct mpi_memory_rank *rank = &memory->ranks[me->rank];

	if (active->is_locked)
		end_lock(memory, active);
	if (active->is_held)
		return; /* with its request */
	mpi_races_complete_locally(NULL, active);
	util_list_remove(&rank->actives, active);
	rank->n_actives--;
	mpi_memory_buffer_finish(&active->buffer);
	mpi_memory_put_back(memory, active->mine);
	mpi_memory_put_back(memory, active->snapshot);
	free(active->memcheck_bits);
	free(active);
}

/* --- requests --- */

static void fetch(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;
	struct mpi_memory_active *active = tie->active;
	struct mpi_rank *me = &tie->checks->world->ranks[active->buffer.call.rank];

	if (active->is_locked)
		return;
	mpi_memory_check(tie->checks, me, &active->buffer);
	mpi_memory_touch_buffer(tie->checks, me, &active->buffer);
	if (tie->checks->unread)
		mpi_unread_touch_buffer(tie->checks->unread, &active->buffer);
	mpi_memory_lock(tie->checks, active);
}

/* Of a receive that is complete: what is in the buffer of MPI. */
static size_t came_B(const struct mpi_request *request)
{
	const MPI_Status *status = &request->status;

	if (mpi_status_cancelled(status) ||
	    (status->MPI_ERROR != MPI_SUCCESS && status->MPI_ERROR != MPI_ERR_TRUNCATE))
		return 0;
	return (size_t)mpi_status_bytes(status);
}

static void give(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	if (tie->active->is_receive)
		tie->active->came_B = came_B(tie->request);
	mpi_memory_unlock(tie->checks, tie->active);
	if (tie->checks->unread)
		mpi_memory_came(tie->checks, tie->active, tie->request);
}

static void end(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	tie->active->is_held = false;
	mpi_memory_forget(tie->checks, &tie->checks->world->ranks[tie->active->buffer.call.rank],
			  tie->active);
}

void mpi_memory_tie(struct mpi_memory *memory, struct mpi_rank *me,
		    struct mpi_memory_active *active, MPI_Request request)
{
	const struct mpi_request *whose = mpi_request_get(me, request);
	struct tie *tie = whose ? mpisim_foreign_allocate(sizeof *tie) : NULL;

	if (!tie)
		return;
	*tie = (struct tie){.memory = {.fetch = fetch, .give = give, .end = end},
			    .checks = memory,
			    .active = active,
			    .request = whose};
	active->is_held = true;
	mpisim_foreign_keep(request, &tie->memory);
}

/* --- accesses --- */

static void touch_one(struct mpi_memory *memory, struct mpi_memory_active *active, uintptr_t at,
		      size_t size_B, unsigned use, const struct mpi_finding_call *by)
{
	int64_t first;
	size_t n;

	if (is_lost(memory, active) ||
	    !(memory->is_strict || ((active->buffer.use | use) & MEMORY_WRITE)))
		return;
	n = mpi_memory_common_range(&active->buffer, at, size_B, &first);
	if (n > 0)
		tell(memory, active, by, use, first, n, size_B);
}

/* Accesses that follow each other are often near each other: the room between buffers where the last
 * one was holds no buffer. */
static void touch_actives(struct mpi_memory *memory, struct mpi_memory_rank *rank, uintptr_t at,
			  size_t size_B, unsigned use, const struct mpi_finding_call *by)
{
	struct mpi_memory_gap gap = {at, UINTPTR_MAX};
	bool is_gap = true;
	size_t i;

	for (i = mpi_ranges_near(&rank->locked, at);
	     i < rank->locked.n && rank->locked.sorted[i].low < at + size_B; i++) {
		if (at >= rank->locked.sorted[i].high)
			continue;
		is_gap = false;
		touch_one(memory, mpi_memory_locked(rank, i), at, size_B, use, by);
	}
	if (i < rank->locked.n)
		gap.high = rank->locked.sorted[i].low;
	if (is_gap)
		rank->gaps[use & MEMORY_WRITE ? 1 : 0] = gap;
}

void mpi_memory_touch(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t at, size_t size_B,
		      unsigned use, const struct mpi_finding_call *by)
{
	struct mpi_memory_rank *rank = &memory->ranks[me->rank];
	const struct mpi_memory_gap *gap = &rank->gaps[use & MEMORY_WRITE ? 1 : 0];

	if (at >= rank->high || at + size_B <= rank->low)
		return;
	if (at < gap->low || at + size_B > gap->high)
		touch_actives(memory, rank, at, size_B, use, by);
	if (memory->races)
		mpi_races_touch(memory->races, me->rank, at, size_B, use, by);
	if (memory->unread)
		mpi_unread_touch(memory->unread, at, size_B, use, by);
}

void mpi_memory_touch_buffer(struct mpi_memory *memory, struct mpi_rank *me,
			     const struct mpi_memory_buffer *buffer)
{
	struct mpi_memory_rank *rank = &memory->ranks[me->rank];

	for (size_t i = mpi_ranges_near(&rank->locked, buffer->low);
	     i < rank->locked.n && rank->locked.sorted[i].low < buffer->high; i++) {
		struct mpi_memory_active *active = mpi_memory_locked(rank, i);
		int64_t first;
		size_t n;

		if (is_lost(memory, active) || !((active->buffer.use | buffer->use) & MEMORY_WRITE))
			continue;
		n = mpi_memory_common(&active->buffer, buffer, &first);
		if (n > 0)
			tell(memory, active, &buffer->call, buffer->use, first, n, buffer->size_B);
	}
}

/* --- memory that is no more --- */

static void lose(struct mpi_memory *memory, struct mpi_rank *me, struct mpi_memory_active *active,
		 const char *class_name, const struct mpi_finding_call *by, const char *how)
{
	struct mpi_finding_call calls[] = {*by, active->buffer.call};

	active->is_lost = true;
	mpi_memory_open(memory, active);
	mpi_memory_report(me, class_name, "MPI may still read it, or put there what comes", calls,
			  2, "%s is %s before the operation is complete",
			  MEMORY_TEXT(&active->buffer), how);
}

void mpi_memory_look_at_stack(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t here)
{
	if (memory->ranks[me->rank].n_on_stack == 0)
		return;
	for (struct mpi_memory_active *active = memory->ranks[me->rank].actives.first; active;
	     active = active->link.next) {
		struct mpi_finding_call by = {me->rank, me->pd->function, me->pd->site};

		if (active->is_locked && !is_lost(memory, active) && active->is_on_stack &&
		    active->buffer.low < here && is_on_stack(me, here))
			lose(memory, me, active, "dead-stack", &by,
			     "in a function that has returned");
	}
}

void mpi_memory_lose(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t at, size_t size_B,
		     const char *function, const void *site)
{
	struct mpi_memory_rank *rank = &memory->ranks[me->rank];
	struct mpi_finding_call by = {me->rank, function, site};
	int64_t first;

	if (memory->unread)
		mpi_unread_lose(memory->unread, at, size_B);
	for (size_t i = mpi_ranges_near(&rank->locked, at);
	     i < rank->locked.n && rank->locked.sorted[i].low < at + size_B; i++)
		if (!is_lost(memory, mpi_memory_locked(rank, i)) &&
		    mpi_memory_common_range(&mpi_memory_locked(rank, i)->buffer, at, size_B,
					    &first) > 0)
			lose(memory, me, mpi_memory_locked(rank, i), "freed-active", &by, "freed");
}
