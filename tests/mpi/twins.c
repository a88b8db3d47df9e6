/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large-count twins, nonblocking and persistent forms of every collective, and what else no other
 * program calls: each does what the plain blocking form does, and says MPI_ERR_COUNT to a negative
 * count. Run on 4 ranks.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/cases.h"

enum { N = 4, LENGTH = 64, COUNT = 2 };
enum form { BLOCKING, BLOCKING_C, NONBLOCKING, NONBLOCKING_C, PERSISTENT, PERSISTENT_C, N_FORMS };

static MPI_Comm comm; /* a ring of four, with MPI_ERRORS_RETURN */
static int in[LENGTH], out[LENGTH], wanted[LENGTH];
static int counts[N], displs[N], byte_displs[N];
static MPI_Count large_counts[N];
static MPI_Aint large_displs[N], large_byte_displs[N];
static MPI_Datatype types[N];

struct collective {
	const char *name;
	int (*start)(enum form form, int n, MPI_Request *request);
};
/* start_X for each form of X, and the table `collectives`. */
#include "tests/mpi/twins-collectives.h"

static void set_counts(int n)
{
	for (int i = 0; i < N; i++) {
		counts[i] = n;
		large_counts[i] = n;
	}
}

/* What the form leaves in `out`. */
static void run_form(const struct collective *c, enum form form)
{
	MPI_Request request = MPI_REQUEST_NULL;

	set_counts(COUNT);
	for (int i = 0; i < LENGTH; i++) {
		in[i] = 1000 * rank + i;
		out[i] = -1 - rank;
	}
	expect(c->name, c->start(form, COUNT, &request), MPI_SUCCESS);
	if (form >= PERSISTENT)
		MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (form >= PERSISTENT)
		MPI_Request_free(&request);
}

static void check_negative(const struct collective *c, enum form form)
{
	MPI_Request request = MPI_REQUEST_NULL;
	int class = -1;

	set_counts(-1);
	MPI_Error_class(c->start(form, -1, &request), &class);
	expect("class of a negative count", class, MPI_ERR_COUNT);
	expect("no request", request == MPI_REQUEST_NULL, 1);
}

static void collective_forms(void)
{
	for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
		for (int form = 0; form < N_FORMS; form++) {
			run_form(&collectives[i], form);
			if (form == BLOCKING)
				memcpy(wanted, out, sizeof out);
			expect(collectives[i].name, memcmp(out, wanted, sizeof out), 0);
			check_negative(&collectives[i], form);
		}
}

/* --- point to point: around the ring --- */

