/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_CLUSTER_H
#define CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * The description of a cluster, as read from cluster.yaml. docs/cluster-file.md documents every
 * key, its unit, default and range; this struct holds the values after checking. Bandwidths may be
 * INFINITY.
 */
enum cluster_network_model {
	CLUSTER_NETWORK_FLUID,	  /* latency is a delay that occupies nothing; then the bytes share
				   the links max-min fairly (default) */
	CLUSTER_NETWORK_THESIS,	  /* the whole minimal duration l + s/b is shared, by Algorithm 1 */
	CLUSTER_NETWORK_UNSHARED, /* as fluid, but each transfer has its links for itself */
};

enum cluster_progress {
	CLUSTER_PROGRESS_ASYNC, /* the rendezvous goes on whatever the ranks do (default) */
	CLUSTER_PROGRESS_IN_MPI, /* each of its steps waits until its rank is in an MPI call that makes
				progress */
	CLUSTER_PROGRESS_IN_WAITING, /* the same, but a call whose requests are complete already makes
				    none */
};
enum cluster_late_answers { /* which calls tell only what an earlier one has found */
			    CLUSTER_LATE_NONE,	 /* none: all look first (default) */
			    CLUSTER_LATE_PROBES, /* MPI_Iprobe, MPI_Improbe */
			    CLUSTER_LATE_TESTS, /* these, and MPI_Testall, MPI_Testany, MPI_Testsome */
};
enum cluster_order {
	CLUSTER_ORDER_FREE,	/* every transfer shares its links from its start on (default) */
	CLUSTER_ORDER_PER_PAIR, /* those from one rank to another follow each other */
};
enum cluster_synchronous { /* when a synchronous send below the eager threshold completes */
			   CLUSTER_SYNCHRONOUS_MATCHED, /* as its message is matched (default) */
			   CLUSTER_SYNCHRONOUS_ACKNOWLEDGED, /* when a control message that says so is back */
};
enum cluster_rendezvous_end {				  /* when a rendezvous is over */
			      CLUSTER_RENDEZVOUS_ARRIVED, /* for both ranks as its last byte arrives (default) */
			      CLUSTER_RENDEZVOUS_ACKNOWLEDGED, /* for the sender when the receiver has said so, for the receiver
					when the sender has answered that */
};

enum cluster_rma_progress {
	CLUSTER_RMA_NIC, /* the network interface serves one-sided messages as they come (default) */
	CLUSTER_RMA_IN_MPI, /* the target's CPU does while its rank is in an MPI call that makes
			   progress */
};

enum cluster_rma_model { CLUSTER_RMA_UNIFIED, CLUSTER_RMA_SEPARATE };

/* Whose rules choose the algorithms of collectives (mpi/coll/profile.h). */
enum cluster_coll_profile {
	CLUSTER_COLL_DEFAULT,
	CLUSTER_COLL_OPENMPI,
	CLUSTER_COLL_MPICH,
	CLUSTER_COLL_IDEAL
};
enum { CLUSTER_N_COLLECTIVES = 17 };
/* The keys of the section `collectives` that name an algorithm: EACH(number, "name") for all. */
#define CLUSTER_COLLECTIVES(EACH)                                                                 \
	EACH(0, "barrier"), EACH(1, "bcast"), EACH(2, "gather"), EACH(3, "gatherv"),              \
	    EACH(4, "scatter"), EACH(5, "scatterv"), EACH(6, "allgather"), EACH(7, "allgatherv"), \
	    EACH(8, "alltoall"), EACH(9, "alltoallv"), EACH(10, "alltoallw"), EACH(11, "reduce"), \
	    EACH(12, "allreduce"), EACH(13, "reduce_scatter"), EACH(14, "reduce_scatter_block"),  \
	    EACH(15, "scan"), EACH(16, "exscan")
extern const char *const cluster_collective_names[CLUSTER_N_COLLECTIVES];

/* Sizes from `from_B` on, up to the next segment's, take latency_s + size / bandwidth_Bps. The
 * latency is the line's intercept: it may be negative, latency_s + from_B / bandwidth_Bps is not. */
