/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What shares the memory of a node (docs/model.md §4). A flow is a computation or a copy. At speed 1
 * it takes its minimal duration and draws d bytes per second on each of its domains; it never gets
 * more than the speed g that its cores have for it. A domain carries M(n) while n flows draw on it.
 * Domains are shared max-min fairly: there is a level x for each domain, INFINITY where it is not
 * full, so that
 *
 *     speed of a flow = min(g, least level of its domains / d).
 *
 * The network's links are solved over all nodes, incrementally (maxmin.c). Here a node is all there
 * is, and what bounds a flow is its own: so a node is filled afresh at each change.
 */
#include "netmodel/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "cluster/levels.h"

enum { MOST_RANGES = 2 };

struct range { /* of domains of a node */
	int first, n;
};

struct flow {
	struct net_compute *compute; /* NULL: it is a copy */
	struct net_transfer *copy;
	struct net_place places[MOST_RANGES]; /* whose CPU it takes */
	int n_places;
	struct range ranges[MOST_RANGES];
	double draws_Bps; /* on each of its domains, at speed 1 */
	double remaining_s;
	double undisturbed, granted; /* of a core, without communication and with it */
	double speed, next_speed;    /* -1: not settled yet */
	int held_by, next_held_by;   /* the domain that it waits for; -1: none */
	bool is_waiting;	     /* a copy whose delay is not over */
	sim_time_ps updated;
};

struct node {
	struct flow *flows; /* [n], unordered */
	int n, capacity;
	int *n_copies;		   /* [cores] that the rank makes whose first core it is; NULL: not in use yet */
	struct net_memory_use *uses; /* [n_domains] */
};

struct net_memory {
	struct node *nodes; /* [n_nodes] */
	int n_nodes;
	/* [n_domains] while a node is filled: what is left, and for how many */
	double *room;
	int *n_open;
};

int net_memory_create(struct net_model *model)
{
	size_t n_domains = (size_t)cluster_n_domains(model->cluster);
	struct net_memory *memory = calloc(1, sizeof *memory);

	if (!memory)
		return UTIL_ENOMEM;
	model->memory = memory;
	memory->nodes = calloc((size_t)model->cluster->n_nodes, sizeof *memory->nodes);
	memory->room = calloc(n_domains, sizeof *memory->room);
	memory->n_open = calloc(n_domains, sizeof *memory->n_open);
	memory->n_nodes = model->cluster->n_nodes;
	return memory->nodes && memory->room && memory->n_open ? 0 : UTIL_ENOMEM;
}

void net_memory_destroy(struct net_memory *memory)
{
	if (!memory)
		return;
	for (int i = 0; memory->nodes && i < memory->n_nodes; i++) {
		free(memory->nodes[i].flows);
		free(memory->nodes[i].n_copies);
		free(memory->nodes[i].uses);
	}
	free(memory->nodes);
	free(memory->room);
	free(memory->n_open);
	free(memory);
}

/* --- flows come and go --- */

static struct range domains_of(const struct cluster *cluster, const struct net_place *place)
{
	int last = place->core + place->n_cores - 1;
	int first = cluster_domain_of(cluster, place->core);

	if (last >= cluster->cores)
		last = cluster->cores - 1;
	return (struct range){first, cluster_domain_of(cluster, last) - first + 1};
}

static void remember_place(struct flow *flow, int place)
{
	if (flow->compute)
		flow->compute->flow = place;
	else
		flow->copy->places[0] = place;
}

/* A copy takes CPU of its ranks; what they compute meanwhile has less. */
static void count_copies(struct node *node, const struct flow *flow, int more)
{
	for (int i = 0; !flow->compute && i < flow->n_places; i++)
		node->n_copies[flow->places[i].core] += more;
}

static bool reserve(const struct net_model *model, struct node *node)
{
	if (!node->n_copies) {
		node->n_copies = calloc((size_t)model->cluster->cores, sizeof *node->n_copies);
		node->uses = calloc((size_t)cluster_n_domains(model->cluster), sizeof *node->uses);
	}
	if (node->n == node->capacity) {
		int capacity = node->capacity ? 2 * node->capacity : 4;
		struct flow *flows = realloc(node->flows, (size_t)capacity * sizeof *flows);

		if (flows) {
			node->flows = flows;
			node->capacity = capacity;
		}
	}
	return node->n_copies && node->uses && node->n < node->capacity;
}

static void add(struct net_model *model, int n, const struct flow *flow)
{
	struct node *node = &model->memory->nodes[n];

	if (!reserve(model, node)) {
		net_model_out_of_memory(model);
		return;
	}
	node->flows[node->n] = *flow;
	node->flows[node->n].updated = model->engine->now;
	node->flows[node->n].held_by = -1;
	remember_place(&node->flows[node->n], node->n);
	node->n++;
	if (!flow->is_waiting)
		net_node_touch(model, n);
}

