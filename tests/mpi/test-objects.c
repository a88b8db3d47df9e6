/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes, info objects, names, dimensions: what is local to a rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/comm/comm.h"
#include "mpi/datatype/typemap.h"
#include "tests/mpi/solo.h"

static struct solo *solo;
static char calls[256]; /* what the callbacks were told, in order */

static int setup(void **state)
{
	solo = solo_create(6, 2);
	calls[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	solo_destroy(solo);
	return 0;
}

static int note_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
	strcat(strcat(calls, (const char *)extra), (const char *)value);
	return MPI_SUCCESS;
}

static int refuse_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
	return MPI_ERR_OTHER;
}

static void attributes_are_deleted_in_reverse_order_of_setting(void **state)
{
	int keyvals[3], flag;
	char *value;

	for (int i = 0; i < 3; i++)
		assert_int_equal(
		    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_delete, &keyvals[i], "-"),
		    MPI_SUCCESS);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[1], "a");
	MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[0], "b");
	MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[2], "c");
	assert_int_equal(MPI_Comm_get_attr(MPI_COMM_SELF, keyvals[0], &value, &flag), MPI_SUCCESS);
	assert_true(flag);
	assert_string_equal(value, "b");
	MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[0], "d"); /* deletes "b", and is the newest now */
	assert_string_equal(calls, "-b");
	for (int i = 0; i < 3; i++) { /* freed keyvals live on in their attributes */
		assert_int_equal(MPI_Comm_free_keyval(&keyvals[i]), MPI_SUCCESS);
		assert_int_equal(keyvals[i], MPI_KEYVAL_INVALID);
	}
	mpi_comm_delete_self_attributes(solo_rank(solo));
	assert_string_equal(calls, "-b-d-c-a");
}

static void a_failing_delete_function_keeps_the_attribute(void **state)
{
	int keyval, flag;
	char *value;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse_delete, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyval, "a");
	assert_int_equal(MPI_Comm_delete_attr(MPI_COMM_SELF, keyval), MPI_ERR_OTHER);
	MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &value, &flag);
	assert_true(flag);
}

static int copy_upper(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
	*(const char **)out = strcmp(in, "x") == 0 ? "X" : in;
	*flag = strcmp(in, "no") != 0;
	return MPI_SUCCESS;
}

static int fail_copy(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
	return MPI_ERR_INTERN;
}

static const char *type_attribute(MPI_Datatype type, int keyval)
{
	char *value;
	int flag;

	assert_int_equal(MPI_Type_get_attr(type, keyval, &value, &flag), MPI_SUCCESS);
	return flag ? value : "none";
}

static void duplicates_get_the_attributes_that_copy_functions_grant(void **state)
{
	int upper, always, never, failing;
	MPI_Datatype copy;

	MPI_Type_create_keyval(copy_upper, MPI_TYPE_NULL_DELETE_FN, &upper, NULL);
	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &always, NULL);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &never, NULL);
	MPI_Type_create_keyval(fail_copy, MPI_TYPE_NULL_DELETE_FN, &failing, NULL);
	/* on a predefined type, which is one constant for all ranks */
	MPI_Type_set_attr(MPI_INT, upper, "x");
	MPI_Type_set_attr(MPI_INT, always, "y");
	MPI_Type_set_attr(MPI_INT, never, "z");
	assert_string_equal(type_attribute(MPI_INT, upper), "x");
	assert_string_equal(type_attribute(MPI_FLOAT, upper), "none");
	assert_int_equal(MPI_Type_dup(MPI_INT, &copy), MPI_SUCCESS);
	assert_string_equal(type_attribute(copy, upper), "X");
	assert_string_equal(type_attribute(copy, always), "y");
	assert_string_equal(type_attribute(copy, never), "none");
	MPI_Type_free(&copy);
	MPI_Type_set_attr(MPI_INT, failing, "w");
	copy = MPI_DATATYPE_NULL;
	assert_int_equal(MPI_Type_dup(MPI_INT, &copy), MPI_ERR_INTERN);
	assert_ptr_equal(copy, MPI_DATATYPE_NULL);
	assert_int_equal(MPI_Comm_set_attr(MPI_COMM_SELF, upper, "x"),
			 MPI_ERR_KEYVAL); /* a keyval for types */
}

static int predefined_attribute(int keyval)
{
	int *value, flag;

	assert_int_equal(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag), MPI_SUCCESS);
	assert_true(flag);
	return *value;
}

