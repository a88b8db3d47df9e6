/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_ENTRY_H
#define TOOLS_RUN_ENTRY_H

#include <stddef.h>

/*
 * mpisim-run: everything but its main(). `tls_area`: `tls_size` bytes of static thread-local
 * storage of the executable, for the program's thread-local variables. Returns the exit status.
 */
__attribute__((visibility("default"))) int mpisim_run_main(int argc, char **argv, void *tls_area,
							   size_t tls_size);

#endif
