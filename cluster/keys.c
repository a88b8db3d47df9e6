/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a cluster file (docs/cluster-file.md) and the converters of those that are more than
 * one number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/placement.h"
#include "cluster/schema.h"

#define MAX_NODES 1000000
#define MAX_CORES 1000000
#define MAX_TABLE 256 /* transfers each way that a table of CPU cost tells apart */
#define MAX_SPAWNED 1000000
#define MAX_TIME_S 1e6
#define MAX_PENALTY 0.99 /* of the bandwidth: what is left must end a transfer some day */
#define MAX_TIME_PER_B_S 1e-3
#define MAX_SERVERS 100000

/* cpu.speed: [{nodes: "0-3", speed: 0.5}, …]; nodes that no entry names have speed 1. */
static int read_speed_entry(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *entry, struct util_error *err)
{
	const struct util_yaml *nodes = util_yaml_member(entry, "nodes", 5),
			       *speed = util_yaml_member(entry, "speed", 5);
	struct util_error why = {0};
	const char *at;
	char found[64];
	double value = 1;
	int rc;

	if (entry->kind != UTIL_YAML_MAP || !nodes || !speed || entry->n_children != 2 ||
	    nodes->kind != UTIL_YAML_SCALAR)
		return util_yaml_fail(tree, entry, err,
				      "cpu.speed: found %s, wanted {nodes: \"0-3\", speed: 0.5}",
				      util_yaml_found(entry, found, sizeof(found)));
	rc = cluster_schema_number(tree, speed, "cpu.speed", CLUSTER_MIN_SPEED, CLUSTER_MAX_SPEED,
				   &value, err);
	if (rc)
		return rc;
	at = nodes->text;
	do {
		int first, last, repeat;

		if (cluster_place_next(&at, draft->cluster.n_nodes, &first, &last, &repeat, &why))
			return util_yaml_fail(tree, nodes, err, "cpu.speed: %s", why.text);
		for (int node = first; node <= last; node++) {
			if (draft->cluster.cpu.speed[node] != 0 || repeat != 1)
				return util_yaml_fail(
				    tree, nodes, err,
				    "cpu.speed: found node %d twice, wanted it once", node);
			draft->cluster.cpu.speed[node] = value;
		}
	} while (*at);
	return 0;
}

static int read_speed_list(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *list, struct util_error *err)
{
	bool by_range = list->first && list->first->kind == UTIL_YAML_MAP;
	int n_nodes = draft->cluster.n_nodes, i = 0, rc = 0;

	if (!by_range && list->n_children != n_nodes)
		return util_yaml_fail(tree, list, err,
				      "cpu.speed: found %d speeds, wanted one for each of %d nodes",
				      list->n_children, n_nodes);
	for (const struct util_yaml *entry = list->first; entry && !rc; entry = entry->next, i++)
		rc = by_range ? read_speed_entry(draft, tree, entry, err)
			      : cluster_schema_number(tree, entry, "cpu.speed", CLUSTER_MIN_SPEED,
						      CLUSTER_MAX_SPEED,
						      &draft->cluster.cpu.speed[i], err);
	for (i = 0; i < n_nodes; i++)
		if (draft->cluster.cpu.speed[i] == 0)
			draft->cluster.cpu.speed[i] = 1;
	return rc;
}

static int read_speed(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		      const struct util_yaml *node, struct util_error *err)
{
	double speed = 1;
	int rc;

	draft->cluster.cpu.speed = calloc((size_t)draft->cluster.n_nodes, sizeof(double));
	if (!draft->cluster.cpu.speed)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d nodes",
				      draft->cluster.n_nodes);
	if (node && node->kind == UTIL_YAML_LIST)
		return read_speed_list(draft, tree, node, err);
	rc = node ? cluster_schema_number(tree, node, "cpu.speed", CLUSTER_MIN_SPEED,
					  CLUSTER_MAX_SPEED, &speed, err)
		  : 0;
	for (int i = 0; i < draft->cluster.n_nodes; i++)
		draft->cluster.cpu.speed[i] = speed;
	return rc;
}

