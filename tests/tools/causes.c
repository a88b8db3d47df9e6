/* SPDX-License-Identifier: BSD-3-Clause */
/* Causes of lost time, each planted or not: ./causes CAUSE planted|removed. No annotations: time
 * that stands for computation has no name. */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, LARGE_B = 1000000, N_SMALL = 50 };

static int rank, size, is_planted;
static char *large, *other;
static double one = 1, sum;

static void compute(double ms)
{
	add_compute_time(ms * 1e-3);
}

/* Not functions, so that the calls are the causes' own. */
#define EXCHANGE(bytes, partner)                                                                  \
	MPI_Sendrecv(large, (bytes), MPI_BYTE, (partner), 0, other, (bytes), MPI_BYTE, (partner), \
		     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#define AGREE() MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)

static void slow_rank(void)
{
	AGREE();
	compute(rank == 5 && is_planted ? 6 : 2); /* slow-rank */
	EXCHANGE(1000, rank ^ 1);
}

/* Rank 2 takes longer, too, once; nobody waits for it, as rank 5 takes longer still. */
static void chance(void)
{
	static int round;

	compute(rank == 5 && is_planted ? 6 : rank == 2 && round == 0 ? 3 : 2); /* chance */
	round++;
	AGREE();
}

static void slow_node(void)
{
	AGREE();
	compute(2); /* slow-node */
	EXCHANGE(1000, rank ^ 4);
}

static void serial(void)
{
	double x = rank;

	compute(1);
	AGREE();
	if (rank == 0 && is_planted)
		compute(4); /* serial */
	else if (!is_planted)
		compute(4.0 / size);
	MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* What comes last: nobody waits for it, the others have ended. */
static void tail(void)
{
	static int round;

	compute(1);
	AGREE();
	if (++round < ROUNDS)
		return;
	if (rank == 0 && is_planted)
		compute(4 * ROUNDS); /* tail */
	else if (!is_planted)
		compute(4.0 * ROUNDS / size);
}

static void late_sender(void)
{
	compute(1);
	AGREE();
	compute(rank == 6 && is_planted ? 3 : 1); /* late-sender */
	if (rank % 2 == 0)
		MPI_Send(large, 1000, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(other, 1000, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_receiver(void)
{
	compute(1);
	AGREE();
	compute(rank == 3 && is_planted ? 4 : 1); /* late-receiver */
	if (rank % 2 == 0)
		MPI_Ssend(large, 100000, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(other, 100000, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void imbalance(void)
{
	compute(2);
	AGREE();
	compute(is_planted ? 0.5 * (rank + 1) : 0.25 * (size + 1)); /* imbalance */
	MPI_Barrier(MPI_COMM_WORLD);
}

static void turns(void)
{
	static int round;

	AGREE();
	round++;
	if (rank % 2 == 0)
		MPI_Barrier(MPI_COMM_SELF); /* another way to the same place */
	compute(!is_planted ? 1.25 : round % size == rank ? 3 : 1); /* turns */
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The first half sends to rank `size / 2`, or each to a rank of its own. */
static void link_(void)
{
	int half = size / 2, n = 0;
	MPI_Request requests[8];

	compute(1);
	if (rank < half)
		MPI_Send(large, LARGE_B, MPI_BYTE, is_planted ? half : rank + half, 0,
			 MPI_COMM_WORLD); /* link */
	for (int i = 0; i < half; i++)
		if (rank == (is_planted ? half : i + half))
			MPI_Irecv(other, LARGE_B, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[n++]);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	AGREE();
}

static void placement(void)
{
	compute(1);
	EXCHANGE(LARGE_B, rank ^ 1); /* by mpisim-run's option */
}

static void small(void)
{
	int n = is_planted ? N_SMALL : 1;

	compute(1);
	for (int i = 0; i < n; i++) {
		if (rank % 2 == 0) {
			MPI_Send(large, 400 / n, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD); /* small */
			MPI_Recv(large, 400 / n, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(large, 400 / n, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			MPI_Send(large, 400 / n, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD);
		}
	}
}

static void lock(void)
{
	static double mine[8];
	static MPI_Win win;
	double value = 1;

	if (!win)
		MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD,
			       &win);
	compute(1);
	if (rank > 0) {
		MPI_Win_lock(is_planted ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0,
			     win); /* lock */
		MPI_Put(&value, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, win);
		compute(1);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 looks for a message all the time, or between pieces of work. */
static void polls(void)
{
	int is_there = 0;

	if (rank == 0) {
		compute(is_planted ? 10 : 30);
		MPI_Send(large, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	}
	while (rank == 1 && !is_there) {
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
		if (!is_planted)
			compute(0.003);
	}
	if (rank == 1)
		MPI_Recv(other, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Computation that is measured. */
static void spin(void)
{
	volatile double x = 0;

	AGREE();
	for (int i = 0; i < (rank == 5 && is_planted ? 300000 : 100000); i++)
		x += i;
	EXCHANGE(1000, rank ^ 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*round)(void);
	} causes[] = {{"slow-rank", slow_rank},
		      {"chance", chance},
		      {"slow-node", slow_node},
		      {"serial", serial},
		      {"tail", tail},
		      {"late-sender", late_sender},
		      {"late-receiver", late_receiver},
		      {"imbalance", imbalance},
		      {"turns", turns},
		      {"link", link_},
		      {"placement", placement},
		      {"spin", spin},
		      {"polls", polls},
		      {"small", small},
		      {"lock", lock}};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	large = calloc(2, LARGE_B);
	other = large + LARGE_B;
	is_planted = argc > 2 && strcmp(argv[2], "planted") == 0;
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		for (int k = 0; argc > 1 && strcmp(argv[1], causes[i].name) == 0 && k < ROUNDS; k++)
			causes[i].round();
	free(large);
	MPI_Finalize();
	return 0;
}
