/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_DEBUG_DEBUG_H
#define TOOLS_DEBUG_DEBUG_H

#include "mpi/core/rank.h"
#include "util/error.h"

/*
 * A run that stops: mpisim-debug drives it by the line protocol of docs/debug.md, over a socket.
 * Ranks run as simulated time has them, so predicted times stay what they are; only `hold` keeps a
 * rank back, and a choice of a message makes another run of it.
 */
struct run_debug;

/* Before the world is made: observes the run. Then watches `mpi`, before its ranks run; commands
 * come from the socket `fd`. `program`: its words, borrowed. 0 or UTIL_ENOMEM. */
int run_debug_observe(struct run_debug **out, struct sim_observers *observers);
int run_debug_watch(struct run_debug *debug, struct mpi_world *mpi, int fd, char *program[]);
void run_debug_destroy(struct run_debug *debug); /* NULL is fine */

/* After each return of the engine: takes commands if a rank has stopped the run. False: the user
 * ends it. */
bool run_debug_look(struct run_debug *debug);
/* Nothing can go on by itself. True: now it can; else the run is over. */
bool run_debug_idle(struct run_debug *debug);
/* The run is over. */
void run_debug_end(struct run_debug *debug);

#endif
