/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/shape.h"
#include "mpi/coll/tree.h"

#define N_CHAINS 4
#define RADIX 4

static void add_child(struct mpi_coll_shape *shape, int child)
{
	shape->children[shape->n_children++] = child;
}

void mpi_coll_shape_pipeline(int position, int n, struct mpi_coll_shape *out)
{
	out->parent = position - 1;
	out->n_children = 0;
	if (position + 1 < n)
		add_child(out, position + 1);
}

/* The first position of a chain; the first (n - 1) % N_CHAINS ones are longer by one. */
static int chain_begin(int chain, int n)
{
	int length = (n - 1) / N_CHAINS, n_longer = (n - 1) % N_CHAINS;

	return 1 + chain * length + (chain < n_longer ? chain : n_longer);
}

void mpi_coll_shape_chain(int position, int n, struct mpi_coll_shape *out)
{
	int chain = 0;

	out->parent = -1;
	out->n_children = 0;
	if (position == 0) {
		for (; chain < N_CHAINS && chain_begin(chain, n) < chain_begin(chain + 1, n);
		     chain++)
			add_child(out, chain_begin(chain, n));
		return;
	}
	while (chain_begin(chain + 1, n) <= position)
		chain++;
	out->parent = position == chain_begin(chain, n) ? 0 : position - 1;
	if (position + 1 < chain_begin(chain + 1, n))
		add_child(out, position + 1);
}

/* Level l has the 2^l positions from 2^l - 1 on. */
void mpi_coll_shape_binary(int position, int n, struct mpi_coll_shape *out)
{
	int width = 1;

	while (position >= 2 * width - 1)
		width *= 2;
	out->parent = position == 0 ? -1 : (position - (width - 1)) % (width / 2) + (width / 2 - 1);
	out->n_children = 0;
	for (int side = 1; side <= 2; side++)
		if (position < n - side * width)
			add_child(out, position + side * width);
}

void mpi_coll_shape_binomial(int position, int n, struct mpi_coll_shape *out)
{
	out->parent = position == 0 ? -1 : mpi_coll_tree_parent(position);
	out->n_children = 0;
	for (int mask = mpi_coll_tree_reach(position, n) / 2; mask > 0; mask /= 2)
		if (position + mask < n)
			add_child(out, position + mask);
}

void mpi_coll_shape_knomial(int position, int n, struct mpi_coll_shape *out)
{
	long digit = 1;

	out->parent = -1;
	out->n_children = 0;
	while (digit < n && position % (digit * RADIX) == 0)
		digit *= RADIX;
	if (position != 0)
		out->parent = (int)(position - position % (digit * RADIX));
	for (digit /= RADIX; digit > 0; digit /= RADIX)
		for (int i = 1; i < RADIX && position + i * digit < n; i++)
			add_child(out, (int)(position + i * digit));
}

void mpi_coll_shape_in_order(int position, int n, struct mpi_coll_shape *out)
{
	int first = 0, top = n - 1, middle;

	out->parent = -1;
	while (top != position) {
		out->parent = top;
		middle = first + (top - first) / 2; /* where the right subtree begins */
		if (position < middle)
			top = middle - 1;
		else {
			first = middle;
			top--;
		}
	}
	middle = first + (top - first) / 2;
	out->n_children = 0;
	if (middle > first)
		add_child(out, middle - 1);
	if (top > middle)
		add_child(out, top - 1);
}
