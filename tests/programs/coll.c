/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking collectives: every root, zero counts, v-variants, derived types, MPI_IN_PLACE, any number of ranks. */
#include "check.h"

static const int counts[] = {0, 1, 7, 5000};
enum { N_COUNTS = sizeof(counts) / sizeof(counts[0]), LARGEST = 5000 };
static int *all_a, *all_b; /* [n_ranks * LARGEST] */

static int item(int from, int to, int k)
{
	return from * 1000003 + to * 10007 + k;
}

static void barrier_holds_everyone(void)
{
	for (int k = 0; k < 5; k++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_SELF);
}

static void bcast_reaches_everyone(void)
{
	for (int root = 0; root < n_ranks; root++) {
		for (int c = 0; c < N_COUNTS; c++) {
			for (int k = 0; k < LARGEST; k++)
				all_a[k] = me == root ? item(root, c, k) : -1;
			MPI_Bcast(all_a, counts[c], MPI_INT, root, MPI_COMM_WORLD);
			for (int k = 0; k < counts[c]; k++)
				if (all_a[k] != item(root, c, k)) {
					CHECK_INT(all_a[k], item(root, c, k));
					break;
				}
			CHECK(me == root || all_a[LARGEST - 1] == -1 || counts[c] == LARGEST);
		}
	}
}

/* The type signature counts, not the type: a column from the root, contiguous elsewhere. */
static void bcast_with_different_types(void)
{
	MPI_Datatype column;
	int matrix[12], flat[4] = {-1, -1, -1, -1}, root = n_ranks - 1;

	MPI_Type_vector(4, 1, 3, MPI_INT, &column);
	MPI_Type_commit(&column);
	for (int k = 0; k < 12; k++)
		matrix[k] = k;
	if (me == root)
		MPI_Bcast(matrix + 2, 1, column, root, MPI_COMM_WORLD);
	else
		MPI_Bcast(flat, 4, MPI_INT, root, MPI_COMM_WORLD);
	for (int k = 0; k < 4 && me != root; k++)
		CHECK_INT(flat[k], 3 * k + 2);
	MPI_Type_free(&column);
}

static void gather_orders_by_rank(void)
{
	for (int root = 0; root < n_ranks; root++) {
		for (int c = 0; c < N_COUNTS; c++) {
			int n = counts[c];

			for (int k = 0; k < n; k++)
				all_a[k] = item(me, root, k);
			MPI_Gather(all_a, n, MPI_INT, me == root ? all_b : NULL, me == root ? n : -5, MPI_INT,
				   root, MPI_COMM_WORLD);
			for (int r = 0; r < n_ranks && me == root; r++)
				for (int k = 0; k < n; k += 97)
					CHECK_INT(all_b[r * n + k], item(r, root, k));
		}
	}
}

static void scatter_deals_by_rank(void)
{
	for (int root = 0; root < n_ranks; root++) {
		for (int c = 0; c < N_COUNTS; c++) {
			int n = counts[c];

			for (int k = 0; k < n * n_ranks; k++)
				all_a[k] = item(root, 0, k);
			all_b[n] = -1;
			MPI_Scatter(me == root ? all_a : NULL, n, MPI_INT, all_b, n, MPI_INT, root,
				    MPI_COMM_WORLD);
			for (int k = 0; k < n; k += 97)
				CHECK_INT(all_b[k], item(root, 0, me * n + k));
			CHECK_INT(all_b[n], -1);
		}
	}
}

static void gather_and_scatter_in_place_at_the_root(void)
{
	for (int root = 0; root < n_ranks; root++) {
		for (int r = 0; r < n_ranks; r++)
			all_b[r] = r == me ? me + 50 : -1;
		if (me == root)
			MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, all_b, 1, MPI_INT, root, MPI_COMM_WORLD);
		else
			MPI_Gather(&all_b[me], 1, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD);
		for (int r = 0; r < n_ranks && me == root; r++)
			CHECK_INT(all_b[r], r + 50);
		if (me == root)
			MPI_Scatter(all_b, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
		else
			MPI_Scatter(NULL, 0, MPI_INT, all_a, 1, MPI_INT, root, MPI_COMM_WORLD);
		CHECK_INT(me == root ? all_b[me] : all_a[0], me + 50);
	}
}

