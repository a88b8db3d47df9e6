/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drives event queues with recorded streams: bench-queue STREAM [QUEUE]. A stream is what
 * SIM_QUEUE_RECORD wrote (simcore/queue.h): pushes, cancellations and pops of one run. Every queue
 * must give the events in the order of the recording. Prints nanoseconds of CPU time per operation,
 * the median of five; with QUEUE that one alone, once, for an instruction count. Judges nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/queues.h"

enum { N_RUNS = 5 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The stream with numbers 0 … n_events-1 instead of addresses. */
struct stream {
	struct bench_step *steps; /* [n] */
	size_t n, n_events, depth, deepest;
};

static size_t hash(uint64_t address, size_t capacity)
{
	return (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
}

/* What a recorded address is called here: the table holds number + 1. */
static uint32_t number_of(uint64_t address, uint64_t *keys, uint32_t *numbers, size_t capacity,
			  size_t *n)
{
	size_t at = hash(address, capacity);

	while (numbers[at] && keys[at] != address)
		at = (at + 1) & (capacity - 1);
	if (!numbers[at]) {
		keys[at] = address;
		numbers[at] = (uint32_t)++ * n;
	}
	return numbers[at] - 1;
}

/* A push may move an event that is queued, and a cancellation find none. */
static void follow_depth(struct stream *stream, size_t i, bool *queued)
{
	const struct bench_step *step = &stream->steps[i];
	bool is_in = step->what == 'p';

	stream->depth += is_in;
	stream->depth -= queued[step->event];
	queued[step->event] = is_in;
	stream->deepest = stream->depth > stream->deepest ? stream->depth : stream->deepest;
}

static int read_stream(const char *path, struct stream *stream)
{
	struct sim_queue_record record;
	FILE *file = fopen(path, "rb");
	size_t capacity = 1 << 16;
	bool *queued;
	uint64_t *keys;
	uint32_t *numbers;

	if (!file || fseek(file, 0, SEEK_END) < 0)
		return -1;
	stream->n = (size_t)ftell(file) / sizeof record;
	rewind(file);
	while (capacity < 2 * stream->n)
		capacity *= 2;
	keys = calloc(capacity, sizeof *keys);
	numbers = calloc(capacity, sizeof *numbers);
	queued = calloc(stream->n, sizeof *queued);
	stream->steps = malloc(stream->n * sizeof *stream->steps);
	for (size_t i = 0; keys && numbers && queued && stream->steps && i < stream->n; i++) {
		if (fread(&record, sizeof record, 1, file) != 1)
			break;
		stream->steps[i] = (struct bench_step){
		    .time = record.time,
		    .event = number_of(record.event, keys, numbers, capacity, &stream->n_events),
		    .what = record.what};
		follow_depth(stream, i, queued);
	}
	free(keys);
	free(numbers);
	free(queued);
	fclose(file);
	return stream->steps ? 0 : -1;
}

/* Returns ns per step; negative: another order than the recorded one. */
static double drive(const struct bench_queue *queue, const struct stream *stream)
{
	void *state = queue->create(stream->n_events);
	double begin = now_ns();
	size_t n_wrong = 0;

	for (size_t i = 0; i < stream->n; i++) {
		const struct bench_step *step = &stream->steps[i];

		if (step->what == 'p')
			queue->push(state, step->event, step->time);
		else if (step->what == 'n')
			n_wrong += queue->pop(state) != step->event;
		else
			queue->cancel(state, step->event);
	}
	begin = (now_ns() - begin) / (double)stream->n;
	queue->destroy(state);
	return n_wrong ? -1 : begin;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(int argc, char **argv)
{
	struct stream stream = {0};
	double ns[N_RUNS];

	if (argc < 2 || read_stream(argv[1], &stream)) {
		fprintf(stderr, "usage: bench-queue STREAM [QUEUE]\n");
		return 2;
	}
	printf("%zu operations, %zu events, at most %zu queued\n", stream.n, stream.n_events,
	       stream.deepest);
	for (size_t q = 0; bench_queues[q]; q++) {
		int n = argc > 2 ? 1 : N_RUNS;

		if (argc > 2 && strcmp(argv[2], bench_queues[q]->name))
			continue;
		for (int i = 0; i < n; i++)
			ns[i] = drive(bench_queues[q], &stream);
		qsort(ns, (size_t)n, sizeof *ns, compare);
		printf("%-28s %6.1f ns%s\n", bench_queues[q]->name, ns[n / 2],
		       ns[0] < 0 ? "  WRONG ORDER" : "");
	}
	free(stream.steps);
	return 0;
}
