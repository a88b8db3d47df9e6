/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/causes.h"

#include "pdexec/cores.h"

void mpi_cause_posted_slow(const struct mpi_rank *me, struct mpi_request *recv)
{
	recv->cause_mark = mpi_cause_mark(me);
	if (me->world->meets)
		me->world->meets->posted(me->world->meets->context, recv);
}

void mpi_cause_launch_slow(struct mpi_message *message)
{
	const struct mpi_rank *me = message->source;
	const struct sim_causes *causes = mpi_causes_of(me);
	const struct sim_cause_message entry = {
	    .sender = mpi_cause_place(me),
	    .dest = message->dest->pd->rank,
	    .size_B = message->size_B,
	    .sent = message->sent,
	    .in_collective = message->context & CHANNEL_COLL,
	    .level = pd_level_between(me->pd, message->dest->pd),
	};

	message->cause = causes->message_begin(causes->context, &entry, mpi_causes_now(me));
	if (me->world->meets)
		me->world->meets->sent(me->world->meets->context, message);
}

void mpi_cause_transfer_slow(struct mpi_message *message, bool is_back)
{
	const struct sim_causes *causes = mpi_causes_of(message->source);

	causes->transfer_begin(causes->context, message->cause, mpi_cause_rank(message->source),
			       is_back, mpi_causes_now(message->source));
}

void mpi_cause_matched_slow(struct mpi_message *message)
{
	const struct sim_causes *causes = mpi_causes_of(message->source);
	const struct mpi_meets *meets = message->dest->world->meets;

	causes->matched(causes->context, message->cause, mpi_cause_rank(message->source),
			message->recv->cause_mark, mpi_causes_now(message->source));
	if (meets)
		meets->matched(meets->context, message);
}
