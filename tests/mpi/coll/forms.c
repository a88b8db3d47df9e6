/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the portable programs of tests/programs leave out: persistent and large-count forms of every
 * collective, long messages (other algorithms, rendezvous), errors that a program gets back. Any
 * number of ranks; prints "OK" on rank 0, exits with 1 after the first wrong result.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) check(condition, #condition, __LINE__)
#define MAX_RANKS 32

static int me, n;

static void check(int holds, const char *condition, int line)
{
	if (holds)
		return;
	printf("rank %d of %d: line %d: %s does not hold\n", me, n, line, condition);
	fflush(stdout);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Before round t every rank has in[i] = value(t, me, i). */
static int value(int round, int rank, int i)
{
	return 1000 * round + 100 * rank + i;
}

static int sum_up_to(int end, int round, int i)
{
	int sum = 0;

	for (int r = 0; r < end; r++)
		sum += value(round, r, i);
	return sum;
}

/* --- persistent: started three times with other data each time --- */

struct buffers {
	int in[2 * MAX_RANKS], out[2 * MAX_RANKS];
	int counts[MAX_RANKS], displs[MAX_RANKS], byte_displs[MAX_RANKS];
	MPI_Count large_counts[MAX_RANKS];
	MPI_Aint large_displs[MAX_RANKS];
	MPI_Datatype types[MAX_RANKS];
} b;

static void fill(int round)
{
	for (int i = 0; i < 2 * n; i++) {
		b.in[i] = value(round, me, i);
		b.out[i] = -1;
	}
}

static void layout(void)
{
	for (int i = 0; i < n; i++) {
		b.counts[i] = b.large_counts[i] = 2;
		b.displs[i] = b.large_displs[i] = 2 * i;
		b.byte_displs[i] = 8 * i;
		b.types[i] = MPI_INT;
	}
}

enum shape {
	BCAST,
	ROOT_HAS_ALL,
	OWN_BLOCK_OF_ROOT,
	ALL_HAVE_ALL,
	TRANSPOSED,
	ROOT_HAS_SUM,
	ALL_HAVE_SUM,
	OWN_BLOCK_OF_SUM,
	PREFIX,
	PREFIX_BEFORE
};

#define ROOT (n - 1)

static void check_blocks(int round, int is_transposed)
{
	for (int i = 0; i < 2 * n; i++)
		CHECK(b.out[i] == value(round, i / 2, is_transposed ? 2 * me + i % 2 : i % 2));
}

static void check_two(int round, int end, int first)
{
	for (int i = 0; i < 2; i++)
		CHECK(b.out[i] == sum_up_to(end, round, first + i));
}

static void check_round(enum shape shape, int round)
{
	if (shape == BCAST)
		CHECK(b.in[0] == value(round, ROOT, 0) && b.in[1] == value(round, ROOT, 1));
	else if (shape == OWN_BLOCK_OF_ROOT)
		CHECK(b.out[0] == value(round, ROOT, 2 * me) &&
		      b.out[1] == value(round, ROOT, 2 * me + 1));
	else if (shape == ALL_HAVE_ALL || shape == TRANSPOSED ||
		 (shape == ROOT_HAS_ALL && me == ROOT))
		check_blocks(round, shape == TRANSPOSED);
	else if (shape == ALL_HAVE_SUM || (shape == ROOT_HAS_SUM && me == ROOT))
		check_two(round, n, 0);
	else if (shape == OWN_BLOCK_OF_SUM)
		check_two(round, n, 2 * me);
	else if (shape == PREFIX || (shape == PREFIX_BEFORE && me > 0))
		check_two(round, shape == PREFIX ? me + 1 : me, 0);
	else
		CHECK(b.out[0] == -1 && b.out[1] == -1);
}

static void run_persistent(MPI_Request request, enum shape shape)
{
	int flag;

	for (int round = 1; round <= 3; round++) {
		fill(round);
		MPI_Start(&request);
		if (round == 2)
			for (flag = 0; !flag;)
				MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		else
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		CHECK(request != MPI_REQUEST_NULL);
		check_round(shape, round);
	}
	MPI_Request_free(&request);
	CHECK(request == MPI_REQUEST_NULL);
}

#define WORLD MPI_COMM_WORLD, MPI_INFO_NULL, &r

static void persistent(void)
{
	MPI_Request r;

	MPI_Barrier_init(WORLD);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
	run_persistent((MPI_Bcast_init(b.in, 2, MPI_INT, ROOT, WORLD), r), BCAST);
	run_persistent((MPI_Gather_init(b.in, 2, MPI_INT, b.out, 2, MPI_INT, ROOT, WORLD), r),
		       ROOT_HAS_ALL);
	run_persistent(
	    (MPI_Gatherv_init(b.in, 2, MPI_INT, b.out, b.counts, b.displs, MPI_INT, ROOT, WORLD),
	     r),
	    ROOT_HAS_ALL);
	run_persistent((MPI_Scatter_init(b.in, 2, MPI_INT, b.out, 2, MPI_INT, ROOT, WORLD), r),
		       OWN_BLOCK_OF_ROOT);
	run_persistent(
	    (MPI_Scatterv_init(b.in, b.counts, b.displs, MPI_INT, b.out, 2, MPI_INT, ROOT, WORLD),
	     r),
	    OWN_BLOCK_OF_ROOT);
	run_persistent((MPI_Allgather_init(b.in, 2, MPI_INT, b.out, 2, MPI_INT, WORLD), r),
		       ALL_HAVE_ALL);
	run_persistent(
	    (MPI_Allgatherv_init(b.in, 2, MPI_INT, b.out, b.counts, b.displs, MPI_INT, WORLD), r),
	    ALL_HAVE_ALL);
	run_persistent((MPI_Alltoall_init(b.in, 2, MPI_INT, b.out, 2, MPI_INT, WORLD), r),
		       TRANSPOSED);
	run_persistent((MPI_Alltoallv_init(b.in, b.counts, b.displs, MPI_INT, b.out, b.counts,
					   b.displs, MPI_INT, WORLD),
			r),
		       TRANSPOSED);
	run_persistent((MPI_Alltoallw_init(b.in, b.counts, b.byte_displs, b.types, b.out, b.counts,
					   b.byte_displs, b.types, WORLD),
			r),
		       TRANSPOSED);
	run_persistent((MPI_Reduce_init(b.in, b.out, 2, MPI_INT, MPI_SUM, ROOT, WORLD), r),
		       ROOT_HAS_SUM);
	run_persistent((MPI_Allreduce_init(b.in, b.out, 2, MPI_INT, MPI_SUM, WORLD), r),
		       ALL_HAVE_SUM);
	run_persistent((MPI_Reduce_scatter_init(b.in, b.out, b.counts, MPI_INT, MPI_SUM, WORLD), r),
		       OWN_BLOCK_OF_SUM);
	run_persistent((MPI_Reduce_scatter_block_init(b.in, b.out, 2, MPI_INT, MPI_SUM, WORLD), r),
		       OWN_BLOCK_OF_SUM);
	run_persistent((MPI_Scan_init(b.in, b.out, 2, MPI_INT, MPI_SUM, WORLD), r), PREFIX);
	run_persistent((MPI_Exscan_init(b.in, b.out, 2, MPI_INT, MPI_SUM, WORLD), r),
		       PREFIX_BEFORE);
}

static void large_counts(void)
{
	MPI_Aint byte_displs[MAX_RANKS];

	for (int i = 0; i < n; i++)
		byte_displs[i] = 8 * i;
#define LARGE(call, shape) (fill(9), call, check_round(shape, 9))
	LARGE(MPI_Bcast_c(b.in, 2, MPI_INT, ROOT, MPI_COMM_WORLD), BCAST);
	LARGE(MPI_Gather_c(b.in, 2, MPI_INT, b.out, 2, MPI_INT, ROOT, MPI_COMM_WORLD),
	      ROOT_HAS_ALL);
	LARGE(MPI_Gatherv_c(b.in, 2, MPI_INT, b.out, b.large_counts, b.large_displs, MPI_INT, ROOT,
			    MPI_COMM_WORLD),
	      ROOT_HAS_ALL);
	LARGE(MPI_Scatter_c(b.in, 2, MPI_INT, b.out, 2, MPI_INT, ROOT, MPI_COMM_WORLD),
	      OWN_BLOCK_OF_ROOT);
	LARGE(MPI_Scatterv_c(b.in, b.large_counts, b.large_displs, MPI_INT, b.out, 2, MPI_INT, ROOT,
			     MPI_COMM_WORLD),
	      OWN_BLOCK_OF_ROOT);
	LARGE(MPI_Allgather_c(b.in, 2, MPI_INT, b.out, 2, MPI_INT, MPI_COMM_WORLD), ALL_HAVE_ALL);
	LARGE(MPI_Allgatherv_c(b.in, 2, MPI_INT, b.out, b.large_counts, b.large_displs, MPI_INT,
			       MPI_COMM_WORLD),
	      ALL_HAVE_ALL);
	LARGE(MPI_Alltoall_c(b.in, 2, MPI_INT, b.out, 2, MPI_INT, MPI_COMM_WORLD), TRANSPOSED);
	LARGE(MPI_Alltoallv_c(b.in, b.large_counts, b.large_displs, MPI_INT, b.out, b.large_counts,
			      b.large_displs, MPI_INT, MPI_COMM_WORLD),
	      TRANSPOSED);
	LARGE(MPI_Alltoallw_c(b.in, b.large_counts, byte_displs, b.types, b.out, b.large_counts,
			      byte_displs, b.types, MPI_COMM_WORLD),
	      TRANSPOSED);
	LARGE(MPI_Reduce_c(b.in, b.out, 2, MPI_INT, MPI_SUM, ROOT, MPI_COMM_WORLD), ROOT_HAS_SUM);
	LARGE(MPI_Allreduce_c(b.in, b.out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), ALL_HAVE_SUM);
	LARGE(MPI_Reduce_scatter_c(b.in, b.out, b.large_counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
	      OWN_BLOCK_OF_SUM);
	LARGE(MPI_Reduce_scatter_block_c(b.in, b.out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
	      OWN_BLOCK_OF_SUM);
	LARGE(MPI_Scan_c(b.in, b.out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), PREFIX);
	LARGE(MPI_Exscan_c(b.in, b.out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), PREFIX_BEFORE);
}

/*
 * Ranks start two persistent operations in different orders: each has its own place in the order of
 * collectives since it was made.
 */
static void starts_need_no_common_order(void)
{
	MPI_Request requests[2];
	int sums[2] = {0, 0}, first = me % 2, ones[2] = {1, 2};

	for (int i = 0; i < 2; i++)
		MPI_Allreduce_init(&ones[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
				   MPI_INFO_NULL, &requests[i]);
	for (int round = 0; round < 3; round++) {
		MPI_Start(&requests[first]);
		MPI_Start(&requests[1 - first]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		CHECK(sums[0] == n && sums[1] == 2 * n);
	}
	for (int i = 0; i < 2; i++)
		MPI_Request_free(&requests[i]);
}

/* --- long messages: the algorithms for them, rendezvous --- */

#define LONG 140000 /* ints: more than every threshold of choose.c and the eager limit */

static void long_messages(int is_nonblocking)
{
	int *in = malloc(LONG * sizeof *in), *out = malloc((size_t)n * LONG * sizeof *out);
	MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int *sum = malloc(LONG * sizeof *sum), *root = malloc(LONG * sizeof *root);

	for (int i = 0; i < LONG; i++) {
		in[i] = value(1, me, i);
		root[i] = me == ROOT ? i : -1;
	}
	if (is_nonblocking) {
		MPI_Ibcast(root, LONG, MPI_INT, ROOT, MPI_COMM_WORLD, &r[0]);
		MPI_Iallreduce(in, sum, LONG, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
		MPI_Iallgather(in, LONG, MPI_INT, out, LONG, MPI_INT, MPI_COMM_WORLD, &r[2]);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	} else {
		MPI_Bcast(root, LONG, MPI_INT, ROOT, MPI_COMM_WORLD);
		MPI_Allreduce(in, sum, LONG, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Allgather(in, LONG, MPI_INT, out, LONG, MPI_INT, MPI_COMM_WORLD);
	}
	for (int i = 0; i < LONG; i++)
		CHECK(root[i] == i && sum[i] == sum_up_to(n, 1, i));
	for (int i = 0; i < n * LONG; i += 997)
		CHECK(out[i] == value(1, i / LONG, i % LONG));
	free(in);
	free(out);
	free(sum);
	free(root);
}

static void long_alltoall(void)
{
	int count = 9000, *in = malloc((size_t)n * count * sizeof *in),
	    *out = malloc((size_t)n * count * sizeof *out);

	for (int i = 0; i < n * count; i++)
		in[i] = value(i / count, me, i % count);
	MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < n * count; i++)
		CHECK(out[i] == value(me, i / count, i % count));
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, MPI_INT,
		     MPI_COMM_WORLD); /* and back */
	CHECK(memcmp(in, out, (size_t)n * count * sizeof *in) == 0);
	MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, ROOT, MPI_COMM_WORLD);
	for (int i = 0; i < n * count && me == ROOT; i++)
		CHECK(out[i] == value(0, i / count, i % count));
	MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, ROOT, MPI_COMM_WORLD);
	for (int i = 0; i < count; i++)
		CHECK(out[i] == value(me, ROOT, i));
	free(in);
	free(out);
}

/* --- objects freed while operations use them; errors --- */

static void handles_may_be_freed_at_once(void)
{
	MPI_Datatype pair;
	MPI_Comm comm;
	MPI_Request r;
	int data[2] = {me == 0 ? 5 : -1, me == 0 ? 6 : -1};

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Ibcast(data, 1, pair, 0, comm, &r);
	MPI_Type_free(&pair);
	MPI_Comm_free(&comm);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK(data[0] == 5 && data[1] == 6);
}

static void errors_come_back(void)
{
	int data[4] = {0}, code, class;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	code = MPI_Bcast(data, 1, MPI_INT, n, comm);
	MPI_Error_class(code, &class);
	CHECK(class == MPI_ERR_ROOT);
	code = MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, comm);
	MPI_Error_class(code, &class);
	CHECK(class == MPI_ERR_BUFFER);
	code = MPI_Iallreduce(data, data + 1, -1, MPI_INT, MPI_SUM, comm, &r);
	MPI_Error_class(code, &class);
	CHECK(class == MPI_ERR_COUNT && r == MPI_REQUEST_NULL);
	CHECK(MPI_Ibarrier(comm, NULL) != MPI_SUCCESS);
	/* The root sends more than the others expect: who gets it from the root itself notices. */
	code = MPI_Bcast(data, me == 0 ? 4 : 2, MPI_INT, 0, comm);
	CHECK(code == (me == 1 ? MPI_ERR_TRUNCATE : me == 0 ? MPI_SUCCESS : code));
	MPI_Ibcast(data, me == 0 ? 4 : 2, MPI_INT, 0, comm, &r);
	code = MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK(code == (me == 1 ? MPI_ERR_TRUNCATE : me == 0 ? MPI_SUCCESS : code));
	CHECK(r == MPI_REQUEST_NULL);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	layout();
	persistent();
	large_counts();
	starts_need_no_common_order();
	long_messages(0);
	long_messages(1);
	long_alltoall();
	handles_may_be_freed_at_once();
	errors_come_back();
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 0)
		printf("OK\n");
	MPI_Finalize();
	return 0;
}
