// SPDX-License-Identifier: BSD-3-Clause
/* What is posted, what conflicts with it, and what is waited for. */
#include "tools/whatif/async/internal.h"
#include "util/array.h"

static bool is_half(const struct async_memory *memory, bool is_send)
{
	return is_send == !(memory->flags & MTRACE_WRITTEN);
}

/* Both are read, or both are statuses that calls fill in: that is no conflict. */
static bool are_apart(const struct async_plan *plan, const struct async_memory *a,
		      const struct async_memory *b, uint64_t page_B)
{
	const int filled = MTRACE_STATUS | MTRACE_WRITTEN;

	return !((a->flags | b->flags) & MTRACE_WRITTEN) ||
	       ((a->flags & b->flags & filled) == filled &&
		!((a->flags | b->flags) & MTRACE_READ)) ||
	       !async_memory_meets(plan->rank, a, b, page_B);
}

static bool conflicts(const struct async_plan *plan, const struct async_pending *pending,
		      const struct async_memory *with, uint64_t page_B)
{
	const struct async_op *op = &plan->rank->ops[pending->op];

	for (size_t i = 0; i < op->n; i++) {
		const struct async_memory *mine = &plan->rank->memories[op->first + i];

		if (is_half(mine, pending->is_send) && !are_apart(plan, mine, with, page_B))
			return true;
	}
	return false;
}

bool async_choose(struct async_plan *plan, const struct async_memory memories[], size_t n,
		  uint64_t page_B)
{
	bool any = false;

	for (size_t i = 0; i < plan->n_pending; i++)
		for (size_t k = 0; k < n; k++)
			if (conflicts(plan, &plan->pending[i], &memories[k], page_B))
				any = plan->pending[i].is_chosen = true;
	return any;
}

/* Those that share a page with one that is waited for: its protection ends for all. */
static void choose_neighbours(struct async_plan *plan)
{
	for (size_t i = 0; i < plan->n_pending; i++) {
		const struct async_op *op = &plan->rank->ops[plan->pending[i].op];

		for (size_t k = 0; k < op->n && plan->pending[i].is_chosen; k++) {
			const struct async_memory *memory = &plan->rank->memories[op->first + k];

			if (is_half(memory, plan->pending[i].is_send))
				async_choose(plan, memory, 1, ASYNC_PAGE_B);
		}
	}
}

static void post_one(struct async_plan *plan, struct async_pending *pending)
{
	pending->request = plan->n_free > 0 ? plan->free_ids[--plan->n_free] : ++plan->last_id;
	async_put_post(plan, pending);
}

/* Messages to one receiver do not overtake each other. */
static void post(struct async_plan *plan, struct async_pending *pending)
{
	for (struct async_pending *p = plan->pending; p < pending; p++)
		if (!p->request && p->dest == pending->dest)
			post_one(plan, p);
	post_one(plan, pending);
}

void async_post_to(struct async_plan *plan, int64_t dest)
{
	for (size_t i = 0; i < plan->n_pending; i++)
		if (!plan->pending[i].request && plan->pending[i].dest == dest)
			post_one(plan, &plan->pending[i]);
}

void async_post_all(struct async_plan *plan)
{
	for (size_t i = 0; i < plan->n_pending; i++)
		if (!plan->pending[i].request)
			post_one(plan, &plan->pending[i]);
}

/* What stands before a message that is waited for goes out first, as it did: else ranks could wait for each other. */
static void post_before_chosen(struct async_plan *plan)
{
	size_t last = 0;

	for (size_t i = 0; i < plan->n_pending; i++)
		if (plan->pending[i].is_chosen)
			last = plan->pending[i].op;
	for (size_t i = 0; i < plan->n_pending && plan->pending[i].op <= last; i++)
		if (!plan->pending[i].request)
			post_one(plan, &plan->pending[i]);
}

/* Whose turn it is after a wait. */
static void post_next(struct async_plan *plan)
{
	for (size_t i = 0; i < plan->n_pending; i++) {
		struct async_pending *p = &plan->pending[i];

		if (!p->request && plan->n_waits - p->n_waits >= p->batch)
			post(plan, p);
	}
}

bool async_wait_is_alike(const struct async_wait *a, const struct async_wait *b)
{
	return a->site == b->site && a->function == b->function && a->cause == b->cause &&
	       a->wait_site == b->wait_site && a->wait_function == b->wait_function;
}

static void note(struct async_plan *plan, const struct async_pending *p,
		 const struct async_where *where)
{
	const struct async_op *op = &plan->rank->ops[p->op];
	struct async_result *r = plan->result;
	struct async_wait wait = {.cause = where->cause,
				  .function = (uint32_t)(op->what - MTRACE_CALL),
				  .site = op->site,
				  .wait_function = where->function,
				  .wait_site = where->site,
				  .count = 1};

	if (p->need != SIZE_MAX && !plan->out)
		plan->needs->all[p->need].n_waits = (uint32_t)(plan->n_waits - p->n_waits);
	for (size_t i = 0; i < r->n_waits; i++)
		if (async_wait_is_alike(&r->waits[i], &wait)) {
			r->waits[i].count++;
			return;
		}
	if (util_array_room(&r->waits, r->n_waits, sizeof *r->waits))
		r->waits[r->n_waits++] = wait;
	else
		plan->is_out_of_memory = true;
}

static void release(struct async_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_pending; i++) {
		struct async_pending *p = &plan->pending[i];

		if (!p->is_chosen) {
			plan->pending[n++] = *p;
			continue;
		}
		if (util_array_room(&plan->free_ids, plan->n_free, sizeof *plan->free_ids))
			plan->free_ids[plan->n_free++] = p->request;
		else
			plan->is_out_of_memory = true;
	}
	plan->n_pending = n;
}

void async_wait_chosen(struct async_plan *plan, const struct async_where *where)
{
	bool any = false;

	if (plan->setup->mode == ASYNC_TOUCH && where->is_fault)
		choose_neighbours(plan);
	for (size_t i = 0; i < plan->n_pending; i++)
		if (plan->pending[i].is_chosen) {
			any = true;
			note(plan, &plan->pending[i], where);
		}
	if (!any)
		return;
	post_before_chosen(plan);
	if (plan->setup->mode == ASYNC_TOUCH && where->is_fault)
		async_put_charge(plan, plan->setup->fault_s);
	async_put_wait(plan, where->site);
	release(plan);
	plan->n_waits++;
	post_next(plan);
}

void async_wait_all(struct async_plan *plan, const struct async_where *where)
{
	for (size_t i = 0; i < plan->n_pending; i++)
		plan->pending[i].is_chosen = true;
	async_wait_chosen(plan, where);
}
