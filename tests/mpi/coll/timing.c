/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When collectives return, in simulated time, against derivations by hand on ../timing.yaml: L = 1
 * ms, b = 1 byte per us, o = 100 us, eager up to 1000 B. Run as `timing CASE` on 4 ranks, one per
 * node, --compute modelled; exit 1 when a time is off by more than 10 ps.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <string.h>

static int rank, failures;
static char buf[1000];

static void expect_ms(const char *what, double wanted_ms)
{
	double found_ms = MPI_Wtime() * 1e3;

	if (found_ms - wanted_ms > 1e-8 || wanted_ms - found_ms > 1e-8) {
		printf("rank %d: %s: found %.9f ms, wanted %.9f ms\n", rank, what, found_ms,
		       wanted_ms);
		failures++;
	}
}

/* Two rounds; in each, a rank sends (o), its message travels (L), the other takes it (o). */
static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	expect_ms("barrier", 2 * (0.1 + 1 + 0.1));
}

/*
 * Rank 0 sends to 2, then to 1, o each. Bytes leave it from 0.1 + 1 and 0.2 + 1 ms on: 100 B to 2
 * alone, then both at half rate until 2 has the other 400 B, at 1.2 + 0.8 = 2.0; then 1 gets its
 * last 100 B alone, at 2.1. Each takes its message (o). 2 sends on to 3: o, L + 0.5, o.
 */
static void bcast(void)
{
	static const double wanted_ms[] = {0.2, 2.1 + 0.1, 2.0 + 0.1 + 0.1, 2.2 + 1.5 + 0.1};

	MPI_Bcast(buf, 500, MPI_BYTE, 0, MPI_COMM_WORLD);
	expect_ms("broadcast", wanted_ms[rank]);
}

/*
 * The first round's message is taken, and the second round begins, only in MPI_Wait: o + 10, then o
 * (take), o (send), L, o.
 */
static void no_progress_outside_mpi(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	expect_ms("start", 0.1);
	mpisim_add_compute_time(0.010);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_ms("barrier", 0.1 + 10 + 0.1 + 0.1 + 1 + 0.1);
}

/*
 * A test halfway moves it on: after o + 5 it takes (o) and sends (o); after 5 more the second
 * message is there: o.
 */
static void tests_make_progress(void)
{
	MPI_Request request;
	int flag;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	mpisim_add_compute_time(0.005);
	MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	expect_ms("test", 5.3);
	mpisim_add_compute_time(0.005);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_ms("barrier", 10.3 + 0.1);
	failures += flag;
}

/*
 * Any call that waits moves it on too: 0 and 1 exchange a message (o, and o to take it) while the
 * barrier of all goes on.
 */
static void other_waits_make_progress(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	mpisim_add_compute_time(0.002);
	if (rank % 2 == 0) {
		mpisim_add_compute_time(0.008);
		MPI_Send(buf, 0, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(buf, 0, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		/*
		 * taken at 2.1 + o, sent on at 2.3, long before the even ranks come at 10.1 with o
		 * for the send: L, o
		 */
		expect_ms("receive", 10.1 + 0.1 + 1 + 0.1);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
	    {"barrier", barrier},
	    {"bcast", bcast},
	    {"no_progress_outside_mpi", no_progress_outside_mpi},
	    {"tests_make_progress", tests_make_progress},
	    {"other_waits_make_progress", other_waits_make_progress},
	};
	int n_run = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0] && argc > 1; i++)
		if (strcmp(cases[i].name, argv[1]) == 0) {
			cases[i].run();
			n_run++;
		}
	MPI_Finalize();
	return failures > 0 || n_run != 1;
}
