/* SPDX-License-Identifier: BSD-3-Clause */
/* A pairing heap [Fredman et al., Algorithmica 1 (1986)] and a calendar queue [Brown, Comm. ACM 31
 * (1988)]. */
#include <stdlib.h>

#include "bench/queues.h"

struct node {
	sim_time_ps time;
	uint64_t order;
	struct node *next, *prev; /* prev: of a first child, the parent */
	struct node *child;
	bool is_queued;
};

static bool before(const struct node *a, const struct node *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* --- pairing heap --- */

struct pairing {
	struct node *nodes, *root;
	uint64_t next_order;
};

static void *pairing_create(size_t n_events)
{
	struct pairing *p = calloc(1, sizeof *p);

	p->nodes = calloc(n_events, sizeof *p->nodes);
	return p;
}

static void pairing_destroy(void *state)
{
	struct pairing *p = state;

	free(p->nodes);
	free(p);
}

static struct node *meld(struct node *a, struct node *b)
{
	struct node *first, *second;

	if (!a || !b)
		return a ? a : b;
	first = before(a, b) ? a : b;
	second = first == a ? b : a;
	second->prev = first;
	second->next = first->child;
	if (first->child)
		first->child->prev = second;
	first->child = second;
	first->next = first->prev = NULL;
	return first;
}

/* Pairs from the left, then all from the right. */
static struct node *meld_children(struct node *list)
{
	struct node *pairs = NULL, *all = NULL;

	while (list) {
		struct node *a = list, *b = a->next, *next = b ? b->next : NULL, *both;

		both = meld(a, b);
		both->next = pairs;
		pairs = both;
		list = next;
	}
	while (pairs) {
		struct node *next = pairs->next;

		all = meld(pairs, all);
		pairs = next;
	}
	if (all)
		all->next = all->prev = NULL;
	return all;
}

static void pairing_cancel(void *state, uint32_t event)
{
	struct pairing *p = state;
	struct node *node = &p->nodes[event];

	if (!node->is_queued)
		return;
	node->is_queued = false;
	if (node == p->root) {
		p->root = meld_children(node->child);
		return;
	}
	*(node->prev->child == node ? &node->prev->child : &node->prev->next) = node->next;
	if (node->next)
		node->next->prev = node->prev;
	p->root = meld(p->root, meld_children(node->child));
}

static void pairing_push(void *state, uint32_t event, sim_time_ps time)
{
	struct pairing *p = state;
	struct node *node = &p->nodes[event];

	pairing_cancel(state, event);
	*node = (struct node){.time = time, .order = p->next_order++, .is_queued = true};
	p->root = meld(p->root, node);
}

static uint32_t pairing_pop(void *state)
{
	struct pairing *p = state;
	uint32_t event = (uint32_t)(p->root - p->nodes);

	pairing_cancel(state, event);
	return event;
}

const struct bench_queue bench_queue_pairing = {"pairing heap", pairing_create, pairing_destroy,
						pairing_push,	pairing_cancel, pairing_pop};

/* --- calendar: days of equal length, of which each bucket holds those of all years, sorted --- */

struct day {
	struct node *first, *last;
};

struct calendar {
	struct node *nodes;
	struct day *days; /* [n_days], a power of two */
	size_t n_days, n;
	sim_time_ps width, now; /* now: of the last pop */
	uint64_t next_order;
};

static void *calendar_create(size_t n_events)
{
	struct calendar *c = calloc(1, sizeof *c);

	c->nodes = calloc(n_events, sizeof *c->nodes);
	c->n_days = 2;
	c->width = 1000000;
	c->days = calloc(c->n_days, sizeof *c->days);
	return c;
}

static void calendar_destroy(void *state)
{
	struct calendar *c = state;

	free(c->nodes);
	free(c->days);
	free(c);
}

static struct day *day_of(const struct calendar *c, sim_time_ps time)
{
	return &c->days[(size_t)(time / c->width) & (c->n_days - 1)];
}

/* From the end of the day: most come late. */
static void enter(struct calendar *c, struct node *node)
{
	struct day *day = day_of(c, node->time);
	struct node *at = day->last;

	while (at && before(node, at))
		at = at->prev;
	node->prev = at;
	node->next = at ? at->next : day->first;
	*(at ? &at->next : &day->first) = node;
	*(node->next ? &node->next->prev : &day->last) = node;
}

static void leave(struct calendar *c, struct node *node)
{
	struct day *day = day_of(c, node->time);

	*(node->prev ? &node->prev->next : &day->first) = node->next;
	*(node->next ? &node->next->prev : &day->last) = node->prev;
}

static int compare_times(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;

	return before(x, y) ? -1 : 1;
}

/* Three times the mean distance of the times of a sample of the next ones, without equal ones. */
static sim_time_ps choose_width(struct node **all, size_t n)
{
	size_t n_sample = n < 64 ? n : 64, n_steps = 0;
	sim_time_ps width;

	qsort(all, n, sizeof(struct node *), compare_times);
	for (size_t i = 1; i < n_sample; i++)
		n_steps += all[i]->time != all[i - 1]->time;
	if (n_steps == 0)
		return 1000000;
	width = 3 * (all[n_sample - 1]->time - all[0]->time) / (sim_time_ps)n_steps;
	return width > 0 ? width : 1;
}

static void resize(struct calendar *c, size_t n_days)
{
	struct node **all = malloc((c->n + 1) * sizeof *all);
	size_t n = 0;

	for (size_t i = 0; i < c->n_days; i++)
		for (struct node *node = c->days[i].first; node; node = node->next)
			all[n++] = node;
	c->width = choose_width(all, n);
	free(c->days);
	c->n_days = n_days;
	c->days = calloc(n_days, sizeof *c->days);
	for (size_t i = 0; i < n; i++)
		enter(c, all[i]);
	free(all);
}

static void calendar_cancel(void *state, uint32_t event)
{
	struct calendar *c = state;
	struct node *node = &c->nodes[event];

	if (!node->is_queued)
		return;
	node->is_queued = false;
	leave(c, node);
	if (--c->n < c->n_days / 2 && c->n_days > 2)
		resize(c, c->n_days / 2);
}

static void calendar_push(void *state, uint32_t event, sim_time_ps time)
{
	struct calendar *c = state;
	struct node *node = &c->nodes[event];

	calendar_cancel(state, event);
	*node = (struct node){.time = time, .order = c->next_order++, .is_queued = true};
	enter(c, node);
	if (++c->n > 2 * c->n_days)
		resize(c, 2 * c->n_days);
}

/* Through the days of one year from now on; where nothing is due in it, the first of all. */
static struct node *find_first(const struct calendar *c)
{
	struct node *first = NULL;
	sim_time_ps day = c->now / c->width;

	for (size_t i = 0; i < c->n_days; i++, day++) {
		struct node *node = c->days[(size_t)day & (c->n_days - 1)].first;

		if (node && node->time / c->width == day)
			return node;
	}
	for (size_t i = 0; i < c->n_days; i++) {
		struct node *node = c->days[i].first;

		if (node && (!first || before(node, first)))
			first = node;
	}
	return first;
}

static uint32_t calendar_pop(void *state)
{
	struct calendar *c = state;
	struct node *node = find_first(c);
	uint32_t event = (uint32_t)(node - c->nodes);

	c->now = node->time;
	calendar_cancel(state, event);
	return event;
}

const struct bench_queue bench_queue_calendar = {"calendar queue", calendar_create,
						 calendar_destroy, calendar_push,
						 calendar_cancel,  calendar_pop};
