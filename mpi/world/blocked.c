/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/blocked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/dynamic/spawn.h"
#include "mpi/p2p/compound.h"
#include "mpi/p2p/internal.h"

static void add_source(struct mpi_blocked *out, const struct mpi_rank *me,
		       const struct mpi_comm *comm, int source)
{
	if (source != MPI_ANY_SOURCE) {
		mpi_blocked_add(out, mpi_comm_peer(comm, source));
		return;
	}
	out->is_anyone = true;
	for (int i = 0; i < mpi_comm_n_peers(comm); i++)
		if (mpi_comm_peer(comm, i) != me->rank)
			mpi_blocked_add(out, mpi_comm_peer(comm, i));
}

static void describe_match(char *buf, size_t size, const char *what, int peer, int tag,
			   const struct mpi_comm *comm)
{
	char peer_text[24] = "any source", tag_text[24] = "any tag";

	if (peer != MPI_ANY_SOURCE)
		snprintf(peer_text, sizeof peer_text, "rank %d", peer);
	if (tag != MPI_ANY_TAG)
		snprintf(tag_text, sizeof tag_text, "tag %d", tag);
	snprintf(buf, size, "%s %s, %s, %s", what, peer_text, tag_text,
		 comm->name && comm->name[0] ? comm->name : "a communicator");
}

static void describe_request(char *buf, size_t size, const struct mpi_request *request)
{
	if (request->kind == REQUEST_COLL || request->channel == CHANNEL_COLL)
		snprintf(buf, size, "its part of a collective with %d ranks",
			 request->comm ? request->comm->size : 0);
	else if (request->kind == REQUEST_COMPOUND)
		snprintf(buf, size, "its sends and receives behind one request");
	else if (request->kind == REQUEST_IO)
		snprintf(buf, size, "an access to a file");
	else if (request->kind == REQUEST_RMA)
		snprintf(buf, size, "a one-sided operation on rank %d", request->peer);
	else if (request->kind == REQUEST_GENERALIZED)
		snprintf(buf, size, "a generalized request, which the program has to complete");
	else if (request->kind == REQUEST_SEND)
		describe_match(buf, size, "send to", request->peer, request->tag, request->comm);
	else
		describe_match(buf, size, "receive from", request->peer, request->tag,
			       request->comm);
}

static void add_peers(struct mpi_blocked *out, const struct mpi_compound *compound)
{
	for (int i = 0; i < 2; i++)
		if (compound->peers[i] >= 0)
			mpi_blocked_add(out, compound->peers[i]);
}

static void add_request(struct mpi_blocked *out, const struct mpi_rank *me,
			const struct mpi_request *request)
{
	if (request->kind == REQUEST_RECV)
		add_source(out, me, request->comm, request->peer);
	else if (request->kind == REQUEST_SEND || request->kind == REQUEST_RMA)
		mpi_blocked_add(out, mpi_comm_peer(request->comm, request->peer));
	else if (request->kind == REQUEST_COMPOUND)
		add_peers(out, request->operation);
}

static void describe_requests(struct mpi_rank *me, struct mpi_blocked *out)
{
	const struct mpi_endpoint *endpoint = me->endpoint;
	const struct mpi_request *first = NULL;
	int n_more = -1;
	size_t length;

	out->is_any = endpoint->n_to_go == 1 && endpoint->wait.n > 1;
	for (int i = 0; i < endpoint->wait.n; i++) {
		const struct mpi_request *request = endpoint->wait.of.requests[i];

		if (!request || !request->is_waited)
			continue;
		first = first ? first : request;
		n_more++;
		add_request(out, me, request);
	}
	if (n_more == 0)
		out->is_any = false;
	if (!first)
		return;
	describe_request(out->text, sizeof out->text, first);
	length = strlen(out->text);
	if (n_more > 0)
		snprintf(out->text + length, sizeof out->text - length, " (and %d more)", n_more);
}

/* MPI_Comm_spawn returns when the first of them has met its root in MPI_Init. */
static bool awaits_spawned(const struct mpi_rank *me)
{
	for (const struct mpi_spawn *one = me->world->spawns; one; one = one->next)
		if (one->root == me->rank && one->has_started && one->error.code == 0 &&
		    me->world->ranks[one->first_rank].n_opened == 0)
			return true;
	return false;
}

void mpi_blocked_describe(struct mpi_rank *me, struct mpi_blocked *out)
{
	const struct mpi_endpoint *endpoint = me->endpoint;
	const struct mpi_wait *wait;

	*out = (struct mpi_blocked){.is_blocked = false};
	if (!endpoint || me->pd->has_ended || !me->pd->function)
		return;
	wait = &endpoint->wait;
	out->is_blocked = true;
	switch (wait->kind) {
	case MPI_WAIT_REQUESTS:
		describe_requests(me, out);
		if (awaits_spawned(me))
			snprintf(out->text, sizeof out->text,
				 "the processes that it spawned to call MPI_Init");
		break;
	case MPI_WAIT_MESSAGE:
		describe_match(out->text, sizeof out->text, "a message from",
			       wait->of.message.source, wait->of.message.tag,
			       wait->of.message.comm);
		add_source(out, me, wait->of.message.comm, wait->of.message.source);
		break;
	case MPI_WAIT_POLL:
		snprintf(out->text, sizeof out->text, "polling without success");
		break;
	case MPI_WAIT_CONDITION:
		if (wait->describe)
			wait->describe(wait, out);
		else
			snprintf(out->text, sizeof out->text, "%s", wait->of.text);
		break;
	case MPI_WAIT_NOTHING:
		break;
	}
}

enum mpi_late mpi_blocked_late(const struct mpi_rank *me)
{
	const struct mpi_endpoint *endpoint = me->endpoint;
	enum mpi_late late = MPI_LATE_NOBODY;

	if (!endpoint || me->pd->has_ended)
		return late;
	if (endpoint->wait.kind == MPI_WAIT_MESSAGE)
		return MPI_LATE_SENDER;
	if (endpoint->wait.kind != MPI_WAIT_REQUESTS)
		return late;
	for (int i = 0; i < endpoint->wait.n; i++) {
		const struct mpi_request *request = endpoint->wait.of.requests[i];

		if (!request || !request->is_waited || request->state == REQUEST_COMPLETE)
			continue;
		if (request->kind == REQUEST_RECV && !request->message)
			return MPI_LATE_SENDER;
		if (request->kind == REQUEST_SEND && request->message && !request->message->recv)
			late = MPI_LATE_RECEIVER;
	}
	return late;
}
