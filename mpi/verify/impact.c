/* SPDX-License-Identifier: BSD-3-Clause */
/* What buffers with findings hold in the end, and runs that begin with that. */
#include "mpi/verify/impact.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/verify/memory.h"

enum { MAX_LIST_B = 64 << 20 };

struct mpi_impact {
	char *list; /* [size_B]; of a repeated run borrowed */
	size_t size_B, capacity_B;
	bool is_repeated; /* else operations are kept */
	int finding;	  /* of a repeated one; -1: nothing is changed */
};

static int create(struct mpi_memory *memory, struct mpi_impact values)
{
	memory->impact = malloc(sizeof *memory->impact);
	if (!memory->impact)
		return UTIL_ENOMEM;
	*memory->impact = values;
	return 0;
}

int mpi_impact_create(struct mpi_memory *memory)
{
	return create(memory, (struct mpi_impact){.finding = -1});
}

int mpi_impact_repeat(struct mpi_memory *memory, const void *list, size_t size_B, int finding)
{
	return create(memory, (struct mpi_impact){.list = (char *)(uintptr_t)list,
						  .size_B = size_B,
						  .is_repeated = true,
						  .finding = finding});
}

void mpi_impact_destroy(struct mpi_impact *impact)
{
	if (impact && !impact->is_repeated)
		free(impact->list);
	free(impact);
}

const void *mpi_impact_list(const struct mpi_impact *impact, size_t *size_B)
{
	*size_B = impact->size_B;
	return impact->list;
}

/* Operations begin where a uint64_t may. */
static size_t length_of(size_t size_B)
{
	return sizeof(struct mpi_impact_operation) + (size_B + 7) / 8 * 8;
}

static const struct mpi_impact_operation *next(const struct mpi_impact *impact,
					       const struct mpi_impact_operation *one)
{
	const char *at = one ? (const char *)one + length_of(one->size_B) : impact->list;

	return at && at < impact->list + impact->size_B ? (const void *)at : NULL;
}

const struct mpi_impact_operation *mpi_impact_first(const struct mpi_impact *impact, int finding)
{
	const struct mpi_impact_operation *one = NULL;

	while ((one = next(impact, one)) && one->finding != finding)
		;
	return one;
}

/* --- the run --- */

static char *room(struct mpi_impact *impact, size_t size_B)
{
	size_t needed_B = impact->size_B + size_B;

	if (size_B > MAX_LIST_B || needed_B > MAX_LIST_B)
		return NULL;
	if (needed_B > impact->capacity_B) {
		char *larger = realloc(impact->list, 2 * needed_B);

		if (!larger)
			return NULL;
		impact->list = larger;
		impact->capacity_B = 2 * needed_B;
	}
	impact->size_B = needed_B;
	return impact->list + needed_B - size_B;
}

static size_t data_B(const struct mpi_memory_active *active)
{
	return active->is_receive && active->came_B < active->buffer.size_B ? active->came_B
									    : active->buffer.size_B;
}

/* Copies between the first bytes of the runs, of memory that stands for them, and `data`. */
static void copy(const struct mpi_memory_buffer *buffer, char *base, char *data, size_t size_B,
		 bool is_in)
{
	for (size_t i = 0; i < buffer->n_runs && size_B > 0; i++) {
		size_t n_B = buffer->runs[i].size_B < size_B ? buffer->runs[i].size_B : size_B;
		char *there = base + (buffer->runs[i].at - buffer->low);

		memcpy(is_in ? there : data, is_in ? data : there, n_B);
		data += n_B;
		size_B -= n_B;
	}
}

void mpi_impact_note(struct mpi_impact *impact, const struct mpi_memory_active *active)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;
	bool reads = buffer->use & MEMORY_READ;
	size_t size_B = data_B(active);
	char *at;

	if (impact->is_repeated || active->finding < 0)
		return;
	at = room(impact, length_of(size_B));
	if (!at)
		return;
	memset(at, 0, length_of(size_B));
	*(struct mpi_impact_operation *)at = (struct mpi_impact_operation){
	    active->finding, buffer->call.rank, active->ordinal, buffer->use, size_B};
	copy(buffer, reads ? (char *)buffer->low : active->mine,
	     at + sizeof(struct mpi_impact_operation), size_B, false);
}

/* --- a repeated one --- */

bool mpi_impact_apply(const struct mpi_impact *impact, struct mpi_memory_active *active)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;
	const struct mpi_impact_operation *one = NULL;
	bool reads = buffer->use & MEMORY_READ;

	while (impact->is_repeated && (one = next(impact, one))) {
		if (one->finding != impact->finding || one->rank != buffer->call.rank ||
		    one->ordinal != active->ordinal || one->use != buffer->use ||
		    one->size_B > buffer->size_B)
			continue;
		copy(buffer, reads ? active->mine : (char *)buffer->low,
		     (char *)(uintptr_t)(one + 1), one->size_B, true);
		return !reads;
	}
	return false;
}
