/* SPDX-License-Identifier: BSD-3-Clause */
/* What is enabled when no rank can go on, and letting it happen. */
#include "mpi/orders/orders.h"

#include <stdlib.h>

#include "mpi/p2p/endpoint.h"
#include "mpi/rma/rma.h"

static struct mpi_orders_rank *rank_of(struct mpi_orders *orders, const struct mpi_rank *me)
{
	return &orders->ranks[me->rank];
}

/* --- what happens in the library --- */

static void note_arrival(void *context, struct mpi_message *message)
{
	struct mpi_orders *orders = context;
	int source = message->source->rank, dest = message->dest->rank;

	if (message->context & CHANNEL_COLL)
		return;
	message->ordinal =
	    orders->n_arrived[(size_t)source * (size_t)orders->world->n_ranks + (size_t)dest]++;
	mpi_orders_note_sent(orders, message);
}

static void note_post(void *context, struct mpi_request *recv)
{
	struct mpi_orders *orders = context;
	struct mpi_orders_rank *rank = rank_of(orders, recv->owner);
	struct mpi_orders_place *larger;

	if (recv->peer != MPI_ANY_SOURCE || recv->channel == CHANNEL_COLL)
		return;
	if ((rank->n_recvs & (rank->n_recvs + 1)) == 0) { /* one less than a power of 2 */
		larger = realloc(rank->posted, 2 * ((size_t)rank->n_recvs + 1) * sizeof *larger);
		if (!larger)
			mpi_request_fail_memory(recv->owner);
		rank->posted = larger;
	}
	rank->posted[rank->n_recvs] =
	    (struct mpi_orders_place){recv->owner->pd->site, recv->owner->pd->function};
	recv->ordinal = rank->n_recvs++;
}

static void note_question(void *context, struct mpi_rank *me, struct mpi_question *question)
{
	struct mpi_orders *orders = context;

	rank_of(orders, me)->question = question;
}

static void note_end(void *context, struct mpi_rank *me)
{
	struct mpi_orders_rank *rank = rank_of(context, me);

	rank->has_finalized = true;
	mpi_registered_keep(me, &rank->registered);
}

/* --- quiescence --- */

static void enable(struct mpi_orders *orders, struct mpi_decision decision)
{
	struct mpi_decision *larger;

	if (orders->n_enabled == orders->n_reserved) {
		orders->n_reserved = orders->n_reserved ? 2 * orders->n_reserved : 32;
		larger = realloc(orders->enabled, (size_t)orders->n_reserved * sizeof *larger);
		if (!larger)
			abort(); /* a process of its own that explores: whoever waits for it says so */
		orders->enabled = larger;
	}
	orders->enabled[orders->n_enabled++] = decision;
}

static struct mpi_decision of_candidate(struct mpi_orders *orders, const struct mpi_rank *me,
					enum mpi_choice_kind kind,
					const struct mpi_candidate *candidate)
{
	return (struct mpi_decision){
	    .rank = me->rank,
	    .kind = (int32_t)kind,
	    .ordinal = candidate->recv ? candidate->recv->ordinal : rank_of(orders, me)->n_probes,
	    .source = candidate->message->source->rank,
	    .value = (int32_t)candidate->message->ordinal,
	};
}

static bool are_equal(const struct mpi_decision *a, const struct mpi_decision *b)
{
	return a->rank == b->rank && a->kind == b->kind && a->ordinal == b->ordinal &&
	       a->source == b->source && a->value == b->value;
}

static void note_join(struct mpi_orders *orders, const struct mpi_rank *me,
		      const struct mpi_candidate *candidate)
{
	const struct mpi_message *message = candidate->message;

	orders->sent_at = (struct mpi_orders_place){.site = message->site};
	orders->sent_by = message->source->rank;
	orders->taken_at = candidate->recv
			       ? rank_of(orders, me)->posted[candidate->recv->ordinal]
			       : (struct mpi_orders_place){me->pd->site, me->pd->function};
	if (candidate->recv && !orders->is_partial)
		mpi_orders_note_received(&orders->ranks[me->rank], candidate->recv->ordinal,
					 message);
	orders->tag = message->tag;
	orders->size_B = message->size_B;
}

static int choose(void *context, struct mpi_rank *me, enum mpi_choice_kind kind, int n,
		  const struct mpi_candidate candidates[])
{
	struct mpi_orders *orders = context;

	for (int i = 0; i < n; i++) {
		struct mpi_decision decision = of_candidate(orders, me, kind, &candidates[i]);

		if (orders->is_collecting)
			enable(orders, decision);
		if (orders->has_target && are_equal(&decision, &orders->target)) {
			orders->has_target = false;
			note_join(orders, me, &candidates[i]);
			return i;
		}
	}
	return MPI_CHOOSE_NONE;
}

static bool allows(struct mpi_rank *me, const struct mpi_question *question, int answer)
{
	return !question->allows || question->allows(me, question, answer);
}

