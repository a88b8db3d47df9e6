/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the C library that copy, compare, print and read memory: what programs call instead sees what is accessed. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/watch/watch.h"

static void touch(const void *at, size_t size_B, unsigned use, const char *function,
		  const void *site)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);

	if (memory && size_B > 0)
		mpi_memory_touch(memory, me, (uintptr_t)at, size_B, use,
				 &(struct mpi_finding_call){me->rank, function, site});
}

/* Programs copy often, and rarely what MPI has. */
static inline void touch_both(const void *to, const void *from, size_t size_B, const char *function,
			      const void *site)
{
	const struct pd_rank *pd = pd_current;
	const struct mpi_rank *me = pd ? pd->mpi : NULL;
	const struct mpi_verify *verify = me ? me->world->verify : NULL;

	if (!verify || !verify->memory ||
	    (!mpi_memory_is_near(verify->memory, me->rank, from, size_B) &&
	     !mpi_memory_is_near(verify->memory, me->rank, to, size_B)))
		return;
	touch(from, size_B, MEMORY_READ, function, site);
	touch(to, size_B, MEMORY_WRITE, function, site);
}

static void *own_memcpy(void *to, const void *from, size_t size_B)
{
	touch_both(to, from, size_B, "memcpy", __builtin_return_address(0));
	return memcpy(to, from, size_B);
}

static void *own_memmove(void *to, const void *from, size_t size_B)
{
	touch_both(to, from, size_B, "memmove", __builtin_return_address(0));
	return memmove(to, from, size_B);
}

static void *own_memset(void *at, int byte, size_t size_B)
{
	touch(at, size_B, MEMORY_WRITE, "memset", __builtin_return_address(0));
	return memset(at, byte, size_B);
}

static void *own_memchr(const void *at, int byte, size_t size_B)
{
	void *found = memchr(at, byte, size_B);

	touch(at, found ? (size_t)((char *)found - (const char *)at) + 1 : size_B, MEMORY_READ,
	      "memchr", __builtin_return_address(0));
	return found;
}

static int own_memcmp(const void *a, const void *b, size_t size_B)
{
	touch(a, size_B, MEMORY_READ, "memcmp", __builtin_return_address(0));
	touch(b, size_B, MEMORY_READ, "memcmp", __builtin_return_address(0));
	return memcmp(a, b, size_B);
}

static size_t own_strlen(const char *at)
{
	size_t n = strlen(at);

	touch(at, n + 1, MEMORY_READ, "strlen", __builtin_return_address(0));
	return n;
}

/* What has to be read of both to compare up to n characters. */
static size_t compared_B(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i < n && a[i] && a[i] == b[i])
		i++;
	return i < n ? i + 1 : n;
}

static int own_strcmp(const char *a, const char *b)
{
	size_t n = compared_B(a, b, SIZE_MAX);

	touch(a, n, MEMORY_READ, "strcmp", __builtin_return_address(0));
	touch(b, n, MEMORY_READ, "strcmp", __builtin_return_address(0));
	return strcmp(a, b);
}

static int own_strncmp(const char *a, const char *b, size_t n)
{
	size_t read_B = compared_B(a, b, n);

	touch(a, read_B, MEMORY_READ, "strncmp", __builtin_return_address(0));
	touch(b, read_B, MEMORY_READ, "strncmp", __builtin_return_address(0));
	return strncmp(a, b, n);
}

static char *own_strcpy(char *to, const char *from)
{
	touch_both(to, from, strlen(from) + 1, "strcpy", __builtin_return_address(0));
	return strcpy(to, from);
}

static char *own_strncpy(char *to, const char *from, size_t n)
{
	touch(from, strnlen(from, n), MEMORY_READ, "strncpy", __builtin_return_address(0));
	touch(to, n, MEMORY_WRITE, "strncpy", __builtin_return_address(0));
	return strncpy(to, from, n);
}

static char *own_strcat(char *to, const char *from)
{
	size_t n = strlen(to);

	touch(to, n + 1, MEMORY_READ, "strcat", __builtin_return_address(0));
	touch_both(to + n, from, strlen(from) + 1, "strcat", __builtin_return_address(0));
	return strcat(to, from);
}

static int own_sprintf(char *to, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsprintf(to, format, arguments);
	va_end(arguments);
	if (n >= 0)
		touch(to, (size_t)n + 1, MEMORY_WRITE, "sprintf", __builtin_return_address(0));
	return n;
}

static int own_snprintf(char *to, size_t size_B, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(to, size_B, format, arguments);
	va_end(arguments);
	if (n >= 0)
		touch(to, (size_t)n < size_B ? (size_t)n + 1 : size_B, MEMORY_WRITE, "snprintf",
		      __builtin_return_address(0));
	return n;
}

/* What system calls write to is known when they are over. */
static void touch_read(const void *to, ssize_t n_B, const char *function, const void *site)
{
	int error = errno;

	if (n_B > 0)
		touch(to, (size_t)n_B, MEMORY_WRITE, function, site);
	errno = error;
}

static ssize_t own_read(int fd, void *to, size_t size_B)
{
	ssize_t n = read(fd, to, size_B);

	touch_read(to, n, "read", __builtin_return_address(0));
	return n;
}

static ssize_t own_pread(int fd, void *to, size_t size_B, off_t at)
{
	ssize_t n = pread(fd, to, size_B, at);

	touch_read(to, n, "pread", __builtin_return_address(0));
	return n;
}

static size_t own_fread(void *to, size_t size_B, size_t n, FILE *stream)
{
	n = fread(to, size_B, n, stream);
	touch_read(to, (ssize_t)(n * size_B), "fread", __builtin_return_address(0));
	return n;
}

typedef void (*any_fn)(void);

static const struct {
	const char *name;
	any_fn function;
} functions[] = {
    {"fread", (any_fn)own_fread},     {"pread", (any_fn)own_pread},
    {"pread64", (any_fn)own_pread},   {"read", (any_fn)own_read},
    {"memchr", (any_fn)own_memchr},   {"memcmp", (any_fn)own_memcmp},
    {"memcpy", (any_fn)own_memcpy},   {"memmove", (any_fn)own_memmove},
    {"memset", (any_fn)own_memset},   {"snprintf", (any_fn)own_snprintf},
    {"sprintf", (any_fn)own_sprintf}, {"strcat", (any_fn)own_strcat},
    {"strcmp", (any_fn)own_strcmp},   {"strcpy", (any_fn)own_strcpy},
    {"strlen", (any_fn)own_strlen},   {"strncmp", (any_fn)own_strncmp},
    {"strncpy", (any_fn)own_strncpy},
};

void *mpi_memory_string_function(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0) {
			void *address;

			memcpy(&address, &functions[i].function, sizeof address);
			return address;
		}
	return mpi_watch_substitute(name);
}