typedef int (*send_fn)(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int (*isend_fn)(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static const send_fn sends[] = {MPI_Send_c, MPI_Bsend_c, MPI_Ssend_c, MPI_Rsend_c};
static const isend_fn isends[] = {MPI_Isend_c,	    MPI_Ibsend_c,    MPI_Issend_c,
				  MPI_Irsend_c,	    MPI_Send_init_c, MPI_Bsend_init_c,
				  MPI_Ssend_init_c, MPI_Rsend_init_c};
enum { FIRST_PERSISTENT = 4 };

static int class_of(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

/* Posts a receive, sends by `send` or `isend`. */
static void pass_on(send_fn send, isend_fn isend, bool is_persistent)
{
	MPI_Request requests[2];
	int found = -1, next = (rank + 1) % N, value = 10 * rank;

	MPI_Irecv_c(&found, 1, MPI_INT, (rank + N - 1) % N, 1, comm, &requests[0]);
	MPI_Barrier(comm); /* ready sends need it */
	requests[1] = MPI_REQUEST_NULL;
	if (send)
		expect("send", send(&value, 1, MPI_INT, next, 1, comm), MPI_SUCCESS);
	else
		expect("isend", isend(&value, 1, MPI_INT, next, 1, comm, &requests[1]),
		       MPI_SUCCESS);
	if (is_persistent)
		MPI_Start(&requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	if (is_persistent)
		MPI_Request_free(&requests[1]);
	expect("received", found, 10 * ((rank + N - 1) % N));
}

static void send_forms(void)
{
	MPI_Request request = MPI_REQUEST_NULL;
	char *buffer = malloc(4096);
	MPI_Count size;
	int value = 0;

	MPI_Buffer_attach_c(buffer, 4096);
	for (size_t i = 0; i < sizeof sends / sizeof sends[0]; i++) {
		pass_on(sends[i], NULL, false);
		expect("count", class_of(sends[i](&value, -1, MPI_INT, 0, 1, comm)), MPI_ERR_COUNT);
		expect("rank", class_of(sends[i](&value, 1, MPI_INT, 9, 1, comm)), MPI_ERR_RANK);
		expect("type", class_of(sends[i](&value, 1, MPI_DATATYPE_NULL, 0, 1, comm)),
		       MPI_ERR_TYPE);
	}
	for (size_t i = 0; i < sizeof isends / sizeof isends[0]; i++) {
		pass_on(NULL, isends[i], i >= FIRST_PERSISTENT);
		expect("count", class_of(isends[i](&value, -1, MPI_INT, 0, 1, comm, &request)),
		       MPI_ERR_COUNT);
		expect("rank", class_of(isends[i](&value, 1, MPI_INT, 9, 1, comm, &request)),
		       MPI_ERR_RANK);
		expect("tag", class_of(isends[i](&value, 1, MPI_INT, 0, -7, comm, &request)),
		       MPI_ERR_TAG);
	}
	MPI_Buffer_detach_c(&buffer, &size);
	expect("size of the buffer", size, 4096);
	free(buffer);
}

static void exchanges(void)
{
	int next = (rank + 1) % N, before = (rank + N - 1) % N, value = rank, found = -1;
	MPI_Request request = MPI_REQUEST_NULL;

	MPI_Sendrecv_c(&value, 1, MPI_INT, next, 2, &found, 1, MPI_INT, before, 2, comm,
		       MPI_STATUS_IGNORE);
	expect("sendrecv", found, before);
	MPI_Sendrecv_replace_c(&value, 1, MPI_INT, next, 2, before, 2, comm, MPI_STATUS_IGNORE);
	expect("sendrecv_replace", value, before);
	MPI_Isendrecv_c(&value, 1, MPI_INT, before, 2, &found, 1, MPI_INT, next, 2, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("isendrecv", found, rank);
	MPI_Isendrecv_replace_c(&value, 1, MPI_INT, before, 2, next, 2, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("isendrecv_replace", value, rank);
	expect("count",
	       class_of(MPI_Sendrecv_replace_c(&value, -1, MPI_INT, 0, 2, 0, 2, comm,
					       MPI_STATUS_IGNORE)),
	       MPI_ERR_COUNT);
	expect("rank",
	       class_of(MPI_Isendrecv_c(&value, 1, MPI_INT, 9, 2, &found, 1, MPI_INT, 0, 2, comm,
					&request)),
	       MPI_ERR_RANK);
}

static void matched_receives(void)
{
	MPI_Message message;
	MPI_Request requests[2];
	int found[2] = {-1, -1}, value = 7;

	for (int i = 0; i < 2; i++) {
		MPI_Isend_c(&value, 1, MPI_INT, rank, i, comm, &requests[0]);
		MPI_Mprobe(rank, i, comm, &message, MPI_STATUS_IGNORE);
		if (i == 0) {
			MPI_Mrecv_c(&found[0], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
		} else {
			expect("a number",
			       MPI_Message_fromint(MPI_Message_toint(message)) == message, 1);
			MPI_Imrecv_c(&found[1], 1, MPI_INT, &message, &requests[1]);
			MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
		}
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		expect("matched", found[i], 7);
	}
}

/* --- within the rank --- */

static void statuses(void)
{
	MPI_Status status = {.MPI_TAG = 0};
	MPI_Count n = -1;
	int value = -1;

	MPI_Status_set_source(&status, 3);
	MPI_Status_get_source(&status, &value);
	expect("source", value, 3);
	MPI_Status_set_error(&status, MPI_ERR_OTHER);
	MPI_Status_get_error(&status, &value);
	expect("error", value, MPI_ERR_OTHER);
	MPI_Status_set_elements_c(&status, MPI_INT, 5);
	MPI_Get_elements_c(&status, MPI_INT, &n);
	expect("elements", n, 5);
	MPI_Status_set_elements_x(&status, MPI_INT, 6);
	MPI_Get_elements_c(&status, MPI_INT, &n);
	expect("elements again", n, 6);
}

/* Each makes a datatype of 8 bytes of data in 12. */
static void check_type(MPI_Datatype type)
{
	MPI_Count size = -1, low = -1, extent = -1, used = 0;
	char packed[64], external[64];
	int item[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0};

	MPI_Type_commit(&type);
	MPI_Type_size_c(type, &size);
	expect("size", size, 8);
	MPI_Type_size_x(type, &size);
	expect("size", size, 8);
	MPI_Type_get_true_extent_x(type, &low, &extent);
	expect("true extent", extent, 12);
	MPI_Type_get_extent_x(type, &low, &extent);
	expect("extent", extent, 12);
	MPI_Pack_size_c(2, type, comm, &size);
	expect("room", size >= 16 && size <= 64, 1);
	MPI_Pack_c(item, 2, type, packed, sizeof packed, &used, comm);
	expect("packed", used, 16);
	used = 0;
	MPI_Unpack_c(packed, sizeof packed, &used, back, 2, type, comm);
	expect("unpacked", back[0] == 1 && back[2] == 3 && back[3] == 4 && back[1] == 0, 1);
	MPI_Pack_external_size_c("external32", 2, type, &size);
	expect("external room", size, 16);
	used = 0;
	MPI_Pack_external_c("external32", item, 2, type, external, sizeof external, &used);
	memset(back, 0, sizeof back);
	used = 0;
	MPI_Unpack_external_c("external32", external, 16, &used, back, 2, type);
	expect("from external32", back[0] == 1 && back[2] == 3 && back[5] == 6 && back[4] == 0, 1);
	expect("count", class_of(MPI_Pack_c(item, -1, type, packed, 64, &used, comm)),
	       MPI_ERR_COUNT);
	MPI_Type_free(&type);
}

static void constructors(void)
{
	MPI_Count lengths[] = {1, 1}, places[] = {0, 2}, bytes[] = {0, 8};
	MPI_Datatype pair[] = {MPI_INT, MPI_INT}, type;

	MPI_Type_indexed_c(2, lengths, places, MPI_INT, &type);
	check_type(type);
	MPI_Type_create_hindexed_c(2, lengths, bytes, MPI_INT, &type);
	check_type(type);
	MPI_Type_create_hvector_c(2, 1, 8, MPI_INT, &type);
	check_type(type);
	MPI_Type_create_indexed_block_c(2, 1, places, MPI_INT, &type);
	check_type(type);
	MPI_Type_create_struct_c(2, lengths, bytes, pair, &type);
	check_type(type);
	expect("count", class_of(MPI_Type_create_hvector_c(-1, 1, 8, MPI_INT, &type)),
	       MPI_ERR_COUNT);
	expect("type", class_of(MPI_Type_indexed_c(2, lengths, places, MPI_DATATYPE_NULL, &type)),
	       MPI_ERR_TYPE);
}

static void subarrays(void)
{
	MPI_Count all[] = {2, 3}, part[] = {2, 1}, from[] = {0, 1};
	int item[6] = {1, 2, 3, 4, 5, 6}, column[2] = {0};
	MPI_Datatype type;

	MPI_Type_create_subarray_c(2, all, part, from, MPI_ORDER_C, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Sendrecv(item, 1, type, rank, 3, column, 2, MPI_INT, rank, 3, comm, MPI_STATUS_IGNORE);
	expect("column", column[0] == 2 && column[1] == 5, 1);
	MPI_Type_free(&type);
}

/* Every object has a number, and a window its hints. */
static void numbers_and_windows(void)
{
	MPI_Aint size = -1, unit = -1;
	MPI_Session session;
	MPI_Comm node;
	MPI_Info info;
	MPI_Win win;
	int *memory, *found = NULL, flag = 0;
	char value[10];

	MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "true");
	MPI_Win_allocate_shared_c(8, sizeof(int), info, node, &memory, &win);
	MPI_Info_free(&info);
	MPI_Win_shared_query_c(win, 0, &size, &unit, &found);
	expect("size", size, 8);
	expect("unit", unit, sizeof(int));
	expect("memory", found != NULL, 1);
	MPI_Win_get_info(win, &info);
	MPI_Info_get(info, "no_locks", sizeof value - 1, value, &flag);
	expect("hint", flag && strcmp(value, "true") == 0, 1);
	MPI_Info_free(&info);
	expect("window", MPI_Win_fromint(MPI_Win_toint(win)) == win, 1);
	MPI_Win_free(&win);
	MPI_Comm_free(&node);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	expect("session", MPI_Session_fromint(MPI_Session_toint(session)) == session, 1);
	MPI_Session_finalize(&session);
	expect("handler",
	       MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN,
	       1);
}

static const struct test_case cases[] = {
    {"collective_forms", collective_forms},
    {"send_forms", send_forms},
    {"exchanges", exchanges},
    {"matched_receives", matched_receives},
    {"statuses", statuses},
    {"constructors", constructors},
    {"subarrays", subarrays},
    {"numbers_and_windows", numbers_and_windows},
};

/* Makes what the cases share, and frees it. */
static void run_all(void)
{
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){N}, (int[]){1}, 0, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	for (int i = 0; i < N; i++) {
		displs[i] = COUNT * i;
		large_displs[i] = displs[i];
		byte_displs[i] = displs[i] * (int)sizeof(int);
		large_byte_displs[i] = byte_displs[i];
		types[i] = MPI_INT;
	}
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cases[i].run();
	MPI_Comm_free(&comm);
}

static const struct test_case all[] = {{"all", run_all}};

int main(int argc, char **argv)
{
	return run_case(argc, argv, all, 1);
}
