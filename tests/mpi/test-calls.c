/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the arguments of MPI's functions: rows of mpi/abi/call_info.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/abi/call_info.h"
#include "mpi/abi/functions.h"

static const struct mpi_call_info *info_of(const char *name)
{
	const struct mpi_function *function = mpi_function_find(name);

	assert_non_null(function);
	return &mpi_call_infos[function - mpi_functions];
}

static void buffers_know_their_count_and_type(void **state)
{
	const struct mpi_parameter *p = info_of("MPI_Alltoallw_c")->parameters;

	assert_int_equal(p[4].kind, PARAMETER_BUFFER);
	assert_int_equal(p[4].direction, MPI_ARGUMENT_OUT);
	assert_string_equal(p[p[4].count].name, "recvcounts");
	assert_string_equal(p[p[4].displs].name, "rdispls");
	assert_string_equal(p[p[4].type].name, "recvtypes");
	assert_true(p[5].is_array && p[5].is_wide);
	assert_int_equal(p[5].extent, EXTENT_PEERS);
	p = info_of("MPI_Psend_init")->parameters;
	assert_string_equal(p[p[0].count].name, "count");
	assert_string_equal(p[p[0].extent_from].name, "partitions");
	p = info_of("MPI_Fetch_and_op")->parameters;
	assert_int_equal(p[0].count, -1); /* one item */
	assert_string_equal(p[p[0].type].name, "datatype");
}

static void messages_have_peers_and_tags(void **state)
{
	const struct mpi_call_info *recv = info_of("MPI_Irecv");

	assert_int_equal(recv->n_parameters, 7);
	assert_int_equal(recv->form, FORM_NONBLOCKING);
	assert_false(recv->is_collective);
	assert_int_equal(recv->parameters[3].kind, PARAMETER_RANK);
	assert_int_equal(recv->parameters[4].kind, PARAMETER_TAG);
	assert_int_equal(recv->parameters[5].kind, PARAMETER_COMM);
	assert_int_equal(recv->parameters[6].kind, PARAMETER_REQUEST);
	assert_int_equal(info_of("MPI_Wait")->parameters[0].direction, MPI_ARGUMENT_INOUT);
}

static void collectives_know_whose_they_are(void **state)
{
	static const struct {
		const char *name, *over, *root; /* NULL: none */
	} cases[] = {{"MPI_Bcast", "comm", "root"},
		     {"MPI_Comm_dup", "comm", NULL},
		     {"MPI_Comm_spawn", "comm", "root"},
		     {"MPI_Win_create", "comm", NULL},
		     {"MPI_Win_free", "win", NULL},
		     {"MPI_File_open", "comm", NULL},
		     {"MPI_File_close", "fh", NULL},
		     {"MPI_Comm_create_group", "group", NULL},
		     {"MPI_Init", NULL, NULL},
		     {"MPI_Intercomm_create", "local_comm", "local_leader"},
		     {"MPI_Comm_disconnect", "comm", NULL}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct mpi_call_info *info = info_of(cases[i].name);

		assert_true(info->is_collective);
		assert_int_equal(info->over < 0, cases[i].over == NULL);
		assert_int_equal(info->root < 0, cases[i].root == NULL);
		if (cases[i].over)
			assert_string_equal(info->parameters[info->over].name, cases[i].over);
		if (cases[i].root)
			assert_string_equal(info->parameters[info->root].name, cases[i].root);
	}
	assert_string_equal(info_of("MPI_Ibcast")->operation, "Bcast");
	assert_string_equal(info_of("MPI_Comm_dup")->operation, "Comm_dup");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(buffers_know_their_count_and_type),
	    cmocka_unit_test(messages_have_peers_and_tags),
	    cmocka_unit_test(collectives_know_whose_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
