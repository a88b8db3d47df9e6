/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <mpisim.h>
/* The last rank's session ends when the others wait in a barrier already. */
int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group group;
	int rank;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Group_rank(group, &rank);
	MPI_Group_free(&group);
	mpisim_add_compute_time(rank == 3);
	MPI_Session_finalize(&session);
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
