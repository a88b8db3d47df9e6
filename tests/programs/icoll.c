/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking collectives: each gives what the blocking one gives, many in flight, mixed with messages. */
#include "check.h"

enum { N = 500 };
static int *a, *b, *c; /* [n_ranks * N] */

static int item(int from, int to, int k)
{
	return from * 100003 + to * 1009 + k;
}

static void finish_by_testing(MPI_Request *req)
{
	int flag = 0;

	while (!flag)
		MPI_Test(req, &flag, MPI_STATUS_IGNORE);
	CHECK(*req == MPI_REQUEST_NULL);
}

static void ibarrier_waits_for_all(void)
{
	MPI_Request req;
	int flag = 0, token = 0;

	if (n_ranks > 1 && me == n_ranks - 1) /* the last rank joins when rank 0 has seen that nothing completes */
		MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Ibarrier(MPI_COMM_WORLD, &req);
	if (n_ranks > 1 && me == 0) {
		for (int k = 0; k < 20; k++) {
			MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
			CHECK(!flag);
		}
		MPI_Send(&token, 1, MPI_INT, n_ranks - 1, 1, MPI_COMM_WORLD);
	}
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Ibarrier(MPI_COMM_SELF, &req);
	finish_by_testing(&req);
}

static void ibcast_from_every_root_at_once(void)
{
	MPI_Request *req = malloc((size_t)n_ranks * sizeof(*req));

	for (int root = 0; root < n_ranks; root++)
		for (int k = 0; k < N; k++)
			a[root * N + k] = me == root ? item(root, 1, k) : -1;
	for (int root = 0; root < n_ranks; root++)
		MPI_Ibcast(a + root * N, N, MPI_INT, root, MPI_COMM_WORLD, &req[root]);
	MPI_Waitall(n_ranks, req, MPI_STATUSES_IGNORE);
	for (int root = 0; root < n_ranks; root++)
		for (int k = 0; k < N; k += 31)
			CHECK_INT(a[root * N + k], item(root, 1, k));
	free(req);
}

static void igather_and_iscatter(void)
{
	MPI_Request req;

	for (int root = 0; root < n_ranks; root++) {
		for (int k = 0; k < N; k++)
			a[k] = item(me, root, k);
		MPI_Igather(a, N, MPI_INT, b, N, MPI_INT, root, MPI_COMM_WORLD, &req);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
		for (int r = 0; r < n_ranks && me == root; r++)
			CHECK_INT(b[r * N + 17], item(r, root, 17));
		MPI_Iscatter(b, N, MPI_INT, c, N, MPI_INT, root, MPI_COMM_WORLD, &req);
		finish_by_testing(&req);
		CHECK_INT(c[N - 1], item(me, root, N - 1));
	}
}

