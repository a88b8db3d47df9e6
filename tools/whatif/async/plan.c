// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/async/plan.h"

#include <stdlib.h>
#include <string.h>

#include "tools/whatif/async/internal.h"
#include "util/array.h"

const char *const async_mode_names[] = {"chain", "touch", "touch-exact", "priority", NULL};

/* --- chains --- */

/* A chain is over: one that conflicts with what ends it may have been cut short. */
static void end_chain(struct async_plan *plan, const struct async_where *where, size_t conflict)
{
	struct async_result *r = plan->result;
	struct async_chain chain = {.first_site = plan->first_site,
				    .wait_function = where->function,
				    .wait_site = where->site,
				    .cause = where->cause,
				    .conflicts = conflict != SIZE_MAX,
				    .length = plan->length,
				    .count = 1};

	plan->length = 0;
	if (conflict != SIZE_MAX) {
		const struct async_op *op = &plan->rank->ops[plan->pending[conflict].op];

		chain.function = (uint32_t)(op->what - MTRACE_CALL);
		chain.site = op->site;
	}
	for (size_t i = plan->first_chain; i < r->n_chains; i++) {
		struct async_chain *c = &r->chains[i];

		if (c->first_site == chain.first_site && c->length == chain.length &&
		    c->conflicts == chain.conflicts && c->wait_site == chain.wait_site &&
		    c->site == chain.site) {
			c->count++;
			return;
		}
	}
	if (util_array_room(&r->chains, r->n_chains, sizeof *r->chains))
		r->chains[r->n_chains++] = chain;
	else
		plan->is_out_of_memory = true;
}

/* Whether chains of the rank that begin there may be longer. */
static bool is_cut_short(const struct async_plan *plan, const struct async_chain *chain)
{
	for (size_t i = plan->first_chain; chain->conflicts && i < plan->result->n_chains; i++)
		if (plan->result->chains[i].first_site == chain->first_site &&
		    plan->result->chains[i].length > chain->length)
			return true;
	return false;
}

static bool is_merged(const struct async_result *result, size_t n, const struct async_chain *chain)
{
	for (size_t i = 0; i < n; i++) {
		struct async_chain *c = &result->chains[i];

		if (c->first_site == chain->first_site && c->site == chain->site &&
		    c->wait_site == chain->wait_site) {
			c->count += chain->count;
			return true;
		}
	}
	return false;
}

/* Of the rank's chains those stay that were cut short. */
static void keep_hazards(struct async_plan *plan)
{
	struct async_result *r = plan->result;
	size_t n = plan->first_chain;

	for (size_t i = plan->first_chain; i < r->n_chains; i++)
		r->chains[i].is_hazard = is_cut_short(plan, &r->chains[i]);
	for (size_t i = plan->first_chain; i < r->n_chains; i++)
		if (r->chains[i].is_hazard && !is_merged(r, n, &r->chains[i]))
			r->chains[n++] = r->chains[i];
	r->n_chains = n;
}

void async_end_chain(struct async_plan *plan, const struct async_where *where)
{
	size_t conflict = SIZE_MAX;

	for (size_t i = 0; i < plan->n_pending && conflict == SIZE_MAX; i++)
		if (plan->pending[i].is_chosen)
			conflict = i;
	if (plan->length > 0 && plan->setup->mode == ASYNC_CHAIN)
		end_chain(plan, where, conflict);
	async_wait_all(plan, where);
}

/* --- calls --- */

static const struct mtrace_function *function_of(const struct async_plan *plan,
						 const struct async_op *op)
{
	return &plan->file->functions[op->what - MTRACE_CALL];
}

static struct async_where called(const struct async_op *op)
{
	return (struct async_where){.cause = ASYNC_CALLED,
				    .function = (uint32_t)(op->what - MTRACE_CALL),
				    .site = op->site};
}

/* A call that stays: all that is pending waits, or what it conflicts with. */
static void wait_before(struct async_plan *plan, const struct async_op *op, bool all)
{
	const struct async_where where = called(op);
	bool any = async_choose(plan, &plan->rank->memories[op->first], op->n, 1);

	if (all)
		async_end_chain(plan, &where);
	else if (any)
		async_wait_chosen(plan, &where);
}

/* A status of a receive from any source is looked at at once. */
static bool must_block(const struct async_plan *plan, const struct async_op *op,
		       const struct async_message *message)
{
	for (size_t i = 0; i < op->n; i++)
		if (plan->rank->memories[op->first + i].flags & MTRACE_STATUS)
			return message->is_wild;
	return false;
}

static void add(struct async_plan *plan, size_t op, const struct async_message *message,
		bool is_send)
{
	struct async_pending pending = {
	    .op = op, .is_send = is_send, .n_waits = plan->n_waits, .need = SIZE_MAX};
	const struct async_setup *setup = plan->setup;

	if (!is_send)
		async_note_recv(plan, &pending, message);
	else
		pending.batch = async_batch_of(plan, message);
	pending.dest = is_send ? message->dest : -1;
	if (is_send && pending.batch == 0)
		async_post_to(plan, message->dest);
	if (pending.batch == 0) {
		if (setup->mode == ASYNC_CHAIN || setup->mode == ASYNC_TOUCH)
			async_put_charge(plan, setup->request_s);
		pending.request =
		    plan->n_free > 0 ? plan->free_ids[--plan->n_free] : ++plan->last_id;
		async_put_post(plan, &pending);
	}
	if (util_array_room(&plan->pending, plan->n_pending, sizeof *plan->pending))
		plan->pending[plan->n_pending++] = pending;
	else
		plan->is_out_of_memory = true;
}

