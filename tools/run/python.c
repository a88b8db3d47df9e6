/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/python.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/python/launcher.h"
#include "util/file.h"

enum { PATH_B = 4096 };

/* "python3.11", as the file is called that python3 and those of virtual environments are links to. */
static bool is_interpreter(const char *base)
{
	return strncmp(base, "python3.", 8) == 0 && base[8] != '\0' &&
	       base[8 + strspn(base + 8, "0123456789")] == '\0';
}

/* The library of the interpreter `file`, which ends with /bin/python3.N. The system's is where the
 * loader looks. */
static void name_library(const char *file, char *out, size_t size)
{
	const char *base = strrchr(file, '/') + 1;
	int prefix = (int)(base - file) - (int)strlen("/bin/");

	if (strncmp(file, "/usr/bin/", 9) == 0)
		snprintf(out, size, "lib%s.so.1.0", base);
	else
		snprintf(out, size, "%.*s/lib/lib%s.so.1.0", prefix > 0 ? prefix : 0, file, base);
}

/* Tried out, and unloaded: ranks load it for themselves. */
static int check_library(const char *file, const char *library, struct util_error *err)
{
	void *python = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	bool is_complete = python && dlsym(python, "Py_BytesMain");

	if (!is_complete)
		return util_refuse(
		    err,
		    "'%s' needs the interpreter as a library, and found no %s that can be "
		    "loaded: install Debian's lib%s, or build Python with --enable-shared",
		    file, library, strrchr(file, '/') + 1);
	dlclose(python);
	return 0;
}

/* Beside this executable; NULL: out of memory. */
static char *find_launcher(void)
{
	char path[PATH_B + 16];
	ssize_t n = readlink("/proc/self/exe", path, PATH_B - 1);
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "mpisim-python");
	return strdup(path);
}

int run_python_replace(char **path, struct util_error *err)
{
	char *file = realpath(*path, NULL), *slash = file ? strrchr(file, '/') : NULL, *launcher;
	char library[PATH_B];
	int failed = 0;

	if (slash && is_interpreter(slash + 1) && util_file_is_program(file)) {
		name_library(file, library, sizeof library);
		failed = check_library(file, library, err);
		launcher = failed ? NULL : find_launcher();
		if (!failed && (!launcher || setenv(MPISIM_LIBPYTHON, library, 1)))
			failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
		if (!failed) {
			free(*path);
			*path = launcher;
		}
	}
	free(file);
	return failed;
}
