// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/impact.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/orders/orders.h"
#include "mpi/verify/impact.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "pdexec/process.h"
#include "tools/orders/execution.h"

/* More findings than these are not tried: each takes a run. */
enum {
	MAX_TRIED = 16,
	N_PLACES = sizeof((struct verify_results *)NULL)->ranks / sizeof(struct verify_rank_results)
};

/* --- the repeated run --- */

/* Messages are taken as they come: clocks that count how often they are read are all that is wanted. */
static int first(void *context, struct mpi_rank *me, enum mpi_choice_kind kind, int n,
		 const struct mpi_candidate candidates[])
{
	return 0;
}

static void keep(void *context, struct mpi_rank *me)
{
	mpi_registered_keep(me, me->registered);
}

static void collect(struct run *run, const struct orders_capture *capture,
		    struct verify_results *out)
{
	memset(out, 0, sizeof *out);
	out->end = (int)run->world->failure.kind;
	for (int i = 0; i < run->world->n_ranks; i++) {
		struct verify_rank_results *one = &out->ranks[i % N_PLACES];
		struct mpi_rank *me = &run->mpi->ranks[i];
		uint64_t hash[2] = {one->output, capture->written[i].total_B};

		mpi_orders_mix(hash, capture->written[i].hash[0]);
		one->output = hash[0] ^ hash[1];
		mpi_registered_digest(me, me->registered, 0, hash);
		one->memory = one->memory * 31 + (hash[0] ^ hash[1]);
		one->exit_code = one->exit_code * 31 + run->world->ranks[i].exit_code;
	}
}

static void compare(const struct verify_results *was, const struct verify_results *is, int n_ranks,
		    struct verify_answer *out)
{
	*out = (struct verify_answer){.difference = VERIFY_SAME, .rank = -1};
	if (was->end != is->end)
		out->difference = VERIFY_OTHER_END;
	for (int i = 0; i < n_ranks && i < N_PLACES && out->difference == VERIFY_SAME; i++) {
		const struct verify_rank_results *a = &was->ranks[i], *b = &is->ranks[i];

		out->rank = i;
		if (a->memory != b->memory)
			out->difference = VERIFY_OTHER_MEMORY;
		else if (a->output != b->output)
			out->difference = VERIFY_OTHER_OUTPUT;
		else if (a->exit_code != b->exit_code)
			out->difference = VERIFY_OTHER_EXIT;
	}
}

static bool prepare(struct run *run, const struct verify_question *question, const void *data,
		    struct orders_capture *capture)
{
	struct mpi_registered *registered;
	struct util_error err;

	if (verify_aside_prepare(run, MPI_VERIFY_MEMORY))
		return false;
	registered = calloc((size_t)run->world->n_ranks, sizeof *registered);
	for (int i = 0; registered && i < run->world->n_ranks; i++)
		run->mpi->ranks[i].registered = &registered[i];
	return registered && !orders_capture_create(run->world, capture, &err) &&
	       !mpi_impact_repeat(run->mpi->verify->memory, data, question->data_B,
				  question->index);
}

struct verify_answer verify_impact_repeat(struct run *run, const struct verify_question *question,
					  const void *data, struct verify_results *results)
{
	static const struct mpi_choice choice = {
	    .choose = first, .finalizes = keep, .counts_clocks = true};
	static struct verify_results own;
	struct verify_answer answer = {.time_s = -1, .difference = VERIFY_UNKNOWN};
	struct orders_capture capture;

	if (!prepare(run, question, data, &capture))
		return answer;
	mpi_choose_by(run->mpi, &choice);
	pd_descriptors_keep();
	pd_world_start(run->world);
	run_loop(run);
	orders_capture_take(&capture);
	collect(run, &capture, &own);
	if (run->world->has_skipped) /* what ranks hold means nothing */
		return answer;
	if (question->index < 0 && results->end == -1)
		*results = own;
	compare(results, &own, run->world->n_ranks, &answer);
	answer.time_s = sim_time_to_s(run->world->engine.now);
	return answer;
}

/* --- who asks --- */

static struct verify_answer ask(struct verify_aside *aside, int finding, size_t size_B)
{
	struct verify_question question;

	memset(&question, 0, sizeof question);
	question.kind = VERIFY_ASIDE_IMPACT;
	question.index = finding;
	question.data_B = size_B;
	return verify_aside_ask(aside, &question);
}

static void describe(const struct verify_answer *answer, char *text, size_t size)
{
	switch (answer->difference) {
	case VERIFY_OTHER_OUTPUT:
		snprintf(text, size, "rank %d writes something else", answer->rank);
		break;
	case VERIFY_OTHER_MEMORY:
		snprintf(text, size, "memory that rank %d registered is another", answer->rank);
		break;
	case VERIFY_OTHER_EXIT:
		snprintf(text, size, "rank %d returns another exit code", answer->rank);
		break;
	case VERIFY_OTHER_END:
		snprintf(text, size, "the run ends otherwise");
		break;
	default:
		snprintf(text, size, "the results are the same");
	}
}

static void tell(struct run *run, const struct mpi_impact_operation *operation,
		 const struct verify_answer *answer)
{
	char what[120], text[240];

	describe(answer, what, sizeof what);
	snprintf(text, sizeof text, "with %s, %s",
		 operation->use & MEMORY_READ
		     ? "the data that the buffer has at the completion instead of the post"
		     : "what comes there at the post instead of the completion",
		 what);
	mpi_verify_add(run->mpi, operation->finding, text);
}

static void tell_unknown(struct run *run)
{
	mpi_verify_report(
	    run->mpi,
	    &(struct mpi_finding){
		.class_name = "unknown-impact",
		.severity = MPI_FINDING_NOTE,
		.calls = {mpi_verify_finding(run->mpi, 0)->calls[0]},
		.n_calls = 1,
		.found = "repeated runs differ, or kernels are skipped: whether findings change "
			 "results is not known",
	    });
}

/* The run without a change comes out the same each time. */
static bool repeats_itself(struct verify_aside *aside, size_t size_B)
{
	verify_aside_forget(aside);
	return ask(aside, -1, size_B).difference == VERIFY_SAME &&
	       ask(aside, -1, size_B).difference == VERIFY_SAME;
}

void verify_impact_ask(struct verify_aside *aside, struct run *run)
{
	const struct mpi_memory *memory = run->mpi->verify ? run->mpi->verify->memory : NULL;
	const struct mpi_impact_operation *operation;
	const void *list;
	size_t size_B;
	int n_tried = 0;

	if (!aside || !memory || !memory->impact)
		return;
	list = mpi_impact_list(memory->impact, &size_B);
	if (size_B == 0 || !verify_aside_give(aside, list, size_B))
		return;
	if (!repeats_itself(aside, size_B)) {
		tell_unknown(run);
		return;
	}
	for (int i = 0; i < mpi_verify_n_findings(run->mpi) && n_tried < MAX_TRIED; i++) {
		struct verify_answer answer;

		operation = mpi_impact_first(memory->impact, i);
		if (!operation)
			continue;
		n_tried++;
		answer = ask(aside, i, size_B);
		if (answer.difference != VERIFY_UNKNOWN)
			tell(run, operation, &answer);
	}
}
