/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_PRIVATE_H
#define NETMODEL_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netmodel/model.h"
#include "netmodel/route.h"
#include "util/pool.h"
#include "util/rng.h"

/*
 * What the files of the model share; only netmodel/ includes it. Each link (netmodel/route.h) has
 * capacity 1: a transfer's work is its minimal duration, its rate the share of a link's time that it
 * gets.
 */

/* Relative difference below which two rates or levels are the same: rounding, not a change. */
#define NET_SAME 1e-12
/* How far from full a link counts as full, and how far above 1 as too much: sums of thousands of
 * rounded rates. */
#define NET_FULL 1e-9

/* Of how many routes adaptive routing takes the least busy one. */
#define NET_ROUTES_TRIED 4

enum net_stage {
	NET_STAGE_DIRECT = 1, /* within a node, or without any work: ends with its event */
	NET_STAGE_LATENCY,    /* a delay, then the bytes */
	NET_STAGE_QUEUED,     /* in a stream: its delay, then those before it, then the bytes */
	NET_STAGE_SHARED,     /* on its links */
	NET_STAGE_STALLED,    /* in a stream, of which no more may pass for now */
};

/* The parts of a minimal duration: what occupies nothing, and what links share. */
struct net_duration {
	double delay_s, work_s;
	double bandwidth_Bps;
	short bound;	/* struct net_transfer */
	bool is_shared; /* there is work, though it may lie after the mark */
};

struct net_link;

/*
 * How transfers between nodes get there: a constant table. net_fluid: they share links max-min
 * fairly. net_thesis: the same by Algorithm 1. net_unshared: each as if it were alone. net_packets.
 */
struct net_method {
	int (*create)(struct net_model *model); /* 0 or UTIL_ENOMEM; NULL: it has no state */
	void (*destroy)(struct net_model *model);
	/* A transfer that is set up, with its stream and its mark, if any. `factor`: what its times
	 * were multiplied by. */
	void (*start)(struct net_transfer *transfer, struct net_duration duration, int64_t last_B,
		      double factor);
	/* A stream with transfers may pass more or less than before, or has to tell. */
	void (*go)(struct net_stream *stream);
	int64_t (*arrived_of_first)(
	    const struct net_stream *stream); /* of a stream with transfers */
	double (*load)(const struct net_model *model, const struct net_link *link); /* 0 … 1 */
	void (*solve)(struct net_model *model); /* new rates, from dirty_links; NULL: no rates, but
						   connections that remember */
};
extern const struct net_method net_fluid, net_thesis, net_unshared, net_packets;

struct net_crossing {	 /* a link of a route of more than two */
	int link, place; /* in the link's array of transfers */
};

/* Such a route of a transfer. What is solved looks only at it: of a million transfers each is far away. */
struct net_path {
	struct net_transfer *transfer;
	double rate; /* as the transfer's, while it is on its links */
	struct net_crossing at[];
};

struct net_hop { /* a transfer on a link */
	union {
		struct net_transfer *transfer;
		struct net_path *path;
	};
	int other;   /* its other link, of a route of two; -1 - k: it is the k-th of the path */
	int n_links; /* of the path */
};

struct net_link {
	struct net_hop *hops; /* [n], unordered */
	/* NULL, or the link is idle but for this one, which enters it at `updated` or did so then
	 */
	struct net_transfer *announced;
	int n, capacity;
	int n_before; /* n when the rates were last right; Algorithm 1 */
	int n_caps;   /* see caps: here it fills a gap, and the size of the struct stays one that
			 compilers multiply by cheaply */
	double limit; /* what its transfers get together: 1, or less by their number and the
			 traffic the other way */
	double
	    level; /* max-min: the most that a transfer gets here; INFINITY: the link is not full */
	double credit_s; /* of a burst: work that passes at once; saved up to `idle_since`, when the
			    link was last left */
	sim_time_ps idle_since;
	sim_time_ps busy_until; /* packets: when the last one of its queue leaves */
	double load;		/* sum of the rates, but for rounding */
	double share;	/* Algorithm 1, literally: what each transfer processed here gets; INFINITY:
			   there is none */
	bool dirty;	/* transfers came or went since the rates were right */
	bool bad;	/* the literal Algorithm 1 fails here */
	bool is_maxmin; /* max-min replaces Algorithm 1 in this link's component */
	bool queued, visited; /* while solving */

	/* while max-min is solved */
	bool touched;
	double old_level;
	double extra; /* change of load, of a link that is not full */
	double room;  /* what its unsettled transfers share */
	int n_unsettled;
	double settling_level; /* transfers settled at this level are not yet taken out of room … */
	int n_settling;	       /* … and there are so many */
	bool key_is_old;       /* something was taken out since the share stands in the heap */
	double *caps, min_cap; /* [n_caps] levels of links outside the region, not yet taken out of
				  room */
};

