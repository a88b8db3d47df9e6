/* SPDX-License-Identifier: BSD-3-Clause */
/* The tool information interface: what there is differs between libraries, how it is asked for does not. */
#include "check.h"

#if !defined OPEN_MPI && !defined MPICH_VERSION
#define IS_MPISIM 1
#else
#define IS_MPISIM 0
#endif

enum { TEXT = 2000 };

/* As long as said, cut where there is no room, untouched where it is not wanted. */
static void strings_are_given_as_far_as_there_is_room(int index)
{
	char whole[TEXT] = "", small[4] = "xyz";
	int length = TEXT, needed = 0, verbosity, bind, scope;
	MPI_Datatype type;
	MPI_T_enum values;

	MPI_T_cvar_get_info(index, whole, &length, &verbosity, &type, &values, NULL, NULL, &bind,
			    &scope);
	CHECK_INT(length, strlen(whole) + 1);
	MPI_T_cvar_get_info(index, NULL, &needed, &verbosity, &type, &values, NULL, NULL, &bind,
			    &scope);
	CHECK_INT(needed, length);
	needed = sizeof small;
	MPI_T_cvar_get_info(index, small, &needed, &verbosity, &type, &values, NULL, NULL, &bind,
			    &scope);
	CHECK(!strncmp(small, whole, 3) && strlen(small) <= 3);
}

static void control_variables_are_found_by_name_and_read(void)
{
	int n = -1, found, length, count, verbosity, bind, scope;
	static char name[TEXT], value[1 << 16];
	MPI_T_cvar_handle handle;
	MPI_Datatype type;
	MPI_T_enum values;

	CHECK_INT(MPI_T_cvar_get_num(&n), MPI_SUCCESS);
	CHECK(n >= 0);
	for (int i = 0; i < n && i < 20; i++) {
		length = TEXT;
		if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &values, NULL, NULL,
					&bind, &scope) != MPI_SUCCESS)
			continue; /* real libraries have holes */
		CHECK_INT(MPI_T_cvar_get_index(name, &found), MPI_SUCCESS);
		CHECK_INT(found, i);
		strings_are_given_as_far_as_there_is_room(i);
		if (bind != MPI_T_BIND_NO_OBJECT)
			continue;
		CHECK_INT(MPI_T_cvar_handle_alloc(i, NULL, &handle, &count), MPI_SUCCESS);
		CHECK(count >= 1 && count < 4096);
		CHECK_INT(MPI_T_cvar_read(handle, value), MPI_SUCCESS);
		CHECK_INT(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
		CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
	}
	CHECK_INT(MPI_T_cvar_get_index("no such variable", &found), MPI_T_ERR_INVALID_NAME);
#ifndef OPEN_MPI /* says another thing */
	CHECK(MPI_T_cvar_get_info(n, name, &length, &verbosity, &type, &values, NULL, NULL, &bind,
				  &scope) == MPI_T_ERR_INVALID_INDEX);
#endif
}

static void performance_variables_are_found_by_name_and_class(void)
{
	int n = -1, verbosity, class, bind, is_readonly, is_continuous, is_atomic, found = -1;
	char name[TEXT], description[TEXT];
	MPI_Datatype type;
	MPI_T_enum values;

	CHECK_INT(MPI_T_pvar_get_num(&n), MPI_SUCCESS);
	CHECK(n >= 0);
	for (int i = 0; i < n && i < 20; i++) {
		int length = TEXT, description_length = TEXT;

		if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &values,
					description, &description_length, &bind, &is_readonly,
					&is_continuous, &is_atomic) != MPI_SUCCESS)
			continue;
		CHECK_INT(length, strlen(name) + 1);
		CHECK_INT(MPI_T_pvar_get_index(name, class, &found), MPI_SUCCESS);
		CHECK_INT(found, i);
	}
#if IS_MPISIM /* Open MPI says another thing, MPICH crashes */
	CHECK(MPI_T_pvar_get_info(n, name, &found, &verbosity, &class, &type, &values, NULL, NULL,
				  &bind, &is_readonly, &is_continuous,
				  &is_atomic) == MPI_T_ERR_INVALID_INDEX);
#endif
}

static void indices_are_below(const int indices[], int n, int n_all)
{
	for (int k = 0; k < n && k < 100; k++)
		CHECK(indices[k] >= 0 && indices[k] < n_all);
}

