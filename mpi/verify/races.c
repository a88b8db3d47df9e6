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
	       (access->kind == RACE_ACCUMULATE && access->op != (uintptr_t)MPI_NO_OP);
}

/*
 * Accumulates are atomic for each element of one predefined datatype, with the same operation or
 * MPI_NO_OP (the info key accumulate_ops), and those of one origin are ordered (accumulate_ordering).
 */
static bool are_atomic(const struct mpi_race_access *a, const struct mpi_race_access *b)
{
	if (a->kind != RACE_ACCUMULATE || b->kind != RACE_ACCUMULATE || a->type != b->type)
		return false;
	if (a->element_B > 0 &&
	    (a->low > b->low ? a->low - b->low : b->low - a->low) % a->element_B)
		return false; /* parts of elements */
	return a->rank == b->rank || a->op == b->op || !a->op || !b->op ||
	       a->op == (uintptr_t)MPI_NO_OP || b->op == (uintptr_t)MPI_NO_OP;
}

/* `a` is the newer one: a rank's accesses begin in the order of its program. */
static bool race(const struct mpi_race_access *a, const struct mpi_race_access *b)
{
	return a->low < b->high && b->low < a->high && (changes(a) || changes(b)) &&
	       !are_atomic(a, b) && !comes_after(a, b) &&
	       (a->rank == b->rank || !comes_after(b, a));
}

static const char *const names[] = {"load", "store", "get", "put", "accumulate"};

static void tell(struct mpi_races *races, const struct mpi_race_access *a,
		 const struct mpi_race_access *b)
{
	struct mpi_finding_call calls[] = {a->call, b->call};
	uintptr_t low = a->low > b->low ? a->low : b->low;
	uintptr_t high = a->high < b->high ? a->high : b->high;

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

	if (end == RACE_PENDING)
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

		if (last->operation || access->operation || last->rank != access->rank ||
		    last->end != access->end || last->kind != access->kind ||
		    last->call.site != access->call.site || last->start != access->start)
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
		if (race(access, &space->accesses[i]))
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

int mpi_races_space(const struct mpi_races *races, int rank, uintptr_t at, size_t size_B)
{
	for (size_t i = 0; i < races->n_regions; i++) {
		const struct mpi_race_region *region = &races->regions[i];

		if (region->rank == rank && at < region->high && at + size_B > region->low)
			return region->space;
	}
	return -1;
}

void mpi_races_touch(struct mpi_races *races, int rank, uintptr_t at, size_t size_B, unsigned use,
		     const struct mpi_finding_call *by)
{
	int space = mpi_races_space(races, rank, at, size_B);
	struct mpi_race_access access = {
	    .low = at,
	    .high = at + size_B,
	    .kind = use & MEMORY_WRITE ? RACE_STORE : RACE_LOAD,
	    .rank = rank,
	    .call = *by,
	};

	if (space < 0)
		return;
	access.start = mpi_races_stamp(races, rank);
	access.end = access.start->clock[rank];
	add(races, &races->spaces[space], &access);
	mpi_races_release(access.start);
}
