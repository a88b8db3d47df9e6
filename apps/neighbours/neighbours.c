/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchange of borders on request, in a chain, with a race of requests and borders (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

struct settings {
	int is_double, is_unstarted;
};

enum tag { TAG_START, TAG_REQUEST, TAG_BORDER };

enum { LOWER, UPPER, N_SIDES, MOST_SENDS = 4 }; /* a request and a reply to each neighbour */

/* A rank of the chain. Rank 0 is none of it. */
struct member {
	int neighbours[N_SIDES]; /* ranks, or MPI_PROC_NULL */
	int n_neighbours, n_borders;
	long long data, before;	    /* before: what it was before the update */
	long long borders[N_SIDES]; /* of the neighbours */
	long long sent[MOST_SENDS]; /* contents of what is under way */
	MPI_Request sends[MOST_SENDS];
	int n_sends;
};

static const char help[] = "usage: neighbours [options]\n"
			   "Each rank of a chain asks its neighbours for their data and updates "
			   "its own; rank 0 starts them and shows the result.\n"
			   "  --double-buffered  answer with the data before the update\n"
			   "  --no-start         ask at once instead of waiting for rank 0\n";

static void send(struct member *m, int dest, enum tag tag, long long content)
{
	int k = m->n_sends++;

	m->sent[k] = content;
	MPI_Isend(&m->sent[k], 1, MPI_LONG_LONG, dest, (int)tag, MPI_COMM_WORLD, &m->sends[k]);
}

static void send_requests(struct member *m)
{
	for (int side = 0; side < N_SIDES; side++)
		if (m->neighbours[side] != MPI_PROC_NULL)
			send(m, m->neighbours[side], TAG_REQUEST, 0);
}

static long long updated(long long lower, long long own, long long upper)
{
	return 3 * lower + 2 * own + 5 * upper;
}

static void store_border(struct member *m, int source, long long border)
{
	m->borders[source == m->neighbours[UPPER]] = border;
	if (++m->n_borders < m->n_neighbours)
		return;
	m->before = m->data;
	m->data = updated(m->borders[LOWER], m->data, m->borders[UPPER]);
}

/* The race: the request of a neighbour may come when the borders of all have come, and is then answered with updated data. */
static void serve(struct member *m, const struct settings *settings)
{
	int is_updated = m->n_borders == m->n_neighbours;
	MPI_Status status;
	long long content;

	MPI_Recv(&content, 1, MPI_LONG_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	switch ((enum tag)status.MPI_TAG) {
	case TAG_START:
		send_requests(m);
		break;
	case TAG_REQUEST:
		send(m, status.MPI_SOURCE, TAG_BORDER,
		     settings->is_double && is_updated ? m->before : m->data);
		break;
	case TAG_BORDER:
		store_border(m, status.MPI_SOURCE, content);
		break;
	}
}

/* Returns the data of the rank after the exchange. */
static long long exchange(const struct settings *settings, int rank, int n_ranks)
{
	struct member m = {.neighbours = {rank > 1 ? rank - 1 : MPI_PROC_NULL,
					  rank + 1 < n_ranks ? rank + 1 : MPI_PROC_NULL},
			   .data = rank};
	int n_receives;

	m.n_neighbours =
	    (m.neighbours[LOWER] != MPI_PROC_NULL) + (m.neighbours[UPPER] != MPI_PROC_NULL);
	n_receives = 2 * m.n_neighbours + !settings->is_unstarted;
	if (settings->is_unstarted)
		send_requests(&m);
	for (int k = 0; k < n_receives; k++)
		serve(&m, settings);
	MPI_Waitall(m.n_sends, m.sends, MPI_STATUSES_IGNORE);
	return m.data;
}

static void report(const long long *data, int n_ranks)
{
	int is_right = 1;

	printf("ranks %d\ndata", n_ranks);
	for (int r = 1; r < n_ranks; r++) {
		printf(" %lld", data[r]);
		is_right &= data[r] == updated(r - 1, r, r + 1 < n_ranks ? r + 1 : 0);
	}
	printf("\nright %s\n", is_right ? "yes" : "no");
}

static void run(const struct settings *settings, int rank, int n_ranks)
{
	long long mine = 0, start = 0, *all = NULL;

	if (rank == 0) {
		all = malloc((size_t)n_ranks * sizeof *all);
		if (!all)
			MPI_Abort(MPI_COMM_WORLD, 1);
		for (int r = 1; r < n_ranks && !settings->is_unstarted; r++)
			MPI_Send(&start, 1, MPI_LONG_LONG, r, TAG_START, MPI_COMM_WORLD);
	} else {
		mine = exchange(settings, rank, n_ranks);
	}
	MPI_Gather(&mine, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
	if (rank == 0)
		report(all, n_ranks);
	free(all);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
		{"double-buffered", OPTIONS_SWITCH, .out = &s->is_double},
		{"no-start", OPTIONS_SWITCH, .out = &s->is_unstarted},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){0};
	verdict = options_parse("neighbours", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && n_ranks < 3)
		return options_wrong("neighbours", rank, "found %d ranks, wanted 3 or more",
				     n_ranks);
	return verdict;
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	int rank, n_ranks;

	MPI_Init(&argc, &argv);
	mpisim_add_compute_time(0); /* it computes next to nothing, and says so */
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, rank, n_ranks, &settings);
	if (verdict == OPTIONS_OK)
		run(&settings, rank, n_ranks);
	MPI_Finalize();
	return options_status(verdict);
}
