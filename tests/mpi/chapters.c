/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of communicators, persistent collectives, handles as numbers, MPI_Abi_*, communicators
 * without a parent, kinds of hardware. `chapters CASE` on 3 ranks, one per node, --compute
 * modelled, on timing.yaml: L = 1 ms, b = 1 byte per us, o = 100 us, eager up to 1000 B.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/mpi/cases.h"

static char out[4000], in[4000], space[4096];

/* The communicator's buffer is used before that of the process; each has its own size. */
static void buffers_of_communicators(void)
{
	MPI_Comm comm;
	void *address = NULL;
	MPI_Count large = 0;
	int size = 0, code;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_attach_buffer(comm, space, 100 + MPI_BSEND_OVERHEAD);
	expect("fits", MPI_Bsend(out, 100, MPI_BYTE, rank, 0, comm), MPI_SUCCESS);
	code = MPI_Bsend(out, 600, MPI_BYTE, rank, 0, comm);
	expect("is full", code, MPI_ERR_BUFFER);
	code = MPI_Bsend(out, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
	expect("the process has none", code, MPI_ERR_BUFFER);
	expect("second buffer", MPI_Comm_attach_buffer(comm, in, 10), MPI_ERR_BUFFER);
	expect("negative size", MPI_Comm_attach_buffer(comm, in, -1), MPI_ERR_ARG);
	MPI_Recv(in, 100, MPI_BYTE, rank, 0, comm, MPI_STATUS_IGNORE);
	MPI_Comm_detach_buffer(comm, &address, &size);
	expect("address", address == space, 1);
	expect("size", size, 100 + MPI_BSEND_OVERHEAD);
	MPI_Buffer_attach(space, sizeof space);
	code = MPI_Bsend(out, 500, MPI_BYTE, rank, 0, comm);
	expect("now in that of the process", code, MPI_SUCCESS);
	MPI_Recv(in, 500, MPI_BYTE, rank, 0, comm, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&address, &size);
	MPI_Comm_attach_buffer_c(comm, MPI_BUFFER_AUTOMATIC, 0);
	code = MPI_Bsend(out, 4000, MPI_BYTE, (rank + 1) % 3, 0, comm);
	expect("automatic", code, MPI_SUCCESS);
	MPI_Recv(in, 4000, MPI_BYTE, (rank + 2) % 3, 0, comm, MPI_STATUS_IGNORE);
	MPI_Comm_detach_buffer_c(comm, &address, &large);
	expect("its address", address == MPI_BUFFER_AUTOMATIC, 1);
	expect("its size", large, 0);
	MPI_Comm_free(&comm);
}

/*
 * 2000 B are a rendezvous: o, request L; the receiver comes at 10 ms: clear L, bulk L + 2 ms, so
 * the buffer is empty at 14 ms. What is sent after MPI_Comm_iflush_buffer does not concern it: the
 * third message is received only when rank 0 says so.
 */
static void flushes(void)
{
	MPI_Comm comm;
	MPI_Request request;
	void *address;
	int size;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
	mpisim_add_compute_time(0.100 - MPI_Wtime());
	if (rank == 0) {
		MPI_Comm_iflush_buffer(comm, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("nothing to flush", 100);
		MPI_Bsend(out, 2000, MPI_BYTE, 1, 0, comm);
		expect_ms("buffered", 100.1);
		MPI_Comm_flush_buffer(comm);
		expect_ms("flushed", 114);
		MPI_Bsend(out, 2000, MPI_BYTE, 1, 0, comm);
		MPI_Comm_iflush_buffer(comm, &request);
		MPI_Bsend(out, 2000, MPI_BYTE, 1, 1, comm);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Send(out, 1, MPI_BYTE, 1, 2, comm);
		MPI_Comm_flush_buffer(comm);
		compute_until_ms(200);
		MPI_Bsend(out, 2000, MPI_BYTE, 1, 3, comm);
		MPI_Comm_iflush_buffer(comm, &request);
		MPI_Bsend(out, 2000, MPI_BYTE, 1, 4, comm);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("flushed but for what came later", 214);
		MPI_Comm_detach_buffer(comm, &address, &size);
	} else if (rank == 1) {
		mpisim_add_compute_time(0.010);
		MPI_Recv(in, 2000, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
		MPI_Recv(in, 2000, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
		MPI_Recv(in, 1, MPI_BYTE, 0, 2, comm, MPI_STATUS_IGNORE);
		MPI_Recv(in, 2000, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
		MPI_Recv(in, 2000, MPI_BYTE, 0, 4, comm, MPI_STATUS_IGNORE);
		compute_until_ms(210);
		MPI_Recv(in, 2000, MPI_BYTE, 0, 3, comm, MPI_STATUS_IGNORE);
	}
	/* a communicator may go before its messages */
	if (rank == 2)
		MPI_Bsend(out, 2000, MPI_BYTE, 2, 3, comm);
	if (rank == 2)
		MPI_Irecv(in, 2000, MPI_BYTE, 2, 3, comm, &request);
	MPI_Comm_free(&comm);
	if (rank == 2)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*
 * Rank 0's broadcast is of a message whose request leaves at 100.1 ms: it is all there at 105.1 ms.
 * In the meantime the barrier goes on: rank 2's message is there at 104.95 ms, costs o, and the next
 * one another o. What that hid is seen at once, although rank 1 does not come to the barrier yet.
 */
static void what_ends_during_an_overhead_is_seen(void)
{
	MPI_Request requests[2];
	MPI_Comm pair;

	MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &pair);
	compute_until_ms(100);
	if (rank < 2)
		MPI_Ibcast(out, 2000, MPI_BYTE, 0, pair, &requests[0]);
	if (rank == 1)
		compute_until_ms(120);
	if (rank == 2)
		compute_until_ms(103.85);
	MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
	if (rank < 2)
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	if (rank == 0)
		expect_ms("broadcast", 104.95 + 0.1 + 0.1);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	MPI_Comm_free(&pair);
}

static void handles_are_numbers(void)
{
	MPI_Comm comm;
	MPI_Group group;
	MPI_Datatype type;
	MPI_Info info;
	MPI_Request request = MPI_REQUEST_NULL;

	expect("predefined", MPI_Comm_toint(MPI_COMM_WORLD), (intptr_t)MPI_COMM_WORLD);
	expect("and back", MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD, 1);
	expect("null", MPI_Request_fromint(MPI_Request_toint(request)) == MPI_REQUEST_NULL, 1);
	expect("type", MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT, 1);
	expect("operation", MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM, 1);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_group(comm, &group);
	MPI_Type_contiguous(3, MPI_INT, &type);
	MPI_Info_create(&info);
	expect("communicator", MPI_Comm_fromint(MPI_Comm_toint(comm)) == comm, 1);
	expect("group", MPI_Group_fromint(MPI_Group_toint(group)) == group, 1);
	expect("derived type", MPI_Type_fromint(MPI_Type_toint(type)) == type, 1);
	expect("info", MPI_Info_fromint(MPI_Info_toint(info)) == info, 1);
	expect("another kind", MPI_Comm_fromint(MPI_Info_toint(info)) == MPI_COMM_NULL, 1);
	expect("nothing there", MPI_Win_fromint(1 << 30) == MPI_WIN_NULL, 1);
	expect("negative", MPI_File_fromint(-5) == MPI_FILE_NULL, 1);
	MPI_Info_free(&info);
	MPI_Type_free(&type);
	MPI_Group_free(&group);
	MPI_Comm_free(&comm);
}

static void fortran_is_what_the_program_says(void)
{
	char value[MPI_MAX_INFO_VAL];
	MPI_Info info, copy;
	long yes = -1, no = 0, got_yes, got_no;
	int flag, length = sizeof value;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Abi_get_info(&info);
	MPI_Info_get_string(info, "mpi_aint_size", &length, value, &flag);
	expect("size of MPI_Aint", flag && value[0] == '0' + (int)sizeof(MPI_Aint), 1);
	MPI_Abi_get_fortran_info(&copy);
	expect("not known", copy == MPI_INFO_NULL, 1);
	MPI_Info_set(info, "mpi_integer_size", "4");
	expect("set", MPI_Abi_set_fortran_info(info), MPI_SUCCESS);
	expect("set again", MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
	expect("no info", MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO);
	MPI_Abi_get_fortran_info(&copy);
	length = sizeof value;
	MPI_Info_get_string(copy, "mpi_integer_size", &length, value, &flag);
	expect("known", flag && value[0] == '4', 1);
	MPI_Abi_get_fortran_booleans(8, &got_yes, &got_no, &flag);
	expect("no values", flag, 0);
	expect("values", MPI_Abi_set_fortran_booleans(8, &yes, &no), MPI_SUCCESS);
	expect("again", MPI_Abi_set_fortran_booleans(8, &no, &yes), MPI_ERR_ABI);
	expect("odd size", MPI_Abi_set_fortran_booleans(3, &yes, &no), MPI_ERR_ARG);
	MPI_Abi_get_fortran_booleans(8, &got_yes, &got_no, &flag);
	expect("there", flag, 1);
	expect("true", got_yes, -1);
	expect("false", got_no, 0);
	MPI_Info_free(&info);
	MPI_Info_free(&copy);
}

static int refuse_to_copy(MPI_Comm comm, int key, void *state, void *value, void *copy, int *flag)
{
	return rank == 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* An attribute that cannot be copied on one rank: the others have their duplicate all the same. */
static void duplicates_that_fail(void)
{
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Comm parent, copy;
	int key, sum = 0;

	MPI_Comm_dup(MPI_COMM_WORLD, &parent);
	MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
	MPI_Comm_create_keyval(refuse_to_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(parent, key, &key);
	expect("code", MPI_Comm_idup(parent, &copy, &request) == MPI_SUCCESS, rank != 1);
	if (rank == 1)
		expect("nothing made", copy == MPI_COMM_NULL && request == MPI_REQUEST_NULL, 1);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank != 1)
		MPI_Comm_free(&copy);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, parent);
	expect("the parent goes on", sum, 3);
	MPI_Comm_free_keyval(&key);
	MPI_Comm_free(&parent);
}

/* Names keep apart what is made at once; a group may be used again. */
static void communicators_without_a_parent(void)
{
	MPI_Group world, backwards, single;
	MPI_Comm first, second, inter;
	int ranges[1][3] = {{2, 0, -1}}, found, sum = 0, code;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_range_incl(world, 1, ranges, &backwards);
	for (int i = 0; i < 2; i++) {
		MPI_Comm_create_from_group(world, "library.a", MPI_INFO_NULL, MPI_ERRORS_RETURN,
					   &first);
		MPI_Comm_create_from_group(backwards, "library.b", MPI_INFO_NULL,
					   MPI_ERRORS_ARE_FATAL, &second);
		MPI_Comm_rank(second, &found);
		expect("rank", found, 2 - rank);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, first);
		expect("sum", sum, 3);
		expect("its handler", MPI_Send(out, 1, MPI_BYTE, 7, 0, first), MPI_ERR_RANK);
		MPI_Comm_free(&first);
		MPI_Comm_free(&second);
	}
	code = MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN,
					  &first);
	expect("of nobody", code == MPI_SUCCESS && first == MPI_COMM_NULL, 1);
	MPI_Group_incl(world, 1, (const int[]){(rank + 1) % 3}, &single);
	code =
	    MPI_Comm_create_from_group(single, "others", MPI_INFO_NULL, MPI_ERRORS_RETURN, &first);
	expect("not a member", code, MPI_ERR_GROUP);
	code = MPI_Comm_create_from_group(world, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &first);
	expect("no name", code, MPI_ERR_ARG);
	MPI_Group_free(&single);
	/* rank 0 against 1 and 2 */
	MPI_Group_incl(world, 1, (const int[]){0}, &single);
	MPI_Group_free(&backwards);
	MPI_Group_difference(world, single, &backwards);
	MPI_Intercomm_create_from_groups(rank == 0 ? single : backwards, rank == 0 ? 0 : 1,
					 rank == 0 ? backwards : single, rank == 0 ? 1 : 0, "pair",
					 MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
	MPI_Comm_remote_size(inter, &found);
	expect("size of the other group", found, rank == 0 ? 2 : 1);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
	expect("sum of the other group", sum, rank == 0 ? 3 : 0);
	MPI_Comm_free(&inter);
	MPI_Group_free(&backwards);
	MPI_Group_free(&single);
	MPI_Group_free(&world);
}

/* Twice each; on a ring, then between rank 0 and the others. */
static void persistent_forms(void)
{
	int size = 3, is_periodic = 1, sums[2], near[2], blocks[2],
	    sent[2] = {10 * rank, 10 * rank + 1};
	const MPI_Count ones[2] = {1, 1};
	const MPI_Aint places[2] = {4, 0};
	const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
	MPI_Request requests[4];
	MPI_Comm ring, half, inter;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &ring);
	MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 1, &inter);
	MPI_Neighbor_allgather_init(&rank, 1, MPI_INT, near, 1, MPI_INT, ring, MPI_INFO_NULL,
				    &requests[0]);
	MPI_Neighbor_alltoallw_init_c(sent, ones, places, types, blocks, ones, places, types, ring,
				      MPI_INFO_NULL, &requests[1]);
	MPI_Allreduce_init_c(&rank, &sums[0], 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL,
			     &requests[2]);
	MPI_Bcast_init(&sums[1], 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter, MPI_INFO_NULL,
		       &requests[3]);
	for (int round = 0; round < 2; round++) {
		memset(near, -1, sizeof near);
		memset(blocks, -1, sizeof blocks);
		sums[0] = -1;
		sums[1] = rank == 0 ? 70 + round : -1;
		MPI_Startall(4, requests);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
		expect("from below", near[0], (rank + 2) % 3);
		expect("from above", near[1], (rank + 1) % 3);
		/* block 0 is second in memory: what went up came from there, to there */
		expect("from below, its upper block", blocks[1], 10 * ((rank + 2) % 3));
		expect("from above, its lower block", blocks[0], 10 * ((rank + 1) % 3) + 1);
		expect("sum of the other group", sums[0], rank == 0 ? 3 : 0);
		expect("what the root says", sums[1], 70 + round);
	}
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&requests[i]);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Comm_free(&ring);
}

static int size_of_part(int split_type, const char *key, const char *value)
{
	MPI_Info info = MPI_INFO_NULL;
	MPI_Comm part;
	int size = 0;

	if (key) {
		MPI_Info_create(&info);
		MPI_Info_set(info, key, value);
	}
	MPI_Comm_split_type(MPI_COMM_WORLD, split_type, 0, info, &part);
	if (part != MPI_COMM_NULL) {
		MPI_Comm_size(part, &size);
		MPI_Comm_free(&part);
	}
	if (key)
		MPI_Info_free(&info);
	return size;
}

/* Each rank has a node for itself. */
static void parts_by_hardware(void)
{
	const int guided = MPI_COMM_TYPE_HW_GUIDED, resource = MPI_COMM_TYPE_RESOURCE_GUIDED;
	char value[MPI_MAX_INFO_VAL];
	int flag, length = sizeof value;
	MPI_Info info;

	MPI_Get_hw_resource_info(&info);
	MPI_Info_get_string(info, "mpisim://node", &length, value, &flag);
	expect("bound to its node", flag && strcmp(value, "true") == 0, 1);
	MPI_Info_free(&info);
	expect("node", size_of_part(MPI_COMM_TYPE_SHARED, NULL, NULL), 1);
	expect("unguided", size_of_part(MPI_COMM_TYPE_HW_UNGUIDED, NULL, NULL), 1);
	expect("memory", size_of_part(guided, "mpi_hw_resource_type", "mpi_shared_memory"), 1);
	expect("named", size_of_part(guided, "mpi_hw_resource_type", "mpisim://node"), 1);
	expect("socket", size_of_part(guided, "mpi_hw_resource_type", "mpisim://socket"), 1);
	expect("domain", size_of_part(guided, "mpi_hw_resource_type", "mpisim://domain"), 1);
	expect("not bound to a core", size_of_part(guided, "mpi_hw_resource_type", "mpisim://core"),
	       0);
	expect("guided by nothing", size_of_part(guided, NULL, NULL), 0);
	expect("resource", size_of_part(resource, "mpi_hw_resource_type", "mpisim://node"), 1);
	expect("all", size_of_part(resource, "mpi_pset_name", "mpi://WORLD"), 3);
	expect("self", size_of_part(resource, "mpi_pset_name", "mpi://SELF"), 1);
	expect("no such set", size_of_part(resource, "mpi_pset_name", "mpi://NONE"), 0);
	expect("sets do not guide hardware", size_of_part(guided, "mpi_pset_name", "mpi://WORLD"),
	       0);
	expect("none", size_of_part(MPI_UNDEFINED, NULL, NULL), 0);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	expect("wrong type", MPI_Comm_split_type(MPI_COMM_WORLD, 5, 0, MPI_INFO_NULL, NULL),
	       MPI_ERR_ARG);
}

/* MPI 4.1, §9.2: memory at a multiple of what the key asks for; other values ask for nothing. */
static void memory_is_aligned(void)
{
	static const char *const values[] = {"4096", "65536", "3", "many"};
	static const long long wanted[] = {4096, 65536, 1, 1};
	MPI_Info info;

	MPI_Info_create(&info);
	for (int i = 0; i < 4; i++) {
		void *memory = NULL, *base = NULL;
		MPI_Win win;

		MPI_Info_set(info, "mpi_minimum_memory_alignment", values[i]);
		MPI_Alloc_mem(1000, info, &memory);
		memset(memory, 1, 1000);
		expect(values[i], (long long)(uintptr_t)memory % wanted[i], 0);
		MPI_Free_mem(memory);
		MPI_Win_allocate(1000, 1, info, MPI_COMM_WORLD, &base, &win);
		memset(base, 1, 1000);
		expect("window", (long long)(uintptr_t)base % wanted[i], 0);
		MPI_Win_free(&win);
	}
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
	    {"buffers_of_communicators", buffers_of_communicators},
	    {"flushes", flushes},
	    {"what_ends_during_an_overhead_is_seen", what_ends_during_an_overhead_is_seen},
	    {"handles_are_numbers", handles_are_numbers},
	    {"fortran_is_what_the_program_says", fortran_is_what_the_program_says},
	    {"communicators_without_a_parent", communicators_without_a_parent},
	    {"parts_by_hardware", parts_by_hardware},
	    {"persistent_forms", persistent_forms},
	    {"memory_is_aligned", memory_is_aligned},
	    {"duplicates_that_fail", duplicates_that_fail},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