static void v_variants(void)
{
	int *n = malloc((size_t)n_ranks * sizeof(int)), *displ = malloc((size_t)n_ranks * sizeof(int));
	MPI_Request req;

	for (int r = 0; r < n_ranks; r++) {
		n[r] = r % 4;
		displ[r] = 6 * (n_ranks - 1 - r);
	}
	for (int k = 0; k < N; k++)
		a[k] = item(me, 0, k);
	memset(b, 0xff, 6 * (size_t)n_ranks * sizeof(int));
	MPI_Igatherv(a, n[me], MPI_INT, b, n, displ, MPI_INT, 0, MPI_COMM_WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	for (int r = 0; r < n_ranks && me == 0; r++) {
		CHECK_INT(b[displ[r] + n[r]], -1);
		for (int k = 0; k < n[r]; k++)
			CHECK_INT(b[displ[r] + k], item(r, 0, k));
	}
	memset(c, 0xff, N * sizeof(int));
	MPI_Iscatterv(b, n, displ, MPI_INT, c, n[me], MPI_INT, 0, MPI_COMM_WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	for (int k = 0; k <= n[me]; k++)
		CHECK_INT(c[k], k < n[me] ? item(me, 0, k) : -1);
	memset(b, 0xff, 6 * (size_t)n_ranks * sizeof(int));
	MPI_Iallgatherv(a, n[me], MPI_INT, b, n, displ, MPI_INT, MPI_COMM_WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	for (int r = 0; r < n_ranks; r++)
		for (int k = 0; k <= n[r]; k++)
			CHECK_INT(b[displ[r] + k], k < n[r] ? item(r, 0, k) : -1);
	free(n);
	free(displ);
}

static void iallgather_and_ialltoall(void)
{
	MPI_Request req[2];

	for (int k = 0; k < n_ranks * N; k++)
		a[k] = item(me, k / N, k % N);
	MPI_Iallgather(a, N, MPI_INT, b, N, MPI_INT, MPI_COMM_WORLD, &req[0]);
	MPI_Ialltoall(a, N, MPI_INT, c, N, MPI_INT, MPI_COMM_WORLD, &req[1]);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	for (int r = 0; r < n_ranks; r++) {
		CHECK_INT(b[r * N + 3], item(r, 0, 3));
		CHECK_INT(c[r * N + 3], item(r, me, 3));
		CHECK_INT(c[r * N + N - 1], item(r, me, N - 1));
	}
}

static void ialltoallv_and_ialltoallw(void)
{
	size_t size = (size_t)n_ranks * sizeof(int);
	int *sn = malloc(size), *sd = malloc(size), *rn = malloc(size), *rd = malloc(size);
	MPI_Datatype *types = malloc((size_t)n_ranks * sizeof(*types));
	MPI_Request req;

	for (int r = 0; r < n_ranks; r++) {
		sn[r] = (me + 2 * r) % 3;
		rn[r] = (r + 2 * me) % 3;
		sd[r] = rd[r] = 3 * r;
		types[r] = MPI_INT;
		for (int k = 0; k < 3; k++)
			a[3 * r + k] = item(me, r, k);
	}
	for (int w = 0; w < 2; w++) {
		memset(b, 0xff, 3 * size);
		if (w)
			MPI_Ialltoallw(a, sn, sd, types, b, rn, rd, types, MPI_COMM_WORLD, &req);
		else
			MPI_Ialltoallv(a, sn, sd, MPI_INT, b, rn, rd, MPI_INT, MPI_COMM_WORLD, &req);
		finish_by_testing(&req);
		for (int r = 0; r < n_ranks; r++) {
			for (int k = 0; k < 3; k++)
				CHECK_INT(b[3 * r + k], k < rn[r] ? item(r, me, k) : -1);
			sd[r] *= 4; /* displacements are bytes in the second round */
			rd[r] *= 4;
		}
	}
	free(sn), free(sd), free(rn), free(rd), free(types);
}

static void reductions(void)
{
	MPI_Request req[5];
	int mine = me + 1, sum = 0, largest = 0, scan = 0, exscan = -1, part = 0, total = n_ranks * (n_ranks + 1) / 2;

	for (int r = 0; r < n_ranks; r++)
		a[r] = me + r;
	MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[0]);
	MPI_Ireduce(&mine, &largest, 1, MPI_INT, MPI_MAX, n_ranks - 1, MPI_COMM_WORLD, &req[1]);
	MPI_Iscan(&mine, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[2]);
	MPI_Iexscan(&mine, &exscan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[3]);
	MPI_Ireduce_scatter_block(a, &part, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[4]);
	MPI_Waitall(5, req, MPI_STATUSES_IGNORE);
	CHECK_INT(sum, total);
	CHECK_INT(largest, me == n_ranks - 1 ? n_ranks : 0);
	CHECK_INT(scan, (me + 1) * (me + 2) / 2);
	if (me > 0)
		CHECK_INT(exscan, me * (me + 1) / 2);
	CHECK_INT(part, total - n_ranks + n_ranks * me);
}

static void in_place(void)
{
	MPI_Request req[2];
	int sum = me + 1, *counts = malloc((size_t)n_ranks * sizeof(int));

	for (int r = 0; r < n_ranks; r++) {
		b[r] = r == me ? item(me, 2, 0) : -1;
		c[2 * r] = c[2 * r + 1] = me + r;
		counts[r] = 2;
	}
	MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[0]);
	MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, &req[1]);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	CHECK_INT(sum, n_ranks * (n_ranks + 1) / 2);
	for (int r = 0; r < n_ranks; r++)
		CHECK_INT(b[r], item(r, 2, 0));
	MPI_Ireduce_scatter(MPI_IN_PLACE, c, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[0]);
	MPI_Wait(&req[0], MPI_STATUS_IGNORE);
	CHECK_INT(c[0], n_ranks * (n_ranks - 1) / 2 + n_ranks * me);
	CHECK_INT(c[1], c[0]);
	free(counts);
}

