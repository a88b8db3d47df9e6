/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local functions take no simulated time, on several ranks, where a message would. local.py writes
 * most rows; those that want arguments of their own, or an order, are here.
 */
#include <string.h>

#include "tests/mpi/arguments.h"
#include "tests/mpi/times/times.h"

#define CLEARED(row) (memset(scratch, 0, sizeof scratch), row)
#define SUCCEEDS(call) CLEARED(TAKES(0, call))
/* What it returns is no code. */
#define GIVES(call) \
	CLEARED((times_before(), (void)(call), times_after(#call, MPI_SUCCESS, false, 0)))
/* There is nothing that it could be done to: the simulator has no events. */
#define REFUSED(call) CLEARED((times_before(), times_after(#call, (call) == MPI_SUCCESS, false, 0)))

#include "tests/mpi/times/local-rows.h"

static char memory[8 * ROOM];

static void buffers(void)
{
	void *address;
	int size;

	SUCCEEDS(MPI_Buffer_attach(memory, ROOM));
	MPI_Buffer_detach(&address, &size);
	SUCCEEDS(MPI_Buffer_attach_c(memory, ROOM));
	MPI_Buffer_detach(&address, &size);
	SUCCEEDS(MPI_Comm_attach_buffer(comm, memory, ROOM));
	MPI_Comm_detach_buffer(comm, &address, &size);
	SUCCEEDS(MPI_Comm_attach_buffer_c(comm, memory, ROOM));
	MPI_Comm_detach_buffer(comm, &address, &size);
	SUCCEEDS(MPI_Session_attach_buffer(session, memory, ROOM));
	MPI_Session_detach_buffer(session, &address, &size);
	SUCCEEDS(MPI_Session_attach_buffer_c(session, memory, ROOM));
	MPI_Session_detach_buffer(session, &address, &size);
}

static int ignore(void *state, MPI_Status *status)
{
	return MPI_SUCCESS;
}

static int ignore_state(void *state)
{
	return MPI_SUCCESS;
}

static int ignore_cancel(void *state, int is_complete)
{
	return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
}

static void made_and_freed(void)
{
	struct fresh *made = fresh();
	MPI_Datatype types_inside[1];
	void *allocated;
	int number;

	SUCCEEDS(MPI_Type_vector(2, 1, 2, MPI_INT, &made->datatype));
	SUCCEEDS(MPI_Type_commit(&made->datatype));
	SUCCEEDS(
	    MPI_Type_get_contents(made->datatype, 3, 0, 1, (void *)scratch[0], NULL, types_inside));
	SUCCEEDS(MPI_Type_free(&made->datatype));
	SUCCEEDS(MPI_Type_vector_c(2, 1, 2, MPI_INT, &made->datatype));
	SUCCEEDS(MPI_Type_get_contents_c(made->datatype, 0, 0, 3, 1, NULL, NULL, (void *)scratch[0],
					 types_inside));
	MPI_Type_free(&made->datatype);
	SUCCEEDS(MPI_Op_create(add, 1, &made->op));
	SUCCEEDS(MPI_Op_free(&made->op));
	SUCCEEDS(MPI_Info_create(&made->info));
	SUCCEEDS(MPI_Info_free(&made->info));
	SUCCEEDS(MPI_Comm_group(comm, &made->group));
	SUCCEEDS(MPI_Group_free(&made->group));
	SUCCEEDS(MPI_Comm_get_errhandler(comm, &made->errhandler));
	SUCCEEDS(MPI_Errhandler_free(&made->errhandler));
	SUCCEEDS(MPI_Alloc_mem(ROOM, MPI_INFO_NULL, &allocated));
	SUCCEEDS(MPI_Free_mem(allocated));
	SUCCEEDS(MPI_Grequest_start(ignore, ignore_state, ignore_cancel, NULL, &made->request));
	SUCCEEDS(MPI_Grequest_complete(made->request));
	MPI_Wait(&made->request, MPI_STATUS_IGNORE);
	MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &number, NULL);
	SUCCEEDS(MPI_Keyval_free(&number));
	SUCCEEDS(MPI_Comm_free_keyval(&keyval));
	SUCCEEDS(MPI_Win_free_keyval(&win_keyval));
	SUCCEEDS(MPI_Type_free_keyval(&type_keyval));
}

static void errors(void)
{
	int class, code;

	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(code, "text");
	SUCCEEDS(MPI_Remove_error_string(code));
	SUCCEEDS(MPI_Remove_error_code(code));
	SUCCEEDS(MPI_Remove_error_class(class));
	SUCCEEDS(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
	SUCCEEDS(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
	SUCCEEDS(MPI_File_call_errhandler(file, MPI_ERR_OTHER));
	SUCCEEDS(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
}

static void packing(void)
{
	const int gsizes[] = {8}, how[] = {MPI_DISTRIBUTE_BLOCK},
		  dargs[] = {MPI_DISTRIBUTE_DFLT_DARG};
	const MPI_Count large_gsizes[] = {8};
	struct fresh *made = fresh();
	MPI_Count large = 0;
	MPI_Aint place = 0;
	int at = 0;

	SUCCEEDS(MPI_Pack(memory, 4, MPI_INT, scratch[0], ROOM, &at, comm));
	SUCCEEDS(MPI_Pack_c(memory, 4, MPI_INT, scratch[0], ROOM, &large, comm));
	SUCCEEDS(MPI_Unpack(scratch[0], ROOM, (at = 0, &at), memory, 4, MPI_INT, comm));
	SUCCEEDS(MPI_Unpack_c(scratch[0], ROOM, (large = 0, &large), memory, 4, MPI_INT, comm));
	SUCCEEDS(MPI_Pack_external("external32", memory, 4, MPI_INT, scratch[0], ROOM, &place));
	SUCCEEDS(MPI_Pack_external_c("external32", memory, 4, MPI_INT, scratch[0], ROOM,
				     (large = 0, &large)));
	SUCCEEDS(MPI_Unpack_external("external32", scratch[0], ROOM, (place = 0, &place), memory, 4,
				     MPI_INT));
	SUCCEEDS(MPI_Unpack_external_c("external32", scratch[0], ROOM, (large = 0, &large), memory,
				       4, MPI_INT));
	SUCCEEDS(MPI_Type_create_darray(2, 0, 1, gsizes, how, dargs, (int[]){2}, MPI_ORDER_C,
					MPI_INT, &made->datatype));
	MPI_Type_free(&made->datatype);
	SUCCEEDS(MPI_Type_create_darray_c(2, 0, 1, large_gsizes, how, dargs, (int[]){2},
					  MPI_ORDER_C, MPI_INT, &made->datatype));
	MPI_Type_free(&made->datatype);
}

static void groups(void)
{
	int ranges[1][3] = {{0, 0, 1}}, n;
	MPI_Comm half, inter;
	struct fresh *made = fresh();

	SUCCEEDS(MPI_Group_range_incl(group, 1, ranges, &made->group));
	SUCCEEDS(MPI_Group_range_excl(group, 1, ranges, &made->group));
	SUCCEEDS(MPI_Group_from_session_pset(session, "mpi://WORLD", &made->group));
	SUCCEEDS(MPI_Session_get_pset_info(session, "mpi://WORLD", &made->info));
	MPI_Comm_split(comm, times_rank / 2, 0, &half);
	MPI_Intercomm_create(half, 0, comm, times_rank < 2 ? 2 : 0, 0, &inter);
	SUCCEEDS(MPI_Comm_remote_size(inter, &n));
	SUCCEEDS(MPI_Comm_remote_group(inter, &made->group));
	SUCCEEDS(MPI_Graph_map(comm, 1, ones, none, &n));
}

static int no_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
	*extent = 1;
	return MPI_SUCCESS;
}

static void names(void)
{
	char port[MPI_MAX_PORT_NAME], key[MPI_MAX_INFO_KEY];

	SUCCEEDS(MPI_Open_port(MPI_INFO_NULL, port));
	snprintf(key, sizeof key, "service of %d", times_rank);
	SUCCEEDS(MPI_Publish_name(key, MPI_INFO_NULL, port));
	SUCCEEDS(MPI_Lookup_name(key, MPI_INFO_NULL, port));
	SUCCEEDS(MPI_Unpublish_name(key, MPI_INFO_NULL, port));
	SUCCEEDS(MPI_Close_port(port));
	MPI_Info_set(info, "key", "value");
	SUCCEEDS(MPI_Info_get_nthkey(info, 0, key));
	SUCCEEDS(MPI_Comm_set_info(comm, info));
	SUCCEEDS(MPI_Win_set_info(win, info));
	SUCCEEDS(MPI_Register_datarep("times", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
				      no_extent, NULL));
	SUCCEEDS(MPI_Register_datarep_c("large times", MPI_CONVERSION_FN_NULL_C,
					MPI_CONVERSION_FN_NULL_C, no_extent, NULL));
	SUCCEEDS(MPI_Abi_set_fortran_info(info));
}

static void tool_variables(void)
{
	MPI_T_cvar_handle control;
	MPI_T_pvar_handle counter;
	MPI_T_enum values;
	int at, n;

	SUCCEEDS(MPI_T_category_get_index("collectives", &at));
	SUCCEEDS(MPI_T_cvar_get_index("protocol.progress", &at));
	MPI_T_cvar_get_info(at, NULL, NULL, NULL, NULL, &values, NULL, NULL, NULL, NULL);
	SUCCEEDS(MPI_T_enum_get_info(values, &n, NULL, NULL));
	SUCCEEDS(MPI_T_enum_get_item(values, 0, &n, NULL, NULL));
	SUCCEEDS(MPI_T_cvar_handle_alloc(at, NULL, &control, &n));
	SUCCEEDS(MPI_T_cvar_read(control, scratch[0]));
	REFUSED(MPI_T_cvar_write(control, scratch[0])); /* settings are those of the run */
	SUCCEEDS(MPI_T_cvar_handle_free(&control));
	SUCCEEDS(MPI_T_pvar_get_index("messages", MPI_T_PVAR_CLASS_COUNTER, &at));
	SUCCEEDS(MPI_T_pvar_handle_alloc(tool_session, at, NULL, &counter, &n));
	SUCCEEDS(MPI_T_pvar_start(tool_session, counter));
	SUCCEEDS(MPI_T_pvar_read(tool_session, counter, scratch[0]));
	SUCCEEDS(MPI_T_pvar_reset(tool_session, counter));
	SUCCEEDS(MPI_T_pvar_readreset(tool_session, counter, scratch[0]));
	SUCCEEDS(MPI_T_pvar_write(tool_session, counter, scratch[0]));
	SUCCEEDS(MPI_T_pvar_stop(tool_session, counter));
	SUCCEEDS(MPI_T_pvar_handle_free(tool_session, &counter));
	SUCCEEDS(MPI_T_pvar_session_free(&tool_session));
}

static void tool_events(void)
{
	MPI_T_event_registration registration = NULL;
	MPI_T_event_instance instance = NULL;
	MPI_Aint displacement;
	int n = 0;

	REFUSED(MPI_T_event_get_index("any", &n));
	REFUSED(MPI_T_event_get_info(0, NULL, NULL, NULL, types, &displacement, &n, NULL, NULL,
				     NULL, NULL, NULL));
	REFUSED(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration));
	REFUSED(MPI_T_event_handle_get_info(registration, &info));
	REFUSED(MPI_T_event_handle_set_info(registration, info));
	REFUSED(
	    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, info, NULL, NULL));
	REFUSED(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
	REFUSED(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, info));
	REFUSED(MPI_T_event_set_dropped_handler(registration, NULL));
	REFUSED(MPI_T_event_handle_free(registration, NULL, NULL));
	REFUSED(MPI_T_event_read(instance, 0, scratch[0]));
	REFUSED(MPI_T_event_copy(instance, scratch[0]));
	REFUSED(MPI_T_event_get_timestamp(instance, (void *)scratch[0]));
	REFUSED(MPI_T_event_get_source(instance, &n));
}

static void tool(void)
{
	int provided;

	tool_variables();
	tool_events();
	SUCCEEDS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	SUCCEEDS(MPI_T_finalize());
}

int main(int argc, char **argv)
{
	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("local");
	make_arguments();
	times_together();
	generated_rows();
	times_together();
	buffers();
	made_and_freed();
	errors();
	packing();
	groups();
	names();
	tool();
	MPI_Win_unlock_all(win);
	return times_end(); /* what is left is nobody's concern */
}