static void collect_answers(struct mpi_orders *orders, struct mpi_rank *me)
{
	const struct mpi_orders_rank *rank = rank_of(orders, me);
	struct mpi_decision decision = {
	    .rank = me->rank, .ordinal = rank->n_questions, .source = -1};
	int n;

	if (!rank->question)
		return;
	decision.kind = (int32_t)rank->question->kind;
	n = rank->question->count(me, rank->question);
	for (decision.value = 0; decision.value < n; decision.value++)
		if (allows(me, rank->question, decision.value))
			enable(orders, decision);
	decision.value = MPI_CHOOSE_NONE;
	if (rank->question->kind == MPI_CHOICE_POLL && rank->n_failed < orders->max_polls)
		enable(orders, decision);
}

static void enable_lock(void *context, int rank, int target)
{
	struct mpi_orders *orders = context;

	enable(orders,
	       (struct mpi_decision){
		   .rank = rank,
		   .kind = MPI_CHOICE_LOCK,
		   .ordinal = orders->n_granted[target < 0 ? orders->world->n_ranks : target],
		   .source = -1,
		   .value = target,
	       });
}

static int by_identity(const void *a, const void *b)
{
	const struct mpi_decision *x = a, *y = b;
	const int64_t differences[] = {x->rank - y->rank, x->kind - y->kind,
				       (int64_t)x->ordinal - y->ordinal, x->source - y->source,
				       x->value - y->value};

	for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
		if (differences[i] != 0)
			return differences[i] < 0 ? -1 : 1;
	return 0;
}

int mpi_orders_collect(struct mpi_orders *orders)
{
	orders->n_enabled = 0;
	orders->is_collecting = true;
	for (int i = 0; i < orders->world->n_ranks; i++) {
		struct mpi_rank *me = &orders->world->ranks[i];

		if (!me->endpoint)
			continue;
		mpi_choose_again(me);
		collect_answers(orders, me);
	}
	orders->is_collecting = false;
	mpi_rma_visit_locks(orders->world, enable_lock, orders);
	/* not in the order in which messages came, which depends on how long ranks computed */
	if (orders->n_enabled > 1)
		qsort(orders->enabled, (size_t)orders->n_enabled, sizeof *orders->enabled,
		      by_identity);
	return orders->n_enabled;
}

/* --- letting it happen --- */

/* What the answer says, before it is given. */
static void describe_answer(struct mpi_orders *orders, struct mpi_rank *me,
			    const struct mpi_question *question, int value)
{
	const struct mpi_message *message = NULL;

	orders->answer[0] = '\0';
	if (value != MPI_CHOOSE_NONE && question->describe)
		message =
		    question->describe(me, question, value, orders->answer, sizeof orders->answer);
	orders->sent_at = (struct mpi_orders_place){.site = message ? message->site : NULL};
	orders->sent_by = message ? message->source->rank : -1;
}

static void answer(struct mpi_orders *orders, struct mpi_rank *me, int value)
{
	struct mpi_orders_rank *rank = rank_of(orders, me);

	describe_answer(orders, me, rank->question, value);
	orders->taken_at = (struct mpi_orders_place){me->pd->site, me->pd->function};
	rank->question->answer = value;
	rank->question->is_answered = true;
	rank->question = NULL;
	rank->n_questions++;
	rank->n_failed = value == MPI_CHOOSE_NONE ? rank->n_failed + 1 : 0;
	mpi_endpoint_wake(me);
}

/* The order of decisions for one rank does not matter: each names what it is for. */
static void remember(struct mpi_orders_rank *rank, const struct mpi_decision *decision)
{
	uint64_t hash[2] = {(uint64_t)decision->kind + 1, decision->ordinal};

	mpi_orders_mix(hash,
		       (uint64_t)(uint32_t)decision->source << 32 | (uint32_t)decision->value);
	mpi_orders_mix(hash, decision->ordinal);
	rank->history[0] += hash[0];
	rank->history[1] += hash[1];
	if (decision->kind == MPI_CHOICE_POLL)
		return;
	rank->matches[0] += hash[0];
	rank->matches[1] += hash[1];
}

void mpi_orders_hash_after(struct mpi_orders *orders, const struct mpi_decision *decision,
			   uint64_t out[2])
{
	struct mpi_orders_rank *rank = &orders->ranks[decision->rank], kept = *rank;

	remember(rank, decision);
	mpi_orders_hash(orders, false, out);
	*rank = kept;
}

static bool apply_answer(struct mpi_orders *orders, const struct mpi_decision *decision)
{
	struct mpi_rank *me = &orders->world->ranks[decision->rank];
	struct mpi_orders_rank *rank = rank_of(orders, me);

	if (!rank->question || (int32_t)rank->question->kind != decision->kind ||
	    rank->n_questions != decision->ordinal ||
	    decision->value >= rank->question->count(me, rank->question) ||
	    (decision->value >= 0 && !allows(me, rank->question, decision->value)))
		return false;
	remember(rank, decision);
	answer(orders, me, decision->value);
	return true;
}

