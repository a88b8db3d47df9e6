/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions, and MPI_Init_thread beside them: docs/model.md §11. They send nothing; the end of a
 * session waits until what is in its buffer has left.
 */
#include "tests/mpi/times/times.h"

static char buf[LONG], attached[8 * LONG];

/* Rank 0 sends to rank 1 by the session's buffer, and ends it. */
static void buffered(MPI_Session *session, MPI_Comm comm, int n, double left)
{
	MPI_Session_attach_buffer(*session, attached, sizeof attached);
	times_together();
	if (times_rank == 0)
		MPI_Bsend(buf, n, MPI_BYTE, 1, 0, comm);
	else if (times_rank == 1)
		MPI_Recv(buf, n, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
	if (times_rank == 0)
		ENDS(left, MPI_Session_finalize(session));
	else
		TAKES(0, MPI_Session_finalize(session));
}

int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	int provided;

	TAKES(0, MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session));
	TAKES(0, MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
	times_begin("sessions");
	for (int is_long = 0; is_long < 2; is_long++) {
		MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
		MPI_Comm_create_from_group(group, "times", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
					   &comm);
		MPI_Group_free(&group);
		if (is_long)
			buffered(&session, comm, LONG, OS + 2 * T(CONTROL) + T(LONG));
		else
			buffered(&session, comm, EAGER, OS + T(EAGER));
		MPI_Comm_free(&comm);
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	}
	times_together();
	TAKES(0, MPI_Session_finalize(&session));
	return times_end();
}
