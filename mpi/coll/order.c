/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/order.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/functions.h"
#include "mpi/coll/algorithms.h"

/* A rank that seems to be further ahead than this is behind: the others have passed its place
 * without a collective. */
#define MAX_AHEAD 0x40000000u

/* What the first rank called. n_left == 0: a number in the order that no collective has. */
struct entry {
	const char *function;
	const void *site;
	const struct mpi_op *op; /* a predefined one; NULL: none */
	int rank, root, n_left;
};

/* A ring of operations under way, in the order of their tags. */
struct queue {
	struct entry *entries;		  /* [capacity], a power of two */
	uint32_t capacity, first, n, tag; /* tag: of the first one */
};

enum { MAX_MIXED = 16 };

struct mpi_coll_orders {
	struct mpi_coll_mixed mixed[MAX_MIXED]; /* [n_mixed] */
	int n_mixed;
	struct queue **queues; /* [n] by context; NULL: nothing is under way */
	uint32_t n;
	struct queue *spare; /* an empty one, with its room; NULL: none */
};

static _Noreturn void fail_memory(struct mpi_rank *me)
{
	pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the order of collectives");
}

/* --- queues --- */

static void destroy(struct queue *queue)
{
	if (queue)
		free(queue->entries);
	free(queue);
}

static bool reserve(struct queue *queue, uint32_t n)
{
	struct queue larger = *queue;

	if (n <= queue->capacity)
		return true;
	larger.capacity = queue->capacity ? queue->capacity : 4;
	while (larger.capacity < n)
		larger.capacity *= 2;
	larger.entries = malloc(larger.capacity * sizeof *larger.entries);
	if (!larger.entries)
		return false;
	larger.first = 0;
	for (uint32_t i = 0; i < queue->n; i++)
		larger.entries[i] = queue->entries[(queue->first + i) & (queue->capacity - 1)];
	free(queue->entries);
	*queue = larger;
	return true;
}

static struct entry *at(const struct queue *queue, uint32_t index)
{
	return &queue->entries[(queue->first + index) & (queue->capacity - 1)];
}

/* The slot of the communicator's queue. */
static struct queue **slot(struct mpi_rank *me, uint32_t context)
{
	struct mpi_coll_orders *orders = me->world->coll_orders;
	uint32_t n;

	if (!orders)
		me->world->coll_orders = orders = calloc(1, sizeof *orders);
	if (orders && context >= orders->n) {
		struct queue **larger;

		n = 2 * context + 16;
		larger = realloc(orders->queues, n * sizeof(struct queue *));
		if (!larger)
			fail_memory(me);
		memset(larger + orders->n, 0, (n - orders->n) * sizeof(struct queue *));
		orders->queues = larger;
		orders->n = n;
	}
	if (!orders)
		fail_memory(me);
	return &orders->queues[context];
}

static struct queue *open_queue(struct mpi_rank *me, struct queue **to, uint32_t tag)
{
	struct mpi_coll_orders *orders = me->world->coll_orders;

	if (!*to) {
		*to = orders->spare ? orders->spare : calloc(1, sizeof **to);
		orders->spare = NULL;
		if (!*to)
			fail_memory(me);
		(*to)->tag = tag;
	}
	return *to;
}

/* What all ranks have called is forgotten. */
static void close_queue(struct mpi_coll_orders *orders, struct queue **at_slot)
{
	struct queue *queue = *at_slot;

	while (queue->n > 0 && at(queue, 0)->n_left == 0) {
		queue->first++;
		queue->tag++;
		queue->n--;
	}
	if (queue->n > 0)
		return;
	destroy(orders->spare);
	orders->spare = queue;
	*at_slot = NULL;
}

/* --- the comparison --- */

/* A function and its large-count twin are one operation; so are those by which two groups meet. */
static bool is_same_function(const char *name_a, const char *name_b)
{
	const struct mpi_function *a, *b;

	if (name_a == name_b)
		return true;
	a = mpi_function_find(name_a);
	b = mpi_function_find(name_b);
	return a && b && (a->base == b->base || (a->meets && b->meets));
}

/*
 * Accesses to a file of which one says where the data lie and the other goes on behind its last one:
 * each rank's own affair. The standard asks for one function all the same; libraries take the two for
 * one, and programs rely on that.
 */
static bool is_same_access(const char *name_a, const char *name_b)
{
	static const char *const twins[][2] = {
	    {"MPI_File_read_all", "MPI_File_read_at_all"},
	    {"MPI_File_write_all", "MPI_File_write_at_all"},
	};

	for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++)
		if ((is_same_function(name_a, twins[i][0]) &&
		     is_same_function(name_b, twins[i][1])) ||
		    (is_same_function(name_a, twins[i][1]) &&
		     is_same_function(name_b, twins[i][0])))
			return true;
	return false;
}

static const struct mpi_op *predefined_op(const struct mpi_coll *coll)
{
	return coll->op && coll->op->is_predefined ? coll->op : NULL;
}

