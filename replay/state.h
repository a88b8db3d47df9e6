/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPLAY_STATE_H
#define REPLAY_STATE_H

#include "replay/replay.h"
#include "util/words.h"

/*
 * All that the future of a replay depends on but for what its ranks read next, times counted from
 * now. It can be said only when every rank that has not ended is in a computation and no message is
 * under way or waits anywhere. False otherwise. Adds to `out`, and to `order` in which order
 * computations end that end at one time. O(ranks + requests + nodes log nodes).
 */
bool replay_state_describe(const struct replay *replay, struct util_words *out,
			   struct util_words *order);

#endif
