/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computations on a node's cores (docs/model.md §4). All that run on a node get the same share of a
 * core, so one virtual time per node, which advances at that share, tells the end of each: a change
 * costs the same whether two computations run or two thousand. They wait in a pairing heap; none is
 * ever taken out but the first.
 */
#include <stdlib.h>

#include "netmodel/memory.h"
#include "netmodel/private.h"

static bool ends_before(const struct net_compute *a, const struct net_compute *b)
{
	return a->end_s < b->end_s || (a->end_s == b->end_s && a->order < b->order);
}

static struct net_compute *meld(struct net_compute *a, struct net_compute *b)
{
	if (!a || !b)
		return a ? a : b;
	if (ends_before(b, a)) {
		struct net_compute *first = b;

		b = a;
		a = first;
	}
	b->sibling = a->child;
	a->child = b;
	return a;
}

/* The heap without its first element: its children melded in pairs, then the pairs. */
static struct net_compute *without_first(struct net_compute *first)
{
	struct net_compute *pairs = NULL, *heap = NULL, *next = first->child;

	while (next) {
		struct net_compute *a = next, *b = a->sibling;

		next = b ? b->sibling : NULL;
		a->sibling = NULL;
		if (b)
			b->sibling = NULL;
		a = meld(a, b);
		a->sibling = pairs;
		pairs = a;
	}
	while (pairs) {
		struct net_compute *a = pairs;

		pairs = a->sibling;
		a->sibling = NULL;
		heap = meld(heap, a);
	}
	return heap;
}

static void integrate(struct net_node *node, sim_time_ps time)
{
	double elapsed_s = sim_time_to_s(time - node->updated);

	node->updated = time;
	if (!node->n_computes)
		return;
	node->virtual_s += node->rate * node->speed * elapsed_s;
	node->slowed_s += node->rate * (1 - node->speed) * elapsed_s;
	node->stolen_s += (node->undisturbed - node->rate) * elapsed_s;
	node->shared_s += (1 - node->undisturbed) * elapsed_s;
}

static void advance(struct net_node *node, sim_time_ps time)
{
	while (node->n_changes && sim_time_from_s(node->next_change->at_s) <= time) {
		const struct cluster_speed_change *change = node->next_change++;

		node->n_changes--;
		integrate(node, sim_time_from_s(change->at_s));
		node->speed = change->speed / node->model->cluster->cpu.speed[change->node];
	}
	integrate(node, time);
}

/* Takes the computations that have ended out of the heap, in order, linked by `sibling`. */
static struct net_compute *take_ended(struct net_node *node)
{
	struct net_compute *first = NULL, **last = &first;

	while (node->heap && node->heap->end_s <= node->virtual_s) {
		struct net_compute *compute = node->heap;

		node->heap = without_first(compute);
		node->n_computes--;
		compute->stolen_s = node->stolen_s - compute->mark[0];
		compute->shared_s = node->shared_s - compute->mark[1];
		compute->useful_s += node->slowed_s - compute->mark[2];
		*last = compute;
		last = &compute->sibling;
	}
	*last = NULL;
	if (!node->n_computes) /* small numbers are exact numbers */
		node->virtual_s = node->stolen_s = node->shared_s = node->slowed_s = 0;
	return first;
}

static void fire_node(struct sim_event *event)
{
	struct net_node *node = (struct net_node *)event;
	struct net_model *model = node->model;
	struct net_compute *next;

	advance(node, model->engine->now);
	if (node->waits_for_change) {
		net_node_touch(model, (int)(node - model->nodes));
		return;
	}
	/* The event was due for the first one: whatever rounding says, it ends now, and so do those
	 * that end with it. */
	if (node->virtual_s < node->heap->end_s)
		node->virtual_s = node->heap->end_s;
	next = take_ended(node);
	net_node_touch(model, (int)(node - model->nodes));
	while (next) { /* done may start another computation in the same object */
		struct net_compute *compute = next;

		next = compute->sibling;
		compute->done(compute);
	}
}

void net_node_init(struct net_node *node, struct net_model *model)
{
	const struct cluster_speed_changes *changes = &model->cluster->cpu.speed_changes;
	int n = (int)(node - model->nodes), first = 0;

	*node = (struct net_node){.model = model, .rate = 1, .undisturbed = 1, .speed = 1};
	while (first < changes->n && changes->list[first].node < n)
		first++;
	node->next_change = changes->list + first;
	while (first + node->n_changes < changes->n &&
	       changes->list[first + node->n_changes].node == n)
		node->n_changes++;
	sim_event_init(&node->event, fire_node);
}

