/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same as in timing-protocols.c where messages go on only while their ranks are in MPI
 * (protocol.progress: in_mpi).
 */
#include "tests/mpi/bytes.h"

/* in_mpi: the bulk starts at Wait. */
static void isend_compute_in_mpi(void)
{
	MPI_Request request;

	if (rank == 0) {
		fill(2000, 3);
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 10 + 1 + 2);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 10 + 1 + 2 + 0.1);
		expect_data(2000, 3);
	}
}

/* in_mpi: a test at 5 ms lets the bulk start; it goes on while the rank computes. Starting another
 * send makes no progress. */
static void tests_make_progress(void)
{
	MPI_Request request, other;
	int flag;

	if (rank == 0) {
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(4);
		MPI_Isend(buf, 10, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &other);
		compute_until_ms(5);
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 10);
		MPI_Wait(&other, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 5 + 1 + 2 + 0.1);
	} else {
		receive(10);
	}
}

/* in_mpi, L = 1.000333 ms: a rank that does nothing but test is in MPI all the time, also between
 * two looks. */
static void polling_makes_progress(void)
{
	MPI_Request request;
	int flag = 0;

	if (rank == 0) {
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		while (!flag)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		expect_ms("test succeeds", 0.1 + 3 * 1.000333 + 2);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 0.1 + 3 * 1.000333 + 2 + 0.1);
	}
}

/* in_mpi: a receive whose message is here already, and that costs nothing, still makes progress for
 * the others. */
static void receives_make_progress(void)
{
	MPI_Request request;

	if (rank == 0) {
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Recv(buf + 50000, 1, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute_until_ms(20);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 20);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 10 + 1 + 2);
	} else {
		MPI_Send(buf, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

/* in_mpi: the request is there at 1.1 ms, the receiver answers when it waits, at 10 ms. */
static void receiver_computes(void)
{
	MPI_Request request;

	if (rank == 0) {
		send(2000);
		expect_ms("send", 10 + 1 + 1 + 2);
	} else if (rank == 1) {
		MPI_Irecv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 10 + 1 + 1 + 2 + 0.1);
	}
}

/* in_mpi: a receive answers at once when a probe has seen the request; the rest needs only the sender,
 * who is in MPI. */
static void late_receiver_computes(void)
{
	MPI_Request request;
	int is_there;

	if (rank == 0) {
		send(2000);
		expect_ms("send", 10 + 1 + 1 + 2);
	} else if (rank == 1) {
		compute_until_ms(10);
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
		MPI_Irecv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(20);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 20 + 0.1);
	}
}

/* in_mpi: both are deferred, one after the other. Rank 1 answers at 5 ms, rank 0 sees it at 10 ms.
 */