static bool apply_lock(struct mpi_orders *orders, const struct mpi_decision *decision)
{
	struct mpi_rank *me = &orders->world->ranks[decision->rank];
	int target = decision->value;
	uint32_t *n;

	if (target >= orders->world->n_ranks)
		return false;
	n = &orders->n_granted[target < 0 ? orders->world->n_ranks : target];
	if (*n != decision->ordinal || !mpi_rma_grant(orders->world, decision->rank, target))
		return false;
	++*n;
	orders->sent_at = (struct mpi_orders_place){.site = NULL};
	orders->sent_by = -1;
	orders->taken_at = (struct mpi_orders_place){me->pd->site, me->pd->function};
	remember(rank_of(orders, me), decision);
	return true;
}

bool mpi_orders_apply(struct mpi_orders *orders, const struct mpi_decision *decision)
{
	const struct mpi_decision wanted = *decision; /* may be one of `enabled` */
	struct mpi_orders_rank *rank;

	orders->n_ticks = 0;
	if (wanted.rank < 0 || wanted.rank >= orders->world->n_ranks)
		return false;
	if (wanted.kind == MPI_CHOICE_LOCK)
		return apply_lock(orders, &wanted);
	if (wanted.kind != MPI_CHOICE_RECV && wanted.kind != MPI_CHOICE_PROBE)
		return apply_answer(orders, &wanted);
	rank = &orders->ranks[wanted.rank];
	orders->target = wanted;
	orders->has_target = true;
	if (orders->world->ranks[wanted.rank].endpoint)
		mpi_choose_again(&orders->world->ranks[wanted.rank]);
	if (orders->has_target) {
		orders->has_target = false;
		return false;
	}
	remember(rank, &wanted);
	rank->n_probes += wanted.kind == MPI_CHOICE_PROBE;
	rank->n_failed = 0;
	return true;
}

bool mpi_orders_tick(struct mpi_orders *orders)
{
	bool has_any = false;

	if (orders->n_ticks == MPI_ORDERS_MAX_TICKS)
		return false;
	for (int i = 0; i < orders->world->n_ranks; i++) {
		struct mpi_orders_rank *rank = &orders->ranks[i];

		if (!rank->question || rank->question->kind != MPI_CHOICE_POLL)
			continue;
		remember(rank, &(struct mpi_decision){.kind = MPI_CHOICE_POLL,
						      .ordinal = rank->n_questions,
						      .value = -1});
		answer(orders, &orders->world->ranks[i], MPI_CHOOSE_NONE);
		has_any = true;
	}
	orders->n_ticks += has_any;
	return has_any;
}

int mpi_orders_count_unmatched(const struct mpi_orders *orders)
{
	int n = 0;

	for (int i = 0; i < orders->world->n_ranks; i++) {
		const struct mpi_endpoint *endpoint = orders->world->ranks[i].endpoint;

		for (const struct mpi_message *m = endpoint ? endpoint->unexpected.first : NULL; m;
		     m = m->link.next)
			n += !(m->context & CHANNEL_COLL);
	}
	return n;
}

/* --- life --- */

int mpi_orders_create(struct mpi_world *world, uint32_t max_polls, struct mpi_orders **out)
{
	size_t n = (size_t)world->n_ranks;
	struct mpi_orders *orders = calloc(1, sizeof *orders);

	*out = orders;
	if (!orders)
		return UTIL_ENOMEM;
	orders->world = world;
	orders->max_polls = max_polls;
	orders->is_partial = world->pd->config.mode == PD_COMPUTE_PARTIAL;
	orders->ranks = calloc(n, sizeof *orders->ranks);
	orders->n_arrived = calloc(n * n, sizeof *orders->n_arrived);
	orders->n_granted = calloc(n + 1, sizeof *orders->n_granted);
	if (!orders->ranks || !orders->n_arrived || !orders->n_granted)
		return UTIL_ENOMEM;
	orders->choice = (struct mpi_choice){
	    .choose = choose,
	    .context = orders,
	    .ask = note_question,
	    .arrived = note_arrival,
	    .posted = note_post,
	    .finalizes = note_end,
	    .counts_clocks = true,
	};
	for (size_t i = 0; i < n; i++)
		world->ranks[i].registered = &orders->ranks[i].registered;
	mpi_choose_by(world, &orders->choice);
	return 0;
}

void mpi_orders_destroy(struct mpi_orders *orders)
{
	if (!orders)
		return;
	for (int i = 0; orders->ranks && i < orders->world->n_ranks; i++) {
		free(orders->ranks[i].posted);
		mpi_registered_finish(&orders->ranks[i].registered);
	}
	free(orders->ranks);
	free(orders->n_arrived);
	free(orders->n_granted);
	free(orders->enabled);
	free(orders);
}
