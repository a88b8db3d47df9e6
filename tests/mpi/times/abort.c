/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Abort takes nothing: rank 1 ends the run at 1.5 s, while the others wait. abort.py looks.
 */
#include "tests/mpi/times/times.h"

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	times_begin("abort");
	times_together();
	times_until(0.5);
	if (times_rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Barrier(MPI_COMM_WORLD);
	return times_end();
}
