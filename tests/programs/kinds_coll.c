/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives over every kind of communicator, of every kind of datatype. */
#include "kinds.h"

/* Rooted collectives: what a process gives as root. On an intercommunicator the root is in the half
 * of the lower world ranks. */
static int root_argument(const struct one_comm *one, int root, int is_root_side)
{
	if (!one->is_inter || !is_root_side)
		return root;
	return one->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static int is_lower_side(const struct one_comm *one)
{
	return me < one->others[0];
}

static int is_root(const struct one_comm *one, int root)
{
	return one->rank == root && (!one->is_inter || is_lower_side(one));
}

/* Whether this process is one of those that give to or take from the root. */
static int is_leaf(const struct one_comm *one)
{
	return !one->is_inter || !is_lower_side(one);
}

static int world_of_root(const struct one_comm *one, int root)
{
	if (one->is_inter && is_lower_side(one))
		return me; /* of no use to others of the root's side */
	return one->others[root];
}

static void broadcast(const struct one_comm *one, const struct kind *kind, int root)
{
	int argument = root_argument(one, root, is_leaf(one) == 0);
	unsigned char *items =
	    is_root(one, root) ? filled_buffer(kind, N_ITEMS, me) : empty_buffer(kind, N_ITEMS);
	int has = is_root(one, root) || is_leaf(one);

	MPI_Bcast(origin(kind, items), N_ITEMS, kind->type, argument, one->comm);
	CHECK(same(kind, items,
		   has ? filled_buffer(kind, N_ITEMS, world_of_root(one, root))
		       : empty_buffer(kind, N_ITEMS),
		   N_ITEMS));
}

/* Items i * N_ITEMS on are those of process i. */
static unsigned char *of_all(const struct one_comm *one, const struct kind *kind)
{
	unsigned char *all = empty_buffer(kind, N_ITEMS * one->n_others);

	for (int i = 0; i < one->n_others; i++)
		put_items(kind, all, i * N_ITEMS, N_ITEMS, one->others[i]);
	return all;
}

static void gather(const struct one_comm *one, const struct kind *kind, int root)
{
	int argument = root_argument(one, root, is_leaf(one) == 0), n = N_ITEMS * one->n_others;
	unsigned char *mine = filled_buffer(kind, N_ITEMS, me), *all = empty_buffer(kind, n);

	MPI_Gather(origin(kind, mine), N_ITEMS, kind->type, origin(kind, all), N_ITEMS, kind->type,
		   argument, one->comm);
	CHECK(same(kind, all, is_root(one, root) ? of_all(one, kind) : empty_buffer(kind, n), n));
	free(mine);
	if (one->is_inter)
		return;
	mine = empty_buffer(kind, n); /* in place at the root */
	put_items(kind, mine, one->rank * N_ITEMS, N_ITEMS, me);
	if (one->rank == root)
		MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, origin(kind, mine), N_ITEMS,
			   kind->type, root, one->comm);
	else
		MPI_Gather(origin(kind, mine) + one->rank * N_ITEMS * kind->extent, N_ITEMS,
			   kind->type, NULL, 0, MPI_DATATYPE_NULL, root, one->comm);
	if (one->rank == root)
		CHECK(same(kind, mine, of_all(one, kind), n));
	else
		free(mine);
}

/* Process i gets i + 1 items from the root; between what it gets and the next part is one item that
 * nobody gets. */
static void scatter_in_strides(const struct one_comm *one, const struct kind *kind, int root)
{
	int argument = root_argument(one, root, is_leaf(one) == 0), n = 0,
	    n_mine = is_leaf(one) ? one->rank + 1 : 0;
	int *counts = malloc(((size_t)one->n_others + 1) * sizeof *counts),
	    *places = malloc(((size_t)one->n_others + 1) * sizeof *places);
	unsigned char *all, *mine = empty_buffer(kind, n_mine), *want = empty_buffer(kind, n_mine);

	for (int i = 0; i < one->n_others; i++) {
		counts[i] = i + 1;
		places[i] = n;
		n += counts[i] + 1;
	}
	all = filled_buffer(kind, n, me);
	MPI_Scatterv(origin(kind, all), counts, places, kind->type, origin(kind, mine), n_mine,
		     kind->type, argument, one->comm);
	if (is_leaf(one)) {
		int first = one->rank * (one->rank + 3) / 2, from = world_of_root(one, root);
		unsigned char *source = filled_buffer(kind, first + n_mine, from);

		for (int item = 0; item < n_mine; item++)
			for (int k = 0; k < kind->n_pieces; k++)
				memcpy(origin(kind, want) + item * kind->extent +
					   kind->pieces[k].at,
				       origin(kind, source) + (first + item) * kind->extent +
					   kind->pieces[k].at,
				       (size_t)kind->pieces[k].n_bytes);
		free(source);
	}
	CHECK(same(kind, mine, want, n_mine));
	free(all);
	free(counts);
	free(places);
}

