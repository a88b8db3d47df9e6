/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/placement.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/rng.h"
#include "util/yaml.h"

#define MAX_REPEAT 1000000
#define MAX_SEED 1000000000

/* Digits at *at as a number; false: there is none or it exceeds `max`. */
static bool read_count(const char **at, int max, int *out)
{
	long value = 0;

	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		value = value * 10 + (**at - '0');
		if (value > max)
			return false;
	}
	*out = (int)value;
	return true;
}

static void skip_blanks(const char **at)
{
	while (**at == ' ')
		(*at)++;
}

int cluster_place_next(const char **at, int n_nodes, int *first, int *last, int *repeat,
		       struct util_error *err)
{
	const char *start = *at, *p = *at;
	char quoted[64];
	bool ok;

	skip_blanks(&p);
	ok = read_count(&p, n_nodes - 1, first);
	*last = *first;
	*repeat = 1;
	if (ok && *p == '-') {
		p++;
		ok = read_count(&p, n_nodes - 1, last) && *last >= *first;
	}
	if (ok && *p == '*') {
		p++;
		ok = read_count(&p, MAX_REPEAT, repeat) && *repeat >= 1;
	}
	skip_blanks(&p);
	if (ok && *p == ',' && p[1] != '\0')
		p++;
	else
		ok = ok && *p == '\0';
	if (!ok)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "found %s, wanted nodes 0 to %d (nodes: %d) as in \"0-3,0-3\" or "
		    "\"0*2,1*2\"",
		    util_yaml_quote(start, quoted, sizeof(quoted)), n_nodes - 1, n_nodes);
	*at = p;
	return 0;
}

/* Walks a list; node_of may be NULL. Sets *out_n to how many ranks it places, counted up to
 * n_ranks. */
static int place_list(const char *spec, int n_nodes, int n_ranks, int node_of[], int *out_n,
		      struct util_error *err)
{
	const char *at = spec;
	int n = 0;

	do { /* an empty list is refused as an item that is none */
		int first = 0, last = 0, repeat = 0,
		    rc = cluster_place_next(&at, n_nodes, &first, &last, &repeat, err);

		if (rc)
			return rc;
		for (int node = first; node <= last && n < n_ranks; node++)
			for (int k = 0; k < repeat && n < n_ranks; k++)
				node_of[n++] = node;
	} while (*at);
	*out_n = n;
	return 0;
}

/* "random" or "random:7". */
static bool is_random(const char *spec, int *out_seed)
{
	const char *at = spec + strlen("random");

	*out_seed = 0;
	if (strncmp(spec, "random", strlen("random")) != 0)
		return false;
	return *at == '\0' || (*at++ == ':' && read_count(&at, MAX_SEED, out_seed) && *at == '\0');
}

int cluster_place_check(const char *spec, int n_nodes, struct util_error *err)
{
	int n = 0, seed;

	if (strcmp(spec, "block") == 0 || strcmp(spec, "spread") == 0 ||
	    strcmp(spec, "cyclic") == 0 || is_random(spec, &seed))
		return 0;
	if (*spec < '0' || *spec > '9') {
		char quoted[64];

		return util_error_set(err, UTIL_EINPUT,
				      "found %s, wanted block, spread, cyclic, random, random:SEED "
				      "or a list of nodes "
				      "(\"0-3,0-3\")",
				      util_yaml_quote(spec, quoted, sizeof(quoted)));
	}
	return place_list(spec, n_nodes, 0, NULL, &n, err);
}

/* A rank for each core of a node before the next. */
static void place_block(int cores, int n_ranks, int node_of[])
{
	for (int rank = 0; rank < n_ranks; rank++)
		node_of[rank] = rank / cores;
}

/* In a random order of the nodes, which depends on the seed only. */
static int renumber_nodes(int n_nodes, int seed, int n_ranks, int node_of[], struct util_error *err)
{
	int *order = malloc((size_t)n_nodes * sizeof *order);
	struct util_rng rng;

	if (!order)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a placement");
	for (int node = 0; node < n_nodes; node++)
		order[node] = node;
	util_rng_init(&rng, (uint64_t)seed, 0);
	for (int k = n_nodes - 1; k > 0; k--) {
		int other = (int)(util_rng_next(&rng) % (uint64_t)(k + 1)), node = order[k];

		order[k] = order[other];
		order[other] = node;
	}
	for (int rank = 0; rank < n_ranks; rank++)
		node_of[rank] = order[node_of[rank]];
	free(order);
	return 0;
}

/* The first n_ranks mod n_nodes nodes get one rank more than the others. */
static void place_spread(int n_nodes, int n_ranks, int node_of[])
{
	int share = n_ranks / n_nodes, n_larger = n_ranks % n_nodes, rank = 0;

	for (int node = 0; node < n_nodes && rank < n_ranks; node++)
		for (int k = 0; k < share + (node < n_larger); k++)
			node_of[rank++] = node;
}

void cluster_place_where_fewest(int n, const int nodes[], int load[], int n_ranks, int node_of[])
{
	for (int rank = 0; rank < n_ranks; rank++) {
		int best = nodes ? nodes[0] : 0;

		for (int i = 1; i < n; i++) {
			int node = nodes ? nodes[i] : i;

			if (load[node] < load[best])
				best = node;
		}
		load[best]++;
		node_of[rank] = best;
	}
}

int cluster_place(const char *spec, const struct cluster *cluster, int n_ranks, int node_of[],
		  struct util_error *err)
{
	const char *used = spec ? spec : cluster->placement ? cluster->placement : "block";
	bool fits = n_ranks <= (int64_t)cluster->n_nodes * cluster->cores;
	char quoted[64];
	int n = 0, seed, rc;

	if (n_ranks < 1)
		return util_error_set(err, UTIL_EINPUT, "found %d ranks, wanted at least 1",
				      n_ranks);
	rc = cluster_place_check(used, cluster->n_nodes, err);
	if (rc)
		return rc;
	if (strcmp(used, "block") == 0 || strcmp(used, "spread") == 0 || is_random(used, &seed)) {
		if (fits && strcmp(used, "spread") != 0)
			place_block(cluster->cores, n_ranks, node_of);
		else
			place_spread(cluster->n_nodes, n_ranks, node_of);
		return is_random(used, &seed)
			   ? renumber_nodes(cluster->n_nodes, seed, n_ranks, node_of, err)
			   : 0;
	}
	if (strcmp(used, "cyclic") == 0) {
		for (int rank = 0; rank < n_ranks; rank++)
			node_of[rank] = rank % cluster->n_nodes;
		return 0;
	}
	place_list(used, cluster->n_nodes, n_ranks, node_of, &n, err);
	if (n < n_ranks)
		return util_error_set(err, UTIL_EINPUT,
				      "found %d places in %s, wanted one for each of %d ranks", n,
				      util_yaml_quote(used, quoted, sizeof(quoted)), n_ranks);
	return 0;
}
