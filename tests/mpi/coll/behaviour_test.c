/* SPDX-License-Identifier: BSD-3-Clause */
/* Truncation, empty operations, buffers without memory, tags, selection of algorithms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/mpi/coll/arguments.h"
#include "tests/mpi/coll/ranks.h"

static void a_block_that_is_too_long_is_a_truncation(void **state)
{
	struct mpi_coll_args args[N];
	int errors[N];

	/* Root 1 expects 2 items of each and gets 3 from rank 0; every rank ends nevertheless. */
	ranks_begin(N, LAYOUT_APART);
	for (int i = 0; i < N; i++) {
		args[i] = valid(COLL_GATHERV);
		args[i].recv.has_counts = false;
		args[i].kind = COLL_GATHER;
		args[i].send.count = i == 0 ? 3 : 2;
	}
	ranks_run(args, 1, errors);
	assert_int_equal(errors[1], MPI_ERR_TRUNCATE);
	/* and the same when the root's own block is */
	args[0].send.count = 2;
	args[1].send.count = 3;
	ranks_run(args, 1, errors);
	assert_int_equal(errors[1], MPI_ERR_TRUNCATE);
}

static void without_data_there_are_no_messages(void **state)
{
	for (int kind = COLL_BCAST; kind < N_COLL_KINDS; kind++) {
		struct mpi_coll_args args[N];
		static const int zeros[N];
		int errors[N];
		uint64_t n_before;

		ranks_begin(N, LAYOUT_APART);
		for (int i = 0; i < N; i++) {
			args[i] = valid(kind);
			args[i].send.count = args[i].recv.count = 0;
			args[i].send.counts.narrow = args[i].recv.counts.narrow = zeros;
		}
		n_before = ranks_world()->n_collective_messages;
		ranks_run(args, 1, errors);
		for (int i = 0; i < N; i++)
			assert_int_equal(errors[i], MPI_SUCCESS);
		if (kind != COLL_REDUCE_SCATTER)
			assert_int_equal(ranks_world()->n_collective_messages, n_before);
	}
}

/* Two buffers of 16 ints each, with or without memory. */
struct buffers {
	char *send, *recv;
	bool is_send_absent, is_recv_absent, is_in_place;
};

static const int twos[8] = {2, 2, 2, 2, 2, 2, 2, 2};
static const int backwards[8] = {14, 12, 10, 8, 6, 4, 2, 0},
		 byte_displs[8] = {56, 48, 40, 32, 24, 16, 8, 0};
static const MPI_Datatype eight_types[8] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT,
					    MPI_INT, MPI_INT, MPI_INT, MPI_INT};

static struct mpi_coll_args arguments_at(enum mpi_coll_kind kind, int rank, const struct buffers *b)
{
	struct mpi_coll_args args = valid(kind);
	bool is_root = rank == args.root;

	args.send.types = args.recv.types = eight_types;
	args.send.counts.narrow = args.recv.counts.narrow = twos;
	args.send.displs.narrow = args.recv.displs.narrow =
	    kind == COLL_ALLTOALLW ? byte_displs : backwards;
	args.send.buf = b->send;
	args.recv.buf = b->recv;
	/* Single blocks at the end of their buffer: what is beyond is not the application's. */
	if (kind == COLL_GATHER || kind == COLL_ALLGATHER)
		args.send.buf = b->send + 14 * sizeof(int);
	if ((kind == COLL_SCATTER && !is_root) ||
	    ((kind == COLL_REDUCE_SCATTER || kind == COLL_REDUCE_SCATTER_BLOCK) && !b->is_in_place))
		args.recv.buf = b->recv + 14 * sizeof(int);
	if (b->is_in_place && (is_root || !has_root(kind)))
		*(is_scatter(kind) ? (const void **)&args.recv.buf : &args.send.buf) = MPI_IN_PLACE;
	return args;
}

/* One collective of 8 ranks; its number of messages. */
static int run_at(const struct mpi_coll_algorithm *algorithm, enum mpi_coll_kind kind,
		  const struct buffers *b)
{
	struct mpi_coll_selection selection = {{NULL}};
	struct mpi_coll_args args[8];
	int errors[8], n_present = 0;
	uint64_t n_before;

	ranks_begin(8, LAYOUT_APART);
	selection.chosen[kind] = algorithm;
	ranks_select(&selection);
	ranks_count_present(&n_present);
	for (int r = 0; r < 8; r++)
		args[r] = arguments_at(kind, r, b);
	n_before = ranks_world()->n_collective_messages;
	ranks_run(args, 1, errors);
	for (int r = 0; r < 8; r++)
		assert_int_equal(errors[r], MPI_SUCCESS);
	assert_false(ranks_left_something());
	if (b->is_send_absent && b->is_recv_absent)
		assert_int_equal(n_present, 0);
	return (int)(ranks_world()->n_collective_messages - n_before);
}