static void categories_hold_what_they_say(void)
{
	int n = -1, n_cvars, n_pvars, n_categories, n_all, n_all_pvars, length, found, indices[100];
	char name[TEXT], description[TEXT];
	int stamp = -1, later = -2;

	MPI_T_category_get_num(&n);
	MPI_T_cvar_get_num(&n_all);
	MPI_T_pvar_get_num(&n_all_pvars);
	CHECK_INT(MPI_T_category_changed(&stamp), MPI_SUCCESS);
	for (int i = 0; i < n && i < 20; i++) {
		int description_length = length = TEXT;

		CHECK_INT(MPI_T_category_get_info(i, name, &length, description,
						  &description_length, &n_cvars, &n_pvars,
						  &n_categories),
			  MPI_SUCCESS);
		MPI_T_category_get_index(name, &found);
		CHECK_INT(found, i);
		CHECK_INT(MPI_T_category_get_cvars(i, 100, indices), MPI_SUCCESS);
		indices_are_below(indices, n_cvars, n_all);
		CHECK_INT(MPI_T_category_get_pvars(i, 100, indices), MPI_SUCCESS);
		indices_are_below(indices, n_pvars, n_all_pvars);
		CHECK_INT(MPI_T_category_get_categories(i, 100, indices), MPI_SUCCESS);
		indices_are_below(indices, n_categories, n);
	}
	MPI_T_category_changed(&later);
	CHECK_INT(later, stamp);
	CHECK_INT(MPI_T_category_get_index("no such category", &found), MPI_T_ERR_INVALID_NAME);
}

#if IS_MPISIM
static MPI_T_pvar_handle counter(MPI_T_pvar_session session, const char *name, int class)
{
	MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
	int index = -1, count = 0;

	CHECK_INT(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
	CHECK_INT(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), MPI_SUCCESS);
	CHECK_INT(count, 1);
	return handle;
}

static unsigned long long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	unsigned long long value = ~0ull;

	CHECK_INT(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
	return value;
}

