/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of a rank that is not running: where it lies, and moving it. */
#include "mpi/rma/memory.h"

#include <string.h>

#include "mpi/datatype/typemap.h"
#include "pdexec/heap.h"
#include "pdexec/image.h"

bool rma_span(const struct rma_data *data, uintptr_t *low, uintptr_t *high)
{
	const struct mpi_datatype *type = data->type;
	MPI_Count first = (MPI_Count)(uintptr_t)data->addr, last, end, steps;

	if (__builtin_add_overflow(first, type->true_lb_B, &first) ||
	    __builtin_mul_overflow(data->count - 1, type->extent_B, &steps) ||
	    __builtin_add_overflow(first, steps, &last) ||
	    __builtin_add_overflow(first > last ? first : last, type->true_extent_B, &end))
		return false;
	*low = (uintptr_t)(first < last ? first : last);
	*high = (uintptr_t)end;
	return true;
}

/* Up to the end of the program's variables; SIZE_MAX for other memory. */
static size_t static_room(const void *base)
{
	const struct pd_rank *rank = pd_current;
	const struct pd_image *image = rank->program->image;
	uintptr_t address = (uintptr_t)base, begin, end;

	if (!image)
		return SIZE_MAX;
	begin = (uintptr_t)pd_rank_base(rank) + image->elf.writable.begin;
	end = (uintptr_t)pd_rank_base(rank) + image->elf.writable.end;
	return address >= begin && address < end ? end - address : SIZE_MAX;
}

MPI_Aint rma_short_of(const void *base, MPI_Aint size_B)
{
	size_t room_B = SIZE_MAX;

	if (base && size_B > 0 && !pd_memory_is_absent(base))
		room_B = static_room(base);
	if (room_B == SIZE_MAX && base && size_B > 0 && !pd_memory_is_absent(base))
		room_B = pd_heap_room(base, (size_t)size_B);
	return room_B < (size_t)size_B ? (MPI_Aint)room_B : -1;
}

void rma_touch(const struct rma_data *data)
{
	uintptr_t low, high;

	if (!rma_is_there(data) || !rma_span(data, &low, &high))
		return;
	(void)*(volatile const char *)low;
	(void)*(volatile const char *)(high - 1);
}

/* Do all addresses of the range differ by the same from where the bytes lie now? */
static bool moves_as_one(const struct pd_rank *rank, uintptr_t low, uintptr_t high)
{
	const struct pd_swap *swap = &rank->program->image->swap;

	if (rank == pd_current)
		return true;
	for (int i = 0; i < swap->n_regions; i++) {
		uintptr_t first = (uintptr_t)swap->regions[i].address;
		uintptr_t end = first + swap->regions[i].size_B;

		if (low < end && high > first && (low < first || high > end))
			return false;
	}
	return true;
}

/* Bytes on their way from or to a packed form. */
struct marshalling {
	void *packed;
	int64_t size_B; /* of it, to be unpacked; 0: to be packed */
};

static void move(const struct rma_data *data, uintptr_t offset, struct marshalling how)
{
	void *at = (void *)((uintptr_t)data->addr + offset);

	if (how.size_B > 0)
		mpi_datatype_unpack(data->type, at, data->count, how.packed, how.size_B);
	else
		mpi_datatype_pack(data->type, at, data->count, how.packed);
}

/*
 * Data in one variable, or all outside of what ranks exchange, has an offset; what is scattered
 * over both (types with absolute addresses) is there for the time that its rank is resident.
 */
static void access(const struct mpi_rank *rank, const struct rma_data *data, struct marshalling how)
{
	uintptr_t low, high;

	if (!rma_span(data, &low, &high))
		return;
	if (moves_as_one(rank->pd, low, high)) {
		uintptr_t now = (uintptr_t)pd_rank_memory(rank->pd, (void *)low);

		move(data, now - low, how);
		return;
	}
	pd_rank_memory_exchange(pd_current, rank->pd);
	move(data, 0, how);
	pd_rank_memory_exchange(rank->pd, pd_current);
}

void rma_read(const struct mpi_rank *rank, const struct rma_data *data, void *packed)
{
	access(rank, data, (struct marshalling){packed, 0});
}

void rma_write(const struct mpi_rank *rank, const struct rma_data *data, const void *packed,
	       int64_t size_B)
{
	if (size_B > 0)
		access(rank, data, (struct marshalling){(void *)packed, size_B});
}

struct mpi_datatype *rma_basic_type(struct mpi_datatype *type)
{
	struct mpi_datatype *basic = NULL;

	if (type->is_predefined || !type->map)
		return type;
	if (type->map->kind != MAP_STRUCT)
		return rma_basic_type(type->map->child);
	for (MPI_Count i = 0; i < type->map->n_blocks; i++) {
		struct mpi_datatype *block = mpi_map_child(type->map, i), *found;

		if (mpi_map_length(type->map, i) == 0 || block->size_B == 0)
			continue;
		found = rma_basic_type(block);
		if (!found || (basic && found != basic))
			return NULL;
		basic = found;
	}
	return basic;
}