struct cluster_segment {
	int64_t from_B;
	double latency_s, bandwidth_Bps;
	double stream_Bps; /* between nodes: one transfer gets no more; INFINITY: all of bandwidth_Bps */
};
struct
    cluster_segments { /* sizes below the first one's take the cluster's plain latency and bandwidth */
	int n;	       /* 0: no segments */
	struct cluster_segment *list; /* [n], by from_B, each once */
};

/* Messages of `from_B` on, up to the next entry's, cost time_s + size · per_B_s of a rank's CPU. */
struct cluster_cost_by_size {
	int64_t from_B;
	double time_s, per_B_s;
};
struct cluster_costs_by_size { /* sizes below the first one's cost nothing */
	int n;		       /* 0: not by size */
	struct cluster_cost_by_size *list; /* [n], by from_B, each once */
};

struct cluster_send_buffer { /* for messages from `from_B` on */
	int64_t from_B, size_B;
};
struct cluster_send_buffers {
	int n;				  /* 0: off */
	struct cluster_send_buffer *list; /* [n], by from_B, each once; off below the first */
};

struct cluster_sharing_losses { /* [k - 1]: what k transfers of a link lose of it, [0, 1) */
	int n;			/* 0: nothing; beyond n the last one holds */
	double *fraction;
};

/* What a calibration knows of a value: its 95 % interval. */
struct cluster_uncertainty {
	const char *key;	 /* "network.latency"; static */
	double value, low, high; /* SI units; low <= value <= high */
	double min, max;	 /* that the key may have */
	size_t target;		 /* offset of the value in struct cluster */
	size_t heirs[2];	 /* of those that the file leaves to be the same; 0: none */
};
struct cluster_uncertainties {
	int n;				  /* 0: none known */
	struct cluster_uncertainty *list; /* [n], in the order of the file */
};

/* From `at_s` on the node has `speed`. */
struct cluster_speed_change {
	double at_s, speed;
	int node;
};
struct cluster_speed_changes {
	int n;				   /* 0: none */
	struct cluster_speed_change *list; /* [n], by node, then time; no time of a node twice */
};

struct cluster_cost { /* fraction of one CPU for o outgoing and i incoming transfers */
	bool is_law;  /* min(maximum, o × outgoing + i × incoming) */
	double outgoing, incoming, maximum;
	int n;		  /* of a table: beyond n the last row or column holds */
	double *fraction; /* [o * (n + 1) + i], o, i = 0 … n, [0][0] = 0; NULL: no table */
	double scale;	  /* multiplies either ("what if communication cost a quarter") */
};

/* Where ranks go on the cores of their node (cluster/levels.h). */
enum cluster_bind {
	CLUSTER_BIND_CORES,   /* one after the other (default) */
	CLUSTER_BIND_DOMAINS, /* round the memory domains */
	CLUSTER_BIND_SOCKETS, /* round the sockets */
};

/* The cores of a node: of sockets with memory domains (NUMA) with cores, as far as the file says
 * so. */
struct cluster_cores {
	int sockets, domains, per_domain; /* domains of a socket, cores of a domain; 0: all */
	enum cluster_bind bind;
	int n_memory;		/* 0: memory has no limit */
	double *memory_Bps;	/* [n_memory] bandwidth of each domain while 1, 2, … draw on it; of
				   more the last */
	double computation_Bps; /* that a core draws when it computes, where no kernel says
				   otherwise */
};

/* A message between two ranks of a node, by the lowest level that they have in common. */
struct cluster_level {
	double latency_s, bandwidth_Bps;
};
enum { CLUSTER_MAX_LEVELS = 3 };

/* Each section of the file is a struct of its own. These three are the network model's. */
struct cluster_cpu {
	double *speed; /* [n_nodes], relative to the reference CPU: 0.5 takes twice as long */
	struct cluster_speed_changes speed_changes;
	double host_to_target; /* seconds measured on this host × this = seconds on the reference
				  CPU */
	double *
	    contention; /* [n_contention] speed of each of k computations that run on a node at once,
			       relative to one alone, k = 1 …; beyond: the last. NULL: 1 */
	int n_contention;
	struct cluster_cost cost;
};

