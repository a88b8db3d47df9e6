/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every algorithm of every operation, for 1 … 9, 16, 17 and 67 ranks, several roots, counts,
 * datatypes with gaps and operations that do not commute, in place and not: the whole receive
 * buffer, gaps included, is what the standard's definition of the operation says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/mpi/coll/ranks.h"

#define BUFFER_B 16384
#define MARGIN_B 64 /* some types start before their address */

struct config {
	enum mpi_coll_kind kind;
	const char *algorithm;
	enum layout layout;
	int n, count, root;
	int segment_B; /* 0: none */
	enum item_type send_type, recv_type;
	enum item_op op;
	bool is_in_place;
};

/* One rank's memory and what its receive buffer should be afterwards. */
static struct memory {
	_Alignas(16) char send[BUFFER_B], recv[BUFFER_B], send_before[BUFFER_B], expected[BUFFER_B];
	int send_counts[RANKS_MOST], recv_counts[RANKS_MOST];
	int send_displs[RANKS_MOST], recv_displs[RANKS_MOST];
	MPI_Datatype send_types[RANKS_MOST], recv_types[RANKS_MOST];
} memories[RANKS_MOST];

static bool is_vector(enum mpi_coll_kind kind)
{
	return kind == COLL_GATHERV || kind == COLL_SCATTERV || kind == COLL_ALLGATHERV ||
	       kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW || kind == COLL_REDUCE_SCATTER;
}

static bool is_alltoall(enum mpi_coll_kind kind)
{
	return kind == COLL_ALLTOALL || kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW;
}

static bool is_reduction(enum mpi_coll_kind kind)
{
	return kind >= COLL_REDUCE;
}

/*
 * Items that `source` sends to `dest`; in forms with one array, the same for every dest or source.
 * Some are 0.
 */
static int count_of(const struct config *c, int source, int dest)
{
	if (!is_vector(c->kind))
		return c->count;
	if (is_alltoall(c->kind))
		/* in place, what is sent to a rank is as long as what comes from it */
		return (c->is_in_place ? source + dest + c->count : source + 2 * dest + c->count) %
		       4;
	return ((c->kind == COLL_SCATTERV || c->kind == COLL_REDUCE_SCATTER ? dest : source) * 3 +
		c->count) %
	       4;
}

static enum item_type type_of(const struct config *c, int source, int dest, bool is_send)
{
	if (c->kind != COLL_ALLTOALLW)
		return is_send ? c->send_type : c->recv_type;
	return 1 + (source + (is_send && !c->is_in_place ? dest : 2 * dest)) % 3;
}

static int value(int source, int dest, int item, int element)
{
	return source * 10007 + dest * 101 + item * 7 + element;
}

/*
 * The address of block `index` of rank `me`. Blocks of vector forms lie in reverse order, with a
 * gap of an item.
 */
static char *block_at(const struct config *c, struct memory *m, char *base, bool is_send, int index)
{
	const int *displs = is_send ? m->send_displs : m->recv_displs;
	MPI_Count extent = item_extent(is_send ? c->send_type : c->recv_type);

	if (c->kind == COLL_ALLTOALLW)
		return base + displs[index];
	return base + extent * (is_vector(c->kind) ? displs[index] : index * c->count);
}

static void layout(const struct config *c, int me)
{
	struct memory *m = &memories[me];
	int send_next = 0, recv_next = 0;

	for (int i = c->n - 1; i >= 0; i--) {
		m->send_counts[i] = count_of(c, me, i);
		m->recv_counts[i] = count_of(c, i, me);
		m->send_types[i] = ranks_type(me, type_of(c, me, i, true));
		m->recv_types[i] = ranks_type(me, type_of(c, i, me, false));
		m->send_displs[i] = c->kind == COLL_ALLTOALLW ? 200 * i : send_next;
		m->recv_displs[i] = c->kind == COLL_ALLTOALLW ? 200 * i : recv_next;
		send_next += m->send_counts[i] + 1;
		recv_next += m->recv_counts[i] + 1;
	}
}

