/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian topologies: coordinates and neighbours. */
#include "mpi/comm/comm.h"
#include "mpi/topo/topology.h"

/* MPI_SUCCESS and *comm with a grid, or the error. */
static int check(struct mpi_rank *me, MPI_Comm handle, struct mpi_comm **comm)
{
	*comm = mpi_comm_get(me, handle);
	if (!*comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
				 handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
	if (!(*comm)->topology || (*comm)->topology->kind != MPI_CART)
		return mpi_raise(me, *comm, MPI_ERR_TOPOLOGY, "comm has no Cartesian topology");
	return MPI_SUCCESS;
}

static int check_output(struct mpi_rank *me, struct mpi_comm *comm, const void *output,
			const char *name)
{
	return output ? MPI_SUCCESS : mpi_raise(me, comm, MPI_ERR_ARG, "%s is NULL", name);
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

int MPI_Topo_test(MPI_Comm comm, int *status)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c = mpi_comm_get(me, comm);

	if (!c)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator"));
	if (!status)
		return mpi_leave(me, mpi_raise(me, c, MPI_ERR_ARG, "status is NULL"));
	*status = c->topology ? c->topology->kind : MPI_UNDEFINED;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_output(me, c, ndims, "ndims");
	if (code == MPI_SUCCESS)
		*ndims = c->topology->n_dims;
	return mpi_leave(me, code);
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_maxdims(me, c, maxdims);
	if (code == MPI_SUCCESS && c->topology->n_dims > 0 && (!dims || !periods || !coords))
		code = mpi_raise(me, c, MPI_ERR_ARG, "dims, periods or coords is NULL");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	for (int i = 0; i < c->topology->n_dims; i++) {
		dims[i] = c->topology->dims[i];
		periods[i] = c->topology->periods[i];
	}
	rank_to_coords(c, c->rank, coords);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int found = 0, code = check(me, comm, &c);

	if (code == MPI_SUCCESS && c->topology->n_dims > 0)
		code = check_output(me, c, coords, "coords");
	if (code == MPI_SUCCESS)
		code = check_output(me, c, rank, "rank");
	for (int i = 0; code == MPI_SUCCESS && i < c->topology->n_dims; i++) {
		int coord = mpi_topology_wrap(c->topology, i, coords[i]);

		if (coord < 0)
			code = mpi_raise(
			    me, c, MPI_ERR_ARG,
			    "coords[%d] is %d, it must be in 0 … %d: the dimension is not periodic",
			    i, coords[i], c->topology->dims[i] - 1);
		found = found * c->topology->dims[i] + coord;
	}
	if (code == MPI_SUCCESS)
		*rank = found;
	return mpi_leave(me, code);
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS && (rank < 0 || rank >= c->size))
		code = mpi_raise(me, c, MPI_ERR_RANK, "rank is %d, it must be in 0 … %d", rank,
				 c->size - 1);
	if (code == MPI_SUCCESS)
		code = check_maxdims(me, c, maxdims);
	if (code == MPI_SUCCESS && c->topology->n_dims > 0)
		code = check_output(me, c, coords, "coords");
	if (code == MPI_SUCCESS)
		rank_to_coords(c, rank, coords);
	return mpi_leave(me, code);
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS && (direction < 0 || direction >= c->topology->n_dims))
		code = mpi_raise(me, c, MPI_ERR_ARG, "direction is %d, the grid has %d dimensions",
				 direction, c->topology->n_dims);
	if (code == MPI_SUCCESS)
		code = check_output(me, c, rank_source, "rank_source");
	if (code == MPI_SUCCESS)
		code = check_output(me, c, rank_dest, "rank_dest");
	if (code == MPI_SUCCESS) {
		*rank_source =
		    mpi_topology_shift(c->topology, c->rank, direction, -(long long)disp);
		*rank_dest = mpi_topology_shift(c->topology, c->rank, direction, disp);
	}
	return mpi_leave(me, code);
}