static void both_compute(void)
{
	MPI_Request request;
	int flag;

	if (rank == 0) {
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("sender's wait", 10 + 1 + 2);
	} else if (rank == 1) {
		MPI_Irecv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(5);
		MPI_Iprobe(2, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		compute_until_ms(12);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("receiver's wait", 10 + 1 + 2 + 0.1);
	}
}

/* in_mpi: while rank 1 spends the overhead of one message, from 1.6 to 1.7 ms, the request of
 * another one comes; it is seen to afterwards. */
static void steps_wait_for_overheads(void)
{
	MPI_Request requests[2];

	if (rank == 0) {
		mpisim_add_compute_time(
		    0.55e-3); /* the request is there at 0.55 + 0.1 + 1 = 1.65 ms */
		send(2000);
		expect_ms("send", 1.7 + 1 + 1 + 2);
	} else if (rank == 1) {
		MPI_Irecv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(buf + 50000, 500, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		expect_ms("waitall", 1.7 + 1 + 1 + 2 + 0.1);
	} else {
		MPI_Send(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* there at 1.6 ms */
	}
}

/* in_mpi: a send that was freed goes on when its rank finalizes, here at 10 ms, or at once when it
 * has done so before. */
static void finalize_makes_progress(void)
{
	MPI_Request request;

	if (rank == 0 || rank == 2) {
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Request_free(&request);
		if (rank == 0)
			compute_until_ms(10);
	} else {
		MPI_Recv(buf, 2000, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ms("from the rank that is gone", 0.1 + 1 + 1 + 1 + 2 + 0.1);
		receive(2000);
		expect_ms("from the rank that computed", 10 + 1 + 2 + 0.1);
	}
}

/* in_mpi: MPI_Buffer_detach waits for buffered messages, so it makes progress. */
static void detach_makes_progress(void)
{
	static char space[5000];
	void *detached;
	int n;

	if (rank == 0) {
		MPI_Buffer_attach(space, sizeof space);
		MPI_Bsend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		compute_until_ms(10);
		MPI_Buffer_detach(&detached, &n);
		expect_ms("detach", 10 + 1 + 2);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 10 + 1 + 2 + 0.1);
	}
}

/* in_mpi: matched at 1.6 ms, but the receiver says so at 10 ms, and the sender looks at 20 ms; what is matched cannot be cancelled. */
static void acknowledgement_in_mpi(void)
{
	MPI_Request request;
	MPI_Status status;
	int flag = 1;

	if (rank == 0) {
		MPI_Issend(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(5);
		MPI_Cancel(&request);
		MPI_Wait(&request, &status);
		expect_ms("wait", 10 + 1);
		MPI_Test_cancelled(&status, &flag);
		expect("a matched send was cancelled", flag, 0);
		MPI_Issend(buf, 500, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(20);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("second wait", 20);
	} else if (rank == 1) {
		MPI_Irecv(buf, 500, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		receive(500);
	}
}

/* in_mpi: the test at 3 ms clears the first, whose bytes are there at 7 ms; the receiver says so at 10 ms. The
 * second starts at 20 ms; the sender learns of its end at 24 ms and answers at 30 ms. */
static void rendezvous_ends_in_mpi(void)
{
	MPI_Request request;
	int is_done;

	if (rank == 0) {
		send(2000);
		expect_ms("send", 10 + 1);
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(20);
		MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		compute_until_ms(30);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 30);
	} else if (rank == 1) {
		MPI_Irecv(buf, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(3);
		MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("first", 12 + 0.1);
		compute_until_ms(15);
		receive(2000);
		expect_ms("second", 31 + 0.1);
	}
}

/* As Open MPI over TCP: request_data 500, send_buffer 1500, in_mpi. What is left of the message
 * fits into the buffer: Wait at 10 ms returns at once. */
static void all_together(void)
{
	MPI_Request request;

	if (rank == 0) {
		MPI_Isend(buf, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		compute_until_ms(10);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 10);
	} else if (rank == 1) {
		receive(2000);
		expect_ms("receive", 10 + 1 + 1.5 + 0.1);
	}
}

/* in_mpi, and a send buffer that takes all: the first segment of the broadcast leaves as the probe
 * looks, and the next one has to follow: rank 1 sends what is probed when it has them all. */
static void a_probe_lets_collectives_go_on(void)
{
	MPI_Request request;

	fill(rank == 0 ? 100000 : 0, 3);
	MPI_Ibcast(buf, 100000, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	if (rank == 0) {
		compute_until_ms(10);
		MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_data(100000, 3);
	if (rank == 1)
		MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static const struct test_case cases[] = {
    {"isend_compute_in_mpi", isend_compute_in_mpi},
    {"tests_make_progress", tests_make_progress},
    {"polling_makes_progress", polling_makes_progress},
    {"receives_make_progress", receives_make_progress},
    {"receiver_computes", receiver_computes},
    {"late_receiver_computes", late_receiver_computes},
    {"both_compute", both_compute},
    {"steps_wait_for_overheads", steps_wait_for_overheads},
    {"finalize_makes_progress", finalize_makes_progress},
    {"detach_makes_progress", detach_makes_progress},
    {"acknowledgement_in_mpi", acknowledgement_in_mpi},
    {"rendezvous_ends_in_mpi", rendezvous_ends_in_mpi},
    {"all_together", all_together},
    {"a_probe_lets_collectives_go_on", a_probe_lets_collectives_go_on},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
