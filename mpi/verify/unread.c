/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes that came are fresh. */
#include "mpi/verify/unread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/internal.h"
#include "pdexec/image.h"
#include "simcore/fiber.h"
#include "util/array.h"

uint64_t mpi_unread_key(const struct mpi_unread_origin *origin)
{
	int64_t parts[] = {origin->source, origin->dest, origin->context, origin->tag};

	return util_hash(parts, sizeof parts, 0);
}

int mpi_unread_create(struct mpi_memory *memory, struct mpi_unread **out)
{
	struct mpi_unread *unread = calloc(1, sizeof *unread);

	if (!unread)
		return UTIL_ENOMEM;
	unread->memory = memory;
	*out = unread;
	return 0;
}

void mpi_unread_destroy(struct mpi_unread *unread)
{
	if (!unread)
		return;
	util_map_finish_items(&unread->pages);
	util_map_finish(&unread->ordinals);
	for (int i = 0; i < unread->n_sites; i++)
		free(unread->sites[i].offsets);
	free(unread->sites);
	free(unread->deliveries);
	free(unread->free_ones);
	free(unread->messages);
	free(unread->stack_low);
	free(unread);
}

/* --- call sites --- */

static int find_site(struct mpi_unread *unread, struct mpi_rank *me,
		     const struct mpi_memory_buffer *buffer)
{
	const struct pd_rank *pd = me->pd;
	uint64_t place = (uint64_t)(uintptr_t)buffer->call.site;

	if (!me->world->pd->is_builtin && buffer->call.site)
		pd_image_locate(pd->program->image, buffer->call.site, &place);
	for (int i = 0; i < unread->n_sites; i++)
		if (unread->sites[i].place == place &&
		    unread->sites[i].call.function == buffer->call.function)
			return i;
	if (!util_array_room(&unread->sites, (size_t)unread->n_sites, sizeof *unread->sites))
		return -1;
	unread->sites[unread->n_sites] = (struct mpi_unread_site){
	    .place = place, .call = buffer->call, .is_raw = buffer->is_raw};
	return unread->n_sites++;
}

static void mark(struct mpi_unread_site *site, int64_t offset, size_t size_B, unsigned what)
{
	size_t end = offset < 0 ? SIZE_MAX : (size_t)offset + size_B;

	if (end > UNREAD_MAX_OFFSETS)
		return;
	if (end > site->n_offsets) {
		size_t n = end * 2 < UNREAD_MAX_OFFSETS ? end * 2 : UNREAD_MAX_OFFSETS;
		unsigned char *offsets = realloc(site->offsets, n);

		if (!offsets)
			return;
		memset(offsets + site->n_offsets, 0, n - site->n_offsets);
		site->offsets = offsets;
		site->n_offsets = n;
	}
	for (size_t i = (size_t)offset; i < end; i++)
		site->offsets[i] |= (unsigned char)what;
}

/* --- fresh bytes --- */

static struct mpi_unread_page *find_page(struct mpi_unread *unread, uintptr_t number)
{
	const struct util_map_slot *slot;

	if (unread->last && unread->last->number == number)
		return unread->last;
	slot = util_map_find(&unread->pages, number);
	if (slot)
		unread->last = slot->item;
	return slot ? slot->item : NULL;
}

static struct mpi_unread_page *make_page(struct mpi_unread *unread, uintptr_t number)
{
	struct mpi_unread_page *page = find_page(unread, number);

	if (page)
		return page;
	page = calloc(1, sizeof *page);
	if (page)
		page->number = number;
	if (page && util_map_put(&unread->pages, number, page)) {
		free(page);
		return NULL;
	}
	return page;
}

static void end_delivery(struct mpi_unread *unread, uint32_t index)
{
	struct mpi_unread_delivery *delivery = &unread->deliveries[index];

	if (delivery->is_priced && delivery->unread_B > 0 &&
	    util_array_room(&unread->messages, unread->n_messages, sizeof *unread->messages))
		unread->messages[unread->n_messages++] = (struct mpi_unread_message){
		    delivery->key, delivery->ordinal, delivery->site, (int64_t)delivery->unread_B};
	if (util_array_room(&unread->free_ones, unread->n_free, sizeof *unread->free_ones))
		unread->free_ones[unread->n_free++] = index;
	delivery->site = -1;
}

