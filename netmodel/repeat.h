/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_REPEAT_H
#define NETMODEL_REPEAT_H

#include "netmodel/model.h"
#include "util/words.h"

/* For whoever looks whether the same happens again and again (replay/repeat.h). */

/* Whether what the model does depends on its state only, and not on when that is: nothing varies at
 * random, no timeslices, no speeds that change, no bursts. Stays as it is. O(speed changes). */
bool net_model_is_timeless(const struct net_model *model);
/* Whether the order in which transfers and computations begin at one instant makes no difference to
 * when they end: the rates depend on who is under way. O(1). */
bool net_model_is_orderless(const struct net_model *model);
/*
 * Adds all that the future of a timeless model depends on, times counted from now, computations as
 * addresses, when nothing is under way but computation and nothing else is scheduled; to `order`
 * the order in which the computations' ends leave the queue, also those of one time. False when
 * something is, or without memory. O(n log n) in nodes.
 */
bool net_model_describe(const struct net_model *model, struct util_words *out,
			struct util_words *order);
/* After sim_engine_jump by `duration`: nothing but computation is under way, and all is as it was
 * then; `more` is added to the statistics, and what links carried since the mark `n` times more.
 * O(nodes). */
void net_model_jump(struct net_model *model, sim_time_ps duration, uint64_t n,
		    const struct net_stats *more);
/* Here begins what may be repeated. O(links) of a fabric. */
void net_model_mark(struct net_model *model);

#endif
