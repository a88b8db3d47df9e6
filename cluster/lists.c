/* SPDX-License-Identifier: BSD-3-Clause */
/* Converters of the keys of a cluster file that hold lists by size or by number. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/schema.h"

#define MAX_ENTRIES 1000

static const struct cluster_key segment_keys[] = {
    {"segments.from", CLUSTER_KEY_SIZE, .target = offsetof(struct cluster_segment, from_B), 0,
     9e18},
    {"segments.latency", CLUSTER_KEY_OFFSET, .target = offsetof(struct cluster_segment, latency_s),
     -CLUSTER_MAX_TIME_S, CLUSTER_MAX_TIME_S},
    {"segments.bandwidth", CLUSTER_KEY_BANDWIDTH,
     .target = offsetof(struct cluster_segment, bandwidth_Bps), 1, INFINITY},
    {"segments.stream", CLUSTER_KEY_BANDWIDTH,
     .target = offsetof(struct cluster_segment, stream_Bps), 1, INFINITY, .fallback = "inf"},
};
enum { N_SEGMENT_KEYS = 4, N_INTRA_SEGMENT_KEYS = 3 }; /* within a node streams share nothing */

static const struct cluster_key cost_keys[] = {
    {"overhead.from", CLUSTER_KEY_SIZE, .target = offsetof(struct cluster_cost_by_size, from_B), 0,
     9e18},
    {"overhead.time", CLUSTER_KEY_TIME, .target = offsetof(struct cluster_cost_by_size, time_s), 0,
     CLUSTER_MAX_TIME_S},
    {"overhead.per_byte", CLUSTER_KEY_TIME,
     .target = offsetof(struct cluster_cost_by_size, per_B_s), 0, 1e-3, .fallback = "0"},
};

static const struct cluster_key change_keys[] = {
    {"speed_changes.node", CLUSTER_KEY_INT, .target = offsetof(struct cluster_speed_change, node),
     0, 1e6},
    {"speed_changes.at", CLUSTER_KEY_TIME, .target = offsetof(struct cluster_speed_change, at_s), 0,
     CLUSTER_MAX_TIME_S},
    {"speed_changes.speed", CLUSTER_KEY_NUMBER,
     .target = offsetof(struct cluster_speed_change, speed), CLUSTER_MIN_SPEED, CLUSTER_MAX_SPEED},
};

static const struct cluster_key buffer_keys[] = {
    {"send_buffer.from", CLUSTER_KEY_SIZE, .target = offsetof(struct cluster_send_buffer, from_B),
     0, 9e18},
    {"send_buffer.size", CLUSTER_KEY_SIZE, .target = offsetof(struct cluster_send_buffer, size_B),
     0, 9e18},
};

/* Checks that `node` is a list and allocates its entries; their number, or negative. */
static int allocate_list(const struct util_yaml_tree *tree, const struct util_yaml *node,
			 const char *path, size_t entry_size, void *out_list,
			 struct util_error *err)
{
	void *list;
	char found[64];

	if (node->kind != UTIL_YAML_LIST || node->n_children < 1 || node->n_children > MAX_ENTRIES)
		return util_yaml_fail(tree, node, err,
				      "%s: found %s, wanted a list of 1 to %d entries", path,
				      util_yaml_found(node, found, sizeof(found)), MAX_ENTRIES);
	list = calloc((size_t)node->n_children, entry_size);
	if (!list)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %s", path);
	*(void **)out_list = list;
	return node->n_children;
}

static int check_order(const struct util_yaml_tree *tree, const struct util_yaml *entry,
		       const char *path, bool is_first, int64_t before_B, int64_t from_B,
		       struct util_error *err)
{
	if (is_first || from_B > before_B)
		return 0;
	return util_yaml_fail(tree, entry, err,
			      "%s: found sizes out of order, wanted each \"from\" larger than the "
			      "one before",
			      path);
}

