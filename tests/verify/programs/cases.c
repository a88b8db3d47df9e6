/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors in the use of MPI, each by its name: cases NAME, on two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void fine(void)
{
	int value = 1;

	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void wrong_tag(void)
{
	int value = 0;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD);
}

static void wrong_tags(void)
{
	MPI_Request request;
	int value = 0, other;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD, &request);
	MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD, &request);
	MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, -5, &other, 1, MPI_INT, MPI_PROC_NULL, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_order(void)
{
	int value = 0;

	if (rank == 0)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void lost_comm(void)
{
	MPI_Comm comm;

	for (int i = 0; i < 3; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

/* --- datatypes --- */

/* Rank 0 sends `n_out` of `out`, rank 1 receives up to `n_in` of `in`. */
static void exchange(int n_out, MPI_Datatype out, int n_in, MPI_Datatype in)
{
	static char buffer[256];

	if (rank == 0)
		MPI_Send(buffer, n_out, out, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(buffer, n_in, in, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Datatype make_pairs(void)
{
	MPI_Datatype type, types[2] = {MPI_INT, MPI_DOUBLE};
	MPI_Aint displacements[2] = {0, 8};

	MPI_Type_create_struct(2, (int[]){1, 1}, displacements, types, &type);
	MPI_Type_commit(&type);
	return type;
}

static void other_type(void)
{
	exchange(1, MPI_INT, 1, MPI_FLOAT);
}

static void bytes_for_ints(void)
{
	exchange(4, MPI_BYTE, 1, MPI_INT);
}

static void double_for_ints(void)
{
	exchange(1, MPI_DOUBLE, 2, MPI_INT);
}

static void shorter_message(void)
{
	exchange(2, MPI_INT, 5, MPI_INT);
}

static void struct_as_elements(void)
{
	MPI_Datatype pairs = make_pairs(), vector;

	MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
	MPI_Type_commit(&vector);
	exchange(2, pairs, 3, pairs);	 /* the receive takes the beginning */
	exchange(1, vector, 6, MPI_INT); /* six integers, wherever they lie */
	exchange(24, MPI_PACKED, 6, MPI_INT);
	MPI_Type_free(&pairs);
	MPI_Type_free(&vector);
}

static void struct_in_other_order(void)
{
	MPI_Datatype pairs = make_pairs(), swapped, types[2] = {MPI_DOUBLE, MPI_INT};
	MPI_Aint displacements[2] = {0, 8};

	MPI_Type_create_struct(2, (int[]){1, 1}, displacements, types, &swapped);
	MPI_Type_commit(&swapped);
	exchange(1, pairs, 1, swapped);
	MPI_Type_free(&pairs);
	MPI_Type_free(&swapped);
}

/* --- collectives --- */

static void bcast_of_other_type(void)
{
	int value = 0;

	MPI_Bcast(&value, 1, rank ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
}

static void bcast_of_other_count(void)
{
	int values[4] = {0};

	MPI_Bcast(values, rank ? 4 : 3, MPI_INT, 0, MPI_COMM_WORLD);
}

static void gather_of_other_type(void)
{
	int value = 0, all[2];

	MPI_Gather(&value, 1, rank ? MPI_FLOAT : MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void gatherv_of_other_count(void)
{
	int values[4] = {0}, all[8], counts[2] = {2, 3}, displacements[2] = {0, 4};

	MPI_Gatherv(values, 2, MPI_INT, all, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD);
}

static void right_collectives(void)
{
	int values[4] = {0}, all[8], counts[2] = {2, 3}, displacements[2] = {0, 4};

	MPI_Gatherv(values, 2 + rank, MPI_INT, all, counts, displacements, MPI_INT, 0,
		    MPI_COMM_WORLD);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, MPI_COMM_WORLD);
	MPI_Alltoallv(values, counts, displacements, MPI_INT, all, (int[]){2 + rank, 2 + rank},
		      displacements, MPI_INT, MPI_COMM_WORLD);
	MPI_Scatter(all, 4, MPI_INT, values, 4, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Reduce_scatter(all, values, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoallv_of_other_count(void)
{
	int values[4] = {0}, all[8], counts[2] = {2, 1}, displacements[2] = {0, 4};

	if (rank == 1)
		counts[1] = 2;
	MPI_Alltoallv(values, counts, (int[]){0, 0}, MPI_INT, all, (int[]){2, 2}, displacements,
		      MPI_INT, MPI_COMM_WORLD);
}

static void other_root(void)
{
	int value = 0;

	MPI_Bcast(&value, 1, MPI_INT, rank, MPI_COMM_WORLD);
}

static void other_op(void)
{
	int value = 0, sum;

	MPI_Allreduce(&value, &sum, 1, MPI_INT, rank ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

static void other_end(void)
{
	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
}

/* --- requests --- */

static void freed_receive(void)
{
	static int value;
	MPI_Request request;

	if (rank == 1) {
		MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
		MPI_Request_free(&request);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

static void never_started(void)
{
	static int value;
	MPI_Request request;

	MPI_Send_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
}

static void never_completed(void)
{
	static int value[2];
	MPI_Request request;

	MPI_Irecv(value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
	MPI_Send(value + 1, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void started_twice(void)
{
	static int value;
	MPI_Request request;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
	MPI_Start(&request);
	MPI_Start(&request);
	MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
}

static void persistent(void)
{
	static int in, out;
	MPI_Request requests[2];

	MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

/* --- messages that others find --- */

static void probes(void)
{
	int value = 0, flag = 0;
	MPI_Message message;
	MPI_Status status;

	if (rank == 0) {
		MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
		MPI_Ssend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
		return;
	}
	MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
	MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	while (!flag)
		MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probed_as_other_type(void)
{
	float value = 0;
	MPI_Message message;

	if (rank == 0) {
		MPI_Send(&value, 1, MPI_FLOAT, 1, 1, MPI_COMM_WORLD);
		return;
	}
	MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void other_tag(void)
{
	int value = 0;

	if (rank == 0)
		MPI_Ssend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks 0 and 1 wait for each other while the others go on for a while. */
static void some_wait(void)
{
	int value = 0, flag;

	if (rank < 2)
		MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 20000; i++)
		MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* --- windows --- */

static void fence_and_lock(void)
{
	static int memory;
	MPI_Win win;

	MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	MPI_Win_unlock(1, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static void fence_then_lock(void)
{
	static int memory;
	MPI_Win win;

	MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	MPI_Win_unlock(1, win);
	MPI_Win_free(&win);
}

/* Each rank is a group; nobody says that it is the root. */
static void between_groups_without_root(void)
{
	MPI_Comm inter;
	int x = 0;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
	MPI_Bcast(&x, 1, MPI_INT, 0, inter);
	MPI_Comm_free(&inter);
}

static void allgatherv_of_other_type(void)
{
	static const int counts[] = {1, 1}, displs[] = {0, 1};
	int in = 0;
	float out[2];

	MPI_Allgatherv(&in, 1, MPI_INT, out, counts, displs, MPI_FLOAT, MPI_COMM_WORLD);
}

/* The error ends the run. */
static void null_buffer(void)
{
	MPI_Bcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* The other side comes later, by other kinds of calls. */
/* The run ends while a message is on its way to a receive from any source. */
static void abort_in_flight(void)
{
	int x = 0;

	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void mixed_calls(void)
{
	int x[4] = {0}, n = 0;
	MPI_Request requests[4];

	if (rank == 0) {
		MPI_Send(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* received by MPI_Irecv */
		MPI_Ssend(x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
		MPI_Isend(x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[n++]);
		MPI_Isend(x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[n++]);
		MPI_Send(x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
		MPI_Recv(x + 1, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Irecv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[n++]);
		MPI_Recv(x + 1, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(x + 1, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(x + 1, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Recv(x + 1, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Isend(x + 2, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[n++]);
	}
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void wild_of_other_type(void)
{
	float f = 0;
	int i = 0;

	if (rank == 0)
		MPI_Send(&f, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&i, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"fine", fine},
    {"wrong-tag", wrong_tag},
    {"wrong-tags", wrong_tags},
    {"wrong-order", wrong_order},
    {"abort-in-flight", abort_in_flight},
    {"lost-comm", lost_comm},
    {"other-type", other_type},
    {"bytes-for-ints", bytes_for_ints},
    {"double-for-ints", double_for_ints},
    {"shorter-message", shorter_message},
    {"struct-as-elements", struct_as_elements},
    {"struct-in-other-order", struct_in_other_order},
    {"bcast-of-other-type", bcast_of_other_type},
    {"bcast-of-other-count", bcast_of_other_count},
    {"gather-of-other-type", gather_of_other_type},
    {"gatherv-of-other-count", gatherv_of_other_count},
    {"right-collectives", right_collectives},
    {"alltoallv-of-other-count", alltoallv_of_other_count},
    {"other-root", other_root},
    {"other-op", other_op},
    {"other-end", other_end},
    {"freed-receive", freed_receive},
    {"never-started", never_started},
    {"never-completed", never_completed},
    {"started-twice", started_twice},
    {"persistent", persistent},
    {"probes", probes},
    {"probed-as-other-type", probed_as_other_type},
    {"other-tag", other_tag},
    {"some-wait", some_wait},
    {"fence-and-lock", fence_and_lock},
    {"fence-then-lock", fence_then_lock},
    {"between-groups-without-root", between_groups_without_root},
    {"allgatherv-of-other-type", allgatherv_of_other_type},
    {"null-buffer", null_buffer},
    {"mixed-calls", mixed_calls},
    {"wild-of-other-type", wild_of_other_type},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	MPI_Finalize();
	return 0;
}
