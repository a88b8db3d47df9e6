// SPDX-License-Identifier: BSD-3-Clause
#include "tools/orders/shared.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#define SHARED_B ((size_t)4 << 30)
enum { STATES_BITS = 24, FINALS_BITS = 20, WORK_BITS = 22, SPINS_MAX = 1000000 };

/* A process that was ended may have held it: after a long time it is taken all the same. */
static void lock(struct orders_shared *shared)
{
	for (int i = 0; i < SPINS_MAX && atomic_flag_test_and_set(&shared->lock); i++)
		sched_yield();
}

static void unlock(struct orders_shared *shared)
{
	atomic_flag_clear(&shared->lock);
}

static size_t allocate(struct orders_shared *shared, size_t size_B)
{
	size_t place = (shared->used_B + 15) & ~(size_t)15;

	if (size_B > shared->size_B - place) {
		shared->is_full = true;
		return 0;
	}
	shared->used_B = place + size_B;
	return place;
}

size_t orders_shared_allocate(struct orders_shared *shared, size_t size_B)
{
	size_t place;

	lock(shared);
	place = allocate(shared, size_B);
	unlock(shared);
	return place;
}

static void table_init(struct orders_shared *shared, struct orders_table *table, int bits)
{
	table->mask = ((uint32_t)1 << bits) - 1;
	table->first = allocate(shared, ((size_t)table->mask + 1) * 2 * sizeof(uint64_t));
}

struct orders_shared *orders_shared_create(void)
{
	struct orders_shared *shared = mmap(NULL, SHARED_B, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (shared == MAP_FAILED)
		return NULL;
	shared->size_B = SHARED_B;
	shared->used_B = sizeof *shared;
	table_init(shared, &shared->states, STATES_BITS);
	for (int i = 0; i < ORDERS_N_ENDS; i++)
		table_init(shared, &shared->finals[i], FINALS_BITS);
	shared->n_work_max = (uint32_t)1 << WORK_BITS;
	shared->work = allocate(shared, shared->n_work_max * sizeof(struct orders_list));
	return shared;
}

void orders_shared_destroy(struct orders_shared *shared)
{
	if (shared)
		munmap(shared, shared->size_B);
}

/* The slot of the hash, or the free one where it belongs. A hash of zeros would look like one. */
static uint64_t *find_slot(const struct orders_shared *shared, const struct orders_table *table,
			   const uint64_t hash[2], uint64_t wanted[2])
{
	uint64_t *slots = orders_at(shared, table->first), *slot;

	wanted[0] = hash[0];
	wanted[1] = hash[0] == 0 && hash[1] == 0 ? 1 : hash[1];
	for (uint32_t at = (uint32_t)hash[0] & table->mask;; at = (at + 1) & table->mask) {
		slot = slots + 2 * (size_t)at;
		if ((slot[0] == wanted[0] && slot[1] == wanted[1]) ||
		    (slot[0] == 0 && slot[1] == 0))
			return slot;
	}
}

bool orders_table_add(struct orders_shared *shared, struct orders_table *table,
		      const uint64_t hash[2])
{
	uint64_t wanted[2], *slot;
	bool is_new;

	lock(shared);
	slot = find_slot(shared, table, hash, wanted);
	is_new = slot[0] == 0 && slot[1] == 0;
	if (is_new && table->n <= table->mask / 4 * 3) {
		memcpy(slot, wanted, sizeof wanted);
		table->n++;
	} else if (is_new) {
		shared->is_full = true;
	}
	unlock(shared);
	return is_new;
}

bool orders_table_has(struct orders_shared *shared, const struct orders_table *table,
		      const uint64_t hash[2])
{
	uint64_t wanted[2], *slot;
	bool is_there;

	lock(shared);
	slot = find_slot(shared, table, hash, wanted);
	is_there = slot[0] != 0 || slot[1] != 0;
	unlock(shared);
	return is_there;
}

struct orders_list orders_list_keep(struct orders_shared *shared,
				    const struct mpi_decision *decisions, uint32_t n,
				    const struct mpi_decision *last)
{
	struct orders_list list = {.n = n + (last != NULL)};
	struct mpi_decision *copy;

	list.first = orders_shared_allocate(shared, list.n * sizeof *copy);
	if (!list.first) {
		list.n = 0;
		return list;
	}
	copy = orders_at(shared, list.first);
	if (n > 0)
		memcpy(copy, decisions, n * sizeof *copy);
	if (last)
		copy[n] = *last;
	return list;
}

void orders_work_put(struct orders_shared *shared, struct orders_list list)
{
	struct orders_list *work = orders_at(shared, shared->work);

	lock(shared);
	if (shared->work_last == shared->n_work_max && shared->work_first > 0) {
		memmove(work, work + shared->work_first,
			(shared->work_last - shared->work_first) * sizeof *work);
		shared->work_last -= shared->work_first;
		shared->work_first = 0;
	}
	if (shared->work_last < shared->n_work_max && list.first)
		work[shared->work_last++] = list;
	else
		shared->is_full = true;
	unlock(shared);
}

bool orders_work_take(struct orders_shared *shared, bool oldest, struct orders_list *out)
{
	const struct orders_list *work = orders_at(shared, shared->work);
	bool has_any;

	lock(shared);
	has_any = shared->work_first < shared->work_last;
	if (has_any)
		*out = oldest ? work[shared->work_first++] : work[--shared->work_last];
	unlock(shared);
	return has_any;
}

bool orders_outcome_note(struct orders_shared *shared, enum orders_end end, const uint64_t key[2],
			 struct orders_outcome **out)
{
	bool is_new = false;

	lock(shared);
	*out = NULL;
	for (int i = 0; i < shared->n_outcomes && !*out; i++)
		if (shared->outcomes[i].end == end && shared->outcomes[i].key[0] == key[0] &&
		    shared->outcomes[i].key[1] == key[1])
			*out = &shared->outcomes[i];
	if (!*out && shared->n_outcomes < ORDERS_MAX_OUTCOMES) {
		is_new = true;
		*out = &shared->outcomes[shared->n_outcomes++];
		(*out)->end = end;
		(*out)->key[0] = key[0];
		(*out)->key[1] = key[1];
	}
	if (*out)
		(*out)->n++;
	else
		shared->is_full = true;
	unlock(shared);
	return is_new;
}