static void put(enum item_type type, char *at, int count, int source, int dest)
{
	for (int i = 0; i < count; i++)
		for (int e = 0; e < item_n_elements(type); e++)
			*item_element(type, at, i, e) = value(source, dest, i, e);
}

/* --- data movement: what is in the buffers before, and what has to be in them after --- */

static void fill_moved(const struct config *c, int me)
{
	struct memory *m = &memories[me];
	char *send = m->send + MARGIN_B, *recv = m->recv + MARGIN_B;

	if (c->kind == COLL_BCAST) {
		if (me == c->root)
			put(c->recv_type, recv, c->count, me, 0);
	} else if (is_alltoall(c->kind) && c->is_in_place) {
		for (int i = 0; i < c->n; i++)
			put(type_of(c, i, me, false), block_at(c, m, recv, false, i),
			    m->recv_counts[i], me, i);
	} else if (is_alltoall(c->kind) || c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV) {
		for (int i = 0; i < c->n; i++)
			put(type_of(c, me, i, true), block_at(c, m, send, true, i),
			    m->send_counts[i], me, i);
	} else if (c->is_in_place && (me == c->root || c->kind >= COLL_ALLGATHER)) {
		put(c->recv_type, block_at(c, m, recv, false, me), count_of(c, me, 0), me, 0);
	} else {
		put(c->send_type, send, count_of(c, me, 0), me, 0);
	}
}

static void expect_moved(const struct config *c, int me)
{
	struct memory *m = &memories[me];
	char *out = m->expected + MARGIN_B;
	bool is_rooted = c->kind == COLL_GATHER || c->kind == COLL_GATHERV;

	if (c->kind == COLL_BCAST) {
		put(c->recv_type, out, c->count, c->root, 0);
	} else if (c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV) {
		if (!(c->is_in_place && me == c->root))
			put(c->recv_type, out, count_of(c, c->root, me), c->root, me);
	} else if (!is_rooted || me == c->root) {
		for (int i = 0; i < c->n; i++)
			put(type_of(c, i, me, false), block_at(c, m, out, false, i),
			    count_of(c, i, me), i, is_alltoall(c->kind) ? me : 0);
	}
}

/* --- reductions --- */

static int n_input_items(const struct config *c)
{
	int n = 0;

	if (c->kind != COLL_REDUCE_SCATTER && c->kind != COLL_REDUCE_SCATTER_BLOCK)
		return c->count;
	for (int i = 0; i < c->n; i++)
		n += count_of(c, 0, i);
	return n;
}

static int input(const struct config *c, int rank, int item, int element)
{
	if (c->op == OP_JOIN) /* the range of ranks [rank, rank + 1), valid */
		return element == 0 ? rank : element == 1 ? rank + 1 : 1;
	return value(rank, 0, item, element);
}

/* Ranks first … end-1 reduced. */
static int reduced(const struct config *c, int first, int end, int item, int element)
{
	int sum = 0;

	if (c->op == OP_JOIN)
		return element == 0 ? first : element == 1 ? end : 1;
	for (int r = first; r < end; r++)
		sum += input(c, r, item, element);
	return sum;
}

static void fill_reduced(const struct config *c, int me)
{
	struct memory *m = &memories[me];
	bool has_result = c->kind != COLL_REDUCE || me == c->root;
	char *at = (c->is_in_place && has_result ? m->recv : m->send) + MARGIN_B;

	for (int i = 0; i < n_input_items(c); i++)
		for (int e = 0; e < item_n_elements(c->recv_type); e++)
			*item_element(c->recv_type, at, i, e) = input(c, me, i, e);
}

static void expect_reduced(const struct config *c, int me)
{
	char *at = memories[me].expected + MARGIN_B;
	int end = c->kind == COLL_SCAN ? me + 1 : c->kind == COLL_EXSCAN ? me : c->n;
	int first_item = 0, count = c->count;

	if ((c->kind == COLL_REDUCE && me != c->root) || (c->kind == COLL_EXSCAN && me == 0))
		return;
	if (c->kind == COLL_REDUCE_SCATTER || c->kind == COLL_REDUCE_SCATTER_BLOCK) {
		for (int i = 0; i < me; i++)
			first_item += count_of(c, 0, i);
		count = count_of(c, 0, me);
	}
	for (int i = 0; i < count; i++)
		for (int e = 0; e < item_n_elements(c->recv_type); e++)
			*item_element(c->recv_type, at, i, e) =
			    reduced(c, 0, end, first_item + i, e);
}

