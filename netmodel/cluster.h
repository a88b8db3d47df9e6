/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_CLUSTER_H
#define NETMODEL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * The description of a cluster, as read from cluster.yaml. docs/cluster-file.md documents every
 * key, its unit, default and range; this struct holds the values after checking. Bandwidths may be
 * INFINITY.
 */
enum net_latency_model {
	NET_LATENCY_DELAY,  /* latency is a delay that occupies nothing; then the bytes share the
			       links (default) */
	NET_LATENCY_SHARED, /* the whole minimal duration l + s/b is shared (thesis) */
};
enum net_sharing { NET_SHARING_MAXMIN, NET_SHARING_ALGORITHM1 };

enum net_progress {
	NET_PROGRESS_ASYNC,  /* the rendezvous goes on whatever the ranks do (default) */
	NET_PROGRESS_IN_MPI, /* each of its steps waits until its rank is in an MPI call that makes
				progress */
	NET_PROGRESS_IN_WAITING, /* the same, but a call whose requests are complete already makes
				    none */
};
enum net_late_answers { /* which calls tell only what an earlier one has found */
	NET_LATE_NONE,	 /* none: all look first (default) */
	NET_LATE_PROBES, /* MPI_Iprobe, MPI_Improbe */
	NET_LATE_TESTS,	 /* these, and MPI_Testall, MPI_Testany, MPI_Testsome */
};
enum net_order {
	NET_ORDER_FREE,     /* every transfer shares its links from its start on (default) */
	NET_ORDER_PER_PAIR, /* those from one rank to another follow each other */
};
enum net_synchronous { /* when a synchronous send below the eager threshold completes */
	NET_SYNCHRONOUS_MATCHED,      /* as its message is matched (default) */
	NET_SYNCHRONOUS_ACKNOWLEDGED, /* when a control message that says so is back */
};
enum net_rendezvous_end { /* when a rendezvous is over */
	NET_RENDEZVOUS_ARRIVED,	     /* for both ranks as its last byte arrives (default) */
	NET_RENDEZVOUS_ACKNOWLEDGED, /* for the sender when the receiver has said so, for the receiver
					when the sender has answered that */
};

enum net_rma_progress {
	NET_RMA_NIC,	/* the network interface serves one-sided messages as they come (default) */
	NET_RMA_IN_MPI, /* the target's CPU does while its rank is in an MPI call that makes
			   progress */
};

/* Whose rules choose the algorithms of collectives (mpi/coll/profile.h). */
enum net_coll_profile { NET_COLL_DEFAULT, NET_COLL_OPENMPI, NET_COLL_MPICH, NET_COLL_IDEAL };
enum { NET_N_COLLECTIVES = 17 };
/* The keys of the section `collectives` that name an algorithm: EACH(number, "name") for all. */
#define NET_COLLECTIVES(EACH)                                                                   \
	EACH(0, "barrier"), EACH(1, "bcast"), EACH(2, "gather"), EACH(3, "gatherv"),            \
	    EACH(4, "scatter"), EACH(5, "scatterv"), EACH(6, "allgather"),                      \
	    EACH(7, "allgatherv"), EACH(8, "alltoall"), EACH(9, "alltoallv"),                   \
	    EACH(10, "alltoallw"), EACH(11, "reduce"), EACH(12, "allreduce"),                   \
	    EACH(13, "reduce_scatter"), EACH(14, "reduce_scatter_block"), EACH(15, "scan"),     \
	    EACH(16, "exscan")
extern const char *const net_collective_names[NET_N_COLLECTIVES];

/* Sizes from `from_B` on, up to the next segment's, take latency_s + size / bandwidth_Bps. The
 * latency is the line's intercept: it may be negative, latency_s + from_B / bandwidth_Bps is not. */
struct net_segment {
	int64_t from_B;
	double latency_s, bandwidth_Bps;
};
struct net_segments { /* sizes below the first one's take the cluster's plain latency and bandwidth */
	int n;	      /* 0: no segments */
	struct net_segment *list; /* [n], by from_B, each once */
};

struct net_send_buffer { /* for messages, or connections that carried, from `from_B` on */
	int64_t from_B, size_B;
};
struct net_send_buffers {
	int n;			      /* 0: off */
	struct net_send_buffer *list; /* [n], by from_B, each once; off below the first */
};

