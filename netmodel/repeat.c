/* SPDX-License-Identifier: BSD-3-Clause */
#include "netmodel/repeat.h"

#include <stdlib.h>

#include "netmodel/private.h"

/* Routes are chosen by random numbers, or by who is under way. */
static bool has_choices(const struct net_model *model)
{
	enum cluster_routing routing = model->cluster->network.topology.routing;

	return routing == CLUSTER_ROUTING_ADAPTIVE || routing == CLUSTER_ROUTING_VALIANT;
}

bool net_model_is_timeless(const struct net_model *model)
{
	return !has_choices(model) && !model->has_changes && !model->memory && !model->slice &&
	       model->burst_s == 0 && model->transfer_amplitude == 0 &&
	       model->compute_amplitude == 0 && model->cluster->cpu.speed_changes.n == 0 &&
	       model->cluster->protocol.unattended_new_B == 0 && model->method->solve != NULL;
}

bool net_model_is_orderless(const struct net_model *model)
{
	return model->cluster->network.model == CLUSTER_NETWORK_FLUID &&
	       model->cluster->protocol.order == CLUSTER_ORDER_FREE;
}

static bool describe_links(const struct net_model *model, struct util_words *out)
{
	for (int i = 0; i < model->n_links; i++) {
		const struct net_link *link = &model->links[i];

		if (link->n > 0 || link->dirty)
			return false;
		util_words_add(out, (uint64_t)link->n_before << 2 | (uint64_t)link->bad << 1 |
					(uint64_t)link->is_maxmin);
		util_words_add_double(out, link->limit);
		util_words_add_double(out, link->level);
		util_words_add_double(out, link->share);
		util_words_add_double(out, link->load);
	}
	return true;
}

/* How many of a heap, and of its siblings, began before one with this order: what the order of equal
 * ends depends on. */
static uint64_t count_before(const struct net_compute *compute, uint64_t order)
{
	uint64_t n = 0;

	for (; compute; compute = compute->sibling)
		n += (compute->order < order) + count_before(compute->child, order);
	return n;
}

/* A computation with those below it in its node's heap, then its siblings. */
static void describe_heap(const struct net_model *model, const struct net_node *node,
			  const struct net_compute *compute, struct util_words *out)
{
	for (; compute; compute = compute->sibling) {
		util_words_add(out, (uint64_t)(uintptr_t)compute);
		util_words_add(out, (uint64_t)(model->engine->now - compute->begin));
		util_words_add(out, count_before(node->heap, compute->order));
		util_words_add_double(out, compute->work_s);
		util_words_add_double(out, compute->useful_s);
		util_words_add_double(out, compute->end_s);
		for (int i = 0; i < 3; i++)
			util_words_add_double(out, compute->mark[i]);
		describe_heap(model, node, compute->child, out);
	}
	util_words_add(out, 0);
}

static bool describe_nodes(const struct net_model *model, struct util_words *out)
{
	for (int i = 0; i < model->cluster->n_nodes; i++) {
		const struct net_node *node = &model->nodes[i];

		if (node->dirty)
			return false;
		if (!node->n_computes)
			continue;
		util_words_add(out, (uint64_t)i);
		util_words_add(out, (uint64_t)(model->engine->now - node->updated));
		util_words_add(out, sim_event_is_queued(&node->event)
					? (uint64_t)(node->event.time - model->engine->now)
					: UINT64_MAX);
		util_words_add_double(out, node->rate);
		util_words_add_double(out, node->undisturbed);
		util_words_add_double(out, node->speed);
		util_words_add_double(out, node->virtual_s);
		util_words_add_double(out, node->stolen_s);
		util_words_add_double(out, node->shared_s);
		util_words_add_double(out, node->slowed_s);
		describe_heap(model, node, node->heap, out);
	}
	return true;
}

static bool is_of_node(const struct net_model *model, const struct sim_event *event)
{
	uintptr_t offset = (uintptr_t)event - (uintptr_t)model->nodes;

	return offset < (size_t)model->cluster->n_nodes * sizeof *model->nodes &&
	       offset % sizeof *model->nodes == offsetof(struct net_node, event);
}

/* The order in which they leave; when they do stands with their nodes. */
static bool describe_events(const struct net_model *model, struct util_words *out)
{
	const struct sim_queue *queue = &model->engine->queue;
	const struct sim_event **events = malloc((queue->n_events + 1) * sizeof *events);
	bool all_known = events && sim_queue_list(queue, events) == 0;

	for (size_t i = 0; i < queue->n_events && all_known; i++) {
		all_known = is_of_node(model, events[i]);
		util_words_add(out, (uint64_t)(uintptr_t)events[i]);
	}
	free(events);
	return all_known;
}

bool net_model_describe(const struct net_model *model, struct util_words *out,
			struct util_words *order)
{
	return !model->hook.pending && describe_links(model, out) && describe_nodes(model, out) &&
	       describe_events(model, order) && !out->is_lost && !order->is_lost;
}

static void delay_heap(struct net_compute *compute, sim_time_ps duration)
{
	for (; compute; compute = compute->sibling) {
		compute->begin += duration;
		delay_heap(compute->child, duration);
	}
}

void net_model_mark(struct net_model *model)
{
	net_uses_mark(model);
}

void net_model_jump(struct net_model *model, sim_time_ps duration, uint64_t n,
		    const struct net_stats *more)
{
	net_uses_repeat(model, n);
	for (int i = 0; i < model->cluster->n_nodes; i++) {
		model->nodes[i].updated += duration;
		delay_heap(model->nodes[i].heap, duration);
	}
	for (int i = 0; i < model->n_links; i++)
		model->links[i].idle_since += duration;
	model->stats.n_transfers += more->n_transfers;
	model->stats.n_rate_updates += more->n_rate_updates;
	model->stats.n_rate_changes += more->n_rate_changes;
	model->stats.n_algorithm1_infeasible += more->n_algorithm1_infeasible;
}
