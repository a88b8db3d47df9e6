/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a library and a cluster do beside moving messages: the cluster file's sections rma, spawn and
 * storage, from the samples of probe_rma.c, probe_spawn.c and probe_storage.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "yaml.h"

enum { MOST_SPAWNS = 16 };
enum { DEFAULT_DEPTH = 64 };

/* One-sided operations that probe_rma.c has at once at most. Of a round trip, which as many as can
 * be started take: what an operation waits less for does not show there. */
enum { MOST_AT_ONCE = 1026 };
static const double SHOWS = 0.9;

/* Of a rate that would be twice as high if nothing were in its way. */
static const double LIMITED = 0.98;
/* Messages that follow each other when processes that begin meet those that spawned them. */
static const double MEETING_MESSAGES = 3;

static struct value value_of(const struct fit *fit, const struct sample_key *key)
{
	return key ? fit_value(fit->samples, key->name, key->where, key->x, key->y)
		   : (struct value){0};
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

/* --- one-sided communication --- */

/* Of so many operations none seemed to wait. Where starting them takes as long as a round trip, the
 * last ones would have waited for less than what shows. */
static int64_t unseen_depth(int64_t n)
{
	return n < MOST_AT_ONCE ? llround((double)n * SHOWS) : n;
}

static void write_depth(const struct yaml *out)
{
	static const char probes[] = "gets_at_once updates_at_once";
	const struct fit *fit = out->fit;
	const struct sample_key *gets = samples_next(fit->samples, "gets_at_once", 0),
				*updates = samples_next(fit->samples, "updates_at_once", 0);
	/* updates: where gets, which wait for their requests on the links, showed nothing */
	const struct sample_key *key = gets && updates ? updates : gets;
	struct value depth = value_of(fit, key);
	int64_t n_at_once = fact(fit, "rma_busy");

	if (!key || depth.low != depth.high) {
		yaml_line(out, probes,
			  "  # queue_depth: not seen; answers came in no regular groups; ");
		return;
	}
	if (n_at_once <= 0)
		n_at_once = unseen_depth(key->x);
	/* a single step may be a connection's first window */
	if (samples_get_fact(fit->samples, "packet_jump_B", 0) &&
	    (double)key->x <= 2 * depth.value) {
		n_at_once = (int64_t)depth.value;
		depth.value = 0;
	}
	if (depth.value >= 1)
		yaml_line(out, probes,
			  "  queue_depth: %lld   # the next one waited for the first answer; ",
			  (long long)depth.value);
	else if (n_at_once > DEFAULT_DEPTH)
		yaml_line(out, probes,
			  "  queue_depth: %lld   # or more: that many waited for none; ",
			  (long long)n_at_once);
	else
		yaml_line(out, probes,
			  "  # queue_depth: not seen; %lld at once waited for none, more cannot be "
			  "told; ",
			  (long long)n_at_once);
}

void yaml_rma(const struct yaml *out)
{
	const struct fit *fit = out->fit;
	const char *failed = samples_get_fact(fit->samples, "rma_failed", 0);
	struct value wait = /* of the time for which its target computed */
	    value_of(fit, samples_next(fit->samples, "put_while_computing", 0));

	if (failed)
		fprintf(out->file, "\n# rma: not measured: %s\n", failed);
	if (!wait.is_known)
		return;
	yaml_line(
	    out, "put_while_computing",
	    "\nrma:\n  progress: %s   # a put to a rank that computed took %.0f %% of that time; ",
	    wait.value > 0.5 ? "in_mpi" : "nic", wait.value * 100);
	write_depth(out);
}

/* --- processes --- */

/* A line through the medians by how many processes began on one node. */
static void fit_line(const double *x, const struct value *times, int n, struct value *startup,
		     struct value *per_process)
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
	*startup = around(begin, hypot(half, slope_half * mean_x), &times[0]);
	if (spread > 0)
		*per_process = around(slope, slope_half, &times[n - 1]);
}

static void write_times(const struct yaml *out)
{
	const struct fit *fit = out->fit;
	const struct sample_key *key = NULL;
	struct value times[MOST_SPAWNS], startup, per_process = {0};
	double x[MOST_SPAWNS];
	int n = 0, where = fit->empty[WITHIN_NODE].is_known ? WITHIN_NODE : fit->subject;

	while (n < MOST_SPAWNS && (key = samples_next(fit->samples, "spawn", key ? key->x : 0))) {
		times[n] = value_of(fit, key);
		times[n].value -= MEETING_MESSAGES * fit->empty[where].value;
		x[n++] = (double)key->y;
	}
	if (n == 0)
		return;
	fit_line(x, times, n, &startup, &per_process);
	fprintf(out->file, "\nspawn:\n");
	yaml_value(out, "spawn.startup", &startup, yaml_time, "MPI_Comm_spawn, less what follows");
	if (per_process.is_known)
		yaml_value(out, "spawn.per_process", &per_process, yaml_time,
			   "each process more on one node");
}

