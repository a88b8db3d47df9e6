/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "mpi/coll/algorithms.h"

int mpi_coll_select_cluster(struct mpi_coll_selection *out, const struct cluster *cluster,
			    struct util_error *err)
{
	struct mpi_coll_selection selection = {.profile = cluster->collectives.profile};

	for (int i = 0; i < CLUSTER_N_COLLECTIVES; i++) {
		const char *operation = cluster_collective_names[i];
		char entry[128];
		int failed;

		if (!cluster->collectives.algorithms[i])
			continue;
		snprintf(entry, sizeof entry, "%s=%s", operation,
			 cluster->collectives.algorithms[i]);
		failed = mpi_coll_select(&selection, entry, err);
		if (failed)
			return util_error_prepend(err, "run.algorithms.%s", operation);
	}
	*out = selection;
	return 0;
}