enum cluster_topology_kind {
	CLUSTER_TOPOLOGY_STAR, /* one switch that is never a bottleneck (default) */
	CLUSTER_TOPOLOGY_FAT_TREE,
	CLUSTER_TOPOLOGY_TORUS,
	CLUSTER_TOPOLOGY_DRAGONFLY,
	CLUSTER_TOPOLOGY_GRAPH, /* of a file */
};
enum cluster_routing {
	CLUSTER_ROUTING_DETERMINISTIC, /* d-mod-k, dimension order, minimal */
	CLUSTER_ROUTING_ECMP,	       /* by a hash of the two nodes */
	CLUSTER_ROUTING_ADAPTIVE,      /* the least loaded of some, at the start of a transfer */
	CLUSTER_ROUTING_VALIANT,       /* by way of a random group */
};
enum { CLUSTER_MAX_DIMENSIONS = 6 };

/* A list of whole numbers of a cluster file. */
struct cluster_numbers {
	int n, at[CLUSTER_MAX_DIMENSIONS];
};

struct cluster_link_speed {
	char *name;   /* of links (netmodel/route.h), or of a class; * stands for anything */
	double speed; /* relative to what it would be, (0, 1]; 0: they have failed */
	double at_s;  /* from then on */
	char *place;  /* in the cluster file, for messages */
};

/* What lies between the nodes (netmodel/topology.c): links between switches are of classes, levels of
 * a tree from the leaves up, dimensions of a torus, within groups and between them of a dragonfly. */
struct cluster_topology {
	enum cluster_topology_kind kind;
	enum cluster_routing routing;
	struct cluster_numbers dimensions; /* of a torus; their product is n_nodes */
	struct cluster_numbers down;	   /* ports of a tree's switches by level; their product
						  is n_nodes */
	struct cluster_numbers up;	   /* … one fewer: the top has none */
	int groups, routers, nodes, global_links; /* of a dragonfly: routers of a group, nodes and
						     global links of a router */
	/* Of links between switches: 0 of them, none and as a node's; 1, of all; or of each class */
	int n_hop_latencies, n_bandwidths;
	double hop_latency_s[CLUSTER_MAX_DIMENSIONS], bandwidth_Bps[CLUSTER_MAX_DIMENSIONS];
	int is_half_duplex;		   /* both directions of them share what one of them has */
	double scale;			   /* of bandwidths that they have of their own */
	double load;			   /* fraction of them that other jobs take */
	char *file;			   /* of a graph; NULL: none */
	struct cluster_graph *graph;	   /* cluster/graph.h; NULL: none */
	struct cluster_link_speed *speeds; /* [n_speeds] of links that are not as the others, by
					      at_s */
	int n_speeds;
};

/* What a message of this size costs: by `costs`, or `plain_s` where these do not go by size. */
double cluster_cost(const struct cluster_costs_by_size *costs, double plain_s, int64_t size_B);

/* How many classes its links between switches have; 0: the star. */
int cluster_n_link_classes(const struct cluster_topology *shape);
/* What a link of a class adds to the latency. */
double cluster_hop_latency_s(const struct cluster_topology *shape, int link_class);

struct cluster_network {
	double latency_s;
	double bandwidth_Bps;
	int n_nics;	  /* of a node, each with this bandwidth; a message takes one */
	double message_s; /* that a message takes a link at least */
	enum cluster_network_model model;
	struct cluster_topology topology;
	double timeslice_s;	/* of the thesis; 0: adaptive */
	double intra_latency_s; /* between ranks of one node */
	double intra_bandwidth_Bps;
	int n_intra_levels; /* 0: the same for all ranks of a node */
	struct cluster_level intra_levels[CLUSTER_MAX_LEVELS]; /* nearest first */
	int intra_copies; /* that CPUs make of each byte; 0: it costs nobody anything */
	struct cluster_segments segments, intra_segments; /* by size of the transfer */
	int64_t burst_B;	   /* what passes at once on a link that was idle long enough */
	int64_t packet_payload_B;  /* transfers go as packets of so much; 0: they share links as a
				      fluid does */
	int64_t packet_overhead_B; /* of each on the links beside its payload, and of an
				      acknowledgement */
	int64_t packet_queue_B; /* of each connection, in the queue that leaves its node; 0: any */
	double duplex_loss;	/* of a node's two links while both carry transfers, [0, 1) */
	struct cluster_sharing_losses sharing_losses;
};

struct cluster_storage { /* that files lie on (netmodel/storage.h) */
	int n_servers;
	double latency_s;
	double read_Bps, write_Bps; /* of each server */
	double client_Bps;	    /* of each node towards the storage, each way */
	double metadata_s;	    /* of one operation on metadata */
	int64_t stripe_B;
	int stripe_count; /* servers of one file; 0: all */
};

