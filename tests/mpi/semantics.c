/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the standard says about corners of point-to-point and environment, and what only a simulator can tell. Run as `semantics CASE` on 3 ranks
 * with timing.yaml (L = 1 ms, b = 1 byte per us, o = 100 us, eager up to 1000 B), --compute modelled; exit 1 when anything is not as wanted.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, failures;
static char buf[4000];

static void expect_ms(const char *what, double wanted_ms)
{
	double found_ms = MPI_Wtime() * 1e3;

	if (found_ms - wanted_ms > 1e-8 || wanted_ms - found_ms > 1e-8) {
		printf("rank %d: %s: found %.9f ms, wanted %.9f ms\n", rank, what, found_ms, wanted_ms);
		failures++;
	}
}

static void expect(const char *what, long long found, long long wanted)
{
	if (found != wanted) {
		printf("rank %d: %s: found %lld, wanted %lld\n", rank, what, found, wanted);
		failures++;
	}
}

/* --- polls --- */

/* Looks for several things between steps of computation: no look makes the rank wait. 10 times 1 ms. */
static void looks_at_several_things(void)
{
	MPI_Request a, b;
	int flag;

	if (rank != 1)
		return;
	MPI_Irecv(buf, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &a);
	MPI_Irecv(buf, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &b);
	for (int i = 0; i < 10; i++) {
		MPI_Test(&a, &flag, MPI_STATUS_IGNORE);
		MPI_Test(&b, &flag, MPI_STATUS_IGNORE);
		for (int j = 0; j < 8; j++)
			MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		mpisim_add_compute_time(0.001);
	}
	expect_ms("only the computation takes time", 10);
	MPI_Cancel(&a);
	MPI_Cancel(&b);
	MPI_Request_free(&a);
	MPI_Request_free(&b);
}

/* Computation in small pieces with looks in between goes on: 1000 times 0.1 us, the message is there after 1.3 ms. */
static void looks_between_small_pieces(void)
{
	MPI_Request request;
	int flag = 0;

	if (rank == 0) {
		MPI_Send(buf, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Irecv(buf, 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		for (int i = 0; i < 1000; i++) {
			mpisim_add_compute_time(1e-7);
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		}
		expect("not there yet", flag, 0);
		expect_ms("the pieces are done", 0.1);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("received", 0.1 + 1 + 0.1 + 0.1);
	}
}

/* A loop over requests of which the last completes, from 0.1 + 1 + 0.1 ms on; then o. */
static void loop_over_requests(void)
{
	MPI_Request requests[5];
	int flag = 0, i;

	if (rank == 0) {
		MPI_Send(buf, 100, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
	} else if (rank == 1) {
		for (i = 0; i < 5; i++)
			MPI_Irecv(buf, 100, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
		for (i = 0; !flag; i = flag ? i : (i + 1) % 5)
			MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
		expect("which", i, 4);
		expect_ms("when", 0.1 + 1 + 0.1 + 0.1);
		for (i = 0; i < 4; i++) {
			MPI_Cancel(&requests[i]);
			MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
		}
	}
}

/* The clock is read once per round of two looks: the time-out is noticed at most 1 ms late. */
static void time_out_of_two_looks(void)
{
	int a = 0, b = 0;

	if (rank != 1)
		return;
	while (!a && !b && MPI_Wtime() < 0.02) {
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &a, MPI_STATUS_IGNORE);
		MPI_Iprobe(0, 1, MPI_COMM_WORLD, &b, MPI_STATUS_IGNORE);
	}
	expect("at most 1 ms late", MPI_Wtime() < 0.0211, 1);
}

/* Two ranks that look for each other's messages: a message takes 0.1 + 1 + 0.1 + 0.1 ms. */
static void two_that_look_for_each_other(void)
{
	MPI_Request request;
	int flag;

	if (rank > 1)
		return;
	for (int i = 0; i < 4; i++) {
		flag = 0;
		if (rank == i % 2)
			MPI_Send(buf, 100, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
		else
			MPI_Irecv(buf, 100, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
		while (rank != i % 2 && !flag)
			MPI_Testany(1, &request, &(int){0}, &flag, MPI_STATUS_IGNORE);
	}
	if (rank == 1)
		expect_ms("the fourth is sent", 3 * 1.3 + 0.1);
	else
		expect_ms("the fourth is there", 4 * 1.3);
}

#define CASE(name) {#name, name}
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	CASE(looks_at_several_things),
	CASE(looks_between_small_pieces),
	CASE(loop_over_requests),
	CASE(time_out_of_two_looks),
	CASE(two_that_look_for_each_other),
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			MPI_Finalize();
			return failures > 0;
		}
	printf("no case %s\n", argc > 1 ? argv[1] : "given");
	MPI_Finalize();
	return 2;
}
