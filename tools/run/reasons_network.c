// SPDX-License-Identifier: BSD-3-Clause
/* What the network, where ranks are, and locks cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/levels.h"
#include "mpi/core/rank.h"
#include "netmodel/model.h"
#include "pdexec/cores.h"
#include "tools/run/place.h"
#include "tools/run/reasons.h"
#include "tools/run/run.h"
#include "traces/fabric.h"
#include "util/units.h"

#define LEAST_SHARE 0.005 /* of the running time on its critical path: less is not worth a replay */

static double path_s(const struct reasons *reasons, enum trace_blame blame)
{
	return sim_time_to_s(reasons->explanation->path[blame]);
}

/* Names the call on the critical path that most of these two went to. */
static void find_call(const struct reasons *reasons, enum trace_blame one, enum trace_blame other,
		      struct reasons_candidate *candidate)
{
	const struct trace_explanation *e = reasons->explanation;
	const struct trace_sites *sites = &e->analysis->sites;
	const struct mtrace_file *file = reasons->run->trace;
	int i = 0;

	while (i < e->n_blame && ((e->blame[i].blame != one && e->blame[i].blame != other) ||
				  e->blame[i].id >= sites->n))
		i++;
	if (i == e->n_blame)
		return;
	candidate->function = sites->list[e->blame[i].id].function;
	for (uint32_t site = 0; site < file->n_sites && candidate->site < 0; site++)
		if (file->sites[site] == sites->list[e->blame[i].id].address)
			candidate->site = (int)site;
}

static struct reasons_candidate *add_changed(struct reasons *reasons, enum trace_reason_kind kind,
					     double weight)
{
	struct reasons_candidate *candidate = reasons_add(reasons, kind);

	if (!candidate)
		return NULL;
	candidate->cluster = malloc(sizeof *candidate->cluster);
	if (!candidate->cluster) {
		reasons->is_lost = true;
		return NULL;
	}
	*candidate->cluster = *reasons->run->cluster;
	candidate->weight = weight * reasons->n_ranks;
	candidate->reason.time_s = weight;
	return candidate;
}

/* The copy gets segments of its own, with other latencies and bandwidths. */
static bool change_segments(struct reasons_candidate *candidate, double latency, double bandwidth)
{
	struct cluster_network *network = &candidate->cluster->network;
	struct cluster_segments *lists[2] = {&network->segments, &network->intra_segments};

	for (int k = 0; k < 2; k++) {
		size_t size_B = (size_t)lists[k]->n * sizeof *lists[k]->list;

		candidate->segments[k] = malloc(size_B + 1);
		if (!candidate->segments[k])
			return false;
		if (lists[k]->n > 0)
			memcpy(candidate->segments[k], lists[k]->list, size_B);
		lists[k]->list = candidate->segments[k];
		for (int i = 0; i < lists[k]->n; i++) {
			struct cluster_segment *s = &lists[k]->list[i];

			s->bandwidth_Bps *= bandwidth;
			s->stream_Bps *= bandwidth;
			s->latency_s =
			    fmax(s->latency_s * latency, -(double)s->from_B / s->bandwidth_Bps);
		}
	}
	network->latency_s *= latency;
	network->intra_latency_s *= latency;
	network->bandwidth_Bps *= bandwidth;
	network->topology.scale *= bandwidth;
	network->intra_bandwidth_Bps *= bandwidth;
	for (int i = 0; i < network->n_intra_levels; i++) {
		network->intra_levels[i].latency_s *= latency;
		network->intra_levels[i].bandwidth_Bps *= bandwidth;
	}
	return true;
}

/* The ranks on a node. */
static void blame_node(struct reasons *reasons, struct trace_reason *reason, int node)
{
	int *ranks = malloc((size_t)reasons->n_ranks * sizeof *ranks), n = 0;

	for (int rank = 0; ranks && rank < reasons->n_ranks; rank++)
		if (reasons->run->node_of[rank] == node)
			ranks[n++] = rank;
	if (ranks)
		reasons_blame(reasons, reason, ranks, n);
	free(ranks);
}

/* The link between switches, or the memory domain, that holds back most; NULL: there is none. */
static const struct trace_fabric_link *first_of(const struct reasons *reasons, bool is_memory,
						struct trace_fabric **fabric)
{
	if (trace_fabric_create(reasons->run->world->model, reasons->run->cluster->n_nodes,
				reasons->time_s, fabric) ||
	    !*fabric)
		return NULL;
	for (int i = 0; i < (*fabric)->n_links; i++)
		if (((*fabric)->links[i].node >= 0) == is_memory)
			return &(*fabric)->links[i];
	return NULL;
}

