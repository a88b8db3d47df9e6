/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/abi/functions.h"

#include <stdlib.h>
#include <string.h>

/* Rows of all tables here begin with the name. */
static int compare_name(const void *name, const void *row)
{
	return strcmp(name, *(const char *const *)row);
}

const struct mpi_function *mpi_function_find(const char *name)
{
	return bsearch(name, mpi_functions, (size_t)mpi_n_functions, sizeof *mpi_functions,
		       compare_name);
}

const void *mpi_substitute_find(const void *table, int n, size_t item_B, const char *name)
{
	return bsearch(name[0] == 'P' ? name + 1 : name, table, (size_t)n, item_B,
		       compare_name);
}

void *mpi_substitute_address(const void *table, int n, size_t item_B, const char *name)
{
	const struct mpi_substitute *found = mpi_substitute_find(table, n, item_B, name);
	void *address = NULL;

	if (found)
		memcpy(&address, &found->function, sizeof address);
	return address;
}
