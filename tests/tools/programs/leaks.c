/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes one MPI object of every kind; with the argument "free" it frees them all. */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>

static struct {
	MPI_Comm comm;
	MPI_Group group;
	MPI_Datatype type;
	MPI_Op op;
	MPI_Info info;
	MPI_Errhandler errhandler;
	MPI_Win win;
	MPI_Session session;
	MPI_Request receive, persistent;
	int comm_keyval, type_keyval, win_keyval;
	int buffer, memory;
} made;

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void handle(MPI_Comm *comm, int *code, ...)
{
}

static void make(void)
{
	MPI_Comm_dup(MPI_COMM_WORLD, &made.comm);
	MPI_Comm_group(MPI_COMM_WORLD, &made.group);
	MPI_Type_contiguous(3, MPI_INT, &made.type);
	MPI_Op_create(add, 1, &made.op);
	MPI_Info_create(&made.info);
	MPI_Comm_create_errhandler(handle, &made.errhandler);
	MPI_Win_create(&made.memory, sizeof made.memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
		       &made.win);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made.session);
	MPI_Irecv(&made.buffer, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &made.receive);
	MPI_Send_init(&made.buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &made.persistent);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made.comm_keyval,
			       NULL);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &made.type_keyval,
			       NULL);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &made.win_keyval, NULL);
}

static void destroy(void)
{
	MPI_Comm_free(&made.comm);
	MPI_Group_free(&made.group);
	MPI_Type_free(&made.type);
	MPI_Op_free(&made.op);
	MPI_Info_free(&made.info);
	MPI_Errhandler_free(&made.errhandler);
	MPI_Win_free(&made.win);
	MPI_Session_finalize(&made.session);
	MPI_Wait(&made.receive, MPI_STATUS_IGNORE);
	MPI_Request_free(&made.persistent);
	MPI_Comm_free_keyval(&made.comm_keyval);
	MPI_Type_free_keyval(&made.type_keyval);
	MPI_Win_free_keyval(&made.win_keyval);
}

static int free_late(MPI_Comm comm, int keyval, void *value, void *extra)
{
	return MPI_Comm_free(value);
}

/* What a program need not free, and what is still in use although it was freed. */
static void use(void)
{
	static MPI_Comm late;
	MPI_Errhandler predefined;
	MPI_Datatype real, inner, outer;
	MPI_Request request;
	int keyval, value = 1;

	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &predefined);
	MPI_Type_create_f90_real(6, 30, &real);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, made.errhandler);
	MPI_Comm_set_attr(MPI_COMM_WORLD, made.comm_keyval, &value);
	MPI_Type_contiguous(2, MPI_INT, &inner);
	MPI_Type_contiguous(2, inner, &outer);
	MPI_Type_free(&inner);
	MPI_Type_free(&outer);
	MPI_Isend(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
	MPI_Request_free(&request);
	MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	/* freed within MPI_Finalize, as libraries do */
	MPI_Comm_dup(MPI_COMM_SELF, &late);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_late, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &late);
	MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	mpisim_add_compute_time(0); /* it computes nothing, and says so */
	make();
	if (argc > 1 && strcmp(argv[1], "free") == 0) {
		use();
		destroy();
	}
	return MPI_Finalize();
}
