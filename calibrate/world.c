/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks share a node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpisim.h>

#include "calibrate.h"

static void no_memory(void)
{
	fprintf(stderr,
		"mpisim-calibrate: out of memory; wanted room for two of the largest messages "
		"on each rank (--max-size)\n");
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(size_t size_B)
{
	void *memory = calloc(1, size_B);

	if (!memory)
		no_memory();
	return memory;
}

/* Nodes are numbered in the order of their first ranks; equal host names are one node. */
static void number_nodes(struct cal *cal, const char *hosts)
{
	for (int rank = 0; rank < cal->n_ranks; rank++) {
		const char *host = hosts + (size_t)rank * sizeof(cal->host);
		int other = 0;

		while (strcmp(hosts + (size_t)other * sizeof(cal->host), host))
			other++;
		if (other == rank) {
			cal->leader[cal->n_nodes] = rank;
			cal->node[rank] = cal->n_nodes++;
		} else {
			cal->node[rank] = cal->node[other];
		}
		for (int k = 0; k < rank; k++)
			cal->place[rank] += cal->node[k] == cal->node[rank];
	}
}

/* As cluster files say it: ranks in a row on one node, or on one after the other. */
static void note_placement(struct cal *cal)
{
	for (int rank = 0, last; rank < cal->n_ranks; rank = last + 1) {
		int node = cal->node[rank], step;

		last = rank;
		step = rank + 1 < cal->n_ranks ? cal->node[rank + 1] - node : -1;
		while (last + 1 < cal->n_ranks && (step == 0 || step == 1) &&
		       cal->node[last + 1] == cal->node[last] + step)
			last++;
		if (step == 1)
			cal_fact(cal, "placement", "%d-%d", node, cal->node[last]);
		else
			cal_fact(cal, "placement", "%d*%d", node, last - rank + 1);
	}
}

static void note_hosts(struct cal *cal, const char *hosts)
{
	for (int node = 0; node < cal->n_nodes; node++) {
		int n = 0;

		for (int rank = 0; rank < cal->n_ranks; rank++)
			n += cal->node[rank] == node;
		cal_fact(cal, "host", "%s, %d %s",
			 hosts + (size_t)cal->leader[node] * sizeof(cal->host), n,
			 n == 1 ? "rank" : "ranks");
	}
	note_placement(cal);
	cal_fact(cal, "nodes", "%d", cal->n_nodes);
	cal_fact(cal, "ranks", "%d", cal->n_ranks);
}

void cal_world_init(struct cal *cal)
{
	char *hosts;
	int length;

	MPI_Comm_rank(MPI_COMM_WORLD, &cal->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &cal->n_ranks);
	hosts = allocate((size_t)cal->n_ranks * sizeof(cal->host));
	cal->node = allocate((size_t)cal->n_ranks * sizeof(int));
	cal->leader = allocate((size_t)cal->n_ranks * sizeof(int));
	cal->place = allocate((size_t)cal->n_ranks * sizeof(int));
	MPI_Get_processor_name(cal->host, &length);
	MPI_Allgather(cal->host, sizeof(cal->host), MPI_CHAR, hosts, sizeof(cal->host), MPI_CHAR,
		      MPI_COMM_WORLD);
	number_nodes(cal, hosts);
	cal->is_used = allocate((size_t)cal->n_nodes * (size_t)cal->n_nodes * sizeof(bool));
	if (cal->n_nodes > 1) /* what is measured between two nodes is measured there */
		cal->is_used[1] = cal->is_used[cal->n_nodes] = true;
	cal->far = cal->n_nodes > 1 ? cal->leader[1] : -1;
	cal->subject = cal->far >= 0 ? BETWEEN_NODES : WITHIN_NODE;
	cal->near = -1;
	for (int rank = 0; rank < cal->n_ranks; rank++)
		if (cal->node[rank] == 0 && cal->n_here++ == 1)
			cal->near = rank;
	note_hosts(cal, hosts);
	free(hosts);
	cal->is_simulated = mpisim_is_simulated();
	cal->send_buf = mpisim_alloc((size_t)cal->settings.max_size_B + 1);
	cal->recv_buf = mpisim_alloc((size_t)cal->settings.max_size_B + 1);
	if (!cal->send_buf || !cal->recv_buf)
		no_memory();
	if (!cal->is_simulated) { /* have the pages */
		memset(cal->send_buf, 1, (size_t)cal->settings.max_size_B);
		memset(cal->recv_buf, 2, (size_t)cal->settings.max_size_B);
	}
}

void cal_world_finish(struct cal *cal)
{
	mpisim_free(cal->send_buf);
	mpisim_free(cal->recv_buf);
	free(cal->node);
	free(cal->leader);
	free(cal->place);
	free(cal->is_used);
	samples_finish(&cal->samples);
	samples_finish(&cal->measured);
}

int cal_partner(const struct cal *cal, int where)
{
	return where == WITHIN_NODE ? cal->near : cal->far;
}

bool cal_new_connection(struct cal *cal, int ranks[2])
{
	for (int to = 0; to < cal->n_nodes; to++)
		for (int from = 0; from < cal->n_nodes; from++) {
			bool *is_used = &cal->is_used[from * cal->n_nodes + to];

			if (from == to || *is_used)
				continue;
			*is_used = true;
			ranks[0] = cal->leader[from];
			ranks[1] = cal->leader[to];
			return true;
		}
	return false;
}