/* Two messages of 5 ints while it counts, one before and one after: 2 messages, 40 B. */
static void counters_count_between_start_and_stop(void)
{
	MPI_T_pvar_session session, other;
	MPI_T_pvar_handle messages, bytes, time;
	int data[5] = {0}, index;
	unsigned long long value = 7;
	double seconds = -1;

	MPI_T_pvar_session_create(&session);
	MPI_T_pvar_session_create(&other);
	messages = counter(session, "messages", MPI_T_PVAR_CLASS_COUNTER);
	bytes = counter(session, "bytes", MPI_T_PVAR_CLASS_AGGREGATE);
	time = counter(other, "simulated_time", MPI_T_PVAR_CLASS_TIMER);
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			CHECK_INT(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
		if (i == 3)
			CHECK_INT(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
		MPI_Sendrecv_replace(data, 5, MPI_INT, me, 0, me, 0, MPI_COMM_WORLD,
				     MPI_STATUS_IGNORE);
	}
	CHECK_INT(value_of(session, messages), 2);
	CHECK_INT(value_of(session, bytes), 40);
	CHECK_INT(MPI_T_pvar_readreset(session, messages, &value), MPI_SUCCESS);
	CHECK_INT(value, 2);
	CHECK_INT(value_of(session, messages), 0);
	value = 100;
	CHECK_INT(MPI_T_pvar_write(session, bytes, &value), MPI_SUCCESS);
	CHECK_INT(MPI_T_pvar_start(session, bytes), MPI_SUCCESS);
	MPI_Sendrecv_replace(data, 5, MPI_INT, me, 0, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(value_of(session, bytes), 120);
	MPI_T_pvar_start(other, time);
	MPI_Sendrecv_replace(data, 5, MPI_INT, me, 0, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_T_pvar_read(other, time, &seconds);
	CHECK(seconds > 1e-6 && seconds < 1);
	CHECK_INT(MPI_T_pvar_read(other, bytes, &value), MPI_T_ERR_INVALID_HANDLE);
	CHECK_INT(MPI_T_pvar_get_index("messages", MPI_T_PVAR_CLASS_LEVEL, &index),
		  MPI_T_ERR_INVALID_NAME);
	MPI_T_pvar_handle_free(session, &messages);
	CHECK(messages == MPI_T_PVAR_HANDLE_NULL);
	MPI_T_pvar_session_free(&session);
	CHECK_INT(MPI_T_pvar_start(session, bytes), MPI_T_ERR_INVALID_SESSION);
	MPI_T_pvar_session_free(&other);
}

static void levels_are_what_they_are(void)
{
	MPI_T_pvar_session session;
	MPI_T_pvar_handle unexpected;
	MPI_Request requests[2];
	int data[2] = {me, me}, got;
	unsigned long long value = 0;

	MPI_T_pvar_session_create(&session);
	unexpected = counter(session, "unexpected_queue_length", MPI_T_PVAR_CLASS_LEVEL);
	for (int i = 0; i < 2; i++)
		MPI_Isend(&data[i], 1, MPI_INT, me, i, MPI_COMM_WORLD, &requests[i]);
	MPI_Probe(me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* both have come: they keep their order */
	value = value_of(session, unexpected); /* others may be ahead, in their next collective */
	CHECK(n_ranks == 1 ? value == 2 : value >= 2);
	for (int i = 0; i < 2; i++)
		MPI_Recv(&got, 1, MPI_INT, me, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(n_ranks > 1 || value_of(session, unexpected) == 0);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	CHECK_INT(MPI_T_pvar_start(session, unexpected), MPI_T_ERR_PVAR_NO_STARTSTOP);
	CHECK_INT(MPI_T_pvar_write(session, unexpected, &value), MPI_T_ERR_PVAR_NO_WRITE);
	CHECK_INT(MPI_T_pvar_reset(session, unexpected), MPI_T_ERR_PVAR_NO_WRITE);
	CHECK_INT(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
	MPI_T_pvar_session_free(&session);
}

/* tests/programs' clusters have four nodes of two cores. */
static void settings_are_those_of_the_cluster_file(void)
{
	int index, count, value = 0, n = 0, item = -1, length = 0;
	MPI_T_cvar_handle handle;
	MPI_T_enum progress;
	char text[100];

	MPI_T_cvar_get_index("nodes", &index);
	MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
	MPI_T_cvar_read(handle, &value);
	CHECK_INT(value, 4);
	CHECK_INT(MPI_T_cvar_write(handle, &value), MPI_T_ERR_CVAR_SET_NEVER);
	MPI_T_cvar_handle_free(&handle);
	CHECK_INT(MPI_T_cvar_read(handle, &value), MPI_T_ERR_INVALID_HANDLE);
	MPI_T_cvar_get_index("protocol.progress", &index);
	MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, &progress, NULL, NULL, NULL, NULL);
	CHECK_INT(MPI_T_enum_get_info(progress, &n, NULL, NULL), MPI_SUCCESS);
	CHECK_INT(n, 3);
	length = sizeof text;
	MPI_T_enum_get_item(progress, 1, &item, text, &length);
	CHECK(item == 1 && !strcmp(text, "in_mpi"));
	CHECK_INT(MPI_T_enum_get_item(progress, 3, &item, text, &length), MPI_T_ERR_INVALID_INDEX);
	CHECK_INT(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
}

/* All but the first, which holds them. */
static void each_variable_is_in_one_category(void)
{
	int n = -1, n_cvars, n_pvars, n_categories, n_events = -1, index = 0, cvars = 0, pvars = 0;

	MPI_T_category_get_num(&n);
	for (int i = 0; i < n; i++) {
		MPI_T_category_get_info(i, NULL, NULL, NULL, NULL, &n_cvars, &n_pvars,
					&n_categories);
		CHECK_INT(n_categories, i == 0 ? n - 1 : 0);
		CHECK_INT(MPI_T_category_get_num_events(i, &n_events), MPI_SUCCESS);
		CHECK_INT(n_events, 0);
		CHECK_INT(MPI_T_category_get_events(i, 1, &index), MPI_SUCCESS);
		cvars += n_cvars;
		pvars += n_pvars;
	}
	MPI_T_cvar_get_num(&n_cvars);
	MPI_T_pvar_get_num(&n_pvars);
	CHECK_INT(cvars, n_cvars);
	CHECK_INT(pvars, n_pvars);
	CHECK_INT(MPI_T_category_get_num_events(n, &n_events), MPI_T_ERR_INVALID_INDEX);
}

static void there_are_no_events_but_a_clock(void)
{
	MPI_Count ticks = 0, before = -1, after = -1;
	MPI_T_event_registration registration;
	int n = -1;

	CHECK_INT(MPI_T_event_get_num(&n), MPI_SUCCESS);
	CHECK_INT(n, 0);
	CHECK_INT(MPI_T_event_get_index("any", &n), MPI_T_ERR_INVALID_NAME);
	CHECK_INT(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration),
		  MPI_T_ERR_INVALID_INDEX);
	MPI_T_source_get_num(&n);
	CHECK_INT(n, 1);
	MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, &ticks, NULL, NULL);
	CHECK(ticks == 1000000000000);
	MPI_T_source_get_timestamp(0, &before);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_T_source_get_timestamp(0, &after);
	CHECK(after >= before && before >= 0);
	CHECK_INT(MPI_T_source_get_timestamp(1, &after), MPI_T_ERR_INVALID_INDEX);
}
#endif

int main(int argc, char **argv)
{
	int provided = -1, n;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided); /* before MPI_Init, and more than once */
	if (provided < MPI_THREAD_SINGLE || MPI_T_cvar_get_num(&n) != MPI_SUCCESS)
		return 3;
	check_init(&argc, &argv);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_finalize();
	control_variables_are_found_by_name_and_read();
	section_end("control variables");
	performance_variables_are_found_by_name_and_class();
	section_end("performance variables");
	categories_hold_what_they_say();
	section_end("categories");
#if IS_MPISIM
	counters_count_between_start_and_stop();
	levels_are_what_they_are();
	settings_are_those_of_the_cluster_file();
	each_variable_is_in_one_category();
	there_are_no_events_but_a_clock();
	MPI_T_finalize();
	CHECK_INT(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	CHECK_INT(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
#endif
	section_end("the simulator");
#ifdef OPEN_MPI /* cannot end it after MPI_Finalize */
	MPI_T_finalize();
	return check_finish();
#else
	n = check_finish();
	MPI_T_finalize();
	return n;
#endif
}