/* What it has done at the speed that it had. */
static void settle(struct node *node, struct flow *flow, sim_time_ps now)
{
	double elapsed_s = sim_time_to_s(now - flow->updated);

	flow->updated = now;
	flow->remaining_s = fmax(flow->remaining_s - flow->speed * elapsed_s, 0);
	if (flow->compute) {
		flow->compute->stolen_s += (flow->undisturbed - flow->granted) * elapsed_s;
		flow->compute->shared_s +=
		    (1 - flow->undisturbed + flow->granted - flow->speed) * elapsed_s;
	}
	for (int i = 0; i < MOST_RANGES; i++)
		for (int d = 0; d < flow->ranges[i].n; d++)
			node->uses[flow->ranges[i].first + d].carried_B +=
			    flow->draws_Bps * flow->speed * elapsed_s;
	if (flow->held_by >= 0)
		node->uses[flow->held_by].lost_s += (flow->granted - flow->speed) * elapsed_s;
}

static void take_out(struct net_model *model, int n, int place)
{
	struct node *node = &model->memory->nodes[n];

	settle(node, &node->flows[place], model->engine->now);
	count_copies(node, &node->flows[place], -1);
	node->flows[place] = node->flows[--node->n];
	if (place < node->n)
		remember_place(&node->flows[place], place);
	net_node_touch(model, n);
}

static void end_compute(struct sim_event *event)
{
	struct net_compute *compute = (struct net_compute *)event;
	struct net_model *model = compute->model;

	take_out(model, compute->node, compute->flow);
	model->nodes[compute->node].n_computes--;
	compute->done(compute);
}

void net_memory_compute(struct net_compute *compute, const struct net_place *place, double memory_B)
{
	struct net_model *model = compute->model;
	struct flow flow = {.compute = compute,
			    .places = {*place},
			    .n_places = 1,
			    .ranges = {domains_of(model->cluster, place)},
			    .remaining_s = compute->useful_s};

	flow.draws_Bps = memory_B / flow.ranges[0].n / compute->useful_s;
	compute->event.fire = end_compute;
	model->nodes[compute->node].n_computes++;
	add(model, compute->node, &flow);
}

/* --- copies --- */

static struct flow *flow_of(const struct net_transfer *copy)
{
	return &copy->model->memory->nodes[copy->source_node].flows[copy->places[0]];
}

/* All but the last bytes are there: the rest follows at the speed that it has. */
static void pass_mark(struct net_transfer *copy)
{
	struct net_model *model = copy->model;
	struct flow *flow = flow_of(copy);
	net_transfer_fn mark = copy->mark;

	settle(&model->memory->nodes[copy->source_node], flow, model->engine->now);
	copy->mark = NULL;
	flow->remaining_s = copy->last_s;
	sim_engine_at(model->engine, &copy->event,
		      net_model_due(model, flow->remaining_s / flow->speed));
	mark(copy);
}

static void fire_copy(struct sim_event *event)
{
	struct net_transfer *copy = (struct net_transfer *)event;
	struct flow *flow = flow_of(copy);

	if (flow->is_waiting) {
		flow->is_waiting = false;
		flow->updated = copy->model->engine->now;
		count_copies(&copy->model->memory->nodes[copy->source_node], flow, 1);
		net_node_touch(copy->model, copy->source_node);
	} else if (copy->mark) {
		pass_mark(copy);
	} else {
		take_out(copy->model, copy->source_node, copy->places[0]);
		copy->done(copy);
	}
}

void net_memory_copy(struct net_transfer *copy, const struct net_place *from,
		     const struct net_place *to, struct net_duration d)
{
	const struct cluster *cluster = copy->model->cluster;
	double work_s = d.work_s + (copy->mark ? copy->last_s : 0);
	int a = cluster_domain_of(cluster, from->core), b = cluster_domain_of(cluster, to->core);
	bool is_double = cluster->network.intra_copies == 2;
	struct flow flow = {.copy = copy,
			    .places = {*to, *from},
			    .n_places = is_double ? 2 : 1,
			    .ranges = {{a, 1}, {b, a != b}},
			    .remaining_s = d.work_s,
			    .is_waiting = true};

	/* each copy reads and writes: the first one at the sender, the last one at the receiver */
	flow.draws_Bps = (double)cluster->network.intra_copies * (a == b ? 2 : 1) *
			 (double)copy->size_B / work_s;
	copy->event.fire = fire_copy;
	add(copy->model, copy->source_node, &flow);
	sim_engine_after(copy->model->engine, &copy->event, sim_time_from_s(d.delay_s));
}

/* --- speeds --- */

/* What the flow's cores have for it. A rank makes its copies on its first core, k of them at 1/k, and
 * computes when it makes none: its library copies where its program computes. */
static void grant(const struct net_model *model, int n, const struct node *node, struct flow *flow)
{
	const struct cluster *cluster = model->cluster;
	double cost = cluster_cpu_cost(cluster, net_node_out(model, n)->n, net_node_in(model, n)->n) +
		      model->nodes[n].n_taken;
	double n_computes = model->nodes[n].n_computes;

	flow->undisturbed = flow->granted = 1;
	if (flow->compute) {
		flow->undisturbed = fmin(1, cluster->cores / n_computes);
		flow->granted = node->n_copies[flow->places[0].core] > 0
				    ? 0
				    : fmin(flow->undisturbed,
					   fmax(cluster->cores - cost, 0) / n_computes);
	}
	for (int i = 0; !flow->compute && i < flow->n_places; i++)
		flow->granted =
		    fmin(flow->granted, 1.0 / node->n_copies[flow->places[i].core]);
}

