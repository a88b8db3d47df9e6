/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libmpiblock, preloaded: an MPI library that polls for messages waits in the kernel instead, so that many ranks share few cores without disturbing each other.
 *
 * Open MPI 4.1 (with mpi_yield_when_idle): a round of progress calls poll() without waiting, through libevent, and then sched_yield(). The files of the last such
 * poll() are remembered, and sched_yield() waits for them. It yields after rounds that found work, too; the request waited for may be complete then, so only
 * a round that found nothing may wait.
 * MPICH 4.0 (UCX): progress calls epoll_wait() without waiting and never yields. The third empty call in a row waits.
 *
 * MPICH 4.0 over TCP sometimes hangs in MPI_Finalize, when everything is done. So there ranks meet once more and leave.
 *
 * Waiting ends with the first byte, or after a millisecond for progress that no file announces. MPI_Test and MPI_Iprobe, and their kind, never wait.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILES 512
#define EMPTY_ROUNDS 3

static const struct timespec longest = {0, 1000000};

static struct {
	int (*poll)(struct pollfd *, nfds_t, int);
	int (*epoll_wait)(int, struct epoll_event *, int, int);
	int (*yield)(void);
} libc;

static __thread struct {
	struct pollfd files[MAX_FILES];
	nfds_t n_files;
	bool has_worked;  /* poll() found something since the last yield */
	int n_empty;      /* calls of epoll_wait() in a row that found nothing */
	int n_no_waiting; /* calls under way that must not wait */
	bool is_prompt;
} thread;

__attribute__((constructor)) static void find_libc(void)
{
	libc.poll = dlsym(RTLD_NEXT, "poll");
	libc.epoll_wait = dlsym(RTLD_NEXT, "epoll_wait");
	libc.yield = dlsym(RTLD_NEXT, "sched_yield");
}

static int wait_for(struct pollfd files[], nfds_t n_files)
{
	if (!thread.is_prompt)
		prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
	thread.is_prompt = true;
	return ppoll(files, n_files, &longest, NULL);
}

int poll(struct pollfd *files, nfds_t n_files, int timeout)
{
	int n_ready;

	if (timeout == 0 && n_files > 0 && n_files <= MAX_FILES) {
		memcpy(thread.files, files, n_files * sizeof(*files));
		thread.n_files = n_files;
	}
	n_ready = libc.poll(files, n_files, timeout);
	if (timeout == 0 && n_ready > 0)
		thread.has_worked = true;
	return n_ready;
}

int epoll_wait(int set, struct epoll_event *events, int max_events, int timeout)
{
	int n_ready = libc.epoll_wait(set, events, max_events, timeout);
	struct pollfd file = {.fd = set, .events = POLLIN};

	if (timeout != 0)
		return n_ready;
	if (n_ready != 0) {
		thread.n_empty = 0;
		return n_ready;
	}
	if (thread.n_no_waiting || ++thread.n_empty < EMPTY_ROUNDS)
		return 0;
	thread.n_empty = 0;
	return wait_for(&file, 1) > 0 ? libc.epoll_wait(set, events, max_events, 0) : 0;
}

int sched_yield(void)
{
	if (thread.has_worked) {
		thread.has_worked = false;
		return 0;
	}
	if (thread.n_no_waiting || thread.n_files == 0)
		return libc.yield();
	wait_for(thread.files, thread.n_files);
	return 0;
}

/* clang-format off */
#define NEVER_WAITS(function, parameters, arguments) \
	int MPI_##function parameters \
	{ \
		int code; \
\
		thread.n_no_waiting++; \
		code = PMPI_##function arguments; \
		thread.n_no_waiting--; \
		return code; \
	}

NEVER_WAITS(Test, (MPI_Request *request, int *flag, MPI_Status *status), (request, flag, status))
NEVER_WAITS(Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status), (n, requests, index, flag, status))
NEVER_WAITS(Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]), (n, requests, flag, statuses))
NEVER_WAITS(Testsome, (int n, MPI_Request requests[], int *n_done, int indices[], MPI_Status statuses[]), (n, requests, n_done, indices, statuses))
NEVER_WAITS(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status), (source, tag, comm, flag, status))
NEVER_WAITS(Improbe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status), (source, tag, comm, flag, message, status))

#ifdef MPICH_VERSION
int MPI_Finalize(void)
{
	PMPI_Barrier(MPI_COMM_WORLD);
	fflush(NULL);
	_exit(0);
}
#endif