struct net_sharing_efficiency { /* [k - 1]: what k transfers get of a link together, (0, 1] */
	int n;			/* 0: all of it; beyond n the last one holds */
	double *fraction;
};

/* What a calibration knows of a value: its 95 % interval. */
struct net_uncertainty {
	const char *key;	 /* "network.latency"; static */
	const char *unit;	 /* that the key's values have in a file: "s", " B/s", ""; static */
	double value, low, high; /* SI units; low <= value <= high */
	double min, max;	 /* that the key may have */
};
struct net_uncertainties {
	int n; /* 0: none known */
	struct net_uncertainty *list; /* [n], in the order of the file */
};

/* From `at_s` on the node has `speed`. */
struct net_speed_change {
	double at_s, speed;
	int node;
};
struct net_speed_changes {
	int n;			       /* 0: none */
	struct net_speed_change *list; /* [n], by node, then time; no time of a node twice */
};

struct net_cpu_cost { /* fraction of one CPU for o outgoing and i incoming transfers; [o * (n + 1) +
			 i], o, i = 0 … n */
	int n;	      /* beyond n the last row or column holds */
	double *fraction; /* (n + 1)² values, [0][0] = 0; NULL: communication costs no CPU */
};

struct net_cluster {
	char *name;
	int n_nodes;
	int cores;	    /* per node */
	double *node_speed; /* [n_nodes], relative to the reference CPU: 0.5 takes twice as long */
	struct net_speed_changes speed_changes;
	double host_to_target; /* seconds measured on this host × this = seconds on the reference
				  CPU */
	double *contention; /* [n_contention] speed of each of k computations that run on a node at once,
			       relative to one alone, k = 1 …; beyond: the last. NULL: 1 */
	int n_contention;
	struct net_cpu_cost cpu_cost;
	double cpu_cost_scale; /* multiplies the table ("what if communication cost a quarter") */

	double latency_s;
	double bandwidth_Bps;
	enum net_latency_model latency_model;
	enum net_sharing sharing;
	double timeslice_s;	/* 0: adaptive */
	double intra_latency_s; /* between ranks of one node */
	double intra_bandwidth_Bps;
	struct net_segments segments, intra_segments; /* by size of the transfer */
	int64_t burst_B;       /* what passes at once on a link that was idle long enough */
	int64_t queue_B;       /* of each transfer, in the queue that leaves its node in order */
	int64_t packet_payload_B;  /* transfers go as packets of so much; 0: they share links as a
				      fluid does */
	int64_t packet_overhead_B; /* of each on the links beside its payload, and of an
				      acknowledgement */
	double duplex_penalty; /* of a node's two links while both carry transfers, [0, 1) */
	struct net_sharing_efficiency sharing_efficiency;

	double overhead_s; /* o: per message, what the next two are unless the file tells them apart
			    */
	double send_overhead_s, recv_overhead_s; /* sender before the transfer, receiver when it
						    takes the message */
	double send_overhead_per_B_s,
	    recv_overhead_per_B_s; /* and for each byte that travels before the match */
	int64_t
	    eager_threshold_B; /* messages above it go by rendezvous; INT64_MAX: no rendezvous */
	int64_t control_message_B; /* size of one rendezvous control message */
	int64_t request_data_B;	   /* of the message, with the request to send */
	enum net_progress progress;
	enum net_late_answers late_answers;
	enum net_order order;
	enum net_synchronous synchronous;
	enum net_rendezvous_end rendezvous_end;
	struct net_send_buffers send_buffers;
	bool send_buffer_is_unattended; /* what was left to the system */
	struct net_send_buffers unattended_sends; /* what still leaves on a connection while its
						     sender makes no progress, by what it has
						     carried before */
	int64_t unattended_receive_B; /* what a connection still carries while its receiver makes no
					 progress, until it was full once; INT64_MAX: all */
	enum net_rma_progress rma_progress;
	int rma_queue_depth; /* one-sided messages of one rank to another that are under way at
				once */

