// SPDX-License-Identifier: BSD-3-Clause
/*
 * mpisim-python: what mpisim-run starts in place of a Python interpreter (tools/run/python.h). The
 * interpreter itself is a library, of which every rank has variables of its own, and where the
 * modules that it loads find its functions.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/python/launcher.h"

typedef int (*main_fn)(int, char **); /* Py_BytesMain */

int main(int argc, char **argv)
{
	const char *path = getenv(MPISIM_LIBPYTHON);
	void *python = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	main_fn run = python ? (main_fn)dlsym(python, "Py_BytesMain") : NULL;

	if (!path && argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("mpisim-python " MPISIM_VERSION);
		return 0;
	}
	if (!path) {
		puts("usage: mpisim-run --cluster FILE -n RANKS python3 SCRIPT [ARGUMENT…]\n"
		     "mpisim-run starts mpisim-python in place of Python: docs/python.md");
		return 0;
	}
	if (!run) {
		fprintf(stderr, "mpisim-python: %s\n", dlerror());
		return 2;
	}
	return run(argc, argv);
}
