/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mpi/p2p/pair.h"

int mpi_pair_table_create(struct mpi_pair_table **out)
{
	struct mpi_pair_table *table = calloc(1, sizeof *table);

	if (!table)
		return UTIL_ENOMEM;
	table->capacity = 256;
	table->shift = 64 - 8;
	table->last = calloc(table->capacity, sizeof *table->last);
	if (!table->last) {
		free(table);
		return UTIL_ENOMEM;
	}
	*out = table;
	return 0;
}

void mpi_pair_table_destroy(struct mpi_pair_table *table)
{
	if (!table)
		return;
	free(table->last);
	free(table);
}

int mpi_pair_table_grow(struct mpi_pair_table *table)
{
	struct mpi_pair_table larger = {
	    .capacity = 4 * table->capacity, .n = table->n, .shift = table->shift - 2};
	struct mpi_message *next;

	larger.last = calloc(larger.capacity, sizeof *larger.last);
	if (!larger.last)
		return UTIL_ENOMEM;
	for (uint64_t i = 0; i < table->capacity; i++)
		for (struct mpi_message *message = table->last[i]; message; message = next) {
			struct mpi_message **link = mpi_pair_home(&larger, message);

			next = message->pair_chain;
			message->pair_chain = *link;
			*link = message;
		}
	free(table->last);
	*table = larger;
	return 0;
}

bool mpi_pair_append_more(struct mpi_world *world, struct mpi_message *message)
{
	struct mpi_pair_table *table = world->pairs;
	struct mpi_rank *source = message->source;
	struct mpi_message **link = &source->last_sent, *before = *link;

	if (!before || before->dest != message->dest) {
		if (table->n >= table->capacity && mpi_pair_table_grow(table) < 0)
			pd_fail(source->pd, PD_FAILURE_MEMORY,
				"out of memory with %llu pairs of ranks communicating",
				(unsigned long long)table->n);
		link = mpi_pair_find(table, message);
		before = *link;
		message->pair_chain = before ? before->pair_chain : NULL;
	}
	*link = message;
	if (before) {
		before->pair_next = message;
		return true;
	}
	table->n++;
	source->n_pairs_more++;
	return false;
}

void mpi_pair_remove_more(struct mpi_world *world, struct mpi_message *message)
{
	*mpi_pair_find(world->pairs, message) = message->pair_chain;
	world->pairs->n--;
	message->source->n_pairs_more--;
}

static void visit_one(const struct mpi_message *m, mpi_message_visit_fn visit, void *context)
{
	if (!(m->context & CHANNEL_COLL) && m->data != MESSAGE_WITHDRAWN)
		visit(context, m->source, m->site);
}

void mpi_pair_visit(struct mpi_world *world, mpi_message_visit_fn visit, void *context)
{
	const struct mpi_pair_table *table = world->pairs;

	for (int i = 0; i < world->n_ranks; i++)
		if (world->ranks[i].last_sent)
			visit_one(world->ranks[i].last_sent, visit, context);
	for (uint64_t i = 0; i < table->capacity; i++)
		for (const struct mpi_message *m = table->last[i]; m; m = m->pair_chain)
			visit_one(m, visit, context);
}
