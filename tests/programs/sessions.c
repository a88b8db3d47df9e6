/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions: several at a time and one after the other, before, beside and after MPI_Init. */
#include "check.h"

#ifdef MPICH_VERSION
#define HAS_BUFFERS 0 /* MPI 4.1 */
#else
#define HAS_BUFFERS 1
#endif

static MPI_Session begin(void)
{
	MPI_Session session = MPI_SESSION_NULL;

	CHECK_INT(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
	CHECK(session != MPI_SESSION_NULL);
	return session;
}

static MPI_Comm comm_of(MPI_Session session, const char *pset, const char *tag)
{
	MPI_Group group = MPI_GROUP_NULL;
	MPI_Comm comm = MPI_COMM_NULL;

	CHECK_INT(MPI_Group_from_session_pset(session, pset, &group), MPI_SUCCESS);
	MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
	MPI_Group_free(&group);
	return comm;
}

static int error_class(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

static void process_sets_have_names_and_sizes(void)
{
	MPI_Session session = begin();
	int n = 0, length, found = 0, flag = 0;
	char name[MPI_MAX_PSET_NAME_LEN], small[5], size[16];
	MPI_Info info;

	MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
	CHECK(n >= 2);
	for (int i = 0; i < n; i++) {
		length = 0;
		MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
		CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
		MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
		CHECK_INT(length, strlen(name) + 1);
		found += !strcmp(name, "mpi://WORLD") || !strcmp(name, "mpi://SELF");
		length = sizeof small;
		MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, small);
		CHECK(strlen(small) == 4 && !strncmp(small, name, 4));
#ifndef MPICH_VERSION /* gives what there was room for */
		CHECK_INT(length, strlen(name) + 1);
#endif
	}
	CHECK_INT(found, 2);
	MPI_Session_get_pset_info(session, "mpi://SELF", &info);
	length = sizeof size;
	MPI_Info_get_string(info, "mpi_size", &length, size, &flag);
	CHECK(flag && !strcmp(size, "1"));
	MPI_Info_free(&info);
	MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
	length = sizeof size;
	MPI_Info_get_string(info, "mpi_size", &length, size, &flag);
	CHECK(flag && atoi(size) == n_ranks);
	MPI_Info_free(&info);
	MPI_Session_finalize(&session);
	CHECK(session == MPI_SESSION_NULL);
}

static void a_session_tells_its_thread_level(void)
{
	MPI_Session session = MPI_SESSION_NULL;
	MPI_Info hints, used;
	char level[64] = "";
	int flag = 0, length = sizeof level;

	MPI_Info_create(&hints); /* before MPI */
	MPI_Info_set(hints, "thread_level", "MPI_THREAD_SINGLE");
	MPI_Session_init(hints, MPI_ERRORS_RETURN, &session);
	MPI_Info_free(&hints);
	MPI_Session_get_info(session, &used);
	MPI_Info_get_string(used, "thread_level", &length, level, &flag);
	CHECK(flag && !strncmp(level, "MPI_THREAD_", 11));
	MPI_Info_free(&used);
	MPI_Session_finalize(&session);
}

static void communicators_of_two_sessions_are_apart(void)
{
	MPI_Session first = begin(), second = begin();
	MPI_Comm a = comm_of(first, "mpi://WORLD", "org.test.a"),
		 b = comm_of(second, "mpi://WORLD", "org.test.b"), self;
	int size, rank, right, left, x, y, flag = 1;
	MPI_Request requests[2];

	MPI_Comm_size(a, &size);
	MPI_Comm_rank(a, &rank);
	CHECK_INT(size, n_ranks);
	CHECK_INT(rank, me);
	right = (me + 1) % n_ranks;
	left = (me + n_ranks - 1) % n_ranks;
	MPI_Irecv(&x, 1, MPI_INT, left, 0, a, &requests[0]);
	MPI_Irecv(&y, 1, MPI_INT, left, 0, b, &requests[1]);
	MPI_Send(&(int){me + 100}, 1, MPI_INT, right, 0, b);
	MPI_Send(&(int){me}, 1, MPI_INT, right, 0, a);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	CHECK_INT(x, left);
	CHECK_INT(y, left + 100);
	MPI_Comm_free(&a);
	MPI_Session_finalize(&first); /* the other one goes on */
	MPI_Allreduce(&(int){me}, &x, 1, MPI_INT, MPI_SUM, b);
	CHECK_INT(x, n_ranks * (n_ranks - 1) / 2);
	MPI_Comm_free(&b);
	self = comm_of(second, "mpi://self", "org.test.self");
	if (self != MPI_COMM_NULL) { /* upper or lower case */
		MPI_Comm_size(self, &size);
		CHECK_INT(size, 1);
		MPI_Comm_free(&self);
	}
	MPI_Session_finalize(&second);
	MPI_Initialized(&flag);
	CHECK(!flag);
}

#ifndef MPICH_VERSION /* asks other handlers than the session's */
static int n_handled, handled_class;

static void count_error(MPI_Session *session, int *code, ...)
{
	n_handled++;
	handled_class = error_class(*code);
}

static void errors_go_to_the_sessions_handler(void)
{
	MPI_Session session;
	MPI_Errhandler handler, got;
	MPI_Group group;
	int n, length = 0;

	MPI_Session_create_errhandler(count_error, &handler); /* before MPI */
	CHECK_INT(MPI_Session_init(MPI_INFO_NULL, handler, &session), MPI_SUCCESS);
	n_handled = 0;
	CHECK_INT(error_class(MPI_Group_from_session_pset(session, "mpi://NOBODY", &group)),
		  MPI_ERR_ARG);
	CHECK_INT(n_handled, 1);
	CHECK_INT(handled_class, MPI_ERR_ARG);
	MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
	CHECK_INT(n_handled, 2);
	CHECK_INT(handled_class, MPI_ERR_OTHER);
	MPI_Session_get_errhandler(session, &got);
	CHECK(got == handler);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&handler);
	MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
	CHECK_INT(error_class(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1000, &length, NULL)),
		  MPI_ERR_ARG);
	CHECK_INT(error_class(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL)), MPI_ERR_ARG);
	CHECK_INT(n_handled, 2);
	MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
	MPI_Session_finalize(&session);
}
#endif

