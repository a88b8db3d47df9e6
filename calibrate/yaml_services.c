/* SPDX-License-Identifier: BSD-3-Clause */
/* The cluster file's sections rma, spawn and storage, and what keeps them from being there. */
#include <math.h>
#include <string.h>

#include "services.h"
#include "yaml.h"

enum { DEFAULT_DEPTH = 64 };

static void write_depth(const struct fit *fit, const struct services *services, FILE *file)
{
	char probe[160];

	yaml_probe(fit, "gets_at_once updates_at_once", probe);
	if (services->depth > 0)
		fprintf(file,
			"  queue_depth: %lld   # the next one waited for the first answer; %s\n",
			(long long)services->depth, probe);
	else if (!services->is_depth_certain)
		fprintf(file, "  # queue_depth: not seen; answers came in no regular groups; %s\n",
			probe);
	else if (services->n_at_once > DEFAULT_DEPTH)
		fprintf(file, "  queue_depth: %lld   # or more: that many waited for none; %s\n",
			(long long)services->n_at_once, probe);
	else
		fprintf(file,
			"  # queue_depth: not seen; %lld at once waited for none, more cannot be "
			"told; %s\n",
			(long long)services->n_at_once, probe);
}

static void write_rma(const struct fit *fit, const struct services *services, FILE *file)
{
	const char *failed = samples_get_fact(fit->samples, "rma_failed", 0);

	if (failed)
		fprintf(file, "\n# rma: not measured: %s\n", failed);
	if (!services->has_rma)
		return;
	yaml_line(
	    file, fit, "put_while_computing",
	    "\nrma:\n  progress: %s   # a put to a rank that computed took %.0f %% of that time",
	    services->is_in_mpi ? "in_mpi" : "nic", services->put_wait * 100);
	write_depth(fit, services, file);
}

static void write_spawn(const struct fit *fit, const struct services *services, FILE *file)
{
	const char *failed = samples_get_fact(fit->samples, "spawn_failed", 0);

	if (failed)
		fprintf(file, "\n# spawn: the library could not spawn %s\n", failed);
	if (services->universe)
		fprintf(
		    file,
		    "\nrun: {spawn: {universe_size: %ld}}   # MPI_UNIVERSE_SIZE, as the library "
		    "says\n",
		    services->universe);
	if (!services->startup.is_known && !services->per_process.is_known)
		return;
	fprintf(file, "\nspawn:\n");
	if (services->startup.is_known)
		yaml_value(file, "  ", "startup", &services->startup, yaml_time,
			   "MPI_Comm_spawn, less what follows");
	if (services->per_process.is_known)
		yaml_value(file, "  ", "per_process", &services->per_process, yaml_time,
			   "each process more on one node");
}

static void write_servers(const struct fit *fit, const struct services *services, FILE *file)
{
	char probe[160];

	if (!services->is_server_seen) {
		fprintf(file, "  # no server is busy when all nodes reach for one place: how many "
			      "there are was not seen\n");
		return;
	}
	yaml_probe(fit, "read_places write_places wide_read_places wide_write_places", probe);
	fprintf(file, "  servers: %ld   # places of a file that do not share one; %s\n",
		services->n_servers, probe);
	fprintf(file, "  stripe:\n");
	if (services->stripe_B > 0)
		fprintf(file, "    size: %ld   # found in steps of 64 KiB; %s\n",
			services->stripe_B, probe);
	fprintf(file, "    servers: ");
	if (services->n_stripes == services->n_servers)
		fprintf(file, "all   # %s\n", probe);
	else
		fprintf(file,
			"%ld   # the first place that shares the first one's server again; %s\n",
			services->n_stripes, probe);
}

static void write_bandwidth(const struct fit *fit, FILE *file, const char *indent, const char *key,
			    const struct value *v, const char *probes, const char *how)
{
	char probe[160];

	if (v->is_known && isfinite(v->value))
		yaml_value(file, indent, key, v, yaml_bandwidth, how);
	else
		fprintf(file, "%s%s: inf   # never what held anything up; %s\n", indent, key,
			yaml_probe(fit, probes, probe));
}

static void write_storage(const struct fit *fit, const struct services *services, FILE *file)
{
	const char *said = samples_get_fact(fit->samples, "storage_said", 0);

	if (!services->has_storage)
		return;
	fprintf(file, "\nstorage:\n");
	yaml_value(file, "  ", "latency", &services->access, yaml_time, "one byte read");
	fprintf(file, "  bandwidth:\n");
	write_bandwidth(fit, file, "    ", "read", &services->read_Bps, "read_one_server",
			"all nodes from one server");
	write_bandwidth(fit, file, "    ", "write", &services->write_Bps, "write_one_server",
			"all nodes to one server, and MPI_File_sync");
	write_bandwidth(fit, file, "    ", "client", &services->client_Bps,
			"read_all_servers write_all_servers", "one node and all servers");
	yaml_value(file, "  ", "metadata_time", &services->metadata, yaml_time,
		   "open and close of a file");
	write_servers(fit, services, file);
	if (said)
		fprintf(file, "  # the library says: %s\n", said);
}

void yaml_services(const struct fit *fit, FILE *file)
{
	struct services services;

	services_find(fit, &services);
	write_rma(fit, &services, file);
	write_spawn(fit, &services, file);
	write_storage(fit, &services, file);
}

static void write_interval(FILE *file, const char *key, const struct value *v,
			   yaml_format_fn format)
{
	if (v->is_known)
		yaml_interval(file, key, v, format);
}

void yaml_services_intervals(const struct fit *fit, FILE *file)
{
	struct services services;

	services_find(fit, &services);
	write_interval(file, "spawn.startup", &services.startup, yaml_time);
	write_interval(file, "spawn.per_process", &services.per_process, yaml_time);
	if (!services.has_storage)
		return;
	write_interval(file, "storage.latency", &services.access, yaml_time);
	write_interval(file, "storage.bandwidth.read", &services.read_Bps, yaml_bandwidth);
	write_interval(file, "storage.bandwidth.write", &services.write_Bps, yaml_bandwidth);
	write_interval(file, "storage.bandwidth.client", &services.client_Bps, yaml_bandwidth);
	write_interval(file, "storage.metadata_time", &services.metadata, yaml_time);
}
