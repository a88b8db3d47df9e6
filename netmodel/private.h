/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_PRIVATE_H
#define NETMODEL_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netmodel/model.h"
#include "util/pool.h"
#include "util/rng.h"

/*
 * What the files of the model share; only netmodel/ includes it. Node i has link i (outgoing) and
 * link n_nodes + i (incoming), each of capacity 1: a transfer's work is its minimal duration, its
 * rate the share of a link's time that it gets.
 */

/* Relative difference below which two rates or levels are the same: rounding, not a change. */
#define NET_SAME 1e-12
/* How far from full a link counts as full, and how far above 1 as too much: sums of thousands of
 * rounded rates. */
#define NET_FULL 1e-9

enum net_stage {
	NET_STAGE_DIRECT = 1, /* within a node, or without any work: ends with its event */
	NET_STAGE_LATENCY,    /* a delay, then the bytes */
	NET_STAGE_ANNOUNCED,  /* the same, alone on its links so far: `updated` is when it enters
				 them */
	NET_STAGE_QUEUED,     /* in a stream: its delay, then those before it, then the bytes */
	NET_STAGE_BEHIND,     /* behind what others have in their node's queue */
	NET_STAGE_SHARED,     /* on its links */
	NET_STAGE_STALLED,    /* in a stream, of which no more may pass for now */
};

struct net_hop { /* a transfer on a link, and its other link */
	struct net_transfer *transfer;
	int other;
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
	double load;	/* sum of the rates, but for rounding */
	double share;	/* Algorithm 1, literally: what each transfer processed here gets; INFINITY:
			   there is none */
	bool dirty;	/* transfers came or went since the rates were right */
	bool bad;	/* the literal Algorithm 1 fails here */
	bool is_maxmin; /* max-min replaces Algorithm 1 in this link's component */
	bool queued, visited; /* while solving */

	/* while max-min is solved */
	bool in_region, settled, touched;
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
	double rate;	    /* what each gets of a core; 1 where none runs */
	double speed;	    /* relative to the node's own: 1 until a change */
	double undisturbed; /* what each would get if communication cost nothing */
	double virtual_s; /* integral of rate · speed since the node was last idle, at `updated` */
	double stolen_s, shared_s; /* integrals of undisturbed - rate and of 1 - undisturbed */
	double slowed_s;	   /* integral of rate · (1 - speed) */
	int n_changes;		   /* of speed, that are still to come */
	const struct cluster_speed_change *next_change; /* [n_changes], borrowed from the cluster */
	bool waits_for_change;			    /* the event is a change of speed */
	sim_time_ps updated;
	bool dirty;
};