static inline struct net_transfer *net_hop_transfer(const struct net_hop *hop)
{
	return __builtin_expect(hop->other < 0, 0) ? hop->path->transfer : hop->transfer;
}
static inline double net_hop_rate(const struct net_hop *hop)
{
	return __builtin_expect(hop->other < 0, 0) ? hop->path->rate : hop->transfer->rate;
}

enum net_standing { NET_OUTSIDE, NET_INSIDE, NET_SETTLED }; /* as to the region that is solved */

struct net_use { /* of a link, of a fabric */
	int n_routed; /* for adaptive routing: transfers under way on routes of more than two links
			 that cross it */
	double carried_B;
	double lost_s; /* how much longer transfers took that it held back, up to `since` */
	double losing; /* since then, in each second */
	sim_time_ps since;
	double marked_B, marked_s; /* carried and lost at the mark */
};

struct net_heap_entry {
	double key;
	int link;
};

struct net_heap { /* smallest key first, then smallest link; room for every link once */
	struct net_heap_entry *entries;
	int n;
};

struct net_list { /* room for every link once */
	int *links;
	int n;
};

struct net_node {
	struct sim_event event; /* the earliest end of a computation */
	struct net_model *model;
	struct net_compute *heap; /* by end_s */
	int n_computes;
	int n_taken;	    /* cores that something else has: net_node_take */
	double rate;	    /* what each gets of a core; 1 where none runs */
	double speed;	    /* relative to the node's own: 1 until a change */
	double undisturbed; /* what each would get if communication cost nothing */
	double virtual_s; /* integral of rate · speed since the node was last idle, at `updated` */
	double stolen_s, shared_s; /* integrals of undisturbed - rate and of 1 - undisturbed */
	double slowed_s;	   /* integral of rate · (1 - speed) */
	int n_changes;		   /* of speed, that are still to come */
	const struct cluster_speed_change *next_change; /* [n_changes], borrowed from the cluster */
	bool waits_for_change;				/* the event is a change of speed */
	sim_time_ps updated;
	bool dirty;
};

struct net_model {
	struct sim_engine *engine;
	const struct cluster *cluster;
	struct net_link *links; /* [n_links] */
	struct net_node *nodes; /* [n_nodes] */
	int n_links;
	const struct net_topology *topology; /* borrowed; NULL: the star */
	struct util_pool paths;		     /* of topology->longest links */
	int *route, *rival;   /* [topology->longest] the one that is being chosen, and another */
	int *ended, n_ended;  /* the one whose transfer ends; NULL: nobody asks */
	struct net_use *uses; /* [n_links]; NULL: the star, which counts nothing */
	struct util_rng route_rng;
	int n_routed;	  /* transfers under way on routes of more than two links */
	bool has_changes; /* of links: `change` is when, while any is */
	struct sim_event change;
	double *capacities; /* [n_links] of each link, instead of 1; NULL: all 1 */
	double
	    most_rate;	/* of a transfer, where links carry more than one NIC does; else INFINITY */
	double *bounds; /* [segments.n]: the most that one transfer of that segment gets; NULL: no
			   segment bounds it */
	bool has_bounds; /* any of both, while max-min is solved */
	double burst_s;	 /* the most credit that a link saves up; 0: none */
	/* Whose transfers between nodes have this delay, without variation, and may be announced;
	 * -1: they do not have one. */
	sim_time_ps plain_delay;
	bool may_announce; /* nothing but the transfers on a link tells what passes it */
	bool has_cpu_cost;
	struct net_topology *own_topology; /* NULL: the star's, or borrowed */
	bool has_limits;		   /* the cluster has losses, or links have
			    capacities of their own */
	const struct net_method *method;
	void *state; /* of the method, which knows its type */
	struct net_list dirty_links, dirty_nodes;
	struct net_list region, touched, visited; /* while solving */
	unsigned char *standings; /* [n_links] enum net_standing, OUTSIDE but while max-min is
				     solved; not in the links, so that they stay close together */
	struct net_heap heap;
	double *caps;
	size_t caps_capacity;
	struct net_memory *memory; /* netmodel/memory.h; NULL: nothing shares it */
	int n_bad, n_maxmin_links; /* Algorithm 1 */
	struct sim_instant_hook hook;
	struct sim_event tick; /* with a fixed timeslice: the next boundary at which rates change */
	sim_time_ps slice;     /* 0: adaptive */
	struct util_rng transfer_rng, compute_rng;
	double transfer_amplitude, compute_amplitude;
	uint64_t next_order;
	struct net_stats stats;
};

