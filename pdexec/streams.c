/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/streams.h"

#include <stdio.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/pages.h"
#include "pdexec/process.h"

static void set(uint64_t copy, FILE **variable, FILE *stream)
{
	*variable = stream;
	if (copy) /* the program's, which libc does not know of */
		*(FILE **)(pd_rank_base(pd_current) + copy) = stream;
}

void pd_streams_begin(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;

	if (rank->rank == 0)
		return;
	if (!world->no_input)
		world->no_input = fopen("/dev/null", "re");
	if (world->no_input)
		set(rank->program->image->link.copies.in, &stdin, world->no_input);
}

/* std::cin holds the stream that was there when the program was loaded. */
static FILE *input_of(FILE *stream)
{
	const struct pd_rank *rank = pd_rank_here();

	if (!rank || rank->rank == 0 || stream != rank->world->outside->libc.in ||
	    !rank->world->no_input)
		return stream;
	return rank->world->no_input;
}

PD_INTERPOSE int getc(FILE *stream)
{
	return pd_libc_next()->getc(input_of(stream));
}

PD_INTERPOSE size_t fread(void *buffer, size_t size, size_t n, FILE *stream)
{
	pd_pages_access(buffer, size * n, true, __builtin_return_address(0));
	return pd_libc_next()->fread(buffer, size, n, input_of(stream));
}

/* What is written may lie on pages that are watched (pdexec/pages.h). */
PD_INTERPOSE size_t fwrite(const void *buffer, size_t size, size_t n, FILE *stream)
{
	pd_pages_access(buffer, size * n, false, __builtin_return_address(0));
	return pd_libc_next()->fwrite(buffer, size, n, stream);
}

/* Both names, as of freopen below. */
PD_INTERPOSE ssize_t pd_pread(int fd, void *buffer, size_t size, off_t at) __asm__("pread");
PD_INTERPOSE ssize_t pd_pread64(int fd, void *buffer, size_t size, off_t at) __asm__("pread64");

ssize_t pd_pread(int fd, void *buffer, size_t size, off_t at)
{
	pd_pages_access(buffer, size, true, __builtin_return_address(0));
	return pd_libc_next()->pread(fd, buffer, size, at);
}

ssize_t pd_pread64(int fd, void *buffer, size_t size, off_t at)
{
	pd_pages_access(buffer, size, true, __builtin_return_address(0));
	return pd_libc_next()->pread(fd, buffer, size, at);
}

PD_INTERPOSE ssize_t write(int fd, const void *buffer, size_t size)
{
	pd_pages_access(buffer, size, false, __builtin_return_address(0));
	return pd_libc_next()->write(fd, buffer, size);
}

/* Another file for a standard stream of this rank; the stream that it had is others' too. */
static FILE *reopen(struct pd_rank *rank, const char *path, const char *mode, FILE *stream)
{
	const struct pd_libc_copies *copies = &rank->program->image->link.copies;
	FILE *file = fopen(path, mode);

	if (!file)
		return NULL;
	fflush(stream);
	if (stream == stdin)
		set(copies->in, &stdin, file);
	else if (stream == stdout)
		set(copies->out, &stdout, file);
	else
		set(copies->err, &stderr, file);
	return file;
}

/* Both names that it has: which of them <stdio.h> means depends on how a file is compiled. */
PD_INTERPOSE FILE *pd_freopen(const char *path, const char *mode, FILE *stream) __asm__("freopen");
PD_INTERPOSE FILE *pd_freopen64(const char *path, const char *mode,
				FILE *stream) __asm__("freopen64");

FILE *pd_freopen(const char *path, const char *mode, FILE *stream)
{
	struct pd_rank *rank = pd_process_here();

	if (rank && path && (stream == stdin || stream == stdout || stream == stderr))
		return reopen(rank, path, mode, stream);
	return pd_libc_next()->freopen(path, mode, stream);
}

FILE *pd_freopen64(const char *path, const char *mode, FILE *stream)
{
	return pd_freopen(path, mode, stream);
}
