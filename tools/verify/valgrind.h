/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VERIFY_VALGRIND_H
#define TOOLS_VERIFY_VALGRIND_H

#include "util/error.h"

/* Where valgrind writes its errors, within the run that it runs. */
#define VERIFY_VALGRIND_FD 5

/*
 * --verify-memory=valgrind: starts this command line anew under valgrind's memcheck, unless it is
 * already. Returns 0 there, or a code: UTIL_EINPUT where there is no valgrind, or mpisim was built
 * without its headers; UTIL_ESYSTEM.
 */
int verify_valgrind_start(char **argv, struct util_error *err);

#endif
