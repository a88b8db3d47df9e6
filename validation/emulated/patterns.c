/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations and other patterns, written as point-to-point messages so that every
 * library does the same:
 *
 *     patterns PATTERN SIZE_B REPEATS [COMPUTE_S]
 *
 * Each repetition computes COMPUTE_S on every rank, then communicates. Rank 0 prints "wall_s": from
 * a barrier to the end of the slowest rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <mpisim.h>

#define TAG 1
#define SEGMENT_B 16384 /* of the pipelined broadcast */

struct world {
	int rank, n;
	int size_B;
	char *in, *out;	       /* [n * size_B] */
	MPI_Request *requests; /* [2 n] */
	double compute_s;
};

static void send(struct world *w, const void *data, int size_B, int dest)
{
	MPI_Send(data, size_B, MPI_BYTE, dest, TAG, MPI_COMM_WORLD);
}

static void receive(struct world *w, void *data, int size_B, int source)
{
	MPI_Recv(data, size_B, MPI_BYTE, source, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(struct world *w, int size_B, int dest, int source)
{
	MPI_Sendrecv(w->out, size_B, MPI_BYTE, dest, TAG, w->in, size_B, MPI_BYTE, source, TAG,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int shifted(const struct world *w, int by)
{
	return (w->rank + by + w->n) % w->n;
}

/* --- broadcasts from rank 0 --- */

static void bcast_linear(struct world *w)
{
	if (w->rank > 0)
		receive(w, w->in, w->size_B, 0);
	else
		for (int to = 1; to < w->n; to++)
			send(w, w->out, w->size_B, to);
}

static void bcast_binomial(struct world *w)
{
	int bit = 1;

	while (bit < w->n && !(w->rank & bit))
		bit <<= 1;
	if (w->rank > 0)
		receive(w, w->in, w->size_B, w->rank - bit);
	for (bit >>= 1; bit > 0; bit >>= 1)
		if (w->rank + bit < w->n)
			send(w, w->out, w->size_B, w->rank + bit);
}

static void bcast_ring(struct world *w)
{
	if (w->rank > 0)
		receive(w, w->in, w->size_B, w->rank - 1);
	if (w->rank < w->n - 1)
		send(w, w->out, w->size_B, w->rank + 1);
}

static void bcast_pipeline(struct world *w)
{
	for (int done = 0; done < w->size_B; done += SEGMENT_B) {
		int part_B = w->size_B - done < SEGMENT_B ? w->size_B - done : SEGMENT_B;

		if (w->rank > 0)
			receive(w, w->in + done, part_B, w->rank - 1);
		if (w->rank < w->n - 1)
			send(w, w->out + done, part_B, w->rank + 1);
	}
}

/* --- to one, from one --- */

static void gather_linear(struct world *w)
{
	if (w->rank > 0) {
		send(w, w->out, w->size_B, 0);
		return;
	}
	for (int from = 1; from < w->n; from++)
		MPI_Irecv(w->in + (size_t)from * w->size_B, w->size_B, MPI_BYTE, from, TAG,
			  MPI_COMM_WORLD, &w->requests[from - 1]);
	MPI_Waitall(w->n - 1, w->requests, MPI_STATUSES_IGNORE);
}

static void gather_binomial(struct world *w)
{
	for (int bit = 1; bit < w->n; bit <<= 1) {
		int held = bit < w->n - w->rank ? bit : w->n - w->rank;

		if (w->rank & bit) {
			send(w, w->out, held * w->size_B, w->rank - bit);
			return;
		}
		if (w->rank + bit < w->n)
			receive(w, w->in, w->n * w->size_B, w->rank + bit);
	}
}

static void scatter_linear(struct world *w)
{
	if (w->rank > 0) {
		receive(w, w->in, w->size_B, 0);
		return;
	}
	for (int to = 1; to < w->n; to++)
		MPI_Isend(w->out + (size_t)to * w->size_B, w->size_B, MPI_BYTE, to, TAG,
			  MPI_COMM_WORLD, &w->requests[to - 1]);
	MPI_Waitall(w->n - 1, w->requests, MPI_STATUSES_IGNORE);
}

/* --- all to all --- */

static void alltoall_linear(struct world *w)
{
	int n = 0;

	for (int k = 1; k < w->n; k++)
		MPI_Irecv(w->in + (size_t)k * w->size_B, w->size_B, MPI_BYTE, shifted(w, -k), TAG,
			  MPI_COMM_WORLD, &w->requests[n++]);
	for (int k = 1; k < w->n; k++)
		MPI_Isend(w->out + (size_t)k * w->size_B, w->size_B, MPI_BYTE, shifted(w, k), TAG,
			  MPI_COMM_WORLD, &w->requests[n++]);
	MPI_Waitall(n, w->requests, MPI_STATUSES_IGNORE);
}

static void alltoall_shift(struct world *w)
{
	for (int k = 1; k < w->n; k++)
		exchange(w, w->size_B, shifted(w, k), shifted(w, -k));
}

/* Partners exchange; for powers of two. */
static void alltoall_pairwise(struct world *w)
{
	for (int k = 1; k < w->n; k++)
		exchange(w, w->size_B, w->rank ^ k, w->rank ^ k);
}

static void allgather_ring(struct world *w)
{
	for (int k = 1; k < w->n; k++)
		exchange(w, w->size_B, shifted(w, 1), shifted(w, -1));
}

/* Reduce-scatter, then allgather, both around the ring. */
static void allreduce_ring(struct world *w)
{
	for (int k = 1; k <= 2 * (w->n - 1); k++)
		exchange(w, w->size_B / w->n, shifted(w, 1), shifted(w, -1));
}

/* For powers of two. */
static void allreduce_doubling(struct world *w)
{
	for (int bit = 1; bit < w->n; bit <<= 1)
		exchange(w, w->size_B, w->rank ^ bit, w->rank ^ bit);
}

/* --- others --- */

/* Borders to both neighbours on a line, nonblocking. */
static void halo(struct world *w)
{
	int n = 0, neighbours[] = {w->rank - 1, w->rank + 1};

	for (int k = 0; k < 2; k++)
		if (neighbours[k] >= 0 && neighbours[k] < w->n)
			MPI_Irecv(w->in + (size_t)k * w->size_B, w->size_B, MPI_BYTE, neighbours[k],
				  TAG, MPI_COMM_WORLD, &w->requests[n++]);
	for (int k = 0; k < 2; k++)
		if (neighbours[k] >= 0 && neighbours[k] < w->n)
			MPI_Isend(w->out + (size_t)k * w->size_B, w->size_B, MPI_BYTE,
				  neighbours[k], TAG, MPI_COMM_WORLD, &w->requests[n++]);
	MPI_Waitall(n, w->requests, MPI_STATUSES_IGNORE);
}

/* The halo's messages under way while computing. */
static void overlap(struct world *w)
{
	MPI_Request requests[2];

	MPI_Irecv(w->in, w->size_B, MPI_BYTE, shifted(w, -1), TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(w->out, w->size_B, MPI_BYTE, shifted(w, 1), TAG, MPI_COMM_WORLD, &requests[1]);
	mpisim_add_compute_time(w->compute_s);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* A wave through the ranks: each waits for the one before it, computes, and tells the next. */
static void wave(struct world *w)
{
	if (w->rank > 0)
		receive(w, w->in, w->size_B, w->rank - 1);
	mpisim_add_compute_time(w->compute_s);
	if (w->rank < w->n - 1)
		send(w, w->out, w->size_B, w->rank + 1);
}

/* Rank 0 gives two tasks to each of the others, one at a time to whoever asks; a result is an
 * eighth of a task. */
static void farm(struct world *w)
{
	MPI_Status status;
	int n_tasks = 2 * (w->n - 1), n_ended = 0;

	if (w->rank == 0) {
		while (n_ended < w->n - 1) {
			MPI_Recv(w->in, w->size_B, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
				 &status);
			send(w, w->out, n_tasks > 0 ? w->size_B : 0, status.MPI_SOURCE);
			n_ended += n_tasks-- <= 0;
		}
		return;
	}
	for (int size_B = 0;; size_B = w->size_B / 8) {
		send(w, w->out, size_B, 0);
		MPI_Recv(w->in, w->size_B, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_BYTE, &size_B);
		if (size_B == 0)
			return;
		mpisim_add_compute_time(w->compute_s * (1 + w->rank % 3));
	}
}

static const struct pattern {
	const char *name;
	void (*run)(struct world *w);
	int computes; /* by itself */
} patterns[] = {
    {"bcast-linear", bcast_linear, 0},
    {"bcast-binomial", bcast_binomial, 0},
    {"bcast-ring", bcast_ring, 0},
    {"bcast-pipeline", bcast_pipeline, 0},
    {"gather-linear", gather_linear, 0},
    {"gather-binomial", gather_binomial, 0},
    {"scatter-linear", scatter_linear, 0},
    {"alltoall-linear", alltoall_linear, 0},
    {"alltoall-shift", alltoall_shift, 0},
    {"alltoall-pairwise", alltoall_pairwise, 0},
    {"allgather-ring", allgather_ring, 0},
    {"allreduce-ring", allreduce_ring, 0},
    {"allreduce-doubling", allreduce_doubling, 0},
    {"halo", halo, 0},
    {"overlap", overlap, 1},
    {"wave", wave, 1},
    {"farm", farm, 1},
};

static const struct pattern *pattern_find(const char *name)
{
	for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++)
		if (!strcmp(patterns[k].name, name))
			return &patterns[k];
	return NULL;
}

static double measure(struct world *w, const struct pattern *pattern, int repeats)
{
	double begin, mine, slowest = 0;

	pattern->run(w); /* connects */
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (int k = 0; k < repeats; k++) {
		if (!pattern->computes)
			mpisim_add_compute_time(w->compute_s);
		pattern->run(w);
	}
	mine = MPI_Wtime() - begin;
	MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return slowest;
}

int main(int argc, char **argv)
{
	const struct pattern *pattern = argc > 3 ? pattern_find(argv[1]) : NULL;
	struct world w = {.size_B = argc > 3 ? atoi(argv[2]) : 0};
	double wall_s;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &w.n);
	if (!pattern || w.size_B < 0 || atoi(argv[3]) < 1) {
		if (w.rank == 0)
			fprintf(stderr, "usage: patterns PATTERN SIZE_B REPEATS [COMPUTE_S]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	w.compute_s = argc > 4 ? atof(argv[4]) : 0;
	w.in = calloc((size_t)w.n, (size_t)w.size_B + 1);
	w.out = calloc((size_t)w.n, (size_t)w.size_B + 1);
	w.requests = calloc(2 * (size_t)w.n, sizeof(*w.requests));
	wall_s = measure(&w, pattern, atoi(argv[3]));
	if (w.rank == 0) {
		printf("wall_s %.9f\n", wall_s);
		fflush(stdout);
	}
	free(w.requests);
	free(w.out);
	free(w.in);
	MPI_Finalize();
	return 0;
}
