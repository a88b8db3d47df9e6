/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What still leaves while the sender makes no progress, and which calls make some (docs/model.md
 * §3), against derivations by hand as in timing-protocols.c; the cases have connections,
 * `progress: in_mpi` and `unattended_send: 500` where meson.build says nothing else.
 */
#include <mpi.h>
#include <mpisim.h>

#include "tests/mpi/cases.h"

static char buf[100000];

static void receive_until_ms(int size_B, double ms)
{
	MPI_Recv(buf, size_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	expect_ms("receive", ms);
}

static MPI_Request isend(int size_B)
{
	MPI_Request request;

	MPI_Isend(buf, size_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
	return request;
}

/* The test at 10 ms starts the bulk, whose bytes are under way from 11 ms on: 500 leave. The other
 * 1500 go in the wait. */
static void bulk_stalls(void)
{
	MPI_Request request;
	int is_done = 1;

	if (rank == 0) {
		request = isend(2000);
		compute_until_ms(10);
		MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		expect("done", is_done, 0);
		compute_until_ms(20);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 20 + 1.5);
	} else if (rank == 1) {
		receive_until_ms(2000, 20 + 1.5 + 0.1);
	}
}

/* A rank that waits for its bulk lets all of it pass, and what is sent to another rank, too, which
 * stalls when it computes again: 500 B of 800 on half of the link from 3.1 to 4.1 ms. */
static void what_is_under_way_stalls(void)
{
	MPI_Request request;

	if (rank == 0) {
		MPI_Isend(buf, 900, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &request);
		MPI_Send(buf, 1100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		/* to rank 2 400 B by 1.5 ms, 500 by 2 ms in the wait; the bulk: 3.2 to 4.3 ms */
		expect_ms("send", 0.2 + 1 + 1 + 1 + 1.1);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Isend(buf, 800, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		compute_until_ms(20);
	} else if (rank == 1) {
		receive_until_ms(1100, 4.3 + 0.1);
		receive_until_ms(800, 10 + 0.3 + 0.1);
	} else {
		receive_until_ms(900, 0.1 + 1 + 0.9 + 0.1);
	}
}

/* The last 500 B of an eager send leave when the sender looks at 10 ms. */
static void eager_leaves_in_parts(void)
{
	MPI_Request request;

	if (rank == 0) {
		request = isend(1000);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		compute_until_ms(20);
	} else if (rank == 1) {
		receive_until_ms(1000, 10 + 0.5 + 0.1);
	}
}

/* A blocking one does not return before the system has all of it, when half of it has arrived. */
static void blocking_send_leaves_as_a_whole(void)
{
	if (rank == 0) {
		MPI_Send(buf, 1000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("send", 0.1 + 1 + 0.5);
		compute_until_ms(20);
	} else if (rank == 1) {
		receive_until_ms(1000, 0.1 + 1 + 1 + 0.1);
	}
}

/* unattended_send {new: 500, used: 2000}: by what was carried before, sqrt(500 × 1000) = 707. */
static void by_what_was_carried(void)
{
	MPI_Request request;

	if (rank == 0) {
		request = isend(1000);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		compute_until_ms(20);
		request = isend(700);
		compute_until_ms(30);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		receive_until_ms(1000, 10 + 0.5 + 0.1);
		receive_until_ms(700, 20 + 0.1 + 1 + 0.7 + 0.1);
	}
}

/* unattended_send {new: 500, used: 600}: no more than 600, whatever was carried. */
static void no_more_than_of_a_used_one(void)
{
	MPI_Request request;

	if (rank == 0) {
		request = isend(1000);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		compute_until_ms(20);
		request = isend(700);
		compute_until_ms(30);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		receive_until_ms(1000, 10 + 0.5 + 0.1);
		receive_until_ms(700, 30 + 0.1 + 0.1);
	}
}

/* The second message fits beside what the system still has of the first, 300 and 200 B. */
static void the_system_takes_what_fits(void)
{
	MPI_Request requests[2];

	if (rank == 0) {
		requests[0] = isend(300);
		requests[1] = isend(200);
		compute_until_ms(10);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	} else if (rank == 1) {
		receive_until_ms(300, 0.1 + 1 + 0.3 + 0.1);
		receive_until_ms(200, 0.1 + 1 + 0.3 + 0.2 + 0.1);
	}
}

/* The clear to send is there at 2.2 ms. Waiting at 10 ms for a message to itself that is complete
 * makes progress with in_mpi, none with in_waiting: then the bulk starts at 20 ms. */
static void send_and_wait_for_itself(double end_ms)
{
	MPI_Request request, to_itself[2];

	if (rank == 0) {
		request = isend(2000);
		compute_until_ms(10);
		MPI_Irecv(buf + 5000, 10, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &to_itself[0]);
		MPI_Isend(buf, 10, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &to_itself[1]);
		expect_ms("sent to itself", 10 + 0.1);
		MPI_Waitall(2, to_itself, MPI_STATUSES_IGNORE);
		compute_until_ms(20);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", end_ms);
	} else if (rank == 1) {
		receive_until_ms(2000, end_ms + 0.1);
	}
}

static void complete_waits_make_progress(void)
{
	send_and_wait_for_itself(20 + 1.5);
}

static void complete_waits_make_none(void)
{
	send_and_wait_for_itself(20 + 1 + 2);
}

/* The request is there at 1.1 ms, but nobody looks before the wait at 20 ms. */
static void posting_a_receive_is_no_look(void)
{
	MPI_Request request;

	if (rank == 0) {
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("send", 20 + 1 + 1 + 2);
	} else if (rank == 1) {
		compute_until_ms(10);
		MPI_Irecv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(20);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 20 + 1 + 1 + 2 + 0.1);
	}
}

/* Rank 2's request is there at 1.1 ms, when rank 0's message wakes rank 1: the receive that is posted
 * at 1.2 ms, after o, knows of it. */
static void a_receive_knows_of_what_came_at_the_last_look(void)
{
	MPI_Request request;

	if (rank == 0)
		MPI_Send(buf, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	if (rank == 2) {
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("send", 1.2 + 1 + 1 + 2);
	}
	if (rank != 1)
		return;
	MPI_Recv(buf, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	expect_ms("received", 1.2);
	MPI_Irecv(buf, 2000, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &request);
	compute_until_ms(20);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*
 * send_buffer: unattended, with {new: 500, used: 1000}: the first bulk's
 * bytes start at 3.1 ms. When 1220 of them have passed the system takes sqrt(500 × 1220) = 781 more:
 * all that is left. The second one meets a connection that has carried 2000: 1000 are taken.
 */
static void sends_leave_what_the_system_takes(void)
{
	if (rank == 0) {
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("first send", 3.1 + 1.22);
		compute_until_ms(10);
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("second send", 10 + 3.1 + 1);
	} else if (rank == 1) {
		MPI_Recv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("second receive", 10 + 3.1 + 2 + 0.1);
	}
}

/* send_buffer: unattended. The bulk's bytes are under way from 3.1 ms on. What is missing when the
 * send returns leaves while its rank computes. */
static void leave_what_was_handed(double send_ms, double receive_ms)
{
	if (rank == 0) {
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("send", send_ms);
		compute_until_ms(20);
	} else if (rank == 1) {
		receive_until_ms(2000, receive_ms);
	}
}

/* {new: 500, used: 1000}: when 1220 B have passed the system takes the other 780. */
static void a_returned_send_goes_on(void)
{
	leave_what_was_handed(3.1 + 1.22, 3.1 + 2 + 0.1);
}

/* Within a node, where nothing takes time, nothing is left behind: the clear to send is there at 0.1
 * ms, and so is all. */
static void within_a_node_nothing_stalls(void)
{
	leave_what_was_handed(0.1, 0.1 + 0.1);
}

/* The same with packets of 500 B, which take half a millisecond on each of two links: the third
 * brings it to 1500 B. */
static void a_returned_send_goes_on_as_packets(void)
{
	leave_what_was_handed(3.1 + 1.5 + 0.5, 3.1 + 2 + 0.5 + 0.1);
}

/*
 * Packets of 200 B. Rank 0 waits for rank 2's message until 3.4 ms, and nothing limits it: the six
 * packets of the bulk, fewer than the first window holds, are on their way at 3.1 ms, and the first
 * one arrives at 3.5. The others follow whatever the rank does: the send is complete when it leaves,
 * and forgets the message, whose place in memory rank 2's second one takes.
 */
static void what_packets_were_sent_is_the_systems(void)
{
	MPI_Request request;
	int is_done = 0;

	if (rank == 0) {
		request = isend(1100);
		MPI_Recv(buf + 5000, 1, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute_until_ms(20);
		MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		expect("done", is_done, 1);
	} else if (rank == 1) {
		receive_until_ms(1100, 3.1 + 1.1 + 0.2 + 0.1);
		compute_until_ms(30);
		MPI_Recv(buf, 2000, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		compute_until_ms(2.2);
		MPI_Send(buf, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		compute_until_ms(10);
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	}
}

/*
 * The system takes 500 B beyond those that have arrived. The second of four sends of 400 B returns
 * when 300 B have: 1.1 + 0.3 ms; the third one starts at 1.5 ms and returns when 700 B have, at 1.8
 * ms. Its bytes are under way from 2.5 ms on, and after 300 of them the fourth one returns. As
 * packets of 100 B each arrives 0.1 ms later: 1.5 ms, then 1.9, and from 2.6 on 0.3 + 0.1 ms.
 */
static void send_four(const double ends_ms[4])
{
	for (int k = 0; k < 4 && rank == 0; k++) {
		MPI_Send(buf, 400, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("send", ends_ms[k]);
	}
	for (int k = 0; k < 4 && rank == 1; k++)
		MPI_Recv(buf, 400, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		compute_until_ms(20);
}

static void full_buffers_hold_senders_up(void)
{
	send_four((double[]){0.1, 1.4, 1.8, 2.8});
}

static void full_buffers_hold_senders_up_as_packets(void)
{
	send_four((double[]){0.1, 1.5, 1.9, 3});
}

/* At 1.3 ms 200 B have arrived, and the system has 700; at 1.7 ms 600, and it takes the rest. Then
 * nothing holds the send any more. */
static void sends_are_complete_when_handed_over(void)
{
	MPI_Request request;
	int is_done = 1;

	if (rank == 0) {
		request = isend(1000);
		compute_until_ms(1.3);
		MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		expect("done at 1.3 ms", is_done, 0);
		compute_until_ms(1.7);
		MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		expect("done at 1.7 ms", is_done, 1);
		compute_until_ms(10);
		request = isend(1000);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 10 + 0.1 + 1 + 0.5);
		compute_until_ms(20);
	} else if (rank == 1) {
		receive_until_ms(1000, 0.1 + 1 + 1 + 0.1);
		receive_until_ms(1000, 10 + 0.1 + 1 + 1 + 0.1);
	}
}

/*
 * unattended_receive: 300. 300 B arrive while the receiver computes, from 1.1 ms on, and the other
 * 700 from 10 ms on; the send waits for the first 200 of them. The buffer was full, and grows: the
 * second message is there before the receiver is. As packets of 100 B all is 0.1 ms later.
 */
static void send_to_one_who_computes(double packet_ms)
{
	if (rank == 0) {
		MPI_Send(buf, 1000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("first send", 10 + 0.2 + packet_ms);
		compute_until_ms(12);
		MPI_Send(buf, 1000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("second send", 12 + 0.1 + 1 + 0.5 + packet_ms);
		compute_until_ms(30);
	} else if (rank == 1) {
		compute_until_ms(10);
		receive_until_ms(1000, 10 + 0.7 + packet_ms + 0.1);
		compute_until_ms(20);
		receive_until_ms(1000, 20 + 0.1);
	}
}

static void a_receiver_that_computes_fills_up(void)
{
	send_to_one_who_computes(0);
}

static void a_receiver_that_computes_fills_up_with_packets(void)
{
	send_to_one_who_computes(0.1);
}

/* A request that is freed, or whose rank finalizes, goes on without anybody. */
static void sends_are_forgotten(void)
{
	MPI_Request request;

	if (rank == 0) {
		request = isend(1000);
		MPI_Request_free(&request);
		isend(1000);
	} else if (rank == 1) {
		receive_until_ms(1000, 0.1 + 1 + 1 + 0.1);
		receive_until_ms(1000, 0.1 + 1 + 2 + 0.1);
	}
}

/* The bulk may start at 2.1 ms, which is when the send returns (send_buffer), and is on its way
 * until 5.1 ms. A byte sent next comes behind it; one to another rank does not: 2.2 + 0.1 ms, then
 * 1 ms, and half of the link for 1 us. */
static void order_per_pair(void)
{
	MPI_Request requests[2];

	if (rank == 0) {
		MPI_Send(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Send(buf, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		MPI_Send(buf, 1, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Irecv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(buf + 50000, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		/* The byte sent to rank 2 took 1 us of the link; the overhead of the first receive,
		 * 0.1 ms, is over later than the byte comes. */
		expect_ms("waitall", 5.1 + 0.001 + 0.1 + 0.1);
	} else {
		MPI_Recv(buf, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("to another rank", 2.3 + 1 + 0.002 + 0.1);
	}
}

static const struct test_case cases[] = {
    {"order_per_pair", order_per_pair},
    {"bulk_stalls", bulk_stalls},
    {"what_is_under_way_stalls", what_is_under_way_stalls},
    {"eager_leaves_in_parts", eager_leaves_in_parts},
    {"blocking_send_leaves_as_a_whole", blocking_send_leaves_as_a_whole},
    {"by_what_was_carried", by_what_was_carried},
    {"no_more_than_of_a_used_one", no_more_than_of_a_used_one},
    {"sends_leave_what_the_system_takes", sends_leave_what_the_system_takes},
    {"a_returned_send_goes_on", a_returned_send_goes_on},
    {"a_returned_send_goes_on_as_packets", a_returned_send_goes_on_as_packets},
    {"what_packets_were_sent_is_the_systems", what_packets_were_sent_is_the_systems},
    {"within_a_node_nothing_stalls", within_a_node_nothing_stalls},
    {"full_buffers_hold_senders_up", full_buffers_hold_senders_up},
    {"full_buffers_hold_senders_up_as_packets", full_buffers_hold_senders_up_as_packets},
    {"sends_are_complete_when_handed_over", sends_are_complete_when_handed_over},
    {"a_receiver_that_computes_fills_up", a_receiver_that_computes_fills_up},
    {"a_receiver_that_computes_fills_up_with_packets",
     a_receiver_that_computes_fills_up_with_packets},
    {"sends_are_forgotten", sends_are_forgotten},
    {"the_system_takes_what_fits", the_system_takes_what_fits},
    {"complete_waits_make_progress", complete_waits_make_progress},
    {"complete_waits_make_none", complete_waits_make_none},
    {"posting_a_receive_is_no_look", posting_a_receive_is_no_look},
    {"a_receive_knows_of_what_came_at_the_last_look",
     a_receive_knows_of_what_came_at_the_last_look},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
