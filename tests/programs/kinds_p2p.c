/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to send, over every kind of communicator, of every kind of datatype. */
#include "kinds.h"

/* What sends; the persistent ones have an init function of the same arguments as a nonblocking one.
 */
typedef int (*blocking_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*nonblocking_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static const blocking_fn blocking[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
static const nonblocking_fn nonblocking[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
static const nonblocking_fn persistent[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init,
					    MPI_Rsend_init};

enum { TAG = 5, N_MODES = 12 };

static void send(int mode, const char *items, const struct kind *kind, int to, MPI_Comm comm)
{
	MPI_Request request;

	if (mode < 4) {
		blocking[mode](items, N_ITEMS, kind->type, to, TAG, comm);
		return;
	}
	(mode < 8 ? nonblocking[mode - 4] : persistent[mode - 8])(items, N_ITEMS, kind->type, to,
								  TAG, comm, &request);
	if (mode >= 8)
		MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (mode >= 8)
		MPI_Request_free(&request);
}

static void check_status(MPI_Status *status, const struct kind *kind, int from)
{
	int count;

	if (from == MPI_PROC_NULL)
		return;
	MPI_Get_count(status, kind->type, &count);
	CHECK(status->MPI_SOURCE == from && status->MPI_TAG == TAG);
	CHECK(count == N_ITEMS);
}

/* To the next and from the one before; over an intercommunicator both are the process opposite,
 * which not all have. */
static void find_partners(const struct one_comm *one, int *to, int *from)
{
	if (!one->is_inter) {
		*to = (one->rank + 1) % one->n_others;
		*from = (one->rank + one->n_others - 1) % one->n_others;
	} else {
		*to = *from = one->rank < one->n_others ? one->rank : MPI_PROC_NULL;
	}
}

static unsigned char *expected(const struct one_comm *one, const struct kind *kind, int from)
{
	return from == MPI_PROC_NULL ? empty_buffer(kind, N_ITEMS)
				     : filled_buffer(kind, N_ITEMS, one->others[from]);
}

static void ring(const struct one_comm *one, const struct kind *kind)
{
	unsigned char *out = filled_buffer(kind, N_ITEMS, me);
	int to, from;

	find_partners(one, &to, &from);
	for (int mode = 0; mode < N_MODES; mode++) {
		unsigned char *in = empty_buffer(kind, N_ITEMS);
		MPI_Request request;
		MPI_Status status;

		MPI_Irecv(origin(kind, in), N_ITEMS, kind->type, from, TAG, one->comm, &request);
		MPI_Barrier(one->comm); /* for ready mode */
		send(mode, origin(kind, out), kind, to, one->comm);
		MPI_Wait(&request, &status);
		check_status(&status, kind, from);
		CHECK(same(kind, in, expected(one, kind, from), N_ITEMS));
	}
	free(out);
}

static void exchange(const struct one_comm *one, const struct kind *kind)
{
	unsigned char *out = filled_buffer(kind, N_ITEMS, me), *in = empty_buffer(kind, N_ITEMS);
	MPI_Status status;
	int to, from;

	find_partners(one, &to, &from);
	MPI_Sendrecv(origin(kind, out), N_ITEMS, kind->type, to, TAG, origin(kind, in), N_ITEMS,
		     kind->type, from, TAG, one->comm, &status);
	check_status(&status, kind, from);
	CHECK(same(kind, in, expected(one, kind, from), N_ITEMS));
	MPI_Sendrecv_replace(origin(kind, out), N_ITEMS, kind->type, to, TAG, from, TAG, one->comm,
			     &status);
	check_status(&status, kind, from);
	CHECK(same(kind, out,
		   from == MPI_PROC_NULL ? filled_buffer(kind, N_ITEMS, me)
					 : expected(one, kind, from),
		   N_ITEMS));
}

/* Packed here and received as items; sent from an absolute address and received packed. */
static void pack_and_bottom(const struct one_comm *one, const struct kind *kind)
{
	unsigned char *out = filled_buffer(kind, N_ITEMS, me), *in = empty_buffer(kind, N_ITEMS);
	int to, from, size, at = 0, count = N_ITEMS;
	MPI_Request request;
	MPI_Datatype there, type = kind->type;
	MPI_Aint address;
	char *packed;

	find_partners(one, &to, &from);
	MPI_Pack_size(N_ITEMS, kind->type, one->comm, &size);
	packed = malloc((size_t)size);
	MPI_Pack(origin(kind, out), N_ITEMS, kind->type, packed, size, &at, one->comm);
	MPI_Irecv(origin(kind, in), N_ITEMS, kind->type, from, TAG, one->comm, &request);
	MPI_Send(packed, at, MPI_PACKED, to, TAG, one->comm);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(same(kind, in, expected(one, kind, from), N_ITEMS));

	MPI_Get_address(origin(kind, out), &address);
	MPI_Type_create_struct(1, &count, &address, &type, &there);
	MPI_Type_commit(&there);
	in = empty_buffer(kind, N_ITEMS);
	MPI_Irecv(packed, size, MPI_PACKED, from, TAG, one->comm, &request);
	MPI_Send(MPI_BOTTOM, 1, there, to, TAG, one->comm);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	at = 0;
	if (from != MPI_PROC_NULL)
		MPI_Unpack(packed, size, &at, origin(kind, in), N_ITEMS, kind->type, one->comm);
	CHECK(same(kind, in, expected(one, kind, from), N_ITEMS));
	MPI_Type_free(&there);
	free(packed);
	free(out);
}

/* Everybody to everybody, itself included; who comes is taken in the order of arrival. */
static void from_anybody(const struct one_comm *one, const struct kind *kind)
{
	unsigned char *out = filled_buffer(kind, N_ITEMS, me),
		      **in = malloc((size_t)one->n_others * sizeof *in);
	MPI_Request *requests = malloc((size_t)one->n_others * sizeof *requests);
	MPI_Status status;

	for (int i = 0; i < one->n_others; i++) {
		in[i] = empty_buffer(kind, N_ITEMS);
		MPI_Isend(origin(kind, out), N_ITEMS, kind->type, i, TAG, one->comm, &requests[i]);
	}
	for (int i = 0; i < one->n_others; i++) {
		int from;

		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, one->comm, &status);
		from = status.MPI_SOURCE;
		check_status(&status, kind, from);
		MPI_Recv(origin(kind, in[from]), N_ITEMS, kind->type, from, TAG, one->comm,
			 &status);
		check_status(&status, kind, from);
	}
	MPI_Waitall(one->n_others, requests, MPI_STATUSES_IGNORE);
	MPI_Barrier(one->comm); /* what comes now is of the next test */
	for (int i = 0; i < one->n_others; i++)
		CHECK(same(kind, in[i], expected(one, kind, i), N_ITEMS));
	free(out);
	free(in);
	free(requests);
}

static void with_all(void (*test)(const struct one_comm *, const struct kind *), const char *name)
{
	for (int i = 0; i < n_comms; i++)
		for (int k = 0; k < n_kinds; k++)
			test(&comms[i], &kinds[k]);
	section_end(name);
}

int main(int argc, char **argv)
{
	int size = 1 << 20;
	char *buffer = malloc((size_t)size);

	check_init(&argc, &argv);
	MPI_Buffer_attach(buffer, size);
	make_kinds();
	make_comms();
	with_all(ring, "a ring in every mode");
	with_all(exchange, "exchanges");
	with_all(pack_and_bottom, "packed, and from absolute addresses");
	with_all(from_anybody, "from anybody");
	free_comms();
	free_kinds();
	MPI_Buffer_detach(&buffer, &size);
	free(buffer);
	return check_finish();
}