/* The link between switches that holds transfers back most, where it does so more than any node's. */
static bool say_fabric(const struct reasons *reasons, struct trace_reason *reason)
{
	const struct net_model *model = reasons->run->world->model;
	int n_of_nodes = 2 * reasons->run->cluster->n_nodes;
	struct trace_fabric *fabric = NULL;
	const struct trace_fabric_link *link = first_of(reasons, false, &fabric);
	double of_nodes_s = 0;
	bool is_said;

	for (int l = 0; link && l < n_of_nodes; l++)
		of_nodes_s = fmax(of_nodes_s, net_model_link_use(model, l).lost_s);
	is_said = link && link->lost_s > of_nodes_s;
	if (is_said)
		snprintf(reason->text, sizeof reason->text,
			 "messages wait for links between switches, most of all for %s: it is used "
			 "%.0f %% of the run and costs transfers %s",
			 link->name, 100 * link->utilisation, util_time_text(link->lost_s).text);
	trace_fabric_destroy(fabric);
	return is_said;
}

/* The node whose link costs most. */
static void say_node(struct reasons *reasons, struct trace_reason *reason)
{
	const struct trace_links *links = &reasons->explanation->analysis->links;
	int most = 0;
	char ranks[96];

	for (int i = 1; i < 2 * links->n_nodes; i++)
		if (links->list[i].lost_ps > links->list[most].lost_ps)
			most = i;
	blame_node(reasons, reason, most % links->n_nodes);
	reasons_ranks(reason, ranks, sizeof ranks);
	snprintf(reason->text, sizeof reason->text,
		 "messages share links, most of all that %s node %d (%s)",
		 most < links->n_nodes ? "out of" : "into", most % links->n_nodes, ranks);
}

static void add_contention(struct reasons *reasons)
{
	double lost_s = path_s(reasons, TRACE_BLAME_CONTENTION);
	struct reasons_candidate *candidate;

	if (lost_s < LEAST_SHARE * reasons->time_s)
		return;
	candidate = add_changed(reasons, TRACE_REASON_CONTENTION, lost_s);
	if (!candidate)
		return;
	candidate->cluster->network.model = CLUSTER_NETWORK_UNSHARED;
	candidate->cluster->network.packet_payload_B = 0;
	find_call(reasons, TRACE_BLAME_CONTENTION, TRACE_BLAME_CONTENTION, candidate);
	if (!say_fabric(reasons, &candidate->reason))
		say_node(reasons, &candidate->reason);
	snprintf(candidate->reason.remedy, sizeof candidate->reason.remedy,
		 "if each had its links for itself");
	snprintf(candidate->reason.option, sizeof candidate->reason.option,
		 "--set network.model=unshared");
}

/* The ranks with cores in a memory domain. */
static void blame_domain(struct reasons *reasons, struct trace_reason *reason,
			 const struct trace_fabric_link *memory)
{
	const struct cluster *cluster = reasons->run->cluster;
	int *ranks = malloc((size_t)reasons->n_ranks * sizeof *ranks), n = 0;

	for (int rank = 0; ranks && rank < reasons->n_ranks; rank++) {
		struct net_place place = pd_cores_of(&reasons->run->world->ranks[rank]);
		int last = cluster_domain_of(cluster, place.core + place.n_cores - 1);

		if (place.node == memory->node && last >= memory->domain &&
		    cluster_domain_of(cluster, place.core) <= memory->domain)
			ranks[n++] = rank;
	}
	if (ranks)
		reasons_blame(reasons, reason, ranks, n);
	free(ranks);
}

