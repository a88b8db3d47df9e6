/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/payload.h"

#include <stdlib.h>

struct mpi_payload_large { /* the payload follows it */
	_Alignas(16) struct mpi_payload_large *next;
	struct mpi_payload_large **link; /* what points to this */
};

void mpi_payloads_init(struct mpi_payloads *payloads)
{
	for (int i = 0; i < MPI_PAYLOAD_POOLS; i++)
		util_pool_init(&payloads->pools[i], (size_t)(i % 4 + 5)
							<< (i / 4 + MPI_PAYLOAD_MIN_LOG2 - 2));
	payloads->large = NULL;
}

static void *get_large(struct mpi_payloads *payloads, size_t size_B)
{
	struct mpi_payload_large *large = malloc(sizeof *large + size_B);

	if (!large)
		return NULL;
	*large = (struct mpi_payload_large){.next = payloads->large, .link = &payloads->large};
	if (large->next)
		large->next->link = &large->next;
	payloads->large = large;
	return large + 1;
}

static void put_large(struct mpi_payload_large *large)
{
	*large->link = large->next;
	if (large->next)
		large->next->link = large->link;
	free(large);
}

void mpi_payloads_finish(struct mpi_payloads *payloads)
{
	for (int i = 0; i < MPI_PAYLOAD_POOLS; i++)
		util_pool_finish(&payloads->pools[i]);
	while (payloads->large)
		put_large(payloads->large);
}

/* The pool of the smallest objects that are large enough; NULL: none. */
static struct util_pool *pool_for(struct mpi_payloads *payloads, size_t size_B)
{
	size_t last = size_B > 1 << MPI_PAYLOAD_MIN_LOG2 ? size_B - 1 : 1 << MPI_PAYLOAD_MIN_LOG2;
	int log2;

	if (size_B > 1 << MPI_PAYLOAD_MAX_LOG2)
		return NULL;
	log2 = 63 - __builtin_clzll(last);
	return &payloads->pools[4 * (log2 - MPI_PAYLOAD_MIN_LOG2) + (int)(last >> (log2 - 2) & 3)];
}

void *mpi_payload_get(struct mpi_payloads *payloads, size_t size_B)
{
	struct util_pool *pool = pool_for(payloads, size_B);

	return pool ? util_pool_get(pool) : get_large(payloads, size_B);
}

void mpi_payload_put(struct mpi_payloads *payloads, void *payload, size_t size_B)
{
	struct util_pool *pool = pool_for(payloads, size_B);

	if (pool)
		util_pool_put(pool, payload);
	else
		put_large((struct mpi_payload_large *)payload - 1);
}
