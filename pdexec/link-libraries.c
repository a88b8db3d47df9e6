/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pdexec/blas.h"
#include "pdexec/cores.h"
#include "pdexec/libc-next.h"
#include "pdexec/link.h"
#include "pdexec/rank.h"
#include "pdexec/process.h"

bool pd_link_is_own(const char *name)
{
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	return !strncmp(base, "libmpi_abi.so", 13) || !strncmp(base, "libpmpi_abi.so", 14);
}

const char *pd_link_other_mpi(const char *name)
{
	static const struct {
		const char *prefix, *mpi;
	} others[] = {
	    {"libmpi.so.40", "Open MPI 3 to 5"},
	    {"libmpi.so.20", "Open MPI 2"},
	    {"libmpi.so.12", "MPICH or Intel MPI"},
	    {"libmpi.so", "Open MPI, MPICH or Intel MPI"},
	    {"libmpi_cxx.so", "Open MPI"},
	    {"libmpi_mpifh.so", "Open MPI"},
	    {"libmpi_usempi", "Open MPI"},
	    {"libmpich", "MPICH"},
	    {"libmpifort.so", "MPICH or Intel MPI"},
	    {"libmpicxx.so", "Intel MPI"},
	    {"libmvapich", "MVAPICH"},
	};
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(name, others[i].prefix, strlen(others[i].prefix)))
			return others[i].mpi;
	return NULL;
}

bool pd_link_expand(const char *owner, const char *directory, size_t length, const char *name,
		    char *out, size_t size)
{
	const char *slash = strrchr(owner, '/');
	int origin = (int)(slash - owner), n;
	size_t skip = 0;

	if (length >= 9 && !strncmp(directory, "${ORIGIN}", 9))
		skip = 9;
	else if (length >= 7 && !strncmp(directory, "$ORIGIN", 7))
		skip = 7;
	n = snprintf(out, size, "%.*s%.*s/%s", skip ? origin : 0, owner, (int)(length - skip),
		     directory + skip, name);
	return n > 0 && (size_t)n < size;
}

static void *open_on_path(const struct pd_elf *elf, const char *search, const char *name, int flags)
{
	char path[4096];

	while (search && *search) {
		size_t length = strcspn(search, ":");

		if (length && pd_link_expand(elf->path, search, length, name, path, sizeof(path)) &&
		    access(path, R_OK) == 0)
			return pd_libc_next()->dlopen(path, flags);
		search += length + (search[length] == ':');
	}
	return NULL;
}

/*
 * Bound lazily, as libraries are by default: one that would call back functions of the program by
 * name can be loaded as long as it does not. Never unloaded: some leave threads and thread-local
 * destructors behind.
 */
static void *open_library(const struct pd_elf *elf, const char *name)
{
	int flags = RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE;
	void *library = NULL;

	if (!strchr(name, '/'))
		library = open_on_path(elf, elf->runpath ? elf->runpath : elf->rpath, name, flags);
	return library ? library : pd_libc_next()->dlopen(name, flags);
}

int pd_link_load_libraries(struct pd_link *link, struct util_error *err)
{
	size_t cursor = 0, n = 0;
	const char *name;

	while (pd_elf_needed(link->elf, &cursor))
		n++;
	link->libraries = calloc(n + 1, sizeof(*link->libraries));
	if (!link->libraries)
		return util_error_set(err, UTIL_ENOMEM, "out of memory linking '%s'",
				      link->elf->path);
	cursor = 0;
	while ((name = pd_elf_needed(link->elf, &cursor))) {
		const char *other = pd_link_other_mpi(name);

		if (other)
			return util_refuse(
			    err,
			    "'%s' is linked with another MPI (%s: %s): rebuild it with mpisim-cc",
			    link->elf->path, other, name);
	}
	cursor = 0;
	while ((name = pd_elf_needed(link->elf, &cursor))) {
		void *library;

		if (pd_link_is_own(name)) {
			link->own_position = link->n_libraries;
			continue;
		}
		pd_cores_of_program(link->n_cpus);
		library = open_library(link->elf, name);
		pd_cores_of_program(0);
		if (!library)
			return util_refuse(err, "a library that '%s' needs cannot be loaded: %s",
					   link->elf->path, dlerror());
		link->libraries[link->n_libraries++] = library;
	}
	return 0;
}

static const void *object_of(const void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/*
 * Libraries that the program lists before the MPI library come first, as with the system's loader:
 * that is how profiling tools put themselves in front of MPI_X. Only what such a library defines
 * itself counts, not what it needs.
 */
static void *find_in_front(const struct pd_link *link, const char *name)
{
	for (size_t i = 0; i < link->own_position; i++) {
		struct link_map *map;
		void *address = dlsym(link->libraries[i], name);
		struct link_map *found;
		Dl_info info;

		if (address && !dlinfo(link->libraries[i], RTLD_DI_LINKMAP, &map) &&
		    dladdr1(address, &info, (void **)&found, RTLD_DL_LINKMAP) && found == map)
			return address;
	}
	return NULL;
}

/*
 * The system's loader takes the first object in search order that defines the name, in the
 * asked-for version or without any. dlvsym finds the first with that version, dlsym the first of
 * all (its default version): when they are different objects, dlsym's comes first: an interposer.
 */
static void *find_global(const char *name, const char *version)
{
	void *any = dlsym(RTLD_DEFAULT, name);
	void *versioned = version ? dlvsym(RTLD_DEFAULT, name, version) : NULL;

	if (!versioned ||
	    (any && any != versioned && object_of(any) != object_of(versioned)))
		return any;
	return versioned;
}

int pd_link_find_symbol(const struct pd_link *link, const Elf64_Sym *symbol, const char *name,
			const char *version, uint64_t *out_address, struct util_error *err)
{
	void *address = pd_process_override(name);

	if (!address)
		address = pd_once_symbol(name);
	if (!address && !version)
		address = find_in_front(link, name);
	if (!address && link->substitute)
		address = link->substitute(name);
	if (!address)
		address = find_global(name, version);
	if (!address && ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
		return util_refuse(err, "'%s' needs the symbol '%s'%s%s, which no library has",
				   link->elf->path, name, version ? " of version " : "",
				   version ? version : "");
	if (pd_blas_bind(link->blas, name, address, &address, err))
		return err->code;
	*out_address = (uint64_t)address;
	return 0;
}
