/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_LIBTOOL_H
#define TOOLS_RUN_LIBTOOL_H

#include "util/error.h"

/*
 * Programs that libtool links against libraries which are not installed are shell scripts that set
 * LD_LIBRARY_PATH and start the real program, in .libs. If `program`, one of the words of this
 * command line `argv` (or what follows "=" in one), is such a script, the command is started anew
 * as the script would start it, and this does not return. Returns 0 for any other file;
 * UTIL_ENOMEM, UTIL_ESYSTEM.
 */
int run_libtool_start(char **argv, const char *program, struct util_error *err);

#endif
