/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment: start and end, clocks, versions, info objects, attributes of the world, generalized requests. */
#include "check.h"

static void info_keeps_keys_in_order(void)
{
	MPI_Info info, copy;
	char key[MPI_MAX_INFO_KEY + 1], value[100];
	int n = -1, flag, length = -1;

	MPI_Info_create(&info);
	MPI_Info_get_nkeys(info, &n);
	CHECK_INT(n, 0);
	MPI_Info_set(info, "first", "1");
	MPI_Info_set(info, "second", "two words");
	MPI_Info_set(info, "third", "3");
	MPI_Info_set(info, "first", "again"); /* replaces */
	MPI_Info_get_nkeys(info, &n);
	CHECK_INT(n, 3);
	MPI_Info_get_nthkey(info, 1, key);
	CHECK(!strcmp(key, "second"));
	MPI_Info_get(info, "first", 99, value, &flag);
	CHECK(flag && !strcmp(value, "again"));
	MPI_Info_get(info, "absent", 99, value, &flag);
	CHECK(!flag);
	MPI_Info_get_valuelen(info, "second", &length, &flag);
	CHECK(flag);
	CHECK_INT(length, 9);
	MPI_Info_dup(info, &copy);
	MPI_Info_delete(info, "second");
	MPI_Info_get_nkeys(info, &n);
	CHECK_INT(n, 2);
	MPI_Info_get_nkeys(copy, &n);
	CHECK_INT(n, 3);
	MPI_Info_get(copy, "second", 99, value, &flag);
	CHECK(flag && !strcmp(value, "two words"));
	MPI_Info_free(&info);
	MPI_Info_free(&copy);
	CHECK(info == MPI_INFO_NULL);
}

static void the_world_has_its_attributes(void)
{
	int *value, flag = 0;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
	CHECK(flag && *value >= 32767);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
	CHECK(flag && (*value == 0 || *value == 1));
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
	CHECK(!flag || *value == MPI_PROC_NULL || (*value >= 0 && *value < n_ranks));
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
	CHECK(flag);
}

static void clocks_run_forward(void)
{
	double before = MPI_Wtime(), after;

	CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
	MPI_Barrier(MPI_COMM_WORLD);
	after = MPI_Wtime();
	CHECK(after >= before);
	for (int k = 0; k < 100; k++) {
		before = after;
		after = MPI_Wtime();
		CHECK(after >= before);
	}
}

static void the_library_tells_what_it_is(void)
{
	char name[MPI_MAX_PROCESSOR_NAME], text[MPI_MAX_LIBRARY_VERSION_STRING];
	int length = 0, version = 0, subversion = -1, provided = -1, is_main = 0;

	MPI_Get_processor_name(name, &length);
	CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME && (int)strlen(name) == length);
	MPI_Get_library_version(text, &length);
	CHECK(length > 0 && (int)strlen(text) <= length); /* Open MPI counts the final NUL */
	MPI_Get_version(&version, &subversion);
	CHECK_INT(version, MPI_VERSION);
	CHECK_INT(subversion, MPI_SUBVERSION);
	CHECK(version >= 3);
	MPI_Query_thread(&provided);
	CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
	MPI_Is_thread_main(&is_main);
	CHECK(is_main);
}

static void allocated_memory_is_memory(void)
{
	int *memory = NULL;

	MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &memory);
	CHECK(memory != NULL);
	for (int k = 0; k < 1000; k++)
		memory[k] = me + k;
	MPI_Allreduce(MPI_IN_PLACE, memory, 1000, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	CHECK_INT(memory[999], n_ranks - 1 + 999);
	MPI_Free_mem(memory);
}

static int n_queried, n_freed, n_cancelled;

static int query(void *extra, MPI_Status *status)
{
	n_queried++;
	MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
	MPI_Status_set_cancelled(status, n_cancelled);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int release(void *extra)
{
	n_freed++;
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	n_cancelled++;
	return MPI_SUCCESS;
}

static void generalized_requests_complete_when_told(void)
{
	MPI_Request req;
	MPI_Status status;
	int eleven = 11, flag = 1, count;

	MPI_Grequest_start(query, release, cancel, &eleven, &req);
	MPI_Test(&req, &flag, &status);
	CHECK(!flag);
	MPI_Grequest_complete(req);
	MPI_Wait(&req, &status);
	MPI_Get_elements(&status, MPI_INT, &count);
	CHECK_INT(count, 11);
	CHECK_INT(n_freed, 1);
	CHECK(n_queried >= 1);
	MPI_Grequest_start(query, release, cancel, &eleven, &req);
	MPI_Cancel(&req);
	CHECK_INT(n_cancelled, 1);
	MPI_Grequest_complete(req);
	MPI_Wait(&req, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag);
	CHECK_INT(n_freed, 2);
}

/* Profiling: the same function under its other name. */
static void every_function_has_its_shadow(void)
{
	int rank = -1, sum = 0;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	CHECK_INT(rank, me);
	PMPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK_INT(sum, n_ranks * (n_ranks - 1) / 2);
	MPI_Pcontrol(1);
}

static int at_finalize; /* 1 + number of deletions seen */

static int on_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
	at_finalize++;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int flag = -1, key, rank;

	MPI_Initialized(&flag);
	if (flag)
		return 3;
	MPI_Finalized(&flag);
	if (flag)
		return 4;
	check_init(&argc, &argv);
	MPI_Initialized(&flag);
	CHECK(flag);
	MPI_Finalized(&flag);
	CHECK(!flag);
	section_end("start");
	info_keeps_keys_in_order();
	section_end("info");
	the_world_has_its_attributes();
	clocks_run_forward();
	the_library_tells_what_it_is();
	section_end("environment");
	allocated_memory_is_memory();
	section_end("memory");
	generalized_requests_complete_when_told();
	section_end("generalized requests");
	every_function_has_its_shadow();
	section_end("profiling names");
	/* attributes of MPI_COMM_SELF are deleted first thing in MPI_Finalize: the way to run code there */
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	rank = me;
	if (check_finish())
		return 1;
	MPI_Finalized(&flag);
	if (rank == 0)
		printf("%s end\n", flag && at_finalize == 1 ? "OK" : "NOT OK");
	return flag && at_finalize == 1 ? 0 : 1;
}
