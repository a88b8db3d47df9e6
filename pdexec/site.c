/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses in words, by binutils' addr2line. */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

enum { MAX_ADDRESSES = 1024, ADDRESS_B = 24 }; /* of one process; "0x" and 16 digits */

static int spawn_addr2line(char **environment, char *const argv[], int output, int unused,
			   pid_t *out_child)
{
	posix_spawn_file_actions_t actions;
	int rc;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	rc = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_addclose(&actions, unused);
	if (!rc)
		rc = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						      O_WRONLY, 0);
	if (!rc)
		/* not as the rank would, whose processes are told of */
		rc = pd_libc_next()->posix_spawnp(out_child, argv[0], &actions, NULL, argv,
						  environment);
	posix_spawn_file_actions_destroy(&actions);
	return rc ? -1 : 0;
}

/* All that comes; NULL: nothing does. */
static char *read_all(int from)
{
	char *text = NULL, part[4096];
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	ssize_t n;

	if (!file)
		return NULL;
	while ((n = read(from, part, sizeof part)) > 0)
		fwrite(part, 1, (size_t)n, file);
	if (!fclose(file) && length > 0)
		return text;
	free(text);
	return NULL;
}

static char *run_words(char **environment, char *const argv[])
{
	int ends[2], rc, status;
	char *text;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	rc = spawn_addr2line(environment, argv, ends[1], ends[0], &child);
	close(ends[1]);
	text = rc ? NULL : read_all(ends[0]);
	close(ends[0]);
	if (rc || waitpid(child, &status, 0) != child) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * For each address a line "0x…", then two lines, "function" and "file:line", and the same of each
 * function that it is part of by inlining. malloc'd; NULL when the tool is not there. n is at most
 * MAX_ADDRESSES.
 */
static char *run_addr2line(char **environment, const char *object, const uint64_t vaddrs[], int n)
{
	enum { FIRST = 4 };
	static const char *const first[FIRST] = {"addr2line", "-afCi", "-e"};
	char(*addresses)[ADDRESS_B] = malloc((size_t)n * sizeof *addresses), *text = NULL;
	char **argv = calloc(FIRST + (size_t)n + 1, sizeof *argv);

	for (int i = 0; argv && i < FIRST; i++)
		argv[i] = (char *)(uintptr_t)(first[i] ? first[i] : object);
	for (int i = 0; argv && addresses && i < n; i++) {
		/* a return address belongs to the instruction before it */
		snprintf(addresses[i], ADDRESS_B, "0x%" PRIx64, vaddrs[i] - 1);
		argv[FIRST + i] = addresses[i];
	}
	if (argv && addresses)
		text = run_words(environment, argv);
	free(argv);
	free(addresses);
	return text;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A header of a library, not of the program. */
static bool is_of_library(const char *file)
{
	static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/",
					      "/usr/local/lib/", "/opt/"};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(file, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

/* The innermost pair of lines that is of the program itself; the innermost one where none is. */
static char *users_frame(char *output)
{
	char *at = output;

	while (at && *at) {
		char *file = strchr(at, '\n');

		if (!file)
			break;
		if (!is_of_library(file + 1))
			return at;
		at = strchr(file + 1, '\n');
		at = at ? at + 1 : NULL;
	}
	return output;
}

/* Procedures of Fortran's modules as the program calls them. */
static const char *plain_name(const char *function, char *buf, size_t size)
{
	const char *end = strstr(function, "_MOD_");

	if (strncmp(function, "__", 2) != 0 || !end)
		return function;
	snprintf(buf, size, "%.*s::%s", (int)(end - function - 2), function + 2, end + 5);
	return buf;
}

/* False: nothing is known of it. */
static bool write_frame(const char *object, uint64_t vaddr, const char *function, char *file,
			char *buf, size_t size)
{
	char name[256], *end = strstr(file, " (discriminator");

	if (end)
		*end = 0;
	function = plain_name(function, name, sizeof name);
	if (file[0] != '?' && !strstr(file, ":?"))
		snprintf(buf, size, "%s (%s)", base_name(file), function);
	else if (function[0] != '?')
		snprintf(buf, size, "%s+0x%" PRIx64 " (%s)", base_name(object), vaddr, function);
	else
		return false;
	return true;
}

/* A line for the place, and one for each function that its own is part of by inlining. `lines`: what
 * addr2line says of it, but for the address, is taken apart; NULL: nothing. */
static void describe(const char *object, uint64_t vaddr, char *lines, char *buf, size_t size)
{
	char *function = lines ? users_frame(lines) : "", *file, *next;
	size_t length = 0;

	snprintf(buf, size, "%s+0x%" PRIx64, base_name(object), vaddr);
	for (; *function && length + 2 < size && (file = strchr(function, '\n')); function = next) {
		*file++ = 0;
		next = file + strcspn(file, "\n");
		if (*next)
			*next++ = 0;
		if (!write_frame(object, vaddr, function, file, buf + length + (length > 0),
				 size - length - (length > 0)))
			return;
		if (length > 0)
			buf[length] = '\n';
		length = strlen(buf);
	}
}

/* The lines of the next address; *text: what comes after them. NULL: there are none. */
static char *next_lines(char **text)
{
	char *begin = *text ? strchr(*text, '\n') : NULL, *end;

	if (!begin)
		return NULL;
	end = strstr(++begin, "\n0x");
	if (end)
		end[1] = 0;
	*text = end ? end + 2 : NULL;
	return begin;
}

static void keep(struct pd_image *image, uint64_t vaddr, const char *text)
{
	char *copy = strdup(text);

	if (!copy || util_map_find(&image->sites, vaddr) ||
	    util_map_put(&image->sites, vaddr, copy))
		free(copy);
}

static void describe_all(char **environment, struct pd_image *image, const uint64_t vaddrs[], int n)
{
	char *all = run_addr2line(environment, image->elf.path, vaddrs, n), *rest = all;
	char text[PD_SITE_TEXT_B];

	for (int i = 0; i < n; i++) {
		describe(image->elf.path, vaddrs[i], next_lines(&rest), text, sizeof text);
		keep(image, vaddrs[i], text);
	}
	free(all);
}

static void describe_in_program(char **environment, struct pd_image *image, uint64_t vaddr,
				char *buf, size_t size)
{
	struct util_map_slot *slot = util_map_find(&image->sites, vaddr);

	if (!slot) {
		describe_all(environment, image, &vaddr, 1);
		slot = util_map_find(&image->sites, vaddr);
	}
	snprintf(buf, size, "%s", slot ? (const char *)slot->item : "?");
}

static void describe_elsewhere(char **environment, const char *object, uint64_t vaddr, char *buf,
			       size_t size)
{
	char *all = run_addr2line(environment, object, &vaddr, 1), *rest = all;

	describe(object, vaddr, next_lines(&rest), buf, size);
	free(all);
}

/* The program that `site` is in; NULL: none. */
static struct pd_image *find_image(const struct pd_world *world, const void *site, uint64_t *vaddr)
{
	for (int i = 0; i < world->n_programs; i++)
		if (pd_image_locate(world->programs[i].image, site, vaddr))
			return world->programs[i].image;
	return NULL;
}

static char **environment_of(const struct pd_world *world)
{
	return world->is_builtin ? NULL : world->outside->libc.environment;
}

void pd_describe_soon(const struct pd_world *world, const void *const sites[], size_t n)
{
	uint64_t vaddrs[MAX_ADDRESSES], vaddr;

	if (world->describe_site)
		return;
	for (int p = 0; p < world->n_programs; p++) {
		struct pd_image *image = world->programs[p].image;
		int n_vaddrs = 0;

		for (size_t i = 0; i < n; i++) {
			if (sites[i] && find_image(world, sites[i], &vaddr) == image &&
			    !util_map_find(&image->sites, vaddr))
				vaddrs[n_vaddrs++] = vaddr;
			if (n_vaddrs < MAX_ADDRESSES && (i + 1 < n || n_vaddrs == 0))
				continue;
			describe_all(environment_of(world), image, vaddrs, n_vaddrs);
			n_vaddrs = 0;
		}
	}
}

char *pd_describe_site(const struct pd_world *world, const void *site, char *buf, size_t size)
{
	pd_describe_frames(world, site, buf, size);
	buf[strcspn(buf, "\n")] = 0;
	return buf;
}

char *pd_describe_frames(const struct pd_world *world, const void *site, char *buf, size_t size)
{
	char **environment = environment_of(world);
	struct pd_image *image;
	struct link_map *map;
	uint64_t vaddr;
	Dl_info info;

	if (!site)
		snprintf(buf, size, "unknown place");
	else if (world->describe_site)
		snprintf(buf, size, "%s", world->describe_site(site));
	else if ((image = find_image(world, site, &vaddr)))
		describe_in_program(environment, image, vaddr, buf, size);
	else if (dladdr1(site, &info, (void **)&map, RTLD_DL_LINKMAP) && info.dli_fname)
		describe_elsewhere(environment, info.dli_fname,
				   (uint64_t)((const char *)site - (const char *)map->l_addr), buf,
				   size);
	else
		snprintf(buf, size, "%p", site);
	return buf;
}
