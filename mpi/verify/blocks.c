/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heap as the program sees it: its own calls of malloc and its relatives come here. New memory is
 * filled with a pattern of its own for each four bytes, by which memory that nothing was written to is
 * known.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <mpisim.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi/verify/internal.h"
#include "mpi/verify/memcheck.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/unread.h"

#define MAX_FILLED_B ((size_t)16 << 20)
/* Freed blocks are kept for a while, so that who uses them is seen. */
#define MAX_KEPT_BLOCK_B ((size_t)1 << 20)
#define MAX_KEPT_B ((size_t)4 << 20)
enum { MAX_KEPT = 1024 };

struct mpi_memory_block *mpi_memory_block_at(struct mpi_memory *memory, uintptr_t at)
{
	return mpi_memory_index_find(&memory->blocks, at);
}

static void fill(uintptr_t at, size_t size_B)
{
	uintptr_t end = at + size_B;

	for (at = (at + 3) & ~(uintptr_t)3; at + 4 <= end; at += 4)
		*(uint32_t *)at = mpi_memory_pattern(at);
}

static void move_pattern(uintptr_t from, uintptr_t to, size_t size_B)
{
	for (size_t k = 0; k + 4 <= size_B; k += 4)
		if (*(const uint32_t *)(from + k) == mpi_memory_pattern(from + k))
			*(uint32_t *)(to + k) = mpi_memory_pattern(to + k);
}

static void forget(struct mpi_memory *memory, struct mpi_memory_block *block)
{
	mpi_memory_index_remove(&memory->blocks, block);
	free(block);
}

/* What lay there was freed where nobody looked. */
static void forget_at(struct mpi_memory *memory, uintptr_t at)
{
	struct mpi_memory_block *block = mpi_memory_block_at(memory, at);

	if (block && !block->is_freed)
		forget(memory, block);
}

static void add(struct mpi_memory *memory, void *address, size_t size_B, bool is_filled)
{
	struct mpi_memory_block *block = malloc(sizeof *block);

	if (!block)
		return;
	*block = (struct mpi_memory_block){
	    .at = (uintptr_t)address, .size_B = size_B, .is_filled = is_filled};
	forget_at(memory, block->at);
	if (!mpi_memory_index_add(&memory->blocks, block))
		free(block);
}

void mpi_memory_declare(struct mpi_memory *memory, uintptr_t at, size_t size_B)
{
	uintptr_t end = at + size_B;

	while (at < end) {
		const struct mpi_memory_block *block = mpi_memory_block_at(memory, at);
		uintptr_t stop;

		if (!block)
			return;
		stop = block->at + block->size_B;
		for (uintptr_t word = at & ~(uintptr_t)3;
		     block->is_filled && word < end && word + 4 <= stop; word += 4)
			if (word >= block->at && *(uint32_t *)word == mpi_memory_pattern(word))
				*(uint32_t *)word = 0;
		at = stop;
	}
}

/* --- freed blocks --- */

static void give_back(struct mpi_memory *memory, struct mpi_memory_block *block)
{
	free((void *)block->at);
	forget(memory, block);
}

static void release_oldest(struct mpi_memory *memory)
{
	struct mpi_memory_block *oldest = memory->kept;

	memory->kept = oldest->next_kept;
	if (!memory->kept)
		memory->last_kept = NULL;
	memory->n_kept--;
	memory->kept_B -= oldest->size_B;
	give_back(memory, oldest);
}

static void keep(struct mpi_memory *memory, struct mpi_memory_block *block)
{
	if (memory->memcheck)
		mpi_memcheck_hide(block->at, block->size_B);
	if (memory->last_kept)
		memory->last_kept->next_kept = block;
	else
		memory->kept = block;
	memory->last_kept = block;
	memory->n_kept++;
	memory->kept_B += block->size_B;
	while (memory->n_kept > MAX_KEPT || memory->kept_B > MAX_KEPT_B)
		release_oldest(memory);
}

static void release(struct mpi_memory *memory, struct mpi_memory_block *block)
{
	block->is_lent = false;
	if (block->size_B <= MAX_KEPT_BLOCK_B)
		keep(memory, block);
	else
		give_back(memory, block);
}

