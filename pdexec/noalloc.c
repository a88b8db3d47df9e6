/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/noalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "mpisim.h"
#include "pdexec/process.h"
#include "pdexec/rank.h"

/*
 * One part of the range per power of two, each of PART_BITS bits: buffer k of a part lies at k
 * times its size. Address space costs nothing as long as it is not touched, so what the powers of
 * two waste does not matter. The place is one that neither the kernel's layouts nor the sanitizers'
 * shadows use.
 */
enum { MIN_BITS = 12, MAX_BITS = 38, PART_BITS = 40, N_PARTS = MAX_BITS - MIN_BITS + 1 };
static const uintptr_t RANGE = PD_ABSENT_BEGIN;
static const size_t RANGE_B = (size_t)N_PARTS << PART_BITS;
_Static_assert((size_t)N_PARTS << PART_BITS == PD_ABSENT_B, "the range that rank.h knows");

struct pd_noalloc {
	void *memory;
	struct part {
		uint32_t *next; /* [capacity] in use: IN_USE; free: the next free one, or END */
		uint32_t n, capacity; /* buffers [0, n) were given out at some time */
		uint32_t first_free;
	} parts[N_PARTS];
};

static const uint32_t END = UINT32_MAX, IN_USE = UINT32_MAX - 1;

int pd_noalloc_create(struct pd_noalloc **out, struct util_error *err)
{
	struct pd_noalloc *noalloc = calloc(1, sizeof(*noalloc));
	void *memory;

	if (!noalloc)
		return util_error_set(err, UTIL_ENOMEM,
				      "no memory for buffers that are not allocated");
	memory = mmap((void *)RANGE, RANGE_B, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (memory != (void *)RANGE) {
		if (memory != MAP_FAILED)
			munmap(memory, RANGE_B);
		free(noalloc);
		return util_error_set(err, UTIL_ENOMEM,
				      "the address space for buffers that are not allocated "
				      "(--no-alloc) is not to be had");
	}
	noalloc->memory = memory;
	for (int i = 0; i < N_PARTS; i++)
		noalloc->parts[i].first_free = END;
	*out = noalloc;
	return 0;
}

void pd_noalloc_destroy(struct pd_noalloc *noalloc)
{
	if (!noalloc)
		return;
	for (int i = 0; i < N_PARTS; i++)
		free(noalloc->parts[i].next);
	munmap(noalloc->memory, RANGE_B);
	free(noalloc);
}

static int grow(struct part *part, int bits)
{
	uint32_t limit = (uint32_t)1 << (PART_BITS - bits < 30 ? PART_BITS - bits : 30);
	uint32_t capacity = part->capacity ? 2 * part->capacity : 4;
	uint32_t *next;

	if (part->n >= limit)
		return -1;
	next = realloc(part->next, capacity * sizeof(*next));
	if (!next)
		return -1;
	part->next = next;
	part->capacity = capacity;
	return 0;
}

void *pd_noalloc_get(struct pd_noalloc *noalloc, size_t size_B)
{
	int bits = MIN_BITS;
	struct part *part;
	uint32_t index;

	while (bits <= MAX_BITS && ((size_t)1 << bits) < size_B)
		bits++;
	if (bits > MAX_BITS)
		return NULL;
	part = &noalloc->parts[bits - MIN_BITS];
	index = part->first_free;
	if (index == END) {
		if (part->n == part->capacity && grow(part, bits))
			return NULL;
		index = part->n++;
	} else {
		part->first_free = part->next[index];
	}
	part->next[index] = IN_USE;
	return (char *)noalloc->memory + ((size_t)(bits - MIN_BITS) << PART_BITS) +
	       ((size_t)index << bits);
}

int pd_noalloc_put(struct pd_noalloc *noalloc, void *buffer)
{
	size_t offset = (size_t)((char *)buffer - (char *)noalloc->memory);
	size_t part_index = offset >> PART_BITS, within = offset & (((size_t)1 << PART_BITS) - 1);
	struct part *part;
	size_t index;

	if (part_index >= N_PARTS)
		return -1;
	part = &noalloc->parts[part_index];
	index = within >> (part_index + MIN_BITS);
	if (within & (((size_t)1 << (part_index + MIN_BITS)) - 1) || index >= part->n ||
	    part->next[index] != IN_USE)
		return -1;
	part->next[index] = part->first_free;
	part->first_free = (uint32_t)index;
	return 0;
}

void *pd_memory_absent(void)
{
	return (void *)(PD_ABSENT_BEGIN + PD_ABSENT_B / 2);
}

/* --- mpisim.h --- */

PD_INTERPOSE void *mpisim_alloc(size_t size_B)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank || !rank->world->noalloc)
		return malloc(size_B ? size_B : 1);
	return pd_noalloc_get(rank->world->noalloc, size_B);
}

PD_INTERPOSE void mpisim_free(void *buffer)
{
	struct pd_rank *rank = pd_rank_here();

	if (!pd_memory_is_absent(buffer)) {
		free(buffer);
		return;
	}
	if (!rank || pd_noalloc_put(rank->world->noalloc, buffer) == 0)
		return;
	rank->site = __builtin_return_address(0);
	pd_fail(rank, PD_FAILURE_ANNOTATION,
		"mpisim_free(%p): not the start of a buffer of mpisim_alloc, or freed already",
		buffer);
}
