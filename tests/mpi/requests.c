/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests made of several messages: send-receives, partitioned communication; looking at requests
 * without ending them. Times on timing.yaml: L = 1 ms, b = 1 byte per us, o = 100 us, eager up to
 * 1000 B. `requests CASE` on 3 ranks, one per node, --compute modelled.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>

#include "tests/mpi/cases.h"

static char out[4000], in[4000];

/* Both ways at once: o, L + 0.5 ms, o. Rank 2 is its own neighbour, then has none. */
static void isendrecv(void)
{
	int peer = rank == 2 ? 2 : 1 - rank, flag = 1;
	MPI_Request request;
	MPI_Status status;

	memset(out, rank + 1, sizeof out);
	MPI_Isendrecv(out, 500, MPI_BYTE, peer, 3, in, 600, MPI_BYTE, peer, 3, MPI_COMM_WORLD,
		      &request);
	MPI_Test(&request, &flag, &status);
	expect("is not complete", rank < 2 && flag, 0);
	if (request != MPI_REQUEST_NULL)
		MPI_Wait(&request, &status);
	if (rank < 2)
		expect_ms("exchange", 0.1 + 1.5 + 0.1);
	expect("data", in[499], peer + 1);
	expect("source", status.MPI_SOURCE, peer);
	MPI_Get_count(&status, MPI_BYTE, &flag);
	expect("count", flag, 500);
	MPI_Isendrecv(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, in, 1, MPI_BYTE, MPI_PROC_NULL, 0,
		      MPI_COMM_WORLD, &request);
	MPI_Wait(&request, &status);
	expect("no source", status.MPI_SOURCE, MPI_PROC_NULL);
}

