/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/abi/functions.h"

#include <stdlib.h>
#include <string.h>

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct mpi_function *)row)->name);
}

const struct mpi_function *mpi_function_find(const char *name)
{
	return bsearch(name, mpi_functions, (size_t)mpi_n_functions, sizeof *mpi_functions,
		       compare_name);
}