/* True: the block is freed, now or later. */
static bool drop(struct mpi_memory *memory, struct mpi_rank *me, const void *address,
		 const char *function, const void *site)
{
	struct mpi_memory_block *block = mpi_memory_block_at(memory, (uintptr_t)address);

	if (!block || block->at != (uintptr_t)address)
		return false;
	if (block->is_freed) { /* twice: the C library is to see it */
		if (block->is_lent)
			give_back(memory, block);
		while (mpi_memory_block_at(memory, (uintptr_t)address))
			release_oldest(memory);
		return false;
	}
	mpi_memory_lose(memory, me, block->at, block->size_B, function, site);
	block->is_freed = true;
	block->freed_by = (struct mpi_finding_call){me->rank, function, site};
	block->is_lent = mpi_memory_is_lent(memory, me, block->at, block->size_B);
	if (!block->is_lent)
		release(memory, block);
	return true;
}

void mpi_memory_give_back(struct mpi_memory *memory, struct mpi_rank *me,
			  const struct mpi_memory_active *active)
{
	struct mpi_memory_block *block = mpi_memory_block_at(memory, active->buffer.low);

	if (block && block->is_lent && !mpi_memory_is_lent(memory, me, block->at, block->size_B))
		release(memory, block);
}

void mpi_memory_blocks_finish(struct mpi_memory *memory)
{
	while (memory->kept)
		release_oldest(memory);
	mpi_memory_index_finish(&memory->blocks);
}

/* --- what programs call --- */

void mpi_memory_allocated(struct mpi_memory *memory, void *address, size_t size_B, bool is_filled)
{
	is_filled = is_filled && size_B <= MAX_FILLED_B && !memory->memcheck;
	if (is_filled)
		fill((uintptr_t)address, size_B);
	add(memory, address, size_B, is_filled);
}

static void *new_block(void *address, size_t size_B, bool is_filled)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);

	if (address && memory)
		mpi_memory_allocated(memory, address, size_B, is_filled);
	return address;
}

static void *own_malloc(size_t size_B)
{
	return new_block(malloc(size_B), size_B, true);
}

static void *own_calloc(size_t n, size_t size_B)
{
	return new_block(calloc(n, size_B), n * size_B, false);
}

static void *own_memalign(size_t alignment, size_t size_B)
{
	return new_block(memalign(alignment, size_B), size_B, true);
}

static int own_posix_memalign(void **out, size_t alignment, size_t size_B)
{
	int code = posix_memalign(out, alignment, size_B);

	if (code == 0)
		new_block(*out, size_B, true);
	return code;
}

static void *own_new(size_t size_B)
{
	void *address = malloc(size_B ? size_B : 1), *real;
	void *(*throws)(size_t) = NULL;

	if (!address) {
		real = dlsym(RTLD_DEFAULT, "_Znwm");
		memcpy(&throws, &real, sizeof real);
		return throws ? throws(size_B) : NULL;
	}
	return new_block(address, size_B, true);
}

static void free_at(void *address, const char *function, const void *site)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);

	if (!memory || !address || !drop(memory, me, address, function, site))
		free(address);
}

static void own_free(void *address)
{
	free_at(address, "free", __builtin_return_address(0));
}

static void own_delete(void *address)
{
	free_at(address, "delete", __builtin_return_address(0));
}

static void own_delete_sized(void *address, size_t size_B)
{
	free_at(address, "delete", __builtin_return_address(0));
}

/* Buffers of messages are not filled: many are never touched. */
static void *own_alloc(size_t size_B)
{
	void *address = mpisim_alloc(size_B);

	return pd_memory_is_absent(address) ? address : new_block(address, size_B, false);
}

static void own_alloc_free(void *address)
{
	if (pd_memory_is_absent(address))
		mpisim_free(address);
	else
		free_at(address, "mpisim_free", __builtin_return_address(0));
}