static void everybody(const struct one_comm *one, const struct kind *kind, int root)
{
	int n = N_ITEMS * one->n_others;
	unsigned char *mine = filled_buffer(kind, N_ITEMS, me), *all = empty_buffer(kind, n);

	MPI_Allgather(origin(kind, mine), N_ITEMS, kind->type, origin(kind, all), N_ITEMS,
		      kind->type, one->comm);
	CHECK(same(kind, all, of_all(one, kind), n));
	free(mine);
	mine = empty_buffer(kind, n);
	all = empty_buffer(kind, n);
	for (int i = 0; i < one->n_others; i++)
		put_items(kind, mine, i * N_ITEMS, N_ITEMS, me);
	MPI_Alltoall(origin(kind, mine), N_ITEMS, kind->type, origin(kind, all), N_ITEMS,
		     kind->type, one->comm);
	CHECK(same(kind, all, of_all(one, kind), n));
	if (one->is_inter) {
		free(mine);
		return;
	}
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, origin(kind, mine), N_ITEMS, kind->type,
		     one->comm);
	CHECK(same(kind, mine, of_all(one, kind), n));
	all = empty_buffer(kind, n);
	put_items(kind, all, one->rank * N_ITEMS, N_ITEMS, me);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, origin(kind, all), N_ITEMS, kind->type,
		      one->comm);
	CHECK(same(kind, all, of_all(one, kind), n));
	(void)root;
}

/* With places in bytes, and what comes in reverse order. */
static void with_places(const struct one_comm *one, const struct kind *kind, int root)
{
	int n = one->n_others, *ones = calloc((size_t)n, sizeof *ones),
	    *out_at = calloc((size_t)n, sizeof *out_at), *in_at = calloc((size_t)n, sizeof *in_at);
	MPI_Datatype *types = calloc((size_t)n, sizeof *types);
	unsigned char *mine = empty_buffer(kind, N_ITEMS * n),
		      *all = empty_buffer(kind, N_ITEMS * n);

	for (int i = 0; i < n; i++) {
		put_items(kind, mine, i * N_ITEMS, N_ITEMS, me);
		ones[i] = N_ITEMS;
		out_at[i] = i * N_ITEMS * kind->extent;
		in_at[i] = (n - 1 - i) * N_ITEMS * kind->extent;
		types[i] = kind->type;
	}
	MPI_Alltoallw(origin(kind, mine), ones, out_at, types, origin(kind, all), ones, in_at,
		      types, one->comm);
	free(mine);
	mine = empty_buffer(kind, N_ITEMS * n);
	for (int i = 0; i < n; i++)
		put_items(kind, mine, (n - 1 - i) * N_ITEMS, N_ITEMS, one->others[i]);
	CHECK(same(kind, all, mine, N_ITEMS * n));
	free(ones);
	free(out_at);
	free(in_at);
	free(types);
	(void)root;
}

/* Of seven integers made in any way the operations work on no derived type: with one of the
 * program's own they do. */
static void add_sevens_of(void *in, void *inout, int *n, MPI_Datatype *type)
{
	for (int i = 0; i < 7 * *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
	(void)type;
}

static void reductions(const struct one_comm *one, const struct kind *kind, int root)
{
	int argument = root_argument(one, root, is_leaf(one) == 0), mine[7 * N_ITEMS],
	    result[7 * N_ITEMS], sum = 0, below = 0;
	MPI_Op op;

	if (kind->extent != 28 || kind->n_pieces != 7)
		return;
	for (int i = 0; i < one->n_others; i++) {
		sum += one->others[i] + 1;
		below += i < one->rank ? one->others[i] + 1 : 0;
	}
	for (int i = 0; i < 7 * N_ITEMS; i++) {
		mine[i] = (me + 1) * (i + 1);
		result[i] = -1;
	}
	MPI_Op_create(add_sevens_of, 1, &op);
	MPI_Reduce(mine, result, N_ITEMS, kind->type, op, argument, one->comm);
	for (int i = 0; i < 7 * N_ITEMS; i++)
		CHECK_INT(result[i], is_root(one, root) ? sum * (i + 1) : -1);
	MPI_Allreduce(mine, result, N_ITEMS, kind->type, op, one->comm);
	for (int i = 0; i < 7 * N_ITEMS; i++)
		CHECK_INT(result[i], sum * (i + 1));
	if (!one->is_inter) {
		MPI_Scan(mine, result, N_ITEMS, kind->type, op, one->comm);
		for (int i = 0; i < 7 * N_ITEMS; i++)
			CHECK_INT(result[i], (below + me + 1) * (i + 1));
		MPI_Allreduce(MPI_IN_PLACE, mine, N_ITEMS, kind->type, op, one->comm);
		CHECK_INT(mine[7 * N_ITEMS - 1], sum * 7 * N_ITEMS);
	}
	MPI_Op_free(&op);
}

static void with_all(void (*test)(const struct one_comm *, const struct kind *, int),
		     const char *name)
{
	for (int i = 0; i < n_comms; i++)
		for (int k = 0; k < n_kinds; k++) {
			int local;

			MPI_Comm_size(comms[i].comm, &local);
			test(&comms[i], &kinds[k], comms[i].is_inter ? 0 : local - 1);
		}
	section_end(name);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	make_kinds();
	make_comms();
	with_all(broadcast, "broadcasts");
	with_all(gather, "gathering");
	with_all(scatter_in_strides, "scattering in strides");
	with_all(everybody, "everybody to everybody");
	with_all(with_places, "places in bytes");
	with_all(reductions, "reductions");
	free_comms();
	free_kinds();
	return check_finish();
}
