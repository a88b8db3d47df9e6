/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/noalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpisim.h"
#include "pdexec/process.h"
#include "pdexec/rank.h"

/*
 * Parts of the range, each of PART_BITS bits, belong to a power of two as soon as that needs room:
 * buffer k of a part lies at k times its size. Address space costs nothing as long as it is not
 * touched, so what the powers of two waste does not matter. The place is one that neither the
 * kernel's layouts nor the sanitizers' shadows use.
 */
enum { MIN_BITS = 12, MAX_BITS = 38, PART_BITS = 40, N_PARTS = 48 };
static const uintptr_t RANGE = PD_ABSENT_BEGIN;
static const size_t RANGE_B = (size_t)N_PARTS << PART_BITS;
_Static_assert((size_t)N_PARTS << PART_BITS == PD_ABSENT_B, "the range that rank.h knows");

struct pd_noalloc {
	void *memory;
	struct part {
		int bits; /* of its buffers' size; 0: the part is not in use, and none behind it */
		bool is_device;
		uint32_t *next; /* [capacity] in use: IN_USE; free: the next free one, or END */
		struct there { /* what is there of a buffer; size_B 0: nothing */
			size_t from_B, size_B;
		} *there; /* [capacity] of each; of a free one: whose memory it has still */
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
	for (int i = 0; i < N_PARTS; i++) {
		free(noalloc->parts[i].next);
		free(noalloc->parts[i].there);
	}
	munmap(noalloc->memory, RANGE_B);
	free(noalloc);
}

static bool has_room(const struct part *part)
{
	return part->first_free != END || part->n < (uint32_t)1 << (PART_BITS - part->bits);
}

/* NULL: all parts are in use. */
static struct part *part_for(struct pd_noalloc *noalloc, bool is_device, int bits)
{
	for (struct part *part = noalloc->parts; part < noalloc->parts + N_PARTS; part++) {
		if (part->bits == 0) {
			part->bits = bits;
			part->is_device = is_device;
		}
		if (part->bits == bits && part->is_device == is_device && has_room(part))
			return part;
	}
	return NULL;
}

static int grow(struct part *part)
{
	uint32_t capacity = part->capacity ? 2 * part->capacity : 4;
	struct there *there;
	uint32_t *next;

	next = realloc(part->next, capacity * sizeof(*next));
	if (!next)
		return -1;
	part->next = next;
	there = realloc(part->there, capacity * sizeof(*there));
	if (!there)
		return -1;
	part->there = there;
	memset(there + part->capacity, 0, (capacity - part->capacity) * sizeof(*there));
	part->capacity = capacity;
	return 0;
}

static void *get(struct pd_noalloc *noalloc, bool is_device, size_t size_B)
{
	int bits = MIN_BITS;
	struct part *part;
	uint32_t index;

	while (bits <= MAX_BITS && ((size_t)1 << bits) < size_B)
		bits++;
	if (bits > MAX_BITS)
		return NULL;
	part = part_for(noalloc, is_device, bits);
	if (!part)
		return NULL;
	index = part->first_free;
	if (index == END) {
		if (part->n == part->capacity && grow(part))
			return NULL;
		index = part->n++;
	} else {
		part->first_free = part->next[index];
	}
	part->next[index] = IN_USE;
	return (char *)noalloc->memory + ((size_t)(part - noalloc->parts) << PART_BITS) +
	       ((size_t)index << bits);
}

void *pd_noalloc_get(struct pd_noalloc *noalloc, size_t size_B)
{
	return get(noalloc, false, size_B);
}

/* The buffer that `address` lies in. False: in none that is in use. */
static bool find(struct pd_noalloc *noalloc, const void *address, struct part **out_part,
		 size_t *out_index, size_t *out_within_B)
{
	size_t offset = (size_t)((const char *)address - (const char *)noalloc->memory);
	size_t part_index = offset >> PART_BITS, within = offset & (((size_t)1 << PART_BITS) - 1);
	struct part *part;

	if (part_index >= N_PARTS)
		return false;
	part = &noalloc->parts[part_index];
	*out_part = part;
	*out_index = within >> part->bits;
	*out_within_B = within & (((size_t)1 << part->bits) - 1);
	return *out_index < part->n && part->next[*out_index] == IN_USE;
}

/* Whole pages around [from_B, from_B + size_B) of the buffer. */
static void pages_around(char *buffer, struct there there, char **out, size_t *out_B)
{
	const size_t page_B = (size_t)1 << MIN_BITS;
	size_t from_B = there.from_B / page_B * page_B;
	size_t end_B = (there.from_B + there.size_B + page_B - 1) / page_B * page_B;

	*out = buffer + from_B;
	*out_B = end_B - from_B;
}

/* Takes back the memory of what was there. */
static void withdraw(char *buffer, struct there *there)
{
	size_t pages_B;
	char *pages;

	if (there->size_B == 0)
		return;
	pages_around(buffer, *there, &pages, &pages_B);
	mmap(pages, pages_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
	     0);
	*there = (struct there){0};
}

int pd_noalloc_provide(struct pd_noalloc *noalloc, void *buffer, size_t from_B, size_t size_B)
{
	struct there there = {from_B, size_B}, *before;
	struct part *part;
	size_t index, within_B, pages_B;
	char *pages;

	if (!find(noalloc, buffer, &part, &index, &within_B))
		return 0;
	before = &part->there[index];
	if (before->from_B == from_B && before->size_B == size_B) /* as when it was freed */
		return 0;
	withdraw(buffer, before);
	if (size_B == 0)
		return 0;
	pages_around(buffer, there, &pages, &pages_B);
	if (mprotect(pages, pages_B, PROT_READ | PROT_WRITE))
		return -1;
	*before = there;
	return 0;
}

size_t pd_memory_part(const void *address, size_t size_B, char **out)
{
	struct pd_noalloc *noalloc = pd_current ? pd_current->world->noalloc : NULL;
	struct part *part;
	size_t index, within_B, from_B, end_B;

	if (!noalloc || !find(noalloc, address, &part, &index, &within_B) ||
	    part->there[index].size_B == 0)
		return 0;
	from_B = part->there[index].from_B;
	end_B = from_B + part->there[index].size_B;
	from_B = from_B > within_B ? from_B : within_B;
	end_B = end_B < within_B + size_B ? end_B : within_B + size_B;
	if (from_B >= end_B)
		return 0;
	*out = (char *)(uintptr_t)address + (from_B - within_B);
	return end_B - from_B;
}

bool pd_memory_is_device_aside(const void *address)
{
	const struct pd_noalloc *noalloc = pd_current ? pd_current->world->noalloc : NULL;

	return noalloc && noalloc->parts[((uintptr_t)address - RANGE) >> PART_BITS].is_device;
}

int pd_noalloc_put(struct pd_noalloc *noalloc, void *buffer)
{
	struct part *part;
	size_t index, within_B;

	if (!find(noalloc, buffer, &part, &index, &within_B) || within_B != 0)
		return -1;
	part->next[index] = part->first_free;
	part->first_free = (uint32_t)index;
	return 0;
}

void *pd_memory_absent(void)
{
	return (void *)(PD_ABSENT_BEGIN + PD_ABSENT_B / 2);
}

void *pd_noalloc_get_with_part(struct pd_noalloc *noalloc, bool is_device, size_t size_B,
			       size_t from_B, size_t there_B)
{
	void *buffer = get(noalloc, is_device, size_B);

	if (!buffer || pd_noalloc_provide(noalloc, buffer, from_B, there_B) == 0)
		return buffer;
	pd_noalloc_put(noalloc, buffer);
	return NULL;
}

/* --- mpisim.h --- */

PD_INTERPOSE void *mpisim_alloc(size_t size_B)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank || !rank->world->config.no_alloc)
		return malloc(size_B ? size_B : 1);
	return pd_noalloc_get_with_part(rank->world->noalloc, false, size_B, 0, 0);
}