static void predefined_attributes_have_their_values(void **state)
{
	assert_true(predefined_attribute(MPI_TAG_UB) >= 32767);
	assert_int_equal(predefined_attribute(MPI_UNIVERSE_SIZE), 6);
	assert_int_equal(predefined_attribute(MPI_WTIME_IS_GLOBAL), 1);
	assert_int_equal(predefined_attribute(MPI_APPNUM), 0);
	assert_int_equal(predefined_attribute(MPI_HOST), MPI_PROC_NULL);
	assert_true(predefined_attribute(MPI_LASTUSEDCODE) >= MPI_ERR_LASTCODE);
	assert_int_equal(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL), MPI_ERR_KEYVAL);
	assert_int_equal(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL);
}

static void wrong_keyvals_are_refused(void **state)
{
	int keyval = MPI_TAG_UB, flag, never = 0x7000;
	char *value;

	assert_int_equal(MPI_Comm_free_keyval(&keyval), MPI_ERR_KEYVAL);
	assert_int_equal(MPI_Comm_free_keyval(&never), MPI_ERR_KEYVAL);
	assert_int_equal(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &flag),
			 MPI_ERR_KEYVAL);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	never = keyval;
	MPI_Comm_free_keyval(&keyval);
	assert_int_equal(MPI_Comm_set_attr(MPI_COMM_WORLD, never, NULL), MPI_ERR_KEYVAL);
	assert_int_equal(MPI_Comm_get_attr(MPI_COMM_NULL, never, &value, &flag), MPI_ERR_COMM);
	assert_int_equal(
	    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, NULL, NULL),
	    MPI_ERR_ARG);
}

static void info_keeps_keys_in_the_order_of_setting(void **state)
{
	char text[MPI_MAX_INFO_VAL];
	int n, flag, length;
	MPI_Info info, copy;

	assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
	MPI_Info_set(info, "one", "1");
	MPI_Info_set(info, "two", "22");
	MPI_Info_set(info, "three", "");
	MPI_Info_set(info, "one", "111"); /* replaces */
	MPI_Info_get_nkeys(info, &n);
	assert_int_equal(n, 3);
	MPI_Info_get_nthkey(info, 0, text);
	assert_string_equal(text, "one");
	assert_int_equal(MPI_Info_dup(info, &copy), MPI_SUCCESS);
	assert_int_equal(MPI_Info_delete(info, "two"), MPI_SUCCESS);
	assert_int_equal(MPI_Info_delete(info, "two"), MPI_ERR_INFO_NOKEY);
	MPI_Info_get_nthkey(info, 1, text);
	assert_string_equal(text, "three");
	length = 3; /* too short for the copy's "111" and its end */
	assert_int_equal(MPI_Info_get_string(copy, "one", &length, text, &flag), MPI_SUCCESS);
	assert_string_equal(text, "11");
	assert_int_equal(length, 4);
	length = 0; /* asks for the length only */
	assert_int_equal(MPI_Info_get_string(copy, "two", &length, NULL, &flag), MPI_SUCCESS);
	assert_true(flag && length == 3);
	MPI_Info_get_valuelen(copy, "two", &length, &flag);
	assert_int_equal(length, 2);
	MPI_Info_get(copy, "one", 1, text, &flag);
	assert_string_equal(text, "1");
	MPI_Info_get(copy, "four", 9, text, &flag);
	assert_false(flag);
	MPI_Info_free(&info);
	MPI_Info_free(&copy);
	assert_ptr_equal(copy, MPI_INFO_NULL);
}

