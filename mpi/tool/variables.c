/* SPDX-License-Identifier: BSD-3-Clause */
/* The variables: settings are called by their keys in the cluster file or by their options. */
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"
#include "mpi/tool/tool.h"

static const struct cluster *cluster(const struct mpi_rank *me)
{
	return me->pd->world->cluster;
}

static const struct pd_config *config(const struct mpi_rank *me)
{
	return &me->pd->world->config;
}

/* --- settings --- */

static const char *cluster_name(const struct mpi_rank *me, const struct tool_cvar *cvar)
{
	return cluster(me)->name ? cluster(me)->name : "";
}

static union tool_value nodes(const struct mpi_rank *me)
{
	return (union tool_value){.number = cluster(me)->n_nodes};
}

static union tool_value cores(const struct mpi_rank *me)
{
	return (union tool_value){.number = cluster(me)->cores};
}

static union tool_value node_speed(const struct mpi_rank *me)
{
	return (union tool_value){.real = cluster(me)->cpu.speed[me->pd->node]};
}

static union tool_value latency(const struct mpi_rank *me)
{
	return (union tool_value){.real = cluster(me)->network.latency_s};
}

static union tool_value bandwidth(const struct mpi_rank *me)
{
	return (union tool_value){.real = cluster(me)->network.bandwidth_Bps};
}

static union tool_value intra_latency(const struct mpi_rank *me)
{
	return (union tool_value){.real = cluster(me)->network.intra_latency_s};
}

static union tool_value intra_bandwidth(const struct mpi_rank *me)
{
	return (union tool_value){.real = cluster(me)->network.intra_bandwidth_Bps};
}

static union tool_value send_overhead(const struct mpi_rank *me)
{
	return (union tool_value){.real = cluster(me)->protocol.send_overhead_s};
}

static union tool_value recv_overhead(const struct mpi_rank *me)
{
	return (union tool_value){.real = cluster(me)->protocol.recv_overhead_s};
}

static union tool_value eager_threshold(const struct mpi_rank *me)
{
	return (union tool_value){.count =
				      (unsigned long long)cluster(me)->protocol.eager_threshold_B};
}

static union tool_value progress(const struct mpi_rank *me)
{
	return (union tool_value){.number = (int)cluster(me)->protocol.progress};
}

static union tool_value coll_profile(const struct mpi_rank *me)
{
	return (union tool_value){.number = (int)cluster(me)->collectives.profile};
}

static const char *coll_algorithm(const struct mpi_rank *me, const struct tool_cvar *cvar)
{
	const char *asked_for = cluster(me)->collectives.algorithms[cvar->collective];

	return asked_for ? asked_for : "";
}

static union tool_value compute_mode(const struct mpi_rank *me)
{
	return (union tool_value){.number = (int)config(me)->mode};
}

static union tool_value seed(const struct mpi_rank *me)
{
	return (union tool_value){.count = config(me)->seed};
}

static union tool_value node(const struct mpi_rank *me)
{
	return (union tool_value){.number = me->pd->node};
}

static const char *const progress_names[] = {[CLUSTER_PROGRESS_ASYNC] = "async",
					     [CLUSTER_PROGRESS_IN_MPI] = "in_mpi",
					     [CLUSTER_PROGRESS_IN_WAITING] = "in_waiting"};
static const struct tool_enum progress_enum = {"progress", 3, progress_names};

static const char *const profile_names[] = {[CLUSTER_COLL_DEFAULT] = "default",
					    [CLUSTER_COLL_OPENMPI] = "openmpi",
					    [CLUSTER_COLL_MPICH] = "mpich",
					    [CLUSTER_COLL_IDEAL] = "ideal"};
static const struct tool_enum profile_enum = {"profile", 4, profile_names};

static const char *const mode_names[] = {[PD_COMPUTE_DIRECT] = "direct",
					 [PD_COMPUTE_COLLECT] = "collect",
					 [PD_COMPUTE_PARTIAL] = "partial",
					 [PD_COMPUTE_MODELLED] = "modelled"};
static const struct tool_enum mode_enum = {"compute", 4, mode_names};

/* In the order of cluster_collective_names. */
#define COLLECTIVE(index, name)                                                      \
	{                                                                            \
		"run.algorithms." name,                                              \
		    "the algorithm that is asked for; empty: what the profile says", \
		    TOOL_COLLECTIVES, MPI_CHAR, NULL, NULL, coll_algorithm, index    \
	}