/* Started in one order on all ranks, completed in the opposite one; a blocking collective and messages in between. */
static void many_in_flight_complete_in_any_order(void)
{
	enum { MANY = 24 };
	MPI_Request req[MANY], message[2];
	int value[MANY], sum[MANY], right = (me + 1) % n_ranks, left = (me + n_ranks - 1) % n_ranks, got = -1;
	int index;

	MPI_Irecv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &message[0]);
	for (int k = 0; k < MANY; k++) {
		value[k] = me * k;
		MPI_Iallreduce(&value[k], &sum[k], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req[k]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Isend(&me, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &message[1]);
	MPI_Waitall(2, message, MPI_STATUSES_IGNORE);
	CHECK_INT(got, left);
	for (int k = MANY - 1; k >= MANY / 2; k--)
		MPI_Wait(&req[k], MPI_STATUS_IGNORE);
	for (int k = 0; k < MANY / 2; k++) {
		MPI_Waitany(MANY, req, &index, MPI_STATUS_IGNORE);
		CHECK(index >= 0 && index < MANY / 2);
	}
	for (int k = 0; k < MANY; k++)
		CHECK_INT(sum[k], k * n_ranks * (n_ranks - 1) / 2);
}

static void subtract(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *x = in, *y = inout;

	for (int k = 0; k < 2 * *len; k += 2) { /* affine maps x -> s x + t composed left to right */
		int s = x[k] * y[k] % 1009, t = (y[k] * x[k + 1] + y[k + 1]) % 1009;

		y[k] = s;
		y[k + 1] = t;
	}
}

static void noncommutative_operations_keep_rank_order(void)
{
	MPI_Datatype map;
	MPI_Request req;
	MPI_Op op;
	int mine[2] = {me + 2, 3 * me + 1}, got[2] = {-1, -1}, want[2] = {1, 0};

	MPI_Type_contiguous(2, MPI_INT, &map);
	MPI_Type_commit(&map);
	MPI_Op_create(subtract, 0, &op);
	MPI_Iallreduce(mine, got, 1, map, op, MPI_COMM_WORLD, &req);
	MPI_Op_free(&op); /* lives until the operation is done */
	MPI_Type_free(&map);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	for (int r = 0; r < n_ranks; r++) {
		int next[2] = {r + 2, 3 * r + 1}, one = 1;

		subtract(want, next, &one, NULL);
		memcpy(want, next, sizeof(want));
	}
	CHECK_INT(got[0], want[0]);
	CHECK_INT(got[1], want[1]);
}

static void a_duplicate_is_made_in_the_background(void)
{
	MPI_Comm copy = MPI_COMM_NULL;
	MPI_Request req;
	int sum = 0, result;

	MPI_Comm_idup(MPI_COMM_WORLD, &copy, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
	CHECK_INT(result, MPI_CONGRUENT);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, copy);
	CHECK_INT(sum, n_ranks * (n_ranks - 1) / 2);
	MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
	size_t size;

	check_init(&argc, &argv);
	size = (size_t)n_ranks * N * sizeof(int);
	a = malloc(size);
	b = malloc(size);
	c = malloc(size);
	ibarrier_waits_for_all();
	section_end("ibarrier");
	ibcast_from_every_root_at_once();
	section_end("ibcast");
	igather_and_iscatter();
	v_variants();
	section_end("igather, iscatter and v-variants");
	iallgather_and_ialltoall();
	ialltoallv_and_ialltoallw();
	section_end("iallgather and ialltoall");
	reductions();
	in_place();
	section_end("nonblocking reductions");
	many_in_flight_complete_in_any_order();
	section_end("many in flight");
	noncommutative_operations_keep_rank_order();
	section_end("nonblocking non-commutative operation");
	a_duplicate_is_made_in_the_background();
	section_end("idup");
	free(a);
	free(b);
	free(c);
	return check_finish();
}
