/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of connections (docs/model.md §3): what of a stream may be on its way, unacknowledged.
 * Its acknowledgements stand in the queue of the node that it sends to, behind what that node sends
 * itself.
 */
#include <math.h>

#include "netmodel/private.h"

static int64_t first_window(const struct net_model *model)
{
	return model->cluster->windows.list[0].size_B;
}

/* The transfer's work that has not passed yet. */
static double left_of(const struct net_model *model, const struct net_transfer *transfer)
{
	return transfer->remaining_s -
	       transfer->rate * sim_time_to_s(model->engine->now - transfer->updated);
}

/* Seconds' worth of a transfer that may be on its way; INFINITY: all. */
static double window_of(const struct net_model *model, const struct net_transfer *transfer)
{
	const struct net_cluster *cluster = model->cluster;
	const struct net_stream *stream = transfer->stream;
	double window_B, passed_B;

	if (!stream || !model->has_windows)
		return INFINITY;
	passed_B = (double)stream->passed_B + (double)transfer->size_B -
		   left_of(model, transfer) * cluster->bandwidth_Bps;
	window_B = (double)net_cluster_window(cluster, passed_B > 0 ? (int64_t)passed_B : 0);
	if (stream->is_against)
		window_B = fmax(window_B, stream->against_B);
	return window_B < 0 ? INFINITY : window_B / cluster->bandwidth_Bps;
}

/* What may be on its way of a transfer, and not more than its node's queue holds. */
static double held_of(const struct net_model *model, const struct net_transfer *transfer)
{
	double held_s = fmin(left_of(model, transfer), window_of(model, transfer));

	return fmax(model->queue_s > 0 ? fmin(held_s, model->queue_s) : held_s, 0);
}

double net_window_queued(const struct net_model *model, const struct net_link *link)
{
	double sum_s = 0;

	for (int k = 0; k < link->n; k++)
		sum_s += held_of(model, link->hops[k].transfer);
	return sum_s;
}

double net_window_filled(const struct net_model *model, const struct net_link *out)
{
	double sum = 0;

	for (int k = 0; k < out->n && sum < 1; k++) {
		const struct net_transfer *t = out->hops[k].transfer;
		double back_s = net_window_queued(model, &model->links[t->dest_node]);

		sum += back_s > 0 ? window_of(model, t) / back_s : 1;
	}
	return fmin(sum, 1);
}

static bool has_just_begun(const struct net_model *model, const struct net_stream *stream)
{
	return stream && stream->has_begun &&
	       sim_time_to_s(model->engine->now - stream->began) <=
		   model->cluster->window_meeting_s;
}

/* Slow start takes the delay that it finds at its begin for the path's own, and goes on the longer.
 * Streams that meet find the same. */
static void set_against(struct net_model *model, struct net_stream *stream, bool meets)
{
	double spread = meets ? 0 : model->cluster->window_spread;

	stream->is_against = true;
	stream->against_B = (double)model->cluster->window_against_B *
			    net_model_vary_factor(&model->window_rng, spread);
}

/* Those that send to `node` and began just before it sent something itself. */
static void meet(struct net_model *model, int node)
{
	const struct net_link *in = &model->links[model->cluster->n_nodes + node];

	for (int k = 0; k < in->n; k++) {
		struct net_stream *stream = in->hops[k].transfer->stream;

		if (has_just_begun(model, stream) && !stream->is_against)
			set_against(model, stream, true);
	}
}

void net_window_enter(struct net_model *model, const struct net_transfer *transfer)
{
	const struct net_link *back = &model->links[transfer->dest_node];
	struct net_stream *stream = transfer->stream;
	bool meets = true;

	if (!stream || stream->has_begun || model->cluster->window_against_B == 0 ||
	    stream->passed_B + transfer->size_B <= first_window(model))
		return;
	stream->has_begun = true;
	stream->began = model->engine->now;
	for (int k = 0; k < back->n; k++)
		meets = meets && has_just_begun(model, back->hops[k].transfer->stream);
	if (back->n > 0)
		set_against(model, stream, meets);
	meet(model, transfer->source_node);
}