const struct tool_cvar tool_cvars[] = {
    {"compute", "where computing time comes from", TOOL_RUN, MPI_INT, &mode_enum, compute_mode,
     NULL},
    {"seed", "of everything that is drawn at random", TOOL_RUN, MPI_UNSIGNED_LONG_LONG, NULL, seed,
     NULL},
    {"node", "that this process runs on, from 0", TOOL_RUN, MPI_INT, NULL, node, NULL},
    {"name", "of the cluster", TOOL_CLUSTER, MPI_CHAR, NULL, NULL, cluster_name},
    {"nodes", "of the cluster", TOOL_CLUSTER, MPI_INT, NULL, nodes, NULL},
    {"cores", "of each node", TOOL_CLUSTER, MPI_INT, NULL, cores, NULL},
    {"cpu.speed", "of this process's node, relative to the reference CPU", TOOL_CLUSTER, MPI_DOUBLE,
     NULL, node_speed, NULL},
    {"network.latency", "between nodes, s", TOOL_NETWORK, MPI_DOUBLE, NULL, latency, NULL},
    {"network.bandwidth", "of each direction of a node's link, B/s", TOOL_NETWORK, MPI_DOUBLE, NULL,
     bandwidth, NULL},
    {"network.intra_node.latency", "between processes of one node, s", TOOL_NETWORK, MPI_DOUBLE,
     NULL, intra_latency, NULL},
    {"network.intra_node.bandwidth", "between processes of one node, B/s", TOOL_NETWORK, MPI_DOUBLE,
     NULL, intra_bandwidth, NULL},
    {"protocol.overhead.send", "of the sender's CPU for each message, s", TOOL_PROTOCOL, MPI_DOUBLE,
     NULL, send_overhead, NULL},
    {"protocol.overhead.recv", "of the receiver's CPU for each message, s", TOOL_PROTOCOL,
     MPI_DOUBLE, NULL, recv_overhead, NULL},
    {"protocol.eager_threshold", "size above which messages go by rendezvous, B", TOOL_PROTOCOL,
     MPI_UNSIGNED_LONG_LONG, NULL, eager_threshold, NULL},
    {"protocol.progress", "when the steps of a rendezvous are taken", TOOL_PROTOCOL, MPI_INT,
     &progress_enum, progress, NULL},
    {"protocol.collectives", "whose rules choose algorithms", TOOL_COLLECTIVES, MPI_INT,
     &profile_enum, coll_profile, NULL},
    CLUSTER_COLLECTIVES(COLLECTIVE),
};
#undef COLLECTIVE
const int tool_n_cvars = sizeof tool_cvars / sizeof tool_cvars[0];

/* --- counters --- */

static union tool_value messages(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->n_sent[CHANNEL_P2P]};
}

static union tool_value bytes(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->sent_B[CHANNEL_P2P]};
}

static union tool_value collective_messages(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->n_sent[CHANNEL_COLL]};
}

static union tool_value collective_bytes(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->sent_B[CHANNEL_COLL]};
}

static union tool_value run_messages(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->world->n_messages};
}

static union tool_value run_bytes(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->world->n_bytes};
}

static union tool_value unexpected(const struct mpi_rank *me)
{
	const struct mpi_message *m = me->endpoint ? me->endpoint->unexpected.first : NULL;
	union tool_value length = {.count = 0};

	for (; m; m = m->link.next)
		length.count++;
	return length;
}

static union tool_value posted(const struct mpi_rank *me)
{
	const struct mpi_request *r = me->endpoint ? me->endpoint->posted.first : NULL;
	union tool_value length = {.count = 0};

	for (; r; r = r->link.next)
		length.count++;
	return length;
}

static union tool_value handles(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->n_handles};
}

static union tool_value events(const struct mpi_rank *me)
{
	return (union tool_value){.count = me->pd->world->engine.n_events};
}

static union tool_value simulated_time(const struct mpi_rank *me)
{
	return (union tool_value){.real = sim_time_to_s(me->pd->world->engine.now)};
}

const struct tool_pvar tool_pvars[] = {
    {"messages", "point-to-point messages that this process sent", TOOL_MESSAGES,
     MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG, false, messages},
    {"bytes", "their payload, B", TOOL_MESSAGES, MPI_T_PVAR_CLASS_AGGREGATE, MPI_UNSIGNED_LONG_LONG,
     false, bytes},
    {"collective_messages", "messages of collectives that this process sent", TOOL_MESSAGES,
     MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG, false, collective_messages},
    {"collective_bytes", "their payload, B", TOOL_MESSAGES, MPI_T_PVAR_CLASS_AGGREGATE,
     MPI_UNSIGNED_LONG_LONG, false, collective_bytes},
    {"run.messages", "point-to-point messages of all processes of the run", TOOL_MESSAGES,
     MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG, false, run_messages},
    {"run.bytes", "their payload, B", TOOL_MESSAGES, MPI_T_PVAR_CLASS_AGGREGATE,
     MPI_UNSIGNED_LONG_LONG, false, run_bytes},
    {"unexpected_queue_length", "messages that came and have no receive", TOOL_MESSAGES,
     MPI_T_PVAR_CLASS_LEVEL, MPI_UNSIGNED_LONG_LONG, true, unexpected},
    {"posted_queue_length", "receives that have no message", TOOL_MESSAGES, MPI_T_PVAR_CLASS_LEVEL,
     MPI_UNSIGNED_LONG_LONG, true, posted},
    {"handles", "objects of MPI that this process holds", TOOL_RUN, MPI_T_PVAR_CLASS_LEVEL,
     MPI_UNSIGNED_LONG_LONG, true, handles},
    {"run.events", "that the simulator worked off", TOOL_RUN, MPI_T_PVAR_CLASS_COUNTER,
     MPI_UNSIGNED_LONG_LONG, false, events},
    {"simulated_time", "that has passed, s", TOOL_TIME, MPI_T_PVAR_CLASS_TIMER, MPI_DOUBLE, false,
     simulated_time},
};
const int tool_n_pvars = sizeof tool_pvars / sizeof tool_pvars[0];
