/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_MODEL_H
#define NETMODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/cluster.h"
#include "simcore/engine.h"
#include "util/error.h"

/*
 * The model at work: transfers and computations that share links and CPUs (docs/model.md §3, §4).
 * Each is an object embedded in its owner's; `done` is called from the engine's loop (on no task)
 * at the simulated time at which it completes, never from within the start function. Within an
 * instant the rates are brought up to date once, at its end, and only for what the changes touch.
 */
struct net_model;
struct net_transfer;
struct net_compute;
struct net_crossing;
typedef void (*net_transfer_fn)(struct net_transfer *transfer);
typedef void (*net_compute_fn)(struct net_compute *compute);

/* Both ends of a connection that goes as packets; zero-initialised. Private. */
struct net_tcp {
	int64_t sent_B;	   /* so far */
	int64_t unsent_B;  /* of the transfer that is being sent */
	int64_t queued_B;  /* sent, but still in the node's queue */
	int64_t partial_B; /* of the stream's first transfer: has arrived */
	/* the sender's end; packets */
	int window;			     /* that may be under way; 0: nothing was sent yet */
	int threshold;			     /* below it the window grows by what is acknowledged */
	int flight, largest_flight;	     /* under way; at most so far */
	int n_grown;			     /* acknowledged since the window grew last */
	int64_t n_sent, n_acked;	     /* so far */
	bool is_full;			     /* the window kept something back */
	bool has_begun;			     /* the transfer that is being sent has */
	bool is_growing_slowly;		     /* the end of slow start was found */
	int n_samples;			     /* of delays, in the round */
	int64_t round_end;		     /* n_sent when it began */
	double least_delay_s, round_delay_s; /* least of all, and of the round */
	sim_time_ps round_began, last_acked, last_sent;
	sim_time_ps growing_since; /* without idle times; 0: not yet */
	/* the receiver's end */
	int n_unacked; /* packets that have arrived since the last acknowledgement */
	int n_acks;    /* sent so far */
};

/*
 * Transfers that follow each other, as bytes of one connection do; zero-initialise. Private. It
 * counts bytes from its begin: what was started, has left to the system by the program (handed), and
 * has arrived. Arrived ≤ handed ≤ started, once anything was handed.
 */
struct net_stream;
typedef void (*net_stream_fn)(struct net_stream *stream);
struct net_stream {
	struct net_transfer *first,
	    *last; /* in the order of their starts; the first one may be on its links */
	int64_t started_B, handed_B;
	int64_t arrived_B; /* of those that have left it; see net_stream_arrived */
	bool is_held;	   /* only what was handed passes */
	bool is_closed;	   /* only what fits the receiver's buffer passes, which ends at window_B */
	int64_t window_B;
	net_stream_fn tell; /* NULL: nobody asks when tell_B bytes have arrived */
	int64_t tell_B;
	double first_s; /* without packets: all work of the first one, when it began */
	/* with packets: */
	struct net_transfer *sending; /* the first of which not everything was sent; NULL: none */
	struct net_tcp tcp;
};

struct net_transfer { /* private but for reading; zero-initialise. Small: millions are under way in
			 an all-to-all */
	struct sim_event event;
	struct net_model *model;
	net_transfer_fn done;
	net_transfer_fn mark; /* NULL: there is none, or it has been passed */
	union {
		double last_s;	/* work after the mark */
		int64_t last_B; /* with packets: bytes after it */
	};
	int64_t size_B;
	int source_node, dest_node;
	double remaining_s; /* of the minimal duration, at `updated` */
	union {
		double rate;   /* share in [0, 1] */
		double factor; /* with packets: on their times on the links */
	};
	sim_time_ps updated;
	union {
		int places[2];	       /* in its two links' arrays of transfers */
		struct net_path *path; /* where there are more than two links */
	};
	short stage;		   /* enum net_stage */
	short bound;		   /* of its rate, by its segment: 1, …; 0: none */
	bool is_ready;		   /* in a stream: its delay is over */
	short n_links;		   /* of its route; not yet while it is announced */
	struct net_stream *stream; /* NULL: none */
	struct net_transfer *next; /* in its stream */
};

struct net_compute {		/* private but for reading; zero-initialise */
	struct sim_event event; /* only for zero work */
	struct net_model *model;
	net_compute_fn done;
	int node;
	sim_time_ps begin;
	double work_s;			     /* on the reference CPU */
	double end_s;			     /* it ends when its node's virtual time gets there */
	uint64_t order;			     /* among equal ends: order of start */
	struct net_compute *child, *sibling; /* in the node's heap */
	int flow; /* where memory is shared: its number there */
	double mark[3]; /* the node's integrals at its start: stolen, shared, slowed */
	/* results, valid in `done` */
	double useful_s; /* on one otherwise idle core of this node, at the speeds that it had */
	double stolen_s,
	    shared_s; /* lost to communication, lost to other computations on the node */
};

/* Cores core … core + n_cores - 1 of a node: those of a rank. */
struct net_place {
	int node, core, n_cores;
};

struct net_stats {
	uint64_t n_transfers;
	uint64_t n_rate_updates; /* rates computed anew: one for each transfer on each link that a
				    change may touch */
	uint64_t n_rate_changes; /* those that came out different */
	uint64_t n_algorithm1_infeasible; /* instants in which max-min replaced the literal
					     Algorithm 1 somewhere */
};

/*
 * `cluster` is borrowed and must outlive the model. Errors: UTIL_ENOMEM. When memory runs out
 * later, the engine's next step says so. Destroy a model only when the engine makes no more steps.
 */
