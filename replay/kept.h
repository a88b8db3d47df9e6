/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPLAY_KEPT_H
#define REPLAY_KEPT_H

#include "replay/replay.h"

/* Arrays that operations under way use, each content once, until the end of the replay. NULL when
 * out of memory. O(size) expected. */
const void *replay_keep(struct replay *replay, const void *values, size_t size_B);
void replay_kept_destroy(struct replay *replay);

#endif
