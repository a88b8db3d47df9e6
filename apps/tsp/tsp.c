/* SPDX-License-Identifier: BSD-3-Clause */
/* Travelling salesman by parallel branch and bound (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"
#include "share.h"

struct settings {
	int n_cities, seed, is_balanced;
	double node_time_s;
};

static const char help[] =
	"usage: tsp [options]\n"
	"Shortest round trip through random cities, by branch and bound.\n"
	"  --cities N         4 to 20 (13)\n"
	"  --seed N           which cities (1)\n"
	"  --variant V        round-robin, or balanced: rank 0 hands out tasks (round-robin)\n"
	"  --node-time S      seconds charged per expanded node, for --compute modelled (0)\n";

static enum options_verdict parse(int argc, char **argv, int rank, struct settings *s)
{
	static const char *const variants[] = {"round-robin", "balanced", NULL};
	const struct options_entry entries[] = {
		{"cities", OPTIONS_INTEGER, .out = &s->n_cities, .min = TSP_MIN_CITIES, .max = TSP_MAX_CITIES},
		{"seed", OPTIONS_INTEGER, .out = &s->seed, .min = 0, .max = 2147483647},
		{"variant", OPTIONS_WORD, .out = &s->is_balanced, .words = variants},
		{"node-time", OPTIONS_REAL, .out = &s->node_time_s},
		{0},
	};

	*s = (struct settings){.n_cities = 13, .seed = 1};
	return options_parse("tsp", help, argc, argv, rank, entries);
}

static void run(const struct settings *settings, int rank, int n_ranks)
{
	struct tsp tsp;
	unsigned long long mine, total, most;
	double begin, wall, slowest;
	int best;

	tsp_init(&tsp, settings->n_cities, (uint64_t)settings->seed);
	tsp.node_time_s = settings->node_time_s;
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	mpisim_phase_begin("search");
	if (settings->is_balanced)
		share_balanced(&tsp, MPI_COMM_WORLD);
	else
		share_round_robin(&tsp, MPI_COMM_WORLD);
	mpisim_phase_end();
	wall = MPI_Wtime() - begin;
	mine = tsp.n_nodes;
	MPI_Reduce(&tsp.best, &best, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&mine, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&wall, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("cities %d\nseed %d\nvariant %s\nranks %d\nbest %d\nnodes %llu\nmost_nodes %llu\nwall_s %.15g\n",
		       settings->n_cities, settings->seed, settings->is_balanced ? "balanced" : "round-robin",
		       n_ranks, best, total, most, slowest);
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	int rank, n_ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, rank, &settings);
	if (verdict == OPTIONS_OK)
		run(&settings, rank, n_ranks);
	MPI_Finalize();
	return options_status(verdict);
}