void net_node_touch(struct net_model *model, int n)
{
	struct net_node *node = &model->nodes[n];

	if (node->dirty)
		return;
	node->dirty = true;
	model->dirty_nodes.links[model->dirty_nodes.n++] = n;
	net_model_ask(model);
}

void net_node_take(struct net_model *model, int node, int n_cores)
{
	model->nodes[node].n_taken += n_cores;
	net_node_touch(model, node);
}

/* The share of a core that each of the node's computations gets from now on, and when the first one
 * ends. */
void net_node_update(struct net_model *model, struct net_node *node)
{
	int n = (int)(node - model->nodes), cores = model->cluster->cores;
	double cost =
	    cluster_cpu_cost(model->cluster, net_node_out(model, n)->n, net_node_in(model, n)->n);
	double rate = 1, undisturbed = 1, contention;
	sim_time_ps due;

	if (model->memory) {
		net_memory_update(model, n);
		return;
	}
	if (node->n_taken > 0)
		cost = cost + node->n_taken < cores ? cost + node->n_taken : cores;
	if (!node->n_computes) {
		sim_engine_cancel(model->engine, &node->event);
		return;
	}
	advance(node, model->engine->now);
	if (node->n_computes > cores)
		undisturbed = (double)cores / node->n_computes;
	if (node->n_computes > cores - cost)
		rate = (cores - cost) / node->n_computes;
	contention = cluster_contention(model->cluster, node->n_computes);
	node->rate = rate * contention;
	node->undisturbed = undisturbed * contention;
	rate = node->rate * node->speed;
	if (node->heap->end_s <= node->virtual_s)
		due = model->engine->now;
	else if (rate > 0)
		due = net_model_due(model, (node->heap->end_s - node->virtual_s) / rate);
	else
		due = SIM_TIME_MAX; /* communication takes all: it goes on when that ends */
	node->waits_for_change = node->n_changes && sim_time_from_s(node->next_change->at_s) < due;
	if (node->waits_for_change)
		due = sim_time_from_s(node->next_change->at_s);
	if (due == SIM_TIME_MAX && rate == 0)
		sim_engine_cancel(model->engine, &node->event);
	else if (!sim_event_is_queued(&node->event) || node->event.time != due)
		sim_engine_at(model->engine, &node->event, due);
}

static void fire_at_once(struct sim_event *event)
{
	struct net_compute *compute = (struct net_compute *)event;

	compute->done(compute);
}

/* All but where it runs; false: there is no work. */
static bool set_up(struct net_model *model, struct net_compute *compute, int n, double work_s,
		   net_compute_fn done)
{
	double factor = net_model_vary_factor(&model->compute_rng, model->compute_amplitude);

	*compute = (struct net_compute){
	    .model = model, .done = done, .node = n, .begin = model->engine->now};
	sim_event_init(&compute->event, fire_at_once);
	compute->work_s = work_s > 0 ? work_s * factor : 0;
	compute->useful_s = compute->work_s / model->cluster->cpu.speed[n];
	if (compute->work_s == 0)
		sim_engine_at(model->engine, &compute->event, model->engine->now);
	return compute->work_s > 0;
}

void net_compute_start_on(struct net_model *model, struct net_compute *compute,
			  const struct net_place *place, double work_s, double memory_B,
			  net_compute_fn done)
{
	if (!model->memory)
		net_compute_start(model, compute, place->node, work_s, done);
	else if (set_up(model, compute, place->node, work_s, done))
		net_memory_compute(compute, place, memory_B);
}

void net_compute_start(struct net_model *model, struct net_compute *compute, int n, double work_s,
		       net_compute_fn done)
{
	struct net_node *node = &model->nodes[n];
	double ahead_s = 0;

	if (!set_up(model, compute, n, work_s, done))
		return;
	advance(node, model->engine->now);
	/* With a fixed timeslice shares stay as they are until the next boundary, where it joins
	 * the others. */
	if (!node->n_computes)
		node->rate = node->undisturbed = 0;
	if (!net_model_at_boundary(model))
		ahead_s = sim_time_to_s(net_model_next_boundary(model) - model->engine->now);
	compute->end_s = node->virtual_s + node->rate * node->speed * ahead_s + compute->useful_s;
	compute->mark[0] = node->stolen_s + (node->undisturbed - node->rate) * ahead_s;
	compute->mark[1] = node->shared_s + (1 - node->undisturbed) * ahead_s;
	compute->mark[2] = node->slowed_s + node->rate * (1 - node->speed) * ahead_s;
	compute->order = model->next_order++;
	node->heap = meld(node->heap, compute);
	node->n_computes++;
	net_node_touch(model, n);
}
