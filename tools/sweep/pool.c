// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_B 65536
#define KEPT_ERRORS_B 4096
#define MAX_RESULT_B ((size_t)1 << 30)

struct stream {
	int fd; /* -1: ended */
	char *text;
	size_t length, capacity;
};

struct job {
	int tag;
	pid_t pid; /* 0: free */
	struct stream result, errors;
	double begin_s, end_by_s; /* 0: never */
	bool has_timed_out;
};

struct sweep_pool {
	struct job *jobs;      /* [n_jobs] */
	struct pollfd *polled; /* [2 * n_jobs + 1] */
	int n_jobs, n_running;
	int signal_fd;
	sigset_t old_mask;
};

double sweep_host_time_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sweep_ended_finish(struct sweep_ended *ended)
{
	free(ended->result);
	free(ended->errors);
	ended->result = ended->errors = NULL;
}

int sweep_pool_create(int n_jobs, struct sweep_pool **out, struct util_error *err)
{
	struct sweep_pool *pool = calloc(1, sizeof *pool);
	sigset_t taken;

	if (pool) {
		pool->jobs = calloc((size_t)n_jobs, sizeof *pool->jobs);
		pool->polled = calloc(2 * (size_t)n_jobs + 1, sizeof *pool->polled);
	}
	if (!pool || !pool->jobs || !pool->polled) {
		if (pool) {
			free(pool->jobs);
			free(pool->polled);
		}
		free(pool);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d processes", n_jobs);
	}
	pool->n_jobs = n_jobs;
	sigemptyset(&taken);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGTERM);
	sigprocmask(SIG_BLOCK, &taken, &pool->old_mask);
	pool->signal_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	*out = pool;
	return 0;
}

static void stream_close(struct stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}

void sweep_pool_destroy(struct sweep_pool *pool)
{
	if (!pool)
		return;
	for (int i = 0; i < pool->n_jobs; i++) {
		struct job *job = &pool->jobs[i];

		if (!job->pid)
			continue;
		kill(-job->pid, SIGKILL);
		kill(job->pid, SIGKILL);
		waitpid(job->pid, NULL, 0);
		stream_close(&job->result);
		stream_close(&job->errors);
		free(job->result.text);
		free(job->errors.text);
	}
	if (pool->signal_fd >= 0)
		close(pool->signal_fd);
	sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
	free(pool->jobs);
	free(pool->polled);
	free(pool);
}

int sweep_pool_n_running(const struct sweep_pool *pool)
{
	return pool->n_running;
}

/* In the child, between fork and exec. */
static void become(const struct sweep_pool *pool, char *const words[], int result_fd, int errors_fd,
		   pid_t parent)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before the line above */
		_exit(SWEEP_EXIT_CANNOT_START);
	sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
	/* Where the pipes have the descriptors that they are to go to, dup2 keeps O_CLOEXEC. */
	result_fd = fcntl(result_fd, F_DUPFD_CLOEXEC, SWEEP_RESULT_FD + 1);
	errors_fd = fcntl(errors_fd, F_DUPFD_CLOEXEC, SWEEP_RESULT_FD + 1);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
	    dup2(errors_fd, STDERR_FILENO) < 0 || dup2(result_fd, SWEEP_RESULT_FD) < 0)
		_exit(SWEEP_EXIT_CANNOT_START);
	execv(words[0], words);
	dprintf(STDERR_FILENO, SWEEP_CANNOT_START "%s: %s\n", words[0], strerror(errno));
	_exit(SWEEP_EXIT_CANNOT_START);
}

int sweep_pool_start(struct sweep_pool *pool, int tag, char *const words[], double timeout_s,
		     struct util_error *err)
{
	int result[2] = {-1, -1}, errors[2] = {-1, -1}, errnum;
	pid_t parent = getpid(), pid = -1;
	struct job *job = pool->jobs;

	while (job->pid)
		job++;
	if (!pipe2(result, O_CLOEXEC) && !pipe2(errors, O_CLOEXEC))
		pid = fork();
	errnum = errno;
	if (pid == 0)
		become(pool, words, result[1], errors[1], parent);
	close(result[1]);
	close(errors[1]);
	if (pid < 0) {
		close(result[0]);
		close(errors[0]);
		return util_error_errno(err, errnum, "cannot start %s", words[0]);
	}
	*job = (struct job){
	    .tag = tag,
	    .pid = pid,
	    .result.fd = result[0],
	    .errors.fd = errors[0],
	    .begin_s = sweep_host_time_s(),
	};
	job->end_by_s = timeout_s > 0 ? job->begin_s + timeout_s : 0;
	pool->n_running++;
	return 0;
}

