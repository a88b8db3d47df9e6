/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what a linear all-to-all of N ranks costs the model: bench-netmodel [N [SHARING]]. Every
 * rank sends 4 KiB to every other at once: N (N - 1) concurrent transfers. Not a test: nothing is
 * judged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "netmodel/model.h"

static long n_arrived;

static void arrive(struct net_transfer *transfer)
{
	n_arrived++;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(struct sim_engine *engine, struct net_model *model, struct net_transfer *transfers,
		int n)
{
	double begin_s = now_s(), started_s;
	struct net_stats stats;
	struct rusage usage;

	for (int shift = 1; shift < n; shift++)
		for (int i = 0; i < n; i++)
			net_transfer_start(model, &transfers[(size_t)i * (size_t)n + (size_t)shift],
					   i, (i + shift) % n, 4096, arrive);
	started_s = now_s();
	while (sim_engine_step(engine) == SIM_STEP_EVENT)
		;
	getrusage(RUSAGE_SELF, &usage);
	stats = net_model_stats(model);
	printf("%d ranks, %ld transfers: started in %.3f s, all in %.3f s, %ld MB; simulated %.9f "
	       "s, %llu rates set\n",
	       n, n_arrived, started_s - begin_s, now_s() - begin_s, usage.ru_maxrss / 1024,
	       sim_time_to_s(engine->now), (unsigned long long)stats.n_rate_changes);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 256;
	struct net_transfer *transfers =
	    n > 1 ? calloc((size_t)n * (size_t)n, sizeof(*transfers)) : NULL;
	struct cluster *cluster = NULL;
	struct net_model *model = NULL;
	struct util_error err = {0};
	struct sim_engine engine;
	char yaml[256];
	int rc;

	snprintf(yaml, sizeof(yaml),
		 "mpisim_cluster: 1\nnodes: %d\nnetwork: {latency: 10us, bandwidth: 100 MB/s, "
		 "model: %s}\n",
		 n, argc > 2 ? argv[2] : "fluid");
	sim_engine_init(&engine);
	rc = cluster_parse("bench", yaml, strlen(yaml), &cluster, &err);
	if (!rc)
		rc = net_model_create(&engine, cluster, &model, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	else if (transfers)
		run(&engine, model, transfers, n);
	sim_engine_finish(&engine);
	net_model_destroy(model);
	cluster_destroy(cluster);
	free(transfers);
	return rc ? 2 : 0;
}
