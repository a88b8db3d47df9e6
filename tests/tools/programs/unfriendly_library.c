/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with variables; with PLUGIN defined, one that is loaded at run time. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

static int counter, *const to_counter = &counter;
static _Thread_local int of_thread = 100;

#ifdef PLUGIN
int plugin_next(void);

int plugin_next(void)
#else
int library_next(void);
int library_next_of_thread(void);
int library_get(void);
int library_load(void);
extern int library_variable;
int library_variable = 50;

int library_get(void)
{
	return library_variable;
}

/* Found by the library's own search path; used before the program loads anything. */
int library_load(void)
{
	void *plugin = dlopen("unfriendly_plugin.so", RTLD_NOW);
	int (*next)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_next") : NULL;

	MPI_Barrier(MPI_COMM_WORLD);
	return next ? next() : -1;
}

int library_next_of_thread(void)
{
	return ++of_thread;
}

int library_next(void)
#endif
{
	return ++*to_counter + 0 * of_thread;
}
