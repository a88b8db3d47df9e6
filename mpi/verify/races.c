/* SPDX-License-Identifier: BSD-3-Clause */
/* Which accesses to windows race. */
#include "mpi/verify/races.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

enum { FIRST_LIMIT = 1024, N_LAST = 8 };

void mpi_races_drop(struct mpi_race_operation *operation)
{
	if (operation && --operation->n_references == 0)
		free(operation);
}

static uint32_t end_of(const struct mpi_race_access *access)
{
	return access->operation ? access->operation->end : access->end;
}

/* `b` begins after `a` has ended, and knows of it. */
static bool comes_after(const struct mpi_race_access *b, const struct mpi_race_access *a)
{
	return end_of(a) != RACE_PENDING && b->start->clock[a->rank] >= end_of(a);
}

static bool changes(const struct mpi_race_access *access)
{
	return access->kind == RACE_STORE || access->kind == RACE_PUT ||
	       access->kind == RACE_ATTACH || access->kind == RACE_DETACH ||
	       (access->kind == RACE_ACCUMULATE && access->op != (uintptr_t)MPI_NO_OP);
}

/* Accumulates of one origin: accumulate_ordering (§12.7.2). `a` is the newer one. */
static bool are_in_order(const struct mpi_race_access *a, const struct mpi_race_access *b)
{
	unsigned needed =
	    (b->fetches && a->fetches ? RACE_RAR : 0) | (changes(b) && a->fetches ? RACE_RAW : 0) |
	    (b->fetches && changes(a) ? RACE_WAR : 0) | (changes(b) && changes(a) ? RACE_WAW : 0);

	return a->rank == b->rank && (needed & ~a->ordering) == 0;
}

/*
 * Accumulates are atomic for each element of one predefined datatype, with the same operation or
 * MPI_NO_OP (the info key accumulate_ops), or where they are in order.
 */
static bool are_atomic(const struct mpi_race_access *a, const struct mpi_race_access *b)
{
	uintptr_t no_op = (uintptr_t)MPI_NO_OP;

	if (a->kind != RACE_ACCUMULATE || b->kind != RACE_ACCUMULATE || a->type != b->type)
		return false;
	if (a->element_B > 0 &&
	    (a->low > b->low ? a->low - b->low : b->low - a->low) % a->element_B)
		return false; /* parts of elements */
	return are_in_order(a, b) || a->op == b->op || !a->op || !b->op ||
	       ((a->op == no_op || b->op == no_op) && !a->needs_same_op);
}

/* What a rank does itself, with its own loads and stores or for its own operations. */
static bool is_local(const struct mpi_race_access *access)
{
	return access->kind == RACE_LOAD || access->kind == RACE_STORE;
}

/* In the separate model others' updates and the owner's stores exclude each other in all of a window. */
static bool exclude(const struct mpi_race_access *a, const struct mpi_race_access *b)
{
	return a->win && a->win == b->win && a->kind == RACE_STORE && changes(b) && !is_local(b);
}

static bool meet(const struct mpi_races *races, const struct mpi_race_access *a,
		 const struct mpi_race_access *b)
{
	return (a->low < b->high && b->low < a->high) ||
	       (races->is_separate && (exclude(a, b) || exclude(b, a)));
}

/* `a` is the newer one: a rank's accesses begin in the order of its program. */
static bool race(const struct mpi_races *races, const struct mpi_race_access *a,
		 const struct mpi_race_access *b)
{
	if (!meet(races, a, b) || !(changes(a) || changes(b)) || (a->is_atomic && b->is_atomic))
		return false;
	if (a->rank == b->rank && is_local(a) && is_local(b))
		return false; /* mpi/verify/active.c sees those that are wrong */
	return !are_atomic(a, b) && !comes_after(a, b) &&
	       (a->rank == b->rank || !comes_after(b, a));
}

static const char *const names[] = {"load",	  "store",  "get",   "put",
				    "accumulate", "attach", "detach"};

/* Its buffer is not as it was, which is no news. */
static void quieten(struct mpi_races *races, const struct mpi_race_access *access)
{
	struct mpi_memory_active *active = races->memory->ranks[access->rank].actives.first;

	for (; active && access->operation; active = active->link.next)
		active->is_told |= active->operation == access->operation;
}

static void tell(struct mpi_races *races, const struct mpi_race_access *a,
		 const struct mpi_race_access *b)
{
	struct mpi_finding_call calls[] = {a->call, b->call};
	uintptr_t low = a->low > b->low ? a->low : b->low;
	uintptr_t high = a->high < b->high ? a->high : b->high;

	quieten(races, a);
	quieten(races, b);
	if (low >= high) {
		mpi_memory_report(&races->world->ranks[a->rank], "rma-conflict",
				  "in the separate memory model one of them may be lost", calls, 2,
				  "%s by rank %d and %s by rank %d of the same window: nothing "
				  "orders them",
				  names[a->kind], a->rank, names[b->kind], b->rank);
		return;
	}
	mpi_memory_report(&races->world->ranks[a->rank], "rma-conflict",
			  "what is there afterwards, or is read, depends on which comes first",
			  calls, 2,
			  "%s by rank %d and %s by rank %d of the same %zu byte%s of a window: "
			  "nothing orders them",
			  names[a->kind], a->rank, names[b->kind], b->rank, (size_t)(high - low),
			  high - low == 1 ? "" : "s");
}