struct net_model {
	struct sim_engine *engine;
	const struct cluster *cluster;
	struct net_link *links; /* [2 n_nodes] */
	struct net_node *nodes; /* [n_nodes] */
	int n_links;
	double *capacities; /* [n_links] of each link, instead of 1; NULL: all 1 */
	double queue_s;	    /* of each transfer, in its node's queue; 0: none */
	double burst_s;	    /* the most credit that a link saves up; 0: none */
	/* Whose transfers between nodes have this delay, without variation, and may be announced;
	 * -1: they do not have one. */
	sim_time_ps plain_delay;
	bool may_announce; /* nothing but the transfers on a link tells what passes it */
	bool has_limits; /* the cluster has a sharing efficiency or a duplex penalty, or links have
			    capacities of their own */
	bool has_packets; /* transfers between nodes go as packets */
	double wire_s_per_B; /* of packets, overhead included */
	struct util_pool packets;
	struct net_stream **others; /* [n_nodes], rows [n_nodes] by destination, NULL as long as nobody
				       needs them: of transfers that are in no stream */
	struct net_list dirty_links, dirty_nodes;
	struct net_list region, touched, visited; /* while solving */
	struct net_heap heap;
	double *caps;
	size_t caps_capacity;
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

static inline struct net_link *net_out_link(const struct net_transfer *transfer)
{
	return &transfer->model->links[transfer->source_node];
}
static inline struct net_link *net_in_link(const struct net_transfer *transfer)
{
	return &transfer->model->links[transfer->model->cluster->n_nodes + transfer->dest_node];
}
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
/* After one more or one fewer transfer on its links. */
__attribute__((cold)) void net_transfer_change_limits(struct net_model *model,
						      const struct net_transfer *transfer);
/* Bytes that both links let through at once, because they have been idle. */
__attribute__((cold)) void net_transfer_pass_burst(struct net_model *model,
						   struct net_transfer *transfer);
/* True when it has to wait for its turn in its node's queue first. */
__attribute__((cold)) bool net_transfer_waits_behind(struct net_model *model,
						     struct net_transfer *transfer);

/* transfer.c */
/* More or fewer transfers on its nodes: communication may cost another fraction of their CPUs. */
void net_transfer_touch_cpus(struct net_model *model, const struct net_transfer *transfer);
void net_transfer_set_rate(struct net_model *model, struct net_transfer *transfer, double rate);
bool net_rate_same(double a, double b);
/* The bytes of a transfer begin to share its links, or wait behind those in its node's queue. */
void net_transfer_enter_links(struct net_model *model, struct net_transfer *transfer);
void net_transfer_leave_links(struct net_model *model, struct net_transfer *transfer);

/* stream.c */
/* Bytes from here on do not pass. */
static inline int64_t net_stream_limit(const struct net_stream *stream)
{
	int64_t limit_B = stream->is_held ? stream->handed_B : INT64_MAX;

	return stream->is_closed && stream->window_B < limit_B ? stream->window_B : limit_B;
}
/* The work until the stream's first transfer ends, passes its mark, or stalls. */
double net_stream_left(const struct net_transfer *first);
/* The same, or until it has to tell. */
double net_stream_next(const struct net_transfer *first);
/* Its event is due: it stalls, or it told somebody and goes on. False: it ends, or passes its mark. */
bool net_stream_stops(struct net_transfer *first);

void net_stream_append(struct net_stream *stream, struct net_transfer *transfer);
/* The first of the stream has left its links. */
void net_stream_remove_first(struct net_stream *stream);
/* Whoever is first and ready goes on; what has no bytes to share ends there. */
void net_stream_advance(struct net_stream *stream);
/* So much has arrived: whoever asked for it is told. */
void net_stream_tell(struct net_stream *stream, int64_t arrived_B);

/* The work until a transfer ends, passes its mark, or stalls. */
static inline double net_transfer_left(const struct net_transfer *transfer)
{
	return transfer->stream ? net_stream_left(transfer) : transfer->remaining_s;
}
/* The same, or until it has to tell that it got so far: its next event. */
static inline double net_transfer_next(const struct net_transfer *transfer)
{
	return transfer->stream ? net_stream_next(transfer) : transfer->remaining_s;
}

/* packets.c */
/* Puts a transfer that is set up at the end of its stream (NULL: it has none), to go as packets
 * after its delay; their times are multiplied by `factor`. */
__attribute__((cold)) void net_packets_start(struct net_transfer *transfer,
					     struct net_stream *stream, double delay_s,
					     int64_t last_B, double factor);
/* Sends what the stream's window allows, and what was handed where it is held. */
void net_packets_go(struct net_model *model, struct net_stream *stream);
void net_packets_init(struct net_model *model);
void net_packets_finish(struct net_model *model);

/* heap.c */
void net_heap_push(struct net_heap *heap, double key, int link);
struct net_heap_entry net_heap_pop(struct net_heap *heap);

/* maxmin.c: new levels for model->region and whatever else must change, then the rates. Region
 * members are dirty links. */
void net_maxmin_solve(struct net_model *model);
/* algorithm1.c: the same for Algorithm 1, from model->dirty_links. */
void net_algorithm1_solve(struct net_model *model);

/* compute.c */
void net_node_init(struct net_node *node, struct net_model *model);
void net_node_touch(struct net_model *model, int node);
void net_node_update(struct net_model *model, struct net_node *node);

#endif