void yaml_spawn(const struct yaml *out)
{
	const struct fit *fit = out->fit;
	const char *failed = samples_get_fact(fit->samples, "spawn_failed", 0);
	long universe = fact(fit, "universe_size");

	if (failed)
		fprintf(out->file, "\n# spawn: the library could not spawn %s\n", failed);
	/* else it is as the simulator has it without being told */
	if (universe && (double)universe != fmax(fit->n_ranks, (double)fit->n_nodes * fit->cores))
		fprintf(out->file,
			"\nrun: {spawn: {universe_size: %ld}}   # MPI_UNIVERSE_SIZE, as the "
			"library says\n",
			universe);
	write_times(out);
}

/* --- storage --- */

/* Bytes per second of so many nodes together: what the longer of two measurements moves more. */
static struct value rate_of(const struct fit *fit, const char *name, int n_nodes)
{
	const struct sample_key *key = NULL;
	struct value times[2];
	double bytes[2], more_s, half_s, more_B;
	int found = 0;

	while (found < 2 && (key = samples_next(fit->samples, name, key ? key->x : 0))) {
		bytes[found] = (double)key->x * n_nodes;
		times[found] = fit_value(fit->samples, name, key->where, key->x, n_nodes);
		found += times[found].is_known;
	}
	if (found < 2)
		return (struct value){0};
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
				struct value *client)
{
	int n_nodes = fit->n_nodes;
	long n_servers = fact(fit, "storage_servers");
	struct value alone = rate_of(fit, one, 1), together = rate_of(fit, one, n_nodes),
		     wide = rate_of(fit, all, 1);
	bool is_seen = together.is_known && isfinite(together.value) &&
		       (n_nodes == 1 || together.value < LIMITED * n_nodes * alone.value);

	*client = (struct value){0};
	if (!is_seen) {
		*client = alone;
		return around(INFINITY, 0, &together);
	}
	/* one node and one server: whose bandwidth it is makes no difference */
	if (wide.is_known && (n_nodes > 1 || n_servers > 1) &&
	    (double)n_servers * together.value * LIMITED > wide.value)
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

static void write_servers(const struct yaml *out)
{
	const struct fit *fit = out->fit;
	static const char probes[] = "read_places write_places wide_read_places wide_write_places";
	long n_servers = fact(fit, "storage_servers"), stripe_B = fact(fit, "storage_stripe_B"),
	     n_stripes = fact(fit, "storage_stripe_count");

	yaml_line(out, probes, "  servers: %ld   # places of a file that do not share one; ",
		  n_servers);
	fprintf(out->file, "  stripe:\n");
	if (stripe_B > 0)
		yaml_line(out, probes, "    size: %ld   # found in steps of 64 KiB; ", stripe_B);
	if (n_stripes == n_servers)
		yaml_line(out, probes, "    servers: all   # ");
	else
		yaml_line(out, probes,
			  "    servers: %ld   # the first place that shares the first one's server "
			  "again; ",
			  n_stripes);
}

static void write_bandwidth(const struct yaml *out, const char *key, const struct value *v,
			    const char *probes, const char *how)
{
	if (v->is_known && isfinite(v->value))
		yaml_value(out, key, v, yaml_bandwidth, how);
	else
		yaml_line(out, probes, "    %s: inf   # never what held anything up; ",
			  strrchr(key, '.') + 1);
}

void yaml_storage(const struct yaml *out)
{
	const struct fit *fit = out->fit;
	const char *said = samples_get_fact(fit->samples, "storage_said", 0);
	struct value access = fit_value(fit->samples, "storage_latency", BETWEEN_NODES, 1, 0),
		     metadata = fit_value(fit->samples, "storage_metadata", BETWEEN_NODES, 0, 0),
		     read, write, client, read_client, write_client;

	if (!access.is_known || !metadata.is_known)
		return;
	read = find_server(fit, "read_one_server", "read_all_servers", &read_client);
	write = find_server(fit, "write_one_server", "write_all_servers", &write_client);
	client = client_of(&read_client, &write_client);
	fprintf(out->file, "\nstorage:\n");
	yaml_value(out, "storage.latency", &access, yaml_time, "one byte read");
	fprintf(out->file, "  bandwidth:\n");
	write_bandwidth(out, "storage.bandwidth.read", &read, "read_one_server",
			"all nodes from one server");
	write_bandwidth(out, "storage.bandwidth.write", &write, "write_one_server",
			"all nodes to one server, and MPI_File_sync");
	write_bandwidth(out, "storage.bandwidth.client", &client,
			"read_all_servers write_all_servers", "one node and all servers");
	yaml_value(out, "storage.metadata_time", &metadata, yaml_time, "open and close of a file");
	if (isfinite(read.value) || isfinite(write.value))
		write_servers(out);
	else
		fprintf(out->file, "  # no server is busy when all nodes reach for one place: how "
				   "many there are was not seen\n");
	if (said)
		fprintf(out->file, "  # the library says: %s\n", said);
}
