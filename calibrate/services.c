/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication, spawned processes and files: from samples to values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "services.h"

enum { MOST_SPAWNS = 16 };

/* One-sided operations that probe_rma.c has at once at most. Of a round trip, which as many as can
 * be started take: what an operation waits less for does not show there. */
enum { MOST_AT_ONCE = 1026 };
static const double SHOWS = 0.9;

/* Of a rate that would be twice as high if nothing were in its way. */
static const double LIMITED = 0.98;
/* Messages that follow each other when processes that begin meet those that spawned them. */
static const double MEETING_MESSAGES = 3;

static const struct value nothing = {false, 0, 0, 0, 0, 0};

static struct value value_of(const struct fit *fit, const struct sample_key *key)
{
	struct summary s = samples_summary(fit->samples, key);

	return (struct value){s.n > 0, s.median, s.low, s.high, s.n, s.n_outliers};
}

static struct value around(double value, double half, const struct value *like)
{
	return (struct value){true, value, value - half, value + half, like->n, like->n_outliers};
}

static double half_of(const struct value *v)
{
	return (v->high - v->low) / 2;
}

static long fact(const struct fit *fit, const char *name)
{
	const char *text = samples_get_fact(fit->samples, name, 0);

	return text ? strtol(text, NULL, 10) : 0;
}

/* The probe's keys in the order measured, each once; how many. */
static int keys_of(const struct fit *fit, const char *name, struct sample_key *keys, int most)
{
	int n = 0;

	for (size_t i = 0; i < fit->samples->n; i++) {
		const struct sample_key *key = &fit->samples->list[i].key;
		int k = 0;

		if (strcmp(key->name, name) != 0)
			continue;
		while (k < n && (keys[k].x != key->x || keys[k].y != key->y))
			k++;
		if (k == n && n < most)
			keys[n++] = *key;
	}
	return n;
}

/* --- one-sided communication --- */

/* Of so many operations none seemed to wait. Where starting them takes as long as a round trip, the
 * last ones would have waited for less than what shows. */
static int64_t unseen_depth(int64_t n)
{
	return n < MOST_AT_ONCE ? llround((double)n * SHOWS) : n;
}

static void find_rma(const struct fit *fit, struct services *services)
{
	struct sample_key key;
	struct value wait, depth;

	if (keys_of(fit, "put_while_computing", &key, 1) == 0)
		return;
	wait = value_of(fit, &key);
	services->has_rma = true;
	services->put_wait = wait.value;
	services->is_in_mpi = wait.value > 0.5;
	if (keys_of(fit, "gets_at_once", &key, 1) == 0)
		return;
	depth = value_of(fit, &key);
	/* measured where gets, which wait for their requests on the links, showed nothing */
	if (keys_of(fit, "updates_at_once", &key, 1) > 0)
		depth = value_of(fit, &key);
	services->is_depth_certain = depth.low == depth.high;
	services->depth = services->is_depth_certain ? (int64_t)depth.value : 0;
	services->n_at_once =
	    fact(fit, "rma_busy") > 0 ? fact(fit, "rma_busy") : unseen_depth(key.x);
	/* a single step may be a connection's first window */
	if (samples_get_fact(fit->samples, "packet_jump_B", 0) && key.x <= 2 * services->depth) {
		services->n_at_once = services->depth;
		services->depth = 0;
	}
}

/* --- processes --- */

/* A line through the medians by how many processes began on one node. */
static void fit_line(const double *x, const struct value *times, int n, struct services *services)
{
	double mean_x = 0, mean = 0, spread = 0, slope = 0, slope_half = 0, half = 0, begin;

	for (int k = 0; k < n; k++) {
		mean_x += x[k] / n;
		mean += times[k].value / n;
		half = fmax(half, half_of(&times[k]));
	}
	for (int k = 0; k < n; k++)
		spread += (x[k] - mean_x) * (x[k] - mean_x);
	for (int k = 0; k < n && spread > 0; k++) {
		slope += (x[k] - mean_x) * times[k].value / spread;
		slope_half = hypot(slope_half, (x[k] - mean_x) * half_of(&times[k]) / spread);
	}
	slope = fmax(slope, 0);
	begin = fmax(mean - slope * mean_x, 0);
	services->startup = around(begin, hypot(half, slope_half * mean_x), &times[0]);
	if (spread > 0)
		services->per_process = around(slope, slope_half, &times[n - 1]);
}

