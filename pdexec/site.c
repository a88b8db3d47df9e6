/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses in words, by binutils' addr2line. */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

enum { OUTPUT_B = 4096 };

static int spawn_addr2line(char **environment, const char *object, uint64_t vaddr, int output,
			   int unused, pid_t *out_child)
{
	char address[32];
	char *const argv[] = {"addr2line", "-fCi", "-e", (char *)(uintptr_t)object, address, NULL};
	posix_spawn_file_actions_t actions;
	int rc;

	snprintf(address, sizeof(address), "0x%" PRIx64, vaddr);
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

/* Two lines, "function" and "file:line", into `output`, the same of each function that it is part of by inlining. False when the tool is not there. */
static bool run_addr2line(char **environment, const char *object, uint64_t vaddr,
			  char output[OUTPUT_B])
{
	int ends[2], rc, status;
	size_t length = 0;
	ssize_t n;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	rc = spawn_addr2line(environment, object, vaddr, ends[1], ends[0], &child);
	close(ends[1]);
	while (!rc && length < OUTPUT_B - 1 &&
	       (n = read(ends[0], output + length, OUTPUT_B - 1 - length)) > 0)
		length += (size_t)n;
	close(ends[0]);
	output[length] = 0;
	return !rc && waitpid(child, &status, 0) == child && length > 0;
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

/* A line for the place, and one for each function that its own is part of by inlining. */
static void describe(char **environment, const char *object, uint64_t vaddr, char *buf, size_t size)
{
	char lines[OUTPUT_B], *function = lines, *file, *next;
	size_t length = 0;

	snprintf(buf, size, "%s+0x%" PRIx64, base_name(object), vaddr);
	/* a return address belongs to the instruction before it */
	if (run_addr2line(environment, object, vaddr - 1, lines))
		function = users_frame(lines);
	else
		*lines = 0;
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

static const char *describe_in_program(char **environment, struct pd_image *image, uint64_t vaddr)
{
	struct pd_site_cache *sites = &image->sites;
	char text[PD_SITE_TEXT_B];
	int index;

	for (int i = 0; i < sites->n; i++)
		if (sites->entries[i].vaddr == vaddr)
			return sites->entries[i].text;
	describe(environment, image->elf.path, vaddr, text,
		 sizeof text); /* before the entry is there: threads may ask, too */
	index = sites->n < PD_SITES_KEPT ? sites->n : sites->oldest++ % PD_SITES_KEPT;
	sites->entries[index].vaddr = vaddr;
	strcpy(sites->entries[index].text, text);
	if (sites->n < PD_SITES_KEPT)
		sites->n++;
	return sites->entries[index].text;
}

/* The program that `site` is in; NULL: none. */
static struct pd_image *find_image(const struct pd_world *world, const void *site, uint64_t *vaddr)
{
	for (int i = 0; i < world->n_programs; i++)
		if (pd_image_locate(world->programs[i].image, site, vaddr))
			return world->programs[i].image;
	return NULL;
}

char *pd_describe_site(const struct pd_world *world, const void *site, char *buf, size_t size)
{
	pd_describe_frames(world, site, buf, size);
	buf[strcspn(buf, "\n")] = 0;
	return buf;
}

char *pd_describe_frames(const struct pd_world *world, const void *site, char *buf, size_t size)
{
	char **environment = world->is_builtin ? NULL : world->outside->libc.environment;
	struct pd_image *image;
	struct link_map *map;
	uint64_t vaddr;
	Dl_info info;

	if (!site)
		snprintf(buf, size, "unknown place");
	else if (world->describe_site)
		snprintf(buf, size, "%s", world->describe_site(site));
	else if ((image = find_image(world, site, &vaddr)))
		snprintf(buf, size, "%s", describe_in_program(environment, image, vaddr));
	else if (dladdr1(site, &info, (void **)&map, RTLD_DL_LINKMAP) && info.dli_fname)
		describe(environment, info.dli_fname,
			 (uint64_t)((const char *)site - (const char *)map->l_addr), buf, size);
	else
		snprintf(buf, size, "%p", site);
	return buf;
}