PD_INTERPOSE void *mpisim_alloc_part(size_t size_B, size_t from_B, size_t there_B)
{
	struct pd_rank *rank = pd_rank_here();

	if (from_B > size_B || there_B > size_B - from_B) {
		if (!rank)
			return NULL;
		rank->site = __builtin_return_address(0);
		pd_fail(
		    rank, PD_FAILURE_ANNOTATION,
		    "mpisim_alloc_part: found the part from %zu on of %zu B, wanted it within the "
		    "%zu B of the buffer",
		    from_B, there_B, size_B);
	}
	if (!rank || !rank->world->config.no_alloc)
		return mpisim_alloc(size_B);
	return pd_noalloc_get_with_part(rank->world->noalloc, false, size_B, from_B, there_B);
}

PD_INTERPOSE void mpisim_free(void *buffer)
{
	struct pd_rank *rank = pd_rank_here();

	if (!pd_memory_is_reserved(buffer)) {
		free(buffer);
		return;
	}
	if (!rank || (!pd_memory_is_device(buffer) &&
		      pd_noalloc_put(rank->world->noalloc, buffer) == 0))
		return;
	rank->site = __builtin_return_address(0);
	pd_fail(rank, PD_FAILURE_ANNOTATION,
		"mpisim_free(%p): not the start of a buffer of mpisim_alloc, or freed already",
		buffer);
}