int net_model_create(struct sim_engine *engine, const struct cluster *cluster,
		     struct net_model **out, struct util_error *err);
void net_model_destroy(struct net_model *model);

/* Random relative variation, uniform in [1 - amplitude, 1 + amplitude], of every later transfer's
 * minimal duration / computation's work. */
void net_model_vary(struct net_model *model, double transfer_amplitude, double compute_amplitude,
		    uint64_t seed);

/* Starts a transfer of `size_B` bytes. Between ranks of one node: intra-node latency and bandwidth,
 * no sharing. O(1) when both links carry nothing else. */
void net_transfer_start(struct net_model *model, struct net_transfer *transfer, int source_node,
			int dest_node, int64_t size_B, net_transfer_fn done);
/* The same with a mark on the way: `mark` is called once when all but the last `last_B` bytes are
 * there, 0 <= last_B < size_B, then `done`. */
void net_transfer_start_marked(struct net_model *model, struct net_transfer *transfer,
			       int source_node, int dest_node, int64_t size_B, int64_t last_B,
			       net_transfer_fn mark, net_transfer_fn done);
/*
 * The same in a stream, which must outlive the transfer: its bytes take the links when those of all transfers that were started before in the stream have
 * left them; delays overlap. Only between different nodes. `mark` may be NULL.
 */
void net_transfer_start_in_stream(struct net_model *model, struct net_stream *stream,
				  struct net_transfer *transfer, int source_node, int dest_node,
				  int64_t size_B, int64_t last_B, net_transfer_fn mark,
				  net_transfer_fn done);
/* What has arrived of the stream. O(1). */
int64_t net_stream_arrived(const struct net_stream *stream);
/* … of its first transfer; 0 where there is none. O(1). */
int64_t net_stream_arrived_of_first(const struct net_stream *stream);
/* The bytes before `until_B`, as far as they were started, are the system's: they pass whatever
 * happens. It takes nothing back. O(1). */
void net_stream_hand(struct net_stream *stream, int64_t until_B);
/* Nothing but what was handed, or sent as packets, passes, which counts as handed; then the stream
 * stalls until more is, or it is released. O(1). */
void net_stream_hold(struct net_stream *stream);
/* Everything passes. O(1). */
void net_stream_release(struct net_stream *stream);
/* The receiver's system takes the bytes before `window_B`; it takes all. O(1). */
void net_stream_close(struct net_stream *stream, int64_t window_B);
void net_stream_open(struct net_stream *stream);
/* `reached` is called once, from the engine's loop, when `at_B` bytes have arrived, which have not
 * yet; NULL: nobody asks any more. It takes the place of what was asked before. O(1). */
void net_stream_tell_at(struct net_stream *stream, int64_t at_B, net_stream_fn reached);
/* The same between two ranks of one node, by the levels that they have in common, and by what copies
 * cost there; between nodes as above. `mark` may be NULL. */
void net_transfer_start_between(struct net_model *model, struct net_transfer *transfer,
				const struct net_place *source, const struct net_place *dest,
				int64_t size_B, int64_t last_B, net_transfer_fn mark,
				net_transfer_fn done);
/* Starts a computation of `work_s` seconds (on the reference CPU) on `node`. */
void net_compute_start(struct net_model *model, struct net_compute *compute, int node,
		       double work_s, net_compute_fn done);

/* The same on a rank's cores, whose memory it reads and writes `memory_B` bytes of. Where the cluster's
 * memory has no limit that changes nothing. */
void net_compute_start_on(struct net_model *model, struct net_compute *compute,
			  const struct net_place *place, double work_s, double memory_B,
			  net_compute_fn done);

/* So many more cores (negative: fewer) of the node do something else now: communication, as far as its
 * computations go. */
void net_node_take(struct net_model *model, int node, int n_cores);

/* The minimal duration of a transfer of `size_B` bytes, without variation, by its cause. */
struct net_minimum {
	double latency_s, bandwidth_s;
	int is_delay; /* the latency occupies no link */
};
enum { NET_BETWEEN_NODES = -1 };
/* `level`: that two ranks of a node have in common (cluster/levels.h). */
struct net_minimum net_transfer_minimum(const struct cluster *cluster, int level, int64_t size_B);

/* Links of a network that is no star (netmodel/route.h); NULL: it is one. Borrowed. */
struct net_topology;
const struct net_topology *net_model_topology(const struct net_model *model);
/* From now on the routes of transfers are known as they end. False: no memory, or a star. */
bool net_model_keep_routes(struct net_model *model);
/* While `done` of a transfer runs: the k-th link between switches of its route, from 0 on; -1: it has
 * no more. */
int net_model_ended_link(const struct net_model *model, int k);
/* What one of them has done so far. */
struct net_link_use {
	double carried_B, bandwidth_Bps;
	double lost_s; /* how much longer transfers took that it held back */
};
struct net_link_use net_model_link_use(const struct net_model *model, int link);

/* What a memory domain of a node has done so far. */
struct net_memory_use {
	double carried_B, bandwidth_Bps; /* the latter while many draw on it */
	double lost_s; /* how much longer computations and copies took that it held back */
};
/* Domains of each node; 0: memory has no limit. */
int net_model_n_domains(const struct net_model *model);
struct net_memory_use net_model_memory_use(const struct net_model *model, int node, int domain);

struct net_stats net_model_stats(const struct net_model *model);
/* For tests and the report: sum of the rates on a link, 0 … 1 (below 1 where the cluster has a
 * sharing efficiency or a duplex penalty). */
double net_model_link_load(const struct net_model *model, int node, int is_incoming);

#endif