/* Around a ring, in a type with gaps and more than is sent eagerly; freed before it ends. */
static void isendrecv_replace(void)
{
	MPI_Datatype every_second;
	MPI_Request requests[2];

	MPI_Type_vector(1500, 1, 2, MPI_BYTE, &every_second);
	MPI_Type_commit(&every_second);
	memset(in, rank, sizeof in);
	MPI_Isendrecv_replace(in, 1, every_second, (rank + 1) % 3, 1, (rank + 2) % 3, 1,
			      MPI_COMM_WORLD, &requests[0]);
	MPI_Isendrecv(out, 2000, MPI_BYTE, (rank + 1) % 3, 2, out + 2000, 2000, MPI_BYTE,
		      (rank + 2) % 3, 2, MPI_COMM_WORLD, &requests[1]);
	MPI_Request_free(&requests[1]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	for (int i = 0; i < 2999; i++)
		expect("byte", in[i], i % 2 ? rank : (rank + 2) % 3);
	MPI_Type_free(&every_second);
}

static void truncated_half(void)
{
	MPI_Request request;
	int code;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Isendrecv(out, 20, MPI_BYTE, (rank + 1) % 3, 0, in, 10, MPI_BYTE, (rank + 2) % 3, 0,
		      MPI_COMM_WORLD, &request);
	code = MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("error class", code, MPI_ERR_TRUNCATE);
	code =
	    MPI_Isendrecv(out, 1, MPI_BYTE, 3, 0, in, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
	expect("wrong rank", code, MPI_ERR_RANK);
	MPI_Isendrecv(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, in, 1, MPI_BYTE, MPI_PROC_NULL, 0,
		      MPI_COMM_WORLD, &request);
	expect("cannot be cancelled", MPI_Cancel(&request), MPI_ERR_REQUEST);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*
 * Partition 0 leaves at o = 0.1 and is there at 1.6; partition 1 is ready after 10 ms more, leaves
 * at 10.2, is there at 11.7. The receiver looks at 5 ms: it takes the first (o).
 */
static void partitions_travel_alone(void)
{
	MPI_Request request;
	int flag;

	if (rank == 0) {
		memset(out, 1, 500);
		MPI_Psend_init(out, 2, 500, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
			       &request);
		MPI_Start(&request);
		MPI_Pready(0, request);
		expect_ms("first partition ready", 0.1);
		mpisim_add_compute_time(0.010);
		memset(out + 500, 2, 500);
		MPI_Pready(1, request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("sent", 10.2);
		MPI_Request_free(&request);
	} else if (rank == 1) {
		MPI_Precv_init(in, 2, 500, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Parrived(request, 0, &flag);
		expect("not there yet", flag, 0);
		mpisim_add_compute_time(0.005);
		MPI_Parrived(request, 0, &flag);
		expect("first is there", flag, 1);
		expect("its data", in[499], 1);
		expect_ms("taken", 5.1);
		MPI_Parrived(request, 1, &flag);
		expect("second is not", flag, 0);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("received", 11.7 + 0.1);
		expect("its data", in[999], 2);
		MPI_Parrived(request, 1, &flag);
		expect("arrived while inactive", flag, 1);
		MPI_Request_free(&request);
	}
}

/* Six partitions sent, four received, of a type with gaps; twice; the receiver comes late or early.
 */
static void partitions_of_other_sizes(void)
{
	MPI_Request request;
	MPI_Status status;
	MPI_Datatype pairs;
	int flag = 0, n;

	MPI_Type_create_resized(MPI_SHORT, 0, 4, &pairs);
	MPI_Type_commit(&pairs);
	if (rank == 1)
		mpisim_add_compute_time(0.001);
	if (rank == 0) {
		MPI_Psend_init(out, 6, 100, MPI_SHORT, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
			       &request);
		mpisim_add_compute_time(0.002);
	} else if (rank == 1) {
		MPI_Precv_init(in, 4, 150, pairs, 0, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	}
	for (int round = 0; rank < 2 && round < 2; round++) {
		MPI_Start(&request);
		if (rank == 0) {
			for (int i = 0; i < 600; i++)
				((short *)out)[i] = (short)(1000 * round + i);
			MPI_Pready_range(3, 5, request);
			MPI_Pready_list(3, (const int[]){2, 0, 1}, request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
			continue;
		}
		while (!flag)
			MPI_Parrived(request, 3, &flag);
		expect("in its place", ((short *)in)[2 * 599], 1000 * round + 599);
		MPI_Wait(&request, &status);
		for (int i = 0; i < 600; i++) {
			expect("item", ((short *)in)[2 * i], 1000 * round + i);
			expect("gap", ((short *)in)[2 * i + 1], 0);
		}
		MPI_Get_count(&status, MPI_SHORT, &n);
		expect("count", n, 600);
		expect("tag", status.MPI_TAG, 4);
		flag = 0;
	}
	if (rank < 2)
		MPI_Request_free(&request);
	MPI_Type_free(&pairs);
}

/* The receiver starts before the sender has made its half; equal tags match in order. */
static void halves_match_in_order(void)
{
	MPI_Request requests[2];

	for (int i = 0; i < 2 && rank < 2; i++) {
		if (rank == 0) {
			mpisim_add_compute_time(0.003);
			out[i] = (char)(10 + i);
			MPI_Psend_init(out + i, 1, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
				       &requests[i]);
		} else {
			MPI_Precv_init(in + i, 1, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
				       &requests[i]);
			MPI_Start(&requests[i]);
		}
	}
	if (rank == 0) {
		MPI_Startall(2, requests);
		MPI_Pready(0, requests[1]);
		MPI_Pready(0, requests[0]);
	}
	if (rank < 2) {
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		MPI_Request_free(&requests[0]);
		MPI_Request_free(&requests[1]);
	}
	if (rank == 1) {
		expect("first", in[0], 10);
		expect("second", in[1], 11);
	}
}

/* MPI 4.1, §3.10: source MPI_PROC_NULL, tag MPI_ANY_TAG, count 0; no partition is waited for. */
static void partitions_of_nobody(void)
{
	MPI_Request send, recv;
	MPI_Status status;
	int count, arrived = 0;

	MPI_Psend_init(out, 2, 10, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &send);
	MPI_Precv_init(in, 2, 10, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &recv);
	MPI_Start(&send);
	MPI_Start(&recv);
	MPI_Pready_range(0, 1, send);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	MPI_Parrived(recv, 1, &arrived);
	expect("arrived", arrived, 1);
	MPI_Wait(&recv, &status);
	MPI_Get_count(&status, MPI_BYTE, &count);
	expect("source", status.MPI_SOURCE, MPI_PROC_NULL);
	expect("tag", status.MPI_TAG, MPI_ANY_TAG);
	expect("count", count, 0);
	MPI_Request_free(&send);
	MPI_Request_free(&recv);
}

/* A partition that is empty has arrived when its sender says so. */
static void partitions_without_data(void)
{
	MPI_Request request;
	int arrived = -1;

	if (rank == 0) {
		MPI_Psend_init(out, 2, 0, MPI_BYTE, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		mpisim_add_compute_time(0.010);
		MPI_Pready_range(0, 1, request);
	} else if (rank == 1) {
		MPI_Precv_init(in, 2, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		mpisim_add_compute_time(0.005);
		MPI_Parrived(request, 0, &arrived);
		expect("before it is ready", arrived, 0);
	} else {
		return;
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
}

/* Of a send that was complete at once and a receive that never is before another message. */
static void waits_for_any_take_what_is_complete(void)
{
	MPI_Request requests[2];
	int index = -1, n = -1, indices[2];

	if (rank == 0) {
		MPI_Irecv(in, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(out, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
		expect("any", index, 1);
		MPI_Isend(out, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitsome(2, requests, &n, indices, MPI_STATUSES_IGNORE);
		expect("some", n == 1 && indices[0] == 1, 1);
		expect_ms("two overheads", 0.2);
		MPI_Send(out, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		for (int tag = 0; tag < 3; tag++)
			MPI_Recv(in, 1, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(out, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

static void partitioned_errors(void)
{
	MPI_Request send, recv, none, plain;
	int flag, code;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	code = MPI_Psend_init(out, -1, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &none);
	expect("negative number", code, MPI_ERR_ARG);
	code = MPI_Precv_init(in, 0, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &none);
	expect("no partition", code, MPI_ERR_ARG);
	code = MPI_Precv_init(in, 1, 1, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
			      &none);
	expect("wildcard", code, MPI_ERR_RANK);
	MPI_Psend_init(out, 2, 10, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
	MPI_Precv_init(in, 1, 15, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &recv);
	expect("not active", MPI_Pready(0, send), MPI_ERR_REQUEST);
	MPI_Start(&send);
	MPI_Start(&recv);
	expect("out of range", MPI_Pready(2, send), MPI_ERR_ARG);
	expect("a receive", MPI_Pready(0, recv), MPI_ERR_REQUEST);
	expect("a send", MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
	MPI_Pready(0, send);
	expect("freed while active", MPI_Request_free(&send), MPI_ERR_REQUEST);
	expect("cancelled while active", MPI_Cancel(&send), MPI_ERR_REQUEST);
	expect("ready twice", MPI_Pready(0, send), MPI_ERR_ARG);
	MPI_Pready(1, send);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	expect("more than there is room for", MPI_Wait(&recv, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	MPI_Request_free(&send);
	MPI_Request_free(&recv);
	MPI_Recv_init(in, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &plain);
	expect("not partitioned", MPI_Parrived(plain, 0, &flag), MPI_ERR_REQUEST);
	MPI_Request_free(&plain);
	MPI_Psend_init(out, 3, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
	MPI_Start(&send);
	MPI_Pready_range(0, 2, send);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	MPI_Start(&send); /* to nobody: is complete whatever is ready */
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	MPI_Request_free(&send);
	expect("null request", MPI_Parrived(MPI_REQUEST_NULL, 0, &flag), MPI_SUCCESS);
	expect("its flag", flag, 1);
}

/* Nothing ends; statuses are those that a wait would give. */
static void statuses_of_requests(void)
{
	MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status statuses[3];
	int flag, index, n, indices[3];

	MPI_Request_get_status_any(3, requests, &index, &flag, &statuses[0]);
	expect("none active: flag", flag, 1);
	expect("none active: index", index, MPI_UNDEFINED);
	MPI_Request_get_status_some(3, requests, &n, indices, statuses);
	expect("none active: count", n, MPI_UNDEFINED);
	MPI_Irecv(in, 1, MPI_BYTE, rank, 8, MPI_COMM_WORLD, &requests[1]);
	MPI_Irecv(in + 1, 1, MPI_BYTE, rank, 9, MPI_COMM_WORLD, &requests[2]);
	MPI_Request_get_status_any(3, requests, &index, &flag, &statuses[0]);
	expect("none complete", flag, 0);
	MPI_Send(out, 1, MPI_BYTE, rank, 9, MPI_COMM_WORLD);
	mpisim_add_compute_time(0.005);
	MPI_Request_get_status_any(3, requests, &index, &flag, &statuses[0]);
	expect("one complete", flag, 1);
	expect("its index", index, 2);
	expect("its tag", statuses[0].MPI_TAG, 9);
	MPI_Request_get_status_some(3, requests, &n, indices, statuses);
	expect("some", n, 1);
	expect("which", indices[0], 2);
	MPI_Request_get_status_all(3, requests, &flag, statuses);
	expect("not all", flag, 0);
	MPI_Send(out, 1, MPI_BYTE, rank, 8, MPI_COMM_WORLD);
	mpisim_add_compute_time(0.005);
	MPI_Request_get_status_all(3, requests, &flag, statuses);
	expect("all", flag, 1);
	expect("tag of the first", statuses[1].MPI_TAG, 8);
	expect("of no request", statuses[0].MPI_TAG, MPI_ANY_TAG);
	MPI_Waitall(3, requests, statuses);
	expect("tag of the second", statuses[2].MPI_TAG, 9);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	expect("negative count", MPI_Request_get_status_all(-1, requests, &flag, statuses),
	       MPI_ERR_COUNT);
	requests[0] = (MPI_Request)0x123456;
	expect("no request", MPI_Request_get_status_all(1, requests, &flag, statuses),
	       MPI_ERR_REQUEST);
}

/* Its messages are under way; a second one to rank 1 stays without a receiver. */
static void sender_freed_before_its_receiver_comes(void)
{
	MPI_Request request;

	for (int tag = 4; tag < 6 && rank == 0; tag++) {
		memset(out, tag, 20);
		MPI_Psend_init(out, 2, 10, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
			       &request);
		MPI_Start(&request);
		MPI_Pready_range(0, 1, request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	}
	if (rank == 1) {
		mpisim_add_compute_time(0.010);
		MPI_Precv_init(in, 1, 20, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect("its data", in[19], 4);
		MPI_Request_free(&request);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
	    {"isendrecv", isendrecv},
	    {"isendrecv_replace", isendrecv_replace},
	    {"truncated_half", truncated_half},
	    {"partitions_travel_alone", partitions_travel_alone},
	    {"partitions_of_other_sizes", partitions_of_other_sizes},
	    {"halves_match_in_order", halves_match_in_order},
	    {"sender_freed_before_its_receiver_comes", sender_freed_before_its_receiver_comes},
	    {"partitioned_errors", partitioned_errors},
	    {"partitions_of_nobody", partitions_of_nobody},
	    {"partitions_without_data", partitions_without_data},
	    {"waits_for_any_take_what_is_complete", waits_for_any_take_what_is_complete},
	    {"statuses_of_requests", statuses_of_requests},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
