/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PYTHON_LAUNCHER_H
#define TOOLS_PYTHON_LAUNCHER_H

/* The variable of the environment by which mpisim-run tells the launcher the interpreter's library. */
#define MPISIM_LIBPYTHON "MPISIM_LIBPYTHON"

#endif