struct cluster_accelerators { /* of each node (netmodel/device.h) */
	int per_node;	  /* 0: none */
	double launch_s; /* CPU time of a rank for each piece of work that it hands over */
	double latency_s, bandwidth_Bps; /* of copies to or from one */
	int is_gpu_aware; /* the MPI library takes their memory as it takes the nodes' */
};

/* And these are the MPI library's. */
struct cluster_protocol {
	double send_overhead_s, recv_overhead_s; /* o: sender before the transfer, receiver when it
						    takes the message */
	double recv_overhead_per_B_s; /* and for each byte that travelled before the match */
	/* by size, in their places: of sends that block, sends with a request, receives */
	struct cluster_costs_by_size send_costs, isend_costs, recv_costs;
	double isend_overhead_s; /* of sends with a request; negative: as of those that block */
	double probe_s; /* of each MPI_Iprobe and MPI_Improbe */
	int64_t
	    eager_threshold_B;	/* messages above it go by rendezvous; INT64_MAX: no rendezvous */
	int64_t request_data_B; /* of the message, with the request to send */
	enum cluster_progress progress;
	enum cluster_late_answers late_answers;
	enum cluster_order order;
	enum cluster_synchronous synchronous;
	enum cluster_rendezvous_end rendezvous_end;
	struct cluster_send_buffers send_buffers;
	bool send_buffer_is_unattended; /* what was left to the system */
	/* What still leaves on a connection while its sender makes no progress, where it is new, and at
	 * most: new <= used; 0: all. One that has carried c bytes has max(new, sqrt(new · c)), as
	 * systems let their buffers grow; at most used. */
	int64_t unattended_new_B, unattended_used_B;
	int64_t unattended_receive_B; /* what a connection still carries while its receiver makes no
					 progress, until it was full once; INT64_MAX: all */
};

enum cluster_rma_design {			   /* who moves the data at the target */
			  CLUSTER_RMA_AS_PROGRESS, /* as rma.progress says (default) */
			  CLUSTER_RMA_NIC_DESIGN,
			  CLUSTER_RMA_ONLOAD, /* the target's CPU, in MPI */
			  CLUSTER_RMA_HELPER, /* a thread beside the target */
			  CLUSTER_RMA_DMA,    /* a copy engine, told by the target's CPU */
};
enum { CLUSTER_RMA_PAGE_B = 4096, CLUSTER_RMA_MAX_CHANNELS = 64 };

struct cluster_rma {
	enum cluster_rma_progress progress; /* without a design */
	enum cluster_rma_design design;
	double copy_Bps;       /* ONLOAD, HELPER: by the CPU */
	double pollution;      /* … and what that costs computation later, in times of the copy */
	double registration_s; /* NIC: of each page, at the origin */
	double helper_start_s, helper_interval_s; /* with the first window; between two looks */
	double dma_Bps, dma_system_call_s, dma_issue_s, dma_poll_s; /* of each channel; each page */
	int dma_channels;
	enum cluster_rma_model model; /* MPI_WIN_MODEL; changes no time */
	int queue_depth; /* one-sided messages of one rank to another that are under way at once */
};

enum cluster_launcher {
	CLUSTER_LAUNCHER_NODES, /* what starts processes is there, on each node (default) */
	CLUSTER_LAUNCHER_DAEMON, /* … and processes begin one after the other, round a ring of nodes */
	CLUSTER_LAUNCHER_TREE, /* it starts on node after node first, along a tree */
};
enum cluster_connection {
	CLUSTER_CONNECTION_NONE, /* takes no time (default) */
	CLUSTER_CONNECTION_UD,	 /* none, and each message is made reliable piece by piece */
	CLUSTER_CONNECTION_RC,	 /* set up when two processes first talk */
};
enum { CLUSTER_UD_PIECE_B = 2048 };

