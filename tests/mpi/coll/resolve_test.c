/* SPDX-License-Identifier: BSD-3-Clause */
/* What collectives refuse, with which error class. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/mpi/coll/arguments.h"

static const int negative_counts[N] = {1, -2, 3};
static const MPI_Datatype bad_types[N] = {MPI_INT, MPI_DATATYPE_NULL, MPI_INT};

/* What rank `rank` gets for its arguments; on success everything is given back. */
static int resolve(int rank, struct mpi_coll_args args)
{
	struct solo *solo = solo_create(N, rank);
	struct mpi_rank *me = solo_rank(solo);
	struct mpi_coll coll;
	int code = mpi_coll_resolve(me, &args, &coll);

	if (code == MPI_SUCCESS)
		mpi_coll_finish(&coll);
	else
		assert_int_equal(me->comm_world->collective_count,
				 0); /* a refused call has no place in the order */
	solo_destroy(solo);
	return code;
}

static bool is_reduction(int kind)
{
	return kind >= COLL_REDUCE;
}

static void valid_arguments_are_accepted(void **state)
{
	for (int kind = 0; kind < N_COLL_KINDS; kind++)
		for (int rank = 0; rank < N; rank++)
			assert_int_equal(resolve(rank, valid(kind)), MPI_SUCCESS);
}

static void what_is_no_communicator_is_refused(void **state)
{
	for (int kind = 0; kind < N_COLL_KINDS; kind++) {
		struct mpi_coll_args args = valid(kind);

		args.comm = MPI_COMM_NULL;
		assert_int_equal(resolve(0, args), MPI_ERR_COMM);
	}
}

static void root_must_be_a_rank(void **state)
{
	static const int wrong[] = {-1, N, MPI_ROOT, MPI_PROC_NULL};

	for (int kind = 0; kind < N_COLL_KINDS; kind++)
		for (int i = 0; i < 4; i++) {
			struct mpi_coll_args args = valid(kind);

			args.root = wrong[i];
			assert_int_equal(resolve(0, args),
					 has_root(kind) ? MPI_ERR_ROOT : MPI_SUCCESS);
		}
}

static void counts_must_not_be_negative(void **state)
{
	for (int kind = COLL_BCAST; kind < N_COLL_KINDS; kind++) {
		struct mpi_coll_args args = valid(kind);

		args.recv.count = -1;
		args.recv.counts.narrow = negative_counts;
		assert_int_equal(resolve(1, args), MPI_ERR_COUNT);
		args = valid(kind);
		args.send.count = -1;
		args.send.counts.narrow = negative_counts;
		assert_int_equal(resolve(1, args), kind == COLL_BCAST || is_reduction(kind)
						       ? MPI_SUCCESS
						       : MPI_ERR_COUNT);
	}
}

static void datatypes_must_be_datatypes(void **state)
{
	for (int kind = COLL_BCAST; kind < N_COLL_KINDS; kind++) {
		struct mpi_coll_args args = valid(kind);

		args.recv.type = MPI_DATATYPE_NULL;
		args.recv.types = bad_types;
		assert_int_equal(resolve(1, args), MPI_ERR_TYPE);
		args = valid(kind);
		args.send.type = MPI_DATATYPE_NULL;
		args.send.types = bad_types;
		assert_int_equal(resolve(1, args), kind == COLL_BCAST || is_reduction(kind)
						       ? MPI_SUCCESS
						       : MPI_ERR_TYPE);
	}
}

static void arrays_must_be_there(void **state)
{
	for (int kind = COLL_BCAST; kind < N_COLL_KINDS; kind++) {
		struct mpi_coll_args args = valid(kind);

		if (!args.recv.has_counts && !args.send.has_counts)
			continue;
		args.recv.counts.narrow = args.send.counts.narrow = NULL;
		assert_int_equal(resolve(1, args), MPI_ERR_ARG);
		args = valid(kind);
		args.recv.displs.narrow = args.send.displs.narrow = NULL;
		assert_int_equal(resolve(1, args),
				 kind == COLL_REDUCE_SCATTER ? MPI_SUCCESS : MPI_ERR_ARG);
		args = valid(kind);
		args.recv.types = NULL;
		assert_int_equal(resolve(1, args),
				 kind == COLL_ALLTOALLW ? MPI_ERR_ARG : MPI_SUCCESS);
	}
}

static void sendbuf_and_recvbuf_must_differ(void **state)
{
	for (int kind = COLL_GATHER; kind < N_COLL_KINDS; kind++) {
		struct mpi_coll_args args = valid(kind);
		int offset = 0;

		/*
		 * the address of the block that stands for the own contribution: rank 1, regular
		 * forms and displacements both
		 */
		if (kind == COLL_GATHER || kind == COLL_SCATTER)
			offset = 2;
		else if (kind == COLL_GATHERV || kind == COLL_SCATTERV)
			offset = displs[1];
		if (is_scatter(kind)) {
			args.send.buf = buffer_a;
			args.recv.buf = buffer_a + offset;
		} else {
			args.recv.buf = buffer_a;
			args.send.buf = buffer_a + offset;
		}
		assert_int_equal(resolve(1, args), MPI_ERR_BUFFER);
		/* nothing is there: nothing overlaps */
		args.send.count = args.recv.count = 0;
		args.send.has_counts = args.recv.has_counts = args.send.has_types =
		    args.recv.has_types = false;
		if (kind != COLL_ALLTOALLW && kind != COLL_REDUCE_SCATTER)
			assert_int_equal(resolve(1, args), MPI_SUCCESS);
	}
}

