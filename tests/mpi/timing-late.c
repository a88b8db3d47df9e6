/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that tell what the rank knew before (docs/model.md §3, protocol.late_answers), against
 * derivations by hand on timing.yaml: L = 1 ms, b = 1 byte per us, o = 100 us, eager up to 1000 B,
 * control messages of no size; what each case adds stands in meson.build. Run as `timing-late CASE`
 * on 3 ranks, one per node, --compute modelled; exit 1 when a time or an answer is wrong.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdbool.h>

#include "tests/mpi/cases.h"

static char buf[2000];

/* 500 B to rank 1, there after 0.1 + 1 + 0.5 = 1.6 ms, and from rank 2 at 2.1 ms. */
static void send_two(void)
{
	if (rank == 2)
		compute_until_ms(0.5);
	MPI_Send(buf, 500, MPI_BYTE, 1, rank, MPI_COMM_WORLD);
}

/* On rank 1: posts the receives of both. False: the others, who send. */
static bool receive_two(MPI_Request requests[2])
{
	if (rank != 1) {
		send_two();
		return false;
	}
	MPI_Irecv(buf, 500, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(buf + 500, 500, MPI_BYTE, 2, 2, MPI_COMM_WORLD, &requests[1]);
	return true;
}

static int probes(int source)
{
	int flag = -1;

	MPI_Iprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static void receive(int source)
{
	MPI_Recv(buf, 500, MPI_BYTE, source, source, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The first probe finds one message, the second, which tells of it, has not looked for the other. */
static void probes_tell_what_was_known(void)
{
	if (rank != 1) {
		send_two();
		return;
	}
	compute_until_ms(2);
	expect("first probe", probes(0), 0);
	compute_until_ms(5);
	expect("second probe", probes(0), 1);
	expect("probe for the other", probes(2), 0);
	expect("again", probes(2), 1);
	expect_ms("probed", 5);
	receive(0);
	receive(2);
	expect_ms("received", 5.2);
	MPI_Send(buf, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
	expect("own message", probes(1), 1);
	receive(1);
}

enum test { TESTALL, TESTANY, TESTSOME, TEST };

/* How many of two requests the test tells of. */
static int test(enum test kind, MPI_Request requests[2])
{
	int n = 0, indices[2], flag = 0;

	switch (kind) {
	case TESTALL:
		MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
		return 2 * flag;
	case TESTANY:
		MPI_Testany(2, requests, indices, &flag, MPI_STATUS_IGNORE);
		return flag;
	case TESTSOME:
		MPI_Testsome(2, requests, &n, indices, MPI_STATUSES_IGNORE);
		return n;
	case TEST:
		MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
		return flag;
	}
	return -1;
}

/* A test that knew of nothing takes what has come, 0.1 ms each, and says no. */
static void test_twice(enum test kind, int first, int second)
{
	MPI_Request requests[2];

	if (!receive_two(requests))
		return;
	compute_until_ms(5);
	expect("first test", test(kind, requests), first);
	expect_ms("first test", kind == TEST ? 5.1 : 5.2);
	expect("second test", test(kind, requests), second);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	expect_ms("all", 5.2);
}

static void testall_is_late(void)
{
	test_twice(TESTALL, 0, 2);
}

static void testany_is_late(void)
{
	test_twice(TESTANY, 0, 1);
}

static void testsome_is_late(void)
{
	test_twice(TESTSOME, 0, 2);
}

static void test_looks_first(void)
{
	test_twice(TEST, 1, 1);
}

static void testsome_looks_first(void)
{
	test_twice(TESTSOME, 2, MPI_UNDEFINED);
}

/* The first test takes one message and says no, the second tells of it and leaves the other. */
static void what_is_known_is_told_alone(void)
{
	MPI_Request requests[2];

	if (!receive_two(requests))
		return;
	compute_until_ms(1.7);
	expect("first test", test(TESTSOME, requests), 0);
	compute_until_ms(5);
	expect("second test", test(TESTSOME, requests), 1);
	expect_ms("second test", 5);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	expect_ms("all", 5.1);
}

static void testsome_is_late_without_overheads(void)
{
	MPI_Request request;
	int n = -1, index;

	if (rank != 1) {
		send_two();
		return;
	}
	MPI_Irecv(buf, 500, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
	compute_until_ms(5);
	MPI_Testsome(1, &request, &n, &index, MPI_STATUSES_IGNORE);
	expect("first test", n, 0);
	MPI_Testsome(1, &request, &n, &index, MPI_STATUSES_IGNORE);
	expect("second test", n, 1);
	expect_ms("tested", 5);
	receive(2);
}

/* Messages of both are there at 1.1 ms, when rank 1 looks because rank 0's wakes it: it knows of rank
 * 2's from then on. */
static void what_comes_when_a_rank_looks_is_known(void)
{
	MPI_Request request;
	int index, flag = -1;

	if (rank != 1) {
		MPI_Send(buf, 0, MPI_BYTE, 1, rank, MPI_COMM_WORLD);
		MPI_Send(buf, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(buf, 0, MPI_BYTE, 2, 2, MPI_COMM_WORLD, &request);
	receive(0);
	expect_ms("received", 1.2);
	MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
	expect("known", flag, 1);
	expect_ms("tested", 1.3);
	for (int i = 0; i < 4; i += 2)
		MPI_Recv(buf, 0, MPI_BYTE, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void a_probe_knows_what_came_when_the_rank_looked(void)
{
	if (rank != 1) {
		MPI_Send(buf, 0, MPI_BYTE, 1, rank, MPI_COMM_WORLD);
		return;
	}
	receive(0);
	expect("known", probes(2), 1);
	receive(2);
}

/* The clear to send is there at 2.1 ms, the message from rank 2 at 1.6 ms. A wait for any that knows
 * of a message does not look, and the bulk stays until the next call; one that does not starts it. */
static void wait_any(double looks_ms, double done_ms)
{
	MPI_Request send, recv;
	int index;

	if (rank == 2)
		MPI_Send(buf, 500, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank != 0)
		return;
	MPI_Irecv(buf, 500, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &recv);
	MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &send);
	compute_until_ms(looks_ms);
	expect("probe", probes(1), 0);
	compute_until_ms(5);
	MPI_Waitany(1, &recv, &index, MPI_STATUS_IGNORE);
	expect_ms("any", 5.1);
	compute_until_ms(10);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	expect_ms("send", done_ms);
}

static void a_wait_that_knows_does_not_look(void)
{
	wait_any(1.8, 10 + 1 + 2);
}

static void a_wait_that_does_not_know_looks(void)
{
	wait_any(1.5, 10);
}

/* A message whose data have to be unpacked is complete when its receiver waits for it, which lets
 * the bulk of another one go; also where nothing has memory and there is nothing to unpack. */
static void holes_are_filled_in_a_wait_without_overheads(void)
{
	MPI_Request send, recv;
	MPI_Datatype holes;

	if (rank == 0)
		MPI_Send(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Recv(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank != 1)
		return;
	MPI_Type_vector(500, 1, 2, MPI_BYTE, &holes);
	MPI_Type_commit(&holes);
	MPI_Irecv(buf, 1, holes, 0, 0, MPI_COMM_WORLD, &recv);
	MPI_Isend(buf, 2000, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &send);
	compute_until_ms(5);
	MPI_Wait(&recv, MPI_STATUS_IGNORE);
	compute_until_ms(10);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	expect_ms("send", 10);
	MPI_Type_free(&holes);
}

/* A call that has something to tell does not look (progress: in_waiting): what a rank sends to
 * itself it knows all the same, a rendezvous, too. */
static void own_messages_are_known(void)
{
	MPI_Request requests[2], send;
	int n, indices[2];
	char in[1500];

	if (rank == 2)
		MPI_Recv(buf, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank != 1)
		return;
	MPI_Isend(buf, 1, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &requests[0]);
	compute_until_ms(5);
	MPI_Isend(buf, 1500, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &send);
	MPI_Irecv(in, 1500, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Testsome(2, requests, &n, indices, MPI_STATUSES_IGNORE);
	expect("complete", n, 2);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static const struct test_case cases[] = {
    {"probes_tell_what_was_known", probes_tell_what_was_known},
    {"testall_is_late", testall_is_late},
    {"testany_is_late", testany_is_late},
    {"testsome_is_late", testsome_is_late},
    {"testsome_is_late_without_overheads", testsome_is_late_without_overheads},
    {"what_is_known_is_told_alone", what_is_known_is_told_alone},
    {"holes_are_filled_in_a_wait_without_overheads", holes_are_filled_in_a_wait_without_overheads},
    {"test_looks_first", test_looks_first},
    {"testsome_looks_first", testsome_looks_first},
    {"what_comes_when_a_rank_looks_is_known", what_comes_when_a_rank_looks_is_known},
    {"a_probe_knows_what_came_when_the_rank_looked", a_probe_knows_what_came_when_the_rank_looked},
    {"a_wait_that_knows_does_not_look", a_wait_that_knows_does_not_look},
    {"a_wait_that_does_not_know_looks", a_wait_that_does_not_know_looks},
    {"own_messages_are_known", own_messages_are_known},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