/* "rank 2 is in MPI_Bcast at ring.c:12 (main)"; the text is cut off rather than too long. */
static const char *describe(const struct mpi_rank *me, const struct entry *other, char *text,
			    size_t size)
{
	char site[256];

	if (!other->site) {
		snprintf(text, size, "rank %d called %s", other->rank, other->function);
		return text;
	}
	pd_describe_site(me->world->pd, other->site, site, sizeof site);
	snprintf(text, size, "rank %d called %s at %s", other->rank, other->function, site);
	return text;
}

static _Noreturn __attribute__((noinline)) void fail_order(struct mpi_rank *me,
							   const struct entry *other)
{
	char text[512];

	me->world->failure_class = "collective-mismatch";
	pd_fail(me->pd, PD_FAILURE_MPI_ERROR,
		"%s instead, and the ranks of a communicator have to call the same collectives in "
		"the same order",
		describe(me, other, text, sizeof text));
}

/* Apart, so that only a call that fails has the text on its stack. */
static _Noreturn __attribute__((noinline)) void
fail_argument(struct mpi_rank *me, const struct mpi_coll *coll, const struct entry *other)
{
	char text[512];

	describe(me, other, text, sizeof text);
	me->world->failure_class =
	    coll->given.root != other->root ? "root-mismatch" : "operation-mismatch";
	if (coll->given.root != other->root)
		pd_fail(me->pd, PD_FAILURE_MPI_ERROR, "root is %d, and %d where %s",
			coll->given.root, other->root, text);
	pd_fail(me->pd, PD_FAILURE_MPI_ERROR, "op is not the one with which %s", text);
}

static void note_mixed(struct mpi_rank *me, const struct entry *other)
{
	struct mpi_coll_orders *orders = me->world->coll_orders;

	for (int i = 0; i < orders->n_mixed; i++)
		if (orders->mixed[i].sites[0] == me->pd->site &&
		    orders->mixed[i].sites[1] == other->site)
			return;
	if (orders->n_mixed < MAX_MIXED)
		orders->mixed[orders->n_mixed++] =
		    (struct mpi_coll_mixed){.ranks = {me->rank, other->rank},
					    .functions = {me->pd->function, other->function},
					    .sites = {me->pd->site, other->site}};
}

const struct mpi_coll_mixed *mpi_coll_order_mixed(const struct mpi_world *world, int *out_n)
{
	*out_n = world->coll_orders ? world->coll_orders->n_mixed : 0;
	return world->coll_orders ? world->coll_orders->mixed : NULL;
}

static void compare(struct mpi_rank *me, const struct mpi_coll *coll, const struct entry *other)
{
	if (!is_same_function(me->pd->function, other->function)) {
		if (!is_same_access(me->pd->function, other->function))
			fail_order(me, other);
		note_mixed(me, other);
	}
	if (coll->remote_size > 0)
		return; /* arguments mean something else in each group */
	if (coll->given.root != other->root || predefined_op(coll) != other->op)
		fail_argument(me, coll, other);
}

/* The place in the queue, made when `me` is the first to come there. */
static struct entry *find(struct mpi_rank *me, struct queue *queue, uint32_t index)
{
	if (index >= queue->n) {
		if (!reserve(queue, index + 1))
			fail_memory(me);
		while (queue->n <= index)
			at(queue, queue->n++)->n_left = 0;
	}
	return at(queue, index);
}

void mpi_coll_order_check(struct mpi_rank *me, const struct mpi_coll *coll)
{
	struct queue **to, *queue;
	struct entry *entry;
	uint32_t index;

	if (coll->size + coll->remote_size == 1 || !me->pd->function)
		return;
	to = slot(me, coll->comm->context);
	queue = open_queue(me, to, (uint32_t)coll->tag);
	index = ((uint32_t)coll->tag - queue->tag) & 0x7fffffff;
	if (index >= MAX_AHEAD)
		fail_order(me, at(queue, 0));
	entry = find(me, queue, index);
	if (entry->n_left == 0)
		*entry = (struct entry){.function = me->pd->function,
					.site = me->pd->site,
					.op = predefined_op(coll),
					.rank = me->rank,
					.root = coll->given.root,
					.n_left = coll->size + coll->remote_size};
	else
		compare(me, coll, entry);
	if (--entry->n_left == 0 && index == 0)
		close_queue(me->world->coll_orders, to);
}

void mpi_coll_order_visit(const struct mpi_world *world,
			  void (*visit)(void *context, int rank, const char *function,
					const void *site, int n),
			  void *context)
{
	const struct mpi_coll_orders *orders = world->coll_orders;

	for (uint32_t i = 0; orders && i < orders->n; i++)
		for (uint32_t k = 0; orders->queues[i] && k < orders->queues[i]->n; k++) {
			const struct entry *entry = at(orders->queues[i], k);

			if (entry->n_left > 0)
				visit(context, entry->rank, entry->function, entry->site,
				      entry->n_left);
		}
}

void mpi_coll_orders_destroy(struct mpi_coll_orders *orders)
{
	if (!orders)
		return;
	for (uint32_t i = 0; i < orders->n; i++)
		destroy(orders->queues[i]);
	destroy(orders->spare);
	free(orders->queues);
	free(orders);
}
