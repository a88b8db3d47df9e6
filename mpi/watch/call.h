/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_WATCH_CALL_H
#define MPI_WATCH_CALL_H

#include <stddef.h>

#include "mpi/abi/call_info.h"

/*
 * What the functions around MPI's (mpi/abi/wrappers.py) do: in the simulator mpi/watch/watch.h, of real runs
 * real/trace.
 */
struct mpi_rank;

enum { MPI_WATCH_ROOM_B = 512 };

struct mpi_watch_call { /* under way */
	const struct mpi_call_info *function;
	union mpi_value *
	    values; /* [function->n_parameters] the arguments, then the frame around the program's call. The
				    function gets the buffers and statuses that stand here when it begins */
	struct mpi_rank *me;
	const void *site;
	/* polls that nobody was told of, since the rank's last call, and how long it paused for them at most */
	uint32_t n_polls;
	int64_t pause_ps;
	_Alignas(max_align_t) unsigned char room
	    [MPI_WATCH_ROOM_B]; /* what one of the watchers keeps of the call */
};

/* Enters the call. False: nobody watches it, and it is not entered. */
bool mpi_watch_enter(struct mpi_watch_call *call, const struct mpi_call_info *function,
		     union mpi_value values[], const void *site);
/* Leaves it. Returns the code for the program. */
int mpi_watch_leave(struct mpi_watch_call *call, int code);

#endif