/* The block moves: the old one is kept as it is, always where MPI reads it. NULL: it is too large for that, or is none. */
static void *move_block(struct mpi_memory *memory, struct mpi_rank *me, void *address,
			size_t size_B, const void *site)
{
	struct mpi_memory_block *block = mpi_memory_block_at(memory, (uintptr_t)address);
	size_t old_B = block ? block->size_B : 0, both_B = old_B < size_B ? old_B : size_B;
	void *new;

	if (!block || block->at != (uintptr_t)address || block->is_freed ||
	    ((size_B <= old_B || old_B > MAX_KEPT_BLOCK_B) &&
	     !mpi_memory_is_lent(memory, me, block->at, old_B)) ||
	    !(new = malloc(size_B)))
		return NULL;
	new_block(new, size_B, block->is_filled);
	memcpy(new, address, both_B); /* with the pattern, which is another one there */
	if (block->is_filled)
		move_pattern((uintptr_t)address, (uintptr_t) new, both_B);
	drop(memory, me, address, "realloc", site);
	return new;
}

static void *own_realloc(void *address, size_t size_B)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);
	struct mpi_memory_block *block, old = {0};
	void *new;

	if (!memory || !address || size_B == 0) {
		if (address && size_B == 0)
			own_free(address);
		return address && size_B == 0 ? NULL : own_malloc(size_B);
	}
	block = mpi_memory_block_at(memory, (uintptr_t)address);
	if (block && memory->unread) /* it is copied */
		mpi_unread_touch(memory->unread, block->at, block->size_B, MEMORY_READ, NULL);
	new = move_block(memory, me, address, size_B, __builtin_return_address(0));
	if (new)
		return new;
	block = mpi_memory_block_at(memory, (uintptr_t)address);
	if (block && block->at == (uintptr_t)address && !block->is_freed) {
		old = *block;
		mpi_memory_lose(memory, me, old.at, old.size_B, "realloc",
				__builtin_return_address(0));
		forget(memory, block);
	}
	new = realloc(address, size_B);
	if (!new) {
		if (old.size_B)
			add(memory, address, old.size_B, old.is_filled);
		return NULL;
	}
	if (size_B > old.size_B && old.is_filled && size_B <= MAX_FILLED_B)
		fill((uintptr_t) new + old.size_B, size_B - old.size_B);
	add(memory, new, size_B, old.is_filled && (uintptr_t) new == old.at);
	return new;
}

static int own_munmap(void *address, size_t size_B)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);
	int code = munmap(address, size_B);

	if (memory && code == 0)
		mpi_memory_lose(memory, me, (uintptr_t)address, size_B, "munmap",
				__builtin_return_address(0));
	return code;
}

const void *mpi_memory_freed(struct mpi_memory *memory, struct mpi_rank *me, const void *address)
{
	return drop(memory, me, address, me->pd->function, me->pd->site) ? NULL : address;
}

typedef void (*any_fn)(void);

static const struct {
	const char *name;
	any_fn function;
} substitutes[] = {
    {"malloc", (any_fn)own_malloc},
    {"calloc", (any_fn)own_calloc},
    {"realloc", (any_fn)own_realloc},
    {"free", (any_fn)own_free},
    {"mpisim_alloc", (any_fn)own_alloc},
    {"mpisim_free", (any_fn)own_alloc_free},
    {"memalign", (any_fn)own_memalign},
    {"aligned_alloc", (any_fn)own_memalign},
    {"posix_memalign", (any_fn)own_posix_memalign},
    {"munmap", (any_fn)own_munmap},
    {"_Znwm", (any_fn)own_new},
    {"_Znam", (any_fn)own_new},
    {"_ZdlPv", (any_fn)own_delete},
    {"_ZdaPv", (any_fn)own_delete},
    {"_ZdlPvm", (any_fn)own_delete_sized},
    {"_ZdaPvm", (any_fn)own_delete_sized},
};

void *mpi_memory_substitute(const char *name)
{
	for (size_t i = 0; i < sizeof substitutes / sizeof substitutes[0]; i++)
		if (strcmp(substitutes[i].name, name) == 0) {
			void *address;

			memcpy(&address, &substitutes[i].function, sizeof address);
			return address;
		}
	return mpi_memory_string_function(name);
}