	double spawn_startup_s;	    /* from MPI_Comm_spawn to the start of the processes */
	double spawn_per_process_s; /* and for each process that its node starts */
	char *spawn_placement;	    /* as `placement`; NULL: where there are fewest ranks */
	int spawn_max_processes;    /* in one run */
	int universe_size;	    /* MPI_UNIVERSE_SIZE; 0: as many as there are cores */
	/* the storage that files lie on (netmodel/storage.h) */
	int storage_servers;
	double storage_latency_s;
	double storage_Bps; /* of each server: what the next two are unless the file tells them apart */
	double storage_read_Bps, storage_write_Bps;
	double storage_client_Bps;  /* of each node towards the storage, each way */
	double storage_metadata_s;  /* of one operation on metadata */
	int64_t storage_stripe_B;
	int storage_stripe_count;   /* servers of one file; 0: all */
	enum net_coll_profile coll_profile;
	/* [i] is the algorithm asked for net_collective_names[i] and maybe ":SIZE"; NULL: the profile's. The MPI
	 * library knows their names. */
	char *coll_algorithms[NET_N_COLLECTIVES];

	struct net_uncertainties uncertainties;
	/* each computation and each transfer takes up to so much more or less, as a fraction; 0:
	 * what is equal stays equal */
	double vary_computation, vary_messages;

	char *placement; /* "block", "spread", "cyclic" or a list "0,0,1,1"; NULL: block */
};

/*
 * Reads a cluster file. Errors (UTIL_EINPUT): file:line:column, what was found, what was wanted;
 * unknown, duplicate and missing keys, values out of range. The result is the caller's, to be freed
 * with net_cluster_destroy.
 */
int net_cluster_load(const char *path, struct net_cluster **out, struct util_error *err);
/* The same from memory; `name` stands in messages. `text` need not end in NUL. */
int net_cluster_parse(const char *name, const char *text, size_t length_B, struct net_cluster **out,
		      struct util_error *err);
/*
 * As net_cluster_load / _parse with overrides applied before checking: each "section.key=value"
 * (n_overrides of them), where the value is YAML ("2us", "[1, 0.5]"). Errors about an override name
 * it instead of a place in the file.
 */
int net_cluster_load_with(const char *path, int n_overrides, const char *const overrides[],
			  struct net_cluster **out, struct util_error *err);
int net_cluster_parse_with(const char *name, const char *text, size_t length_B, int n_overrides,
			   const char *const overrides[], struct net_cluster **out,
			   struct util_error *err);
void net_cluster_destroy(struct net_cluster *cluster);

/*
 * Draws the values whose intervals are known, once, from `seed`: a normal distribution with the
 * interval as its 95 %, each side with its own width. All lines of a list of segments move with
 * network.latency (by as much) and network.bandwidth (by the same factor), those within a node with
 * theirs. *out_overrides: malloc'ed [*out_n] of malloc'ed "key=value" for net_cluster_load_with.
 * Equal seeds draw the same on every machine. Errors: UTIL_ENOMEM.
 */
int net_cluster_draw(const struct net_cluster *cluster, uint64_t seed, char ***out_overrides,
		     int *out_n, struct util_error *err);
/* Frees what net_cluster_draw returned. */
void net_cluster_draw_finish(char **overrides, int n);

/* How many bytes of a message of `size_B` bytes may still be under way when a rendezvous send
 * returns; negative: none, it returns when the receiver has everything. */
int64_t net_cluster_send_buffer(const struct net_cluster *cluster, int64_t size_B);

/* How much more leaves on a connection that has carried `carried_B` bytes, while its sender makes no
 * progress; negative: everything. */
int64_t net_cluster_unattended_send(const struct net_cluster *cluster, int64_t carried_B);

/* The least number of bytes that must have arrived on a connection, where arrived_B have, for its
 * system to take all before `end_B`. O(entries). */
int64_t net_cluster_handed_when(const struct net_cluster *cluster, int64_t arrived_B, int64_t end_B);

/* The fraction for o outgoing and i incoming transfers, scaled; in [0, cores]. */
double net_cluster_cpu_cost(const struct net_cluster *cluster, int outgoing, int incoming);
/* The relative speed of each busy core when `n_busy` >= 1 computations share a node, (0, 1]. */
double net_cluster_contention(const struct net_cluster *cluster, int n_busy);

#endif
