/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_REPEAT_H
#define MTRACE_REPEAT_H

#include "mtrace/reader.h"

/*
 * How often the last `length_B` >= 1 bytes before `cursor` follow again, one directly after the
 * other; at most `most`; 0 where they began in an earlier block, which is no longer there. Damage
 * ends them. `scout` is read ahead with: zero-initialise it for the first cursor, close it after
 * the last one. O(bytes that are alike).
 */
uint64_t mtrace_cursor_repeats(const struct mtrace_cursor *cursor, struct mtrace_cursor *scout,
			       uint64_t length_B, uint64_t most);
/* Goes on by so many bytes, which are there. What the file does not give any more sets
 * is_damaged. */
void mtrace_cursor_skip(struct mtrace_cursor *cursor, uint64_t size_B);

#endif