/* Rank r has r ints (0 has none); they land with gaps, in reverse order. */
static void gatherv_and_scatterv_with_gaps(void)
{
	int *n = malloc((size_t)n_ranks * sizeof(int)), *displ = malloc((size_t)n_ranks * sizeof(int));

	for (int r = 0; r < n_ranks; r++) {
		n[r] = r;
		displ[r] = (n_ranks - 1 - r) * (n_ranks + 2);
	}
	for (int root = 0; root < n_ranks; root++) {
		for (int k = 0; k < n_ranks * (n_ranks + 2); k++)
			all_b[k] = -1;
		for (int k = 0; k < me; k++)
			all_a[k] = item(me, 0, k);
		MPI_Gatherv(all_a, me, MPI_INT, all_b, n, displ, MPI_INT, root, MPI_COMM_WORLD);
		for (int r = 0; r < n_ranks && me == root; r++) {
			for (int k = 0; k < r; k++)
				CHECK_INT(all_b[displ[r] + k], item(r, 0, k));
			CHECK_INT(all_b[displ[r] + r], -1);
		}
		for (int k = 0; k <= n_ranks; k++)
			all_a[k] = -1;
		MPI_Scatterv(all_b, n, displ, MPI_INT, all_a, me, MPI_INT, root, MPI_COMM_WORLD);
		for (int k = 0; k < me; k++)
			CHECK_INT(all_a[k], item(me, 0, k));
		CHECK_INT(all_a[me], -1);
	}
	free(n);
	free(displ);
}

static void allgather_gives_everyone_everything(void)
{
	for (int c = 0; c < N_COUNTS; c++) {
		int n = counts[c];

		for (int in_place = 0; in_place < 2; in_place++) {
			int *mine = in_place ? all_b + me * n : all_a;

			memset(all_b, 0xff, (size_t)n * n_ranks * sizeof(int));
			for (int k = 0; k < n; k++)
				mine[k] = item(me, c, k);
			MPI_Allgather(in_place ? MPI_IN_PLACE : all_a, n, MPI_INT, all_b, n, MPI_INT,
				      MPI_COMM_WORLD);
			for (int r = 0; r < n_ranks; r++)
				for (int k = 0; k < n; k += 89)
					CHECK_INT(all_b[r * n + k], item(r, c, k));
		}
	}
}

static void allgatherv_takes_any_counts(void)
{
	int *n = malloc((size_t)n_ranks * sizeof(int)), *displ = malloc((size_t)n_ranks * sizeof(int));

	for (int in_place = 0; in_place < 2; in_place++) {
		for (int r = 0, at = 1; r < n_ranks; at += n[r++] + 1) {
			n[r] = (r * 3 + 1) % 4; /* 1 0 3 2 1 0 … */
			displ[r] = at;
		}
#ifdef MPICH_VERSION /* 4.0 forgets the displacement when there is but one rank */
		displ[0] = n_ranks == 1 ? 0 : 1;
#endif
		for (int k = 0; k < 6 * n_ranks; k++)
			all_b[k] = -1;
		for (int k = 0; k < n[me]; k++)
			(in_place ? all_b + displ[me] : all_a)[k] = item(me, 1, k);
		MPI_Allgatherv(in_place ? MPI_IN_PLACE : all_a, n[me], MPI_INT, all_b, n, displ, MPI_INT,
			       MPI_COMM_WORLD);
		for (int r = 0; r < n_ranks; r++) {
			for (int k = 0; k < n[r]; k++)
				CHECK_INT(all_b[displ[r] + k], item(r, 1, k));
			CHECK_INT(displ[r] ? all_b[displ[r] - 1] : -1, -1);
		}
	}
	free(n);
	free(displ);
}

static void alltoall_transposes(void)
{
	for (int c = 0; c < N_COUNTS; c++) {
		int n = counts[c];

		for (int in_place = 0; in_place < 2; in_place++) {
			int *mine = in_place ? all_b : all_a;

			for (int k = 0; k < n * n_ranks; k++)
				mine[k] = item(me, k / n, k % n);
			MPI_Alltoall(in_place ? MPI_IN_PLACE : all_a, n, MPI_INT, all_b, n, MPI_INT,
				     MPI_COMM_WORLD);
			for (int r = 0; r < n_ranks; r++)
				for (int k = 0; k < n; k += 89)
					CHECK_INT(all_b[r * n + k], item(r, me, k));
		}
	}
}

/* Rank s sends (s + 2 t) mod 3 ints to t. */
static int amount(int s, int t)
{
	return (s + 2 * t) % 3;
}

static void alltoallv_sends_anything_anywhere(void)
{
	size_t size = (size_t)n_ranks * sizeof(int);
	int *sn = malloc(size), *sd = malloc(size), *rn = malloc(size), *rd = malloc(size);

	for (int r = 0; r < n_ranks; r++) {
		sn[r] = amount(me, r);
		rn[r] = amount(r, me);
		sd[r] = 5 * r;
		rd[r] = 4 * (n_ranks - 1 - r) + 1;
		for (int k = 0; k < sn[r]; k++)
			all_a[sd[r] + k] = item(me, r, k);
	}
	for (int k = 0; k < 5 * n_ranks; k++)
		all_b[k] = -1;
	MPI_Alltoallv(all_a, sn, sd, MPI_INT, all_b, rn, rd, MPI_INT, MPI_COMM_WORLD);
	for (int r = 0; r < n_ranks; r++) {
		for (int k = 0; k < rn[r]; k++)
			CHECK_INT(all_b[rd[r] + k], item(r, me, k));
		CHECK_INT(all_b[rd[r] - 1], -1);
	}
	free(sn), free(sd), free(rn), free(rd);
}