/* What links share is their time: a bound needs some, and a way of sharing that knows it. */
static int check_stream(const struct cluster_network *network,
			const struct cluster_segment *segment, const char *path,
			const struct util_yaml_tree *tree, const struct util_yaml *entry,
			struct util_error *err)
{
	if (segment->stream_Bps >= segment->bandwidth_Bps)
		return 0;
	if (network->model == CLUSTER_NETWORK_THESIS)
		return util_yaml_fail(tree, entry, err,
				      "%s: found \"stream\" beside model: thesis, wanted model: "
				      "fluid or unshared",
				      path);
	if (isinf(segment->bandwidth_Bps))
		return util_yaml_fail(tree, entry, err,
				      "%s: found \"stream\" beside bandwidth: inf, wanted a "
				      "bandwidth that streams share",
				      path);
	return 0;
}

static int read_segments(const struct cluster_network *network, struct cluster_segments *segments,
			 const char *path, int n_keys, const struct util_yaml_tree *tree,
			 const struct util_yaml *node, struct util_error *err)
{
	struct cluster_segment *segment;
	int n;

	if (!node)
		return 0;
	n = allocate_list(tree, node, path, sizeof(*segment), &segments->list, err);
	if (n < 0)
		return n;
	for (const struct util_yaml *entry = node->first; entry; entry = entry->next) {
		int rc;

		segment = &segments->list[segments->n];
		segment->stream_Bps = INFINITY;
		rc = cluster_schema_entry(tree, entry, segment_keys, n_keys, segment, err);
		if (!rc)
			rc =
			    check_order(tree, entry, path, segments->n == 0,
					segments->n ? segment[-1].from_B : 0, segment->from_B, err);
		if (!rc)
			rc = check_stream(network, segment, path, tree, entry, err);
		if (rc)
			return rc;
		if (segment->latency_s + (double)segment->from_B / segment->bandwidth_Bps < 0)
			return util_yaml_fail(
			    tree, entry, err,
			    "%s: found a negative time for %lld B, wanted latency + "
			    "from / bandwidth of at least 0",
			    path, (long long)segment->from_B);
		segments->n++;
	}
	return 0;
}

/* By time; those of one time as they stand. */
static void sort_speeds(struct cluster_link_speed speeds[], int n)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && speeds[k].at_s < speeds[k - 1].at_s; k--) {
			struct cluster_link_speed later = speeds[k - 1];

			speeds[k - 1] = speeds[k];
			speeds[k] = later;
		}
}

int cluster_read_link_speeds(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err)
{
	static const struct cluster_key keys[] = {
	    {"links.name", CLUSTER_KEY_TEXT, .target = offsetof(struct cluster_link_speed, name)},
	    {"links.speed", CLUSTER_KEY_NUMBER,
	     .target = offsetof(struct cluster_link_speed, speed), 0, 1},
	    {"links.at", CLUSTER_KEY_TIME, .target = offsetof(struct cluster_link_speed, at_s), 0,
	     CLUSTER_MAX_TIME_S, .fallback = "0"},
	};
	struct cluster_topology *shape = &draft->cluster.network.topology;
	int n, rc = 0;

	if (!node)
		return 0;
	n = allocate_list(tree, node, "network.topology.links", sizeof *shape->speeds,
			  &shape->speeds, err);
	if (n < 0)
		return n;
	shape->n_speeds = n;
	n = 0;
	for (const struct util_yaml *entry = node->first; entry && !rc; entry = entry->next) {
		struct cluster_link_speed *one = &shape->speeds[n++];
		char place[PATH_MAX];

		one->place = strdup(util_yaml_place(tree, entry, place, sizeof place));
		rc = one->place ? cluster_schema_entry(tree, entry, keys, 3, one, err)
				: util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	sort_speeds(shape->speeds, n);
	return rc;
}

static int compare_changes(const void *left, const void *right)
{
	const struct cluster_speed_change *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->at_s > b->at_s) - (a->at_s < b->at_s);
}

