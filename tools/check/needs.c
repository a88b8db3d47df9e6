/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI functions the program and its libraries need. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/check/check.h"

#include "util/array.h"

enum { MAX_NAME = 128 };

static bool strip(char *name, const char *ending)
{
	size_t length = strlen(name), n = strlen(ending);

	if (length <= n || strcasecmp(name + length - n, ending) != 0)
		return false;
	name[length - n] = '\0';
	return true;
}

/* Fortran compilers change the case and append one or two "_"; mpi_f08 has names of its own. */
static const struct mpi_function *find_in_fortran(const char *symbol)
{
	char name[MAX_NAME];

	if (strlen(symbol) >= sizeof name)
		return NULL;
	strcpy(name, symbol);
	while (strip(name, "_"))
		;
	if (!strip(name, "_f08ts"))
		strip(name, "_f08");
	for (int i = 0; i < mpi_n_functions; i++)
		if (strcasecmp(mpi_functions[i].name, name) == 0)
			return &mpi_functions[i];
	return NULL;
}

/* The function that a symbol stands for; NULL: none of MPI. */
static const struct mpi_function *function_of(const char *symbol, bool *is_fortran)
{
	const char *name = symbol + (*symbol == 'P' || *symbol == 'p');
	const struct mpi_function *function;

	*is_fortran = false;
	if (strncasecmp(name, "MPI_", 4) != 0)
		return NULL;
	function = mpi_function_find(name);
	if (function)
		return function;
	function = find_in_fortran(name);
	*is_fortran = function != NULL;
	return function;
}

/*
 * A function is there when its definition in the simulator's library is not the weak one of a stub.
 * The Fortran interface is part of a program of ours; one of another MPI gets it by being rebuilt.
 */
static enum check_support support_of(const struct check *check, const struct mpi_function *function,
				     const char *symbol, bool is_fortran)
{
	const struct check_symbol_owner *owner = check_find_owner(check, function->name);
	bool is_ours = !check->mpi || strcmp(check->mpi, "mpisim") == 0;

	if (!owner || !owner->is_own || owner->is_weak ||
	    (is_fortran && is_ours && !check_find_owner(check, symbol)))
		return CHECK_MISSING;
	return function->restriction ? CHECK_RESTRICTED : CHECK_SUPPORTED;
}

static int compare_needs(const void *a, const void *b)
{
	const struct check_need *left = a, *right = b;
	int order = strcmp(left->function->name, right->function->name);

	return order ? order : strcmp(left->symbol, right->symbol);
}

static bool is_needed_already(const struct check *check, const char *symbol)
{
	for (int i = 0; i < check->n_needs; i++)
		if (strcmp(check->needs[i].symbol, symbol) == 0)
			return true;
	return false;
}

static int add_need(struct check *check, const struct check_need *need, struct util_error *err)
{
	if (!util_array_room(&check->needs, (size_t)check->n_needs, sizeof *check->needs))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the functions of MPI");
	check->needs[check->n_needs++] = *need;
	return 0;
}

static int find_in_object(struct check *check, int i, struct util_error *err)
{
	const struct check_binary *object = &check->objects[i];
	int rc = 0;

	for (int k = 0; k < object->n_symbols && !rc; k++) {
		const char *symbol = object->symbols[k].name;
		bool is_fortran;
		const struct mpi_function *function =
		    object->symbols[k].is_defined ? NULL : function_of(symbol, &is_fortran);
		struct check_need need = {.function = function, .symbol = symbol};

		if (!function)
			continue;
		for (int n = 0; n < check->n_libraries; n++)
			if (check->libraries[n].path == object->path)
				check->libraries[n].needs_mpi = true;
		if (is_needed_already(check, symbol))
			continue;
		need.by = i > 0 ? object->path : NULL;
		need.support = support_of(check, function, symbol, is_fortran);
		rc = add_need(check, &need, err);
	}
	return rc;
}

int check_find_needs(struct check *check, struct util_error *err)
{
	int rc = 0;

	for (int i = 0; i < check->n_program && !rc; i++)
		if (i == 0 || !check_is_own_library(check->objects[i].path))
			rc = find_in_object(check, i, err);
	if (check->n_needs > 1)
		qsort(check->needs, (size_t)check->n_needs, sizeof *check->needs, compare_needs);
	return rc;
}
