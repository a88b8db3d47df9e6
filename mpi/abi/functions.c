/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/abi/functions.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/call_info.h"

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct mpi_function *)row)->name);
}

const struct mpi_function *mpi_function_find(const char *name)
{
	return bsearch(name, mpi_functions, (size_t)mpi_n_functions, sizeof *mpi_functions,
		       compare_name);
}

const struct mpi_call_info *mpi_call_info(const char *name)
{
	const struct mpi_function *found = mpi_function_find(name[0] == 'P' ? name + 1 : name);

	return found ? &mpi_call_infos[found - mpi_functions] : NULL;
}

static int first(const struct mpi_call_info *info, enum mpi_parameter_kind kind, bool is_place)
{
	for (int i = 0; i < info->n_parameters; i++)
		if (info->parameters[i].kind == kind && !info->parameters[i].is_array &&
		    info->parameters[i].is_place == is_place)
			return i;
	return -1;
}

int mpi_parameter_value(const struct mpi_call_info *info, enum mpi_parameter_kind kind)
{
	return first(info, kind, false);
}

int mpi_parameter_place(const struct mpi_call_info *info, enum mpi_parameter_kind kind)
{
	return first(info, kind, true);
}
