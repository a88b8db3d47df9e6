/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/handle.h"

#include <stdlib.h>

#include "mpi/core/rank.h"

#define KIND_SHIFT 56
#define GENERATION_SHIFT 36
#define GENERATION_MASK 0xfffffu
#define INDEX_MASK ((UINT64_C(1) << GENERATION_SHIFT) - 1)
#define NO_SLOT UINT64_MAX

struct handle_slot { /* small: a linear all-to-all has two for each message */
	void *object; /* NULL: free */
	union {
		const char *function;
		uint64_t next_free; /* of a free one */
	};
	const void *site;
	int rank;
	uint32_t generation : 20;
	enum mpi_kind kind : 8;
};

struct mpi_handle_table {
	struct handle_slot *slots;
	uint64_t n_slots, capacity;
	uint64_t first_free;
};

int mpi_handle_table_create(struct mpi_handle_table **out)
{
	struct mpi_handle_table *table = calloc(1, sizeof *table);

	if (!table)
		return UTIL_ENOMEM;
	table->first_free = NO_SLOT;
	*out = table;
	return 0;
}

void mpi_handle_table_destroy(struct mpi_handle_table *table)
{
	if (!table)
		return;
	free(table->slots);
	free(table);
}

static int grow(struct mpi_handle_table *table)
{
	uint64_t capacity = table->capacity ? 2 * table->capacity : 64;
	struct handle_slot *slots = realloc(table->slots, capacity * sizeof *slots);

	if (!slots)
		return UTIL_ENOMEM;
	table->slots = slots;
	table->capacity = capacity;
	return 0;
}

static uint64_t take_slot(struct mpi_handle_table *table)
{
	uint64_t index = table->first_free;

	if (index != NO_SLOT) {
		table->first_free = table->slots[index].next_free;
		return index;
	}
	if (table->n_slots == table->capacity && grow(table) < 0)
		return NO_SLOT;
	index = table->n_slots++;
	table->slots[index] = (struct handle_slot){.generation = 0};
	return index;
}

static uintptr_t handle_of(const struct handle_slot *slot, uint64_t index)
{
	return (uintptr_t)slot->kind << KIND_SHIFT |
	       (uintptr_t)slot->generation << GENERATION_SHIFT | (index + 1);
}

uintptr_t mpi_handle_create(struct mpi_rank *me, enum mpi_kind kind, void *object)
{
	struct mpi_handle_table *table = me->world->handles;
	uint64_t index = take_slot(table);
	struct handle_slot *slot;

	if (index == NO_SLOT)
		return 0;
	slot = &table->slots[index];
	slot->object = object;
	slot->function = me->pd->function;
	slot->site = me->pd->site;
	slot->rank = me->rank;
	slot->kind = kind;
	me->n_handles++;
	return handle_of(slot, index);
}

int64_t mpi_handle_number(uintptr_t handle)
{
	if (handle <= MPI_HANDLE_PREDEFINED_MAX)
		return (int64_t)handle;
	return (int64_t)(handle & INDEX_MASK) + MPI_HANDLE_PREDEFINED_MAX;
}

uintptr_t mpi_handle_of_number(const struct mpi_rank *me, enum mpi_kind kind, int number)
{
	const struct mpi_handle_table *table = me->world->handles;
	uint64_t index = (uint64_t)number - MPI_HANDLE_PREDEFINED_MAX - 1;
	const struct handle_slot *slot;

	if (number <= MPI_HANDLE_PREDEFINED_MAX)
		return number > 0 ? (uintptr_t)number : 0;
	if (index >= table->n_slots)
		return 0;
	slot = &table->slots[index];
	return slot->object && slot->rank == me->rank && slot->kind == kind ? handle_of(slot, index)
									    : 0;
}

static struct handle_slot *find(const struct mpi_rank *me, uintptr_t handle)
{
	struct mpi_handle_table *table = me->world->handles;
	uint64_t index = (handle & INDEX_MASK) - 1;
	struct handle_slot *slot;

	if (index >= table->n_slots) /* also index part 0 */
		return NULL;
	slot = &table->slots[index];
	if (!slot->object || slot->rank != me->rank || slot->kind != handle >> KIND_SHIFT ||
	    slot->generation != (handle >> GENERATION_SHIFT & GENERATION_MASK))
		return NULL;
	return slot;
}

void mpi_handle_destroy(struct mpi_rank *me, uintptr_t handle)
{
	struct mpi_handle_table *table = me->world->handles;
	struct handle_slot *slot = find(me, handle);

	if (!slot)
		return;
	me->n_handles--;
	slot->object = NULL;
	slot->generation = (slot->generation + 1) & GENERATION_MASK;
	slot->next_free = table->first_free;
	table->first_free = (uint64_t)(slot - table->slots);
}

void *mpi_handle_object(const struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle)
{
	struct handle_slot *slot;

	if (handle >> KIND_SHIFT != (uintptr_t)kind)
		return NULL;
	slot = find(me, handle);
	return slot ? slot->object : NULL;
}

void mpi_handle_visit(const struct mpi_rank *me, mpi_handle_visit_fn visit, void *context)
{
	const struct mpi_handle_table *table = me->world->handles;

	uint64_t n_seen = 0;

	for (uint64_t i = 0; i < table->n_slots && n_seen < me->n_handles; i++) {
		const struct handle_slot *slot = &table->slots[i];

		if (!slot->object || slot->rank != me->rank)
			continue;
		n_seen++;
		visit(context, slot->kind, slot->object, slot->function, slot->site);
	}
}