/* --- one case --- */

static struct mpi_coll_args arguments(const struct config *c, int me)
{
	struct memory *m = &memories[me];
	bool is_scatter = c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV;
	bool is_gather = c->kind == COLL_GATHER || c->kind == COLL_GATHERV;
	bool is_rooted = is_scatter || is_gather || c->kind == COLL_REDUCE;
	bool in_place = c->is_in_place && (!is_rooted || me == c->root);
	struct mpi_coll_args args = {.kind = c->kind,
				     .comm = MPI_COMM_WORLD,
				     .root = c->root,
				     .op = ranks_op(me, c->op, c->recv_type)};

	args.send = (struct mpi_coll_side_args){.buf = in_place && !is_scatter ? MPI_IN_PLACE
									       : m->send + MARGIN_B,
						.count = count_of(c, me, 0),
						.type = ranks_type(me, c->send_type)};
	args.recv = (struct mpi_coll_side_args){.buf = in_place && is_scatter ? MPI_IN_PLACE
									      : m->recv + MARGIN_B,
						.count = count_of(c, 0, me),
						.type = ranks_type(me, c->recv_type)};
	args.send.has_counts = is_vector(c->kind) && (is_scatter || is_alltoall(c->kind));
	args.recv.has_counts = is_vector(c->kind) && !is_scatter;
	args.send.counts.narrow = m->send_counts;
	args.send.displs.narrow = m->send_displs;
	args.recv.counts.narrow = m->recv_counts;
	args.recv.displs.narrow = m->recv_displs;
	if (c->kind == COLL_REDUCE_SCATTER) { /* by destination */
		args.recv.counts.narrow = m->send_counts;
		args.recv.displs.narrow = NULL;
	}
	args.send.has_types = args.recv.has_types = c->kind == COLL_ALLTOALLW;
	args.send.types = m->send_types;
	args.recv.types = m->recv_types;
	return args;
}

static void prepare(const struct config *c, struct mpi_coll_args args[])
{
	for (int me = 0; me < c->n; me++) {
		struct memory *m = &memories[me];

		memset(m->send, 0xaa, BUFFER_B);
		memset(m->recv, 0xaa, BUFFER_B);
		layout(c, me);
		if (is_reduction(c->kind))
			fill_reduced(c, me);
		else if (c->kind != COLL_BARRIER)
			fill_moved(c, me);
		memcpy(m->send_before, m->send, BUFFER_B);
		memcpy(m->expected, m->recv, BUFFER_B);
		if (is_reduction(c->kind))
			expect_reduced(c, me);
		else if (c->kind != COLL_BARRIER)
			expect_moved(c, me);
		args[me] = arguments(c, me);
	}
}

static void fail_case(const struct config *c, int me, const char *what)
{
	fail_msg(
	    "%s %s:%d, layout %d: rank %d of %d, root %d, count %d, types %d → %d, op %d%s: %s",
	    mpi_coll_kind_name(c->kind), c->algorithm, c->segment_B, c->layout, me, c->n, c->root,
	    c->count, c->send_type, c->recv_type, c->op, c->is_in_place ? ", in place" : "", what);
}

