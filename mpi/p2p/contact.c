/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/contact.h"

#include <stdlib.h>

#include "util/map.h"

struct mpi_contacts {
	struct util_map met;  /* by pairs of ranks */
	struct util_map n_of; /* connections by rank */
	struct mpi_contact_counts counts;
};

static const struct cluster_spawn *costs_of(const struct mpi_world *world)
{
	return &world->pd->cluster->spawn;
}

int mpi_contacts_create(struct mpi_world *world)
{
	const struct cluster_spawn *costs = costs_of(world);

	if (costs->connection == CLUSTER_CONNECTION_NONE && costs->translation_s <= 0)
		return 0;
	world->contacts = calloc(1, sizeof *world->contacts);
	world->has_send_overhead = true;
	world->has_recv_overhead |= costs->connection == CLUSTER_CONNECTION_RC;
	return world->contacts ? 0 : UTIL_ENOMEM;
}

void mpi_contacts_destroy(struct mpi_world *world)
{
	if (!world->contacts)
		return;
	util_map_finish(&world->contacts->met);
	util_map_finish(&world->contacts->n_of);
	free(world->contacts);
	world->contacts = NULL;
}

static void fail_memory(struct mpi_rank *me)
{
	pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for connections");
}

static void count(struct mpi_rank *me, int rank)
{
	struct mpi_contacts *contacts = me->world->contacts;
	struct util_map_slot *slot = util_map_find(&contacts->n_of, (uint64_t)rank + 1);

	if (!slot) {
		slot = util_map_add(&contacts->n_of, (uint64_t)rank + 1);
		if (!slot)
			fail_memory(me);
		slot->number = 0;
	}
	slot->number++;
	if ((int)slot->number > contacts->counts.most)
		contacts->counts.most = (int)slot->number;
}

static uint64_t key_of(int one, int other)
{
	uint64_t low = (uint64_t)(one < other ? one : other),
		 high = (uint64_t)(one < other ? other : one);

	return high << 32 | low;
}

/* True: these two have not talked yet. */
static bool is_first(struct mpi_rank *me, int other)
{
	struct mpi_contacts *contacts = me->world->contacts;
	struct util_map_slot *slot = util_map_find(&contacts->met, key_of(me->rank, other));

	if (slot)
		return false;
	slot = util_map_add(&contacts->met, key_of(me->rank, other));
	if (!slot)
		fail_memory(me);
	slot->number = (uintptr_t)other + 2; /* has its side yet to set up */
	contacts->counts.n++;
	count(me, me->rank);
	count(me, other);
	return true;
}

/* True: the other one has begun, and nobody has asked here yet. */
static bool is_answer(struct mpi_rank *me, int other)
{
	struct util_map_slot *slot =
	    util_map_find(&me->world->contacts->met, key_of(me->rank, other));

	if (!slot || slot->number != (uintptr_t)me->rank + 2)
		return false;
	slot->number = 1;
	return true;
}

static int64_t pieces(int64_t size_B)
{
	return size_B > CLUSTER_UD_PIECE_B ? (size_B + CLUSTER_UD_PIECE_B - 1) / CLUSTER_UD_PIECE_B
					   : 1;
}

static double send_cost_s(struct mpi_rank *me, const struct mpi_message *message)
{
	const struct cluster_spawn *costs = costs_of(me->world);
	double cost_s = costs->translation_s;

	if (costs->connection == CLUSTER_CONNECTION_UD)
		cost_s += costs->per_piece_s * (double)pieces(message->size_B);
	if (costs->connection == CLUSTER_CONNECTION_RC && is_first(me, message->dest->rank))
		cost_s += costs->connect_s / 2;
	return cost_s;
}

void mpi_contact_spend(struct mpi_rank *me, const struct mpi_message *message, bool is_send)
{
	const struct cluster_spawn *costs = costs_of(me->world);
	double cost_s = 0;

	if (message->source->pd->program->config.job == message->dest->pd->program->config.job)
		return;
	if (is_send)
		cost_s = send_cost_s(me, message);
	else if (costs->connection == CLUSTER_CONNECTION_RC && is_answer(me, message->source->rank))
		cost_s = costs->connect_s / 2;
	if (cost_s > 0)
		sim_task_sleep(&me->pd->task, sim_time_from_s(cost_s));
}

struct mpi_contact_counts mpi_contacts_count(const struct mpi_world *world)
{
	return world->contacts ? world->contacts->counts : (struct mpi_contact_counts){0};
}
