/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that do not end by themselves. Those whose launcher is killed: some libraries' go on for
 * ever, each waiting for the other or for nobody, with a core each. And those in MPI_Finalize:
 * MPICH 4.0.2 closes its connections by UCX, for which others have to answer that wait for the
 * launcher already, and answer nobody any more. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "calibrate.h"

static int parent_fd = -1;

void launcher_leave(int code, const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(code);
	_exit(code);
}

/* No rank ends before it by itself, so that an end is a kill. A rank may be within MPI, which does
 * not come back: no clean-up. */
static void *wait_for_end(void *unused)
{
	struct pollfd parent = {.fd = parent_fd, .events = POLLIN};

	while (poll(&parent, 1, -1) < 0)
		;
	launcher_leave(1, "mpisim-calibrate: the launcher was killed: no file is written\n");
}

/* A thread of its own, which no signal ends. */
static void start(void *(*run)(void *))
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, run, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void launcher_watch(void)
{
	pid_t parent = getppid();

	parent_fd = parent > 1 ? (int)syscall(SYS_pidfd_open, parent, 0) : -1;
	if (parent_fd >= 0) /* else an old kernel, or nobody's child */
		start(wait_for_end);
}

/* --- the end --- */

enum { END_LIMIT_S = 5, OTHERS_LIMIT_S = 8 };
static int own_rank;

/* Rank 0 first, so that it can say why: a launcher may end the others then. */
static void *end_by_itself(void *unused)
{
	struct timespec left = {own_rank > 0 ? OTHERS_LIMIT_S : END_LIMIT_S, 0};

	while (nanosleep(&left, &left))
		;
	launcher_leave(0, own_rank > 0 ? ""
				       : "mpisim-calibrate: MPI_Finalize does not return: this run "
					 "ends without it, all files are written\n");
}

/* Without this word (PMI 1) the launcher takes a rank that leaves for one that died, and kills the
 * others. */
static void tell_launcher(int fd)
{
	static const char finalize[] = "cmd=finalize\n";
	struct pollfd answer = {.fd = fd, .events = POLLIN};
	char line[64];

	if (write(fd, finalize, sizeof(finalize) - 1) < 0 ||
	    poll(&answer, 1, END_LIMIT_S * 1000) <= 0 || read(fd, line, sizeof(line)) <= 0)
		return; /* it is no launcher that knows the word: it judges by the exit code */
}

void launcher_end(int rank)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;

	fflush(NULL);
	MPI_Get_library_version(version, &length);
	/* MPICH's own launcher takes a rank that has told it so for one that has ended. */
	if (!strncmp(version, "MPICH", 5) && getenv("PMI_FD") && getenv("MPI_LOCALNRANKS")) {
		MPI_Barrier(MPI_COMM_WORLD);
		tell_launcher(atoi(getenv("PMI_FD")));
		_exit(0);
	}
	own_rank = rank;
	start(end_by_itself);
}
