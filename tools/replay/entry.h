/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_REPLAY_ENTRY_H
#define TOOLS_REPLAY_ENTRY_H

/* mpisim-replay: everything but its main(). Returns the exit status. */
__attribute__((visibility("default"))) int mpisim_replay_main(int argc, char **argv);

#endif
