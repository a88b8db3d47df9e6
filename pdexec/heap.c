/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of glibc's malloc, from the heads that lie before them (glibc's malloc/malloc.c, "Chunk
 * representation"): eight bytes with the size of the chunk and three flags, after eight that belong to
 * the chunk before. Next to each other they fill the heap.
 */
#include "pdexec/heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define HEAD_B (2 * sizeof(size_t))
#define ALIGNMENT_B 16
#define LEAST_B 32
#define PAGE_B 4096
#define IS_BEFORE_USED 1u
#define IS_MAPPED 2u
#define IS_OF_THREAD 4u
#define FLAGS (IS_BEFORE_USED | IS_MAPPED | IS_OF_THREAD)

/* Sanitizers have something else there. */
__attribute__((no_sanitize("address"))) static size_t head_of(uintptr_t chunk)
{
	return *(const volatile size_t *)(chunk + sizeof(size_t));
}

static bool is_plausible(size_t head)
{
	size_t size_B = head & ~(size_t)FLAGS;

	return size_B >= LEAST_B && size_B % ALIGNMENT_B == 0;
}

/* Reads what may be no head, and maybe not there. */
static bool try_head(uintptr_t chunk, size_t head[2])
{
	struct iovec here = {head, HEAD_B}, there = {(void *)chunk, HEAD_B};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)HEAD_B &&
	       is_plausible(head[1]);
}

/* A mapping of its own: its head begins a page. */
static bool is_mapped(uintptr_t chunk, const size_t head[2])
{
	return chunk % PAGE_B == 0 && (head[1] & FLAGS) == IS_MAPPED &&
	       (head[1] & ~(size_t)FLAGS) % PAGE_B == 0 && head[0] == 0;
}

/* Where the heap begins; 0: there is none. */
static uintptr_t heap_begin(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t begin = 0;
	char line[512];

	while (maps && !begin && fgets(line, sizeof line, maps))
		if (strstr(line, "[heap]"))
			sscanf(line, "%lx-", &begin);
	if (maps)
		fclose(maps);
	return begin;
}

/* Is there a chunk of the heap [begin, end)? Chunks are followed from its begin to the end. */
static bool is_chunk(uintptr_t chunk, uintptr_t begin, uintptr_t end)
{
	bool is_met = false;

	for (uintptr_t at = begin; at < end; at += head_of(at) & ~(size_t)FLAGS) {
		size_t head = head_of(at);

		if (!is_plausible(head) || (head & IS_MAPPED) || (head & ~(size_t)FLAGS) > end - at)
			return false;
		is_met = is_met || at == chunk;
	}
	return is_met;
}

size_t pd_heap_room(const void *address, size_t size_B)
{
	uintptr_t chunk = (uintptr_t)address - HEAD_B, begin;
	size_t head[2], room_B;

	if ((uintptr_t)address % ALIGNMENT_B || !try_head(chunk, head))
		return SIZE_MAX;
	if (is_mapped(chunk, head))
		return (head[1] & ~(size_t)FLAGS) - HEAD_B;
	room_B = (head[1] & ~(size_t)FLAGS) - sizeof(size_t);
	if (size_B <= room_B)
		return room_B;
	begin = heap_begin();
	return begin && is_chunk(chunk, begin, (uintptr_t)sbrk(0)) ? room_B : SIZE_MAX;
}
