/* SPDX-License-Identifier: BSD-3-Clause */
/* Which message a receive or probe with MPI_ANY_SOURCE takes: what is planned, else what is first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/debug/internal.h"
#include "tools/orders/decisions.h"
#include "util/array.h"

enum { ANY_MESSAGE = -1 }; /* value of a decision: the first one of its source */

const struct mpi_decision *debug_planned(const struct run_debug *debug, int rank, int kind,
					 uint32_t ordinal)
{
	for (int i = 0; i < debug->n_planned; i++) {
		const struct mpi_decision *d = &debug->planned[i];

		if (d->rank == rank && d->kind == kind && d->ordinal == ordinal)
			return d;
	}
	return NULL;
}

static void keep_taken(struct run_debug *debug, struct mpi_decision decision)
{
	if (util_array_room(&debug->taken, (size_t)debug->n_taken, sizeof decision))
		debug->taken[debug->n_taken++] = decision;
}

static int choose(void *context, struct mpi_rank *me, enum mpi_choice_kind kind, int n,
		  const struct mpi_candidate candidates[])
{
	struct run_debug *debug = context;
	struct debug_rank *rank = &debug->ranks[me->rank];
	uint32_t ordinal = candidates[0].recv ? candidates[0].recv->ordinal : rank->n_probes;
	const struct mpi_decision *plan = debug_planned(debug, me->rank, (int)kind, ordinal);
	int i = 0;

	while (plan && i < n &&
	       (candidates[i].message->source->rank != plan->source ||
		(plan->value != ANY_MESSAGE &&
		 (int32_t)candidates[i].message->ordinal != plan->value)))
		i++;
	if (i == n)
		return MPI_CHOOSE_NONE;
	keep_taken(debug, (struct mpi_decision){
			      .rank = me->rank,
			      .kind = (int32_t)kind,
			      .ordinal = ordinal,
			      .source = candidates[i].message->source->rank,
			      .value = (int32_t)candidates[i].message->ordinal,
			  });
	rank->n_probes += kind == MPI_CHOICE_PROBE;
	return i;
}

static void arrive(void *context, struct mpi_message *message)
{
	struct run_debug *debug = context;
	uint64_t key =
	    (uint64_t)(uint32_t)message->source->rank << 32 | (uint32_t)message->dest->rank;
	struct util_map_slot *slot;

	if (message->context & CHANNEL_COLL)
		return;
	slot = util_map_find(&debug->n_arrived, key);
	if (!slot)
		slot = util_map_add(&debug->n_arrived, key);
	if (!slot)
		mpi_request_fail_memory(message->dest);
	message->ordinal = (uint32_t)slot->number++;
}

static void post(void *context, struct mpi_request *recv)
{
	struct run_debug *debug = context;

	if (recv->peer == MPI_ANY_SOURCE && recv->channel != CHANNEL_COLL)
		recv->ordinal = debug->ranks[recv->owner->rank].n_recvs++;
}

void debug_choose_begin(struct run_debug *debug)
{
	debug->choice = (struct mpi_choice){
	    .choose = choose, .context = debug, .arrived = arrive, .posted = post};
	mpi_choose_by(debug->world, &debug->choice);
}

void debug_choose_finish(struct run_debug *debug)
{
	util_map_finish(&debug->n_arrived);
	free(debug->taken);
	free(debug->planned);
}

const char *debug_choose_plan(struct run_debug *debug, const struct mpi_decision *decision)
{
	const struct mpi_decision *old =
	    debug_planned(debug, decision->rank, decision->kind, decision->ordinal);
	int i = old ? (int)(old - debug->planned) : debug->n_planned;

	for (int k = 0; k < debug->n_taken; k++)
		if (debug->taken[k].rank == decision->rank &&
		    debug->taken[k].kind == decision->kind &&
		    debug->taken[k].ordinal == decision->ordinal)
			return "this receive or probe has its message already";
	if (!old && !util_array_room(&debug->planned, (size_t)i, sizeof *debug->planned))
		return "out of memory";
	debug->planned[i] = *decision;
	debug->n_planned += !old;
	if (debug->world->ranks[decision->rank].endpoint)
		mpi_choose_again(&debug->world->ranks[decision->rank]);
	return NULL;
}

static const char *kind_name(int kind)
{
	return kind == MPI_CHOICE_PROBE ? "probe" : "receive";
}

static void format_choice(const struct mpi_decision *d, char *text, size_t size)
{
	int n = snprintf(text, size, "choose %d %s %" PRIu32 " %d", d->rank, kind_name(d->kind),
			 d->ordinal, d->source);

	if (d->value != ANY_MESSAGE && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, " %d", d->value);
}

static bool is_taken(const struct run_debug *debug, const struct mpi_decision *plan)
{
	for (int i = 0; i < debug->n_taken; i++)
		if (debug->taken[i].rank == plan->rank && debug->taken[i].kind == plan->kind &&
		    debug->taken[i].ordinal == plan->ordinal)
			return true;
	return false;
}

void debug_choices_list(struct run_debug *debug)
{
	char text[128];

	for (int i = 0; i < debug->n_taken; i++) {
		format_choice(&debug->taken[i], text, sizeof text);
		debug_say(debug, "taken %s", text);
	}
	for (int i = 0; i < debug->n_planned; i++)
		if (!is_taken(debug, &debug->planned[i])) {
			format_choice(&debug->planned[i], text, sizeof text);
			debug_say(debug, "planned %s", text);
		}
}

/* What is taken, and then what is planned, as a file of decisions that --decisions follows, too. */
const char *debug_choices_save(struct run_debug *debug, const char *path)
{
	size_t n = (size_t)debug->n_taken + (size_t)debug->n_planned, k = 0;
	struct mpi_decision *list = calloc(n + 1, sizeof *list);
	static struct util_error err;
	int failed;

	if (!list)
		return "out of memory";
	for (int i = 0; i < debug->n_taken; i++)
		list[k++] = debug->taken[i];
	for (int i = 0; i < debug->n_planned; i++)
		if (!is_taken(debug, &debug->planned[i]))
			list[k++] = debug->planned[i];
	failed = orders_decisions_write(path, ORDERS_LOOSE, debug->n_ranks, debug->program, list,
					(uint32_t)k, NULL, &err);
	free(list);
	return failed ? err.text : NULL;
}

static const char *load_one(struct run_debug *debug, const struct mpi_decision *d)
{
	if (d->kind != MPI_CHOICE_RECV && d->kind != MPI_CHOICE_PROBE)
		return "the file decides what waits and tests find, which only --decisions can "
		       "follow";
	if (d->rank < 0 || d->rank >= debug->n_ranks || d->source < 0 ||
	    d->source >= debug->n_ranks)
		return "the file names a rank that this run does not have";
	return debug_choose_plan(debug, d);
}

const char *debug_choices_load(struct run_debug *debug, const char *path)
{
	struct orders_decisions decisions;
	static struct util_error err;
	const char *wrong = NULL;

	if (orders_decisions_read(path, debug->n_ranks, debug->program, &decisions, &err))
		return err.text;
	for (uint32_t i = 0; i < decisions.n && !wrong; i++)
		wrong = load_one(debug, &decisions.list[i]);
	orders_decisions_finish(&decisions);
	return wrong;
}
