// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/valgrind.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi/verify/memcheck.h"

#define TEXT(n) TEXT_OF(n)
#define TEXT_OF(n) #n

static const char *const options[] = {
    "valgrind",
    "--tool=memcheck",
    "--quiet",
    "--xml=yes",
    "--xml-fd=" TEXT(VERIFY_VALGRIND_FD),
    "--child-silent-after-fork=yes",
    "--error-limit=no",
    "--leak-check=no",
    "--num-callers=30",
    "--track-origins=yes",
};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

static int execute(char **argv, char *self, struct util_error *err)
{
	size_t n = 0;
	char **words;

	while (argv[n])
		n++;
	words = calloc(N_OPTIONS + n + 1, sizeof *words);
	if (!words)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (size_t i = 0; i < N_OPTIONS; i++)
		words[i] = (char *)(uintptr_t)options[i];
	words[N_OPTIONS] = self;
	if (n > 0)
		memcpy(words + N_OPTIONS + 1, argv + 1, (n - 1) * sizeof *words);
	execvp(words[0], words);
	free(words);
	if (errno == ENOENT)
		return util_error_set(err, UTIL_EINPUT,
				      "--verify-memory=valgrind: there is no valgrind; wanted the "
				      "command of that name (Debian's package valgrind)");
	return util_error_errno(err, errno, "--verify-memory=valgrind: cannot start valgrind");
}

int verify_valgrind_start(char **argv, struct util_error *err)
{
	char self[PATH_MAX];
	ssize_t length;
	int fd;

	if (!mpi_memcheck_is_built())
		return util_error_set(
		    err, UTIL_EINPUT,
		    "--verify-memory=valgrind: mpisim was built without valgrind's "
		    "headers (Debian's package valgrind)");
	if (mpi_memcheck_is_running())
		return 0;
	length = readlink("/proc/self/exe", self, sizeof self - 1);
	if (length < 0)
		return util_error_errno(err, errno, "cannot read /proc/self/exe");
	self[length] = 0;
	fd = memfd_create("mpisim valgrind", 0);
	if (fd < 0 || (fd != VERIFY_VALGRIND_FD && dup2(fd, VERIFY_VALGRIND_FD) < 0))
		return util_error_errno(err, errno, "--verify-memory=valgrind: no file for errors");
	if (fd != VERIFY_VALGRIND_FD)
		close(fd);
	return execute(argv, self, err);
}
