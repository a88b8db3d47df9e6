// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/price.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/message.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/unread.h"
#include "pdexec/process.h"
#include "util/map.h"

/* More calls than these are not priced: each takes a run. */
enum { MAX_PRICED = 16 };

/* --- the run without them --- */

struct without {
	const struct mpi_unread_message *messages; /* [n] */
	size_t n;
	int site;
	struct util_map of_message; /* index + 1 of a message, by its key and ordinal */
	struct util_map ordinals;   /* how many were sent, by key */
	struct util_map bulks;	    /* what the rendezvous that go on leave out, by their address */
};

static uint64_t key_of(uint64_t key, uint32_t ordinal)
{
	uint64_t parts[] = {key, ordinal};

	return util_hash(parts, sizeof parts, 0);
}

static uintptr_t *number_of(struct util_map *map, uint64_t key)
{
	struct util_map_slot *slot = util_map_find(map, key);

	if (!slot && (slot = util_map_add(map, key)))
		slot->number = 1; /* 0 would be free */
	return slot ? &slot->number : NULL;
}

/* Numbers are one more than what they count. */
static int64_t left_out_B(void *context, const struct mpi_message *message, bool is_bulk)
{
	struct without *w = context;
	struct mpi_unread_origin origin = {message->source->rank, message->dest->rank,
					   message->context, message->tag};
	uint64_t key = mpi_unread_key(&origin);
	uintptr_t *bulk = NULL, *ordinal;
	const struct util_map_slot *slot;
	int64_t n_B = 0;

	if (is_bulk || message->is_rendezvous)
		bulk = number_of(&w->bulks, (uintptr_t)message);
	if (is_bulk)
		return bulk ? (int64_t)*bulk - 1 : 0;
	ordinal = number_of(&w->ordinals, key);
	if (!ordinal)
		return 0;
	slot = util_map_find(&w->of_message, key_of(key, (uint32_t)(*ordinal)++ - 1));
	if (slot)
		n_B = w->messages[slot->number - 1].unread_B;
	if (bulk)
		*bulk = (uintptr_t)n_B + 1;
	return n_B;
}

static void learn(struct without *w)
{
	for (size_t i = 0; i < w->n; i++) {
		uint64_t key = key_of(w->messages[i].key, w->messages[i].ordinal);
		struct util_map_slot *slot;

		if (w->messages[i].site != w->site || util_map_find(&w->of_message, key))
			continue;
		slot = util_map_add(&w->of_message, key);
		if (slot)
			slot->number = i + 1;
	}
}

struct verify_answer verify_price_repeat(struct run *run, const struct verify_question *question,
					 const void *data)
{
	struct without without = {.messages = data,
				  .n = question->data_B / sizeof *without.messages,
				  .site = question->index};
	struct mpi_shortening shortening = {&without, left_out_B};
	struct verify_answer answer = {.time_s = -1};

	learn(&without);
	if (verify_aside_prepare(run, 0))
		return answer;
	if (without.site >= 0)
		mpi_shorten_by(run->mpi, &shortening);
	pd_descriptors_keep();
	pd_world_start(run->world);
	run_loop(run);
	if (run_ended_well(run))
		answer.time_s = sim_time_to_s(run->world->engine.now);
	return answer;
}

/* --- who asks --- */

static double ask(struct verify_aside *aside, int site, size_t n)
{
	struct verify_question question;

	memset(&question, 0, sizeof question);
	question.kind = VERIFY_ASIDE_PRICE;
	question.index = site;
	question.data_B = n * sizeof(struct mpi_unread_message);
	return verify_aside_ask(aside, &question).time_s;
}

static bool has_messages(const struct mpi_unread_message *messages, size_t n, int site)
{
	for (size_t i = 0; i < n; i++)
		if (messages[i].site == site)
			return true;
	return false;
}

void verify_price_ask(struct verify_aside *aside, struct run *run)
{
	struct mpi_memory *memory = run->mpi->verify ? run->mpi->verify->memory : NULL;
	const struct mpi_unread_message *messages;
	int n_sites = memory && memory->unread ? mpi_unread_finish(memory->unread) : 0;
	int n_priced = 0;
	double with_s, without_s;
	size_t n;

	if (!aside || n_sites == 0 || !run_ended_well(run))
		return;
	messages = mpi_unread_messages(memory->unread, &n);
	if (n == 0 || !verify_aside_give(aside, messages, n * sizeof *messages) ||
	    (with_s = ask(aside, -1, n)) < 0)
		return;
	for (int i = 0; i < n_sites && n_priced < MAX_PRICED; i++) {
		if (!has_messages(messages, n, i))
			continue;
		n_priced++;
		without_s = ask(aside, i, n);
		if (without_s >= 0)
			mpi_unread_price(memory->unread, i, without_s, with_s);
	}
}