struct cluster_spawn {
	enum cluster_launcher launcher;
	double startup_s;     /* from MPI_Comm_spawn to the start of the processes */
	double per_process_s; /* and for each process that its node, or the launcher, starts */
	double per_node_s;    /* … for each level of a tree of nodes */
	/* With a launcher that is not NODES: telling where the spawning group is found, and MPI_Init of
	 * the new processes. */
	double publish_s, init_s;
	/* Between processes that did not start together. */
	enum cluster_connection connection;
	double connect_s;	     /* RC */
	double per_piece_s;	     /* UD */
	double translation_s;	     /* each message */
	int64_t connection_memory_B; /* RC, on each side */
	char *
	    placement; /* as of the cluster, or "global": on from the node after the last one that was
			    chosen so; NULL: where there are fewest ranks */
	int max_processes; /* in one run */
	int universe_size; /* MPI_UNIVERSE_SIZE; 0: as many as there are cores */
};

struct cluster_collectives {
	enum cluster_coll_profile profile;
	/* [i] is the algorithm asked for cluster_collective_names[i] and maybe ":SIZE"; NULL: the
	 * profile's. The MPI library knows their names. */
	char *algorithms[CLUSTER_N_COLLECTIVES];
};

struct cluster_variation { /* each computation and each transfer takes up to so much more or less,
			      as a fraction; 0: what is equal stays equal */
	double computation, messages;
};

struct cluster {
	char *name;
	int n_nodes;
	int cores;	 /* per node */
	struct cluster_cores levels; /* of them */
	char *placement; /* "block", "spread", "cyclic" or a list "0,0,1,1"; NULL: block */
	struct cluster_cpu cpu;
	struct cluster_network network;
	struct cluster_storage storage;
	struct cluster_accelerators accelerators;
	struct cluster_protocol protocol;
	struct cluster_rma rma;
	struct cluster_spawn spawn;
	struct cluster_collectives collectives;
	struct cluster_variation variation;
	struct cluster_uncertainties uncertainties;
};

/*
 * Reads a cluster file. Errors (UTIL_EINPUT): file:line:column, what was found, what was wanted;
 * unknown, duplicate and missing keys, values out of range. The result is the caller's, to be freed
 * with cluster_destroy.
 */
int cluster_load(const char *path, struct cluster **out, struct util_error *err);
/* The same from memory; `name` stands in messages. `text` need not end in NUL. */
int cluster_parse(const char *name, const char *text, size_t length_B, struct cluster **out,
		  struct util_error *err);
/*
 * As cluster_load / _parse with overrides applied before checking: each "section.key=value"
 * (n_overrides of them), where the value is YAML ("2us", "[1, 0.5]"). Errors about an override name
 * it instead of a place in the file.
 */
int cluster_load_with(const char *path, int n_overrides, const char *const overrides[],
		      struct cluster **out, struct util_error *err);
int cluster_parse_with(const char *name, const char *text, size_t length_B, int n_overrides,
		       const char *const overrides[], struct cluster **out, struct util_error *err);
void cluster_destroy(struct cluster *cluster);

/*
 * Draws the values whose intervals are known, once, from `seed`, and puts them in the place of those
 * of the file: a normal distribution with the interval as its 95 %, each side with its own width.
 * Values that they are inherited by follow; all lines of a list of segments move with
 * network.latency (by as much) and network.bandwidth (by the same factor), those within a node with
 * theirs. Equal seeds draw the same on every machine.
 */
void cluster_draw(struct cluster *cluster, uint64_t seed);

/* How many bytes of a message of `size_B` bytes may still be under way when a rendezvous send
 * returns; negative: none, it returns when the receiver has everything. */
int64_t cluster_send_buffer(const struct cluster *cluster, int64_t size_B);

/* How much more leaves on a connection that has carried `carried_B` bytes, while its sender makes no
 * progress; negative: everything. Never less for more. */
int64_t cluster_unattended_send(const struct cluster *cluster, int64_t carried_B);

/* The least number of bytes that must have arrived on a connection, where arrived_B have, for its
 * system to take all before `end_B`. */
int64_t cluster_handed_when(const struct cluster *cluster, int64_t arrived_B, int64_t end_B);

/* The fraction for o outgoing and i incoming transfers, scaled; in [0, cores]. */
double cluster_cpu_cost(const struct cluster *cluster, int outgoing, int incoming);
/* Whether communication costs any CPU. */
bool cluster_has_cpu_cost(const struct cluster *cluster);
/* The relative speed of each busy core when `n_busy` >= 1 computations share a node, (0, 1]. */
double cluster_contention(const struct cluster *cluster, int n_busy);

#endif