/* model.c */
/* A model of another network than the star; `topology` is borrowed and must outlive it. With a method
 * that shares links max-min fairly. */
int net_model_create_on(struct sim_engine *engine, const struct cluster *cluster,
			const struct net_topology *topology, struct net_model **out,
			struct util_error *err);
void net_model_out_of_memory(struct net_model *model);
/* Gives links capacities of their own, [n_links], (0, INFINITY], before the first transfer; taken
 * over. */
void net_model_set_capacities(struct net_model *model, double *capacities);
/* Asks for the rates to be brought up to date: at the end of this instant, or at the next boundary
 * of a fixed timeslice. */
void net_model_ask(struct net_model *model);
static inline bool net_model_at_boundary(const struct net_model *model)
{
	return !model->slice || model->engine->now % model->slice == 0;
}
sim_time_ps net_model_next_boundary(const struct net_model *model);
/* The first boundary of a fixed timeslice that is not before `due`. */
sim_time_ps net_model_due_on_boundary(const struct net_model *model, sim_time_ps due);
/* When something ends that needs `seconds` more from now on. */
static inline sim_time_ps net_model_due(const struct net_model *model, double seconds)
{
	sim_time_ps due = sim_time_add(model->engine->now, sim_time_from_s(seconds));

	return !model->slice || due == SIM_TIME_MAX ? due : net_model_due_on_boundary(model, due);
}
/* A factor in [1 - amplitude, 1 + amplitude]. */
static inline double net_model_vary_factor(struct util_rng *rng, double amplitude)
{
	return amplitude == 0 ? 1 : 1 + amplitude * (2 * util_rng_uniform(rng) - 1);
}

/* The links between a node and the network. */
static inline struct net_link *net_node_out(const struct net_model *model, int node)
{
	return &model->links[node];
}
static inline struct net_link *net_node_in(const struct net_model *model, int node)
{
	return &model->links[model->cluster->n_nodes + node];
}
static inline struct net_link *net_out_link(const struct net_transfer *transfer)
{
	return net_node_out(transfer->model, transfer->source_node);
}
static inline struct net_link *net_in_link(const struct net_transfer *transfer)
{
	return net_node_in(transfer->model, transfer->dest_node);
}
/* The k-th link of its route. */
static inline int net_crossed(const struct net_transfer *transfer, int k)
{
	if (__builtin_expect(transfer->n_links > 2, 0))
		return transfer->path->at[k].link;
	return k == 0 ? transfer->source_node
		      : transfer->model->cluster->n_nodes + transfer->dest_node;
}
/* route.c */
void net_route_init(struct net_model *model); /* of a fabric of its own */
/* Chooses the route of a transfer between nodes, and leaves it in model->route, too. False: no
 * memory. */
bool net_route_take(struct net_transfer *transfer);
void net_route_return(struct net_transfer *transfer); /* once it is over */
/* Transfers came or went: its rates are brought up to date. */
static inline void net_link_touch(struct net_model *model, struct net_link *link)
{
	if (link->dirty)
		return;
	link->dirty = true;
	model->dirty_links.links[model->dirty_links.n++] = (int)(link - model->links);
	net_model_ask(model);
}

/* limits.c; for clusters that have any of it */
/* The bounds by size that the cluster states. 0 or UTIL_ENOMEM. */
int net_bounds_create(struct net_model *model);
/* The most that the transfer gets of any link; INFINITY: nothing bounds it. */
static inline double net_most_rate(const struct net_model *model,
				   const struct net_transfer *transfer)
{
	double bound;

	if (__builtin_expect(!model->bounds || transfer->bound == 0, 1))
		return model->most_rate;
	bound = model->bounds[transfer->bound - 1];
	return bound < model->most_rate ? bound : model->most_rate;
}
/* After one more or one fewer transfer on its links. */
__attribute__((cold)) void net_transfer_change_limits(struct net_model *model,
						      const struct net_transfer *transfer);
/* After another capacity. */
__attribute__((cold)) void net_link_change_limit(struct net_model *model, int link);
/* Bytes that both links let through at once, because they have been idle. */
__attribute__((cold)) void net_transfer_pass_burst(struct net_model *model,
						   struct net_transfer *transfer);