/* The bytes are those of one delivery: they are no longer fresh. */
static void take(struct mpi_unread *unread, uint32_t *owners, uintptr_t at, size_t size_B,
		 unsigned what)
{
	uint32_t index = owners[0] - 1;
	struct mpi_unread_delivery *delivery = &unread->deliveries[index];
	struct mpi_unread_site *site = &unread->sites[delivery->site];

	memset(owners, 0, size_B * sizeof *owners);
	if (what)
		mark(site, (int64_t)(at - delivery->base), size_B, what);
	if (what != OFFSET_READ) {
		delivery->unread_B += size_B;
		site->unread_B += size_B;
	}
	if (what == OFFSET_OVERWRITTEN)
		site->overwritten_B += size_B;
	delivery->fresh_B -= size_B;
	if (delivery->fresh_B == 0)
		end_delivery(unread, index);
}

/* Eight bytes that came raw and point into the heap of any rank. */
static bool is_pointer(const struct mpi_unread *unread, uintptr_t at, size_t size_B)
{
	uintptr_t value;

	if (size_B != sizeof value || at % sizeof value != 0)
		return false;
	memcpy(&value, (const void *)at, sizeof value);
	return mpi_memory_block_at(unread->memory, value) != NULL;
}

static void tell(struct mpi_unread *unread, struct mpi_unread_delivery *delivery, uintptr_t at,
		 size_t size_B, const struct mpi_finding_call *by)
{
	bool points = unread->sites[delivery->site].is_raw && is_pointer(unread, at, size_B);
	int64_t first = (int64_t)(at - delivery->base);
	char text[320];

	if (delivery->is_told)
		return;
	delivery->is_told = true;
	snprintf(
	    text, sizeof text,
	    "write of %zu byte%s that came and that nobody has read: bytes [%lld,%lld) of %s%s",
	    size_B, size_B == 1 ? "" : "s", (long long)first, (long long)(first + (int64_t)size_B),
	    delivery->text,
	    points ? "; they were a pointer, which means nothing to another process" : "");
	mpi_verify_report(unread->memory->world,
			  &(struct mpi_finding){.class_name = "overwritten-unread",
						.severity = MPI_FINDING_NOTE,
						.calls = {*by, delivery->call},
						.n_calls = 2,
						.found = text,
						.why = "the message need not have them"});
}

/* Calls `visit` for the stretches of [at, at + size_B) that are fresh and of one delivery. */
static void go_through(struct mpi_unread *unread, uintptr_t at, size_t size_B, unsigned what,
		       const struct mpi_finding_call *by)
{
	uintptr_t end = at + size_B;

	while (at < end) {
		struct mpi_unread_page *page = find_page(unread, at / UNREAD_PAGE_B);
		uintptr_t stop = (at / UNREAD_PAGE_B + 1) * UNREAD_PAGE_B;

		stop = stop < end ? stop : end;
		while (page && at < stop) {
			uint32_t *owners = &page->owners[at % UNREAD_PAGE_B];
			size_t n = 1;

			while (at + n < stop && owners[n] == owners[0])
				n++;
			if (owners[0] && by && what == OFFSET_OVERWRITTEN)
				tell(unread, &unread->deliveries[owners[0] - 1], at, n, by);
			if (owners[0])
				take(unread, owners, at, n, what);
			at += n;
		}
		at = stop;
	}
}

void mpi_unread_drop(struct mpi_unread *unread, uintptr_t at, size_t size_B)
{
	go_through(unread, at, size_B, 0, NULL);
}

void mpi_unread_touch(struct mpi_unread *unread, uintptr_t at, size_t size_B, unsigned use,
		      const struct mpi_finding_call *by)
{
	if (!unread->is_off)
		go_through(unread, at, size_B, use & MEMORY_READ ? OFFSET_READ : OFFSET_OVERWRITTEN,
			   by);
}

void mpi_unread_touch_buffer(struct mpi_unread *unread, const struct mpi_memory_buffer *buffer)
{
	for (size_t i = 0; i < buffer->n_runs && (buffer->use & MEMORY_READ); i++)
		mpi_unread_touch(unread, buffer->runs[i].at, buffer->runs[i].size_B, MEMORY_READ,
				 NULL);
}

void mpi_unread_lose(struct mpi_unread *unread, uintptr_t at, size_t size_B)
{
	mpi_unread_drop(unread, at, size_B);
}

