/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells several listeners of causes. A token of theirs is an array with one of each listener. */
#include <stdlib.h>

#include "simcore/observer.h"

/* What listener i is told of the token; NULL: nothing. */
static void *own(void *token, int i)
{
	return ((void **)token)[i];
}

/* The listener whose marks are handed on, -1: nobody's. */
static int marker(const struct sim_causes_fan *fan)
{
	for (int i = 0; i < fan->n; i++)
		if (fan->of[i]->mark)
			return i;
	return -1;
}

static void **token_create(const struct sim_causes_fan *fan)
{
	return calloc((size_t)fan->n, sizeof(void *));
}

static void *message_begin(void *context, const struct sim_cause_message *message, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;
	void **token = token_create(fan);

	for (int i = 0; token && i < fan->n; i++)
		if (fan->of[i]->message_begin)
			token[i] = fan->of[i]->message_begin(fan->of[i]->context, message, now);
	return token;
}

static void transfer_begin(void *context, void *token, int rank, int is_back, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (own(token, i) && fan->of[i]->transfer_begin)
			fan->of[i]->transfer_begin(fan->of[i]->context, own(token, i), rank,
						   is_back, now);
}

static void transfer_end(void *context, void *token, int64_t size_B, int is_end, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (own(token, i) && fan->of[i]->transfer_end)
			fan->of[i]->transfer_end(fan->of[i]->context, own(token, i), size_B, is_end,
						 now);
}

static void follow(void *context, void *token, void *other, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (own(token, i) && own(other, i) && fan->of[i]->follow)
			fan->of[i]->follow(fan->of[i]->context, own(token, i), own(other, i), now);
}

static void matched(void *context, void *token, int rank, int64_t posted, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (own(token, i) && fan->of[i]->matched)
			fan->of[i]->matched(fan->of[i]->context, own(token, i), rank, posted, now);
}

static int64_t released(void *context, void *token, int rank, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;
	int64_t mark = 0, one;

	for (int i = 0; i < fan->n; i++) {
		if (!own(token, i) || !fan->of[i]->released)
			continue;
		one = fan->of[i]->released(fan->of[i]->context, own(token, i), rank, now);
		if (i == marker(fan))
			mark = one;
	}
	return mark;
}

static void message_end(void *context, void *token)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (own(token, i) && fan->of[i]->message_end)
			fan->of[i]->message_end(fan->of[i]->context, own(token, i));
	free(token);
}

static int64_t mark(void *context, int rank, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;
	int i = marker(fan);

	return i < 0 ? 0 : fan->of[i]->mark(fan->of[i]->context, rank, now);
}

static void taken(void *context, int rank, int64_t known, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (fan->of[i]->taken)
			fan->of[i]->taken(fan->of[i]->context, rank, known, now);
}

static void block(void *context, int rank)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (fan->of[i]->block)
			fan->of[i]->block(fan->of[i]->context, rank);
}

static void resume(void *context, const struct sim_cause_place *place, sim_time_ps begin,
		   sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (fan->of[i]->resume)
			fan->of[i]->resume(fan->of[i]->context, place, begin, now);
}

static void overhead(void *context, const struct sim_cause_place *place, int is_send,
		     int64_t size_B, sim_time_ps begin, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (fan->of[i]->overhead)
			fan->of[i]->overhead(fan->of[i]->context, place, is_send, size_B, begin,
					     now);
}

static void *formula_begin(void *context, const struct sim_cause_place *place, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;
	void **token = token_create(fan);

	for (int i = 0; token && i < fan->n; i++)
		if (fan->of[i]->formula_begin)
			token[i] = fan->of[i]->formula_begin(fan->of[i]->context, place, now);
	return token;
}

static void formula_end(void *context, void *token, const struct sim_cause_formula *formula,
			int rank, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (own(token, i) && fan->of[i]->formula_end)
			fan->of[i]->formula_end(fan->of[i]->context, own(token, i), formula, rank,
						now);
}

static void worked(void *context, void *token, const void *after, const char *kernel,
		   sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (own(token, i) && fan->of[i]->worked)
			fan->of[i]->worked(fan->of[i]->context, own(token, i),
					   after ? ((void *const *)after)[i] : NULL, kernel, now);
}

static void awaited(void *context, int rank, const void *token)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (((void *const *)token)[i] && fan->of[i]->awaited)
			fan->of[i]->awaited(fan->of[i]->context, rank, ((void *const *)token)[i]);
}

static void accessed(void *context, int rank, sim_time_ps now)
{
	const struct sim_causes_fan *fan = context;

	for (int i = 0; i < fan->n; i++)
		if (fan->of[i]->accessed)
			fan->of[i]->accessed(fan->of[i]->context, rank, now);
}

static bool wants_all(const struct sim_causes *c)
{
	return c->message_begin && c->transfer_begin && c->transfer_end && c->follow &&
	       c->matched && c->released && c->message_end && c->mark && c->taken && c->block &&
	       c->resume && c->overhead && c->formula_begin && c->formula_end && c->worked &&
	       c->awaited && c->accessed;
}

const struct sim_causes *sim_causes_fan_add(struct sim_causes_fan *fan,
					    const struct sim_causes *listener)
{
	fan->of[fan->n++] = listener;
	fan->causes = (struct sim_causes){
	    .context = fan,
	    .message_begin = message_begin,
	    .transfer_begin = transfer_begin,
	    .transfer_end = transfer_end,
	    .follow = follow,
	    .matched = matched,
	    .released = released,
	    .message_end = message_end,
	    .mark = mark,
	    .taken = taken,
	    .block = block,
	    .resume = resume,
	    .overhead = overhead,
	    .formula_begin = formula_begin,
	    .formula_end = formula_end,
	    .worked = worked,
	    .awaited = awaited,
	    .accessed = accessed,
	};
	return fan->n == 1 && wants_all(listener) ? listener : &fan->causes;
}