static void check_case(const struct config *c)
{
	struct mpi_coll_selection selection = {{NULL}};
	struct mpi_coll_args args[RANKS_MOST];
	int errors[RANKS_MOST], n_messages;
	uint64_t n_before;

	ranks_begin(c->n, c->layout);
	selection.chosen[c->kind] = mpi_coll_algorithm_find(c->kind, c->algorithm);
	selection.segment_B[c->kind] = c->segment_B;
	ranks_select(&selection);
	prepare(c, args);
	n_before = ranks_world()->n_collective_messages;
	ranks_run(args, (unsigned int)(c->n * 31 + c->count), errors);
	n_messages = (int)(ranks_world()->n_collective_messages - n_before);
	for (int me = 0; me < c->n; me++) {
		if (errors[me] != MPI_SUCCESS)
			fail_case(c, me, errors[me] < 0 ? "does not end" : "fails");
		if (memcmp(memories[me].recv, memories[me].expected, BUFFER_B) != 0)
			fail_case(c, me, "receives something else");
		if (memcmp(memories[me].send, memories[me].send_before, BUFFER_B) != 0)
			fail_case(c, me, "changes its send buffer");
	}
	if (ranks_left_something())
		fail_case(c, 0, "leaves messages behind");
	if (strcmp(c->algorithm, "ideal") == 0 && n_messages != 0)
		fail_case(c, 0, "sends messages");
	if (c->kind == COLL_ALLTOALL && strcmp(c->algorithm, "bruck") != 0 &&
	    strcmp(c->algorithm, "ideal") != 0 &&
	    n_messages != (c->count > 0 ? c->n * (c->n - 1) : 0))
		fail_case(c, 0, "sends another number of messages");
}

/* --- all cases of an operation --- */

static void check_types(struct config c)
{
	static const enum item_op any_op[] = {OP_SUM, OP_SUM_IN_ORDER, OP_JOIN};

	for (int t = 0; t < N_TYPES; t++) {
		c.recv_type = t;
		/* same signature, other layout */
		c.send_type = t == TYPE_INT || is_reduction(c.kind) ? t : 1 + t % 3;
		for (int o = 0; o < (is_reduction(c.kind) ? 3 : 1); o++) {
			c.op = any_op[o];
			if (c.op == OP_JOIN && t == TYPE_INT)
				continue;
			c.is_in_place = false;
			check_case(&c);
			c.is_in_place = true;
			if (c.kind != COLL_BCAST)
				check_case(&c);
		}
	}
}

static void check_algorithm(enum mpi_coll_kind kind, const char *algorithm, int segment_B,
			    enum layout layout)
{
	static const int all_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17},
			 some_sizes[] = {2, 5, 8};
	const int *sizes = segment_B ? some_sizes : all_sizes;
	size_t n_sizes = segment_B ? 3 : sizeof all_sizes / sizeof all_sizes[0];
	static const int counts[] = {0, 1, 3, 19};
	bool has_root = kind == COLL_BCAST || kind == COLL_GATHER || kind == COLL_GATHERV ||
			kind == COLL_SCATTER || kind == COLL_SCATTERV || kind == COLL_REDUCE;

	for (size_t s = 0; s < n_sizes; s++) {
		int n = sizes[s], roots[] = {0, n / 2, n - 1};

		for (int r = 0; r < (has_root ? 3 : 1); r++)
			for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
				check_types((struct config){.kind = kind,
							    .algorithm = algorithm,
							    .segment_B = segment_B,
							    .layout = layout,
							    .n = n,
							    .count = counts[i],
							    .root = roots[r]});
	}
}

/* Without segments, with those of less than an item, of some, and of more than there is. */
static void check_segments(const struct mpi_coll_algorithm *algorithm, enum mpi_coll_kind kind,
			   enum layout layout)
{
	static const int sizes_B[] = {0, 5, 40, 1000};

	for (int i = 0; i < (algorithm->has_segments ? 4 : 1); i++)
		check_algorithm(kind, algorithm->name, sizes_B[i], layout);
}

/* Where its ranks are matters to those that look at nodes. */
static int n_layouts(const struct mpi_coll_algorithm *algorithm)
{
	return algorithm->needs_nodes ? N_LAYOUTS : 1;
}

static void check_kind(enum mpi_coll_kind kind)
{
	struct config many = {.kind = kind,
			      .n = RANKS_MOST,
			      .count = 1,
			      .root = 3,
			      .send_type = TYPE_GAPPY,
			      .recv_type = TYPE_GAPPY};
	int n_checked = 0;

	for (int i = 0; mpi_coll_algorithms[i]; i++)
		if (mpi_coll_algorithms[i]->kinds & MPI_COLL_KIND(kind)) {
			many.algorithm = mpi_coll_algorithms[i]->name;
			for (int l = 0; l < n_layouts(mpi_coll_algorithms[i]); l++) {
				many.layout = l;
				check_segments(mpi_coll_algorithms[i], kind, l);
				check_case(&many);
			}
			n_checked++;
		}
	assert_true(n_checked > 0);
}

