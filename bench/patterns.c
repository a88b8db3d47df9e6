/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The patterns of communication that bench/run measures: `patterns NAME ROUNDS SIZE`. No
 * computation, no private globals: what remains is the cost of messages. The same source builds
 * with any MPI.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MPISIM
#include <mpisim.h>
#else
#define mpisim_alloc malloc
#define mpisim_free free
#endif

enum { TAG_WILD = 5, MAX_NEIGHBOURS = 6, UNEXPECTED_BLOCK = 16, PANEL_COLUMNS = 64 };

struct run {
	int rank, size, rounds, size_B;
	char *in, *out;	       /* [size_B]: what messages carry is of no interest; `in` for each of
				  the receives that go on at once, part() */
	MPI_Request *requests; /* [2 size + 2 MAX_NEIGHBOURS] */
};

static char *part(const struct run *r, int k)
{
	return r->in + (size_t)k * (size_t)r->size_B;
}

static void pingpong(const struct run *r)
{
	int peer = r->rank ^ 1;

	for (int i = 0; i < r->rounds && peer < r->size; i++) {
		if (r->rank % 2 == 0)
			MPI_Send(r->out, r->size_B, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
		MPI_Recv(r->in, r->size_B, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (r->rank % 2 == 1)
			MPI_Send(r->out, r->size_B, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
	}
}

static void exchange(const struct run *r, const int peers[], int n_peers, MPI_Comm grid)
{
	for (int i = 0; i < r->rounds; i++) {
		int n = 0;

		for (int k = 0; k < n_peers; k++)
			MPI_Irecv(part(r, k), r->size_B, MPI_CHAR, peers[k], k, grid,
				  &r->requests[n++]);
		for (int k = 0; k < n_peers; k++)
			MPI_Isend(r->out, r->size_B, MPI_CHAR, peers[k], k ^ 1, grid,
				  &r->requests[n++]);
		MPI_Waitall(n, r->requests, MPI_STATUSES_IGNORE);
	}
}

/* Exchange with the neighbours of a grid that is periodic in no dimension. */
static void halo(const struct run *r, int n_dimensions)
{
	int dims[3] = {0}, periods[3] = {0}, peers[MAX_NEIGHBOURS];
	MPI_Comm grid;

	MPI_Dims_create(r->size, n_dimensions, dims);
	MPI_Cart_create(MPI_COMM_WORLD, n_dimensions, dims, periods, 0, &grid);
	for (int d = 0; d < n_dimensions; d++)
		MPI_Cart_shift(grid, d, 1, &peers[2 * d], &peers[2 * d + 1]);
	exchange(r, peers, 2 * n_dimensions, grid);
	MPI_Comm_free(&grid);
}

/* As near to equal as the divisors of n allow: libraries do not agree on that. */
static void split(int n, int n_dimensions, int dims[])
{
	for (int d = n_dimensions; d > 0; n /= dims[--d])
		for (int size = 1; size * (d > 1 ? size : 1) * (d > 2 ? size : 1) <= n; size++)
			dims[d - 1] = n % size == 0 ? size : dims[d - 1];
}

/* The same without a communicator, whose making takes time. */
static void neighbours(const struct run *r, int n_dimensions)
{
	int dims[3] = {0}, peers[MAX_NEIGHBOURS];

	split(r->size, n_dimensions, dims);
	for (int d = n_dimensions - 1, stride = 1; d >= 0; stride *= dims[d--]) {
		int place = r->rank / stride % dims[d];

		peers[2 * d] = place > 0 ? r->rank - stride : MPI_PROC_NULL;
		peers[2 * d + 1] = place < dims[d] - 1 ? r->rank + stride : MPI_PROC_NULL;
	}
	exchange(r, peers, 2 * n_dimensions, MPI_COMM_WORLD);
}

static void neighbours2d(const struct run *r)
{
	neighbours(r, 2);
}

static void neighbours3d(const struct run *r)
{
	neighbours(r, 3);
}

static void halo2d(const struct run *r)
{
	halo(r, 2);
}

static void halo3d(const struct run *r)
{
	halo(r, 3);
}

static void alltoall_linear(const struct run *r)
{
	for (int i = 0; i < r->rounds; i++) {
		int n = 0;

		for (int k = 1; k < r->size; k++)
			MPI_Irecv(part(r, k), r->size_B, MPI_CHAR,
				  (r->rank + r->size - k) % r->size, 0, MPI_COMM_WORLD,
				  &r->requests[n++]);
		for (int k = 1; k < r->size; k++)
			MPI_Isend(r->out, r->size_B, MPI_CHAR, (r->rank + k) % r->size, 0,
				  MPI_COMM_WORLD, &r->requests[n++]);
		MPI_Waitall(n, r->requests, MPI_STATUSES_IGNORE);
	}
}

static void alltoall_pairwise(const struct run *r)
{
	for (int i = 0; i < r->rounds; i++)
		for (int k = 1; k < r->size; k++)
			MPI_Sendrecv(r->out, r->size_B, MPI_CHAR, (r->rank + k) % r->size, 0, r->in,
				     r->size_B, MPI_CHAR, (r->rank + r->size - k) % r->size, 0,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void allreduce(const struct run *r)
{
	double one = 1, sum;

	for (int i = 0; i < r->rounds; i++)
		MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(const struct run *r)
{
	for (int i = 0; i < r->rounds; i++)
		MPI_Barrier(MPI_COMM_WORLD);
}

/* What programs on a square grid do within rows and columns: communicators of sqrt(n) ranks each,
 * broadcasts, reductions and allgathers within them, and a copy of the whole. */
static void grid(const struct run *r)
{
	int dims[2] = {0}, n, row, column;
	MPI_Comm in_row, in_column, copy;
	char *all;

	MPI_Dims_create(r->size, 2, dims);
	row = r->rank / dims[1];
	column = r->rank % dims[1];
	MPI_Comm_split(MPI_COMM_WORLD, row, column, &in_row);
	MPI_Comm_split(MPI_COMM_WORLD, column, row, &in_column);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_size(in_row, &n);
	all = mpisim_alloc((size_t)n);
	for (int i = 0; i < r->rounds; i++) {
		double one = 1, sum;

		MPI_Bcast(r->out, r->size_B, MPI_CHAR, 0, in_column);
		MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, in_row);
		MPI_Allgather(r->out, 1, MPI_CHAR, all, 1, MPI_CHAR, in_row);
		MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, copy);
	}
	mpisim_free(all);
	MPI_Comm_free(&in_row);
	MPI_Comm_free(&in_column);
	MPI_Comm_free(&copy);
}

/* Panels of a block LU factorization: the owner of each hands it to all others, who answer. */
static void lu(const struct run *r)
{
	for (int i = 0; i < r->rounds; i++) {
		int owner = i % r->size, n = 0;

		if (r->rank != owner) {
			MPI_Recv(r->in, r->size_B, MPI_CHAR, owner, i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			MPI_Send(r->out, r->size_B / 4, MPI_CHAR, owner, i, MPI_COMM_WORLD);
			continue;
		}
		for (int k = 1; k < r->size; k++) {
			MPI_Irecv(part(r, k), r->size_B, MPI_CHAR, (owner + k) % r->size, i,
				  MPI_COMM_WORLD, &r->requests[n++]);
			MPI_Isend(r->out, r->size_B, MPI_CHAR, (owner + k) % r->size, i,
				  MPI_COMM_WORLD, &r->requests[n++]);
		}
		MPI_Waitall(n, r->requests, MPI_STATUSES_IGNORE);
	}
}

/*
 * What HPL says for each of its panels, on the squarest grid of ranks: the column that has it
 * agrees on a pivot for every column of numbers, the panel goes around the rows as a ring, and all
 * columns exchange rows. size_B is a rank's piece of a panel.
 */
static void hpl(const struct run *r)
{
	int dims[2] = {0}, column, row, n_rows, n_columns;
	MPI_Comm in_row, in_column;

	MPI_Dims_create(r->size, 2, dims);
	n_rows = dims[0];
	n_columns = dims[1];
	row = r->rank / n_columns;
	column = r->rank % n_columns;
	MPI_Comm_split(MPI_COMM_WORLD, row, column, &in_row);
	MPI_Comm_split(MPI_COMM_WORLD, column, row, &in_column);
	for (int i = 0; i < r->rounds; i++) {
		int owner = i % n_columns, right = (column + 1) % n_columns;
		double pivot[4] = {0}, best[4];

		for (int k = 0; k < PANEL_COLUMNS && column == owner; k++)
			MPI_Allreduce(pivot, best, 4, MPI_DOUBLE, MPI_MAX, in_column);
		if (column != owner)
			MPI_Recv(r->in, r->size_B, MPI_CHAR, MPI_ANY_SOURCE, i, in_row,
				 MPI_STATUS_IGNORE);
		if (right != owner)
			MPI_Send(r->out, r->size_B, MPI_CHAR, right, i, in_row);
		for (int distance = 1; distance < n_rows; distance *= 2)
			MPI_Sendrecv(r->out, r->size_B, MPI_CHAR, (row + distance) % n_rows, i,
				     r->in, r->size_B, MPI_CHAR, (row + n_rows - distance) % n_rows,
				     i, in_column, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&in_row);
	MPI_Comm_free(&in_column);
}

/* As many messages for every rank, in an order of their own: each round is a random shift, and what
 * arrives waits unexpected until a block of wildcard receives takes it. */
static void random_pairs(const struct run *r)
{
	unsigned int state = 12345; /* equal on all ranks */

	for (int i = 0; i < r->rounds; i++) {
		for (int k = 0; k < UNEXPECTED_BLOCK; k++) {
			state = state * 1103515245u + 12345u;
			MPI_Isend(r->out, r->size_B, MPI_CHAR,
				  (r->rank + (int)(state >> 8) % r->size) % r->size, TAG_WILD,
				  MPI_COMM_WORLD, &r->requests[k]);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		for (int k = 0; k < UNEXPECTED_BLOCK; k++)
			MPI_Recv(r->in, r->size_B, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Waitall(UNEXPECTED_BLOCK, r->requests, MPI_STATUSES_IGNORE);
	}
}

static unsigned int draw(unsigned int *state, int n)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 8) % (unsigned int)n;
}

/* One message at a time, each from where the last one went to a random other rank. */
static void walk(const struct run *r)
{
	unsigned int state = 12345; /* equal on all ranks */
	int at = 0;

	for (int i = 0; i < r->rounds; i++) {
		int to = (at + 1 + (int)draw(&state, r->size - 1)) % r->size;

		if (r->rank == at)
			MPI_Send(r->out, r->size_B, MPI_CHAR, to, i, MPI_COMM_WORLD);
		if (r->rank == to)
			MPI_Recv(r->in, r->size_B, MPI_CHAR, at, i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		at = to;
	}
}

/* Each round all ranks send at once, by a random permutation; none to itself. */
static void permutation(const struct run *r)
{
	int *to = malloc((size_t)r->size * sizeof *to), from = 0;
	unsigned int state = 12345; /* equal on all ranks */

	for (int k = 0; k < r->size; k++)
		to[k] = k;
	for (int i = 0; i < r->rounds; i++) {
		for (int k = r->size - 1; k > 0; k--) {
			int other = (int)draw(&state, k + 1), kept = to[k];

			to[k] = to[other];
			to[other] = kept;
		}
		for (int k = 0; k < r->size; k++)
			from = to[k] == r->rank ? k : from;
		if (from == r->rank)
			continue;
		MPI_Sendrecv(r->out, r->size_B, MPI_CHAR, to[r->rank], i, r->in, r->size_B,
			     MPI_CHAR, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	free(to);
}

/* Puts to four neighbours on the ring, between fences. */
static void onesided(const struct run *r)
{
	const int shifts[] = {1, 2, -1, -2};
	char *memory = mpisim_alloc(4 * (size_t)r->size_B + 1);
	MPI_Win window;

	MPI_Win_create(memory, 4 * (MPI_Aint)r->size_B, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	MPI_Win_fence(0, window);
	for (int i = 0; i < r->rounds; i++) {
		for (int k = 0; k < 4; k++)
			MPI_Put(r->out, r->size_B, MPI_CHAR,
				(r->rank + r->size + shifts[k]) % r->size, k * (MPI_Aint)r->size_B,
				r->size_B, MPI_CHAR, window);
		MPI_Win_fence(0, window);
	}
	MPI_Win_free(&window);
	mpisim_free(memory);
}

static const struct pattern {
	const char *name;
	void (*run)(const struct run *r);
} patterns[] = {
    {"pingpong", pingpong},
    {"halo2d", halo2d},
    {"halo3d", halo3d},
    {"alltoall-linear", alltoall_linear},
    {"alltoall-pairwise", alltoall_pairwise},
    {"allreduce", allreduce},
    {"barrier", barrier},
    {"grid", grid},
    {"hpl", hpl},
    {"lu", lu},
    {"neighbours2d", neighbours2d},
    {"neighbours3d", neighbours3d},
    {"onesided", onesided},
    {"permutation", permutation},
    {"random", random_pairs},
    {"walk", walk},
};

static const struct pattern *find(const char *name)
{
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		if (strcmp(patterns[i].name, name) == 0)
			return &patterns[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct pattern *pattern = argc == 4 ? find(argv[1]) : NULL;
	struct run r;
	int has_all, n_in;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &r.size);
	if (!pattern) {
		fprintf(stderr, "usage: patterns NAME ROUNDS SIZE\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	r.rounds = atoi(argv[2]);
	r.size_B = atoi(argv[3]);
	/* only some patterns have all others as peers at once: elsewhere 2 * size would be a page for
	   every rank */
	has_all = strcmp(argv[1], "alltoall-linear") == 0 || strcmp(argv[1], "lu") == 0;
	n_in = has_all ? r.size : strncmp(argv[1], "halo", 4) == 0 ? MAX_NEIGHBOURS : 1;
	r.in = mpisim_alloc((size_t)n_in * (size_t)r.size_B + 1);
	r.out = mpisim_alloc((size_t)r.size_B + 1);
	r.requests = malloc(((has_all ? 2 * (size_t)r.size : 0) + 2 * UNEXPECTED_BLOCK) *
			    sizeof *r.requests);
	pattern->run(&r);
	if (r.rank == 0)
		printf("%.9f\n", MPI_Wtime());
	free(r.requests);
	mpisim_free(r.in);
	mpisim_free(r.out);
	MPI_Finalize();
	return 0;
}
