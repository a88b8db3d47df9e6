/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sends take, in all modes and forms, and waiting for buffers: docs/model.md §3 (protocols).
 * Rank 0 sends to rank 1, which waits for it from the begin.
 */
#include "tests/mpi/times/times.h"

#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE
/* A rendezvous: request, answer, bytes. */
#define RENDEZVOUS(bytes) (T(CONTROL) + T(CONTROL) + T(bytes))

static char buf[2 * LONG], other[2 * LONG];
static MPI_Request request;

/* Seconds after the begin. */
struct message {
	int n;	     /* bytes */
	double sent; /* the sender may use its buffer again */
	double received;
};

static const struct message
    buffered[] = {{EAGER, OS, X(EAGER)}, {LONG, OS, OS + RENDEZVOUS(LONG) + OR}},
    standard[] = {{EAGER, OS, X(EAGER)}, {LONG, OS + RENDEZVOUS(LONG), OS + RENDEZVOUS(LONG) + OR}},
    synchronous[] = {{EAGER, OS + T(EAGER), X(EAGER)}, /* matched when it is there */
		     {LONG, OS + RENDEZVOUS(LONG), OS + RENDEZVOUS(LONG) + OR}};

/* Whether the caller is to send; the receiver has its rows here. */
static bool begin(const struct message *m)
{
	if (times_rank == 1)
		TAKES(0, MPI_Start(&request)); /* before the send, as ready ones want it */
	times_together();
	if (times_rank == 1)
		ENDS(m->received, MPI_Wait(&request, NO_STATUS));
	return times_rank == 0;
}