/* Byte displacements and a type per peer: ints to even ranks, pairs of shorts to odd ones. */
static void alltoallw_with_a_type_per_peer(void)
{
	size_t size = (size_t)n_ranks * sizeof(int);
	int *n = malloc(size), *d = malloc(size);
	MPI_Datatype *send = malloc((size_t)n_ranks * sizeof(*send)), *recv = malloc((size_t)n_ranks * sizeof(*recv));
	MPI_Datatype shorts;

	MPI_Type_contiguous(2, MPI_SHORT, &shorts);
	MPI_Type_commit(&shorts);
	for (int r = 0; r < n_ranks; r++) {
		n[r] = 1;
		d[r] = r * 8;
		send[r] = r % 2 ? shorts : MPI_INT;
		recv[r] = me % 2 ? shorts : MPI_INT;
		all_a[2 * r] = item(me, r, 0);
		all_b[2 * r] = all_b[2 * r + 1] = -1;
	}
	MPI_Alltoallw(all_a, n, d, send, all_b, n, d, recv, MPI_COMM_WORLD);
	for (int r = 0; r < n_ranks; r++) {
		CHECK_INT(all_b[2 * r], item(r, me, 0));
		CHECK_INT(all_b[2 * r + 1], -1);
	}
	MPI_Type_free(&shorts);
	free(n), free(d), free(send), free(recv);
}

/* Contiguous rows go out, columns of the gathered matrix come in. */
static void gather_builds_columns(void)
{
	MPI_Datatype column, spaced;
	int mine[3] = {item(me, 0, 0), item(me, 0, 1), item(me, 0, 2)};

	MPI_Type_vector(3, 1, n_ranks, MPI_INT, &column);
	MPI_Type_create_resized(column, 0, sizeof(int), &spaced);
	MPI_Type_commit(&spaced);
	memset(all_b, 0xff, 3 * (size_t)n_ranks * sizeof(int));
	MPI_Allgather(mine, 3, MPI_INT, all_b, 1, spaced, MPI_COMM_WORLD);
	for (int r = 0; r < n_ranks; r++)
		for (int k = 0; k < 3; k++)
			CHECK_INT(all_b[k * n_ranks + r], item(r, 0, k));
	MPI_Type_free(&column);
	MPI_Type_free(&spaced);
}

/* Collectives and messages of equal tags on one communicator never mix; neither do two communicators. */
static void collectives_do_not_disturb_messages(void)
{
	MPI_Comm copy;
	MPI_Request req[2];
	int right = (me + 1) % n_ranks, left = (me + n_ranks - 1) % n_ranks, got = -1, sum = 0;

	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &req[0]);
	for (int k = 0; k < 3; k++) {
		MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, k % 2 ? copy : MPI_COMM_WORLD);
		MPI_Bcast(&sum, 1, MPI_INT, k % n_ranks, k % 2 ? MPI_COMM_WORLD : copy);
		CHECK_INT(sum, n_ranks * (n_ranks - 1) / 2);
	}
	CHECK_INT(got, -1);
	MPI_Barrier(copy); /* nobody sends before everybody looked */
	MPI_Isend(&me, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &req[1]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	CHECK_INT(got, left);
	MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	all_a = malloc(((size_t)n_ranks * LARGEST + 100) * sizeof(int));
	all_b = malloc(((size_t)n_ranks * LARGEST + 100) * sizeof(int));
	barrier_holds_everyone();
	section_end("barrier");
	bcast_reaches_everyone();
	bcast_with_different_types();
	section_end("bcast");
	gather_orders_by_rank();
	scatter_deals_by_rank();
	gather_and_scatter_in_place_at_the_root();
	section_end("gather and scatter");
	gatherv_and_scatterv_with_gaps();
	section_end("gatherv and scatterv");
	allgather_gives_everyone_everything();
	allgatherv_takes_any_counts();
	gather_builds_columns();
	section_end("allgather and allgatherv");
	alltoall_transposes();
	section_end("alltoall");
	alltoallv_sends_anything_anywhere();
	alltoallw_with_a_type_per_peer();
	section_end("alltoallv and alltoallw");
	collectives_do_not_disturb_messages();
	section_end("collectives and messages");
	free(all_a);
	free(all_b);
	return check_finish();
}
