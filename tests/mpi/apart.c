/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives whose rounds need no fiber (mpi/coll/rounds.h): what could tell. Times on timing.yaml
 * without overheads: L = 1 ms, b = 1 byte per us. `apart CASE` on 3 ranks, one per node, --compute
 * modelled.
 */
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <mpisim.h>

#include "tests/mpi/cases.h"

/* Globals, which may lie elsewhere while other ranks run. */
static double mine, sum;
static char gaps[1000], late[500];

/* Two rounds, at distances 1 and 2: rank 2 comes at 20 ms. */
static void wait_for_rank_2(void)
{
	if (rank == 2)
		mpisim_add_compute_time(0.020);
	MPI_Barrier(MPI_COMM_WORLD);
	expect_ms("barrier", rank == 2 ? 22 : 21);
}

static void rounds_take_their_time(void)
{
	wait_for_rank_2();
}

static void data_in_globals(void)
{
	for (int i = 0; i < 20; i++) {
		mine = (rank + 1) * (i + 1);
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		expect("sum", (long long)sum, 6 * (i + 1));
		sum = rank == i % 3 ? i : -1;
		MPI_Bcast(&sum, 1, MPI_DOUBLE, i % 3, MPI_COMM_WORLD);
		expect("broadcast", (long long)sum, i);
	}
}

/* Each rank folds as it rounds itself, whoever's event completes its round. */
static void results_round_as_their_rank_does(void)
{
	double little = rank == 0 ? 1 : ldexp(1, -60), total;
	int n_wrong = 0;
	MPI_Comm pair;

	MPI_Comm_split(MPI_COMM_WORLD, rank == 2, 0, &pair);
	fesetround(rank == 1 ? FE_UPWARD : FE_TONEAREST);
	for (int i = 0; i < 10 && rank < 2; i++) {
		mpisim_add_compute_time(rank == i % 2 ? 0.001 : 0);
		MPI_Allreduce(&little, &total, 1, MPI_DOUBLE, MPI_SUM, pair);
		n_wrong += total != (rank == 1 ? nextafter(1, 2) : 1);
	}
	expect("sums that are rounded otherwise", n_wrong, 0);
	MPI_Comm_free(&pair);
}

/* While rank 0 is in the barrier: a receive that its own fiber has to unpack, and that nobody waits
 * for; one that it waits for later; a collective that does not block. */
static void other_things_arrive(void)
{
	MPI_Request request, barrier;
	MPI_Datatype every_second;
	int n_right = 0;

	MPI_Type_vector(sizeof late, 1, 2, MPI_BYTE, &every_second);
	MPI_Type_commit(&every_second);
	if (rank == 0) {
		MPI_Irecv(gaps, 1, every_second, 1, 1, MPI_COMM_WORLD, &request);
		MPI_Request_free(&request);
		MPI_Irecv(late, sizeof late, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
	}
	if (rank == 1) {
		memset(late, 'x', sizeof late);
		MPI_Send(late, sizeof late, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
		MPI_Isend(late, sizeof late, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
	wait_for_rank_2();
	for (int i = 0; i < 999; i++)
		n_right += gaps[i] == (rank == 0 && i % 2 == 0 ? 'x' : 0);
	expect("bytes unpacked", n_right, 999);
	if (rank == 0)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("byte", late[499], rank == 2 ? 0 : 'x');
	MPI_Wait(&barrier, MPI_STATUS_IGNORE);
	MPI_Type_free(&every_second);
}

/* More than fits a message itself, all to all, again and again. */
static void larger_messages(void)
{
	static int out[3 * 50], in[3 * 50];

	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 150; k++)
			out[k] = 1000 * i + 10 * rank + k / 50;
		MPI_Alltoall(out, 50, MPI_INT, in, 50, MPI_INT, MPI_COMM_WORLD);
		memset(out, 0, sizeof out);
		for (int k = 0; k < 150; k++)
			expect("item", in[k], 1000 * i + 10 * (k / 50) + rank);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
	    {"rounds_take_their_time", rounds_take_their_time},
	    {"data_in_globals", data_in_globals},
	    {"results_round_as_their_rank_does", results_round_as_their_rank_does},
	    {"other_things_arrive", other_things_arrive},
	    {"larger_messages", larger_messages},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
