/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian topologies: coordinates and neighbours. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"
#include "mpi/core/arguments.h"
#include "mpi/comm/topology.h"

static int check(struct mpi_rank *me, struct mpi_comm *comm)
{
	if (!comm->topology || comm->topology->kind != MPI_CART)
		return mpi_raise(me, comm, MPI_ERR_TOPOLOGY, "comm has no Cartesian topology");
	return MPI_SUCCESS;
}

static int check_maxdims(struct mpi_rank *me, struct mpi_comm *comm, int maxdims)
{
	int n_dims = comm->topology->n_dims;

	if (maxdims >= n_dims)
		return MPI_SUCCESS;
	return mpi_raise(me, comm, MPI_ERR_DIMS, "maxdims is %d, the grid has %d dimensions",
			 maxdims, n_dims);
}

/* Coordinates of a rank, row-major. */
static void rank_to_coords(const struct mpi_comm *comm, int rank, int coords[])
{
	const struct mpi_topology *grid = comm->topology;
	int n_behind = comm->size;

	for (int i = 0; i < grid->n_dims; i++) {
		n_behind /= grid->dims[i];
		coords[i] = rank / n_behind;
		rank %= n_behind;
	}
}

int mpi_topo_test(struct mpi_rank *me, struct mpi_comm *comm, int *status)
{
	*status = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

int mpi_cartdim_get(struct mpi_rank *me, struct mpi_comm *comm, int *ndims)
{
	int code = check(me, comm);

	if (code == MPI_SUCCESS)
		*ndims = comm->topology->n_dims;
	return code;
}

int mpi_cart_get(struct mpi_rank *me, struct mpi_comm *comm, int maxdims, int dims[], int periods[],
		 int coords[])
{
	int code = check(me, comm);

	if (code == MPI_SUCCESS)
		code = check_maxdims(me, comm, maxdims);
	if (code == MPI_SUCCESS && comm->topology->n_dims > 0 && (!dims || !periods || !coords))
		code = mpi_raise(me, comm, MPI_ERR_ARG, "dims, periods or coords is NULL");
	if (code != MPI_SUCCESS)
		return code;
	for (int i = 0; i < comm->topology->n_dims; i++) {
		dims[i] = comm->topology->dims[i];
		periods[i] = comm->topology->periods[i];
	}
	rank_to_coords(comm, comm->rank, coords);
	return MPI_SUCCESS;
}

int mpi_cart_rank(struct mpi_rank *me, struct mpi_comm *comm, const int coords[], int *rank)
{
	int found = 0, code = check(me, comm);

	if (code == MPI_SUCCESS && comm->topology->n_dims > 0)
		code = mpi_check_place(me, mpi_on_comm(comm), coords, "coords");
	for (int i = 0; code == MPI_SUCCESS && i < comm->topology->n_dims; i++) {
		int coord = mpi_topology_wrap(comm->topology, i, coords[i]);

		if (coord < 0)
			code = mpi_raise(
			    me, comm, MPI_ERR_ARG,
			    "coords[%d] is %d, it must be in 0 … %d: the dimension is not periodic",
			    i, coords[i], comm->topology->dims[i] - 1);
		found = found * comm->topology->dims[i] + coord;
	}
	if (code == MPI_SUCCESS)
		*rank = found;
	return code;
}

int mpi_cart_coords(struct mpi_rank *me, struct mpi_comm *comm, int rank, int maxdims, int coords[])
{
	int code = check(me, comm);

	if (code == MPI_SUCCESS && (rank < 0 || rank >= comm->size))
		code = mpi_raise(me, comm, MPI_ERR_RANK, "rank is %d, it must be in 0 … %d", rank,
				 comm->size - 1);
	if (code == MPI_SUCCESS)
		code = check_maxdims(me, comm, maxdims);
	if (code == MPI_SUCCESS && comm->topology->n_dims > 0)
		code = mpi_check_place(me, mpi_on_comm(comm), coords, "coords");
	if (code == MPI_SUCCESS)
		rank_to_coords(comm, rank, coords);
	return code;
}

int mpi_cart_shift(struct mpi_rank *me, struct mpi_comm *comm, int direction, int disp,
		   int *rank_source, int *rank_dest)
{
	const struct mpi_topology *grid = comm->topology;
	int code = check(me, comm);

	if (code == MPI_SUCCESS && (direction < 0 || direction >= grid->n_dims))
		code =
		    mpi_raise(me, comm, MPI_ERR_ARG, "direction is %d, the grid has %d dimensions",
			      direction, grid->n_dims);
	if (code != MPI_SUCCESS)
		return code;
	*rank_source = mpi_topology_shift(grid, comm->rank, direction, -(long long)disp);
	*rank_dest = mpi_topology_shift(grid, comm->rank, direction, disp);
	return MPI_SUCCESS;
}