/* transfer.c */
/* The event of a transfer that occupies nothing. */
void net_transfer_fire(struct sim_event *event);
/* Moves what comes after the mark, `last_s` at most, out of the duration. */
void net_transfer_set_mark(struct net_transfer *transfer, struct net_duration *d, double last_s);
/* All but its event and its work. */
static inline __attribute__((always_inline)) void
net_transfer_set_up(struct net_model *model, struct net_transfer *transfer, int source_node,
		    int dest_node, int64_t size_B, net_transfer_fn done)
{
	/* one by one: compilers clear a structure of this size by a loop */
	transfer->event.place = 0;
	transfer->model = model;
	transfer->done = done;
	transfer->mark = NULL;
	transfer->last_s = 0;
	transfer->size_B = size_B;
	transfer->source_node = source_node;
	transfer->dest_node = dest_node;
	transfer->rate = 0;
	transfer->updated = 0;
	transfer->stage = NET_STAGE_DIRECT;
	transfer->bound = 0;
	transfer->is_ready = false;
	transfer->stream = NULL;
	transfer->next = NULL;
	model->stats.n_transfers++;
}

/* fast.c */
/*
 * Announces a transfer whose links are idle: its event is its end, as it is when it stays alone on
 * them. Whoever comes to one of them before calls it in. False: they are not idle, or its end is
 * out of reach.
 */
bool net_fast_announce(struct net_transfer *transfer, sim_time_ps delay);
/* Another transfer comes to a link for which this one is announced: it is on its links from the
 * time at which it entered them, or its delay is not over and it comes like any other. */
void net_fast_call_in(struct net_transfer *transfer);

/* links.c */
/* More or fewer transfers on its nodes: communication may cost another fraction of their CPUs. */
void net_transfer_touch_cpus(struct net_model *model, const struct net_transfer *transfer);
void net_transfer_set_rate(struct net_model *model, struct net_transfer *transfer, double rate);
bool net_rate_same(double a, double b);
/* The bytes of a transfer begin to share its links. */
void net_links_enter(struct net_transfer *transfer);
void net_links_leave(struct net_transfer *transfer);
/* It is on its two links, which were idle, since `updated`. */
void net_links_begin_alone(struct net_transfer *transfer);

/* connection.c */
/* Bytes from here on do not pass. */
static inline int64_t net_stream_limit(const struct net_stream *stream)
{
	int64_t limit_B = stream->is_held ? stream->handed_B : INT64_MAX;

	return stream->is_closed && stream->window_B < limit_B ? stream->window_B : limit_B;
}
void net_stream_append(struct net_stream *stream, struct net_transfer *transfer);
/* The first of the stream has arrived. */
void net_stream_remove_first(struct net_stream *stream);
/* So much has arrived: whoever asked for it is told. */
void net_stream_tell(struct net_stream *stream, int64_t arrived_B);

/* fluid.c; what thesis.c has in common with it */
void net_fluid_start(struct net_transfer *transfer, struct net_duration duration, int64_t last_B,
		     double factor);
void net_fluid_go(struct net_stream *stream);
int64_t net_fluid_arrived_of_first(const struct net_stream *stream);
double net_fluid_load(const struct net_model *model, const struct net_link *link);
/* The event of a transfer that takes links. */
void net_fluid_fire(struct sim_event *event);
/* The work until the first transfer of a stream ends, passes its mark, or stalls. */
double net_fluid_stream_left(const struct net_transfer *first);
/* The same, or until it has to tell. */
double net_fluid_stream_next(const struct net_transfer *first);
/* The work until a transfer ends, passes its mark, or stalls. */
static inline double net_fluid_left(const struct net_transfer *transfer)
{
	return transfer->stream ? net_fluid_stream_left(transfer) : transfer->remaining_s;
}
/* The same, or until it has to tell that it got so far: its next event. */
static inline double net_fluid_next(const struct net_transfer *transfer)
{
	return transfer->stream ? net_fluid_stream_next(transfer) : transfer->remaining_s;
}

/* uses.c; of a fabric */
/* After new rates on these links. */
void net_uses_charge(struct net_model *model, const struct net_list *links);
/* A transfer takes a route of n links; what it has taken is given back, of more than two. */
void net_uses_begin(struct net_transfer *transfer, const int links[], int n);
void net_uses_end(struct net_transfer *transfer);
/* What was counted since the mark happens n times more. */
void net_uses_mark(struct net_model *model);
void net_uses_repeat(struct net_model *model, uint64_t n);

/* heap.c */
void net_heap_push(struct net_heap *heap, double key, int link);
struct net_heap_entry net_heap_pop(struct net_heap *heap);

/* maxmin.c: new levels for model->region and whatever else must change, then the rates. Region
 * members are dirty links. */
void net_maxmin_solve(struct net_model *model);

/* compute.c */
void net_node_init(struct net_node *node, struct net_model *model);
void net_node_touch(struct net_model *model, int node);
void net_node_update(struct net_model *model, struct net_node *node);

#endif