static void test_kind(void **state)
{
	const enum mpi_coll_kind *kind = *state;

	check_kind(*kind);
}

/* Each claim is about one operation, under all its algorithms. */
static const struct claim {
	const char *text;
	enum mpi_coll_kind kind;
} claims[] = {
    {"bcast_gives_all_the_root_s_data", COLL_BCAST},
    {"gather_collects_blocks_in_rank_order", COLL_GATHER},
    {"gatherv_places_blocks_by_displacement", COLL_GATHERV},
    {"scatter_hands_out_blocks_in_rank_order", COLL_SCATTER},
    {"scatterv_takes_blocks_by_displacement", COLL_SCATTERV},
    {"allgather_collects_blocks_everywhere", COLL_ALLGATHER},
    {"allgatherv_places_blocks_everywhere", COLL_ALLGATHERV},
    {"alltoall_transposes_blocks", COLL_ALLTOALL},
    {"alltoallv_transposes_blocks_of_any_length", COLL_ALLTOALLV},
    {"alltoallw_transposes_blocks_of_any_type", COLL_ALLTOALLW},
    {"reduce_keeps_rank_order", COLL_REDUCE},
    {"allreduce_keeps_rank_order", COLL_ALLREDUCE},
    {"reduce_scatter_keeps_rank_order", COLL_REDUCE_SCATTER},
    {"reduce_scatter_block_keeps_rank_order", COLL_REDUCE_SCATTER_BLOCK},
    {"scan_includes_the_own_rank", COLL_SCAN},
    {"exscan_excludes_the_own_rank_and_leaves_rank_0_alone", COLL_EXSCAN},
};

#define N_CLAIMS (sizeof claims / sizeof claims[0])

/* No rank may leave before the last has entered: with all but one in the barrier, none ends. */
static void check_barrier(const struct mpi_coll_algorithm *algorithm, enum layout layout, int n,
			  int late)
{
	struct mpi_coll_args args = {.kind = COLL_BARRIER, .comm = MPI_COMM_WORLD};
	struct mpi_coll_selection selection = {{[COLL_BARRIER] = algorithm}};
	int errors[RANKS_MOST];

	ranks_begin(n, layout);
	ranks_select(&selection);
	for (int i = 0; i < n; i++)
		if (i != late)
			ranks_call(i, &args, 0);
	ranks_settle(errors);
	for (int i = 0; i < n; i++)
		if (i != late && errors[i] != -1)
			fail_msg("%s: rank %d of %d, without rank %d: %d", algorithm->name, i, n,
				 late, errors[i]);
	ranks_call(late, &args, 0);
	ranks_settle(errors);
	for (int i = 0; i < n; i++)
		assert_int_equal(errors[i], MPI_SUCCESS);
}

static void barrier_holds_everyone_until_the_last_comes(void **state)
{
	for (int i = 0; mpi_coll_algorithms[i]; i++)
		for (int n = 2;
		     n <= 17 && mpi_coll_algorithms[i]->kinds & MPI_COLL_KIND(COLL_BARRIER); n++)
			for (int late = 0; late<n; late += n> 5 ? n / 3 : 1)
				for (int l = 0; l < n_layouts(mpi_coll_algorithms[i]); l++)
					check_barrier(mpi_coll_algorithms[i], l, n, late);
}

static int end(void **state)
{
	ranks_end();
	return 0;
}

int main(void)
{
	struct CMUnitTest tests[1 + N_CLAIMS] = {
	    cmocka_unit_test(barrier_holds_everyone_until_the_last_comes)};

	for (size_t i = 0; i < N_CLAIMS; i++)
		tests[1 + i] = (struct CMUnitTest){.name = claims[i].text,
						   .test_func = test_kind,
						   .initial_state = (void *)&claims[i].kind};
	return cmocka_run_group_tests(tests, NULL, end);
}
