/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPLAY_REPEAT_H
#define REPLAY_REPEAT_H

#include "replay/replay.h"

/*
 * Loops of the program need not be simulated to their end. At an instant at which all ranks compute
 * and no message is under way, all that the future depends on can be said (replay/state.h). When
 * that is, times counted from now, what it was at an earlier such instant, and the ranks read next
 * what they read in between, once or a million times, then the same happens so often again. The
 * clock jumps over it; observers are told what happened in between, once for each repetition, at
 * the times that belong there (replay/tape.h). No result differs from that of a replay without
 * jumps (docs/decisions/0036-repetitions.md).
 *
 * Memory: two descriptions and the records of one repetition, however long the trace is.
 */
struct replay_repeat;

/* NULL in *out where nothing may be jumped over: random variation, speeds that change, somebody
 * who asks for causes or collectives. After the world was made. Errors: UTIL_ENOMEM. */
int replay_repeat_create(struct replay *replay, struct replay_repeat **out, struct util_error *err);
void replay_repeat_destroy(struct replay_repeat *repeat); /* NULL is fine */

/* One more rank computes from now on; it stops with *repeat's n_computing. On its fiber. */
void replay_repeat_look(struct replay_repeat *repeat);
/* A kernel was charged by the store. */
void replay_repeat_kernel(struct replay_repeat *repeat, const char *name, int n_params,
			  const double params[]);

#endif
