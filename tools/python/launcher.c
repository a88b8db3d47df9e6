// SPDX-License-Identifier: BSD-3-Clause
/*
 * mpisim-python: what mpisim-run starts in place of a Python interpreter (tools/run/python.h). The
 * interpreter itself is a library, of which every rank has variables of its own, and where the
 * modules that it loads find its functions.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/python/launcher.h"

typedef int (*main_fn)(int, char **); /* Py_BytesMain */

int main(int argc, char **argv)
{
	const char *path = getenv(MPISIM_LIBPYTHON);
	void *python = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	main_fn run = python ? (main_fn)dlsym(python, "Py_BytesMain") : NULL;

	if (!run) {
		fprintf(stderr, "mpisim-python: %s: wanted: mpisim-run … python3 SCRIPT\n",
			path ? dlerror() : "found no interpreter");
		return 2;
	}
	return run(argc, argv);
}