/* Everybody comes after it. */
static bool is_over(const struct mpi_races *races, const struct mpi_race_access *access)
{
	uint32_t end = end_of(access);

	if (end == RACE_PENDING || races->is_separate) /* loads may see what was long ago */
		return false;
	for (int i = 0; i < races->n; i++)
		if (mpi_races_clock(races, i)[access->rank] < end)
			return false;
	return true;
}

static void throw_away(struct mpi_races *races, struct mpi_race_space *space)
{
	size_t n = 0;

	for (size_t i = 0; i < space->n; i++) {
		if (!is_over(races, &space->accesses[i])) {
			space->accesses[n++] = space->accesses[i];
			continue;
		}
		mpi_races_drop(space->accesses[i].operation);
		mpi_races_release(space->accesses[i].start);
	}
	space->n = n;
	space->limit = 2 * n > FIRST_LIMIT ? 2 * n : FIRST_LIMIT;
}

void mpi_races_forget(struct mpi_races *races, const struct mpi_race_region *region)
{
	struct mpi_race_space *space = &races->spaces[region->space];
	size_t n = 0;

	for (size_t i = 0; i < races->n_regions; i++) /* another window has it, too */
		if (races->regions[i].space == region->space &&
		    races->regions[i].low < region->high && region->low < races->regions[i].high)
			return;
	for (size_t i = 0; i < space->n; i++) {
		if (space->accesses[i].low < region->low ||
		    space->accesses[i].high > region->high) {
			space->accesses[n++] = space->accesses[i];
			continue;
		}
		mpi_races_drop(space->accesses[i].operation);
		mpi_races_release(space->accesses[i].start);
	}
	space->n = n;
}

/* Loads and stores of one rank at one time are one access. True: nothing of it is new. */
static bool join_last(struct mpi_race_space *space, const struct mpi_race_access *access,
		      struct mpi_race_access **joined)
{
	for (size_t i = 0; i < N_LAST && i < space->n; i++) {
		struct mpi_race_access *last = &space->accesses[space->n - 1 - i];

		if (last->operation != access->operation || last->is_atomic != access->is_atomic ||
		    last->rank != access->rank || last->end != access->end ||
		    last->kind != access->kind || last->call.site != access->call.site ||
		    last->start != access->start)
			continue;
		if (access->low >= last->low && access->high <= last->high)
			return true;
		if (access->low == last->high)
			*joined = last;
	}
	return false;
}

static void add(struct mpi_races *races, struct mpi_race_space *space,
		const struct mpi_race_access *access)
{
	struct mpi_race_access *joined = NULL;

	if (join_last(space, access, &joined))
		return;
	for (size_t i = 0; i < space->n; i++)
		if (race(races, access, &space->accesses[i]))
			tell(races, access, &space->accesses[i]);
	if (joined) {
		joined->high = access->high;
		return;
	}
	if (space->n >= space->limit)
		throw_away(races, space);
	if (!util_array_room(&space->accesses, space->n, sizeof *space->accesses))
		return;
	space->accesses[space->n++] = *access;
	access->start->n_references++;
	if (access->operation)
		access->operation->n_references++;
}

void mpi_races_add(struct mpi_races *races, int space, const struct mpi_race_access *access,
		   const struct mpi_memory_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct mpi_race_access one = *access;

		one.low = runs[i].at;
		one.high = runs[i].at + runs[i].size_B;
		add(races, &races->spaces[space], &one);
	}
}

const struct mpi_race_region *mpi_races_region(const struct mpi_races *races, int rank,
					       uintptr_t at, size_t size_B)
{
	for (size_t i = 0; i < races->n_regions; i++) {
		const struct mpi_race_region *region = &races->regions[i];

		if (region->rank == rank && at < region->high && at + size_B > region->low)
			return region;
	}
	return NULL;
}

/* Stores are there for others when the window is synchronized, and so is what loads see. */
static void separate(struct mpi_races *races, const struct mpi_race_region *region,
		     struct mpi_race_access *access)
{
	struct mpi_race_epoch *epoch = mpi_races_epoch(races, region->win);

	access->win = region->win;
	if (epoch->seen) {
		mpi_races_release(access->start);
		access->start = epoch->seen;
		access->start->n_references++;
	}
	if (access->kind != RACE_STORE)
		return;
	if (!epoch->stores)
		epoch->stores = mpi_races_operation(&races->world->ranks[access->rank], -1);
	access->operation = epoch->stores;
}

uint64_t mpi_races_key(int space, uintptr_t at)
{
	uint64_t words[] = {(uint64_t)space, at};

	return util_hash(words, sizeof words, 2) | 1;
}

void mpi_races_touch(struct mpi_races *races, int rank, uintptr_t at, size_t size_B, unsigned use,
		     const struct mpi_finding_call *by)
{
	const struct mpi_race_region *region = mpi_races_region(races, rank, at, size_B);
	struct mpi_race_access access = {
	    .low = at,
	    .high = at + size_B,
	    .kind = use & MEMORY_WRITE ? RACE_STORE : RACE_LOAD,
	    .is_atomic = use & MEMORY_ATOMIC,
	    .rank = rank,
	    .call = *by,
	};

	if (!region)
		return;
	if (access.is_atomic && (use & MEMORY_READ))
		mpi_races_learn(races, mpi_races_key(region->space, at), rank);
	access.start = mpi_races_stamp(races, rank);
	access.end = access.start->clock[rank];
	if (races->is_separate)
		separate(races, region, &access);
	add(races, &races->spaces[region->space], &access);
	mpi_races_release(access.start);
	if (access.is_atomic && (use & MEMORY_WRITE))
		mpi_races_publish(races, mpi_races_key(region->space, at), rank);
}
