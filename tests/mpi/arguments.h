/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_ARGUMENTS_H
#define TESTS_MPI_ARGUMENTS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * What the calls that classes.py writes are given: an argument of every sort that is right where
 * the function's own rules do not forbid it. For any number of ranks; make_arguments is collective.
 */

/* What functions write handles to. */
struct fresh {
	MPI_Comm comm;
	MPI_Group group;
	MPI_Datatype datatype;
	MPI_Op op;
	MPI_Win win;
	MPI_File file;
	MPI_Request request;
	MPI_Info info;
	MPI_Errhandler errhandler;
	MPI_Session session;
	MPI_Message message;
};

enum { ROOM = 4096, N = 64, MAX_PARAMETERS = 24 };

static _Alignas(16) char scratch[MAX_PARAMETERS][ROOM];
static int none[N], ones[N];
static MPI_Count large_none[N], large_ones[N];
static MPI_Datatype types[N], vector;
static MPI_Request requests[N], request, partitioned;
static MPI_Info infos[N], info;
static MPI_Comm comm, grid, graph, dist_graph;
static MPI_Group group;
static MPI_Win win, dynamic;
static MPI_File file;
static MPI_Session session;
static MPI_T_pvar_session tool_session;
static int keyval, win_keyval, type_keyval, error_class;
static char path[ROOM];

static inline struct fresh *fresh(void)
{
	static struct fresh all;

	all = (struct fresh){.message = MPI_MESSAGE_NO_PROC};
	return &all;
}

static inline void make_arrays(void)
{
	for (int i = 0; i < N; i++) {
		ones[i] = 1;
		large_ones[i] = 1;
		types[i] = MPI_INT;
		requests[i] = MPI_REQUEST_NULL;
		infos[i] = MPI_INFO_NULL;
	}
	snprintf(path, sizeof path, "%s/classes-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
		 (int)getpid());
}

static inline void make_communicators(void)
{
	int size, self;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_group(comm, &group);
	MPI_Comm_size(comm, &size);
	MPI_Comm_rank(comm, &self);
	MPI_Cart_create(comm, 1, &size, ones, 0, &grid);
	MPI_Graph_create(comm, size, size == 1 ? ones : none, none, 0, &graph);
	MPI_Dist_graph_create_adjacent(comm, 1, &self, MPI_UNWEIGHTED, 1, &self, MPI_UNWEIGHTED,
				       MPI_INFO_NULL, 0, &dist_graph);
}

static inline void make_objects(void)
{
	void *memory;

	MPI_Type_vector(1, 1, 1, MPI_INT, &vector);
	MPI_Win_allocate(ROOM, 1, MPI_INFO_NULL, comm, &memory, &win);
	MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &dynamic);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
	MPI_Win_lock_all(0, win);
	MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value");
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_keyval, NULL);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL);
	MPI_Add_error_class(&error_class);
	MPI_Recv_init(scratch[0], 1, MPI_INT, 0, 0, comm, &request);
	MPI_Psend_init(scratch[0], 2, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &partitioned);
	MPI_Start(&partitioned);
}

static inline void make_arguments(void)
{
	int provided;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_pvar_session_create(&tool_session);
	make_arrays();
	make_communicators();
	make_objects();
}

#endif