static int read_cost_row(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			 const struct util_yaml *row, int o, struct util_error *err)
{
	struct cluster_cost *cost = &draft->cluster.cpu.cost;
	int i = 0, rc = 0;

	if (row->kind != UTIL_YAML_LIST || row->n_children != cost->n + 1)
		return util_yaml_fail(
		    tree, row, err,
		    "cpu.communication_cost.table: found %d values in row %d, wanted %d "
		    "(as many as there are rows)",
		    row->n_children, o, cost->n + 1);
	for (const struct util_yaml *value = row->first; value && !rc; value = value->next, i++)
		rc = cluster_schema_number(tree, value, "cpu.communication_cost.table", 0,
					   o == 0 && i == 0 ? 0 : draft->cluster.cores,
					   &cost->fraction[o * (cost->n + 1) + i], err);
	return rc;
}

static int read_cost_table(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err)
{
	struct cluster_cost *cost = &draft->cluster.cpu.cost;
	char found[64];
	int o = 0, rc = 0;

	if (!node)
		return 0;
	if (node->kind != UTIL_YAML_LIST || node->n_children < 1 ||
	    node->n_children > MAX_TABLE + 1)
		return util_yaml_fail(
		    tree, node, err,
		    "cpu.communication_cost.table: found %s, wanted a list of 1 to %d rows",
		    util_yaml_found(node, found, sizeof(found)), MAX_TABLE + 1);
	cost->n = node->n_children - 1;
	cost->fraction =
	    calloc((size_t)node->n_children * (size_t)node->n_children, sizeof(double));
	if (!cost->fraction)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the CPU-cost table");
	for (const struct util_yaml *row = node->first; row && !rc; row = row->next, o++)
		rc = read_cost_row(draft, tree, row, o, err);
	return rc;
}

/* "[1, 0.95, 0.8]": one value for each number of computing cores. */
static int read_contention(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err)
{
	struct cluster *cluster = &draft->cluster;
	char found[64];
	int k = 0, rc = 0;

	if (!node)
		return 0;
	if (node->kind != UTIL_YAML_LIST || node->n_children < 1 ||
	    node->n_children > cluster->cores)
		return util_yaml_fail(
		    tree, node, err,
		    "cpu.contention: found %s, wanted a list of 1 to %d values (cores)",
		    util_yaml_found(node, found, sizeof(found)), cluster->cores);
	cluster->cpu.contention = calloc((size_t)node->n_children, sizeof(double));
	if (!cluster->cpu.contention)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for cpu.contention");
	cluster->cpu.n_contention = node->n_children;
	for (const struct util_yaml *value = node->first; value && !rc; value = value->next, k++)
		rc = cluster_schema_number(tree, value, "cpu.contention", k == 0 ? 1 : 1e-6, 1,
					   &cluster->cpu.contention[k], err);
	return rc;
}

/* Runs after the rows of both forms: checks that only one is used. */
static int complete_cost(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			 const struct util_yaml *node, struct util_error *err)
{
	static const char *const law[] = {"outgoing", "incoming", "maximum"};
	const struct util_yaml *section = util_yaml_at(tree, "cpu.communication_cost");
	struct cluster_cost *cost = &draft->cluster.cpu.cost;

	(void)node;
	for (int k = 0; k < 3; k++) {
		const struct util_yaml *member = util_yaml_member(section, law[k], strlen(law[k]));

		if (member && cost->fraction)
			return util_yaml_fail_key(
			    tree, member, err,
			    "found \"%s\" beside a table, wanted cpu.communication_cost either "
			    "as a table or as a law",
			    law[k]);
		cost->is_law |= member != NULL;
	}
	if (cost->is_law && cost->maximum > draft->cluster.cores)
		return util_yaml_fail(
		    tree, util_yaml_at(tree, "cpu.communication_cost.maximum"), err,
		    "cpu.communication_cost.maximum: found %g, wanted at most cores (%d)",
		    cost->maximum, draft->cluster.cores);
	return 0;
}