/* --- stacks --- */

static void note_stack(struct mpi_unread *unread, struct mpi_rank *me, uintptr_t at)
{
	void *stack;
	size_t stack_B;

	sim_fiber_stack(me->pd->task.fiber, &stack, &stack_B);
	if (at - (uintptr_t)stack >= stack_B)
		return;
	while (unread->n_stacks <= me->rank) {
		if (!util_array_room(&unread->stack_low, (size_t)unread->n_stacks,
				     sizeof *unread->stack_low))
			return;
		unread->stack_low[unread->n_stacks++] = 0;
	}
	if (unread->stack_low[me->rank] == 0 || at < unread->stack_low[me->rank])
		unread->stack_low[me->rank] = at;
}

void mpi_unread_look_at_stack(struct mpi_unread *unread, struct mpi_rank *me, uintptr_t here)
{
	uintptr_t low = me->rank < unread->n_stacks ? unread->stack_low[me->rank] : 0;
	void *stack;
	size_t stack_B;

	if (low == 0 || here <= low)
		return;
	sim_fiber_stack(me->pd->task.fiber, &stack, &stack_B);
	if (here - (uintptr_t)stack >= stack_B)
		return;
	mpi_unread_drop(unread, low, here - low);
	unread->stack_low[me->rank] = here;
}

/* --- messages --- */

static uint32_t count(struct mpi_unread *unread, uint64_t key)
{
	struct util_map_slot *slot = util_map_find(&unread->ordinals, key);

	if (!slot)
		slot = util_map_add(&unread->ordinals, key);
	else
		return (uint32_t)slot->number++;
	if (slot)
		slot->number = 1;
	return 0;
}

static uint32_t new_delivery(struct mpi_unread *unread)
{
	if (unread->n_free > 0)
		return unread->free_ones[--unread->n_free];
	if (!util_array_room(&unread->deliveries, unread->n_deliveries, sizeof *unread->deliveries))
		return UINT32_MAX;
	return (uint32_t)unread->n_deliveries++;
}

/* The bytes of a run are fresh. */
static void freshen(struct mpi_unread *unread, uint32_t index, uintptr_t at, size_t size_B)
{
	uintptr_t end = at + size_B;

	while (at < end) {
		struct mpi_unread_page *page = make_page(unread, at / UNREAD_PAGE_B);
		uintptr_t stop = (at / UNREAD_PAGE_B + 1) * UNREAD_PAGE_B;

		stop = stop < end ? stop : end;
		if (!page)
			return;
		for (unread->deliveries[index].fresh_B += stop - at; at < stop; at++)
			page->owners[at % UNREAD_PAGE_B] = index + 1;
	}
}

void mpi_unread_deliver(struct mpi_unread *unread, struct mpi_rank *me,
			const struct mpi_memory_buffer *buffer, size_t size_B,
			const struct mpi_unread_origin *origin)
{
	uint64_t key = mpi_unread_key(origin);
	uint32_t ordinal = origin->source >= 0 ? count(unread, key) : 0, index;
	int site = size_B > 0 && !unread->is_off ? find_site(unread, me, buffer) : -1;

	if (site < 0 || (index = new_delivery(unread)) == UINT32_MAX)
		return;
	unread->deliveries[index] = (struct mpi_unread_delivery){.site = site,
								 .base = mpi_memory_origin(buffer),
								 .key = key,
								 .ordinal = ordinal,
								 .is_priced = origin->source >= 0,
								 .call = buffer->call};
	mpi_memory_text(buffer, unread->deliveries[index].text);
	unread->sites[site].n_messages++;
	for (size_t i = 0; i < buffer->n_runs && size_B > 0; i++) {
		size_t n = buffer->runs[i].size_B < size_B ? buffer->runs[i].size_B : size_B;
		uintptr_t at = buffer->runs[i].at;

		mpi_unread_drop(unread, at, n);
		freshen(unread, index, at, n);
		mark(&unread->sites[site], (int64_t)(at - mpi_memory_origin(buffer)), n, OFFSET_CAME);
		note_stack(unread, me, at);
		unread->sites[site].size_B += n;
		size_B -= n;
	}
	if (unread->deliveries[index].fresh_B == 0)
		end_delivery(unread, index);
}