int cluster_read_speed_changes(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			       const struct util_yaml *node, struct util_error *err)
{
	static const char path[] = "cpu.speed_changes";
	struct cluster_speed_changes *changes = &draft->cluster.cpu.speed_changes;
	int n;

	if (!node)
		return 0;
	n = allocate_list(tree, node, path, sizeof(*changes->list), &changes->list, err);
	if (n < 0)
		return n;
	for (const struct util_yaml *entry = node->first; entry; entry = entry->next) {
		struct cluster_speed_change *change = &changes->list[changes->n];
		int rc = cluster_schema_entry(tree, entry, change_keys, 3, change, err);

		if (rc)
			return rc;
		if (change->node >= draft->cluster.n_nodes)
			return util_yaml_fail(tree, entry, err,
					      "%s: found node %d, wanted one of the cluster's %d, "
					      "from 0 on",
					      path, change->node, draft->cluster.n_nodes);
		changes->n++;
	}
	qsort(changes->list, (size_t)n, sizeof(*changes->list), compare_changes);
	for (int i = 1; i < n; i++)
		if (compare_changes(&changes->list[i - 1], &changes->list[i]) == 0)
			return util_yaml_fail(
			    tree, node, err,
			    "%s: found node %d twice at %g s, wanted one speed at a time", path,
			    changes->list[i].node, changes->list[i].at_s);
	return 0;
}

int cluster_read_segments(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			  const struct util_yaml *node, struct util_error *err)
{
	return read_segments(&draft->cluster.network, &draft->cluster.network.segments,
			     "network.segments", N_SEGMENT_KEYS, tree, node, err);
}

int cluster_read_intra_segments(struct cluster_draft *draft, const struct util_yaml_tree *tree,
				const struct util_yaml *node, struct util_error *err)
{
	return read_segments(&draft->cluster.network, &draft->cluster.network.intra_segments,
			     "network.intra_node.segments", N_INTRA_SEGMENT_KEYS, tree, node, err);
}

/* "[{from: 0, time: 1us, per_byte: 0.1ns}, …]" in the place of one time, which is that of an empty
 * message then. */
static int read_costs(double *plain_s, struct cluster_costs_by_size *costs, const char *path,
		      const struct util_yaml_tree *tree, const struct util_yaml *node,
		      struct util_error *err)
{
	int n = allocate_list(tree, node, path, sizeof *costs->list, &costs->list, err);

	if (n < 0)
		return n;
	for (const struct util_yaml *entry = node->first; entry; entry = entry->next) {
		struct cluster_cost_by_size *cost = &costs->list[costs->n];
		int rc = cluster_schema_entry(tree, entry, cost_keys, 3, cost, err);

		if (!rc)
			rc = check_order(tree, entry, path, costs->n == 0,
					 costs->n ? cost[-1].from_B : 0, cost->from_B, err);
		if (rc)
			return rc;
		costs->n++;
	}
	*plain_s = cluster_cost(costs, 0, 0);
	return 0;
}

int cluster_read_send_costs(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *node, struct util_error *err)
{
	struct cluster_protocol *protocol = &draft->cluster.protocol;

	return read_costs(&protocol->send_overhead_s, &protocol->send_costs,
			  "protocol.overhead.send", tree, node, err);
}

int cluster_read_isend_costs(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err)
{
	struct cluster_protocol *protocol = &draft->cluster.protocol;

	return read_costs(&protocol->isend_overhead_s, &protocol->isend_costs,
			  "protocol.overhead.isend", tree, node, err);
}

int cluster_read_recv_costs(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *node, struct util_error *err)
{
	struct cluster_protocol *protocol = &draft->cluster.protocol;

	return read_costs(&protocol->recv_overhead_s, &protocol->recv_costs,
			  "protocol.overhead.recv", tree, node, err);
}

