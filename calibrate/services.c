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

/* Values with an interval. A bandwidth that nothing showed is INFINITY. */
enum service { STARTUP, PER_PROCESS, ACCESS, READ, WRITE, CLIENT, METADATA, SERVICES };

static const struct row {
	const char *key;
	yaml_format_fn format;
	const char *how;
	const char *probes; /* of a bandwidth: where it would have shown */
} ROWS[SERVICES] = {
    [STARTUP] = {"spawn.startup", yaml_time, "MPI_Comm_spawn, less what follows", NULL},
    [PER_PROCESS] = {"spawn.per_process", yaml_time, "each process more on one node", NULL},
    [ACCESS] = {"storage.latency", yaml_time, "one byte read", NULL},
    [READ] = {"storage.bandwidth.read", yaml_bandwidth, "all nodes from one server",
	      "read_one_server"},
    [WRITE] = {"storage.bandwidth.write", yaml_bandwidth,
	       "all nodes to one server, and MPI_File_sync", "write_one_server"},
    [CLIENT] = {"storage.bandwidth.client", yaml_bandwidth, "one node and all servers",
		"read_all_servers write_all_servers"},
    [METADATA] = {"storage.metadata_time", yaml_time, "open and close of a file", NULL},
};

static struct value value_of(const struct fit *fit, const struct sample_key *key)
{
	return fit_value(fit->samples, key->name, key->where, key->x, key->y);
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

static void write_value(const struct fit *fit, const struct value *values, enum service id,
			FILE *file)
{
	const struct row *row = &ROWS[id];
	const char *last = strrchr(row->key, '.');
	int indent = strchr(row->key, '.') == last ? 2 : 4;

	if (row->probes && !(values[id].is_known && isfinite(values[id].value)))
		yaml_line(file, fit, row->probes, "%*s%s: inf   # never what held anything up; ",
			  indent, "", last + 1);
	else if (values[id].is_known)
		yaml_value(file, indent, last + 1, &values[id], row->format, row->how);
}

/* --- one-sided communication --- */

/* Of so many operations none seemed to wait. Where starting them takes as long as a round trip, the
 * last ones would have waited for less than what shows. */
static int64_t unseen_depth(int64_t n)
{
	return n < MOST_AT_ONCE ? llround((double)n * SHOWS) : n;
}

static void write_depth(const struct fit *fit, FILE *file)
{
	static const char probes[] = "gets_at_once updates_at_once";
	struct sample_key key;
	struct value depth = {.high = INFINITY};
	int64_t n_at_once = fact(fit, "rma_busy");

	if (keys_of(fit, "gets_at_once", &key, 1) > 0) {
		/* measured where gets, which wait for their requests on the links, showed nothing */
		keys_of(fit, "updates_at_once", &key, 1);
		depth = value_of(fit, &key);
	}
	if (depth.low != depth.high) {
		yaml_line(file, fit, probes,
			  "  # queue_depth: not seen; answers came in no regular groups; ");
		return;
	}
	if (n_at_once <= 0)
		n_at_once = unseen_depth(key.x);
	/* a single step may be a connection's first window */
	if (samples_get_fact(fit->samples, "packet_jump_B", 0) &&
	    (double)key.x <= 2 * depth.value) {
		n_at_once = (int64_t)depth.value;
		depth.value = 0;
	}
	if (depth.value >= 1)
		yaml_line(file, fit, probes,
			  "  queue_depth: %lld   # the next one waited for the first answer; ",
			  (long long)depth.value);
	else if (n_at_once > DEFAULT_DEPTH)
		yaml_line(file, fit, probes,
			  "  queue_depth: %lld   # or more: that many waited for none; ",
			  (long long)n_at_once);
	else
		yaml_line(file, fit, probes,
			  "  # queue_depth: not seen; %lld at once waited for none, more cannot be "
			  "told; ",
			  (long long)n_at_once);
}

static void write_rma(const struct fit *fit, FILE *file)
{
	const char *failed = samples_get_fact(fit->samples, "rma_failed", 0);
	struct sample_key key;
	double wait; /* of the time for which its target computed */

	if (failed)
		fprintf(file, "\n# rma: not measured: %s\n", failed);
	if (keys_of(fit, "put_while_computing", &key, 1) == 0)
		return;
	wait = value_of(fit, &key).value;
	yaml_line(
	    file, fit, "put_while_computing",
	    "\nrma:\n  progress: %s   # a put to a rank that computed took %.0f %% of that time; ",
	    wait > 0.5 ? "in_mpi" : "nic", wait * 100);
	write_depth(fit, file);
}

/* --- processes --- */

/* A line through the medians by how many processes began on one node. */
static void fit_line(const double *x, const struct value *times, int n, struct value *values)
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
	values[STARTUP] = around(begin, hypot(half, slope_half * mean_x), &times[0]);
	if (spread > 0)
		values[PER_PROCESS] = around(slope, slope_half, &times[n - 1]);
}

