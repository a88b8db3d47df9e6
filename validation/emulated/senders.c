/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a send that has returned leaves behind it, and what holds a sender up:
 *
 *     senders send-compute SIZE_B TIMES COMPUTE_S      rank 0 sends and computes; the time of the last receive
 *     senders producer SIZE_B MESSAGES COMPUTE_S       rank 0 sends so many, rank 1 computes first; the time of the sends
 *     senders lu-ring N COLUMNS                        LU of an n x n matrix, panels go around a ring
 *     senders lu-look-ahead N COLUMNS                  … and the next panel comes before the rest of an update
 *
 * Rank 0 prints "wall_s". Nothing is sent before, so connections are new. What the kernels of LU take is invented; they are slept.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <mpisim.h>

#define TAG 1
#define UPDATE_S 1e-8 /* for each element of a product, */
#define PANEL_S 5e-9  /* of a panel and column */

struct world {
	int rank, n;
	int size_B, count; /* as given; of LU: the order of the matrix, the columns of a panel */
	double compute_s;
	char *data;
	double counted_s; /* of this rank; 0: nothing is timed on it */
};

static void send(struct world *w, int size_B, int dest)
{
	MPI_Send(w->data, size_B, MPI_BYTE, dest, TAG, MPI_COMM_WORLD);
}

static void receive(struct world *w, int size_B, int source)
{
	MPI_Recv(w->data, size_B, MPI_BYTE, source, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* What is timed, on the ranks that it is timed on. */
static void begin(struct world *w)
{
	w->counted_s = -MPI_Wtime();
	mpisim_phase_begin("timed");
}

static void end(struct world *w)
{
	w->counted_s += MPI_Wtime();
	mpisim_phase_end();
}

static void send_compute(struct world *w)
{
	for (int k = 1; k <= w->count; k++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (w->rank == 0) {
			send(w, w->size_B, 1);
			mpisim_add_compute_time(w->compute_s);
			continue;
		}
		if (k == w->count)
			begin(w);
		receive(w, w->size_B, 0);
		if (k == w->count)
			end(w);
	}
}

static void producer(struct world *w)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (w->rank == 1)
		mpisim_add_compute_time(w->compute_s);
	else
		begin(w);
	for (int k = 0; k < w->count; k++) {
		if (w->rank == 0)
			send(w, w->size_B, 1);
		else
			receive(w, w->size_B, 0);
	}
	if (w->rank == 0)
		end(w);
}

/* --- LU: panel k belongs to rank k mod n --- */

static int rows_of(const struct world *w, int panel)
{
	return w->size_B - panel * w->count;
}

static int bytes_of(const struct world *w, int panel)
{
	return rows_of(w, panel) * w->count * (int)sizeof(double);
}

static void factorize(struct world *w, int panel)
{
	mpisim_add_compute_time(PANEL_S * rows_of(w, panel) * w->count * w->count);
}

/* By `panel`, of the columns of n other panels. */
static void update(struct world *w, int panel, int n)
{
	if (n > 0)
		mpisim_add_compute_time(UPDATE_S * rows_of(w, panel) * w->count * n * w->count);
}

static int panels_after(const struct world *w, int panel)
{
	int n = 0;

	for (int k = panel + 1; k < w->size_B / w->count; k++)
		n += k % w->n == w->rank;
	return n;
}

/* Gets the panel of another rank, and hands it on, unless the next one made it. */
static void pass_on(struct world *w, int panel)
{
	int owner = panel % w->n, next = (w->rank + 1) % w->n;

	if (w->rank == owner)
		return;
	receive(w, bytes_of(w, panel), (w->rank + w->n - 1) % w->n);
	if (next != owner)
		send(w, bytes_of(w, panel), next);
}

/* Factorizes a panel of this rank's own and sends it off. */
static void make(struct world *w, int panel)
{
	if (panel >= w->size_B / w->count || w->rank != panel % w->n)
		return;
	factorize(w, panel);
	send(w, bytes_of(w, panel), (w->rank + 1) % w->n);
}

static void lu(struct world *w, bool looks_ahead)
{
	int n_panels = w->size_B / w->count;

	MPI_Barrier(MPI_COMM_WORLD);
	begin(w);
	make(w, 0);
	for (int k = 0; k < n_panels; k++) {
		int n = panels_after(w, k);

		pass_on(w, k);
		if (looks_ahead && k + 1 < n_panels && w->rank == (k + 1) % w->n) {
			update(w, k, 1);
			make(w, k + 1);
			n--;
		}
		update(w, k, n);
		if (!looks_ahead)
			make(w, k + 1);
	}
	end(w);
}

static void lu_ring(struct world *w)
{
	lu(w, false);
}

static void lu_look_ahead(struct world *w)
{
	lu(w, true);
}

static const struct pattern {
	const char *name;
	void (*run)(struct world *w);
	bool is_lu;
} patterns[] = {
    {"send-compute", send_compute, false},
    {"producer", producer, false},
    {"lu-ring", lu_ring, true},
    {"lu-look-ahead", lu_look_ahead, true},
};

static const struct pattern *pattern_find(const char *name)
{
	for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++)
		if (!strcmp(patterns[k].name, name))
			return &patterns[k];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct pattern *pattern = argc > 3 ? pattern_find(argv[1]) : NULL;
	struct world w = {.size_B = argc > 3 ? atoi(argv[2]) : 0,
			  .count = argc > 3 ? atoi(argv[3]) : 0,
			  .compute_s = argc > 4 ? atof(argv[4]) : 0};
	double wall_s = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &w.n);
	if (!pattern || w.size_B < 0 || w.count < 1 || w.n < 2) {
		if (w.rank == 0)
			fprintf(stderr, "usage: senders PATTERN SIZE_B|N NUMBER|COLUMNS [COMPUTE_S]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	w.data = calloc(pattern->is_lu ? (size_t)w.count * sizeof(double) : 1, (size_t)w.size_B + 1);
	pattern->run(&w);
	MPI_Reduce(&w.counted_s, &wall_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (w.rank == 0) {
		printf("wall_s %.9f\n", wall_s);
		fflush(stdout);
	}
	free(w.data);
	MPI_Finalize();
	return 0;
}
