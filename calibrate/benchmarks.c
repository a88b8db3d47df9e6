/* SPDX-License-Identifier: BSD-3-Clause */
#include "benchmarks.h"

#include <string.h>

#define PAIR(name, kind, unit, osu, imb)                       \
	{                                                      \
		name, kind, unit, true, false, false, osu, imb \
	}
#define ONE_SIDED(name, kind, unit, osu)                       \
	{                                                      \
		name, kind, unit, true, true, false, osu, NULL \
	}
#define ALL(name, kind, osu)                                               \
	{                                                                  \
		name, kind, BENCHMARK_WHOLE, false, false, true, osu, NULL \
	}
/* Ranks of the Intel MPI Benchmarks go on without meeting. */
#define LOOP(name, kind, imb)                                               \
	{                                                                   \
		name, kind, BENCHMARK_WHOLE, false, false, false, NULL, imb \
	}

static const struct benchmark LIST[] = {
    PAIR("multi_latency", BENCHMARK_LATENCY, BENCHMARK_HALF, "Multi Latency Test", NULL),
    ONE_SIDED("put_latency", BENCHMARK_PUT, BENCHMARK_WHOLE, "Put Latency Test"),
    ONE_SIDED("get_latency", BENCHMARK_GET, BENCHMARK_WHOLE, "Get Latency Test"),
    ONE_SIDED("put_bw", BENCHMARK_PUT, BENCHMARK_OF_WINDOW, "Put Bandwidth Test"),
    ONE_SIDED("get_bw", BENCHMARK_GET, BENCHMARK_OF_WINDOW, "Get Bandwidth Test"),
    PAIR("mbw_mr", BENCHMARK_STREAM, BENCHMARK_OF_WINDOW, "Multiple Bandwidth / Message Rate Test",
	 NULL),
    PAIR("bibw", BENCHMARK_BOTH_WAYS, BENCHMARK_OF_WINDOW, "Bi-Directional Bandwidth Test", NULL),
    ALL("barrier", BENCHMARK_BARRIER, "Barrier Latency Test"),
    ALL("bcast", BENCHMARK_BCAST, "Broadcast Latency Test"),
    ALL("allgather", BENCHMARK_ALLGATHER, "Allgather Latency Test"),
    ALL("gather", BENCHMARK_GATHER, "Gather Latency Test"),
    ALL("reduce_scatter", BENCHMARK_REDUCE_SCATTER, "Reduce_scatter Latency Test"),
    ALL("scatter", BENCHMARK_SCATTER, "Scatter Latency Test"),
    ALL("alltoall", BENCHMARK_ALLTOALL, "All-to-All Personalized Exchange Latency Test"),
    ALL("allreduce", BENCHMARK_ALLREDUCE, "Allreduce Latency Test"),
    ALL("reduce", BENCHMARK_REDUCE, "Reduce Latency Test"),
    PAIR("latency", BENCHMARK_LATENCY, BENCHMARK_HALF, "Latency Test", "PingPong"),
    PAIR("bw", BENCHMARK_STREAM, BENCHMARK_OF_WINDOW, "Bandwidth Test", NULL),
    PAIR("pingping", BENCHMARK_PING_PING, BENCHMARK_WHOLE, NULL, "PingPing"),
    LOOP("sendrecv", BENCHMARK_CHAIN, "Sendrecv"),
    LOOP("exchange", BENCHMARK_EXCHANGE, "Exchange"),
    LOOP("barrier_loop", BENCHMARK_BARRIER, "Barrier"),
    LOOP("bcast_loop", BENCHMARK_BCAST, "Bcast"),
    LOOP("gather_loop", BENCHMARK_GATHER, "Gather"),
    LOOP("scatter_loop", BENCHMARK_SCATTER, "Scatter"),
    LOOP("allgather_loop", BENCHMARK_ALLGATHER, "Allgather"),
    LOOP("alltoall_loop", BENCHMARK_ALLTOALL, "Alltoall"),
    LOOP("reduce_loop", BENCHMARK_REDUCE, "Reduce"),
    LOOP("allreduce_loop", BENCHMARK_ALLREDUCE, "Allreduce"),
    LOOP("reduce_scatter_loop", BENCHMARK_REDUCE_SCATTER, "Reduce_scatter"),
};

const struct benchmark *benchmark_next(int k)
{
	return k < (int)(sizeof(LIST) / sizeof(LIST[0])) ? &LIST[k] : NULL;
}

const struct benchmark *benchmark_of(const char *name)
{
	const struct benchmark *found;

	for (int k = 0; (found = benchmark_next(k)); k++)
		if (!strcmp(found->name, name))
			return found;
	return NULL;
}

static const char *const PLACE[PLACES] = {"anywhere", "domain", "socket",
					  "node",     "nodes",	"across"};

const char *place_name(enum place place)
{
	return PLACE[place];
}

enum place place_of(const char *name)
{
	int k = 0;

	while (k < PLACES && strcmp(PLACE[k], name))
		k++;
	return (enum place)k;
}
