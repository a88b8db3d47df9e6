/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What messages and probes cost the processors of their ranks, by size (docs/model.md §3), against
 * derivations by hand on timing.yaml: L = 1 ms, b = 1 byte per us, eager up to 1000 B, control
 * messages of no size; the costs stand in meson.build. Run as `timing-costs CASE` on 3 ranks, one per
 * node, --compute modelled.
 */
#include "tests/mpi/bytes.h"

/*
 * Sends: 10 us + 0.1 us per byte, from 500 B on 20 us; with a request always 30 us. Receives: 5 us, from
 * 100 B on 1 us + 0.2 us per byte, of the whole message also where it goes by rendezvous.
 */
static void costs_go_by_size(void)
{
	MPI_Request request;

	if (rank == 0) {
		send(100);
		expect_ms("send of 100 B", 0.01 + 0.01);
		compute_until_ms(2);
		send(600);
		expect_ms("send of 600 B", 2 + 0.02);
		compute_until_ms(5);
		MPI_Isend(buf, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("send with a request", 5 + 0.03);
		compute_until_ms(10);
		send(2000);
		expect_ms("rendezvous", 10 + 0.02 + 1 + 1 + 1 + 2);
	} else if (rank == 1) {
		receive(100);
		expect_ms("100 B", 0.02 + 1 + 0.1 + 0.001 + 0.02);
		receive(600);
		expect_ms("600 B", 2.02 + 1 + 0.6 + 0.001 + 0.12);
		receive(0);
		expect_ms("0 B", 5.03 + 1 + 0.005);
		receive(2000);
		expect_ms("2000 B", 15.02 + 0.001 + 0.4);
	}
}

/* One place in the program, wherever it is called. */
static __attribute__((noinline)) int polls_until_it_is_there(int tag)
{
	int n = 0, flag = 0;

	for (; !flag; n++)
		MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	return n;
}

static void take(int tag)
{
	MPI_Recv(buf, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* 10 us each. Of a loop that waits one poll ends with the arrival and says no, the next one finds it. */
static void a_probe_costs_what_the_cluster_says(void)
{
	int flag;

	if (rank == 0) {
		compute_until_ms(5);
		MPI_Send(buf, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		for (int i = 0; i < 3; i++)
			MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		expect_ms("three probes", 0.03);
		polls_until_it_is_there(0);
		expect_ms("found", 5 + 1 + 0.01 + 0.01);
		take(0);
	}
}

/* One poll in a millisecond, once the place in the program is known to wait: 16 are free. Each wait
 * ends with the arrival. A loop there that gives up makes it like any other. */
static void a_loop_that_waited_is_polled_less_often(void)
{
	int n, flag;

	if (rank == 0) {
		for (int i = 1; i <= 3; i++) {
			compute_until_ms(100 * i);
			MPI_Send(buf, 0, MPI_BYTE, 1, i, MPI_COMM_WORLD);
		}
	} else if (rank == 1) {
		n = polls_until_it_is_there(1);
		expect_ms("the first", 101);
		expect("thousands of polls", n > 1000, 1);
		take(1);
		n = polls_until_it_is_there(2);
		expect_ms("the second", 201);
		expect("a hundred polls", n > 16 && n < 16 + 110, 1);
		take(2);
		for (int i = 0; i < 20; i++)
			MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		expect_ms("four pauses of another place", 201.004);
		polls_until_it_is_there(3);
		expect_ms("the third", 301);
		take(3);
	}
}

static const struct test_case cases[] = {
    {"costs_go_by_size", costs_go_by_size},
    {"a_probe_costs_what_the_cluster_says", a_probe_costs_what_the_cluster_says},
    {"a_loop_that_waited_is_polled_less_often", a_loop_that_waited_is_polled_less_often},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof *cases);
}
