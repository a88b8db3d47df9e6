/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the standard says about corners of point-to-point and environment, and what only a simulator
 * can tell. Run as `semantics CASE` on 3 ranks with timing.yaml (L = 1 ms, b = 1 byte per us, o =
 * 100 us, eager up to 1000 B), --compute modelled; exit 1 when anything is not as wanted.
 */
#include <mpi.h>
#include <mpisim.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/cases.h"

static char buf[4000];
static double start; /* ms; not on the stack, where setjmp may lose it */
static int handler_calls, handler_code;
static MPI_Comm handler_comm;
static jmp_buf way_out;

static void note_error(MPI_Comm *comm, int *code, ...)
{
	handler_calls++;
	handler_code = *code;
	handler_comm = *comm;
}

static void jump(MPI_Comm *comm, int *code, ...)
{
	longjmp(way_out, 1);
}

static MPI_Comm dup_with(MPI_Comm_errhandler_function *function)
{
	MPI_Errhandler handler;
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_create_errhandler(function, &handler);
	MPI_Comm_set_errhandler(comm, handler);
	MPI_Errhandler_free(&handler);
	return comm;
}

/* --- requests --- */

/* A receive that was freed goes on: its data is there after a later message of the same rank. */
static void freed_receive_goes_on(void)
{
	MPI_Datatype every_other;
	MPI_Request request;
	int in[8] = {0}, out[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
	MPI_Type_commit(&every_other);
	if (rank == 0) {
		MPI_Send(out, 1, every_other, 1, 0, MPI_COMM_WORLD);
		MPI_Send(out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Irecv(in, 1, every_other, 0, 0, MPI_COMM_WORLD, &request);
		MPI_Request_free(&request);
		MPI_Recv(out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < 8; i++)
			expect("item", in[i], i % 2 ? 0 : i + 1);
	}
	MPI_Type_free(&every_other);
}

static int query(void *state, MPI_Status *status)
{
	return MPI_SUCCESS;
}

static int released(void *state)
{
	++*(int *)state;
	return MPI_SUCCESS;
}

/* A generalized request may be freed before it is complete. */
static void freed_generalized_request(void)
{
	MPI_Request request, copy;
	int n_released = 0;

	MPI_Grequest_start(query, released, NULL, &n_released, &request);
	copy = request;
	MPI_Request_free(&request);
	expect("in use", n_released, 0);
	expect("complete", MPI_Grequest_complete(copy), MPI_SUCCESS);
	expect("released", n_released, 1);
}

/* Nonblocking collectives must not be freed or cancelled. */
static void active_collective_is_not_freed(void)
{
	MPI_Request request;
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Ibarrier(comm, &request);
	expect("free", MPI_Request_free(&request), MPI_ERR_REQUEST);
	expect("cancel", MPI_Cancel(&request), MPI_ERR_REQUEST);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("ended", request == MPI_REQUEST_NULL, 1);
	MPI_Comm_free(&comm);
}

/* The same request twice in an array is the program's error. */
static void request_listed_twice(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Isend(buf, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests[0]);
	requests[1] = requests[0];
	expect("refused", MPI_Waitall(2, requests, statuses), MPI_ERR_REQUEST);
	expect("alone", MPI_Waitall(1, requests, statuses), MPI_SUCCESS);
	expect("stale", MPI_Wait(&requests[1], statuses), MPI_ERR_REQUEST);
	MPI_Recv(buf, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Calls that complete one operation leave the error field alone. */
static void error_field_of_one_status(void)
{
	MPI_Status status = {.MPI_ERROR = 77};
	MPI_Request request;
	int flag = 0;

	if (rank == 0)
		for (int i = 0; i < 5; i++)
			MPI_Send(buf, 8, MPI_BYTE, 1, i, MPI_COMM_WORLD);
	if (rank != 1)
		return;
	MPI_Recv(buf, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
	MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
	MPI_Sendrecv(buf, 0, MPI_BYTE, MPI_PROC_NULL, 0, buf, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD,
		     &status);
	MPI_Irecv(buf, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, &status);
	MPI_Irecv(buf, 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request);
	while (!flag)
		MPI_Test(&request, &flag, &status);
	expect("one", status.MPI_ERROR, 77);
	MPI_Irecv(buf, 8, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &request);
	MPI_Waitall(1, &request, &status);
	expect("all went well", status.MPI_ERROR, 77);
}

/* Calls of arrays write every error field with MPI_ERR_IN_STATUS; the handler is that of the failed
 * operation's communicator, and gets its error. */
static void errors_in_statuses(void)
{
	MPI_Comm comm = dup_with(note_error);
	MPI_Status statuses[3] = {{.MPI_ERROR = 77}, {.MPI_ERROR = 77}, {.MPI_ERROR = 77}};
	MPI_Request requests[3];
	int n, index;

	if (rank == 0) {
		for (int i = 0; i < 4; i++)
			MPI_Send(buf, 8, MPI_BYTE, 1, i, comm);
	} else if (rank == 1) {
		for (int i = 0; i < 3; i++)
			MPI_Irecv(buf, i == 1 ? 4 : 8, MPI_BYTE, 0, i, comm, &requests[i]);
		expect("all", MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
		expect("before", statuses[0].MPI_ERROR, MPI_SUCCESS);
		expect("failed", statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
		expect("behind", statuses[2].MPI_ERROR, MPI_SUCCESS);
		expect("communicator", handler_comm == comm, 1);
		expect("code", handler_code, MPI_ERR_TRUNCATE);
		MPI_Irecv(buf, 4, MPI_BYTE, 0, 3, comm, requests);
		expect("some", MPI_Waitsome(1, requests, &n, &index, statuses), MPI_ERR_IN_STATUS);
		expect("some failed", statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
		expect("calls", handler_calls, 2);
	}
	MPI_Comm_free(&comm);
}

/* A message taken by a probe belongs to its communicator, whose handler hears of errors. */
static void matched_probe_keeps_its_communicator(void)
{
	MPI_Comm comm = dup_with(note_error);
	MPI_Message message;
	MPI_Request request;

	if (rank == 0) {
		MPI_Send(buf, 8, MPI_BYTE, 1, 0, comm);
		MPI_Send(buf, 2000, MPI_BYTE, 1, 1, comm);
	} else if (rank == 1) {
		MPI_Mprobe(0, 0, comm, &message, MPI_STATUS_IGNORE);
		expect("type", MPI_Mrecv(buf, 4, MPI_DATATYPE_NULL, &message, MPI_STATUS_IGNORE),
		       MPI_ERR_TYPE);
		expect("eager", MPI_Mrecv(buf, 4, MPI_BYTE, &message, MPI_STATUS_IGNORE),
		       MPI_ERR_TRUNCATE);
		MPI_Mprobe(0, 1, comm, &message, MPI_STATUS_IGNORE);
		MPI_Imrecv(buf, 4, MPI_BYTE, &message, &request);
		expect("rendezvous", MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
		expect("calls", handler_calls, 3);
		expect("communicator", handler_comm == comm, 1);
	}
	MPI_Comm_free(&comm);
}

/* --- sends --- */

/* A ready send needs a receive that was posted before. */
static void ready_send(void)
{
	MPI_Comm comm = dup_with(note_error);
	MPI_Request request;

	if (rank == 0) {
		expect("nothing posted", MPI_Rsend(buf, 1, MPI_BYTE, 1, 0, comm), MPI_ERR_OTHER);
		expect("calls", handler_calls, 1);
		MPI_Recv(buf, 0, MPI_BYTE, 1, 1, comm, MPI_STATUS_IGNORE);
		expect("another tag", MPI_Rsend(buf, 1, MPI_BYTE, 1, 9, comm), MPI_ERR_OTHER);
		expect("posted", MPI_Rsend(buf, 1, MPI_BYTE, 1, 0, comm), MPI_SUCCESS);
		expect("nowhere", MPI_Rsend(buf, 1, MPI_BYTE, MPI_PROC_NULL, 0, comm), MPI_SUCCESS);
	} else if (rank == 1) {
		mpisim_add_compute_time(0.02);
		MPI_Irecv(buf, 1, MPI_BYTE, 0, 0, comm, &request);
		MPI_Send(buf, 0, MPI_BYTE, 0, 1, comm);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&comm);
}

/* While MPI_Buffer_detach waits, collectives of the rank go on: rank 2 waits for rank 0's second
 * message of the barrier before it receives. */
static void detach_makes_progress(void)
{
	static char attached[4000 + MPI_BSEND_OVERHEAD];
	MPI_Request request;
	void *was;
	int size;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	if (rank == 0) {
		MPI_Buffer_attach(attached, sizeof attached);
		MPI_Bsend(buf, 4000, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
		MPI_Buffer_detach(&was, &size);
		expect("size", size, sizeof attached);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 2)
		MPI_Recv(buf, 4000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_from_stack_and_end(void)
{
	MPI_Request request;
	char data[3000];

	memset(data, 'x', sizeof data);
	MPI_Isend(data, sizeof data, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
	MPI_Request_free(&request);
	MPI_Finalize();
	exit(failures > 0);
}

/* A send that was freed completes although its rank ends. */
static void freed_send_outlives_its_rank(void)
{
	int n_right = 0;

	if (rank == 0)
		send_from_stack_and_end();
	if (rank == 1) {
		mpisim_add_compute_time(0.05);
		MPI_Recv(buf, 3000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < 3000; i++)
			n_right += buf[i] == 'x';
		expect("bytes", n_right, 3000);
	}
}

/*
 * After MPI_Finalize nothing writes into buffers of receives that the program forgot: neither a
 * message that comes later nor a transfer under way (request to send at 1.1 ms, clear to send
 * at 2.1 ms, data until 6.1 ms).
 */
static void forgotten_receives_write_nothing(void)
{
	MPI_Request requests[2];
	int n_written = 0;

	if (rank == 1) {
		MPI_Irecv(buf, 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(buf + 1000, 3000, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &requests[1]);
		mpisim_add_compute_time(0.003);
		MPI_Finalize();
		mpisim_add_compute_time(0.05);
		expect_ms("later", 53);
		for (int i = 0; i < 4000; i++)
			n_written += buf[i] != 0;
		expect("bytes written", n_written, 0);
		exit(failures > 0);
	}
	memset(buf, 'x', sizeof buf);
	if (rank == 0)
		mpisim_add_compute_time(0.01);
	MPI_Send(buf, rank == 0 ? 100 : 3000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

/* --- errors --- */

/* An error handler may leave with longjmp: the call is over, and computation counts again. 1 + 1
 * ms. */
static void handler_jumps(void)
{
	MPI_Comm comm = dup_with(jump);

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime() * 1e3;
	mpisim_add_compute_time(0.001);
	if (setjmp(way_out) == 0)
		MPI_Send(buf, 1, MPI_BYTE, 5, 0, comm);
	mpisim_add_compute_time(0.001);
	expect_ms("both steps", start + 2);
	MPI_Comm_free(&comm);
}

static void compute_and_call(MPI_Comm *comm, int *code, ...)
{
	int size;

	handler_calls++;
	mpisim_add_compute_time(0.004);
	MPI_Comm_size(*comm, &size);
}

/* What an error handler computes counts, and it may call MPI. 1 + 4 + 1 ms. */
static void handler_computes(void)
{
	MPI_Comm comm = dup_with(compute_and_call);

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime() * 1e3;
	mpisim_add_compute_time(0.001);
	expect("class", MPI_Send(buf, 1, MPI_BYTE, 5, 0, comm), MPI_ERR_RANK);
	mpisim_add_compute_time(0.001);
	expect_ms("all steps", start + 6);
	expect("calls", handler_calls, 1);
	MPI_Comm_free(&comm);
}

/* Counts beyond what memory can hold: room for more than any message, or an error. */
static void counts_beyond_measure(void)
{
	MPI_Count huge = INT64_MAX / 2;
	MPI_Comm comm = dup_with(note_error);
	MPI_Status status;
	int n;

	if (rank == 0) {
		MPI_Send(buf, 100, MPI_BYTE, 1, 0, comm);
		expect("send", MPI_Send_c(buf, huge, MPI_INT, 1, 0, comm), MPI_ERR_COUNT);
	} else if (rank == 1) {
		MPI_Recv_c(buf, huge, MPI_INT, 0, 0, comm, &status);
		MPI_Get_count(&status, MPI_BYTE, &n);
		expect("received", n, 100);
		expect("no error", handler_calls, 0);
	}
	MPI_Comm_free(&comm);
}

static void forgive(MPI_Comm *comm, int *code, ...)
{
	*code = MPI_SUCCESS;
}

/*
 * A handler gets the code that the call returns, by its address (MPI 4.1, §9.3.1). That of one call
 * is not that of the next.
 */
static void handler_forgives(void)
{
	MPI_Comm comm = dup_with(forgive);

	expect("code", MPI_Send(buf, 1, MPI_BYTE, 99, 0, comm), MPI_SUCCESS);
	expect("called", MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER), MPI_SUCCESS);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	expect("code of the next", MPI_Send(buf, 1, MPI_BYTE, 99, 0, comm), MPI_ERR_RANK);
	MPI_Comm_free(&comm);
}

/* MPI_Waitsome gives all that has arrived: while the rank computed, and at the same time. */
static void some_wait_takes_all(void)
{
	MPI_Request requests[4];
	int n, indices[4];

	for (int i = 0; i < 3 && rank == 0; i++)
		MPI_Send(buf, 8, MPI_BYTE, 1, i, MPI_COMM_WORLD);
	if (rank != 1) {
		mpisim_add_compute_time(0.020 - MPI_Wtime());
		MPI_Send(buf, 8, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
		return;
	}
	for (int i = 0; i < 4; i++)
		MPI_Irecv(buf + 8 * i, 8, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
	mpisim_add_compute_time(0.010);
	MPI_Waitsome(4, requests, &n, indices, MPI_STATUSES_IGNORE);
	expect("arrived", n, 3);
	expect_ms("three overheads", 10 + 0.3);
	MPI_Irecv(buf, 8, MPI_BYTE, 2, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Waitsome(4, requests, &n, indices, MPI_STATUSES_IGNORE);
	expect("at the same time", n, 2);
	expect_ms("two overheads", 20 + 0.1 + 1 + 2 * 0.008 + 0.2); /* they share the link */
}

/* --- what libraries do where the standard leaves it to them --- */

/* As MPI_Init_thread: only what holds. */
static void thread_levels_are_those_that_hold(void)
{
	char level[64] = "";
	int length = sizeof level, flag = 0, provided = -1;
	MPI_Session session;
	MPI_Info info, used;

	MPI_Info_create(&info);
	MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
	MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Info_free(&info);
	MPI_Session_get_info(session, &used);
	MPI_Info_get_string(used, "thread_level", &length, level, &flag);
	expect("of a session", flag && strcmp(level, "MPI_THREAD_FUNNELED") == 0, 1);
	MPI_Info_free(&used);
	MPI_Session_finalize(&session);
	MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided);
	expect("of the tool interface", provided, MPI_THREAD_FUNNELED);
	MPI_T_finalize();
}

/* 96 bytes beside the data of a message are enough, as in other libraries; MPI_BSEND_OVERHEAD is
 * more. */
static void buffers_may_be_tight(void)
{
	MPI_Comm comm = dup_with(note_error);
	void *was;
	int size;

	MPI_Buffer_attach(buf, 2 * (400 + 96) - 1);
	expect("fits", MPI_Bsend(buf + 2000, 400, MPI_BYTE, rank, 0, comm), MPI_SUCCESS);
	expect("is full", MPI_Bsend(buf + 2000, 400, MPI_BYTE, rank, 1, comm), MPI_ERR_BUFFER);
	MPI_Recv(buf + 3000, 400, MPI_BYTE, rank, 0, comm, MPI_STATUS_IGNORE);
	expect("fits again", MPI_Bsend(buf + 2000, 895, MPI_BYTE, rank, 1, comm), MPI_SUCCESS);
	MPI_Recv(buf + 3000, 895, MPI_BYTE, rank, 1, comm, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&was, &size);
	MPI_Comm_free(&comm);
}

static void reductions_need_two_buffers(void)
{
	int value = 1;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	expect("the same", MPI_Reduce_local(&value, &value, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
	expect("without data", MPI_Reduce_local(&value, &value, 0, MPI_INT, MPI_SUM), MPI_SUCCESS);
	expect("value", value, 1);
}

#define CASE(name)          \
	{                   \
#name, name \
	}
static const struct test_case cases[] = {
    CASE(freed_receive_goes_on),
    CASE(freed_generalized_request),
    CASE(active_collective_is_not_freed),
    CASE(request_listed_twice),
    CASE(error_field_of_one_status),
    CASE(errors_in_statuses),
    CASE(matched_probe_keeps_its_communicator),
    CASE(ready_send),
    CASE(detach_makes_progress),
    CASE(freed_send_outlives_its_rank),
    CASE(forgotten_receives_write_nothing),
    CASE(handler_jumps),
    CASE(handler_computes),
    CASE(counts_beyond_measure),
    CASE(thread_levels_are_those_that_hold),
    CASE(buffers_may_be_tight),
    CASE(reductions_need_two_buffers),
    CASE(handler_forgives),
    CASE(some_wait_takes_all),
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