static void add_memory(struct reasons *reasons)
{
	double lost_s =
	    path_s(reasons, TRACE_BLAME_CONTENTION) + path_s(reasons, TRACE_BLAME_SHARED);
	struct trace_fabric *fabric = NULL;
	const struct trace_fabric_link *memory = first_of(reasons, true, &fabric);
	struct reasons_candidate *candidate = NULL;
	char ranks[96];

	if (memory && memory->lost_s > 0 && lost_s >= LEAST_SHARE * reasons->time_s)
		candidate = add_changed(reasons, TRACE_REASON_MEMORY, lost_s);
	if (candidate) {
		candidate->cluster->levels.n_memory = 0;
		blame_domain(reasons, &candidate->reason, memory);
		reasons_ranks(&candidate->reason, ranks, sizeof ranks);
		snprintf(candidate->reason.text, sizeof candidate->reason.text,
			 "memory domains are full, most of all domain %d of node %d, shared by %s: "
			 "it is used %.0f %% of the run and costs %s",
			 memory->domain, memory->node, ranks, 100 * memory->utilisation,
			 util_time_text(memory->lost_s).text);
		snprintf(candidate->reason.remedy, sizeof candidate->reason.remedy,
			 "if memory had no limit");
		snprintf(candidate->reason.option, sizeof candidate->reason.option,
			 "--set cores.memory=inf");
	}
	trace_fabric_destroy(fabric);
}

static void add_messages(struct reasons *reasons)
{
	double cost_s = path_s(reasons, TRACE_BLAME_LATENCY) +
			path_s(reasons, TRACE_BLAME_SEND_OVERHEAD) +
			path_s(reasons, TRACE_BLAME_RECV_OVERHEAD);
	struct reasons_candidate *candidate;
	char ranks[96];
	int most = 0;

	if (cost_s < LEAST_SHARE * reasons->time_s)
		return;
	candidate = add_changed(reasons, TRACE_REASON_MESSAGES, cost_s);
	if (!candidate || !change_segments(candidate, 0, 1)) {
		reasons->is_lost |= candidate != NULL;
		return;
	}
	candidate->cluster->protocol.send_overhead_s = 0;
	candidate->cluster->protocol.recv_overhead_s = 0;
	for (int rank = 1; rank < reasons->n_ranks; rank++)
		if (reasons->n_sent[rank] > reasons->n_sent[most])
			most = rank;
	reasons_blame(reasons, &candidate->reason, &most, 1);
	find_call(reasons, TRACE_BLAME_LATENCY, TRACE_BLAME_SEND_OVERHEAD, candidate);
	reasons_ranks(&candidate->reason, ranks, sizeof ranks);
	snprintf(candidate->reason.text, sizeof candidate->reason.text,
		 "many messages: %s sends most, %llu of them", ranks,
		 (unsigned long long)reasons->n_sent[most]);
	snprintf(candidate->reason.remedy, sizeof candidate->reason.remedy,
		 "if they cost their bytes only (fewer, larger ones)");
	snprintf(candidate->reason.option, sizeof candidate->reason.option,
		 "--set network.latency=0s");
}

static void add_bandwidth(struct reasons *reasons)
{
	double cost_s = path_s(reasons, TRACE_BLAME_BANDWIDTH);
	struct reasons_candidate *candidate;
	char bandwidth[32];

	if (cost_s < 2 * LEAST_SHARE * reasons->time_s)
		return;
	candidate = add_changed(reasons, TRACE_REASON_BANDWIDTH, cost_s / 2);
	if (!candidate || !change_segments(candidate, 1, 2)) {
		reasons->is_lost |= candidate != NULL;
		return;
	}
	find_call(reasons, TRACE_BLAME_BANDWIDTH, TRACE_BLAME_BANDWIDTH, candidate);
	util_format_size(bandwidth, sizeof bandwidth, candidate->cluster->network.bandwidth_Bps);
	snprintf(candidate->reason.text, sizeof candidate->reason.text,
		 "messages carry many bytes: %s of the critical path", util_time_text(cost_s).text);
	snprintf(candidate->reason.remedy, sizeof candidate->reason.remedy,
		 "if there were half of them, or %s/s", bandwidth);
}

int reasons_try_bandwidth(struct reasons *reasons, double factor, double *out_s,
			  struct util_error *err)
{
	struct cluster cluster = *reasons->run->cluster;
	struct reasons_candidate candidate = {.place = -1, .site = -1, .cluster = &cluster};
	int failed = change_segments(&candidate, 1, factor)
			 ? reasons_try_without(reasons, &candidate, err)
			 : util_error_set(err, UTIL_ENOMEM, "out of memory");

	*out_s = candidate.reason.predicted_s;
	candidate.cluster = NULL;
	reasons_candidate_finish(&candidate);
	return failed;
}

/* --- placement --- */

