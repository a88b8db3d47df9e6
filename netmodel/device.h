/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_DEVICE_H
#define NETMODEL_DEVICE_H

#include "cluster/cluster.h"
#include "simcore/time.h"

/*
 * Accelerators (docs/model.md §12): each has three servers, one for kernels, one for copies to it and
 * one for copies from it. A server does one piece of work after the other, in the order in which
 * they come.
 */
enum net_device_server { NET_DEVICE_KERNELS, NET_DEVICE_IN, NET_DEVICE_OUT, NET_DEVICE_N_SERVERS };

struct net_device { /* zero-initialised: it has nothing to do */
	/* when each has done all that has come; on the clock, and on that of an ideal network */
	sim_time_ps free[NET_DEVICE_N_SERVERS];
	int64_t ideal[NET_DEVICE_N_SERVERS];
	sim_time_ps work[NET_DEVICE_N_SERVERS]; /* the time of all that has come */
	struct net_device_last { /* what it has done last, for whoever explains */
		void *cause;
		sim_time_ps at;
	} last[NET_DEVICE_N_SERVERS];
	int n_users; /* ranks that have streams and have not ended */
};

struct net_devices; /* of all nodes */

/* NULL: no memory. `cluster` is borrowed and must outlive them. */
struct net_devices *net_devices_create(const struct cluster *cluster);
void net_devices_destroy(struct net_devices *devices); /* NULL is fine */
/* That of the node's `place`-th rank: round robin. NULL: no memory. */
struct net_device *net_devices_of(struct net_devices *devices, int node, int place);

/* Work of this duration comes at `now`, on an ideal network at *ideal. Returns when it is done; *ideal
 * becomes that, too. */
sim_time_ps net_device_serve(struct net_device *device, enum net_device_server server,
			     sim_time_ps now, sim_time_ps duration, int64_t *ideal);
/* How long it has been busy until `now`, before which no work has come that is unknown here. */
sim_time_ps net_devices_busy(const struct net_devices *devices, int node, int number,
			     enum net_device_server server, sim_time_ps now);
/* The duration of a copy. */
sim_time_ps net_device_copy_time(const struct cluster *cluster, double size_B);

#endif
