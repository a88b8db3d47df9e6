/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/place.h"

#include <stdlib.h>

#include "cluster/placement.h"

int run_place(const char *spec, const struct cluster *cluster, int n_cpus, int n_ranks,
	      int node_of[], struct util_error *err)
{
	struct cluster some = *cluster;

	if (n_cpus > 1)
		some.cores = n_cpus < some.cores ? some.cores / n_cpus : 1;
	return cluster_place(spec, &some, n_ranks, node_of, err);
}

int run_place_check_cpus(const struct cluster *cluster, int n_cpus, int n_ranks,
			 const int node_of[], struct util_error *err)
{
	int *free_on = n_cpus ? calloc((size_t)cluster->n_nodes, sizeof *free_on) : NULL, rc = 0;

	if (n_cpus == 0)
		return 0;
	if (!free_on)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d nodes",
				      cluster->n_nodes);
	for (int node = 0; node < cluster->n_nodes; node++)
		free_on[node] = cluster->cores;
	for (int rank = 0; rank < n_ranks && !rc; rank++) {
		int *left = &free_on[node_of[rank]];

		if (*left < n_cpus)
			rc = util_refuse(err,
					 "--cpus-per-rank: found %d, which is more than node %d "
					 "has left for rank %d: %d of %d cores",
					 n_cpus, node_of[rank], rank, *left, cluster->cores);
		*left -= n_cpus;
	}
	free(free_on);
	return rc;
}
