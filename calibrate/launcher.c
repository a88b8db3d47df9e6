/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks whose launcher is killed: some libraries' go on for ever, each waiting for the other or for
 * nobody, with a core each. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calibrate.h"

static int parent_fd = -1;

/* No rank ends before it by itself, so that an end is a kill. A rank may be within MPI, which does
 * not come back: no clean-up. */
static void *wait_for_end(void *unused)
{
	static const char text[] =
	    "mpisim-calibrate: the launcher was killed: no file is written\n";
	struct pollfd parent = {.fd = parent_fd, .events = POLLIN};

	while (poll(&parent, 1, -1) < 0)
		;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

void launcher_watch(void)
{
	pid_t parent = getppid();
	sigset_t all, before;
	pthread_t thread;

	parent_fd = parent > 1 ? (int)syscall(SYS_pidfd_open, parent, 0) : -1;
	if (parent_fd < 0) /* an old kernel, or nobody's child */
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, wait_for_end, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
