/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded before libmpisim-trace: each rank but the first is a machine of its own, whose clock is off by hours and runs a
 * tenth too fast or too slow. Only the recorder sees it; the program and MPI keep the real clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int own_rank(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");

	rank = rank ? rank : getenv("PMI_RANK");
	return rank ? atoi(rank) : 0;
}

static int is_recorder(const void *caller)
{
	Dl_info found;

	return dladdr(caller, &found) && found.dli_fname && strstr(found.dli_fname, "libmpisim-trace");
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
	static int (*next)(clockid_t, struct timespec *);
	int rank = own_rank(), failed;
	int64_t now_ns, drift_ns;

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	failed = next(clock, out);
	if (failed || clock != CLOCK_MONOTONIC || rank == 0 || !is_recorder(__builtin_return_address(0)))
		return failed;
	now_ns = (int64_t)out->tv_sec * 1000000000 + out->tv_nsec;
	drift_ns = now_ns / 10 * (rank % 2 ? 1 : -1);
	now_ns += drift_ns + rank * (int64_t)10000 * 1000000000;
	*out = (struct timespec){.tv_sec = now_ns / 1000000000, .tv_nsec = now_ns % 1000000000};
	return 0;
}

/* The number of the running system: another one on each rank. */
static int open_boot_id(void)
{
	char text[40];
	int fd = memfd_create("boot_id", MFD_CLOEXEC);

	snprintf(text, sizeof text, "00000000-0000-0000-0000-%012d\n", own_rank());
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	return fd;
}

int open(const char *path, int flags, ...)
{
	static int (*next)(const char *, int, ...);
	va_list rest;
	mode_t mode;

	if (!next)
		next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 && is_recorder(__builtin_return_address(0)))
		return open_boot_id();
	va_start(rest, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	return next(path, flags, mode);
}
