/* SPDX-License-Identifier: BSD-3-Clause */
#include "netmodel/device.h"

#include <stdlib.h>

struct net_devices {
	const struct cluster *cluster;
	struct net_device **of; /* [n_nodes]; NULL: none of the node's is in use yet */
};

struct net_devices *net_devices_create(const struct cluster *cluster)
{
	struct net_devices *devices = calloc(1, sizeof *devices);

	if (!devices)
		return NULL;
	devices->cluster = cluster;
	devices->of = calloc((size_t)cluster->n_nodes, sizeof *devices->of);
	if (devices->of)
		return devices;
	free(devices);
	return NULL;
}

void net_devices_destroy(struct net_devices *devices)
{
	if (!devices)
		return;
	for (int node = 0; node < devices->cluster->n_nodes; node++)
		free(devices->of[node]);
	free(devices->of);
	free(devices);
}

struct net_device *net_devices_of(struct net_devices *devices, int node, int place)
{
	int n = devices->cluster->accelerators.per_node;

	if (!devices->of[node])
		devices->of[node] = calloc((size_t)n, sizeof **devices->of);
	return devices->of[node] ? &devices->of[node][place % n] : NULL;
}

static sim_time_ps later(sim_time_ps a, sim_time_ps b)
{
	return a > b ? a : b;
}

sim_time_ps net_device_serve(struct net_device *device, enum net_device_server server,
			     sim_time_ps now, sim_time_ps duration, int64_t *ideal)
{
	device->work[server] = sim_time_add(device->work[server], duration);
	device->free[server] = sim_time_add(later(device->free[server], now), duration);
	device->ideal[server] = sim_time_add(later(device->ideal[server], *ideal), duration);
	*ideal = device->ideal[server];
	return device->free[server];
}

sim_time_ps net_devices_busy(const struct net_devices *devices, int node, int number,
			     enum net_device_server server, sim_time_ps now)
{
	const struct net_device *device = devices->of[node] ? &devices->of[node][number] : NULL;

	if (!device)
		return 0;
	/* what is left to do then is done without a pause */
	return device->work[server] - later(device->free[server] - now, 0);
}

sim_time_ps net_device_copy_time(const struct cluster *cluster, double size_B)
{
	const struct cluster_accelerators *accelerators = &cluster->accelerators;

	return sim_time_from_s(accelerators->latency_s + size_B / accelerators->bandwidth_Bps);
}
