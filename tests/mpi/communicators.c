/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators, topologies and attributes where several ranks and messages are needed. Any number
 * of ranks on any cluster; prints what fails and exits 1, checks the order of the callbacks of
 * MPI_Finalize at exit.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures;

static void expect(const char *what, int found, int wanted)
{
	if (found != wanted) {
		printf("rank %d of %d: %s: found %d, wanted %d\n", rank, size, what, found, wanted);
		failures++;
	}
}

/* Rank 0 duplicates and then sends; the others receive and then duplicate: a nonblocking duplicate
 * must not wait for them. */
static void idup_does_not_wait(void)
{
	MPI_Comm copies[2];
	MPI_Request requests[2];
	int token = 7, sum = 0, result;

	if (rank > 0)
		MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
	MPI_Comm_idup(MPI_COMM_WORLD, &copies[1], &requests[1]);
	if (rank == 0)
		for (int i = 1; i < size; i++)
			MPI_Send(&token, 1, MPI_INT, i, 5, MPI_COMM_WORLD);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copies[1]);
	expect("sum over a duplicate", sum, size * (size - 1) / 2);
	MPI_Comm_compare(copies[0], copies[1], &result);
	expect("two duplicates", result, MPI_CONGRUENT);
	/* the same tag and peer, but two contexts: the later message of the first one must not
	 * match */
	if (rank == 0) {
		int first = 1, second = 2;

		for (int i = 1; i < size; i++) {
			MPI_Send(&second, 1, MPI_INT, i, 0, copies[1]);
			MPI_Send(&first, 1, MPI_INT, i, 0, copies[0]);
		}
	} else {
		MPI_Recv(&token, 1, MPI_INT, 0, 0, copies[0], MPI_STATUS_IGNORE);
		expect("message of the first duplicate", token, 1);
		MPI_Recv(&token, 1, MPI_INT, 0, 0, copies[1], MPI_STATUS_IGNORE);
		expect("message of the second duplicate", token, 2);
	}
	MPI_Comm_free(&copies[0]);
	MPI_Comm_free(&copies[1]);
}

/* Only members call; the group is in no regular order; two disjoint groups at once, with equal
 * tags. */
static void create_group_is_for_members_only(void)
{
	int *members = malloc((size_t)size * sizeof *members), n = 0, sum, new_rank, wanted_sum = 0;
	MPI_Group world, group;
	MPI_Comm comm;

	for (int i = size - 1; i >= 0;
	     i--) /* the ranks of the same remainder, backwards, the last one first */
		if (i % 3 == rank % 3 && rank % 3 != 2)
			members[n++] = i;
	if (n > 1) {
		int last = members[n - 1];

		memmove(members + 1, members, (size_t)(n - 1) * sizeof *members);
		members[0] = last;
	}
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	if (n > 0) {
		MPI_Group_incl(world, n, members, &group);
		MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &comm);
		MPI_Comm_rank(comm, &new_rank);
		expect("member", members[new_rank], rank);
		for (int i = 0; i < n; i++)
			wanted_sum += members[i];
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
		expect("sum over the group", sum, wanted_sum);
		MPI_Comm_free(&comm);
		MPI_Group_free(&group);
	}
	MPI_Group_free(&world);
	free(members);
}

/* Disjoint groups in one MPI_Comm_create; who is in none gets MPI_COMM_NULL. */
static void create_makes_several_at_once(void)
{
	MPI_Group world, group = MPI_GROUP_EMPTY;
	int ranges[1][3] = {{rank % 2, size - 1, 2}}, found;
	MPI_Comm comm;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	if (rank != size - 1 || size == 1) {
		ranges[0][1] = size == 1 ? 0 : size - 2;
		if (ranges[0][1] >= ranges[0][0])
			MPI_Group_range_incl(world, 1, ranges, &group);
	}
	MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
	expect("member of the new communicator", comm != MPI_COMM_NULL, group != MPI_GROUP_EMPTY);
	if (comm != MPI_COMM_NULL) {
		MPI_Comm_rank(comm, &found);
		expect("rank in it", found, rank / 2);
		MPI_Allreduce(&rank, &found, 1, MPI_INT, MPI_MIN, comm);
		expect("first member", found, rank % 2);
		MPI_Comm_free(&comm);
	}
	if (group != MPI_GROUP_EMPTY)
		MPI_Group_free(&group);
	MPI_Group_free(&world);
}

