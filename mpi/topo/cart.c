/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian topologies: construction. Ranks are not reordered: a node's ranks are neighbours in the
 * placement already. */
#include <limits.h>
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
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

/* Also of errors *comm_cart tells: programs look at it instead of the code, MPICH gives them that. */
int mpi_cart_create(struct mpi_rank *me, MPI_Comm comm_old, int ndims, const int dims[],
		    const int periods[], int reorder, MPI_Comm *comm_cart)
{
	struct mpi_topology grid = {
	    .kind = MPI_CART, .n_dims = ndims, .dims = (int *)dims, .periods = (int *)periods};
	struct mpi_comm *parent, *made = NULL;
	int size, code = mpi_find_comm(me, MPI_ON_NONE, comm_old, "comm_old", false, &parent);

	*comm_cart = MPI_COMM_NULL;
	if (code == MPI_SUCCESS)
		code = mpi_check_intra(me, mpi_on_comm(parent), parent, "comm_old");
	if (code == MPI_SUCCESS)
		code = check_grid(me, parent, ndims, dims, periods, &size);
	if (code != MPI_SUCCESS)
		return code;
	code = mpi_comm_create_grid(me, parent, size, &grid, &made);
	return mpi_comm_publish(me, parent, code, made, comm_cart);
}

int mpi_cart_map(struct mpi_rank *me, struct mpi_comm *comm, int ndims, const int dims[],
		 const int periods[], int *newrank)
{
	int size, code = check_grid(me, comm, ndims, dims, periods, &size);

	if (code == MPI_SUCCESS)
		*newrank = comm->rank < size ? comm->rank : MPI_UNDEFINED;
	return code;
}

/*
 * Splits by the dropped coordinates, ordered by the remaining ones; both are numbers in row-major
 * order. `dims` and `periods`, [n_dims], receive the shape that remains.
 */
static int split_grid(struct mpi_rank *me, struct mpi_comm *parent, const int remain_dims[],
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

int mpi_cart_sub(struct mpi_rank *me, struct mpi_comm *parent, const int remain_dims[],
		 MPI_Comm *newcomm)
{
	struct mpi_comm *made = NULL;
	int *dims, *periods, code;

	if (!parent->topology || parent->topology->kind != MPI_CART)
		return mpi_raise(me, parent, MPI_ERR_TOPOLOGY, "comm has no Cartesian topology");
	if (!remain_dims && parent->topology->n_dims > 0)
		return mpi_raise(me, parent, MPI_ERR_ARG, "remain_dims is NULL");
	dims = calloc((size_t)parent->topology->n_dims + 1, sizeof *dims);
	periods = calloc((size_t)parent->topology->n_dims + 1, sizeof *periods);
	code = dims && periods ? split_grid(me, parent, remain_dims, dims, periods, &made)
			       : MPI_ERR_NO_MEM;
	free(dims);
	free(periods);
	return mpi_comm_publish(me, parent, code, made, newcomm);
}
