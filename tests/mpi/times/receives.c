/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What receives, probes, completions and partitions take: docs/model.md §3 (protocols). Rank 0, or
 * another one later, sends to rank 1.
 */
#include "tests/mpi/times/times.h"

#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE
#define NO_STATUSES MPI_STATUSES_IGNORE

/* Of a rendezvous: its request is there, the bytes are taken. */
#define ASKED (OS + T(CONTROL))
#define TAKEN(bytes) (ASKED + T(CONTROL) + T(bytes) + OR)

static char buf[LONG], other[LONG];

/* Whether the caller is to receive n bytes, which leave rank 0 at the begin. */
static bool begin(int n)
{
	times_together();
	if (times_rank == 0)
		MPI_Send(buf, n, MPI_BYTE, 1, 0, WORLD);
	return times_rank == 1;
}

/* The same when the message, or the request of a long one, is there. */
static bool begin_late(int n)
{
	bool is_receiver = begin(n);

	if (is_receiver)
		times_until(0.010);
	return is_receiver;
}

/* Posted before the message comes. */
static void posted_receives(int n, double taken)
{
	MPI_Request r;

	if (begin(n))
		TAKES(taken, MPI_Recv(buf, n, MPI_BYTE, 0, 0, WORLD, NO_STATUS));
	if (begin(n))
		TAKES(taken, MPI_Recv_c(buf, n, MPI_BYTE, 0, 0, WORLD, NO_STATUS));
	if (begin(n)) {
		TAKES(0, MPI_Irecv(buf, n, MPI_BYTE, 0, 0, WORLD, &r));
		TAKES(taken, MPI_Wait(&r, NO_STATUS));
	}
	if (begin(n)) {
		TAKES(0, MPI_Irecv_c(buf, n, MPI_BYTE, 0, 0, WORLD, &r));
		TAKES(taken, MPI_Wait(&r, NO_STATUS));
	}
	if (begin(n)) {
		TAKES(0, MPI_Recv_init(buf, n, MPI_BYTE, 0, 0, WORLD, &r));
		TAKES(0, MPI_Start(&r));
		TAKES(taken, MPI_Wait(&r, NO_STATUS));
		MPI_Request_free(&r);
	}
	if (begin(n)) {
		TAKES(0, MPI_Recv_init_c(buf, n, MPI_BYTE, 0, 0, WORLD, &r));
		TAKES(0, MPI_Start(&r));
		TAKES(taken, MPI_Wait(&r, NO_STATUS));
		MPI_Request_free(&r);
	}
}

/* Posted late: `rest` is what is left then. */
static void late_receives(int n, double rest)
{
	MPI_Request r;

	if (begin_late(n))
		TAKES(rest, MPI_Recv(buf, n, MPI_BYTE, 0, 0, WORLD, NO_STATUS));
	if (begin_late(n))
		TAKES(rest, MPI_Recv_c(buf, n, MPI_BYTE, 0, 0, WORLD, NO_STATUS));
	if (begin_late(n)) {
		TAKES(0, MPI_Irecv(buf, n, MPI_BYTE, 0, 0, WORLD, &r));
		TAKES(rest, MPI_Wait(&r, NO_STATUS));
	}
	if (begin_late(n)) {
		TAKES(0, MPI_Irecv_c(buf, n, MPI_BYTE, 0, 0, WORLD, &r));
		TAKES(rest, MPI_Wait(&r, NO_STATUS));
	}
}

/* A probe ends when a message, or its request, is there; who asks meanwhile is told no. */
static void probes(int n, double there, double rest)
{
	MPI_Message message;
	MPI_Request r;
	int flag = 0;

	if (begin(n)) {
		TAKES(there, MPI_Probe(0, 0, WORLD, NO_STATUS));
		TAKES(rest, MPI_Recv(buf, n, MPI_BYTE, 0, 0, WORLD, NO_STATUS));
	}
	if (begin(n)) {
		TAKES(there, MPI_Mprobe(0, 0, WORLD, &message, NO_STATUS));
		TAKES(rest, MPI_Mrecv(buf, n, MPI_BYTE, &message, NO_STATUS));
	}
	if (begin(n)) {
		TAKES(there, MPI_Mprobe(0, 0, WORLD, &message, NO_STATUS));
		TAKES(rest, MPI_Mrecv_c(buf, n, MPI_BYTE, &message, NO_STATUS));
	}
	if (begin(n)) {
		TAKES(0, MPI_Iprobe(0, 0, WORLD, &flag, NO_STATUS));
		times_expect("too early", flag, 0);
		times_until(there + 1e-6);
		TAKES(0, MPI_Iprobe(0, 0, WORLD, &flag, NO_STATUS));
		times_expect("there", flag, 1);
		TAKES(0, MPI_Improbe(0, 0, WORLD, &flag, &message, NO_STATUS));
		TAKES(0, MPI_Imrecv(buf, n, MPI_BYTE, &message, &r));
		TAKES(rest, MPI_Wait(&r, NO_STATUS));
	}
	if (begin(n)) {
		TAKES(0, MPI_Improbe(0, 0, WORLD, &flag, &message, NO_STATUS));
		times_expect("too early", flag, 0);
		times_until(there + 1e-6);
		TAKES(0, MPI_Improbe(0, 0, WORLD, &flag, &message, NO_STATUS));
		times_expect("there", flag, 1);
		TAKES(0, MPI_Imrecv_c(buf, n, MPI_BYTE, &message, &r));
		TAKES(rest, MPI_Wait(&r, NO_STATUS));
	}
}

