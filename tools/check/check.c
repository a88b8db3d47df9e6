/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "pdexec/arch.h"
#include "pdexec/link.h"
#include "tools/check/search.h"
#include "util/array.h"

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for the libraries of the program");
}

bool check_is_own_library(const char *name)
{
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	return pd_link_is_own(name) || !strncmp(name, "libmpi_abi", 10) ||
	       !strncmp(name, "libmpisim", 9);
}

static int add_object(struct check *check, const struct check_binary *object,
		      struct util_error *err)
{
	if (!util_array_room(&check->objects, (size_t)check->n_objects, sizeof *check->objects))
		return no_memory(err);
	check->objects[check->n_objects++] = *object;
	return 0;
}

static bool is_listed(const struct check *check, const char *name)
{
	for (int i = 0; i < check->n_libraries; i++)
		if (strcmp(check->libraries[i].name, name) == 0)
			return true;
	return false;
}

static int list(struct check *check, const char *name, const char *path, struct util_error *err)
{
	if (!util_array_room(&check->libraries, (size_t)check->n_libraries,
			     sizeof *check->libraries))
		return no_memory(err);
	check->libraries[check->n_libraries++] = (struct check_library){.name = name, .path = path};
	return 0;
}

/* Another MPI is named and not followed; ours comes with what is running. */
static bool take_mpi(struct check *check, const char *name, const struct check_binary *by)
{
	const char *other = pd_link_other_mpi(name);

	if (!other && !pd_link_is_own(name))
		return false;
	if (!check->mpi || (other && !check->mpi_library)) {
		check->mpi = other ? other : "mpisim";
		check->mpi_library = name;
	}
	if (other && by == &check->objects[0])
		run_strings_add(&check->stops,
				"it is linked with another MPI (%s: %s): rebuild it with mpisim-cc",
				other, name);
	else if (other)
		run_strings_add(&check->stops,
				"its library %s is linked with another MPI (%s: %s): rebuild that "
				"with mpisim-cc",
				by->path, other, name);
	return true;
}

static int follow(struct check *check, const struct check_cache *cache, int from, const char *name,
		  struct util_error *err)
{
	struct check_binary library;
	struct util_error why;
	char *path;
	int rc;

	if (take_mpi(check, name, &check->objects[from]) || is_listed(check, name))
		return 0;
	path = check_library_find(cache, name, &check->objects[from], &check->objects[0]);
	if (!path) {
		run_strings_add(&check->stops, "the library %s, which %s needs, is not found", name,
				check->objects[from].path);
		return list(check, name, NULL, err);
	}
	rc = check_binary_open(&library, path, &why);
	free(path);
	if (rc == UTIL_ENOMEM)
		return no_memory(err);
	if (rc) {
		run_strings_add(&check->stops, "the library %s cannot be loaded: %s", name,
				why.text);
		return list(check, name, NULL, err);
	}
	rc = add_object(check, &library, err);
	if (rc)
		check_binary_close(&library);
	return rc ? rc : list(check, name, library.path, err);
}

/* Breadth first, as the loader does. Libraries for another processor are not here to be found. */
static int walk(struct check *check, struct util_error *err)
{
	struct check_cache cache;
	int rc = 0;

	check_cache_open(&cache, "/etc/ld.so.cache");
	for (int i = 0; i < check->n_objects && !rc; i++)
		for (int k = 0; k < check->objects[i].n_needed && !rc; k++) {
			const char *name = check->objects[i].needed[k];

			if (check->objects[0].machine == pd_arch_machine)
				rc = follow(check, &cache, i, name, err);
			else
				take_mpi(check, name, &check->objects[i]);
		}
	check_cache_close(&cache);
	return rc;
}

/* The simulator's own library: the one that this code is in. */
static int add_own(struct check *check, struct util_error *err)
{
	struct check_binary own;
	Dl_info info;
	int rc;

	if (!dladdr(mpi_functions, &info) || !info.dli_fname)
		return util_error_set(err, UTIL_ESYSTEM,
				      "the simulator does not find its own library");
	rc = check_binary_open(&own, info.dli_fname, err);
	if (!rc && (rc = add_object(check, &own, err)))
		check_binary_close(&own);
	return rc;
}

static int compare_owners(const void *a, const void *b)
{
	const struct check_symbol_owner *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : right->is_own - left->is_own;
}

static int find_owners(struct check *check, struct util_error *err)
{
	size_t n = 0;

	for (int i = 0; i < check->n_objects; i++)
		n += (size_t)check->objects[i].n_symbols;
	check->owners = calloc(n + 1, sizeof *check->owners);
	if (!check->owners)
		return no_memory(err);
	for (int i = 0; i < check->n_objects; i++)
		for (int k = 0; k < check->objects[i].n_symbols; k++) {
			const struct check_symbol *symbol = &check->objects[i].symbols[k];

			if (symbol->is_defined)
				check->owners[check->n_owners++] = (struct check_symbol_owner){
				    .name = symbol->name,
				    .is_own = i == check->n_program,
				    .is_weak = symbol->is_weak,
				};
		}
	qsort(check->owners, check->n_owners, sizeof *check->owners, compare_owners);
	return 0;
}

static bool comes_before(const void *owner, const void *name)
{
	return strcmp(((const struct check_symbol_owner *)owner)->name, name) < 0;
}

const struct check_symbol_owner *check_find_owner(const struct check *check, const char *name)
{
	size_t first = util_count_before(check->owners, check->n_owners, sizeof *check->owners,
					 comes_before, name);

	if (first == check->n_owners || strcmp(check->owners[first].name, name) != 0)
		return NULL;
	return &check->owners[first];
}

int check_create(struct check *out, const char *path, size_t tls_size_B, struct util_error *err)
{
	struct check check = {.objects = NULL};
	struct check_binary program;
	int rc = check_binary_open(&program, path, err);

	if (rc)
		return rc;
	rc = add_object(&check, &program, err);
	if (rc)
		check_binary_close(&program);
	if (!rc)
		rc = walk(&check, err);
	check.n_program = check.n_objects;
	/* what the simulator itself needs is in the process, too */
	if (!rc && !(rc = add_own(&check, err)))
		rc = find_owners(&check, err);
	if (!rc)
		rc = check_find_needs(&check, err);
	if (rc) {
		check_destroy(&check);
		return rc;
	}
	check_judge(&check, tls_size_B);
	*out = check;
	return 0;
}

void check_destroy(struct check *check)
{
	for (int i = 0; i < check->n_objects; i++)
		check_binary_close(&check->objects[i]);
	free(check->objects);
	free(check->libraries);
	free(check->owners);
	free(check->needs);
	run_strings_finish(&check->stops);
	run_strings_finish(&check->doubts);
	run_strings_finish(&check->notes);
	*check = (struct check){.objects = NULL};
}
