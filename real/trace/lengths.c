/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths of arrays in calls, by what the library says of the communicator. */
#include "real/trace/trace.h"

static bool is_inter(MPI_Comm comm)
{
	int flag;

	PMPI_Comm_test_inter(comm, &flag);
	return flag;
}

int mpi_record_n_peers(const struct mpi_rank *me, MPI_Comm comm)
{
	int n = 0;

	if (comm != MPI_COMM_NULL && is_inter(comm))
		PMPI_Comm_remote_size(comm, &n);
	else if (comm != MPI_COMM_NULL)
		PMPI_Comm_size(comm, &n);
	return n;
}

int mpi_record_n_members(const struct mpi_rank *me, MPI_Comm comm)
{
	int n = 0;

	if (comm != MPI_COMM_NULL)
		PMPI_Comm_size(comm, &n);
	return n;
}

int mpi_record_n_at_root(const struct mpi_rank *me, MPI_Comm comm, int root)
{
	int rank = MPI_ROOT;

	if (comm == MPI_COMM_NULL)
		return 0;
	if (!is_inter(comm))
		PMPI_Comm_rank(comm, &rank);
	return root == rank ? mpi_record_n_peers(me, comm) : 0;
}

static int topology_of(MPI_Comm comm)
{
	int kind = MPI_UNDEFINED;

	if (comm != MPI_COMM_NULL)
		PMPI_Topo_test(comm, &kind);
	return kind;
}

int mpi_record_n_dims(const struct mpi_rank *me, MPI_Comm comm)
{
	int n = 0;

	if (topology_of(comm) == MPI_CART)
		PMPI_Cartdim_get(comm, &n);
	return n;
}

int mpi_record_n_neighbours(const struct mpi_rank *me, MPI_Comm comm, bool is_out)
{
	int kind = topology_of(comm), n = 0, n_out, rank, is_weighted;

	if (kind == MPI_CART)
		return 2 * mpi_record_n_dims(me, comm);
	if (kind == MPI_GRAPH) {
		PMPI_Comm_rank(comm, &rank);
		PMPI_Graph_neighbors_count(comm, rank, &n);
	} else if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, &n, &n_out, &is_weighted);
		n = is_out ? n_out : n;
	}
	return n;
}