/* "0.1": what two or more lose; "[0, 0.05, 0.1]": 1, 2, … transfers. */
int cluster_read_sharing_losses(struct cluster_draft *draft, const struct util_yaml_tree *tree,
				const struct util_yaml *node, struct util_error *err)
{
	static const char path[] = "network.losses.sharing";
	struct cluster_sharing_losses *losses = &draft->cluster.network.sharing_losses;
	bool is_list = node && node->kind == UTIL_YAML_LIST;
	const double most = 1 - CLUSTER_MIN_EFFICIENCY;
	int n;

	if (!node)
		return 0;
	if (!is_list) {
		losses->fraction = calloc(2, sizeof(double));
		if (!losses->fraction)
			return util_error_set(err, UTIL_ENOMEM, "out of memory for %s", path);
		losses->n = 2;
		return cluster_schema_number(tree, node, path, 0, most, &losses->fraction[1], err);
	}
	n = allocate_list(tree, node, path, sizeof(double), &losses->fraction, err);
	if (n < 0)
		return n;
	for (const struct util_yaml *value = node->first; value; value = value->next) {
		int rc = cluster_schema_number(tree, value, path, 0, most,
					       &losses->fraction[losses->n], err);

		if (rc)
			return rc;
		losses->n++;
	}
	return 0;
}

/* One size for all, as a list of one entry. */
static int read_plain_buffer(struct cluster_send_buffers *buffers, const char *path,
			     const struct util_yaml_tree *tree, const struct util_yaml *node,
			     struct util_error *err)
{
	struct cluster_key key = {.path = path,
				  .kind = CLUSTER_KEY_SIZE,
				  .target = offsetof(struct cluster_send_buffer, size_B),
				  .max = 9e18,
				  .choices = "off",
				  .word_value = -1};
	int rc;

	buffers->list = calloc(1, sizeof(*buffers->list));
	if (!buffers->list)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %s", path);
	rc = cluster_schema_value(buffers->list, &key, tree, node, err);
	if (!rc && buffers->list->size_B != INT64_MAX) /* else it is off */
		buffers->n = 1;
	return rc;
}

int cluster_read_send_buffer(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err)
{
	static const char path[] = "protocol.send_buffer";
	struct cluster_protocol *protocol = &draft->cluster.protocol;
	struct cluster_send_buffers *buffers = &protocol->send_buffers;
	const char *preset = cluster_preset(draft->library, path);
	int n;

	if (!node || (node->kind == UTIL_YAML_SCALAR && strcmp(node->text, "unattended") == 0)) {
		protocol->send_buffer_is_unattended =
		    node || (preset && strcmp(preset, "unattended") == 0);
		return 0;
	}
	if (node->kind != UTIL_YAML_LIST)
		return read_plain_buffer(buffers, path, tree, node, err);
	n = allocate_list(tree, node, path, sizeof(*buffers->list), &buffers->list, err);
	if (n < 0)
		return n;
	for (const struct util_yaml *entry = node->first; entry; entry = entry->next) {
		struct cluster_send_buffer *buffer = &buffers->list[buffers->n];
		int rc = cluster_schema_entry(tree, entry, buffer_keys, 2, buffer, err);

		if (rc)
			return rc;
		if (buffers->n > 0 && buffer->from_B <= buffer[-1].from_B)
			return util_yaml_fail(tree, entry, err,
					      "%s: found sizes out of order, wanted each \"from\" "
					      "larger than the one before",
					      path);
		buffers->n++;
	}
	return 0;
}

/* Packets of a connection follow each other. */
static int order_packets(struct cluster *cluster, const struct util_yaml_tree *tree,
			 struct util_error *err)
{
	const struct util_yaml *order = util_yaml_at(tree, "protocol.order");

	if (cluster->network.packet_payload_B && order &&
	    cluster->protocol.order == CLUSTER_ORDER_FREE)
		return util_yaml_fail(tree, order, err,
				      "protocol.order: found free beside network.packets, wanted "
				      "per_pair, or none");
	if (cluster->network.packet_payload_B)
		cluster->protocol.order = CLUSTER_ORDER_PER_PAIR;
	return 0;
}

