/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of all flavours: their memory, attributes and errors. */
#include "rma_check.h"

static void memory_is_attached_to_dynamic_windows(void)
{
	int *heap = malloc(N * sizeof *heap), got = -1;
	MPI_Aint mine[2], theirs[2];

	fill(heap, N, 3 * me);
	fill(exposed, N, 5 * me);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_attach(win, heap, N * sizeof *heap);
	MPI_Win_attach(win, exposed, sizeof exposed);
	MPI_Get_address(heap, &mine[0]);
	MPI_Get_address(exposed, &mine[1]);
	MPI_Sendrecv(mine, 2, MPI_AINT, left, 0, theirs, 2, MPI_AINT, right, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
	MPI_Get(&got, 1, MPI_INT, right, MPI_Aint_add(theirs[0], 4 * sizeof(int)), 1, MPI_INT, win);
	MPI_Win_flush(right, win);
	CHECK_INT(got, 3 * right);
	MPI_Put(&me, 1, MPI_INT, right, MPI_Aint_add(theirs[1], 2 * sizeof(int)), 1, MPI_INT, win);
	MPI_Win_unlock(right, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
	CHECK_INT(exposed[2], left);
	CHECK_INT(exposed[3], 5 * me);
	MPI_Win_unlock(me, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_detach(win, heap);
	MPI_Win_detach(win, exposed);
	MPI_Win_free(&win);
	free(heap);
}

/* Who is on one node stores into each other's memory. */
static void shared_memory_is_loaded_and_stored(void)
{
	MPI_Comm node;
	MPI_Aint size;
	int *mine, *theirs, unit, rank, n;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &rank);
	MPI_Comm_size(node, &n);
	MPI_Win_allocate_shared((rank + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
	MPI_Win_shared_query(win, (rank + 1) % n, &size, &unit, &theirs);
	CHECK_INT(size, ((rank + 1) % n + 1) * sizeof(int));
	CHECK_INT(unit, sizeof(int));
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	theirs[(rank + 1) % n] = 50 + rank;
	MPI_Win_sync(win);
	MPI_Barrier(node);
	MPI_Win_sync(win);
	CHECK_INT(mine[rank], 50 + (rank + n - 1) % n);
	MPI_Win_unlock_all(win);
	MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &theirs);
	CHECK_INT(size, sizeof(int));
	CHECK(rank > 0 || theirs == mine);
	if (rank > 0) /* contiguous by default */
		CHECK(theirs + rank * (rank + 1) / 2 == mine);
	MPI_Win_free(&win);
	MPI_Comm_free(&node);
}

static void windows_tell_what_they_are(void)
{
	MPI_Group of_win, world;
	int flag, length, result;
	void *value;
	char name[MPI_MAX_OBJECT_NAME];

	open_window(0);
	MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
	CHECK(flag && value == (void *)exposed);
	MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
	CHECK(flag && *(MPI_Aint *)value == sizeof exposed);
	MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag);
	CHECK(flag && *(int *)value == sizeof(int));
	MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
	CHECK(flag && *(int *)value == MPI_WIN_FLAVOR_CREATE);
	MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag);
	CHECK(flag && (*(int *)value == MPI_WIN_UNIFIED || *(int *)value == MPI_WIN_SEPARATE));
	MPI_Win_set_name(win, "a name");
	MPI_Win_get_name(win, name, &length);
	CHECK_INT(length, 6);
	CHECK(strcmp(name, "a name") == 0);
	MPI_Win_get_group(win, &of_win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_compare(of_win, world, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Group_free(&of_win);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
}

static int deleted[2], n_deleted;

static int delete_attribute(MPI_Win w, int keyval, void *value, void *extra)
{
	(void)w, (void)keyval;
	CHECK(extra == (void *)deleted);
	if (n_deleted < 2)
		deleted[n_deleted] = *(int *)value;
	n_deleted++;
	return MPI_SUCCESS;
}

static void attributes_are_deleted_with_the_window(void)
{
	int first, second, flag, values[3] = {1, 2, 3};
	int *got;

	open_window(0);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_attribute, &first, deleted);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_attribute, &second, deleted);
	MPI_Win_get_attr(win, first, &got, &flag);
	CHECK(!flag);
	MPI_Win_set_attr(win, first, &values[0]);
	MPI_Win_set_attr(win, second, &values[1]);
	MPI_Win_get_attr(win, first, &got, &flag);
	CHECK(flag && *got == 1);
	MPI_Win_set_attr(win, first, &values[2]); /* deletes the old value */
	CHECK_INT(n_deleted, 1);
	CHECK_INT(deleted[0], 1);
	MPI_Win_delete_attr(win, first);
	CHECK_INT(n_deleted, 2);
	CHECK_INT(deleted[1], 3);
	MPI_Win_free_keyval(&first);
	MPI_Win_free_keyval(&second);
	CHECK_INT(second, MPI_KEYVAL_INVALID);
	MPI_Win_free(&win);
	CHECK_INT(n_deleted, 3);
}

static int n_handled, handled_class;

static void handler(MPI_Win *w, int *code, ...)
{
	n_handled += *w == win;
	MPI_Error_class(*code, &handled_class);
}

static void check_class(int code, int want, const char *call, int line)
{
	int class = -1;

	MPI_Error_class(code, &class);
	check_int(class, want, call, __FILE__, line);
}
#define CLASS(call, want) check_class(call, want, #call, __LINE__)

static void errors_go_to_the_windows_handler(void)
{
	MPI_Errhandler mine, got;

	open_window(0);
	MPI_Win_get_errhandler(win, &got);
	CHECK(got == MPI_ERRORS_ARE_FATAL);
	MPI_Win_create_errhandler(handler, &mine);
	MPI_Win_set_errhandler(win, mine);
	MPI_Errhandler_free(&mine);
	MPI_Win_fence(0, win);
	MPI_Put(local, 1, MPI_INT, n_ranks, 0, 1, MPI_INT, win);
	CHECK_INT(n_handled, 1);
	CHECK_INT(handled_class, MPI_ERR_RANK);
	MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
	CHECK_INT(n_handled, 2);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	CLASS(MPI_Put(local, -1, MPI_INT, right, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
	CLASS(MPI_Get(local, 1, MPI_DATATYPE_NULL, right, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
	CLASS(MPI_Accumulate(local, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	CLASS(MPI_Win_unlock(right, win), MPI_ERR_RMA_SYNC);
	CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	rma_check_init(&argc, &argv);
#define SECTION(name) (name(), section_end(#name))
	SECTION(memory_is_attached_to_dynamic_windows);
	SECTION(shared_memory_is_loaded_and_stored);
	SECTION(windows_tell_what_they_are);
	SECTION(attributes_are_deleted_with_the_window);
	SECTION(errors_go_to_the_windows_handler);
	return check_finish();
}