static void wrong_info_arguments_are_refused(void **state)
{
	char key[MPI_MAX_INFO_KEY + 1], *value = malloc(MPI_MAX_INFO_VAL + 1);
	MPI_Info info, env = MPI_INFO_ENV;
	int n;

	memset(key, 'k', sizeof key - 1);
	key[MPI_MAX_INFO_KEY] = '\0';
	memset(value, 'v', MPI_MAX_INFO_VAL);
	value[MPI_MAX_INFO_VAL] = '\0';
	MPI_Info_create(&info);
	assert_int_equal(MPI_Info_set(info, key, "v"), MPI_ERR_INFO_KEY);
	assert_int_equal(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
	assert_int_equal(MPI_Info_set(info, NULL, "v"), MPI_ERR_INFO_KEY);
	assert_int_equal(MPI_Info_set(info, "k", value), MPI_ERR_INFO_VALUE);
	assert_int_equal(MPI_Info_set(info, "k", NULL), MPI_ERR_INFO_VALUE);
	assert_int_equal(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG);
	assert_int_equal(MPI_Info_get_nkeys(MPI_INFO_NULL, &n), MPI_ERR_INFO);
	assert_int_equal(MPI_Info_set(MPI_INFO_ENV, "k", "v"), MPI_ERR_INFO);
	assert_int_equal(MPI_Info_free(&env), MPI_ERR_INFO);
	assert_int_equal(MPI_Info_get_nkeys(MPI_INFO_ENV, &n), MPI_SUCCESS);
	assert_true(n > 0);
	key[MPI_MAX_INFO_KEY - 1] = '\0'; /* the longest that is allowed */
	value[MPI_MAX_INFO_VAL - 1] = '\0';
	assert_int_equal(MPI_Info_set(info, key, value), MPI_SUCCESS);
	MPI_Info_free(&info);
	free(value);
}

static void names_are_cut_and_kept_per_rank(void **state)
{
	char long_name[2 * MPI_MAX_OBJECT_NAME], name[MPI_MAX_OBJECT_NAME];
	int length;

	memset(long_name, 'n', sizeof long_name);
	long_name[sizeof long_name - 1] = '\0';
	assert_int_equal(MPI_Type_set_name(MPI_INT, long_name), MPI_SUCCESS);
	MPI_Type_get_name(MPI_INT, name, &length);
	assert_int_equal(length, MPI_MAX_OBJECT_NAME - 1);
	assert_string_equal(mpi_datatype_predefined(0x209)->name,
			    "MPI_INT"); /* other ranks see no change */
	MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
	assert_string_equal(name, "MPI_COMM_WORLD");
	MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
	assert_string_equal(name, "MPI_COMM_NULL");
	MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
	assert_string_equal(name, "MPI_DATATYPE_NULL");
}

static void dimensions_are_balanced(void **state)
{
	int dims[4] = {0, 0, 0, 0};

	assert_int_equal(MPI_Dims_create(6, 2, dims), MPI_SUCCESS);
	assert_memory_equal(dims, ((int[]){3, 2}), 8);
	/* not 20 x 18 x 14: as far apart, and its smallest is smaller */
	memset(dims, 0, sizeof dims);
	MPI_Dims_create(5040, 3, dims);
	assert_memory_equal(dims, ((int[]){21, 16, 15}), 12);
	/* 24 x 24 x 13 is further apart */
	memset(dims, 0, sizeof dims);
	MPI_Dims_create(7488, 3, dims);
	assert_memory_equal(dims, ((int[]){26, 18, 16}), 12);
	memset(dims, 0, sizeof dims);
	MPI_Dims_create(7, 3, dims);
	assert_memory_equal(dims, ((int[]){7, 1, 1}), 12);
	memcpy(dims, (int[]){0, 3, 0}, 12);
	MPI_Dims_create(6, 3, dims);
	assert_memory_equal(dims, ((int[]){2, 3, 1}), 12);
	memset(dims, 0, sizeof dims);
	MPI_Dims_create(1000, 3, dims);
	assert_memory_equal(dims, ((int[]){10, 10, 10}), 12);
	memset(dims, 0, sizeof dims);
	MPI_Dims_create(36, 2, dims); /* splitting by prime factors greedily gives 9 x 4 */
	assert_memory_equal(dims, ((int[]){6, 6}), 8);
	memset(dims, 0, sizeof dims);
	MPI_Dims_create(72, 3, dims);
	assert_memory_equal(dims, ((int[]){6, 4, 3}), 12);
	memcpy(dims, (int[]){4, 0}, 8);
	assert_int_equal(MPI_Dims_create(6, 2, dims), MPI_ERR_DIMS);
	memcpy(dims, (int[]){2, 2}, 8);
	assert_int_equal(MPI_Dims_create(6, 2, dims), MPI_ERR_DIMS);
	memcpy(dims, (int[]){-1, 0}, 8);
	assert_int_equal(MPI_Dims_create(6, 2, dims), MPI_ERR_DIMS);
	assert_int_equal(MPI_Dims_create(0, 2, dims), MPI_ERR_ARG);
	assert_int_equal(MPI_Dims_create(6, 2, NULL), MPI_ERR_ARG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(attributes_are_deleted_in_reverse_order_of_setting,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(a_failing_delete_function_keeps_the_attribute, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(duplicates_get_the_attributes_that_copy_functions_grant,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(predefined_attributes_have_their_values, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(wrong_keyvals_are_refused, setup, teardown),
	    cmocka_unit_test_setup_teardown(info_keeps_keys_in_the_order_of_setting, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(wrong_info_arguments_are_refused, setup, teardown),
	    cmocka_unit_test_setup_teardown(names_are_cut_and_kept_per_rank, setup, teardown),
	    cmocka_unit_test_setup_teardown(dimensions_are_balanced, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
