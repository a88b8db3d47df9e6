// SPDX-License-Identifier: BSD-3-Clause
/* Computation: what it touches, and where it is cut for a wait. */
#include <stdlib.h>

#include "tools/whatif/async/internal.h"
#include "util/array.h"

struct touch {
	double at_s; /* since the computation began */
	size_t op;
};

struct step {
	size_t first, end; /* of the rank's ops */
	double total_s;
	struct touch *touches; /* [n] */
	size_t n;
	bool is_told; /* if only that nothing is accessed */
	bool is_measured;
};

/* Those of a kernel come before it. */
static double time_of(const struct async_plan *plan, const struct step *step, size_t op,
		      double before_s)
{
	const struct async_memory *memory = &plan->rank->memories[plan->rank->ops[op].first];
	const struct async_op *ops = plan->rank->ops;

	if (!(memory->flags & MTRACE_KERNEL))
		return memory->fraction * step->total_s;
	for (size_t i = op; i < step->end; i++) {
		if (ops[i].what != MTRACE_CHARGE)
			continue;
		if (ops[i].is_kernel)
			return before_s + memory->fraction * ops[i].seconds;
		before_s += ops[i].seconds;
	}
	return before_s;
}

static int compare(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;

	if (x->at_s != y->at_s)
		return x->at_s < y->at_s ? -1 : 1;
	return x->op < y->op ? -1 : 1;
}

static void find_touches(struct async_plan *plan, struct step *step)
{
	const struct async_op *ops = plan->rank->ops;
	double before_s = 0;

	for (size_t i = step->first; i < step->end; i++)
		if (ops[i].what == MTRACE_CHARGE) {
			step->total_s += ops[i].seconds;
			step->is_measured |= ops[i].is_measured;
		}
	for (size_t i = step->first; i < step->end; i++) {
		if (ops[i].what == MTRACE_CHARGE)
			before_s += ops[i].seconds;
		if (ops[i].what != MTRACE_MEMORY)
			continue;
		step->is_told = true;
		if (plan->rank->memories[ops[i].first].n == 0)
			continue;
		if (!util_array_room(&step->touches, step->n, sizeof *step->touches)) {
			plan->is_out_of_memory = true;
			return;
		}
		step->touches[step->n++] = (struct touch){time_of(plan, step, i, before_s), i};
	}
	if (step->n > 0)
		qsort(step->touches, step->n, sizeof *step->touches, compare);
}

/* What is computed from one moment to another. */
static void put_between(struct async_plan *plan, const struct step *step, double from_s,
			double to_s)
{
	const struct async_op *ops = plan->rank->ops;
	double begin_s = 0;

	for (size_t i = step->first; i < step->end; i++) {
		double end_s = begin_s + ops[i].seconds;
		double low_s = begin_s > from_s ? begin_s : from_s,
		       high_s = end_s < to_s ? end_s : to_s;

		if (ops[i].what != MTRACE_CHARGE)
			continue;
		if (low_s == begin_s && high_s == end_s &&
		    (begin_s < end_s || begin_s < to_s || to_s == step->total_s))
			async_put_raw(plan, &ops[i]);
		else if (low_s < high_s)
			async_put_part(plan, &ops[i], high_s - low_s);
		begin_s = end_s;
	}
}

/* Cut where a wait is needed; accesses at the same time wait together. */
static void cut(struct async_plan *plan, const struct step *step)
{
	const struct async_rank *rank = plan->rank;
	/* A converter sees accesses by the pages that it protects. */
	uint64_t page_B = plan->setup->mode == ASYNC_TOUCH ? ASYNC_PAGE_B : 1;
	double done_s = 0;

	for (size_t i = 0, next; i < step->n; i = next) {
		struct async_where where = {.cause = ASYNC_TOUCHED,
					    .function = UINT32_MAX,
					    .site = UINT32_MAX,
					    .is_fault = true};

		for (next = i; next < step->n && step->touches[next].at_s == step->touches[i].at_s;
		     next++) {
			const struct async_memory *m =
			    &rank->memories[rank->ops[step->touches[next].op].first];

			if (async_choose(plan, m, 1, page_B) && where.site == UINT32_MAX)
				where.site = m->site;
		}
		if (where.site == UINT32_MAX)
			continue;
		put_between(plan, step, done_s, step->touches[i].at_s);
		done_s = step->touches[i].at_s;
		async_wait_chosen(plan, &where);
	}
	put_between(plan, step, done_s, step->total_s);
}

/* What ends a chain, or all that is pending: the first access that conflicts, if one does. */
static struct async_where end_of_chain(struct async_plan *plan, const struct step *step,
				       size_t next)
{
	const struct async_rank *rank = plan->rank;
	const struct async_op *op = next < rank->n_ops ? &rank->ops[next] : NULL;
	struct async_where where = {
	    .cause = ASYNC_COMPUTED, .function = UINT32_MAX, .site = UINT32_MAX};

	for (size_t i = 0; i < step->n; i++) {
		const struct async_memory *m =
		    &rank->memories[rank->ops[step->touches[i].op].first];

		where.cause = ASYNC_TOUCHED;
		if (where.site == UINT32_MAX)
			where.site = m->site;
		if (async_choose(plan, m, 1, 1)) {
			where.site = m->site;
			break;
		}
	}
	if (step->n == 0 && op && op->what >= MTRACE_CALL) {
		where.function = (uint32_t)(op->what - MTRACE_CALL);
		where.site = op->site;
	}
	return where;
}

static double gap_of(const struct async_plan *plan, const struct step *step)
{
	if (plan->setup->gap_s != ASYNC_GAP_OF_STEP)
		return plan->setup->gap_s;
	return step->is_told && step->is_measured ? ASYNC_GAP_S : 0;
}

void async_step(struct async_plan *plan, size_t next)
{
	struct step step = {.first = plan->step, .end = next};
	double gap_s;
	bool is_short;

	plan->step = next + 1;
	if (step.first >= step.end)
		return;
	find_touches(plan, &step);
	gap_s = gap_of(plan, &step);
	is_short = step.n == 0 && step.total_s <= gap_s;
	plan->result->n_short += is_short && step.total_s > 0 && plan->n_pending > 0;
	plan->result->n_untold += !step.is_told && step.total_s > gap_s;
	if (!is_short && (!step.is_told || plan->setup->mode == ASYNC_CHAIN)) {
		const struct async_where where = end_of_chain(plan, &step, next);

		async_end_chain(plan, &where);
		put_between(plan, &step, 0, step.total_s);
	} else {
		cut(plan, &step);
	}
	free(step.touches);
}
