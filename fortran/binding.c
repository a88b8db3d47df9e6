/* SPDX-License-Identifier: BSD-3-Clause */
#include "fortran/binding.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Aligned as the compiler aligns COMMON blocks. */
#define BLOCK __attribute__((aligned(32)))
int BLOCK mpisim_f_bottom_, BLOCK mpisim_f_in_place_, BLOCK mpisim_f_automatic_;
int BLOCK mpisim_f_status_[8], BLOCK mpisim_f_statuses_[8], BLOCK mpisim_f_errcodes_[1];
int BLOCK mpisim_f_unweighted_[1], BLOCK mpisim_f_empty_[1];
char BLOCK mpisim_f_argv_[1], BLOCK mpisim_f_argvs_[1];

void *fortran_memory(const char *function, size_t size_B)
{
	void *memory = malloc(size_B ? size_B : 1);

	if (!memory)
		mpisim_foreign_fail(function,
				    "out of memory for what the Fortran binding converts");
	return memory;
}

void fortran_string_begin(struct fortran_string *string, const char *chars, size_t length,
			  bool is_key)
{
	while (length > 0 && chars[length - 1] == ' ')
		length--;
	while (is_key && length > 0 && *chars == ' ') {
		chars++;
		length--;
	}
	string->text = string->local;
	if (length >= sizeof string->local)
		string->text = fortran_memory("MPI", length + 1);
	memcpy(string->text, chars, length);
	string->text[length] = '\0';
}

void fortran_string_end(struct fortran_string *string)
{
	if (string->text != string->local)
		free(string->text);
}

void fortran_text(char *chars, size_t length, const char *text)
{
	size_t n = strlen(text);

	if (n > length)
		n = length;
	memcpy(chars, text, n);
	memset(chars + n, ' ', length - n);
}

void fortran_list_begin(struct fortran_list *list, enum mpi_foreign_kind kind, MPI_Count n,
			const int *numbers)
{
	list->n = n < 0 ? 0 : n > INT_MAX ? INT_MAX : (int)n;
	list->handles = list->local;
	if (list->n > (int)(sizeof list->local / sizeof list->local[0]))
		list->handles = fortran_memory("MPI", (size_t)list->n * sizeof list->handles[0]);
	for (int i = 0; i < list->n; i++)
		list->handles[i] = numbers ? mpisim_foreign_handle((int)kind, numbers[i]) : NULL;
}

void fortran_list_end(struct fortran_list *list, int *numbers)
{
	for (int i = 0; numbers && i < list->n; i++)
		fortran_number(&numbers[i], list->handles[i]);
	if (list->handles != list->local)
		free(list->handles);
}

void fortran_logicals(int n, int *flags)
{
	for (int i = 0; i < n; i++)
		flags[i] = flags[i] != 0;
}

MPI_Aint fortran_attribute(int keyval, const void *value)
{
	if ((keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE) || keyval == MPI_WIN_DISP_UNIT ||
	    keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL)
		return *(const int *)value;
	if (keyval == MPI_WIN_SIZE)
		return *(const MPI_Aint *)value;
	return (MPI_Aint)value;
}

/* --- MPI_COMM_DUP_FN and the like: what they do when a program calls them itself --- */

static void null_copy(int *handle, int *keyval, void *extra_state, void *value_in, void *value_out,
		      int *flag, int *ierror)
{
	*flag = 0;
	*ierror = MPI_SUCCESS;
}

static void duplicate(int *handle, int *keyval, MPI_Aint *extra_state, const MPI_Aint *value_in,
		      MPI_Aint *value_out, int *flag, int *ierror)
{
	*value_out = *value_in;
	*flag = 1;
	*ierror = MPI_SUCCESS;
}

/* As it was in MPI-1: with integers of the default kind. */
static void duplicate_1(int *handle, int *keyval, int *extra_state, const int *value_in,
			int *value_out, int *flag, int *ierror)
{
	*value_out = *value_in;
	*flag = 1;
	*ierror = MPI_SUCCESS;
}

static void null_delete(int *handle, int *keyval, void *value, void *extra_state, int *ierror)
{
	*ierror = MPI_SUCCESS;
}

static void null_conversion(void *userbuf, int *datatype, int *count, void *filebuf,
			    MPI_Offset *position, MPI_Aint *extra_state, int *ierror)
{
	*ierror = MPI_ERR_CONVERSION;
}

#define PREDEFINED(function, name) \
	extern __typeof__(function) name __attribute__((alias(#function)));
PREDEFINED(null_copy, mpi_null_copy_fn_)
PREDEFINED(null_copy, mpi_comm_null_copy_fn_)
PREDEFINED(null_copy, mpi_type_null_copy_fn_)
PREDEFINED(null_copy, mpi_win_null_copy_fn_)
PREDEFINED(duplicate_1, mpi_dup_fn_)
PREDEFINED(duplicate, mpi_comm_dup_fn_)
PREDEFINED(duplicate, mpi_type_dup_fn_)
PREDEFINED(duplicate, mpi_win_dup_fn_)
PREDEFINED(null_delete, mpi_null_delete_fn_)
PREDEFINED(null_delete, mpi_comm_null_delete_fn_)
PREDEFINED(null_delete, mpi_type_null_delete_fn_)
PREDEFINED(null_delete, mpi_win_null_delete_fn_)
PREDEFINED(null_conversion, mpi_conversion_fn_null_)
PREDEFINED(null_conversion, mpi_conversion_fn_null_c_)

fortran_procedure *fortran_callback(fortran_procedure *procedure)
{
	fortran_procedure *const nulls[] = {(fortran_procedure *)mpi_null_copy_fn_,
					    (fortran_procedure *)mpi_null_delete_fn_,
					    (fortran_procedure *)mpi_conversion_fn_null_};

	for (int i = 0; i < 3; i++)
		if (procedure == nulls[i])
			return (fortran_procedure *)(intptr_t)MPI_COMM_NULL_COPY_FN;
	if (procedure == (fortran_procedure *)mpi_comm_dup_fn_ ||
	    procedure == (fortran_procedure *)mpi_dup_fn_)
		return (fortran_procedure *)(intptr_t)MPI_COMM_DUP_FN;
	return procedure;
}