/* --- completions: a message from rank 0, and 5 ms later one from rank 2 --- */

#define LATER 0.005

static bool begin_two(MPI_Request r[2])
{
	times_together();
	if (times_rank == 2)
		times_until(LATER);
	if (times_rank == 0 || times_rank == 2)
		MPI_Send(buf, EAGER, MPI_BYTE, 1, 0, WORLD);
	if (times_rank == 1) {
		MPI_Irecv(buf, EAGER, MPI_BYTE, 0, 0, WORLD, &r[0]);
		MPI_Irecv(other, EAGER, MPI_BYTE, 2, 0, WORLD, &r[1]);
	}
	return times_rank == 1;
}

static void waits(void)
{
	int index, n, indices[2];
	MPI_Request r[2];

	if (begin_two(r)) {
		ENDS(X(EAGER), MPI_Wait(&r[0], NO_STATUS));
		ENDS(LATER + X(EAGER), MPI_Wait(&r[1], NO_STATUS));
	}
	if (begin_two(r))
		ENDS(LATER + X(EAGER), MPI_Waitall(2, r, NO_STATUSES));
	if (begin_two(r)) {
		ENDS(X(EAGER), MPI_Waitany(2, r, &index, NO_STATUS));
		times_expect("first", index, 0);
		ENDS(LATER + X(EAGER), MPI_Waitany(2, r, &index, NO_STATUS));
	}
	if (begin_two(r)) {
		ENDS(X(EAGER), MPI_Waitsome(2, r, &n, indices, NO_STATUSES));
		times_expect("alone", n, 1);
		ENDS(LATER + X(EAGER), MPI_Waitsome(2, r, &n, indices, NO_STATUSES));
	}
	if (begin_two(r)) { /* a wait takes what it waits for */
		times_until(0.020);
		TAKES(OR, MPI_Wait(&r[0], NO_STATUS));
		TAKES(OR, MPI_Wait(&r[1], NO_STATUS));
	}
	if (begin_two(r)) { /* both are there: they are taken one after the other */
		times_until(0.020);
		TAKES(2 * OR, MPI_Waitall(2, r, NO_STATUSES));
	}
}

/* They wait for nobody; a message that is there is taken. */
static void tests(void)
{
	int flag, index, n, indices[2];
	MPI_Request r[2];

	if (begin_two(r)) {
		TAKES(0, MPI_Test(&r[0], &flag, NO_STATUS));
		times_until(0.003);
		TAKES(OR, MPI_Test(&r[0], &flag, NO_STATUS));
		times_expect("test", flag, 1);
		MPI_Wait(&r[1], NO_STATUS);
	}
	if (begin_two(r)) {
		TAKES(0, MPI_Testall(2, r, &flag, NO_STATUSES));
		times_until(0.020);
		TAKES(2 * OR, MPI_Testall(2, r, &flag, NO_STATUSES));
		times_expect("test of all", flag, 1);
	}
	if (begin_two(r)) {
		TAKES(0, MPI_Testany(2, r, &index, &flag, NO_STATUS));
		times_until(0.003);
		TAKES(OR, MPI_Testany(2, r, &index, &flag, NO_STATUS));
		times_expect("test of any", flag, 1);
		MPI_Wait(&r[1], NO_STATUS);
	}
	if (begin_two(r)) {
		TAKES(0, MPI_Testsome(2, r, &n, indices, NO_STATUSES));
		times_until(0.020);
		TAKES(2 * OR, MPI_Testsome(2, r, &n, indices, NO_STATUSES));
		times_expect("test of some", n, 2);
	}
}