static int make_room(struct stream *stream)
{
	size_t capacity = stream->capacity ? 2 * stream->capacity : 2 * CHUNK_B;
	char *more;

	if (stream->length + CHUNK_B < stream->capacity)
		return 0;
	if (capacity > MAX_RESULT_B)
		return -1;
	more = realloc(stream->text, capacity);
	if (!more)
		return -1;
	stream->text = more;
	stream->capacity = capacity;
	return 0;
}

/* Reads what is there; at its end, or where there is no room for more, the stream is closed. */
static void stream_read(struct stream *stream, bool keeps_end)
{
	ssize_t n;

	if (make_room(stream)) {
		stream_close(stream);
		return;
	}
	n = read(stream->fd, stream->text + stream->length, CHUNK_B);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		stream_close(stream);
		return;
	}
	stream->length += (size_t)n;
	if (keeps_end && stream->length > CHUNK_B) {
		memmove(stream->text, stream->text + stream->length - KEPT_ERRORS_B, KEPT_ERRORS_B);
		stream->length = KEPT_ERRORS_B;
	}
}

static char *stream_text(struct stream *stream)
{
	if (!stream->text)
		return calloc(1, 1);
	stream->text[stream->length] = '\0';
	return stream->text;
}

static void finish(struct sweep_pool *pool, struct job *job, struct sweep_ended *out)
{
	*out = (struct sweep_ended){
	    .tag = job->tag,
	    .has_timed_out = job->has_timed_out,
	    .result = stream_text(&job->result),
	    .result_size = job->result.length,
	    .errors = stream_text(&job->errors),
	};
	while (waitpid(job->pid, &out->status, 0) < 0 && errno == EINTR)
		;
	out->host_s = sweep_host_time_s() - job->begin_s;
	*job = (struct job){0};
	pool->n_running--;
}

static void kill_late(struct sweep_pool *pool)
{
	double now_s = sweep_host_time_s();

	for (int i = 0; i < pool->n_jobs; i++) {
		struct job *job = &pool->jobs[i];

		if (!job->pid || job->end_by_s == 0 || now_s < job->end_by_s || job->has_timed_out)
			continue;
		job->has_timed_out = true;
		kill(-job->pid, SIGKILL);
		kill(job->pid, SIGKILL);
	}
}

/* The time until the next job has to end, if that is sooner. */
static int shorten(const struct sweep_pool *pool, int milliseconds)
{
	double now_s = sweep_host_time_s();

	for (int i = 0; i < pool->n_jobs; i++) {
		const struct job *job = &pool->jobs[i];
		double left_ms = 1000 * (job->end_by_s - now_s) + 1;

		if (job->pid && job->end_by_s > 0 && !job->has_timed_out && left_ms < milliseconds)
			milliseconds = left_ms > 0 ? (int)left_ms : 0;
	}
	return milliseconds;
}

static bool take_ended(struct sweep_pool *pool, struct sweep_ended *out)
{
	for (int i = 0; i < pool->n_jobs; i++) {
		struct job *job = &pool->jobs[i];

		if (job->pid && job->result.fd < 0 && job->errors.fd < 0) {
			finish(pool, job, out);
			return true;
		}
	}
	return false;
}

int sweep_pool_wait(struct sweep_pool *pool, int milliseconds, struct sweep_ended *out,
		    struct util_error *err)
{
	struct signalfd_siginfo signal;
	int n = 2 * pool->n_jobs;

	if (take_ended(pool, out))
		return 1;
	for (int i = 0; i < pool->n_jobs; i++) {
		const struct job *job = &pool->jobs[i];

		pool->polled[2 * i] =
		    (struct pollfd){.fd = job->pid ? job->result.fd : -1, .events = POLLIN};
		pool->polled[2 * i + 1] =
		    (struct pollfd){.fd = job->pid ? job->errors.fd : -1, .events = POLLIN};
	}
	pool->polled[n] = (struct pollfd){.fd = pool->signal_fd, .events = POLLIN};
	if (poll(pool->polled, (nfds_t)n + 1, shorten(pool, milliseconds)) < 0 && errno != EINTR)
		return util_error_errno(err, errno, "cannot wait for the points");
	/* Read, or it would end this process as soon as it is no longer blocked. */
	if (pool->polled[n].revents && read(pool->signal_fd, &signal, sizeof signal) > 0)
		return util_error_set(err, UTIL_EPROGRAM, "interrupted");
	for (int i = 0; i < pool->n_jobs; i++) {
		if (pool->polled[2 * i].revents)
			stream_read(&pool->jobs[i].result, false);
		if (pool->polled[2 * i + 1].revents)
			stream_read(&pool->jobs[i].errors, true);
	}
	kill_late(pool);
	return take_ended(pool, out);
}