/* What paging costs at a post. */
static void charge_pages(struct async_plan *plan, const struct async_op *op)
{
	const struct async_setup *setup = plan->setup;

	for (size_t i = 0; i < op->n && setup->mode == ASYNC_TOUCH; i++) {
		const struct async_memory *m = &plan->rank->memories[op->first + i];
		double pages = (double)async_memory_pages(plan->rank, m, ASYNC_PAGE_B);

		if (m->flags & MTRACE_STATUS)
			continue;
		if (!(m->flags & MTRACE_WRITTEN))
			async_put_charge(plan, setup->copy_s * (double)m->size_B);
		async_put_charge(plan, setup->protect_s + setup->page_s * pages);
	}
}

static void convert(struct async_plan *plan, size_t at)
{
	const struct async_op *op = &plan->rank->ops[at];
	const struct async_where where = called(op);
	struct async_message message;

	async_message_read(plan->rank, op, function_of(plan, op)->signature, &message);
	if (must_block(plan, op, &message)) {
		plan->result->n_kept++;
		wait_before(plan, op, plan->setup->mode == ASYNC_CHAIN);
		async_post_all(plan);
		async_put_raw(plan, op);
		return;
	}
	if (async_choose(plan, &plan->rank->memories[op->first], op->n, 1))
		async_wait_chosen(plan, &where);
	plan->result->n_converted++;
	if (plan->length++ == 0)
		plan->first_site = op->site;
	charge_pages(plan, op);
	if (message.has_recv)
		add(plan, at, &message, false);
	if (message.has_send)
		add(plan, at, &message, true);
}

/* Of these nothing is known but that they use memory: windows, persistent and partitioned operations, what
 * frees; and the last call. */
static bool uses_anything(const struct mtrace_function *function)
{
	static const char *const names[] = {
	    "MPI_Finalize", "MPI_Start",	   "MPI_Startall",
	    "MPI_Pready",   "MPI_Parrived",	   "MPI_Comm_free",
	    "MPI_Free_mem", "MPI_Comm_disconnect", "MPI_Session_finalize"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(function->name, names[i], strlen(names[i])) == 0)
			return true;
	return strpbrk(function->signature, "vVU") != NULL;
}

static void call(struct async_plan *plan, size_t at)
{
	const struct async_op *op = &plan->rank->ops[at];
	const struct mtrace_function *function = function_of(plan, op);
	bool is_local = !function->signature[0];

	if (!is_local &&
	    (async_posted_name(function->name, true) || async_posted_name(function->name, false))) {
		convert(plan, at);
		return;
	}
	plan->result->n_kept += strcmp(function->name, "MPI_Sendrecv_replace") == 0 ||
				strncmp(function->name, "MPI_Mrecv", 9) == 0;
	wait_before(plan, op,
		    uses_anything(function) ||
			(plan->setup->mode == ASYNC_CHAIN && (!is_local || op->n > 0)));
	async_post_all(plan);
	async_put_raw(plan, op);
}

static void do_op(struct async_plan *plan, size_t at)
{
	const struct async_op *op = &plan->rank->ops[at];
	const struct async_where end = {
	    .cause = ASYNC_ENDED, .function = UINT32_MAX, .site = UINT32_MAX};

	if (op->what == MTRACE_CHARGE || op->what == MTRACE_MEMORY || op->what == MTRACE_TIMES)
		return;
	if (op->what == MTRACE_TYPE) { /* it may stand within a computation */
		async_put_raw(plan, op);
		return;
	}
	async_step(plan, at);
	if (op->what >= MTRACE_CALL) {
		call(plan, at);
		return;
	}
	if (op->what == MTRACE_END ||
	    (op->what == MTRACE_SLEEP && plan->setup->mode == ASYNC_CHAIN))
		async_end_chain(plan, &end);
	async_put_raw(plan, op);
}

int async_plan_rank(const struct mtrace_file *file, const struct async_rank *rank,
		    const struct async_setup *setup, struct async_needs *needs,
		    struct mtrace_stream *stream, struct async_result *result,
		    struct util_error *err)
{
	struct async_plan plan = {.file = file,
				  .rank = rank,
				  .setup = setup,
				  .needs = needs,
				  .out = stream,
				  .result = result,
				  .first_chain = result->n_chains,
				  .last_id = (uint32_t)rank->last_request};

	for (size_t i = 0; i < rank->n_ops; i++)
		do_op(&plan, i);
	keep_hazards(&plan);
	util_map_finish(&plan.orders);
	util_map_finish(&plan.recv_orders);
	free(plan.pending);
	free(plan.free_ids);
	return plan.is_out_of_memory
		   ? util_error_set(err, UTIL_ENOMEM, "out of memory for rank %d", rank->rank)
		   : 0;
}
