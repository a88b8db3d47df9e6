/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What protocol.library stands for, and the keys that files used to have. Both libraries over TCP as
 * they were found by calibration on the emulated cluster (docs/validation-emulated.md), as is what
 * Linux takes of a connection; rdma: as most libraries do over InfiniBand, not measured.
 */
#include <string.h>

#include "cluster/schema.h"

static const struct preset {
	const char *path, *openmpi_tcp, *mpich_tcp, *rdma;
} presets[] = {
    {"protocol.progress", "in_waiting", "in_mpi", "in_mpi"},
    {"protocol.late_answers", "tests", "probes", "none"},
    {"protocol.order", "per_pair", "per_pair", "free"},
    {"protocol.synchronous_send", "acknowledged", "acknowledged", "matched"},
    {"protocol.rendezvous_end", "arrived", "acknowledged", "arrived"},
    {"protocol.request_data", "eager", "0", "0"},
    {"protocol.send_buffer", "unattended", "off", "off"},
    {"protocol.unattended_send.new", "45 kB", "45 kB", NULL},
    {"protocol.unattended_send.used", "650 kB", "650 kB", NULL},
    {"protocol.unattended_receive", "160 kB", "160 kB", "off"},
    {"protocol.collectives", "openmpi", "mpich", "default"},
    {"rma.progress", "in_mpi", "in_mpi", "nic"},
};

const char *cluster_preset(int library, const char *path)
{
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		const struct preset *p = &presets[i];
		const char *const of[] = {NULL, p->openmpi_tcp, p->mpich_tcp, p->rdma};

		if (strcmp(p->path, path) == 0)
			return of[library];
	}
	return NULL;
}

/* A path that ends with a dot stands for all keys of the section. */
static const struct renamed {
	const char *old, *wanted;
} renamed[] = {
    {"placement", "run.placement"},
    {"cpu.communication_cost_scale", "cpu.communication_cost.scale"},
    {"cpu.communication_cost.transfers", "none: the law holds for any number of transfers"},
    {"network.latency_model", "network.model: fluid or thesis"},
    {"network.sharing", "network.model: fluid or thesis"},
    {"network.queue", "network.packets: {queue: …}, of packets only"},
    {"network.duplex_penalty", "network.losses: {duplex: …}"},
    {"network.sharing_efficiency",
     "network.losses: {sharing: […]}, of which each value is 1 - the efficiency"},
    {"protocol.send_overhead", "protocol.overhead: {send: …, recv: …}"},
    {"protocol.recv_overhead", "protocol.overhead: {send: …, recv: …}"},
    {"protocol.recv_overhead_per_byte", "protocol.overhead: {per_byte: …}"},
    {"protocol.send_overhead_per_byte", "protocol.overhead: {per_byte: …}, of the receiver"},
    {"protocol.control_message", "none: control messages take the latency"},
    {"collectives.profile", "protocol.collectives"},
    {"collectives.", "run.algorithms"},
    {"collectives", "protocol.collectives, or run.algorithms"},
    {"spawn.placement", "run.spawn: {placement: …}"},
    {"spawn.max_processes", "run.spawn: {processes: …}"},
    {"spawn.universe_size", "run.spawn: {universe_size: …}"},
    {"storage.client_bandwidth", "storage.bandwidth: {client: …}"},
    {"storage.read_bandwidth", "storage.bandwidth: {read: …, write: …}"},
    {"storage.write_bandwidth", "storage.bandwidth: {read: …, write: …}"},
    {"storage.stripe_size", "storage.stripe: {size: …}"},
    {"storage.stripe_count", "storage.stripe: {servers: …}"},
};

const char *cluster_renamed(const char *path)
{
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
		const char *old = renamed[i].old;
		size_t length = strlen(old);

		if (strcmp(old, path) == 0 ||
		    (old[length - 1] == '.' && strncmp(old, path, length) == 0))
			return renamed[i].wanted;
	}
	return NULL;
}
