/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loops KIND N: N iterations of computation and communication around a ring, of the kind that
 * tests/replay/repeat.py asks for. Computation is charged, so that every iteration is the same.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_ITEMS = 20000 };

struct ring {
	int rank, n_ranks, next, before, n_open;
	double out[N_ITEMS], in[N_ITEMS];
	MPI_Request both[2];
};

static void blocking(struct ring *ring, int i)
{
	MPI_Sendrecv(ring->out, N_ITEMS, MPI_DOUBLE, ring->next, 0, ring->in, N_ITEMS, MPI_DOUBLE,
		     ring->before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Complete requests are held over a computation. */
static void nonblocking(struct ring *ring, int i)
{
	double sum;
	MPI_Request all[3];

	MPI_Irecv(ring->in, 10, MPI_DOUBLE, ring->before, 1, MPI_COMM_WORLD, &all[0]);
	MPI_Isend(ring->out, 10, MPI_DOUBLE, ring->next, 1, MPI_COMM_WORLD, &all[1]);
	MPI_Iallreduce(ring->out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &all[2]);
	mpisim_add_compute_time(1e-3);
	MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
}

static void persistent(struct ring *ring, int i)
{
	MPI_Startall(2, ring->both);
	MPI_Waitall(2, ring->both, MPI_STATUSES_IGNORE);
}

/* With both neighbours, and none beyond the ends: who comes first of those that go on at one time
 * changes from iteration to iteration, for as many as there are ranks. */
static void halo(struct ring *ring, int i)
{
	int up = ring->rank ? ring->before : MPI_PROC_NULL;
	int down = ring->next ? ring->next : MPI_PROC_NULL;
	double sum;
	MPI_Request all[4];

	MPI_Irecv(ring->in, 1000, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, &all[0]);
	MPI_Irecv(ring->in + 1000, 1000, MPI_DOUBLE, down, 4, MPI_COMM_WORLD, &all[1]);
	MPI_Isend(ring->out, 1000, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, &all[2]);
	MPI_Isend(ring->out + 1000, 1000, MPI_DOUBLE, up, 4, MPI_COMM_WORLD, &all[3]);
	MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
	mpisim_add_compute_time(1e-3);
	MPI_Allreduce(ring->out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The same again after three iterations, not after one. */
static void in_threes(struct ring *ring, int i)
{
	mpisim_add_compute_time(1e-3 * (i % 3));
	MPI_Sendrecv(ring->out, 1 + i % 3, MPI_DOUBLE, ring->next, 0, ring->in, N_ITEMS, MPI_DOUBLE,
		     ring->before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Never the same. */
static void growing(struct ring *ring, int i)
{
	mpisim_add_compute_time(1e-6 * i);
	blocking(ring, i);
}

/* The loop changes its course in the middle, where a state that is the same reads on otherwise. */
static void changing(struct ring *ring, int i)
{
	if (i < 30)
		blocking(ring, i);
	else
		persistent(ring, i);
}

/* One iteration in seven gives the node back for a while: at times while a repetition is taped. */
static void releasing(struct ring *ring, int i)
{
	blocking(ring, i);
	if (i % 7 == 3 && ring->rank == 1) {
		mpisim_node_release();
		mpisim_node_acquire();
	}
}

/* One more phase is open after each iteration. */
static void nested(struct ring *ring, int i)
{
	blocking(ring, i);
	mpisim_phase_begin("iteration");
	ring->n_open++;
}

/* What these leave behind is not known well enough. */
static void asking_the_clock(struct ring *ring, int i)
{
	MPI_Wtime();
	blocking(ring, i);
}

static void wild(struct ring *ring, int i)
{
	MPI_Sendrecv(ring->out, 10, MPI_DOUBLE, ring->next, 0, ring->in, 10, MPI_DOUBLE,
		     MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
	const char *name;
	void (*iterate)(struct ring *ring, int i);
} kinds[] = {
    {"blocking", blocking},	 {"nonblocking", nonblocking},
    {"persistent", persistent},	 {"threes", in_threes},
    {"growing", growing},	 {"changing", changing},
    {"clock", asking_the_clock}, {"wild", wild},
    {"releasing", releasing},	 {"halo", halo},
    {"nested", nested},
};

static void run(struct ring *ring, const char *kind, int n)
{
	for (int i = 0; i < n; i++) {
		mpisim_phase_begin("iteration");
		if (mpisim_kernel_begin("work", 2, (double[]){1 + ring->rank % 2, 3}))
			abort();
		mpisim_kernel_end();
		for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
			if (strcmp(kinds[k].name, kind) == 0)
				kinds[k].iterate(ring, i);
		mpisim_phase_end();
	}
	while (ring->n_open-- > 0)
		mpisim_phase_end();
}

int main(int argc, char **argv)
{
	static struct ring ring;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ring.n_ranks);
	ring.next = (ring.rank + 1) % ring.n_ranks;
	ring.before = (ring.rank + ring.n_ranks - 1) % ring.n_ranks;
	MPI_Recv_init(ring.in, N_ITEMS, MPI_DOUBLE, ring.before, 2, MPI_COMM_WORLD, &ring.both[0]);
	MPI_Send_init(ring.out, N_ITEMS, MPI_DOUBLE, ring.next, 2, MPI_COMM_WORLD, &ring.both[1]);
	run(&ring, argv[1], atoi(argv[2]));
	MPI_Request_free(&ring.both[0]);
	MPI_Request_free(&ring.both[1]);
	MPI_Finalize();
	return 0;
}
