/* SPDX-License-Identifier: BSD-3-Clause */
/* How long transfers take, and how they begin. */
#include "cluster/levels.h"
#include "netmodel/memory.h"
#include "netmodel/private.h"

static const struct cluster_segment *find_segment(const struct cluster_segments *segments,
						  int64_t size_B)
{
	const struct cluster_segment *segment = NULL;

	for (int i = 0; i < segments->n && segments->list[i].from_B <= size_B; i++)
		segment = &segments->list[i];
	return segment;
}

static struct net_duration duration_between(const struct cluster *cluster, int64_t size_B,
					    double factor)
{
	const struct cluster_segment *segment =
	    cluster->network.segments.n ? find_segment(&cluster->network.segments, size_B) : NULL;
	double latency_s = segment ? segment->latency_s : cluster->network.latency_s;
	struct net_duration d = {.bandwidth_Bps = segment ? segment->bandwidth_Bps
							  : cluster->network.bandwidth_Bps};

	if (segment && segment->stream_Bps < segment->bandwidth_Bps)
		d.bound = (short)(segment - cluster->network.segments.list + 1);
	d.delay_s = latency_s * factor;
	d.work_s = (double)size_B / d.bandwidth_Bps * factor;
	/* the NIC's rate of messages */
	if (d.work_s < cluster->network.message_s * factor)
		d.work_s = cluster->network.message_s * factor;
	/* A negative intercept is bytes that pass at once: less work, no delay. */
	if (latency_s < 0) {
		d.work_s += d.delay_s;
		d.delay_s = 0;
	}
	d.is_shared = d.work_s > 0;
	return d;
}

/* Of the copies, or where these cost nobody anything, a delay. */
static struct net_duration duration_within(const struct cluster *cluster, int level,
					   int64_t size_B, double factor)
{
	const struct cluster_network *network = &cluster->network;
	const struct cluster_segment *segment =
	    cluster->network.intra_segments.n
		? find_segment(&cluster->network.intra_segments, size_B)
		: NULL;
	double latency_s = segment ? segment->latency_s : network->intra_latency_s;
	struct net_duration d = {.bandwidth_Bps = segment ? segment->bandwidth_Bps
							  : network->intra_bandwidth_Bps};

	if (network->n_intra_levels) {
		latency_s = network->intra_levels[level].latency_s;
		d.bandwidth_Bps = network->intra_levels[level].bandwidth_Bps;
	}
	d.delay_s = (latency_s + (double)size_B / d.bandwidth_Bps) * factor;
	if (network->intra_copies && size_B > 0 && latency_s >= 0) {
		d.delay_s = latency_s * factor;
		d.work_s = (double)size_B / d.bandwidth_Bps * factor;
	} else if (network->intra_copies && size_B > 0) { /* bytes that pass at once */
		d.work_s = d.delay_s;
		d.delay_s = 0;
	}
	d.is_shared = d.work_s > 0;
	return d;
}

static double bound_of(const struct cluster *cluster, const struct net_duration *d)
{
	return d->bandwidth_Bps / cluster->network.segments.list[d->bound - 1].stream_Bps;
}

struct net_minimum net_transfer_minimum(const struct cluster *cluster, int level, int64_t size_B)
{
	bool is_within_node = level != NET_BETWEEN_NODES;
	struct net_duration d = is_within_node ? duration_within(cluster, level, size_B, 1)
					       : duration_between(cluster, size_B, 1);
	double slower = d.bound ? bound_of(cluster, &d) : 1; /* than its links */
	double bandwidth_s = (double)size_B / d.bandwidth_Bps * slower;
	double all_s = d.delay_s + d.work_s * slower;

	if (bandwidth_s > all_s) /* a negative intercept: bytes that pass at once */
		bandwidth_s = all_s;
	return (struct net_minimum){
	    .latency_s = all_s - bandwidth_s,
	    .bandwidth_s = bandwidth_s,
	    .is_delay = d.delay_s > 0 &&
			(is_within_node || cluster->network.model != CLUSTER_NETWORK_THESIS)};
}

void net_transfer_set_mark(struct net_transfer *transfer, struct net_duration *d, double last_s)
{
	double *part = d->is_shared ? &d->work_s : &d->delay_s;

	transfer->last_s = last_s < *part ? last_s : *part;
	*part -= transfer->last_s;
}

void net_transfer_fire(struct sim_event *event)
{
	struct net_transfer *transfer = (struct net_transfer *)event;
	net_transfer_fn mark = transfer->mark;

	if (!mark) {
		transfer->done(transfer);
		return;
	}
	transfer->mark = NULL;
	sim_engine_after(transfer->model->engine, event, sim_time_from_s(transfer->last_s));
	mark(transfer);
}

/* Between ranks of a node. */
static void start_within(struct net_transfer *transfer, const struct net_place *source,
			 const struct net_place *dest, int64_t last_B, double factor)
{
	struct net_model *model = transfer->model;
	int level = cluster_level_of(model->cluster, source->core, dest->core);
	struct net_duration d = duration_within(model->cluster, level, transfer->size_B, factor);

	if (transfer->mark)
		net_transfer_set_mark(transfer, &d, (double)last_B / d.bandwidth_Bps * factor);
	if (d.is_shared)
		net_memory_copy(transfer, source, dest, d);
	else
		sim_engine_after(model->engine, &transfer->event, sim_time_from_s(d.delay_s));
}

static void start(struct net_model *model, struct net_transfer *transfer,
		  const struct net_place *source, const struct net_place *dest, int64_t size_B,
		  int64_t last_B, net_transfer_fn mark, net_transfer_fn done,
		  struct net_stream *stream)
{
	double factor = net_model_vary_factor(&model->transfer_rng, model->transfer_amplitude);

	net_transfer_set_up(model, transfer, source->node, dest->node, size_B, done);
	transfer->event.fire = net_transfer_fire;
	transfer->remaining_s = 0;
	transfer->mark = mark;
	transfer->stream = stream;
	if (source->node == dest->node)
		start_within(transfer, source, dest, last_B, factor);
	else
		model->method->start(transfer, duration_between(model->cluster, size_B, factor),
				     last_B, factor);
}

void net_transfer_start_between(struct net_model *model, struct net_transfer *transfer,
				const struct net_place *source, const struct net_place *dest,
				int64_t size_B, int64_t last_B, net_transfer_fn mark,
				net_transfer_fn done)
{
	start(model, transfer, source, dest, size_B, last_B, mark, done, NULL);
}

void net_transfer_start_marked(struct net_model *model, struct net_transfer *transfer,
			       int source_node, int dest_node, int64_t size_B, int64_t last_B,
			       net_transfer_fn mark, net_transfer_fn done)
{
	struct net_place source = {source_node, 0, 1}, dest = {dest_node, 0, 1};

	start(model, transfer, &source, &dest, size_B, last_B, mark, done, NULL);
}

void net_transfer_start_in_stream(struct net_model *model, struct net_stream *stream,
				  struct net_transfer *transfer, int source_node, int dest_node,
				  int64_t size_B, int64_t last_B, net_transfer_fn mark,
				  net_transfer_fn done)
{
	struct net_place source = {source_node, 0, 1}, dest = {dest_node, 0, 1};

	start(model, transfer, &source, &dest, size_B, last_B, mark, done, stream);
}