/* A receive that is posted keeps the communicator; its handle is gone at once. */
static void a_freed_communicator_lives_for_its_messages(void)
{
	MPI_Comm copy, stale;
	MPI_Request request;
	int value = -1, ignored, peer = size - 1 - rank;

	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Irecv(&value, 1, MPI_INT, peer, 0, copy, &request);
	MPI_Send(&rank, 1, MPI_INT, peer, 0, copy);
	stale = copy;
	MPI_Comm_free(&copy);
	expect("size of a freed communicator", MPI_Comm_size(stale, &ignored), MPI_ERR_COMM);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("message on a freed communicator", value, peer);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void children_inherit_the_error_handler_and_topology(void)
{
	MPI_Comm parent, grid, copy, line;
	int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], status, n, above, below, sum;

	MPI_Comm_dup(MPI_COMM_WORLD, &parent);
	MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
	grid = parent;
	expect("a grid that is too large",
	       MPI_Cart_create(parent, 1, (int[]){size + 1}, periods, 0, &grid) != MPI_SUCCESS, 1);
	expect("its communicator", grid == MPI_COMM_NULL, 1);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(parent, 2, dims, periods, 1, &grid);
	MPI_Comm_free(&parent);
	MPI_Comm_dup(grid, &copy);
	MPI_Comm_free(&grid);
	expect("error handler of a descendant",
	       MPI_Send(NULL, 1, MPI_INT, size, 0, copy) != MPI_SUCCESS, 1);
	MPI_Topo_test(copy, &status);
	expect("topology of a duplicate", status, MPI_CART);
	MPI_Cart_coords(copy, rank, 2, coords);
	expect("row-major rank", coords[0] * dims[1] + coords[1], rank);
	MPI_Cart_shift(copy, 0, 1, &above, &below);
	expect("periodic neighbour below", below, (coords[0] + 1) % dims[0] * dims[1] + coords[1]);
	MPI_Cart_shift(copy, 1, 1, &above, &below);
	expect("neighbour beyond the edge", below,
	       coords[1] + 1 < dims[1] ? rank + 1 : MPI_PROC_NULL);
	MPI_Cart_sub(copy, (int[]){0, 1}, &line);
	MPI_Cartdim_get(line, &n);
	expect("dimensions of a row", n, 1);
	MPI_Allreduce(&coords[0], &sum, 1, MPI_INT, MPI_SUM, line);
	expect("sum over a row", sum, coords[0] * dims[1]);
	MPI_Comm_free(&line);
	MPI_Cart_sub(copy, (int[]){0, 0}, &line); /* a point: zero dimensions, one process */
	MPI_Cartdim_get(line, &n);
	expect("dimensions of a point", n, 0);
	MPI_Comm_size(line, &n);
	expect("processes of a point", n, 1);
	MPI_Comm_free(&line);
	MPI_Comm_free(&copy);
}

static void a_node_is_what_shares_memory(void)
{
	MPI_Comm node, none;
	MPI_Info info;
	int n, total, is_first, n_nodes;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &n);
	is_first = n == 0;
	MPI_Comm_size(node, &n);
	n = is_first ? n : 0;
	MPI_Allreduce(&n, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	expect("processes on all nodes", total, size);
	MPI_Allreduce(&is_first, &n_nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	expect("nodes", n_nodes,
	       size < 4
		   ? size
		   : 4); /* cyclic placement on the 4 nodes of the cluster that this is run on */
	MPI_Comm_free(&node);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &none);
	expect("undefined type", none == MPI_COMM_NULL, 1);
	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &node);
	expect("guided by the info", node != MPI_COMM_NULL, 1);
	MPI_Comm_free(&node);
	MPI_Info_free(&info);
}

static int calls[3], n_calls;

static int note(MPI_Comm comm, int keyval, void *value, void *extra)
{
	int initialized, self_size;

	MPI_Comm_size(comm, &self_size); /* MPI still works in here */
	MPI_Initialized(&initialized);
	calls[n_calls++] = (int)(intptr_t)value;
	return self_size == 1 && initialized ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void check_calls_of_finalize(void)
{
	expect("delete functions at MPI_Finalize", n_calls, 3);
	for (int i = 0; i < 3; i++)
		expect("value deleted", calls[i], 3 - i);
}

static void user_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int bytes;

	MPI_Type_size(*type, &bytes);
	for (int i = 0; i < *len * bytes / 4; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* Type and operation are freed while the reduction is under way; its function still gets a usable
 * type. */
static void a_reduction_outlives_its_type_and_operation(void)
{
	int mine[2] = {rank, 1}, all[2] = {-1, -1};
	MPI_Request request;
	MPI_Datatype pair;
	MPI_Op op;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(user_sum, 1, &op);
	MPI_Iallreduce(mine, all, 1, pair, op, MPI_COMM_WORLD, &request);
	MPI_Type_free(&pair);
	MPI_Op_free(&op);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("sum of ranks", all[0], size * (size - 1) / 2);
	expect("sum of ones", all[1], size);
}

int main(int argc, char **argv)
{
	int keyval;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	idup_does_not_wait();
	create_group_is_for_members_only();
	create_makes_several_at_once();
	a_freed_communicator_lives_for_its_messages();
	children_inherit_the_error_handler_and_topology();
	a_node_is_what_shares_memory();
	a_reduction_outlives_its_type_and_operation();
	for (intptr_t i = 1; i <= 3; i++) {
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note, &keyval, NULL);
		MPI_Comm_set_attr(MPI_COMM_SELF, keyval, (void *)i);
		MPI_Comm_free_keyval(&keyval);
	}
	MPI_Finalize();
	check_calls_of_finalize();
	return failures > 0;
}
