/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small messages of blocking sends, which take the shortest way (mpi/p2p/send.c), where something
 * is not as usual. On timing.yaml with `protocol.overhead=0s`: L = 1 ms, b = 1 byte per us. `plain
 * CASE` on 3 ranks, one per node, --compute modelled.
 */
#include <mpi.h>
#include <mpisim.h>

#include "tests/mpi/cases.h"

enum { N_SENT = 40 };

static char out[64], in[128];

static void send(int first, int size_B, int dest, int tag)
{
	memset(out, first, sizeof out);
	MPI_Send(out, size_B, MPI_BYTE, dest, tag, MPI_COMM_WORLD);
	memset(out, 99, sizeof out);
}

/* Several of one pair under way, of sizes that take different times, to one who waits and to one who
 * comes late. */
static void in_order(void)
{
	MPI_Status status;
	int count;

	for (int i = 0; i < N_SENT && rank == 0; i++) {
		send(i, 64 - i, 1, i % 2);
		send(i, 64 - i, 2, i % 2);
	}
	if (rank == 2)
		mpisim_add_compute_time(0.010);
	for (int i = 0; i < N_SENT && rank > 0; i++) {
		MPI_Recv(in, sizeof in, MPI_BYTE, i % 3 ? 0 : MPI_ANY_SOURCE,
			 i % 5 ? i % 2 : MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_BYTE, &count);
		expect("data", in[0], i);
		expect("bytes", count, 64 - i);
		expect("tag", status.MPI_TAG, i % 2);
		expect("source", status.MPI_SOURCE, 0);
	}
}

/* Into memory with gaps, which its receiver's own fiber fills; into too little. */
static void other_receives(void)
{
	MPI_Datatype every_second;
	MPI_Status status;

	MPI_Type_vector(8, 1, 2, MPI_BYTE, &every_second);
	MPI_Type_commit(&every_second);
	for (int i = 0; i < 2 && rank == 0; i++) {
		send(1, 8, 1, 0);
		mpisim_add_compute_time(i == 0 ? 0.002 : 0); /* one alone, then two */
		send(2, 8, 1, 1);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < 2 && rank == 1; i++) {
		memset(in, 77, sizeof in);
		MPI_Recv(in, 1, every_second, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect("first", in[0], 1);
		expect("gap", in[1], 77);
		expect("last", in[14], 1);
		expect("too short", MPI_Recv(in, 4, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status),
		       MPI_ERR_TRUNCATE);
		expect("as much as fits", in[3], 2);
		expect("no more", in[4], 1);
		mpisim_add_compute_time(0.010); /* the others have come then */
	}
	MPI_Type_free(&every_second);
}

/* When they arrive: L and a microsecond for every byte, alone or two on a link; at once without
 * bytes but for L; from a rank to itself by the latency within nodes, which is none. */
static void times(void)
{
	MPI_Request request;

	if (rank == 0) {
		send(1, 50, 1, 0);
		expect_ms("has sent", 0);
		MPI_Recv(in, 10, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("answered", 2.06);
		send(1, 10, 1, 0);
		send(2, 10, 2, 0);
	} else {
		if (rank == 1) {
			MPI_Recv(in, 64, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			expect_ms("alone", 1.05);
			send(1, 10, 0, 0);
		}
		MPI_Recv(in, 64, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("two on a link", 2.06 + 1.02);
		expect("data", in[9], rank);
	}
	MPI_Irecv(in, 64, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
	send(5, 0, rank, 1);
	send(5, 3, rank, 0);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("from itself", in[2], 5);
	MPI_Recv(NULL, 0, MPI_BYTE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two messages without data arrive at one instant, as two events: the first wakes rank 1, which
 * takes both. */
static void one_instant(void)
{
	MPI_Request requests[2];
	int n, indices[2];

	if (rank != 1) {
		compute_until_ms(20);
		send(0, 0, 1, 0);
		return;
	}
	MPI_Irecv(in, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitsome(2, requests, &n, indices, MPI_STATUSES_IGNORE);
	expect_ms("arrived", 21);
	expect("both", n, 2);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
	    {"in_order", in_order},
	    {"other_receives", other_receives},
	    {"times", times},
	    {"one_instant", one_instant},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
