/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When calls return under the protocols of real libraries (docs/model.md §3), against derivations
 * by hand on timing.yaml: L = 1 ms, b = 1 byte per us, o = 100 us, eager up to 1000 B, control
 * messages of no size; what each case adds stands in meson.build. Run as `timing-protocols CASE` on
 * 3 ranks, one per node, --compute modelled; exit 1 when a time is off by more than 10 ps or data
 * is wrong.
 */
#include "tests/mpi/bytes.h"

/* Sender: 200 us. Receiver: 300 us + 500 × 0.2 us. A rendezvous has no bytes before
 * the match: only 200 us and 300 us. */
static void overheads(void)
{
	if (rank == 0) {
		send(500);
		expect_ms("eager send", 0.2);
		compute_until_ms(10);
		send(2000);
		expect_ms("rendezvous send", 10 + 0.2 + 1 + 1 + 1 + 2);
	} else if (rank == 1) {
		receive(500);
		expect_ms("eager receive", 0.2 + 1 + 0.5 + 0.3 + 0.1);
		receive(2000);
		expect_ms("rendezvous receive", 10 + 0.2 + 1 + 1 + 1 + 2 + 0.3);
	}
}

/* Isend, compute, Wait. The clear to send is there at 2.1 ms. async: the bulk goes at once. */
static void isend_compute_async(void)
{
	MPI_Request request;

	if (rank == 0) {
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 10);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 0.1 + 1 + 1 + 1 + 2 + 0.1);
	}
}

/* send_buffer 500: the bulk is under way from 2.1 ms, its bytes from 3.1 ms; all but 500 are there
 * at 4.6 ms. */
static void send_buffer(void)
{
	MPI_Datatype pairs;

	if (rank == 0) {
		fill(2000, 1);
		send(2000);
		expect_ms("send", 0.1 + 1 + 1 + 1 + 1.5);
		fill(2000, 2);
		compute_until_ms(10);
		send(2000);
		fill(2000, 3); /* the receiver unpacks later */
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 0.1 + 1 + 1 + 1 + 2 + 0.1);
		expect_data(2000, 1);
		MPI_Type_vector(1000, 2, 4, MPI_BYTE, &pairs);
		MPI_Type_commit(&pairs);
		MPI_Recv(buf, 1, pairs, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("second receive", 10 + 0.1 + 1 + 1 + 1 + 2 + 0.1);
		for (int i = 0; i < 2000; i++)
			buf[i] = buf[i / 2 * 4 + i % 2];
		expect_data(2000, 2);
		MPI_Type_free(&pairs);
	}
}

/* The buffer takes all of it: the send returns when its bytes may start, at 2.1 ms. */
static void send_buffer_takes_all(void)
{
	if (rank == 0) {
		fill(2000, 1);
		send(2000);
		expect_ms("send", 0.1 + 1 + 1);
		fill(2000, 2);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 0.1 + 1 + 1 + 1 + 2 + 0.1);
		expect_data(2000, 1);
	}
}

/* send_buffer [{from: 0, size: 500}, {from: 3000, size: 1000}]: by the size of the message. */
static void send_buffer_by_size(void)
{
	if (rank == 0) {
		send(2999);
		expect_ms("send of 2999", 0.1 + 1 + 1 + 1 + 2.499);
		compute_until_ms(10);
		send(3000);
		expect_ms("send of 3000", 10 + 0.1 + 1 + 1 + 1 + 2);
	} else if (rank == 1) {
		receive(2999);
		receive(3000);
	}
}

/* request_data 500: the request takes L + 500 us, the bulk is 500 B less. */
static void request_data(void)
{
	if (rank == 0) {
		send(2000);
		expect_ms("send", 0.1 + 1 + 0.5 + 1 + 1 + 1.5);
		send(2000);
		expect_ms("second send", 10 + 1 + 1 + 1.5);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 0.1 + 1 + 0.5 + 1 + 1 + 1.5 + 0.1);
		compute_until_ms(10);
		receive(2000);
		expect_ms("late receive", 10 + 1 + 1 + 1.5 + 0.1);
	}
}

/* Eager: there at 0.1 + 1 + 0.5 ms, and 1 ms later the sender knows. */
static void synchronous_is_acknowledged(void)
{
	if (rank == 0) {
		fill(500, 4);
		MPI_Ssend(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		expect_ms("synchronous send", 0.1 + 1 + 0.5 + 1);
	} else if (rank == 1) {
		receive(500);
		expect_ms("receive", 0.1 + 1 + 0.5 + 0.1);
		expect_data(500, 4);
	}
}

/* Everything is there at 0.1 + 1 + 1 + 1 + 2 ms, 1 ms later the sender knows, 1 ms later the receiver. */
static void rendezvous_is_acknowledged(void)
{
	if (rank == 0) {
		fill(2000, 5);
		send(2000);
		expect_ms("send", 6.1);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 7.1 + 0.1);
		expect_data(2000, 5);
	}
}

static const struct test_case cases[] = {
    {"overheads", overheads},
    {"isend_compute_async", isend_compute_async},
    {"send_buffer", send_buffer},
    {"send_buffer_takes_all", send_buffer_takes_all},
    {"send_buffer_by_size", send_buffer_by_size},
    {"request_data", request_data},
    {"synchronous_is_acknowledged", synchronous_is_acknowledged},
    {"rendezvous_is_acknowledged", rendezvous_is_acknowledged},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