/* The six functions of a mode. */
#define MODE(Name, name)                                                                     \
	static void name(const struct message *m)                                            \
	{                                                                                    \
		MPI_Request r;                                                               \
                                                                                             \
		if (begin(m))                                                                \
			TAKES(m->sent, MPI_##Name(buf, m->n, MPI_BYTE, 1, 0, WORLD));        \
		if (begin(m))                                                                \
			TAKES(m->sent, MPI_##Name##_c(buf, m->n, MPI_BYTE, 1, 0, WORLD));    \
		if (begin(m)) {                                                              \
			TAKES(OS, MPI_I##name(buf, m->n, MPI_BYTE, 1, 0, WORLD, &r));        \
			ENDS(m->sent, MPI_Wait(&r, NO_STATUS));                              \
		}                                                                            \
		if (begin(m)) {                                                              \
			TAKES(OS, MPI_I##name##_c(buf, m->n, MPI_BYTE, 1, 0, WORLD, &r));    \
			ENDS(m->sent, MPI_Wait(&r, NO_STATUS));                              \
		}                                                                            \
		if (begin(m)) {                                                              \
			TAKES(0, MPI_##Name##_init(buf, m->n, MPI_BYTE, 1, 0, WORLD, &r));   \
			TAKES(OS, MPI_Start(&r));                                            \
			ENDS(m->sent, MPI_Wait(&r, NO_STATUS));                              \
			TAKES(0, MPI_Request_free(&r));                                      \
		}                                                                            \
		if (begin(m)) {                                                              \
			TAKES(0, MPI_##Name##_init_c(buf, m->n, MPI_BYTE, 1, 0, WORLD, &r)); \
			TAKES(OS, MPI_Start(&r));                                            \
			ENDS(m->sent, MPI_Wait(&r, NO_STATUS));                              \
			TAKES(0, MPI_Request_free(&r));                                      \
		}                                                                            \
	}
MODE(Send, send)
MODE(Bsend, bsend)
MODE(Ssend, ssend)
MODE(Rsend, rsend)

static void modes(void)
{
	static char attached[8 * LONG];
	void *detached;
	int size;

	MPI_Buffer_attach(attached, sizeof attached);
	MPI_Recv_init(buf, LONG, MPI_BYTE, 0, 0, WORLD, &request);
	for (int i = 0; i < 2; i++) {
		send(&standard[i]);
		bsend(&buffered[i]);
		ssend(&synchronous[i]);
		rsend(&standard[i]);
	}
	MPI_Request_free(&request);
	times_together();
	TAKES(0, MPI_Buffer_detach(&detached, &size)); /* everything has left long ago */
}

/* Both send to each other at once. */
static void exchanges(int n, double seconds)
{
	int peer = 1 - times_rank;
	MPI_Request r;

	times_together();
	if (times_rank > 1)
		return;
	TAKES(seconds, MPI_Sendrecv(buf, n, MPI_BYTE, peer, 0, other, n, MPI_BYTE, peer, 0, WORLD,
				    NO_STATUS));
	TAKES(seconds, MPI_Sendrecv_c(buf, n, MPI_BYTE, peer, 0, other, n, MPI_BYTE, peer, 0, WORLD,
				      NO_STATUS));
	TAKES(seconds, MPI_Sendrecv_replace(buf, n, MPI_BYTE, peer, 0, peer, 0, WORLD, NO_STATUS));
	TAKES(seconds,
	      MPI_Sendrecv_replace_c(buf, n, MPI_BYTE, peer, 0, peer, 0, WORLD, NO_STATUS));
	TAKES(OS, MPI_Isendrecv(buf, n, MPI_BYTE, peer, 0, other, n, MPI_BYTE, peer, 0, WORLD, &r));
	TAKES(seconds - OS, MPI_Wait(&r, NO_STATUS));
	TAKES(OS,
	      MPI_Isendrecv_c(buf, n, MPI_BYTE, peer, 0, other, n, MPI_BYTE, peer, 0, WORLD, &r));
	TAKES(seconds - OS, MPI_Wait(&r, NO_STATUS));
	TAKES(OS, MPI_Isendrecv_replace(buf, n, MPI_BYTE, peer, 0, peer, 0, WORLD, &r));
	TAKES(seconds - OS, MPI_Wait(&r, NO_STATUS));
	TAKES(OS, MPI_Isendrecv_replace_c(buf, n, MPI_BYTE, peer, 0, peer, 0, WORLD, &r));
	TAKES(seconds - OS, MPI_Wait(&r, NO_STATUS));
}

/* Several requests start one after the other; one that is freed goes on. */
static void starts(void)
{
	MPI_Request r[2];

	times_together();
	if (times_rank == 0) {
		MPI_Send_init(buf, EAGER, MPI_BYTE, 1, 0, WORLD, &r[0]);
		MPI_Send_init(buf, EAGER, MPI_BYTE, 2, 0, WORLD, &r[1]);
		TAKES(2 * OS, MPI_Startall(2, r));
		TAKES(0, MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		TAKES(0, MPI_Request_free(&r[0]));
		TAKES(0, MPI_Request_free(&r[1]));
		times_until(0.010); /* they are there */
		MPI_Isend(buf, LONG, MPI_BYTE, 3, 0, WORLD, &r[0]);
		TAKES(0, MPI_Request_free(&r[0]));
	} else if (times_rank == 3) {
		ENDS(0.010 + OS + RENDEZVOUS(LONG) + OR,
		     MPI_Recv(buf, LONG, MPI_BYTE, 0, 0, WORLD, NO_STATUS));
	} else {
		MPI_Recv(buf, EAGER, MPI_BYTE, 0, 0, WORLD, NO_STATUS);
	}
}

/* --- buffers: a flush waits until the message has left, LONG ones for their rendezvous --- */

static char attached[8 * LONG];

/* Whether the caller is to flush what it sent. */
static bool buffered_send(MPI_Comm comm, int n)
{
	times_together();
	if (times_rank == 0)
		MPI_Bsend(buf, n, MPI_BYTE, 1, 0, comm);
	else if (times_rank == 1)
		MPI_Recv(buf, n, MPI_BYTE, 0, 0, comm, NO_STATUS);
	return times_rank == 0;
}

static void flushes_of_process(int n, double left)
{
	MPI_Count large;
	void *address;
	MPI_Request r;
	int size;

	MPI_Buffer_attach(attached, sizeof attached);
	if (buffered_send(WORLD, n))
		ENDS(left, MPI_Buffer_flush());
	if (buffered_send(WORLD, n)) {
		TAKES(0, MPI_Buffer_iflush(&r));
		ENDS(left, MPI_Wait(&r, NO_STATUS));
	}
	if (buffered_send(WORLD, n)) {
		ENDS(left, MPI_Buffer_detach(&address, &size));
		MPI_Buffer_attach(attached, sizeof attached);
	}
	if (buffered_send(WORLD, n))
		ENDS(left, MPI_Buffer_detach_c(&address, &large));
	else
		MPI_Buffer_detach(&address, &size);
}

static void flushes_of_communicator(MPI_Comm comm, int n, double left)
{
	MPI_Count large;
	void *address;
	MPI_Request r;
	int size;

	MPI_Comm_attach_buffer(comm, attached, sizeof attached);
	if (buffered_send(comm, n))
		ENDS(left, MPI_Comm_flush_buffer(comm));
	if (buffered_send(comm, n)) {
		TAKES(0, MPI_Comm_iflush_buffer(comm, &r));
		ENDS(left, MPI_Wait(&r, NO_STATUS));
	}
	if (buffered_send(comm, n)) {
		ENDS(left, MPI_Comm_detach_buffer(comm, &address, &size));
		MPI_Comm_attach_buffer(comm, attached, sizeof attached);
	}
	if (buffered_send(comm, n))
		ENDS(left, MPI_Comm_detach_buffer_c(comm, &address, &large));
	else
		MPI_Comm_detach_buffer(comm, &address, &size);
}

static void flushes_of_session(MPI_Session session, MPI_Comm comm, int n, double left)
{
	MPI_Count large;
	void *address;
	MPI_Request r;
	int size;

	MPI_Session_attach_buffer(session, attached, sizeof attached);
	if (buffered_send(comm, n))
		ENDS(left, MPI_Session_flush_buffer(session));
	if (buffered_send(comm, n)) {
		TAKES(0, MPI_Session_iflush_buffer(session, &r));
		ENDS(left, MPI_Wait(&r, NO_STATUS));
	}
	if (buffered_send(comm, n)) {
		ENDS(left, MPI_Session_detach_buffer(session, &address, &size));
		MPI_Session_attach_buffer(session, attached, sizeof attached);
	}
	if (buffered_send(comm, n))
		ENDS(left, MPI_Session_detach_buffer_c(session, &address, &large));
	else
		MPI_Session_detach_buffer(session, &address, &size);
}

static void flushes(int n, double left)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "times", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	flushes_of_process(n, left);
	flushes_of_communicator(comm, n, left);
	flushes_of_session(session, comm, n, left);
	MPI_Comm_free(&comm);
	MPI_Group_free(&group);
	MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("sends");
	modes();
	exchanges(EAGER, X(EAGER));
	exchanges(LONG, OS + RENDEZVOUS(LONG) + OR);
	starts();
	flushes(EAGER, OS + T(EAGER));
	flushes(LONG, OS + RENDEZVOUS(LONG));
	return times_end();
}