/* Nothing is mapped at the absent addresses: touching them would crash. */
static void check_absent(const struct mpi_coll_algorithm *algorithm, enum mpi_coll_kind kind)
{
	static int memory[2][16];
	char *absent = (char *)PD_ABSENT_BEGIN;
	struct buffers present = {.send = (char *)memory[0], .recv = (char *)memory[1]};
	int n_messages = run_at(algorithm, kind, &present);
	struct buffers cases[] = {
	    {.send = absent, .recv = absent + 64, .is_send_absent = true, .is_recv_absent = true},
	    {.send = absent,
	     .recv = absent + 64,
	     .is_send_absent = true,
	     .is_recv_absent = true,
	     .is_in_place = true},
	    {.send = absent, .recv = (char *)memory[1], .is_send_absent = true},
	    {.send = (char *)memory[0], .recv = absent, .is_recv_absent = true},
	};

	for (int i = 0; i < 4; i++)
		if (!(cases[i].is_in_place && kind == COLL_BCAST))
			assert_int_equal(run_at(algorithm, kind, &cases[i]), n_messages);
}

static void buffers_without_memory_are_never_touched(void **state)
{
	for (int i = 0; mpi_coll_algorithms[i]; i++)
		for (int kind = COLL_BCAST; kind < N_COLL_KINDS; kind++)
			if (mpi_coll_algorithms[i]->kinds & MPI_COLL_KIND(kind))
				check_absent(mpi_coll_algorithms[i], kind);
}

static void tags_count_the_collectives_of_a_communicator(void **state)
{
	struct solo *solo = solo_create(N, 0);
	struct mpi_rank *me = solo_rank(solo);
	struct mpi_coll_args args = valid(COLL_BCAST);
	struct mpi_coll coll;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(mpi_coll_resolve(me, &args, &coll), MPI_SUCCESS);
		assert_int_equal(coll.tag, i);
		mpi_coll_finish(&coll);
	}
	me->comm_world->collective_count = 0x80000000u; /* a tag is never negative */
	assert_int_equal(mpi_coll_resolve(me, &args, &coll), MPI_SUCCESS);
	assert_int_equal(coll.tag, 0);
	mpi_coll_finish(&coll);
	solo_destroy(solo);
}

/* --- selection --- */

static void selection_takes_a_list(void **state)
{
	struct mpi_coll_selection selection = {{NULL}};
	struct util_error err;

	assert_int_equal(mpi_coll_select(&selection, "bcast=linear,allreduce=reduce_bcast", &err),
			 0);
	assert_ptr_equal(selection.chosen[COLL_BCAST], &mpi_coll_bcast_linear);
	assert_ptr_equal(selection.chosen[COLL_ALLREDUCE], &mpi_coll_allreduce_reduce_bcast);
	assert_null(selection.chosen[COLL_REDUCE]);
	assert_int_equal(mpi_coll_select(&selection, "bcast=binomial", &err), 0);
	assert_ptr_equal(selection.chosen[COLL_BCAST], &mpi_coll_bcast_binomial);
}

