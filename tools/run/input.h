/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_INPUT_H
#define TOOLS_RUN_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Standard input of further runs. A file is there for each of them as it was for the first one;
 * what came through a pipe or was typed is gone: a further run that wants it would do something
 * else.
 */

/* Where standard input begins; negative: it is no file. To be called before a program reads it. */
off_t run_input_begin(void);

/* Opens the standard input of a further run. Where it is gone: a pipe with one empty line, which
 * tells whether it was read. Negative: none can be opened. */
int run_input_open(off_t begin);

/* Whether a run wanted what is gone. input_fd: as run_input_open made it. */
bool run_input_is_missed(int input_fd);

#endif
