/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_REPLAY_DOUBTS_H
#define TOOLS_REPLAY_DOUBTS_H

#include "mtrace/reader.h"
#include "tools/run/strings.h"

/* Adds a sentence for every kind of call by which the program's course may have depended on time,
 * or where ranks `is_moved` elsewhere than in the recording on where they run: how often, and where
 * most. */
void replay_doubts_note(const struct mtrace_file *file, bool is_moved, struct run_strings *notes);

#endif
