/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program that was compiled by `mpisim-cc --verify-memory` calls before each load and store: the
 * functions of the compilers' -fsanitize=thread, whose names and meanings are those of
 * compiler-rt/include/sanitizer/tsan_interface.h. Nothing else of that runtime is there.
 */
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/unread.h"

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* with sanitizers the compiler knows them by other types */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#pragma GCC diagnostic ignored "-Wpragmas"

#define SITE __builtin_return_address(0)

static __attribute__((noinline)) void look(uintptr_t at, size_t size_B, unsigned use,
					   const void *site)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);

	if (memory)
		mpi_memory_touch(memory, me, at, size_B, use,
				 &(struct mpi_finding_call){me->rank, NULL, site});
}

static inline void see(const void *address, size_t size_B, unsigned use, const void *site)
{
	const struct pd_rank *pd = pd_current;
	const struct mpi_rank *me = pd ? pd->mpi : NULL;
	const struct mpi_verify *verify = me ? me->world->verify : NULL;

	if (verify && verify->memory &&
	    mpi_memory_is_near(verify->memory, me->rank, address, size_B))
		look((uintptr_t)address, size_B, use, site);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *site)
{
	const struct pd_rank *pd = pd_current;
	struct mpi_rank *me = pd ? pd->mpi : NULL;
	struct mpi_memory *memory = me && me->world->verify ? me->world->verify->memory : NULL;

	(void)site;
	if (!memory)
		return;
	memory->is_compiled = true;
	/* the frames below are of functions that have returned */
	if (memory->unread && mpi_memory_here(&me))
		mpi_unread_look_at_stack(memory->unread, me, (uintptr_t)__builtin_frame_address(0));
}

void __tsan_func_exit(void)
{
}

void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void)
{
}

void __tsan_vptr_update(void **place, void *value)
{
	(void)value;
	see(place, sizeof *place, MEMORY_WRITE, SITE);
}

void __tsan_vptr_read(void **place)
{
	see(place, sizeof *place, MEMORY_READ, SITE);
}

void __tsan_read_range(const void *at, unsigned long size_B)
{
	see(at, size_B, MEMORY_READ, SITE);
}

void __tsan_write_range(const void *at, unsigned long size_B)
{
	see(at, size_B, MEMORY_WRITE, SITE);
}

/* One for each size that the compilers know. */
#define ACCESS(name, size_B, use)           \
	void __tsan_##name(const void *at)  \
	{                                   \
		see(at, size_B, use, SITE); \
	}
ACCESS(read1, 1, MEMORY_READ)
ACCESS(read2, 2, MEMORY_READ)
ACCESS(read4, 4, MEMORY_READ)
ACCESS(read8, 8, MEMORY_READ)
ACCESS(read16, 16, MEMORY_READ)
ACCESS(write1, 1, MEMORY_WRITE)
ACCESS(write2, 2, MEMORY_WRITE)
ACCESS(write4, 4, MEMORY_WRITE)
ACCESS(write8, 8, MEMORY_WRITE)
ACCESS(write16, 16, MEMORY_WRITE)
ACCESS(unaligned_read2, 2, MEMORY_READ)
ACCESS(unaligned_read4, 4, MEMORY_READ)
ACCESS(unaligned_read8, 8, MEMORY_READ)
ACCESS(unaligned_read16, 16, MEMORY_READ)
ACCESS(unaligned_write2, 2, MEMORY_WRITE)
ACCESS(unaligned_write4, 4, MEMORY_WRITE)
ACCESS(unaligned_write8, 8, MEMORY_WRITE)
ACCESS(unaligned_write16, 16, MEMORY_WRITE)
ACCESS(read_write1, 1, MEMORY_READ | MEMORY_WRITE)
ACCESS(read_write2, 2, MEMORY_READ | MEMORY_WRITE)
ACCESS(read_write4, 4, MEMORY_READ | MEMORY_WRITE)
ACCESS(read_write8, 8, MEMORY_READ | MEMORY_WRITE)
ACCESS(read_write16, 16, MEMORY_READ | MEMORY_WRITE)
ACCESS(unaligned_read_write2, 2, MEMORY_READ | MEMORY_WRITE)
ACCESS(unaligned_read_write4, 4, MEMORY_READ | MEMORY_WRITE)
ACCESS(unaligned_read_write8, 8, MEMORY_READ | MEMORY_WRITE)
ACCESS(unaligned_read_write16, 16, MEMORY_READ | MEMORY_WRITE)

/* Atomic operations are done here: the compiler leaves them to the runtime. */
#define FETCH(bits, type, name, builtin)                                                      \
	type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)           \
	{                                                                                     \
		see((const void *)at, sizeof *at, MEMORY_READ | MEMORY_WRITE | MEMORY_ATOMIC, \
		    SITE);                                                                    \
		return builtin(at, value, __ATOMIC_SEQ_CST);                                  \
	}
#define EXCHANGE(bits, type, name)                                                               \
	int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,     \
							  type value, int order, int otherwise)  \
	{                                                                                        \
		see((const void *)at, sizeof *at, MEMORY_READ | MEMORY_WRITE | MEMORY_ATOMIC,    \
		    SITE);                                                                       \
		return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST);                            \
	}
#define ATOMIC(bits, type)                                                                    \
	type __tsan_atomic##bits##_load(const volatile type *at, int order)                   \
	{                                                                                     \
		see((const void *)at, sizeof *at, MEMORY_READ | MEMORY_ATOMIC, SITE);         \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                 \
	}                                                                                     \
	void __tsan_atomic##bits##_store(volatile type *at, type value, int order)            \
	{                                                                                     \
		see((const void *)at, sizeof *at, MEMORY_WRITE | MEMORY_ATOMIC, SITE);        \
		__atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                \
	}                                                                                     \
	FETCH(bits, type, exchange, __atomic_exchange_n)                                      \
	FETCH(bits, type, fetch_add, __atomic_fetch_add)                                      \
	FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                      \
	FETCH(bits, type, fetch_and, __atomic_fetch_and)                                      \
	FETCH(bits, type, fetch_or, __atomic_fetch_or)                                        \
	FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                      \
	FETCH(bits, type, fetch_nand, __atomic_fetch_nand)                                    \
	EXCHANGE(bits, type, strong)                                                          \
	EXCHANGE(bits, type, weak)                                                            \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected,     \
							type value, int order, int otherwise) \
	{                                                                                     \
		see((const void *)at, sizeof *at, MEMORY_READ | MEMORY_WRITE | MEMORY_ATOMIC, \
		    SITE);                                                                    \
		__atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST,    \
					    __ATOMIC_SEQ_CST);                                \
		return expected;                                                              \
	}
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#pragma GCC visibility pop
