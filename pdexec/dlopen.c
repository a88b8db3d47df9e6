/* SPDX-License-Identifier: BSD-3-Clause */
/* dlopen of ranks: what it brings along may have variables that every rank wants for itself. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "pdexec/cores.h"
#include "pdexec/libc-next.h"
#include "pdexec/link.h"
#include "pdexec/private.h"
#include "pdexec/process.h"

/* The strings of the dynamic section to which `tag`s of `map` refer, one after the other: NULL at
 * their end. *at: NULL at first. */
static const char *next_string(const struct link_map *map, ElfW(Sxword) tag, const ElfW(Dyn) * *at)
{
	const char *strings = NULL;

	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_STRTAB)
			strings = (const char *)entry->d_un.d_ptr;
	*at = *at ? *at + 1 : map->l_ld;
	while (*at && (*at)->d_tag != DT_NULL && (*at)->d_tag != tag)
		(*at)++;
	return strings && *at && (*at)->d_tag == tag ? strings + (*at)->d_un.d_val : NULL;
}

/* Of the library with code at `address`; NULL: it has none, or is no library. */
static const char *search_path(const void *address, const struct link_map **map)
{
	const ElfW(Dyn) *at = NULL;
	const char *path;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)map, RTLD_DL_LINKMAP))
		return NULL;
	path = next_string(*map, DT_RUNPATH, &at);
	at = NULL;
	return path ? path : next_string(*map, DT_RPATH, &at);
}

/* Whatever calls another MPI would be a run of that. */
static void refuse_other_mpi(struct pd_rank *rank, void *library)
{
	const ElfW(Dyn) *at = NULL;
	const struct link_map *map;
	const char *name;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map))
		return;
	while ((name = next_string(map, DT_NEEDED, &at)))
		if (pd_link_other_mpi(name))
			pd_fail(
			    rank, PD_FAILURE_UNSUPPORTED,
			    "'%s' is linked with another MPI (%s: %s): rebuild it with mpisim-cc",
			    map->l_name, pd_link_other_mpi(name), name);
}

/* Looks first where the caller says, as the loader does for a caller that it can see. */
static void *open_from(const void *caller, const char *name, int mode)
{
	const struct link_map *map = NULL;
	const char *search = name && !strchr(name, '/') ? search_path(caller, &map) : NULL;
	char path[4096];

	while (search && *search) {
		size_t length = strcspn(search, ":");

		if (length &&
		    pd_link_expand(map->l_name, search, length, name, path, sizeof path) &&
		    access(path, R_OK) == 0)
			return pd_libc_next()->dlopen(path, mode);
		search += length + (search[length] == ':');
	}
	return pd_libc_next()->dlopen(name, mode);
}

PD_INTERPOSE void *dlopen(const char *name, int mode)
{
	struct pd_rank *rank = pd_rank_here();
	struct util_error err;
	void *library;

	if (!rank)
		return pd_libc_next()->dlopen(name, mode);
	pd_cores_of_program(rank->program->n_cpus);
	library = open_from(__builtin_return_address(0), name, mode);
	pd_cores_of_program(0);
	if (library)
		refuse_other_mpi(rank, library);
	if (library && pd_private_take(rank->world->private, rank->program->image,
				       rank->rank - rank->program->first_rank, &err))
		pd_fail(rank, PD_FAILURE_MEMORY, "%s", err.text);
	return library;
}
