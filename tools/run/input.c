/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/input.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

off_t run_input_begin(void)
{
	struct stat status;

	if (fstat(STDIN_FILENO, &status) || !S_ISREG(status.st_mode))
		return -1;
	return lseek(STDIN_FILENO, 0, SEEK_CUR);
}

static int open_file(off_t begin)
{
	/* a position of its own, which a duplicate does not have */
	int fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, begin, SEEK_SET) == begin)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int open_witness(void)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	if (write(fds[1], "\n", 1) != 1) {
		close(fds[0]);
		fds[0] = -1;
	}
	close(fds[1]);
	return fds[0];
}

/* Of devices only a terminal says anything. */
static bool is_gone(void)
{
	struct stat status;

	return fstat(STDIN_FILENO, &status) == 0 &&
	       (!S_ISCHR(status.st_mode) || isatty(STDIN_FILENO));
}

int run_input_open(off_t begin)
{
	int fd = begin >= 0 ? open_file(begin) : -1;

	if (fd >= 0)
		return fd;
	return is_gone() ? open_witness() : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool run_input_is_missed(int input_fd)
{
	struct stat status;
	int n_left = 0;

	return fstat(input_fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
	       ioctl(input_fd, FIONREAD, &n_left) == 0 && n_left == 0;
}