static int domain_at(const struct flow *flow, int k)
{
	return k < flow->ranges[0].n ? flow->ranges[0].first + k
				     : flow->ranges[1].first + k - flow->ranges[0].n;
}

static int n_domains_of(const struct flow *flow)
{
	return flow->ranges[0].n + flow->ranges[1].n;
}

/* It gets so much of each of its domains, which have the less for the others. */
static void give(struct net_memory *memory, struct flow *flow, double speed, int held_by)
{
	flow->next_speed = speed;
	flow->next_held_by = held_by;
	for (int k = 0; k < n_domains_of(flow); k++) {
		memory->room[domain_at(flow, k)] -= speed * flow->draws_Bps;
		memory->n_open[domain_at(flow, k)]--;
	}
}

static bool draws_on(const struct flow *flow, int domain)
{
	for (int k = 0; k < n_domains_of(flow); k++)
		if (domain_at(flow, k) == domain)
			return true;
	return false;
}

static void open_domains(struct net_model *model, struct node *node)
{
	struct net_memory *memory = model->memory;
	int n_domains = cluster_n_domains(model->cluster);

	for (int d = 0; d < n_domains; d++)
		memory->n_open[d] = 0;
	for (int i = 0; i < node->n; i++) {
		struct flow *flow = &node->flows[i];
		bool is_open = !flow->is_waiting && flow->granted > 0 && flow->draws_Bps > 0;

		flow->next_held_by = -1;
		flow->next_speed = is_open ? -1 : flow->is_waiting ? 0 : flow->granted;
		for (int k = 0; is_open && k < n_domains_of(flow); k++)
			memory->n_open[domain_at(flow, k)]++;
	}
	for (int d = 0; d < n_domains; d++)
		if (memory->n_open[d] > 0)
			memory->room[d] = cluster_memory(model->cluster, memory->n_open[d]);
}

/* The domain of which each of those that are not settled would get least; -1: none is. */
static int fullest(const struct net_memory *memory, int n_domains, double *out_level)
{
	int found = -1;

	for (int d = 0; d < n_domains; d++) {
		double level = memory->n_open[d] ? memory->room[d] / memory->n_open[d] : INFINITY;

		if (memory->n_open[d] && (found < 0 || level < *out_level)) {
			found = d;
			*out_level = level;
		}
	}
	return found;
}

/* Progressive filling: who cannot use the least share leaves the rest to the others; where all can,
 * the domain is full. */
static void fill(struct net_model *model, struct node *node)
{
	struct net_memory *memory = model->memory;
	int n_domains = cluster_n_domains(model->cluster), domain;
	double level = 0;

	open_domains(model, node);
	while ((domain = fullest(memory, n_domains, &level)) >= 0) {
		bool all_can = true;

		for (int i = 0; i < node->n; i++) {
			struct flow *flow = &node->flows[i];

			if (flow->next_speed >= 0 ||
			    flow->granted * flow->draws_Bps > level * (1 + NET_SAME))
				continue;
			give(memory, flow, flow->granted, -1);
			all_can = false;
		}
		for (int i = 0; all_can && i < node->n; i++)
			if (node->flows[i].next_speed < 0 && draws_on(&node->flows[i], domain))
				give(memory, &node->flows[i], level / node->flows[i].draws_Bps,
				     domain);
	}
}

static void set_speed(struct net_model *model, struct flow *flow)
{
	struct sim_event *event = flow->compute ? &flow->compute->event : &flow->copy->event;

	flow->held_by = flow->next_held_by;
	if (flow->speed == flow->next_speed && sim_event_is_queued(event))
		return;
	flow->speed = flow->next_speed;
	if (flow->speed > 0)
		sim_engine_at(model->engine, event,
			      net_model_due(model, flow->remaining_s / flow->speed));
	else /* its cores do something else: it goes on when that ends */
		sim_engine_cancel(model->engine, event);
}

void net_memory_update(struct net_model *model, int n)
{
	struct node *node = &model->memory->nodes[n];

	for (int i = 0; i < node->n; i++) {
		if (!node->flows[i].is_waiting)
			settle(node, &node->flows[i], model->engine->now);
		grant(model, n, node, &node->flows[i]);
	}
	fill(model, node);
	for (int i = 0; i < node->n; i++)
		if (!node->flows[i].is_waiting)
			set_speed(model, &node->flows[i]);
}

struct net_memory_use net_model_memory_use(const struct net_model *model, int n, int domain)
{
	const struct node *node = model->memory ? &model->memory->nodes[n] : NULL;

	struct net_memory_use use = node && node->uses ? node->uses[domain]
						       : (struct net_memory_use){0};

	use.bandwidth_Bps = cluster_memory(model->cluster, INT_MAX);
	return use;
}

int net_model_n_domains(const struct net_model *model)
{
	return isfinite(cluster_memory(model->cluster, INT_MAX)) ? cluster_n_domains(model->cluster)
								 : 0;
}
