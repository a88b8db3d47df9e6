/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls in which a process waits until another one has done something: with a socket, with a lock
 * of a file. The other one may be a rank, and ranks take turns: so a rank asks whether it would
 * have to wait, and if so lets simulated time pass before it asks again. Where only the world
 * outside can end the wait, the simulator waits for it, too. Pipes and terminals are left alone:
 * their other ends are not ranks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/socket.h>

#include "pdexec/libc-next.h"
#include "pdexec/pages.h"
#include "pdexec/process.h"

enum { DOUBLINGS = 10 }; /* pauses of 1 us, 2 us, … up to about 1 ms */

struct wait {
	struct pd_rank *rank;
	const char *function;
	const void *site;
	sim_time_ps until; /* SIM_TIME_MAX: without an end */
	uint64_t n_events; /* at the last look */
	int n_looks;
};

static struct wait begin(struct pd_rank *rank, const char *function, const void *site,
			 sim_time_ps limit)
{
	struct sim_engine *engine = &rank->world->engine;

	rank->world->n_waiting++;
	return (struct wait){
	    .rank = rank,
	    .function = function,
	    .site = site,
	    .until = limit == SIM_TIME_MAX ? SIM_TIME_MAX : sim_time_add(engine->now, limit),
	    .n_events = engine->n_events,
	};
}

static void end(struct wait *wait)
{
	wait->rank->world->n_waiting--;
}

/* Whether nothing has happened since the last look but pauses of those that wait in this way. */
static bool is_idle(const struct wait *wait)
{
	const struct pd_world *world = wait->rank->world;

	return wait->n_looks > DOUBLINGS &&
	       world->engine.n_events - wait->n_events <= 2 * (uint64_t)world->n_waiting;
}

/* False: the time is over. */
static bool pause_once(struct wait *wait)
{
	const struct sim_engine *engine = &wait->rank->world->engine;
	sim_time_ps length = (SIM_PS_PER_S / 1000000)
			     << (wait->n_looks < DOUBLINGS ? wait->n_looks : DOUBLINGS);

	if (engine->now >= wait->until)
		return false;
	if (length > wait->until - engine->now)
		length = wait->until - engine->now;
	wait->n_looks++;
	wait->n_events = engine->n_events;
	pd_process_sleep(wait->rank, wait->function, wait->site, length);
	return true;
}

/* As poll(2). */
static int wait_for_files(struct wait *wait, struct pollfd *files, nfds_t n)
{
	int n_ready;

	do
		n_ready = pd_libc_next()->poll(files, n, is_idle(wait) ? 1 : 0);
	while (n_ready == 0 && pause_once(wait));
	return n_ready;
}

PD_INTERPOSE int poll(struct pollfd *files, nfds_t n, int timeout_ms)
{
	struct pd_rank *rank = pd_process_here();
	struct wait wait;
	int n_ready;

	if (!rank || timeout_ms == 0 || (n == 0 && timeout_ms < 0))
		return pd_libc_next()->poll(files, n, timeout_ms);
	if (n == 0) { /* waiting for nothing but time is a way to sleep */
		pd_process_sleep(rank, __func__, __builtin_return_address(0),
				 timeout_ms * (SIM_PS_PER_S / 1000));
		return 0;
	}
	wait = begin(rank, __func__, __builtin_return_address(0),
		     timeout_ms < 0 ? SIM_TIME_MAX : timeout_ms * (SIM_PS_PER_S / 1000));
	n_ready = wait_for_files(&wait, files, n);
	end(&wait);
	return n_ready;
}

static int look(struct wait *wait, int n, fd_set *sets[3], const fd_set wanted[3])
{
	struct timeval timeout = {.tv_usec = is_idle(wait) ? 1000 : 0};

	for (int i = 0; i < 3; i++)
		if (sets[i])
			*sets[i] = wanted[i];
	return pd_libc_next()->select(n, sets[0], sets[1], sets[2], &timeout);
}

PD_INTERPOSE int select(int n, fd_set *reading, fd_set *writing, fd_set *other,
			struct timeval *timeout)
{
	struct pd_rank *rank = pd_process_here();
	fd_set *sets[3] = {reading, writing, other}, wanted[3];
	sim_time_ps limit = SIM_TIME_MAX;
	struct wait wait;
	int n_ready;

