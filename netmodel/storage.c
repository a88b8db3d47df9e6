/* SPDX-License-Identifier: BSD-3-Clause */
/* Storage servers as nodes of a star of their own: see storage.h. */
#include "netmodel/storage.h"

#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"

struct net_storage_part {	      /* what one server has of an operation */
	struct net_transfer transfer; /* first */
	struct net_storage_op *op;
	int64_t size_B;
};

struct net_storage {
	struct sim_engine *engine;
	const struct cluster *cluster;
	struct cluster star; /* nodes, then servers */
	struct net_model *model;
	sim_time_ps metadata_free; /* when the queue for metadata is empty */
};

static double finite_or_0(double value)
{
	return isfinite(value) ? value : 0;
}

/* The bandwidth by which the star counts: no link has more. INFINITY: none has a limit. */
static double reference_Bps(const struct cluster *cluster)
{
	double reference = fmax(
	    finite_or_0(cluster->storage.client_Bps),
	    fmax(finite_or_0(cluster->storage.read_Bps), finite_or_0(cluster->storage.write_Bps)));

	return reference > 0 ? reference : INFINITY;
}

/* Of every link, relative to the reference: a client sends what is written, a server what is read.
 */
static double *capacities_of(const struct cluster *cluster, int n_nodes, double reference)
{
	double *capacities = malloc(2 * (size_t)n_nodes * sizeof *capacities);

	for (int i = 0; capacities && i < n_nodes; i++) {
		bool is_client = i < cluster->n_nodes;

		capacities[i] =
		    (is_client ? cluster->storage.client_Bps : cluster->storage.read_Bps) /
		    reference;
		capacities[n_nodes + i] =
		    (is_client ? cluster->storage.client_Bps : cluster->storage.write_Bps) /
		    reference;
	}
	return capacities;
}

static int create_star(struct net_storage *storage, struct util_error *err)
{
	const struct cluster *cluster = storage->cluster;
	int n_nodes = cluster->n_nodes + cluster->storage.n_servers;
	double reference = reference_Bps(cluster), *capacities = NULL;
	int rc;

	storage->star = (struct cluster){.n_nodes = n_nodes,
					 .cores = 1,
					 .cpu.host_to_target = 1,
					 .network.latency_s = cluster->storage.latency_s,
					 .network.bandwidth_Bps = reference};
	rc = net_model_create(storage->engine, &storage->star, &storage->model, err);
	if (rc || isinf(reference))
		return rc;
	capacities = capacities_of(cluster, n_nodes, reference);
	if (!capacities)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a model of the storage");
	net_model_set_capacities(storage->model, capacities);
	return 0;
}

int net_storage_create(struct sim_engine *engine, const struct cluster *cluster,
		       struct net_storage **out, struct util_error *err)
{
	struct net_storage *storage = calloc(1, sizeof *storage);
	int rc;

	if (!storage)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a model of the storage");
	storage->engine = engine;
	storage->cluster = cluster;
	rc = create_star(storage, err);
	if (rc) {
		net_storage_destroy(storage);
		return rc;
	}
	*out = storage;
	return 0;
}

void net_storage_destroy(struct net_storage *storage)
{
	if (!storage)
		return;
	net_model_destroy(storage->model);
	free(storage);
}

bool net_storage_is_free(const struct cluster *cluster)
{
	return cluster->storage.latency_s == 0 && cluster->storage.metadata_s == 0 &&
	       isinf(reference_Bps(cluster));
}

struct net_stripes net_storage_stripes(const struct cluster *cluster, const char *name, int n,
				       int64_t size_B)
{
	int servers = cluster->storage.n_servers;
	uint32_t hash = 2166136261u; /* FNV-1a: where files begin, spread over the servers */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	if (n <= 0)
		n = cluster->storage.stripe_count > 0 ? cluster->storage.stripe_count : servers;
	return (struct net_stripes){.first = (int)(hash % (uint32_t)servers),
				    .n = n < servers ? n : servers,
				    .size_B = size_B > 0 ? size_B : cluster->storage.stripe_B};
}

