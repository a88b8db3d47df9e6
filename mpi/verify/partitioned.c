/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication in the shadow: both sides match once, when they are made (MPI 4.1, §4.2). */
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/shadow.h"

struct mpi_shadow_half {
	struct mpi_shadow_half *next;
	bool is_send;
	int source, dest; /* world ranks */
	int tag;
	uint32_t context;
	struct mpi_datatype *type; /* retained */
	MPI_Count count;	   /* of all partitions */
	struct mpi_finding_call call;
};

static bool fit(const struct mpi_shadow_half *a, const struct mpi_shadow_half *b)
{
	return a->is_send != b->is_send && a->context == b->context && a->source == b->source &&
	       a->dest == b->dest && a->tag == b->tag;
}

static struct mpi_shadow_data data_of(const struct mpi_shadow_half *half)
{
	return (struct mpi_shadow_data){half->type, half->count, half->call};
}

static void release(struct mpi_shadow *shadow, struct mpi_shadow_half *half)
{
	mpi_datatype_release(&shadow->world->ranks[half->call.rank], half->type);
	free(half);
}

static void match(struct mpi_shadow *shadow, struct mpi_shadow_half *a, struct mpi_shadow_half *b)
{
	struct mpi_shadow_data sent = data_of(a->is_send ? a : b);
	struct mpi_shadow_data received = data_of(a->is_send ? b : a);

	mpi_shadow_compare(shadow, &received, &sent);
	release(shadow, a);
	release(shadow, b);
}

void mpi_shadow_partitioned(struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	const struct mpi_comm *comm =
	    mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);
	bool is_send = strncmp(call->function->operation, "Psend", 5) == 0;
	/* the ABI's mpi.h names the source of MPI_Precv_init dest, too */
	int peer = (int)mpi_verify_value(call, MPI_ARG_DEST).i;
	struct mpi_shadow_half *half, **link = &shadow->halves, *other;

	if (peer == MPI_PROC_NULL)
		return;
	half = mpi_shadow_allocate(shadow, 1, sizeof *half);
	peer = mpi_comm_peer(comm, peer);
	*half = (struct mpi_shadow_half){
	    .is_send = is_send,
	    .source = is_send ? call->me->rank : peer,
	    .dest = is_send ? peer : call->me->rank,
	    .tag = (int)mpi_verify_value(call, MPI_ARG_TAG).i,
	    .context = comm->context,
	    .type = mpi_datatype_get(
		call->me, (MPI_Datatype)(uintptr_t)mpi_verify_value(call, MPI_ARG_DATATYPE).p),
	    .count = mpi_verify_value(call, MPI_ARG_PARTITIONS).i *
		     mpi_verify_value(call, MPI_ARG_COUNT).i,
	    .call = {call->me->rank, call->me->pd->function, call->me->pd->site}};
	mpi_datatype_retain(half->type);
	while (*link && !fit(*link, half))
		link = &(*link)->next;
	other = *link;
	if (!other) {
		*link = half;
		return;
	}
	*link = other->next;
	match(shadow, half, other);
}

void mpi_shadow_destroy_halves(struct mpi_shadow *shadow)
{
	while (shadow->halves) {
		struct mpi_shadow_half *next = shadow->halves->next;

		free(shadow->halves);
		shadow->halves = next;
	}
}
