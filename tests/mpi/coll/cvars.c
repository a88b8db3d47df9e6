/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program sees of the choice of algorithms: run as `cvars` with --coll-profile mpich --coll
 * allreduce=ring,bcast=pipeline:64KiB.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int n_wrong;

static void check(int holds, const char *what)
{
	if (!holds)
		printf("%s\n", what);
	n_wrong += !holds;
}

static MPI_T_cvar_handle open_variable(const char *name, int *count)
{
	MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
	int index = -1;

	check(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS, name);
	check(MPI_T_cvar_handle_alloc(index, NULL, &handle, count) == MPI_SUCCESS, name);
	return handle;
}

static void check_text(const char *name, const char *wanted)
{
	char text[64] = "", other[] = "linear";
	int count = 0;
	MPI_T_cvar_handle handle = open_variable(name, &count);

	check(count == (int)strlen(wanted) + 1, name);
	check(MPI_T_cvar_read(handle, text) == MPI_SUCCESS && strcmp(text, wanted) == 0, name);
	check(MPI_T_cvar_write(handle, other) == MPI_T_ERR_CVAR_SET_NEVER, "it cannot be set");
	MPI_T_cvar_handle_free(&handle);
}

static void check_profile(void)
{
	int count, value = -1, length = 64, index, scope, n = 0;
	MPI_T_cvar_handle handle = open_variable("protocol.collectives", &count);
	MPI_T_enum names = MPI_T_ENUM_NULL;
	char text[64] = "";

	MPI_T_cvar_read(handle, &value);
	MPI_T_cvar_get_index("protocol.collectives", &index);
	MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, &names, NULL, NULL, NULL, &scope);
	MPI_T_enum_get_item(names, value, &n, text, &length);
	check(strcmp(text, "mpich") == 0, "the profile is mpich");
	check(scope == MPI_T_SCOPE_CONSTANT, "its scope says that it cannot be set");
	MPI_T_cvar_handle_free(&handle);
}

int main(int argc, char **argv)
{
	int provided, index, n = 0;

	MPI_Init(&argc, &argv);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	check_profile();
	check_text("run.algorithms.allreduce", "ring");
	check_text("run.algorithms.bcast", "pipeline:64KiB");
	check_text("run.algorithms.exscan", "");
	check(MPI_T_category_get_index("collectives", &index) == MPI_SUCCESS,
	      "they are a category");
	MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, &n, NULL, NULL);
	check(n == 18, "of the profile and 17 operations");
	MPI_T_finalize();
	MPI_Finalize();
	return n_wrong > 0;
}
