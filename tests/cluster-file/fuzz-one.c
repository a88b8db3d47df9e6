/* SPDX-License-Identifier: BSD-3-Clause */
/* One fuzzed input: a cluster file and, after a byte 0x1e each, overrides. The entry point is
 * libFuzzer's. */
#include "tests/cluster-file/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "cluster/placement.h"

#define SEPARATOR 0x1e
#define MAX_OVERRIDES 8

static void use(struct cluster *cluster)
{
	static int node_of[100];
	struct util_error err = {0};

	for (int rank = 0; cluster_place(NULL, cluster, 100, node_of, &err) == 0 && rank < 100;
	     rank++)
		if (node_of[rank] < 0 || node_of[rank] >= cluster->n_nodes)
			abort();
	for (int o = 0; o < 4; o++) {
		double cost = cluster_cpu_cost(cluster, o * 100, o);

		if (!(cost >= 0 && cost <= cluster->cores))
			abort();
	}
	for (int node = 0; node < cluster->n_nodes; node++)
		if (!(cluster->cpu.speed[node] > 0))
			abort();
	if (!(cluster->network.latency_s >= 0 && cluster->network.bandwidth_Bps > 0 &&
	      cluster->protocol.send_overhead_s >= 0))
		abort();
	cluster_destroy(cluster);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *overrides[MAX_OVERRIDES];
	struct cluster *cluster = NULL;
	struct util_error err = {0};
	char *text = malloc(size + 1), *part = text;
	size_t length;
	int n = 0, rc;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	part = memchr(text, SEPARATOR, size);
	length = part ? (size_t)(part - text) : size;
	while (part && n < MAX_OVERRIDES) {
		*part = '\0';
		overrides[n++] = ++part;
		part = strchr(part, SEPARATOR);
	}
	rc = cluster_parse_with("fuzz", text, length, n, overrides, &cluster, &err);
	if (rc == 0)
		use(cluster);
	else if (rc != UTIL_EINPUT || err.code != rc || !err.text[0] ||
		 strlen(err.text) >= sizeof(err.text) || cluster)
		abort();
	free(text);
	return rc == 0;
}