/* --- operations --- */

/* How many of the file's first `end_B` bytes lie in stripes i, i + n, i + 2 n, … */
static int64_t bytes_before(const struct net_stripes *stripes, int i, int64_t end_B)
{
	int64_t stripe = end_B / stripes->size_B, in_stripe = end_B % stripes->size_B;
	int64_t row = stripe / stripes->n, place = stripe % stripes->n;

	return row * stripes->size_B + (i < place ? stripes->size_B : i == place ? in_stripe : 0);
}

void net_storage_add(struct net_storage_op *op, struct net_stripes stripes, int64_t offset_B,
		     int64_t length_B)
{
	int64_t end_B = offset_B + length_B;

	if (length_B <= 0 || op->has_failed)
		return;
	if (!op->parts) {
		op->stripes = stripes;
		op->parts = calloc((size_t)stripes.n, sizeof *op->parts);
		op->has_failed = !op->parts;
		if (op->has_failed)
			return;
	}
	if (offset_B / stripes.size_B == (end_B - 1) / stripes.size_B) {
		op->parts[offset_B / stripes.size_B % stripes.n].size_B += length_B;
		return;
	}
	for (int i = 0; i < stripes.n; i++)
		op->parts[i].size_B +=
		    bytes_before(&stripes, i, end_B) - bytes_before(&stripes, i, offset_B);
}

static void end_step(struct net_storage_op *op)
{
	if (--op->n_left == 0)
		op->done(op);
}

static void part_done(struct net_transfer *transfer)
{
	end_step(((struct net_storage_part *)transfer)->op);
}

/* What this direction cannot limit takes its latency only. */
static bool has_bandwidth(const struct net_storage_op *op)
{
	const struct cluster *cluster = op->storage->cluster;

	return isfinite(op->is_write ? cluster->storage.write_Bps : cluster->storage.read_Bps) ||
	       isfinite(cluster->storage.client_Bps);
}

static void start_part(struct net_storage_op *op, int i)
{
	struct net_storage *storage = op->storage;
	struct net_storage_part *part = &op->parts[i];
	int server = storage->cluster->n_nodes +
		     (op->stripes.first + i) % storage->cluster->storage.n_servers;

	part->op = op;
	net_transfer_start(storage->model, &part->transfer, op->is_write ? op->node : server,
			   op->is_write ? server : op->node, has_bandwidth(op) ? part->size_B : 0,
			   part_done);
}

/* The operations on metadata are over: the bytes, to or from all servers at once. */
static void begin_parts(struct sim_event *event)
{
	struct net_storage_op *op = (struct net_storage_op *)event;

	for (int i = 0; op->parts && i < op->stripes.n; i++) {
		if (op->parts[i].size_B > 0) {
			op->n_left++;
			start_part(op, i);
		}
	}
	end_step(op);
}

void net_storage_start(struct net_storage *storage, struct net_storage_op *op, int node,
		       bool is_write, int n_metadata, net_storage_fn done)
{
	sim_time_ps now = storage->engine->now, begin = now;

	op->storage = storage;
	op->done = done;
	op->node = node;
	op->is_write = is_write;
	op->n_left = 1;
	if (op->has_failed)
		net_model_out_of_memory(storage->model);
	if (n_metadata > 0) {
		begin = storage->metadata_free > now ? storage->metadata_free : now;
		begin = sim_time_add(
		    begin, sim_time_from_s(n_metadata * storage->cluster->storage.metadata_s));
		storage->metadata_free = begin;
	}
	sim_event_init(&op->event, begin_parts);
	sim_engine_at(storage->engine, &op->event, begin);
}

void net_storage_finish(struct net_storage_op *op)
{
	free(op->parts);
	op->parts = NULL;
}