int cluster_check_packets(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			  const struct util_yaml *node, struct util_error *err)
{
	struct cluster *cluster = &draft->cluster;
	const struct cluster_network *network = &cluster->network;
	const char *excluded = network->model == CLUSTER_NETWORK_THESIS ? "model: thesis"
			       : network->segments.n > 0		? "segments"
			       : network->sharing_losses.n > 0 || network->duplex_loss > 0
				   ? "losses"
				   : NULL;

	(void)node;
	if (network->timeslice_s > 0 && network->model != CLUSTER_NETWORK_THESIS)
		return util_yaml_fail(tree, util_yaml_at(tree, "network.timeslice"), err,
				      "network.timeslice: found a slice without network.model: "
				      "thesis, wanted both or neither");
	if (network->packet_payload_B && excluded)
		return util_yaml_fail(
		    tree, util_yaml_at(tree, "network.packets"), err,
		    "network.packets: found %s beside it, wanted none: packets share "
		    "links, wait in queues and are acknowledged by themselves",
		    excluded);
	return order_packets(cluster, tree, err);
}

/* What one number, or two, say of it; those of a preset hold as far as the file says nothing. */
static int complete_unattended(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			       struct util_error *err)
{
	static const char path[] = "protocol.unattended_send";
	struct cluster_protocol *protocol = &draft->cluster.protocol;
	const struct util_yaml *node = util_yaml_at(tree, path);

	if (node && node->kind == UTIL_YAML_SCALAR)
		draft->unattended_new_B = draft->unattended_used_B =
		    draft->unattended_B == INT64_MAX ? 0 : draft->unattended_B;
	protocol->unattended_new_B = draft->unattended_new_B;
	protocol->unattended_used_B = draft->unattended_used_B;
	if ((protocol->unattended_new_B == 0 && protocol->unattended_used_B > 0) ||
	    protocol->unattended_used_B < protocol->unattended_new_B)
		return util_yaml_fail(tree, node, err,
				      "%s: found new: %lld and used: %lld, wanted both, and no "
				      "less of a used connection",
				      path, (long long)protocol->unattended_new_B,
				      (long long)protocol->unattended_used_B);
	return 0;
}

/* What a preset says gives way to what the file says. */
static void give_way(struct cluster_protocol *protocol, const struct util_yaml_tree *tree)
{
	bool is_possible = protocol->order == CLUSTER_ORDER_PER_PAIR &&
			   protocol->progress != CLUSTER_PROGRESS_ASYNC;

	if (!is_possible && !util_yaml_at(tree, "protocol.unattended_send"))
		protocol->unattended_new_B = protocol->unattended_used_B = 0;
	if (protocol->unattended_new_B > 0)
		return;
	if (!util_yaml_at(tree, "protocol.unattended_receive"))
		protocol->unattended_receive_B = INT64_MAX;
	if (!util_yaml_at(tree, "protocol.send_buffer"))
		protocol->send_buffer_is_unattended = false;
}

int cluster_complete_protocol(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			      const struct util_yaml *section, struct util_error *err)
{
	struct cluster_protocol *protocol = &draft->cluster.protocol;
	const struct util_yaml *send = util_yaml_at(tree, "protocol.unattended_send");
	const char *found = NULL, *wanted = NULL;
	int rc = complete_unattended(draft, tree, err);
	bool is_limited;

	(void)section;
	if (rc)
		return rc;
	if (protocol->request_data_B == INT64_MAX) /* "eager" */
		protocol->request_data_B =
		    protocol->eager_threshold_B == INT64_MAX ? 0 : protocol->eager_threshold_B;
	give_way(protocol, tree);
	is_limited = protocol->unattended_new_B > 0;
	if (!is_limited && protocol->send_buffer_is_unattended)
		found = "protocol.send_buffer: unattended", wanted = "an unattended_send";
	else if (!is_limited && protocol->unattended_receive_B != INT64_MAX)
		found = "protocol.unattended_receive", wanted = "an unattended_send, too";
	else if (is_limited && protocol->order == CLUSTER_ORDER_FREE)
		found = "protocol.order: free", wanted = "per_pair beside unattended_send";
	else if (is_limited && protocol->progress == CLUSTER_PROGRESS_ASYNC)
		found = "protocol.progress: async",
		wanted = "in_mpi or in_waiting beside unattended_send";
	return found ? util_yaml_fail(tree, send ? send : util_yaml_at(tree, "protocol"), err,
				      "found %s, wanted %s", found, wanted)
		     : 0;
}