/* `key` and what it allows beside a list of nodes. */
static int read_places(const struct util_yaml_tree *tree, const struct util_yaml *node, int n_nodes,
		       const char *key, const char *words, char **out, struct util_error *err)
{
	struct util_error why = {0};
	char found[64];

	if (node->kind != UTIL_YAML_SCALAR)
		return util_yaml_fail(tree, node, err, "%s: found %s, wanted %s or \"0-3,0-3\"",
				      key, util_yaml_found(node, found, sizeof(found)), words);
	if (cluster_place_check(node->text, n_nodes, &why))
		return util_yaml_fail(tree, node, err, "%s: %s", key, why.text);
	*out = strdup(node->text);
	return *out ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

static int read_placement(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			  const struct util_yaml *node, struct util_error *err)
{
	if (!node)
		return 0;
	return read_places(tree, node, draft->cluster.n_nodes, "run.placement",
			   "block, spread, cyclic", &draft->cluster.placement, err);
}

static int read_spawn_placement(struct cluster_draft *draft, const struct util_yaml_tree *tree,
				const struct util_yaml *node, struct util_error *err)
{
	if (!node || (node->kind == UTIL_YAML_SCALAR && strcmp(node->text, "free") == 0))
		return 0;
	if (node->kind == UTIL_YAML_SCALAR && strcmp(node->text, "global") == 0) {
		draft->cluster.spawn.placement = strdup(node->text);
		return draft->cluster.spawn.placement
			   ? 0
			   : util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	return read_places(tree, node, draft->cluster.n_nodes, "run.spawn.placement",
			   "free, global, block, spread, cyclic", &draft->cluster.spawn.placement,
			   err);
}

#define AT(member) .target = offsetof(struct cluster_draft, member)
#define OF(member) offsetof(struct cluster_draft, member)
#define ALGORITHM(i, name)                                                                      \
	{                                                                                       \
		"run.algorithms." name, CLUSTER_KEY_TEXT, AT(cluster.collectives.algorithms[i]) \
	}

#define NAME(i, name) name
const char *const cluster_collective_names[CLUSTER_N_COLLECTIVES] = {CLUSTER_COLLECTIVES(NAME)};
#undef NAME

/* Order matters where a converter uses what earlier rows read (nodes, cores). A row whose members
 * follow stands for all of them where it is one value. */
const struct cluster_key cluster_keys[] = {
    {"mpisim_cluster", CLUSTER_KEY_INT, AT(version), 1, 1, .required = true},
    {"name", CLUSTER_KEY_TEXT, AT(cluster.name), .fallback = "unnamed"},
    {"nodes", CLUSTER_KEY_INT, AT(cluster.n_nodes), 1, MAX_NODES, .required = true},
    {"cores", CLUSTER_KEY_INT, AT(cluster.cores), 1, MAX_CORES, .fallback = "1"},
    {"cores.sockets", CLUSTER_KEY_INT, AT(cluster.levels.sockets), 1, 64, .fallback = "1"},
    {"cores.domains", CLUSTER_KEY_INT, AT(cluster.levels.domains), 1, 64, .fallback = "1"},
    {"cores.per_domain", CLUSTER_KEY_INT, AT(cluster.levels.per_domain), 1, 4096},
    {"cores.memory", CLUSTER_KEY_CUSTOM, .convert = cluster_read_memory},
    {"cores.computation", CLUSTER_KEY_BANDWIDTH, AT(cluster.levels.computation_Bps), 0, 1e15,
     .fallback = "0 B/s"},
    {"cores.bind", CLUSTER_KEY_CHOICE, AT(cluster.levels.bind), .choices = "cores|domains|sockets",
     .fallback = "cores"},
    {"cores", CLUSTER_KEY_CUSTOM, .convert = cluster_complete_cores},
    {"cpu.speed", CLUSTER_KEY_CUSTOM, .convert = read_speed},
    {"cpu.speed_changes", CLUSTER_KEY_CUSTOM, .convert = cluster_read_speed_changes},
    {"cpu.host_to_target", CLUSTER_KEY_NUMBER, AT(cluster.cpu.host_to_target), 1e-6, 1e6,
     .fallback = "1"},
    {"cpu.contention", CLUSTER_KEY_CUSTOM, .convert = read_contention},
    {"cpu.communication_cost.table", CLUSTER_KEY_CUSTOM, .convert = read_cost_table},
    {"cpu.communication_cost.outgoing", CLUSTER_KEY_NUMBER, AT(cluster.cpu.cost.outgoing), 0,
     MAX_CORES, .fallback = "0"},
    {"cpu.communication_cost.incoming", CLUSTER_KEY_NUMBER, AT(cluster.cpu.cost.incoming), 0,
     MAX_CORES, .fallback = "0"},
    {"cpu.communication_cost.maximum", CLUSTER_KEY_NUMBER, AT(cluster.cpu.cost.maximum), 0,
     MAX_CORES, .fallback = "1"},
    {"cpu.communication_cost.scale", CLUSTER_KEY_NUMBER, AT(cluster.cpu.cost.scale), 0, 1e6,
     .fallback = "1"},
    {"cpu.communication_cost", CLUSTER_KEY_CUSTOM, .convert = complete_cost},
    {"network.latency", CLUSTER_KEY_TIME, AT(cluster.network.latency_s), 0, MAX_TIME_S,
     .required = true},
    {"network.bandwidth", CLUSTER_KEY_BANDWIDTH, AT(cluster.network.bandwidth_Bps), 1, INFINITY,
     .required = true},
    {"network.model", CLUSTER_KEY_CHOICE, AT(cluster.network.model),
     .choices = "fluid|thesis|unshared", .fallback = "fluid"},
    {"network.nics", CLUSTER_KEY_INT, AT(cluster.network.n_nics), 1, 64, .fallback = "1"},
    {"network.message_rate", CLUSTER_KEY_NUMBER, AT(message_rate), 1, 1e12, .choices = "off",
     .word_value = INFINITY, .fallback = "off"},
    {"network.timeslice", CLUSTER_KEY_TIME, AT(cluster.network.timeslice_s), 1e-9, MAX_TIME_S,
     .choices = "adaptive", .word_value = 0, .fallback = "adaptive"},
    {"network.intra_node.latency", CLUSTER_KEY_TIME, AT(cluster.network.intra_latency_s), 0,
     MAX_TIME_S, .fallback = "0"},
    {"network.intra_node.bandwidth", CLUSTER_KEY_BANDWIDTH, AT(cluster.network.intra_bandwidth_Bps),
     1, INFINITY, .fallback = "inf"},
    {"network.intra_node.segments", CLUSTER_KEY_CUSTOM, .convert = cluster_read_intra_segments},
    {"network.intra_node.levels", CLUSTER_KEY_CUSTOM, .convert = cluster_read_intra_levels},
    {"network.intra_node.copies", CLUSTER_KEY_INT, AT(cluster.network.intra_copies), 0, 2,
     .fallback = "0"},
    {"network.segments", CLUSTER_KEY_CUSTOM, .convert = cluster_read_segments},
    {"network.burst", CLUSTER_KEY_SIZE, AT(cluster.network.burst_B), 0, 1e9, .fallback = "0"},
    {"network.packets.payload", CLUSTER_KEY_SIZE, AT(cluster.network.packet_payload_B), 0, 1e9,
     .fallback = "0"},
    {"network.packets.overhead", CLUSTER_KEY_SIZE, AT(cluster.network.packet_overhead_B), 0, 1e6,
     .fallback = "0"},
    {"network.packets.queue", CLUSTER_KEY_SIZE, AT(cluster.network.packet_queue_B), 0, 1e9,
     .fallback = "0"},
    {"network.topology.kind", CLUSTER_KEY_CHOICE, AT(cluster.network.topology.kind),
     .choices = "star|fat-tree|torus|dragonfly|graph", .fallback = "star"},
    {"network.topology.nodes_per_leaf", CLUSTER_KEY_INT, AT(nodes_per_leaf), 1, MAX_NODES},
    {"network.topology.taper", CLUSTER_KEY_NUMBER, AT(taper), 1, MAX_NODES, .fallback = "1"},
    {"network.topology.down", CLUSTER_KEY_CUSTOM, .convert = cluster_read_down},
    {"network.topology.up", CLUSTER_KEY_CUSTOM, .convert = cluster_read_up},
    {"network.topology.dimensions", CLUSTER_KEY_CUSTOM, .convert = cluster_read_dimensions},
    {"network.topology.groups", CLUSTER_KEY_INT, AT(cluster.network.topology.groups), 1, MAX_NODES},
    {"network.topology.routers", CLUSTER_KEY_INT, AT(cluster.network.topology.routers), 1,
     MAX_NODES},
    {"network.topology.nodes_per_router", CLUSTER_KEY_INT, AT(cluster.network.topology.nodes), 1,
     MAX_NODES},
    {"network.topology.global_links", CLUSTER_KEY_INT, AT(cluster.network.topology.global_links), 1,
     MAX_NODES},
    {"network.topology.routing", CLUSTER_KEY_CHOICE, AT(cluster.network.topology.routing),
     .choices = "deterministic|ecmp|adaptive|valiant", .fallback = "deterministic"},
    {"network.topology.hop_latency", CLUSTER_KEY_CUSTOM, .convert = cluster_read_hop_latency},
    {"network.topology.bandwidth", CLUSTER_KEY_CUSTOM, .convert = cluster_read_link_bandwidth},
    {"network.topology.duplex", CLUSTER_KEY_CHOICE, AT(cluster.network.topology.is_half_duplex),
     .choices = "full|half", .fallback = "full"},
    {"network.topology.load", CLUSTER_KEY_NUMBER, AT(cluster.network.topology.load), 0, MAX_PENALTY,
     .fallback = "0"},
    {"network.topology.scale", CLUSTER_KEY_NUMBER, AT(cluster.network.topology.scale), 1e-9, 1e9,
     .fallback = "1"},
    {"network.topology.file", CLUSTER_KEY_TEXT, AT(cluster.network.topology.file)},
    {"network.topology.links", CLUSTER_KEY_CUSTOM, .convert = cluster_read_link_speeds},
    {"network.topology", CLUSTER_KEY_CUSTOM, .convert = cluster_check_topology},
    {"network.losses.duplex", CLUSTER_KEY_NUMBER, AT(cluster.network.duplex_loss), 0, MAX_PENALTY,
     .fallback = "0"},
    {"network.losses.sharing", CLUSTER_KEY_CUSTOM, .convert = cluster_read_sharing_losses},
    {"network.intra_node", CLUSTER_KEY_CUSTOM, .convert = cluster_check_memory},
    {"protocol.library", CLUSTER_KEY_CHOICE, AT(library), .choices = CLUSTER_LIBRARIES,
     .fallback = "plain"},
    {"protocol.overhead", CLUSTER_KEY_TIME, AT(overhead_s), 0, MAX_TIME_S, .fallback = "0"},
    {"protocol.overhead.send", CLUSTER_KEY_TIME, AT(cluster.protocol.send_overhead_s), 0,
     MAX_TIME_S, .inherits = OF(overhead_s), .convert = cluster_read_send_costs},
    {"protocol.overhead.isend", CLUSTER_KEY_TIME, AT(cluster.protocol.isend_overhead_s), 0,
     MAX_TIME_S, .choices = "send", .word_value = -1, .fallback = "send",
     .convert = cluster_read_isend_costs},
    {"protocol.overhead.recv", CLUSTER_KEY_TIME, AT(cluster.protocol.recv_overhead_s), 0,
     MAX_TIME_S, .inherits = OF(overhead_s), .convert = cluster_read_recv_costs},
    {"protocol.overhead.probe", CLUSTER_KEY_TIME, AT(cluster.protocol.probe_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"protocol.overhead.per_byte", CLUSTER_KEY_TIME, AT(cluster.protocol.recv_overhead_per_B_s), 0,
     MAX_TIME_PER_B_S, .fallback = "0"},
    {"protocol.eager_threshold", CLUSTER_KEY_SIZE, AT(cluster.protocol.eager_threshold_B), 0, 9e18,
     .choices = "off", .fallback = "off"},
    {"protocol.request_data", CLUSTER_KEY_SIZE, AT(cluster.protocol.request_data_B), 0, 9e18,
     .choices = "eager", .fallback = "0"},
    {"protocol.progress", CLUSTER_KEY_CHOICE, AT(cluster.protocol.progress),
     .choices = "async|in_mpi|in_waiting", .fallback = "async"},
    {"protocol.late_answers", CLUSTER_KEY_CHOICE, AT(cluster.protocol.late_answers),
     .choices = "none|probes|tests", .fallback = "none"},
    {"protocol.order", CLUSTER_KEY_CHOICE, AT(cluster.protocol.order), .choices = "free|per_pair",
     .fallback = "free"},
    {"protocol.synchronous_send", CLUSTER_KEY_CHOICE, AT(cluster.protocol.synchronous),
     .choices = "matched|acknowledged", .fallback = "matched"},
    {"protocol.rendezvous_end", CLUSTER_KEY_CHOICE, AT(cluster.protocol.rendezvous_end),
     .choices = "arrived|acknowledged", .fallback = "arrived"},
    {"network.packets", CLUSTER_KEY_CUSTOM,
     .convert = cluster_check_packets}, /* after what excludes it */
    {"protocol.send_buffer", CLUSTER_KEY_CUSTOM, .convert = cluster_read_send_buffer},
    {"protocol.unattended_receive", CLUSTER_KEY_SIZE, AT(cluster.protocol.unattended_receive_B), 1,
     9e18, .choices = "off", .fallback = "off"},
    {"protocol.unattended_send", CLUSTER_KEY_SIZE, AT(unattended_B), 1, 9e18, .choices = "off",
     .fallback = "off"},
    {"protocol.unattended_send.new", CLUSTER_KEY_SIZE, AT(unattended_new_B), 1, 9e18},
    {"protocol.unattended_send.used", CLUSTER_KEY_SIZE, AT(unattended_used_B), 1, 9e18},
    {"protocol.collectives", CLUSTER_KEY_CHOICE, AT(cluster.collectives.profile),
     .choices = "default|openmpi|mpich|ideal", .fallback = "default"},
    {"protocol", CLUSTER_KEY_CUSTOM, .convert = cluster_complete_protocol},
    {"rma.model", CLUSTER_KEY_CHOICE, AT(cluster.rma.model), .choices = "unified|separate",
     .fallback = "unified"},
    {"rma.progress", CLUSTER_KEY_CHOICE, AT(cluster.rma.progress), .choices = "nic|in_mpi",
     .fallback = "nic"},
    {"rma.design.kind", CLUSTER_KEY_CHOICE, AT(cluster.rma.design),
     .choices = "progress|nic|onload|helper|dma", .fallback = "progress"},
    {"rma.design.copy_bandwidth", CLUSTER_KEY_BANDWIDTH, AT(cluster.rma.copy_Bps), 1, INFINITY,
     .fallback = "inf"},
    {"rma.design.pollution", CLUSTER_KEY_NUMBER, AT(cluster.rma.pollution), 0, 1e3,
     .fallback = "0"},
    {"rma.design.registration", CLUSTER_KEY_TIME, AT(cluster.rma.registration_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"rma.design.helper.start", CLUSTER_KEY_TIME, AT(cluster.rma.helper_start_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"rma.design.helper.interval", CLUSTER_KEY_TIME, AT(cluster.rma.helper_interval_s), 0,
     MAX_TIME_S, .fallback = "0"},
    {"rma.design.dma.bandwidth", CLUSTER_KEY_BANDWIDTH, AT(cluster.rma.dma_Bps), 1, INFINITY,
     .fallback = "inf"},
    {"rma.design.dma.channels", CLUSTER_KEY_INT, AT(cluster.rma.dma_channels), 1,
     CLUSTER_RMA_MAX_CHANNELS, .fallback = "1"},
    {"rma.design.dma.system_call", CLUSTER_KEY_TIME, AT(cluster.rma.dma_system_call_s), 0,
     MAX_TIME_S, .fallback = "0"},
    {"rma.design.dma.issue", CLUSTER_KEY_TIME, AT(cluster.rma.dma_issue_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"rma.design.dma.poll", CLUSTER_KEY_TIME, AT(cluster.rma.dma_poll_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"rma.queue_depth", CLUSTER_KEY_INT, AT(cluster.rma.queue_depth), 1, 1e9, .fallback = "64"},
    {"spawn.startup", CLUSTER_KEY_TIME, AT(cluster.spawn.startup_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"spawn.per_process", CLUSTER_KEY_TIME, AT(cluster.spawn.per_process_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"spawn.launcher.kind", CLUSTER_KEY_CHOICE, AT(cluster.spawn.launcher),
     .choices = "nodes|daemon|tree", .fallback = "nodes"},
    {"spawn.launcher.per_node", CLUSTER_KEY_TIME, AT(cluster.spawn.per_node_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"spawn.launcher.publish", CLUSTER_KEY_TIME, AT(cluster.spawn.publish_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"spawn.launcher.init", CLUSTER_KEY_TIME, AT(cluster.spawn.init_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"spawn.connection.kind", CLUSTER_KEY_CHOICE, AT(cluster.spawn.connection),
     .choices = "none|ud|rc", .fallback = "none"},
    {"spawn.connection.connect", CLUSTER_KEY_TIME, AT(cluster.spawn.connect_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"spawn.connection.per_piece", CLUSTER_KEY_TIME, AT(cluster.spawn.per_piece_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"spawn.connection.translation", CLUSTER_KEY_TIME, AT(cluster.spawn.translation_s), 0,
     MAX_TIME_S, .fallback = "0"},
    {"spawn.connection.memory", CLUSTER_KEY_SIZE, AT(cluster.spawn.connection_memory_B), 0, 1e12,
     .fallback = "0"},
    {"storage.servers", CLUSTER_KEY_INT, AT(cluster.storage.n_servers), 1, MAX_SERVERS,
     .fallback = "1"},
    {"storage.latency", CLUSTER_KEY_TIME, AT(cluster.storage.latency_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"storage.bandwidth", CLUSTER_KEY_BANDWIDTH, AT(storage_Bps), 1, INFINITY, .fallback = "inf"},
    {"storage.bandwidth.read", CLUSTER_KEY_BANDWIDTH, AT(cluster.storage.read_Bps), 1, INFINITY,
     .inherits = OF(storage_Bps)},
    {"storage.bandwidth.write", CLUSTER_KEY_BANDWIDTH, AT(cluster.storage.write_Bps), 1, INFINITY,
     .inherits = OF(storage_Bps)},
    {"storage.bandwidth.client", CLUSTER_KEY_BANDWIDTH, AT(cluster.storage.client_Bps), 1, INFINITY,
     .fallback = "inf"},
    {"storage.metadata_time", CLUSTER_KEY_TIME, AT(cluster.storage.metadata_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"storage.stripe.size", CLUSTER_KEY_SIZE, AT(cluster.storage.stripe_B), 1, 1e15,
     .fallback = "1MiB"},
    {"storage.stripe.servers", CLUSTER_KEY_INT, AT(cluster.storage.stripe_count), 1, MAX_SERVERS,
     .choices = "all", .word_value = 0, .fallback = "all"},
    {"accelerators.per_node", CLUSTER_KEY_INT, AT(cluster.accelerators.per_node), 0, 64,
     .fallback = "0"},
    {"accelerators.launch", CLUSTER_KEY_TIME, AT(cluster.accelerators.launch_s), 0, MAX_TIME_S,
     .fallback = "0"},
    {"accelerators.link.latency", CLUSTER_KEY_TIME, AT(cluster.accelerators.latency_s), 0,
     MAX_TIME_S, .fallback = "0"},
    {"accelerators.link.bandwidth", CLUSTER_KEY_BANDWIDTH, AT(cluster.accelerators.bandwidth_Bps),
     1, INFINITY, .fallback = "inf"},
    {"accelerators.gpu_aware", CLUSTER_KEY_CHOICE, AT(cluster.accelerators.is_gpu_aware),
     .choices = "false|true", .fallback = "false"},
    {"variation", CLUSTER_KEY_NUMBER, AT(variation), 0, MAX_PENALTY, .fallback = "0"},
    {"variation.computation", CLUSTER_KEY_NUMBER, AT(cluster.variation.computation), 0, MAX_PENALTY,
     .inherits = OF(variation)},
    {"variation.messages", CLUSTER_KEY_NUMBER, AT(cluster.variation.messages), 0, MAX_PENALTY,
     .inherits = OF(variation)},
    {"run.placement", CLUSTER_KEY_CUSTOM, .convert = read_placement},
    CLUSTER_COLLECTIVES(ALGORITHM),
    {"run.spawn.placement", CLUSTER_KEY_CUSTOM, .convert = read_spawn_placement},
    {"run.spawn.processes", CLUSTER_KEY_INT, AT(cluster.spawn.max_processes), 0, MAX_SPAWNED,
     .fallback = "1024"},
    {"run.spawn.universe_size", CLUSTER_KEY_INT, AT(cluster.spawn.universe_size), 0, 1e9,
     .fallback = "0"},
    {"uncertainty", CLUSTER_KEY_CUSTOM, .convert = cluster_read_uncertainty}, /* after all values */
};
const int cluster_n_keys = sizeof(cluster_keys) / sizeof(cluster_keys[0]);
