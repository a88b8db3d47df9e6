/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the data of a message lie until its receive has them (mpi/p2p/message.h): with the sender, in
 * the message, or in the receive's buffer already. No rank may see the difference. On timing.yaml;
 * `lending CASE` on 3 ranks, one per node, --compute modelled.
 */
#include <mpi.h>
#include <mpisim.h>

#include "tests/mpi/cases.h"

static char out[4000], in[4000];

enum { N_ENDINGS = 8, LENT_B = 500 };

/* The ways in which a program learns that its eager send is complete. */
static void end_send(int way, MPI_Request *send)
{
	int flag = 1, n = 0, index;
	MPI_Status status;

	switch (way) {
	case 0:
		MPI_Wait(send, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Waitall(1, send, MPI_STATUSES_IGNORE);
		break;
	case 2:
		MPI_Test(send, &flag, &status);
		break;
	case 3:
		MPI_Request_free(send);
		break;
	case 4:
		MPI_Request_get_status(*send, &flag, MPI_STATUS_IGNORE);
		break;
	case 5:
		MPI_Request_get_status_all(1, send, &flag, MPI_STATUSES_IGNORE);
		break;
	case 6:
		MPI_Request_get_status_some(1, send, &n, &index, MPI_STATUSES_IGNORE);
		break;
	default:
		MPI_Waitany(1, send, &index, &status);
	}
	expect("complete at once", flag, 1);
}

/* Sent, complete and overwritten before the receiver looks: into bytes, and into a type with gaps;
 * half of the receives are there when the message arrives. */
static void buffers_of_complete_sends(void)
{
	MPI_Datatype every_second;
	MPI_Request request;

	MPI_Type_vector(LENT_B, 1, 2, MPI_BYTE, &every_second);
	MPI_Type_commit(&every_second);
	for (int i = 0; i < 4 * N_ENDINGS && rank < 2; i++) {
		int flag = 0, has_gaps = i / N_ENDINGS % 2, is_early = i / N_ENDINGS >= 2;

		if (rank == 0) {
			memset(out, i + 1, LENT_B);
			MPI_Isend(out, LENT_B, MPI_BYTE, 1, i, MPI_COMM_WORLD, &request);
			end_send(i % N_ENDINGS, &request);
			memset(out, 99, LENT_B);
			MPI_Recv(out, 0, MPI_BYTE, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (request != MPI_REQUEST_NULL)
				MPI_Wait(&request, MPI_STATUS_IGNORE);
			continue;
		}
		mpisim_add_compute_time(is_early ? 0 : 0.005);
		MPI_Irecv(in, has_gaps ? 1 : LENT_B, has_gaps ? every_second : MPI_BYTE, 0, i,
			  MPI_COMM_WORLD, &request);
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		expect("is there", flag, !is_early);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect("first", in[0], i + 1);
		expect("last", in[(has_gaps ? 2 : 1) * (LENT_B - 1)], i + 1);
		MPI_Send(in, 0, MPI_BYTE, 0, i, MPI_COMM_WORLD);
	}
	MPI_Type_free(&every_second);
}

/* The same for a persistent send, a message that a probe has matched, and a broadcast. */
static void buffers_of_other_sends(void)
{
	MPI_Message message;
	MPI_Request request;

	if (rank == 0)
		MPI_Send_init(out, LENT_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
	for (int i = 0; i < 2 && rank == 0; i++) {
		memset(out, i + 1, LENT_B);
		MPI_Start(&request);
		if (i == 1) /* rank 1 has matched it */
			mpisim_add_compute_time(0.010);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		memset(out, 99, LENT_B);
	}
	if (rank == 0)
		MPI_Request_free(&request);
	for (int i = 0; i < 2 && rank == 1; i++) {
		MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		mpisim_add_compute_time(0.020);
		MPI_Mrecv(in, LENT_B, MPI_BYTE, &message, MPI_STATUS_IGNORE);
		expect("data", in[LENT_B - 1], i + 1);
	}
	memset(rank == 0 ? out : in, rank == 0 ? 7 : 0, LENT_B);
	mpisim_add_compute_time(rank == 0 ? 0 : 0.1);
	MPI_Bcast(rank == 0 ? out : in, LENT_B, MPI_BYTE, 0, MPI_COMM_WORLD);
	expect("broadcast", rank == 0 ? out[0] : in[LENT_B - 1], 7);
	memset(out, 99, LENT_B);
}

/* Twice two messages of one pair to a rank that waits for both: by blocking sends and by others. */
static void send_twice(void)
{
	MPI_Request requests[2];

	for (int i = 0; i < 4; i++) {
		memset(out, i + 1, LENT_B);
		if (i < 2) {
			MPI_Send(out, LENT_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
			continue;
		}
		MPI_Isend(out, LENT_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i - 2]);
		MPI_Wait(&requests[i - 2], MPI_STATUS_IGNORE);
	}
	memset(out, 99, LENT_B);
}

static void receive_twice(void)
{
	MPI_Request requests[4];

	for (int i = 0; i < 4; i++)
		MPI_Irecv(in + i * LENT_B, LENT_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 4; i++)
		expect("in order", in[i * LENT_B], i + 1);
}

/*
 * What is copied when it is sent, to a rank that waits for it, is where it would be had it been
 * copied at its arrival: of several of one pair, into a receive that is too short, and behind a
 * wildcard that takes another message, which comes first.
 */
static void certain_receives(void)
{
	MPI_Request requests[2];
	MPI_Status status;

	if (rank == 0)
		send_twice();
	else if (rank == 1)
		receive_twice();
	MPI_Barrier(MPI_COMM_WORLD);
	memset(out, rank + 1, LENT_B);
	memset(in, 0, sizeof in);
	if (rank != 1) {
		mpisim_add_compute_time(rank == 0 ? 0.0103 : 0.010);
		MPI_Send(out, LENT_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Send(out, LENT_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(in, LENT_B, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in + LENT_B, LENT_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	expect("by the wildcard", in[0], 3);
	expect("behind the wildcard", in[LENT_B], 1);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	in[0] = in[8] = 77;
	mpisim_add_compute_time(0.010);
	MPI_Recv(in, LENT_B, MPI_BYTE, 2, 1, MPI_COMM_WORLD, &status);
	expect("that had arrived", in[8], 3);
	in[8] = 77;
	expect("too short", MPI_Recv(in, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status),
	       MPI_ERR_TRUNCATE);
	expect("as much as fits", in[7], 1);
	expect("no more", in[8], 77);
}

/* A rank that may go on with one of two receives has the buffer of the other as it was; so has one
 * that computes. */
static void uncertain_receives(void)
{
	MPI_Request requests[2];
	int i, flag;

	memset(out, rank + 1, LENT_B);
	if (rank != 1) {
		mpisim_add_compute_time(rank == 0 ? 0.0103 : 0.010);
		MPI_Send(out, LENT_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		mpisim_add_compute_time(0.010);
		if (rank == 0)
			MPI_Send(out, LENT_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(in, LENT_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(in + LENT_B, LENT_B, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitany(2, requests, &i, MPI_STATUS_IGNORE);
	expect("the first", i, 1);
	expect("on its way", in[0], 0);
	MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
	expect("both", flag, 0);
	expect("still on its way", in[0], 0);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	expect("there", in[0], 1);
	expect("the other", in[LENT_B], 3);
	in[0] = 0;
	MPI_Irecv(in, LENT_B, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]);
	compute_until_ms(21);
	expect("nothing comes while it computes", in[0], 0);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	expect("comes later", in[0], 1);
	MPI_Irecv(in, LENT_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Send(out, LENT_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	expect("from itself", in[0], 2);
}

/* A send that is taken back while it is on its way is never received. */
static void withdrawn_sends(void)
{
	MPI_Request request;
	MPI_Status status;
	int flag = 0, value = 1;

	if (rank == 0) {
		MPI_Issend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
		MPI_Cancel(&request);
		MPI_Wait(&request, &status);
		MPI_Test_cancelled(&status, &flag);
		expect("is cancelled", flag, 1);
		value = 2;
		MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect("what was not cancelled", value, 2);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
	    {"buffers_of_complete_sends", buffers_of_complete_sends},
	    {"buffers_of_other_sends", buffers_of_other_sends},
	    {"certain_receives", certain_receives},
	    {"uncertain_receives", uncertain_receives},
	    {"withdrawn_sends", withdrawn_sends},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