/* Looking takes a message, too; then the wait has nothing to do. */
static void looks(void)
{
	int flag, index, n, indices[2];
	MPI_Request r[2];

	if (begin_two(r)) {
		TAKES(0, MPI_Request_get_status(r[0], &flag, NO_STATUS));
		times_until(0.003);
		TAKES(OR, MPI_Request_get_status(r[0], &flag, NO_STATUS));
		times_expect("look", flag, 1);
		TAKES(0, MPI_Wait(&r[0], NO_STATUS));
		MPI_Wait(&r[1], NO_STATUS);
	}
	if (begin_two(r)) {
		TAKES(0, MPI_Request_get_status_all(2, r, &flag, NO_STATUSES));
		times_until(0.020);
		TAKES(2 * OR, MPI_Request_get_status_all(2, r, &flag, NO_STATUSES));
		times_expect("look at all", flag, 1);
		TAKES(0, MPI_Waitall(2, r, NO_STATUSES));
	}
	if (begin_two(r)) {
		TAKES(0, MPI_Request_get_status_any(2, r, &index, &flag, NO_STATUS));
		times_until(0.003);
		TAKES(OR, MPI_Request_get_status_any(2, r, &index, &flag, NO_STATUS));
		times_expect("look at any", flag, 1);
		MPI_Waitall(2, r, NO_STATUSES);
	}
	if (begin_two(r)) {
		TAKES(0, MPI_Request_get_status_some(2, r, &n, indices, NO_STATUSES));
		times_until(0.020);
		TAKES(2 * OR, MPI_Request_get_status_some(2, r, &n, indices, NO_STATUSES));
		times_expect("look at some", n, 2);
		MPI_Waitall(2, r, NO_STATUSES);
	}
}

/* A receive that is given up ends at once. */
static void cancelled(void)
{
	MPI_Request r;

	times_together();
	MPI_Irecv(buf, 1, MPI_BYTE, 0, 9, WORLD, &r);
	TAKES(0, MPI_Cancel(&r));
	TAKES(0, MPI_Wait(&r, NO_STATUS));
}

/* --- partitions --- */

enum { N_PARTS = 4, PART = 100 };

/*
 * Four messages, each after the overhead of the one before: on its link alone, and there before the
 * one before it is taken, since that takes longer than sending.
 */
static void parts(MPI_Request *r)
{
	int flag;

	times_together();
	TAKES(0, MPI_Start(r));
	if (times_rank == 0) {
		TAKES(OS, MPI_Pready(0, *r));
		TAKES(2 * OS, MPI_Pready_range(1, 2, *r));
		TAKES(OS, MPI_Pready_list(1, (int[]){3}, *r));
		TAKES(0, MPI_Wait(r, NO_STATUS));
	} else {
		TAKES(0, MPI_Parrived(*r, 0, &flag));
		times_expect("too early", flag, 0);
		ENDS(OS + T(PART) + N_PARTS * OR, MPI_Wait(r, NO_STATUS));
	}
	times_together();
	TAKES(0, MPI_Start(r));
	if (times_rank == 0) {
		MPI_Pready_range(0, N_PARTS - 1, *r);
	} else {
		times_until(0.010);
		TAKES(N_PARTS * OR, MPI_Parrived(*r, 0, &flag));
		times_expect("there", flag, 1);
		times_until(0.020);
		TAKES(0, MPI_Wait(r, NO_STATUS));
	}
	if (times_rank == 0)
		MPI_Wait(r, NO_STATUS);
	MPI_Request_free(r);
}

static void partitions(void)
{
	MPI_Info none = MPI_INFO_NULL;
	MPI_Request r;

	for (int is_large = 0; is_large < 2 && times_rank < 2; is_large++) {
		times_together();
		if (times_rank == 0 && is_large)
			TAKES(0, MPI_Psend_init_c(buf, N_PARTS, PART, MPI_BYTE, 1, 0, WORLD, none,
						  &r));
		else if (times_rank == 0)
			TAKES(0,
			      MPI_Psend_init(buf, N_PARTS, PART, MPI_BYTE, 1, 0, WORLD, none, &r));
		else if (is_large)
			TAKES(0, MPI_Precv_init_c(buf, N_PARTS, PART, MPI_BYTE, 0, 0, WORLD, none,
						  &r));
		else
			TAKES(0,
			      MPI_Precv_init(buf, N_PARTS, PART, MPI_BYTE, 0, 0, WORLD, none, &r));
		parts(&r);
	}
}

int main(int argc, char **argv)
{
	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("receives");
	posted_receives(EAGER, X(EAGER));
	posted_receives(LONG, TAKEN(LONG));
	late_receives(EAGER, OR);
	late_receives(LONG, T(CONTROL) + T(LONG) + OR);
	probes(EAGER, OS + T(EAGER), OR);
	probes(LONG, ASKED, T(CONTROL) + T(LONG) + OR);
	waits();
	tests();
	looks();
	cancelled();
	partitions();
	return times_end();
}