static void find_spawn(const struct fit *fit, struct value *values)
{
	struct sample_key keys[MOST_SPAWNS];
	struct value times[MOST_SPAWNS];
	double x[MOST_SPAWNS];
	int n = keys_of(fit, "spawn", keys, MOST_SPAWNS);
	int where = fit->empty[WITHIN_NODE].is_known ? WITHIN_NODE : fit->subject;

	for (int k = 0; k < n; k++) {
		times[k] = value_of(fit, &keys[k]);
		times[k].value -= MEETING_MESSAGES * fit->empty[where].value;
		x[k] = (double)keys[k].y;
	}
	if (n > 0)
		fit_line(x, times, n, values);
}

static void write_spawn(const struct fit *fit, const struct value *values, FILE *file)
{
	const char *failed = samples_get_fact(fit->samples, "spawn_failed", 0);
	long universe = fact(fit, "universe_size");

	if (failed)
		fprintf(file, "\n# spawn: the library could not spawn %s\n", failed);
	/* else it is as the simulator has it without being told */
	if (universe && (double)universe != fmax(fit->n_ranks, (double)fit->n_nodes * fit->cores))
		fprintf(file,
			"\nrun: {spawn: {universe_size: %ld}}   # MPI_UNIVERSE_SIZE, as the "
			"library says\n",
			universe);
	if (!values[STARTUP].is_known)
		return;
	fprintf(file, "\nspawn:\n");
	write_value(fit, values, STARTUP, file);
	write_value(fit, values, PER_PROCESS, file);
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

static void find_storage(const struct fit *fit, struct value *values)
{
	struct value access = fit_value(fit->samples, "storage_latency", BETWEEN_NODES, 1, 0),
		     metadata = fit_value(fit->samples, "storage_metadata", BETWEEN_NODES, 0, 0),
		     read_client, write_client;

	if (!access.is_known || !metadata.is_known)
		return;
	values[ACCESS] = access;
	values[METADATA] = metadata;
	values[READ] = find_server(fit, "read_one_server", "read_all_servers", &read_client);
	values[WRITE] = find_server(fit, "write_one_server", "write_all_servers", &write_client);
	values[CLIENT] = client_of(&read_client, &write_client);
}

static void write_servers(const struct fit *fit, const struct value *values, FILE *file)
{
	static const char probes[] = "read_places write_places wide_read_places wide_write_places";
	long n_servers = fact(fit, "storage_servers"), stripe_B = fact(fit, "storage_stripe_B"),
	     n_stripes = fact(fit, "storage_stripe_count");

	if (!isfinite(values[READ].value) && !isfinite(values[WRITE].value)) {
		fprintf(file, "  # no server is busy when all nodes reach for one place: how many "
			      "there are was not seen\n");
		return;
	}
	yaml_line(file, fit, probes, "  servers: %ld   # places of a file that do not share one; ",
		  n_servers);
	fprintf(file, "  stripe:\n");
	if (stripe_B > 0)
		yaml_line(file, fit, probes, "    size: %ld   # found in steps of 64 KiB; ",
			  stripe_B);
	if (n_stripes == n_servers)
		yaml_line(file, fit, probes, "    servers: all   # ");
	else
		yaml_line(file, fit, probes,
			  "    servers: %ld   # the first place that shares the first one's server "
			  "again; ",
			  n_stripes);
}

static void write_storage(const struct fit *fit, const struct value *values, FILE *file)
{
	const char *said = samples_get_fact(fit->samples, "storage_said", 0);

	if (!values[ACCESS].is_known)
		return;
	fprintf(file, "\nstorage:\n");
	for (enum service id = ACCESS; id < SERVICES; id++) {
		if (id == READ)
			fprintf(file, "  bandwidth:\n");
		write_value(fit, values, id, file);
	}
	write_servers(fit, values, file);
	if (said)
		fprintf(file, "  # the library says: %s\n", said);
}

/* --- all --- */

void services_write(const struct fit *fit, FILE *file)
{
	struct value values[SERVICES] = {0};

	find_spawn(fit, values);
	find_storage(fit, values);
	write_rma(fit, file);
	write_spawn(fit, values, file);
	write_storage(fit, values, file);
}

void services_write_intervals(const struct fit *fit, FILE *file)
{
	struct value values[SERVICES] = {0};

	find_spawn(fit, values);
	find_storage(fit, values);
	for (int k = 0; k < SERVICES; k++)
		if (values[k].is_known)
			yaml_interval(file, ROWS[k].key, &values[k], ROWS[k].format);
}
