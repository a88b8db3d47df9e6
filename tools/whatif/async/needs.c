// SPDX-License-Identifier: BSD-3-Clause
/* When receivers need what is sent to them: messages are matched as MPI does, in the order of each pair of ranks and tag. */
#include <stdlib.h>

#include "tools/whatif/async/internal.h"
#include "util/array.h"

static uint32_t next_order(struct async_plan *plan, struct util_map *orders, int64_t peer,
			   int64_t tag)
{
	uint64_t key = (uint64_t)peer << 32 | (uint32_t)tag;
	struct util_map_slot *slot = util_map_find(orders, key);

	if (!slot) {
		slot = util_map_add(orders, key);
		if (!slot) {
			plan->is_out_of_memory = true;
			return 0;
		}
		slot->number = 1; /* 0 is a free slot */
	}
	return (uint32_t)slot->number++;
}

/* Of MPI_COMM_WORLD, where ranks of the communicator are those of the trace. */
static bool is_known(const struct async_message *m, bool is_send)
{
	int64_t peer = is_send ? m->dest : m->source, tag = is_send ? m->send_tag : m->recv_tag;

	return m->comm == MTRACE_COMM_WORLD && peer >= 0 && tag >= 0;
}

void async_note_recv(struct async_plan *plan, struct async_pending *pending,
		     const struct async_message *m)
{
	struct async_needs *needs = plan->needs;
	uint32_t order;

	if (!needs || !is_known(m, false))
		return;
	order = next_order(plan, &plan->recv_orders, m->source, m->recv_tag);
	if (plan->out) /* noted before */
		return;
	if (!util_array_room(&needs->all, needs->n, sizeof *needs->all)) {
		plan->is_out_of_memory = true;
		return;
	}
	needs->all[needs->n] =
	    (struct async_need){(int)m->source, plan->rank->rank, (int)m->recv_tag, order, 0};
	pending->need = needs->n++;
}

static int compare(const void *a, const void *b)
{
	const struct async_need *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->dest != y->dest)
		return x->dest < y->dest ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void async_needs_sort(struct async_needs *needs)
{
	if (needs->n > 0)
		qsort(needs->all, needs->n, sizeof *needs->all, compare);
}

uint32_t async_batch_of(struct async_plan *plan, const struct async_message *m)
{
	struct async_need wanted = {.source = plan->rank->rank};
	const struct async_need *found;

	if (!plan->needs || !is_known(m, true))
		return 0;
	wanted.dest = (int)m->dest;
	wanted.tag = (int)m->send_tag;
	wanted.order = next_order(plan, &plan->orders, m->dest, m->send_tag);
	if (!plan->out || plan->needs->n == 0)
		return 0;
	found = bsearch(&wanted, plan->needs->all, plan->needs->n, sizeof wanted, compare);
	return found ? found->n_waits : 0;
}
