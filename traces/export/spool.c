// SPDX-License-Identifier: BSD-3-Clause
#include "traces/export/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"

enum { WINDOW = 512 }; /* events of a run in memory while runs are merged */

int trace_spool_init(struct trace_spool *spool, const char *path, bool by_rank,
		     struct util_error *err)
{
	char *name = NULL;

	*spool = (struct trace_spool){.fd = -1, .by_rank = by_rank};
	spool->events = malloc(TRACE_SPOOL_EVENTS * sizeof *spool->events);
	if (!spool->events || asprintf(&name, "%s.XXXXXX", path) < 0) {
		trace_spool_finish(spool);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
	}
	spool->fd = mkstemp(name);
	if (spool->fd < 0) {
		int failed =
		    util_error_errno(err, errno, "cannot create a temporary file for %s", path);

		free(name);
		trace_spool_finish(spool);
		return failed;
	}
	unlink(name);
	free(name);
	return 0;
}

void trace_spool_finish(struct trace_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->events);
	free(spool->run_sizes);
	*spool = (struct trace_spool){.fd = -1};
}

static int compare(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : compare(a, b);
}

static void sort(const struct trace_spool *spool)
{
	qsort(spool->events, spool->n_events, sizeof *spool->events,
	      spool->by_rank ? compare_ranks : compare);
}

static int write_all(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size > 0) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		from += n;
		size -= (size_t)n;
	}
	return 0;
}

static int write_run(struct trace_spool *spool)
{
	if (!util_array_room(&spool->run_sizes, (size_t)spool->n_runs, sizeof *spool->run_sizes))
		return ENOMEM;
	sort(spool);
	spool->run_sizes[spool->n_runs++] = spool->n_events;
	return write_all(spool->fd, spool->events, spool->n_events * sizeof *spool->events);
}

void trace_spool_add(struct trace_spool *spool, struct trace_event *event)
{
	int saved = errno; /* the program's */

	if (spool->n_events == TRACE_SPOOL_EVENTS && !spool->failed) {
		spool->failed = write_run(spool);
		spool->n_events = 0;
	}
	event->order = spool->next_order++;
	if (!spool->failed)
		spool->events[spool->n_events++] = *event;
	errno = saved;
}

/* --- merging --- */

struct run {
	off_t at;	   /* of what is not in memory yet */
	size_t left;	   /* events of it */
	size_t next, n;	   /* in `events` */
	struct trace_event *events; /* [WINDOW], or the spool's own for the last run */
	int owns_events;
};

static int refill(int fd, struct run *run)
{
	size_t n = run->left < WINDOW ? run->left : WINDOW, size = n * sizeof *run->events;
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)run->events + done, size - done,
				    run->at + (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : EIO;
		done += (size_t)got;
	}
	run->at += (off_t)size;
	run->left -= n;
	run->next = 0;
	run->n = n;
	return 0;
}

static void sift(const struct trace_spool *spool, struct run **heap, int n, int i)
{
	int (*in_order)(const void *, const void *) = spool->by_rank ? compare_ranks : compare;

	for (;;) {
		int least = i;

		for (int child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
			if (in_order(&heap[child]->events[heap[child]->next],
				     &heap[least]->events[heap[least]->next]) < 0)
				least = child;
		if (least == i)
			return;
		struct run *run = heap[i];

		heap[i] = heap[least];
		heap[least] = run;
		i = least;
	}
}

static int open_runs(const struct trace_spool *spool, struct run runs[])
{
	off_t at = 0;

	for (int i = 0; i < spool->n_runs; i++) {
		runs[i].at = at;
		runs[i].left = spool->run_sizes[i];
		at += (off_t)(runs[i].left * sizeof *spool->events);
		runs[i].events = malloc(WINDOW * sizeof *spool->events);
		runs[i].owns_events = 1;
		if (!runs[i].events)
			return ENOMEM;
		if (refill(spool->fd, &runs[i]))
			return errno ? errno : EIO;
	}
	sort(spool);
	runs[spool->n_runs].events = spool->events;
	runs[spool->n_runs].n = spool->n_events;
	return 0;
}

/* 0, an errno (> 0), or what `visit` returned as *stopped. */
static int merge(const struct trace_spool *spool, struct run runs[], struct run *heap[],
		 trace_event_fn visit, void *context, int *stopped)
{
	int n = 0;

	for (int i = 0; i <= spool->n_runs; i++)
		if (runs[i].n > 0)
			heap[n++] = &runs[i];
	for (int i = n / 2; i >= 0 && n > 0; i--)
		sift(spool, heap, n, i);
	while (n > 0) {
		struct run *first = heap[0];

		*stopped = visit(context, &first->events[first->next++]);
		if (*stopped)
			return 0;
		if (first->next == first->n && first->left > 0) {
			int failed = refill(spool->fd, first);

			if (failed)
				return failed;
		} else if (first->next == first->n) {
			heap[0] = heap[--n];
		}
		sift(spool, heap, n, 0);
	}
	return 0;
}

int trace_spool_visit(struct trace_spool *spool, trace_event_fn visit, void *context,
		      struct util_error *err)
{
	size_t n = (size_t)spool->n_runs + 1;
	struct run *runs = calloc(n, sizeof *runs), **heap = calloc(n, sizeof *heap);
	int failed = spool->failed, stopped = 0;

	if (!failed && (!runs || !heap))
		failed = ENOMEM;
	if (!failed)
		failed = open_runs(spool, runs);
	if (!failed)
		failed = merge(spool, runs, heap, visit, context, &stopped);
	for (size_t i = 0; runs && i < n; i++)
		if (runs[i].owns_events)
			free(runs[i].events);
	free(runs);
	free(heap);
	if (failed)
		return util_error_errno(err, failed, "cannot keep the events of a trace");
	return stopped;
}
