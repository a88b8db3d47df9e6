/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/search.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pdexec/link.h"

/* --- the loader's cache: glibc's format of 1999 ("glibc-ld.so.cache1.1"), the only one since 2.32
 * --- */

static const char magic[] = "glibc-ld.so.cache1.1";
enum {
	HEADER_B = 48,
	ENTRY_B = 24,
	NAME_AT = 4,
	PATH_AT = 8,
	COUNT_AT = 20,
	MAX_CACHE_B = 1 << 26
};

static uint32_t word_at(const struct check_cache *cache, size_t offset)
{
	uint32_t word;

	memcpy(&word, cache->file + offset, sizeof word);
	return word;
}

static const char *string_at(const struct check_cache *cache, size_t offset)
{
	if (offset >= cache->size_B || !memchr(cache->file + offset, 0, cache->size_B - offset))
		return NULL;
	return (const char *)cache->file + offset;
}

static size_t n_entries(const struct check_cache *cache)
{
	size_t room = (cache->size_B - HEADER_B) / ENTRY_B, n = word_at(cache, COUNT_AT);

	return n < room ? n : room;
}

void check_cache_open(struct check_cache *cache, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	*cache = (struct check_cache){.file = NULL};
	if (fd >= 0 && !fstat(fd, &status) && status.st_size >= HEADER_B &&
	    status.st_size <= MAX_CACHE_B) {
		cache->size_B = (size_t)status.st_size;
		cache->file = malloc(cache->size_B);
		if (cache->file && (pread(fd, cache->file, cache->size_B, 0) != status.st_size ||
				    memcmp(cache->file, magic, sizeof magic - 1) != 0))
			check_cache_close(cache);
	}
	if (fd >= 0)
		close(fd);
}

void check_cache_close(struct check_cache *cache)
{
	free(cache->file);
	*cache = (struct check_cache){.file = NULL};
}

const char *check_cache_find(const struct check_cache *cache, const char *name, size_t *cursor)
{
	if (!cache->file)
		return NULL;
	for (size_t n = n_entries(cache); *cursor < n;) {
		size_t entry = HEADER_B + (*cursor)++ * ENTRY_B;
		const char *found = string_at(cache, word_at(cache, entry + NAME_AT));
		const char *path = string_at(cache, word_at(cache, entry + PATH_AT));

		if (found && path && strcmp(found, name) == 0)
			return path;
	}
	return NULL;
}

/* --- the search --- */

/* Whether the file is there, and for the processor of `like`. */
static bool fits(const char *path, const struct check_binary *like)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr header; /* of both classes the same up to e_machine */
	} start;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_read = fd >= 0 && pread(fd, &start, sizeof start, 0) == (ssize_t)sizeof start;

	if (fd >= 0)
		close(fd);
	if (!is_read || memcmp(start.ident, ELFMAG, SELFMAG) != 0)
		return false;
	if (start.ident[EI_DATA] == ELFDATA2MSB)
		start.header.e_machine = __builtin_bswap16(start.header.e_machine);
	return start.header.e_machine == like->machine &&
	       (start.ident[EI_CLASS] == ELFCLASS32 ? 32 : 64) == like->bits;
}

/* In the directories of `search`, separated by colons; `owner` stands for $ORIGIN. */
static char *find_on_path(const char *search, const char *name, const struct check_binary *owner)
{
	char path[4096];

	while (search && *search) {
		size_t length = strcspn(search, ":");

		if (length &&
		    pd_link_expand(owner->path, search, length, name, path, sizeof path) &&
		    fits(path, owner))
			return strdup(path);
		search += length + (search[length] == ':');
	}
	return NULL;
}

static char *find_in_cache(const struct check_cache *cache, const char *name,
			   const struct check_binary *like)
{
	size_t cursor = 0;
	const char *path;

	while ((path = check_cache_find(cache, name, &cursor)))
		if (fits(path, like))
			return strdup(path);
	return NULL;
}

/* The system's folders, which differ between distributions: where this process' own loader looks.
 */
static char *find_in_system(const char *name, const struct check_binary *like)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo size, *folders = NULL;
	char *found = NULL;

	if (self && !dlinfo(self, RTLD_DI_SERINFOSIZE, &size))
		folders = malloc(size.dls_size);
	if (folders && !dlinfo(self, RTLD_DI_SERINFOSIZE, folders) &&
	    !dlinfo(self, RTLD_DI_SERINFO, folders))
		for (unsigned i = 0; i < folders->dls_cnt && !found; i++)
			found = find_on_path(folders->dls_serpath[i].dls_name, name, like);
	free(folders);
	if (self)
		dlclose(self);
	return found;
}

char *check_library_find(const struct check_cache *cache, const char *name,
			 const struct check_binary *by, const struct check_binary *main)
{
	char *found = NULL;

	if (strchr(name, '/'))
		return fits(name, by) ? strdup(name) : NULL;
	if (!by->runpath) {
		found = find_on_path(by->rpath, name, by);
		found = found ? found : find_on_path(main->rpath, name, main);
	}
	found = found ? found : find_on_path(getenv("LD_LIBRARY_PATH"), name, by);
	found = found ? found : find_on_path(by->runpath, name, by);
	found = found ? found : find_in_cache(cache, name, by);
	return found ? found : find_in_system(name, by);
}