static void allgather_refuses_the_own_block_as_sendbuf(void **state)
{
	struct mpi_coll_args args = valid(COLL_ALLGATHER);

	args.send.buf = buffer_b + 1 * 2; /* block of rank 1, 2 items each */
	assert_int_equal(resolve(1, args), MPI_ERR_BUFFER);
	args = valid(COLL_ALLGATHERV);
	args.send.buf = buffer_b + displs[1];
	assert_int_equal(resolve(1, args), MPI_ERR_BUFFER);
}

/*
 * Where the standard allows MPI_IN_PLACE: at the root of gather (sendbuf), scatter (recvbuf),
 * reduce (sendbuf); sendbuf of all-to-all operations.
 */
static void in_place_is_for_its_own_side_only(void **state)
{
	for (int kind = COLL_BCAST; kind < N_COLL_KINDS; kind++)
		for (int rank = 0; rank < N; rank++) {
			struct mpi_coll_args in_send = valid(kind), in_recv = valid(kind);
			bool is_root = rank == 1, needs_root = has_root(kind);

			in_send.send.buf = MPI_IN_PLACE;
			in_recv.recv.buf = MPI_IN_PLACE;
			if (kind == COLL_BCAST) {
				assert_int_equal(resolve(rank, in_recv), MPI_ERR_BUFFER);
			} else if (is_scatter(kind)) {
				assert_int_equal(resolve(rank, in_recv),
						 is_root ? MPI_SUCCESS : MPI_ERR_BUFFER);
				assert_int_equal(resolve(rank, in_send),
						 is_root ? MPI_ERR_BUFFER : MPI_SUCCESS);
			} else {
				assert_int_equal(resolve(rank, in_send), is_root || !needs_root
									     ? MPI_SUCCESS
									     : MPI_ERR_BUFFER);
				assert_int_equal(resolve(rank, in_recv), is_root || !needs_root
									     ? MPI_ERR_BUFFER
									     : MPI_SUCCESS);
			}
		}
}

static void operation_must_be_defined_on_the_datatype(void **state)
{
	static const struct {
		MPI_Op op;
		int code;
	} cases[] = {{MPI_OP_NULL, MPI_ERR_OP},
		     {MPI_REPLACE, MPI_ERR_OP},
		     {MPI_NO_OP, MPI_ERR_OP},
		     {MPI_SUM, MPI_SUCCESS}};

	for (int kind = COLL_REDUCE; kind < N_COLL_KINDS; kind++) {
		struct mpi_coll_args args = valid(kind);

		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			args.op = cases[i].op;
			assert_int_equal(resolve(0, args), cases[i].code);
		}
		args.op = MPI_MAXLOC; /* not on MPI_INT */
		assert_int_equal(resolve(0, args), MPI_ERR_OP);
	}
}

/* Only the root's recvbuf counts in gather and reduce, only its sendbuf in scatter. */
static void what_is_not_significant_is_not_looked_at(void **state)
{
	static const enum mpi_coll_kind kinds[] = {COLL_GATHER, COLL_GATHERV, COLL_SCATTER,
						   COLL_SCATTERV, COLL_REDUCE};

	for (int i = 0; i < 5; i++) {
		struct mpi_coll_args args = valid(kinds[i]);
		struct mpi_coll_side_args *side = is_scatter(kinds[i]) ? &args.send : &args.recv;

		side->buf = NULL;
		side->counts.narrow = side->displs.narrow = NULL;
		if (kinds[i] != COLL_REDUCE) {
			side->type = MPI_DATATYPE_NULL;
			side->count = -5;
		}
		assert_int_equal(resolve(0, args), MPI_SUCCESS);
		assert_int_not_equal(resolve(1, args), MPI_SUCCESS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(valid_arguments_are_accepted),
	    cmocka_unit_test(what_is_no_communicator_is_refused),
	    cmocka_unit_test(root_must_be_a_rank),
	    cmocka_unit_test(counts_must_not_be_negative),
	    cmocka_unit_test(datatypes_must_be_datatypes),
	    cmocka_unit_test(arrays_must_be_there),
	    cmocka_unit_test(sendbuf_and_recvbuf_must_differ),
	    cmocka_unit_test(allgather_refuses_the_own_block_as_sendbuf),
	    cmocka_unit_test(in_place_is_for_its_own_side_only),
	    cmocka_unit_test(operation_must_be_defined_on_the_datatype),
	    cmocka_unit_test(what_is_not_significant_is_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
