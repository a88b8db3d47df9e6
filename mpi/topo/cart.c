/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian topologies: construction. Ranks are not reordered: a node's ranks are neighbours in the
 * placement already. */
#include <limits.h>
#include <stdlib.h>

#include "mpi/create/create.h"
#include "mpi/topo/attach.h"

/* MPI_SUCCESS and the number of processes of the grid, or the error. */
static int check_grid(struct mpi_rank *me, struct mpi_comm *comm, int n_dims, const int dims[],
		      const int periods[], int *size)
{
	long long product = 1;

	if (n_dims < 0)
		return mpi_raise(me, comm, MPI_ERR_DIMS, "ndims is %d, it must not be negative",
				 n_dims);
	if (n_dims > 0 && (!dims || !periods))
		return mpi_raise(me, comm, MPI_ERR_ARG, "%s is NULL", dims ? "periods" : "dims");
	for (int i = 0; i < n_dims; i++) {
		if (dims[i] < 1)
			return mpi_raise(me, comm, MPI_ERR_DIMS,
					 "dims[%d] is %d, it must be positive", i, dims[i]);
		product = product * dims[i] > INT_MAX ? INT_MAX : product * dims[i];
	}
	if (product > comm->size)
		return mpi_raise(me, comm, MPI_ERR_DIMS, "the grid has %lld processes, comm has %d",
				 product, comm->size);
	*size = (int)product;
	return MPI_SUCCESS;
}

/* Puts the grid on the communicator, if there is one. */
static int attach(struct mpi_rank *me, struct mpi_comm **comm, int n_dims, const int dims[],
		  const int periods[])
{
	return *comm ? mpi_topology_attach(me, comm, mpi_topology_create(n_dims, dims, periods))
		     : MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
		    int reorder, MPI_Comm *comm_cart)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_topology grid = {
	    .kind = MPI_CART, .n_dims = ndims, .dims = (int *)dims, .periods = (int *)periods};
	struct mpi_comm *parent, *made = NULL;
	int size, code = mpi_topology_check_parent(me, comm_old, &parent);

	if (code == MPI_SUCCESS && !comm_cart)
		code = mpi_raise(me, parent, MPI_ERR_ARG, "comm_cart is NULL");
	if (code == MPI_SUCCESS)
		code = check_grid(me, parent, ndims, dims, periods, &size);
	if (code != MPI_SUCCESS) {
		if (comm_cart) /* programs look at it instead of the code, MPICH gives them this */
			*comm_cart = MPI_COMM_NULL;
		return mpi_leave(me, code);
	}
	code = mpi_comm_create_grid(me, parent, size, &grid, &made);
	return mpi_leave(me, mpi_comm_publish(me, parent, code, made, comm_cart));
}

int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int size, code = mpi_topology_check_parent(me, comm, &c);

	if (code == MPI_SUCCESS && !newrank)
		code = mpi_raise(me, c, MPI_ERR_ARG, "newrank is NULL");
	if (code == MPI_SUCCESS)
		code = check_grid(me, c, ndims, dims, periods, &size);
	if (code == MPI_SUCCESS)
		*newrank = c->rank < size ? c->rank : MPI_UNDEFINED;
	return mpi_leave(me, code);
}

/*
 * Splits by the dropped coordinates, ordered by the remaining ones; both are numbers in row-major
 * order. `dims` and `periods`, [n_dims], receive the shape that remains.
 */
static int cart_sub(struct mpi_rank *me, struct mpi_comm *parent, const int remain_dims[],
		    int dims[], int periods[], struct mpi_comm **made)
{
	const struct mpi_topology *grid = parent->topology;
	int color = 0, key = 0, n_dims = 0, n_behind = parent->size, rest = parent->rank, code;

	for (int i = 0; i < grid->n_dims; i++) {
		int coord;

		n_behind /= grid->dims[i];
		coord = rest / n_behind;
		rest %= n_behind;
		if (!remain_dims[i]) {
			color = color * grid->dims[i] + coord;
			continue;
		}
		key = key * grid->dims[i] + coord;
		dims[n_dims] = grid->dims[i];
		periods[n_dims++] = grid->periods[i];
	}
	code = mpi_comm_split(me, parent, color, key, made);
	return code == MPI_SUCCESS ? attach(me, made, n_dims, dims, periods) : code;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *parent, *made = NULL;
	int *dims, *periods, code = mpi_topology_check_parent(me, comm, &parent);

	if (code == MPI_SUCCESS && (!parent->topology || parent->topology->kind != MPI_CART))
		code = mpi_raise(me, parent, MPI_ERR_TOPOLOGY, "comm has no Cartesian topology");
	if (code == MPI_SUCCESS && !remain_dims && parent->topology->n_dims > 0)
		code = mpi_raise(me, parent, MPI_ERR_ARG, "remain_dims is NULL");
	if (code == MPI_SUCCESS && !newcomm)
		code = mpi_raise(me, parent, MPI_ERR_ARG, "newcomm is NULL");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	dims = calloc((size_t)parent->topology->n_dims + 1, sizeof *dims);
	periods = calloc((size_t)parent->topology->n_dims + 1, sizeof *periods);
	code = dims && periods ? cart_sub(me, parent, remain_dims, dims, periods, &made)
			       : MPI_ERR_NO_MEM;
	free(dims);
	free(periods);
	return mpi_leave(me, mpi_comm_publish(me, parent, code, made, newcomm));
}