/* The two ranks on different nodes that send each other most. */
static const struct reasons_traffic *busiest_pair(const struct reasons *reasons)
{
	const struct reasons_traffic *most = NULL;

	for (size_t i = 0; i < reasons->traffic.n_slots; i++) {
		const struct reasons_traffic *one = reasons->traffic.slots[i].item;

		if (!one || reasons->run->node_of[one->low] == reasons->run->node_of[one->high])
			continue;
		if (!most || one->size_B > most->size_B ||
		    (one->size_B == most->size_B && one->low < most->low))
			most = one;
	}
	return most;
}

static void say_placement(struct reasons *reasons, struct reasons_candidate *candidate,
			  const char *rule)
{
	struct trace_reason *reason = &candidate->reason;
	const struct reasons_traffic *pair = busiest_pair(reasons);
	int ranks[2] = {pair ? pair->low : 0, pair ? pair->high : 0};
	char size[32];

	reasons_blame(reasons, reason, ranks, 2);
	find_call(reasons, TRACE_BLAME_BANDWIDTH, TRACE_BLAME_CONTENTION, candidate);
	snprintf(reason->text, sizeof reason->text,
		 "ranks %d and %d are on different nodes and exchange %s", ranks[0], ranks[1],
		 util_format_size(size, sizeof size, pair ? pair->size_B : 0));
	snprintf(reason->remedy, sizeof reason->remedy, "if ranks were placed by %s", rule);
	snprintf(reason->option, sizeof reason->option, "--placement %s", rule);
}

static void add_rule(struct reasons *reasons, const char *rule, double weight)
{
	const struct run *run = reasons->run;
	int *node_of = malloc((size_t)reasons->n_ranks * sizeof *node_of);
	struct reasons_candidate *candidate = NULL;

	if (node_of &&
	    !run_place(rule, run->cluster, run->options.cpus_per_rank, reasons->n_ranks, node_of,
		       NULL) &&
	    memcmp(node_of, run->node_of, (size_t)reasons->n_ranks * sizeof *node_of) != 0)
		candidate = reasons_add(reasons, TRACE_REASON_PLACEMENT);
	if (!candidate) {
		free(node_of);
		return;
	}
	candidate->node_of = node_of;
	candidate->weight = weight;
	say_placement(reasons, candidate, rule);
}

static void add_placement(struct reasons *reasons)
{
	double weight =
	    path_s(reasons, TRACE_BLAME_LATENCY) + path_s(reasons, TRACE_BLAME_BANDWIDTH) +
	    path_s(reasons, TRACE_BLAME_CONTENTION) + path_s(reasons, TRACE_BLAME_SHARED);
	static const char *const rules[] = {"block", "cyclic", "spread"};

	if (weight < LEAST_SHARE * reasons->time_s || !busiest_pair(reasons) ||
	    reasons->n_ranks >
		(int64_t)reasons->run->cluster->n_nodes * reasons->run->cluster->cores)
		return;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		add_rule(reasons, rules[i], weight * reasons->n_ranks);
}

/* --- locks --- */

static void add_locks(struct reasons *reasons)
{
	struct reasons_candidate *candidate;
	int *ranks, target = 0, n = 0;
	char who[96];

	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (reasons->n_locks[rank] > reasons->n_locks[target])
			target = rank;
	ranks = malloc((size_t)reasons->n_ranks * sizeof *ranks);
	for (int rank = 0; ranks && rank < reasons->n_ranks; rank++)
		if (reasons->n_locking[rank] > 0)
			ranks[n++] = rank;
	candidate = n > 1 ? reasons_add(reasons, TRACE_REASON_LOCKS) : NULL;
	if (!candidate) {
		free(ranks);
		return;
	}
	candidate->shares_locks = true;
	candidate->weight = reasons->time_s * reasons->n_ranks;
	reasons_blame(reasons, &candidate->reason, ranks, n);
	free(ranks);
	reasons_ranks(&candidate->reason, who, sizeof who);
	snprintf(candidate->reason.text, sizeof candidate->reason.text,
		 "%s wait for each other's exclusive locks of rank %d's window", who, target);
	candidate->function = "MPI_Win_lock";
	candidate->site = (int)reasons->lock_site;
	snprintf(candidate->reason.remedy, sizeof candidate->reason.remedy,
		 "if the locks were shared");
}

void reasons_add_network(struct reasons *reasons)
{
	add_locks(reasons);
	add_contention(reasons);
	add_memory(reasons);
	add_placement(reasons);
	add_messages(reasons);
	add_bandwidth(reasons);
}
