/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_PYTHON_H
#define TOOLS_RUN_PYTHON_H

#include "util/error.h"

/*
 * Replaces *path, malloc'd, by mpisim-python's if it is a Python interpreter: one that is linked
 * fixed, or whose modules look for its functions in the program, cannot be simulated as it is.
 * The environment then tells which library the interpreter is in. Errors: UTIL_EINPUT when it is in
 * none that can be loaded; UTIL_ENOMEM.
 */
int run_python_replace(char **path, struct util_error *err);

#endif
