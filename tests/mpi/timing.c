/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When point-to-point calls return, in simulated time, against derivations by hand on timing.yaml:
 * L = 1 ms, b = 1 byte per us, o = 100 us, eager up to 1000 B. Run as `timing CASE` on at least 2
 * ranks, one per node, --compute modelled; exit 1 when a time is off by more than 10 ps.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/mpi/cases.h"

static char buf[100000];

/* Sender: o. Message: L + 500 us. Receiver: o. And back. */
static void eager(void)
{
	if (rank == 0) {
		MPI_Send(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("eager send returns after o", 0.1);
		MPI_Recv(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("answer", 2 * (0.1 + 1 + 0.5 + 0.1));
	} else if (rank == 1) {
		MPI_Recv(buf, 500, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("receive", 0.1 + 1 + 0.5 + 0.1);
		MPI_Send(buf, 500, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

/* The message is there before the receive: only o remains. */
static void late_receiver(void)
{
	if (rank == 0) {
		MPI_Send(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		mpisim_add_compute_time(0.010);
		MPI_Recv(buf, 500, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("receive", 10 + 0.1);
	}
}

/* Receive posted at 0: o, request L, clear L, bulk L + 2 ms, o. The send returns when the receiver
 * has everything. */
static void rendezvous(void)
{
	if (rank == 0) {
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("send", 0.1 + 1 + 1 + 1 + 2);
	} else if (rank == 1) {
		MPI_Recv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("receive", 0.1 + 1 + 1 + 1 + 2 + 0.1);
	}
}

/* Receive posted at 10 ms: the request waits; then clear L, bulk L + 2 ms, o. */
static void rendezvous_late_receiver(void)
{
	if (rank == 0) {
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("send", 10 + 1 + 1 + 2);
	} else if (rank == 1) {
		mpisim_add_compute_time(0.010);
		MPI_Recv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("receive", 10 + 1 + 1 + 2 + 0.1);
	}
}

/* Contiguous data of a rendezvous that is unpacked by its receiver after the sender has gone on and
 * changed it. */
static void rendezvous_into_holes(void)
{
	MPI_Datatype pairs;

	if (rank == 0) {
		memset(buf, 5, 2000);
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		memset(buf, 6, 2000);
	} else if (rank == 1) {
		MPI_Type_vector(1000, 2, 4, MPI_BYTE, &pairs);
		MPI_Type_commit(&pairs);
		MPI_Recv(buf, 1, pairs, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < 3998; i++)
			expect("byte", buf[i], i % 4 < 2 ? 5 : 0);
		MPI_Type_free(&pairs);
	}
}

/* A synchronous send returns when it is matched: on arrival, or when the receive comes. */
static void synchronous(void)
{
	if (rank == 0) {
		MPI_Ssend(buf, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("receive waiting", 0.1 + 1 + 0.1);
		MPI_Ssend(buf, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("receive late", 20);
	} else if (rank == 1) {
		MPI_Recv(buf, 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_add_compute_time(0.020 - MPI_Wtime());
		MPI_Recv(buf, 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

/* A small message sent after a large one arrives first (they share the link) and is still received
 * second. */
static void no_overtaking(void)
{
	MPI_Status status;

	if (rank == 0) {
		MPI_Send(buf, 1000, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
		MPI_Send(buf, 10, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
	} else if (rank == 1) {
		int n;

		MPI_Recv(buf, 1000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_BYTE, &n);
		expect("first message", n, 1000);
		/* bytes 100 us alone, then 20 us for 10 B each, then alone: 1000 B + 10 B in all
		 * from 1.1 ms on */
		expect_ms("large one", 0.1 + 1 + 1.01 + 0.1);
		MPI_Recv(buf, 1000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_BYTE, &n);
		expect("second message", n, 10);
		expect_ms("small one", 0.1 + 1 + 1.01 + 0.2);
	}
}

/* A wildcard receive takes what arrives first, whoever is the lower rank. */
static void wildcard_takes_first_arrival(void)
{
	MPI_Status status;

	if (rank == 1)
		mpisim_add_compute_time(0.005);
	if (rank == 1 || rank == 2) {
		MPI_Send(buf, 100, MPI_BYTE, 0, rank, MPI_COMM_WORLD);
	} else if (rank == 0) {
		MPI_Recv(buf, 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		expect("first", status.MPI_SOURCE, 2);
		MPI_Recv(buf, 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		expect("second", status.MPI_SOURCE, 1);
	}
}

/* Polling ends when the message is there: arrival 1.2 ms after the send at 5 ms, then o. */
static void polling(void)
{
	if (rank == 0) {
		mpisim_add_compute_time(0.005);
		MPI_Send(buf, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Request request;
		int flag = 0;

		MPI_Irecv(buf, 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		while (!flag)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		expect_ms("test succeeds", 5 + 0.1 + 1 + 0.1 + 0.1);
	}
}

/* A time-out is noticed at most 1 ms late although nothing ever arrives. */
static void polling_with_time_out(void)
{
	int flag = 0;

	if (rank != 1)
		return;
	while (!flag && MPI_Wtime() < 0.1)
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	expect("nothing came", flag, 0);
	expect("at most 1 ms late", MPI_Wtime() < 0.1011, 1);
}

/* The same when the program looks at another clock. */
static void polling_with_time_out_by_another_clock(void)
{
	struct timespec now = {0};
	int flag = 0;

	if (rank != 1)
		return;
	while (!flag && now.tv_nsec < 100000000) {
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	expect("both clocks are the simulated one", now.tv_sec == 0 && MPI_Wtime() >= 0.1, 1);
	expect("at most 1 ms late", MPI_Wtime() < 0.1011, 1);
}

/* Nothing but reading a clock until the time has come ends, too, at most 1 ms late. */
static void spinning_on_a_clock(void)
{
	double before, after;

	if (rank != 1)
		return;
	while ((after = MPI_Wtime()) < 0.1)
		;
	expect("at most 1 ms late", after < 0.1011, 1);
	before = MPI_Wtime();
	while ((after = MPI_Wtime()) == before)
		;
	expect("resolution is found", after > before, 1);
}

/* A finite number of polls without a look at the clock ends, too. */
static void polling_gives_up(void)
{
	int flag;

	if (rank == 1)
		for (int i = 0; i < 100; i++)
			MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Sends of the nonblocking kind cost o each, one after the other; so do receives that are waited
 * for together. */
static void overheads_add_up(void)
{
	MPI_Request requests[3];

	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			MPI_Isend(buf, 0, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
		expect_ms("three sends", 0.3);
	} else if (rank == 1) {
		for (int i = 0; i < 3; i++)
			MPI_Irecv(buf, 0, MPI_BYTE, 0, 2 - i, MPI_COMM_WORLD, &requests[i]);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
		expect_ms("taken as they arrive, at 1.1, 1.2, 1.3 ms", 1.3 + 0.1);
	}
}

/* Truncation is an error of the receive; the run goes on under MPI_ERRORS_RETURN. */
static void truncation(void)
{
	MPI_Status status;
	int n;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Send(buf, 20, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		expect("class", MPI_Recv(buf, 10, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status),
		       MPI_ERR_TRUNCATE);
		MPI_Get_count(&status, MPI_BYTE, &n);
		expect("what fits", n, 10);
	}
}

/* Looks for several things between steps of computation: no look makes the rank wait. 10 times 1
 * ms. */
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

/* Computation in small pieces with looks in between goes on: 1000 times 0.1 us, the message is
 * there after 1.3 ms. */
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

static double duplicate_ms(double begin_ms)
{
	MPI_Comm comm;

	compute_until_ms(begin_ms);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_free(&comm);
	return MPI_Wtime() * 1e3 - begin_ms;
}

/* Everybody knows who is in a grid or a graph: it takes what a duplicate takes. */
static void grids_agree(void)
{
	const int dims[] = {3}, fewer[] = {2}, periods[] = {0}, ends[] = {1, 2}, edges[] = {1, 0};
	double each_ms = duplicate_ms(100);
	MPI_Comm comm;
	int n;

	compute_until_ms(200);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
	expect_ms("grid of all", 200 + each_ms);
	MPI_Comm_free(&comm);
	compute_until_ms(300);
	MPI_Cart_create(MPI_COMM_WORLD, 1, fewer, periods, 0, &comm);
	expect_ms("grid of some", 300 + each_ms);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	compute_until_ms(400);
	MPI_Graph_create(MPI_COMM_WORLD, 2, ends, edges, 0, &comm);
	expect_ms("graph of some", 400 + each_ms);
	expect("in the graph", comm != MPI_COMM_NULL, rank < 2);
	if (comm == MPI_COMM_NULL)
		return;
	MPI_Comm_size(comm, &n);
	expect("size of the graph", n, 2);
	MPI_Comm_free(&comm);
}

/* A split takes what an allgather of everybody's colour and key takes. */
static void split_tells_all(void)
{
	int wish[2] = {0, -rank}, wishes[6];
	double each_ms;
	MPI_Comm comm;
	int place;

	compute_until_ms(100);
	MPI_Allgather(wish, 2, MPI_INT, wishes, 2, MPI_INT, MPI_COMM_WORLD);
	each_ms = MPI_Wtime() * 1e3 - 100;
	compute_until_ms(200);
	MPI_Comm_split(MPI_COMM_WORLD, wish[0], wish[1], &comm);
	expect_ms("split", 200 + each_ms);
	MPI_Comm_rank(comm, &place);
	expect("place by key", place, 2 - rank);
	MPI_Comm_free(&comm);
}

static const struct test_case cases[] = {
    {"grids_agree", grids_agree},
    {"split_tells_all", split_tells_all},
    {"eager", eager},
    {"late_receiver", late_receiver},
    {"rendezvous", rendezvous},
    {"rendezvous_late_receiver", rendezvous_late_receiver},
    {"rendezvous_into_holes", rendezvous_into_holes},
    {"synchronous", synchronous},
    {"no_overtaking", no_overtaking},
    {"wildcard_takes_first_arrival", wildcard_takes_first_arrival},
    {"polling", polling},
    {"polling_with_time_out", polling_with_time_out},
    {"polling_with_time_out_by_another_clock", polling_with_time_out_by_another_clock},
    {"spinning_on_a_clock", spinning_on_a_clock},
    {"polling_gives_up", polling_gives_up},
    {"overheads_add_up", overheads_add_up},
    {"looks_at_several_things", looks_at_several_things},
    {"looks_between_small_pieces", looks_between_small_pieces},
    {"loop_over_requests", loop_over_requests},
    {"time_out_of_two_looks", time_out_of_two_looks},
    {"two_that_look_for_each_other", two_that_look_for_each_other},
    {"truncation", truncation},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