	if (timeout && timeout->tv_sec < SIM_TIME_MAX / SIM_PS_PER_S - 1)
		limit =
		    timeout->tv_sec * SIM_PS_PER_S + timeout->tv_usec * (SIM_PS_PER_S / 1000000);
	if (!rank || n < 0 || limit < 0 || (timeout && (limit == 0 || timeout->tv_usec < 0)) ||
	    (n == 0 && !timeout))
		return pd_libc_next()->select(n, reading, writing, other, timeout);
	if (n == 0) {
		pd_process_sleep(rank, __func__, __builtin_return_address(0), limit);
		return 0;
	}
	for (int i = 0; i < 3; i++)
		if (sets[i])
			wanted[i] = *sets[i];
	wait = begin(rank, __func__, __builtin_return_address(0), limit);
	do
		n_ready = look(&wait, n, sets, wanted);
	while (n_ready == 0 && pause_once(&wait));
	end(&wait);
	return n_ready;
}

/* How long a socket wants to wait for what comes. */
static sim_time_ps patience_of(int fd)
{
	struct timeval time = {0};
	socklen_t size = sizeof time;

	if (getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, &size) != 0 ||
	    (time.tv_sec == 0 && time.tv_usec == 0) ||
	    time.tv_sec >= SIM_TIME_MAX / SIM_PS_PER_S - 1)
		return SIM_TIME_MAX;
	return time.tv_sec * SIM_PS_PER_S + time.tv_usec * (SIM_PS_PER_S / 1000000);
}

/* Lets a rank that reads from the socket wait. False: the time is over, and errno says so. */
static bool may_read(const char *function, const void *site, int fd, int flags)
{
	struct pd_rank *rank = pd_process_here();
	struct pollfd file = {.fd = fd, .events = POLLIN};
	struct wait wait;
	int n_ready;

	if (!rank || (flags & MSG_DONTWAIT) || pd_libc_next()->poll(&file, 1, 0) != 0 ||
	    (fcntl(fd, F_GETFL) & O_NONBLOCK))
		return true;
	wait = begin(rank, function, site, patience_of(fd));
	n_ready = wait_for_files(&wait, &file, 1);
	end(&wait);
	if (n_ready == 0)
		errno = EAGAIN;
	return n_ready != 0;
}

#define MAY_READ(fd, flags) may_read(__func__, __builtin_return_address(0), fd, flags)

PD_INTERPOSE int accept(int fd, struct sockaddr *address, socklen_t *size)
{
	return MAY_READ(fd, 0) ? pd_libc_next()->accept(fd, address, size) : -1;
}

PD_INTERPOSE int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	return MAY_READ(fd, 0) ? pd_libc_next()->accept4(fd, address, size, flags) : -1;
}

PD_INTERPOSE ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
	return MAY_READ(fd, flags) ? pd_libc_next()->recv(fd, buffer, size, flags) : -1;
}

PD_INTERPOSE ssize_t recvfrom(int fd, void *buffer, size_t size, int flags,
			      struct sockaddr *address, socklen_t *address_size)
{
	return MAY_READ(fd, flags)
		   ? pd_libc_next()->recvfrom(fd, buffer, size, flags, address, address_size)
		   : -1;
}

PD_INTERPOSE ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return MAY_READ(fd, flags) ? pd_libc_next()->recvmsg(fd, message, flags) : -1;
}

static bool is_socket(int fd)
{
	int type;
	socklen_t size = sizeof type;
	int error = errno;
	bool result = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;

	errno = error;
	return result;
}

PD_INTERPOSE ssize_t read(int fd, void *buffer, size_t size)
{
	const struct pd_rank *rank = pd_process_here();

	if (rank && fd == STDIN_FILENO && rank->rank != 0)
		return 0; /* standard input is rank 0's: pdexec/streams.c */
	if (rank && fd > STDERR_FILENO && is_socket(fd) && !MAY_READ(fd, 0))
		return -1;
	pd_pages_access(buffer, size, true, __builtin_return_address(0));
	return pd_libc_next()->read(fd, buffer, size);
}

PD_INTERPOSE int flock(int fd, int operation)
{
	struct pd_rank *rank = pd_process_here();
	struct wait wait;
	int status;

	if (!rank || (operation & LOCK_NB) || operation == LOCK_UN)
		return pd_libc_next()->flock(fd, operation);
	wait = begin(rank, __func__, __builtin_return_address(0), SIM_TIME_MAX);
	do
		status = pd_libc_next()->flock(fd, operation | LOCK_NB);
	while (status != 0 && errno == EWOULDBLOCK && pause_once(&wait));
	end(&wait);
	return status;
}