static void find_spawn(const struct fit *fit, struct services *services)
{
	struct sample_key keys[MOST_SPAWNS];
	struct value times[MOST_SPAWNS];
	double x[MOST_SPAWNS], ranks = fit->n_ranks, slots = (double)fit->n_nodes * fit->cores;
	int n = keys_of(fit, "spawn", keys, MOST_SPAWNS);
	int where = fit->empty[WITHIN_NODE].is_known ? WITHIN_NODE : fit->subject;

	services->universe = fact(fit, "universe_size");
	if ((double)services->universe == fmax(ranks, slots))
		services->universe = 0;
	for (int k = 0; k < n; k++) {
		times[k] = value_of(fit, &keys[k]);
		times[k].value -= MEETING_MESSAGES * fit->empty[where].value;
		x[k] = (double)keys[k].y;
	}
	if (n > 0)
		fit_line(x, times, n, services);
}

/* --- storage --- */

/* Bytes per second of so many nodes together: what the longer of two measurements moves more. */
static struct value rate_of(const struct fit *fit, const char *name, int n_nodes)
{
	struct sample_key keys[8];
	struct value times[2];
	int n = keys_of(fit, name, keys, 8), found = 0;
	double bytes[2], more_s, half_s, more_B;

	for (int k = 0; k < n && found < 2; k++) {
		if (keys[k].y != n_nodes)
			continue;
		times[found] = value_of(fit, &keys[k]);
		bytes[found++] = (double)keys[k].x * n_nodes;
	}
	if (found < 2)
		return nothing;
	more_B = bytes[1] - bytes[0];
	more_s = times[1].value - times[0].value;
	half_s = hypot(half_of(&times[0]), half_of(&times[1]));
	if (more_s <= 1e-12)
		return around(INFINITY, 0, &times[1]);
	return (struct value){true,
			      more_B / more_s,
			      more_B / (more_s + half_s),
			      more_s > half_s ? more_B / (more_s - half_s) : INFINITY,
			      times[1].n,
			      times[1].n_outliers};
}

/* What one server gives in one direction, if that can be seen; and what a node takes. */
static struct value find_server(const struct fit *fit, const char *one, const char *all,
				const struct services *services, struct value *client)
{
	int n_nodes = fit->n_nodes;
	struct value alone = rate_of(fit, one, 1), together = rate_of(fit, one, n_nodes),
		     wide = rate_of(fit, all, 1);
	bool is_seen = together.is_known && isfinite(together.value) &&
		       (n_nodes == 1 || together.value < LIMITED * n_nodes * alone.value);

	*client = nothing;
	if (!is_seen) {
		*client = alone;
		return around(INFINITY, 0, &together);
	}
	/* one node and one server: whose bandwidth it is makes no difference */
	if (wide.is_known && (n_nodes > 1 || services->n_servers > 1) &&
	    (double)services->n_servers * together.value * LIMITED > wide.value)
		*client = wide;
	return together;
}

/* One number for both directions: the mean where both are seen. */
static struct value client_of(const struct value *read, const struct value *write)
{
	if (!read->is_known || !isfinite(read->value))
		return *write;
	if (!write->is_known || !isfinite(write->value))
		return *read;
	return (struct value){true,
			      (read->value + write->value) / 2,
			      fmin(read->low, write->low),
			      fmax(read->high, write->high),
			      read->n + write->n,
			      read->n_outliers + write->n_outliers};
}

static void find_storage(const struct fit *fit, struct services *services)
{
	struct sample_key latency = sample_key("storage_latency", BETWEEN_NODES, 1, 0),
			  metadata = sample_key("storage_metadata", BETWEEN_NODES, 0, 0);
	struct value read_client, write_client;

	services->access = value_of(fit, &latency);
	services->metadata = value_of(fit, &metadata);
	services->has_storage = services->access.is_known && services->metadata.is_known;
	if (!services->has_storage)
		return;
	services->n_servers = fact(fit, "storage_servers");
	services->n_stripes = fact(fit, "storage_stripe_count");
	services->stripe_B = fact(fit, "storage_stripe_B");
	services->read_Bps =
	    find_server(fit, "read_one_server", "read_all_servers", services, &read_client);
	services->write_Bps =
	    find_server(fit, "write_one_server", "write_all_servers", services, &write_client);
	services->client_Bps = client_of(&read_client, &write_client);
	services->is_server_seen =
	    isfinite(services->read_Bps.value) || isfinite(services->write_Bps.value);
}

void services_find(const struct fit *fit, struct services *services)
{
	*services = (struct services){.n_servers = 1, .n_stripes = 1};
	find_rma(fit, services);
	find_spawn(fit, services);
	find_storage(fit, services);
}