static void a_wrong_selection_names_what_there_is(void **state)
{
	static const struct {
		const char *list, *says;
	} cases[] = {
	    {"bcast", "wanted OPERATION=ALGORITHM"},
	    {"", "wanted OPERATION=ALGORITHM"},
	    {"bcast=linear,", "wanted OPERATION=ALGORITHM"},
	    {"broadcast=linear", "barrier, bcast, gather"},
	    {"scan=ring", "linear, recursive_doubling"},
	    {"bcast=binomial,scan=", "linear, recursive_doubling"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mpi_coll_selection selection = {{NULL}};
		struct util_error err;

		assert_int_equal(mpi_coll_select(&selection, cases[i].list, &err), UTIL_EINPUT);
		assert_non_null(strstr(err.text, cases[i].says));
		assert_null(selection.chosen[COLL_BCAST]);
	}
}

static void in_order(void *in, void *inout, int *n, MPI_Datatype *type)
{
}

static void what_an_algorithm_cannot_do_another_does(void **state)
{
	struct mpi_coll_selection selection = {
	    {[COLL_ALLGATHER] = &mpi_coll_allgather_recursive_doubling,
	     [COLL_REDUCE_SCATTER_BLOCK] = &mpi_coll_reduce_scatter_pairwise}};
	struct mpi_coll_args args = valid(COLL_ALLGATHER);
	struct solo *solo = solo_create(N, 0); /* no power of two */
	struct mpi_rank *me = solo_rank(solo);
	struct mpi_coll coll;

	me->world->coll_selection = &selection;
	assert_int_equal(mpi_coll_resolve(me, &args, &coll), MPI_SUCCESS);
	assert_ptr_equal(coll.algorithm, &mpi_coll_allgather_bruck);
	mpi_coll_finish(&coll);
	args = valid(COLL_REDUCE_SCATTER_BLOCK);
	MPI_Op_create(in_order, 0, &args.op); /* does not commute */
	assert_int_equal(mpi_coll_resolve(me, &args, &coll), MPI_SUCCESS);
	assert_ptr_equal(coll.algorithm, &mpi_coll_reduce_scatter_reduce_scatterv);
	mpi_coll_finish(&coll);
	MPI_Op_free(&args.op);
	solo_destroy(solo);
}

static struct mpi_datatype ints = {.is_contiguous = true, .size_B = 4, .extent_B = 4};

/* The thresholds of choose.c, in bytes of ints. */
static void long_messages_have_algorithms_of_their_own(void **state)
{
	static const struct {
		enum mpi_coll_kind kind;
		int n;
		MPI_Count count;
		const char *name;
	} cases[] = {
	    {COLL_BCAST, 8, 131071, "binomial"},
	    {COLL_BCAST, 8, 131072, "scatter_ring"},
	    {COLL_BCAST, 7, 131072, "binomial"},
	    {COLL_GATHER, 8, 1500, "binomial"},
	    {COLL_GATHER, 8, 1501, "linear"},
	    {COLL_SCATTER, 8, 1500, "binomial"},
	    {COLL_SCATTER, 8, 1501, "linear"},
	    {COLL_ALLGATHER, 8, 2559, "recursive_doubling"},
	    {COLL_ALLGATHER, 5, 1, "bruck"},
	    {COLL_ALLGATHER, 8, 2560, "ring"},
	    {COLL_ALLTOALL, 8, 8192, "scattered"},
	    {COLL_ALLTOALL, 8, 8193, "pairwise"},
	    {COLL_ALLREDUCE, 8, 512, "recursive_doubling"},
	    {COLL_ALLREDUCE, 8, 513, "rabenseifner"},
	    {COLL_REDUCE, 8, 513, "binomial"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mpi_coll coll = {.kind = cases[i].kind, .size = cases[i].n};

		coll.given.send = coll.given.recv =
		    (struct mpi_coll_side){.count = cases[i].count, .type = &ints};
		assert_string_equal(mpi_coll_choose(NULL, &coll)->name, cases[i].name);
	}
}

static void every_operation_has_a_linear_algorithm_and_a_default_that_fits(void **state)
{
	int numbers[RANKS_MOST];

	for (int kind = 0; kind < N_COLL_KINDS; kind++)
		for (int n = 1; n <= RANKS_MOST; n++) {
			struct mpi_coll coll = {.kind = kind, .size = n};
			struct mpi_op op = {.is_commutative = n % 2};

			coll.op = &op;
			assert_non_null(mpi_coll_algorithm_find(kind, "linear"));
			for (MPI_Count count = 1; count <= 1 << 20; count *= 2) {
				coll.given.send = coll.given.recv =
				    (struct mpi_coll_side){.count = count, .type = &ints};
				for (int i = 0; i < n; i++)
					numbers[i] = (int)count;
				if (kind == COLL_REDUCE_SCATTER)
					coll.given.send.counts.narrow = numbers;
				assert_true(
				    mpi_coll_algorithm_fits(mpi_coll_choose(NULL, &coll), &coll));
			}
		}
}

static int end(void **state)
{
	ranks_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_block_that_is_too_long_is_a_truncation),
	    cmocka_unit_test(without_data_there_are_no_messages),
	    cmocka_unit_test(buffers_without_memory_are_never_touched),
	    cmocka_unit_test(tags_count_the_collectives_of_a_communicator),
	    cmocka_unit_test(selection_takes_a_list),
	    cmocka_unit_test(a_wrong_selection_names_what_there_is),
	    cmocka_unit_test(what_an_algorithm_cannot_do_another_does),
	    cmocka_unit_test(long_messages_have_algorithms_of_their_own),
	    cmocka_unit_test(every_operation_has_a_linear_algorithm_and_a_default_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
