/* SPDX-License-Identifier: BSD-3-Clause */
/* Travelling salesman by parallel branch and bound (README.md). */
#include <getopt.h>
#include <mpi.h>
#include <mpisim.h>
#include <string.h>

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
	static const struct option options[] = {
		{"cities", required_argument, NULL, 'c'},  {"seed", required_argument, NULL, 's'},
		{"variant", required_argument, NULL, 'v'}, {"node-time", required_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
	int c, index = 0, bad = 0;

	*s = (struct settings){.n_cities = 13, .seed = 1};
	opterr = 0;
	while ((c = getopt_long(argc, argv, "", options, &index)) != -1) {
		switch (c) {
		case 'c':
			bad = options_integer(optarg, TSP_MIN_CITIES, TSP_MAX_CITIES, &s->n_cities);
			break;
		case 's':
			bad = options_integer(optarg, 0, 2147483647, &s->seed);
			break;
		case 'v':
			s->is_balanced = !strcmp(optarg, "balanced");
			bad = !s->is_balanced && strcmp(optarg, "round-robin");
			break;
		case 't':
			bad = options_real(optarg, &s->node_time_s);
			break;
		case 'h':
			return OPTIONS_HELP;
		default:
			return options_wrong("tsp", rank, "cannot understand \"%s\"", argv[optind - 1]);
		}
		if (bad)
			return options_wrong("tsp", rank, "--%s cannot be \"%s\"", options[index].name, optarg);
	}
	if (optind < argc)
		return options_wrong("tsp", rank, "cannot understand \"%s\"", argv[optind]);
	return OPTIONS_OK;
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
	int rank, n_ranks, status = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	switch (parse(argc, argv, rank, &settings)) {
	case OPTIONS_OK:
		run(&settings, rank, n_ranks);
		break;
	case OPTIONS_HELP:
		if (rank == 0)
			fputs(help, stdout);
		break;
	case OPTIONS_WRONG:
		status = 2;
		break;
	}
	MPI_Finalize();
	return status;
}
