/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes of what ranks have seen, hold and have sent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/datatype/datatype.h"
#include "mpi/orders/orders.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"
#include "pdexec/image.h"

static uint64_t mixed(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

void mpi_orders_mix(uint64_t hash[2], uint64_t value)
{
	hash[0] = mixed(hash[0] + 1, value);
	hash[1] = mixed(hash[1] + UINT64_C(0x5851f42d4c957f2d), value);
}

uint64_t mpi_registered_hash_bytes(const void *bytes, int64_t size_B)
{
	const char *at = bytes;
	uint64_t hash = (uint64_t)size_B, word;

	if (!bytes)
		return hash;
	for (; size_B >= 8; at += 8, size_B -= 8) {
		memcpy(&word, at, 8);
		hash = mixed(hash, word);
	}
	word = 0;
	memcpy(&word, at, (size_t)size_B);
	return mixed(hash, word);
}

/* --- tolerance --- */

/* To the nearest multiple of epsilon of its power of two. */
static double rounded(double x, double epsilon)
{
	int exponent;
	double step;

	if (x == 0 || !isfinite(x))
		return x;
	frexp(x, &exponent);
	step = ldexp(epsilon, exponent);
	return round(x / step) * step;
}

static uint64_t hash_floats(const char *value, size_t size_B, bool is_double, double epsilon)
{
	uint64_t hash = size_B;
	double x;
	float y;

	for (size_t at = 0; at + (is_double ? 8 : 4) <= size_B; at += is_double ? 8 : 4) {
		if (is_double) {
			memcpy(&x, value + at, 8);
		} else {
			memcpy(&y, value + at, 4);
			x = y;
		}
		x = rounded(x, epsilon);
		hash = mixed(hash, mpi_registered_hash_bytes(&x, 8));
	}
	return hash;
}

void mpi_registered_digest(const struct mpi_rank *me, const struct mpi_registered *registered,
			   double epsilon, uint64_t out[2])
{
	out[0] = out[1] = 0;
	for (int i = 0; i < registered->n; i++) {
		const struct mpi_registered_item *item = &registered->items[i];
		size_t size_B;
		char *value = mpi_registered_value(me, item, &size_B);
		bool is_float =
		    item->type->element == ELEMENT_FLOAT || item->type->element == ELEMENT_DOUBLE;

		mpi_orders_mix(out,
			       mpi_registered_hash_bytes(item->name, (int64_t)strlen(item->name)));
		mpi_orders_mix(
		    out,
		    value && is_float && epsilon > 0
			? hash_floats(value, size_B, item->type->element == ELEMENT_DOUBLE, epsilon)
			: mpi_registered_hash_bytes(value, (int64_t)size_B));
		free(value);
	}
}

/* --- states --- */

/* Of messages that wait for the rank: which, and what is in them. Their order does not matter. */
static void add_unmatched(const struct mpi_rank *me, uint64_t hash[2])
{
	uint64_t sum[2] = {0, 0};

	for (const struct mpi_message *m = me->endpoint->unexpected.first; m; m = m->link.next) {
		uint64_t one[2] = {(uint64_t)m->source->rank, m->ordinal};

		if (m->context & CHANNEL_COLL)
			continue;
		mpi_orders_mix(one, (uint64_t)(uint32_t)m->tag);
		mpi_orders_mix(one, mpi_registered_hash_bytes(mpi_message_data(m), m->size_B));
		sum[0] += one[0];
		sum[1] += one[1];
	}
	mpi_orders_mix(hash, sum[0]);
	mpi_orders_mix(hash, sum[1]);
}

/* Where the rank is: its call, and how many messages it has been sent by each. */
static void add_place(const struct mpi_orders *orders, const struct mpi_rank *me, uint64_t hash[2])
{
	size_t n = (size_t)orders->world->n_ranks;
	uint64_t place = (uint64_t)(uintptr_t)me->pd->site;

	if (me->pd->site && !me->world->pd->is_builtin)
		pd_image_locate(me->pd->program->image, me->pd->site, &place);
	mpi_orders_mix(hash, place);
	for (size_t source = 0; source < n; source++)
		mpi_orders_mix(hash, orders->n_arrived[source * n + (size_t)me->rank]);
	mpi_orders_mix(hash, me->pd->has_ended);
}

static void add_rank(struct mpi_orders *orders, int i, bool by_memory, uint64_t hash[2])
{
	struct mpi_orders_rank *rank = &orders->ranks[i];
	const struct mpi_rank *me = &orders->world->ranks[i];
	uint64_t digest[2];

	if (!by_memory || rank->registered.n == 0 || !me->endpoint) {
		mpi_orders_mix(hash, rank->history[0]);
		mpi_orders_mix(hash, rank->history[1]);
		return;
	}
	mpi_registered_digest(me, &rank->registered, orders->epsilon, digest);
	mpi_orders_mix(hash, digest[0]);
	mpi_orders_mix(hash, digest[1]);
	mpi_orders_mix(hash, rank->n_recvs);
	mpi_orders_mix(hash, rank->n_failed);
	add_place(orders, me, hash);
	add_unmatched(me, hash);
}

void mpi_orders_hash(struct mpi_orders *orders, bool by_memory, uint64_t out[2])
{
	out[0] = out[1] = 0;
	for (int i = 0; i < orders->world->n_ranks; i++)
		add_rank(orders, i, by_memory, out);
}

void mpi_orders_hash_matches(const struct mpi_orders *orders, uint64_t out[2])
{
	out[0] = out[1] = 0;
	for (int i = 0; i < orders->world->n_ranks; i++) {
		mpi_orders_mix(out, orders->ranks[i].matches[0]);
		mpi_orders_mix(out, orders->ranks[i].matches[1]);
	}
}

void mpi_orders_hash_sent(const struct mpi_orders *orders, uint64_t out[2])
{
	out[0] = out[1] = 0;
	for (int i = 0; i < orders->world->n_ranks; i++) {
		mpi_orders_mix(out, orders->ranks[i].sent[0]);
		mpi_orders_mix(out, orders->ranks[i].sent[1]);
	}
}

/* A message of the sender; their order does not matter. */
void mpi_orders_note_sent(struct mpi_orders *orders, const struct mpi_message *message)
{
	struct mpi_orders_rank *sender = &orders->ranks[message->source->rank];
	uint64_t one[2] = {(uint64_t)message->dest->rank, 0};

	mpi_orders_mix(one, (uint64_t)(uint32_t)message->tag);
	mpi_orders_mix(one, (uint64_t)message->size_B);
	if (!orders->is_partial)
		mpi_orders_mix(
		    one, mpi_registered_hash_bytes(mpi_message_data(message), message->size_B));
	sender->sent[0] += one[0];
	sender->sent[1] += one[1];
}

void mpi_orders_note_received(struct mpi_orders_rank *rank, uint32_t ordinal,
			      const struct mpi_message *message)
{
	uint64_t one[2] = {ordinal, (uint64_t)message->size_B};

	mpi_orders_mix(one, (uint64_t)(uint32_t)message->tag);
	mpi_orders_mix(one, mpi_registered_hash_bytes(mpi_message_data(message), message->size_B));
	rank->received[0] += one[0];
	rank->received[1] += one[1];
}
