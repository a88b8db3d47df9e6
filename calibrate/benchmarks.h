/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_BENCHMARKS_H
#define CALIBRATE_BENCHMARKS_H

#include <stdbool.h>

/*
 * What files with times are of: the operations of the OSU micro-benchmarks and the Intel MPI
 * Benchmarks, by the names that tables of times use. No MPI, no GSL.
 */
enum benchmark_kind {
	BENCHMARK_LATENCY,
	BENCHMARK_STREAM,
	BENCHMARK_BOTH_WAYS,
	BENCHMARK_PING_PING,
	BENCHMARK_CHAIN,
	BENCHMARK_EXCHANGE,
	BENCHMARK_PUT,
	BENCHMARK_GET,
	BENCHMARK_BARRIER,
	BENCHMARK_BCAST,
	BENCHMARK_GATHER,
	BENCHMARK_SCATTER,
	BENCHMARK_ALLGATHER,
	BENCHMARK_ALLTOALL,
	BENCHMARK_REDUCE,
	BENCHMARK_ALLREDUCE,
	BENCHMARK_REDUCE_SCATTER
};

/* Whose time counts: of all, of half a round trip, of one message of a window of 64. */
enum benchmark_unit { BENCHMARK_WHOLE, BENCHMARK_HALF, BENCHMARK_OF_WINDOW };

enum { BENCHMARK_NAME_B = 32 };

/* Where the ranks of pairs are: on two cores of one memory domain, of two domains of a socket, of two
 * sockets of a node; the first ones on one node, the others on another; on a node each, half of all
 * nodes apart. ANYWHERE: as the run places them. */
enum place {
	PLACE_ANYWHERE,
	PLACE_DOMAIN,
	PLACE_SOCKET,
	PLACE_NODE,
	PLACE_NODES,
	PLACE_ACROSS,
	PLACES
};

struct benchmark {
	char name[BENCHMARK_NAME_B];
	enum benchmark_kind kind;
	enum benchmark_unit unit;
	bool is_pair;	   /* two ranks, where nothing else is said */
	bool is_one_sided; /* from rank 0 to rank 1 */
	bool meets;	   /* ranks meet between two repetitions */
	const char *osu;   /* the title of its OSU micro-benchmark behind MPI; NULL: none */
	const char *imb;   /* its name in the Intel MPI Benchmarks; NULL: none */
};

/* NULL: there is none of that name. */
const struct benchmark *benchmark_of(const char *name);
/* "domain"; PLACES: there is none of that name. */
const char *place_name(enum place place);
enum place place_of(const char *name);
/* The k-th one; NULL: there are not that many. */
const struct benchmark *benchmark_next(int k);

#endif