/* A buffered send takes the buffer of the communicator, else of its session. */
static void buffers_of_sessions_serve_their_communicators(void)
{
#if HAS_BUFFERS
	MPI_Session session = begin();
	MPI_Comm comm = comm_of(session, "mpi://WORLD", "org.test.buffer"), child;
	static char buffer[1000 + MPI_BSEND_OVERHEAD];
	int right = (me + 1) % n_ranks, left = (me + n_ranks - 1) % n_ranks, size = 0, got = -1;
	void *address = NULL;
	MPI_Request request;

	MPI_Comm_dup(comm, &child);
	CHECK_INT(error_class(MPI_Bsend(&me, 1, MPI_INT, right, 0, child)), MPI_ERR_BUFFER);
	MPI_Session_attach_buffer(session, buffer, sizeof buffer);
	CHECK_INT(error_class(MPI_Session_attach_buffer(session, buffer, 8)), MPI_ERR_BUFFER);
	CHECK_INT(MPI_Bsend(&me, 1, MPI_INT, right, 0, child), MPI_SUCCESS);
	MPI_Recv(&got, 1, MPI_INT, left, 0, child, MPI_STATUS_IGNORE);
	CHECK_INT(got, left);
	MPI_Session_iflush_buffer(session, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Session_flush_buffer(session);
	MPI_Session_detach_buffer(session, &address, &size);
	CHECK(address == buffer);
	CHECK_INT(size, sizeof buffer);
	CHECK_INT(error_class(MPI_Session_attach_buffer_c(session, buffer, -1)), MPI_ERR_ARG);
	CHECK_INT(error_class(MPI_Session_iflush_buffer(session, NULL)), MPI_ERR_ARG);
	MPI_Comm_free(&child);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
#endif
}

#ifndef MPICH_VERSION
static void sessions_and_the_world_model_mix(void)
{
	MPI_Session outer, late;
	MPI_Comm comm;
	int flag = 0, sum = 0;

	outer = begin();
	comm = comm_of(outer, "mpi://WORLD", "org.test.outer");
	MPI_Init(NULL, NULL);
	MPI_Initialized(&flag);
	CHECK(flag);
	MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK_INT(sum, n_ranks);
	MPI_Finalize();
	MPI_Finalized(&flag);
	CHECK(flag);
	MPI_Allreduce(&(int){2}, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK_INT(sum, 2 * n_ranks);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&outer);
	late = begin(); /* after everything has ended once */
	comm = comm_of(late, "mpi://WORLD", "org.test.late");
	MPI_Allreduce(&(int){3}, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK_INT(sum, 3 * n_ranks);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&late);
}
#endif

int main(void)
{
	MPI_Session session = begin();

	check_comm = comm_of(session, "mpi://WORLD", "org.test.report");
	MPI_Comm_rank(check_comm, &me);
	MPI_Comm_size(check_comm, &n_ranks);
	process_sets_have_names_and_sizes();
	a_session_tells_its_thread_level();
	section_end("process sets");
	communicators_of_two_sessions_are_apart();
	section_end("communicators");
#ifndef MPICH_VERSION
	errors_go_to_the_sessions_handler();
#endif
	section_end("errors");
	buffers_of_sessions_serve_their_communicators();
	section_end("buffers");
#ifndef MPICH_VERSION /* ends for good with the last session, or the first MPI_Finalize */
	MPI_Comm_free(&check_comm);
	MPI_Session_finalize(&session);
	sessions_and_the_world_model_mix();
	session = begin();
	check_comm = comm_of(session, "mpi://WORLD", "org.test.end");
#endif
	section_end("with the World model");
	MPI_Comm_free(&check_comm);
	MPI_Session_finalize(&session);
	return check_total ? 1 : 0;
}
