/* SPDX-License-Identifier: BSD-3-Clause */
/* Round trips of messages of growing size between two ranks (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

struct settings {
	int min_B, max_B, repeats, partner, is_synchronous, verify;
};

static const char help[] =
	"usage: pingpong [options]\n"
	"Half the time of a round trip between rank 0 and a partner, for message sizes 0, m, 2m, 4m, ...\n"
	"  --min-size B       the smallest size above 0 (1)\n"
	"  --max-size B       the largest (1048576)\n"
	"  --repeats N        round trips per size (10), after one that does not count\n"
	"  --partner R        the other rank (the last one)\n"
	"  --synchronous      MPI_Ssend instead of MPI_Send\n"
	"  --verify           fill and compare the messages\n";

static int send_ball(const struct settings *s, void *buf, int size_B, int peer)
{
	return s->is_synchronous ? MPI_Ssend(buf, size_B, MPI_BYTE, peer, 0, MPI_COMM_WORLD)
				 : MPI_Send(buf, size_B, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
}

/* Seconds of one round trip, the mean of many. Called by both partners; the ball changes direction, not content. */
static double round_trip(const struct settings *s, int rank, char *buf, int size_B)
{
	int peer = rank ? 0 : s->partner;
	double begin = 0;

	for (int k = -1; k < s->repeats; k++) {
		if (k == 0)
			begin = MPI_Wtime();
		if (rank == 0)
			send_ball(s, buf, size_B, peer);
		MPI_Recv(buf, size_B, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank != 0)
			send_ball(s, buf, size_B, peer);
	}
	return (MPI_Wtime() - begin) / s->repeats;
}

static void fill(char *buf, int size_B, int seed)
{
	for (int k = 0; k < size_B; k++)
		buf[k] = (char)(seed + k * 31);
}

static int count_errors(const char *buf, int size_B, int seed)
{
	int n = 0;

	for (int k = 0; k < size_B; k++)
		n += buf[k] != (char)(seed + k * 31);
	return n;
}

static void measure(const struct settings *s, int rank, char *buf, int size_B)
{
	double time;

	if (s->verify)
		fill(buf, size_B, rank == 0 ? size_B : 0);
	time = round_trip(s, rank, buf, size_B);
	if (s->verify && count_errors(buf, size_B, size_B)) {
		fprintf(stderr, "pingpong: rank %d got wrong data\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (rank == 0)
		printf("%10d %.9e %.6e\n", size_B, time / 2, time > 0 ? size_B / (time / 2) : 0.0);
}

static void run(const struct settings *s, int rank)
{
	size_t capacity_B = (size_t)s->max_B + 1;
	char *buf = NULL;

	if (rank == 0 || rank == s->partner) {
		buf = s->verify ? malloc(capacity_B) : mpisim_alloc(capacity_B);
		if (!buf)
			MPI_Abort(MPI_COMM_WORLD, 1);
		if (rank == 0)
			printf("#    bytes one_way_s bytes_per_s\n");
		measure(s, rank, buf, 0);
		for (long size_B = s->min_B; size_B <= s->max_B; size_B *= 2)
			measure(s, rank, buf, (int)size_B);
		if (s->verify)
			free(buf);
		else
			mpisim_free(buf);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
		{"min-size", OPTIONS_INTEGER, .out = &s->min_B, .min = 1, .max = 1 << 30},
		{"max-size", OPTIONS_INTEGER, .out = &s->max_B, .min = 0, .max = 1 << 30},
		{"repeats", OPTIONS_INTEGER, .out = &s->repeats, .min = 1, .max = 1000000000},
		{"partner", OPTIONS_INTEGER, .out = &s->partner, .min = 1, .max = n_ranks - 1},
		{"synchronous", OPTIONS_SWITCH, .out = &s->is_synchronous},
		{"verify", OPTIONS_SWITCH, .out = &s->verify},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.min_B = 1, .max_B = 1 << 20, .repeats = 10, .partner = n_ranks - 1};
	verdict = options_parse("pingpong", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && n_ranks < 2)
		return options_wrong("pingpong", rank, "found 1 rank, wanted 2 or more");
	return verdict;
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	int rank, n_ranks;

	MPI_Init(&argc, &argv);
	mpisim_add_compute_time(0); /* it computes nothing, and says so */
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, rank, n_ranks, &settings);
	if (verdict == OPTIONS_OK)
		run(&settings, rank);
	MPI_Finalize();
	return options_status(verdict);
}
