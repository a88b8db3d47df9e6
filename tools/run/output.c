// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines beyond this are passed on in pieces. */
#define MAX_LINE_B 65536

struct line {
	char *text;
	size_t length, capacity;
};

struct stream {
	int fd;		    /* 1 or 2 */
	int original;	    /* a copy of what it was */
	int memory;	    /* what it is now */
	struct line *lines; /* by rank: begun and not ended */
};

struct run_output {
	struct pd_world *world;
	struct stream streams[2];
	int rank; /* that ran last; -1: none yet */
	int tag_width;
	void (*next_resume)(struct sim_task *task, void *context);
	void *next_context;
};

static void note_rank(struct sim_task *task, void *context)
{
	struct run_output *output = context;
	const struct pd_rank *rank = task->data;

	output->rank = rank->rank;
	if (output->next_resume)
		output->next_resume(task, output->next_context);
}

static void write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n <= 0)
			return;
		text += n;
		length -= (size_t)n;
	}
}

static void write_line(const struct run_output *output, const struct stream *stream, int rank,
		       struct line *line)
{
	char tag[32];
	int n = snprintf(tag, sizeof tag, "[%*d] ", output->tag_width, rank);

	if (line->length == 0)
		return;
	if (line->text[line->length - 1] != '\n')
		line->text[line->length++] = '\n';
	write_all(stream->original, tag, (size_t)n);
	write_all(stream->original, line->text, line->length);
	line->length = 0;
}

/* Room for the text and the newline that may have to be added. */
static int line_grow(struct line *line, size_t more)
{
	size_t needed = line->length + more + 1, capacity = line->capacity ? line->capacity : 128;
	char *grown;

	if (needed <= line->capacity)
		return 0;
	while (capacity < needed)
		capacity *= 2;
	grown = realloc(line->text, capacity);
	if (!grown)
		return -1;
	line->text = grown;
	line->capacity = capacity;
	return 0;
}

static void take(struct run_output *output, struct stream *stream, int rank, const char *text,
		 size_t length)
{
	struct line *line = &stream->lines[rank];

	while (length > 0) {
		const char *newline = memchr(text, '\n', length);
		size_t n = newline ? (size_t)(newline - text) + 1 : length;

		if (line_grow(line, n))
			return;
		memcpy(line->text + line->length, text, n);
		line->length += n;
		text += n;
		length -= n;
		if (newline || line->length >= MAX_LINE_B)
			write_line(output, stream, rank, line);
	}
}

static void collect(struct run_output *output, struct stream *stream)
{
	char buffer[16384];
	struct stat status;
	off_t at = 0;
	ssize_t n;

	if (fstat(stream->memory, &status) || status.st_size == 0)
		return;
	while ((n = pread(stream->memory, buffer, sizeof buffer, at)) > 0) {
		take(output, stream, output->rank, buffer, (size_t)n);
		at += n;
	}
	/* The program may have moved nothing but the offset that we share with it. */
	if (ftruncate(stream->memory, 0) == 0)
		lseek(stream->memory, 0, SEEK_SET);
}

void run_output_collect(struct run_output *output)
{
	fflush(stdout);
	if (output->rank < 0)
		return;
	for (int i = 0; i < 2; i++)
		collect(output, &output->streams[i]);
}

static int redirect(struct stream *stream, int fd, const struct pd_world *world,
		    struct util_error *err)
{
	size_t max_ranks = (size_t)world->n_ranks + (size_t)world->config.max_spawned;

	stream->fd = fd;
	stream->lines = calloc(max_ranks, sizeof *stream->lines);
	if (!stream->lines)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for --tag-output");
	stream->original = dup(fd);
	stream->memory = memfd_create("mpisim-output", MFD_CLOEXEC);
	if (stream->original < 0 || stream->memory < 0 || dup2(stream->memory, fd) < 0)
		return util_error_set(err, UTIL_ESYSTEM,
				      "cannot redirect the program's output for --tag-output");
	return 0;
}

static void restore(struct run_output *output, struct stream *stream)
{
	if (stream->original >= 0) {
		dup2(stream->original, stream->fd);
		for (int rank = 0; stream->lines && rank < output->world->n_ranks; rank++)
			write_line(output, stream, rank, &stream->lines[rank]);
		close(stream->original);
	}
	for (int rank = 0; stream->lines && rank < output->world->n_ranks; rank++)
		free(stream->lines[rank].text);
	free(stream->lines);
	if (stream->memory >= 0)
		close(stream->memory);
}

int run_output_create(struct pd_world *world, struct run_output **out, struct util_error *err)
{
	struct run_output *output = calloc(1, sizeof *output);
	int failed;

	if (!output)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for --tag-output");
	output->world = world;
	output->rank = -1;
	output->tag_width = snprintf(NULL, 0, "%d", world->n_ranks - 1);
	for (int i = 0; i < 2; i++)
		output->streams[i].original = output->streams[i].memory = -1;
	output->next_resume = world->engine.before_resume;
	output->next_context = world->engine.context;
	world->engine.before_resume = note_rank;
	world->engine.context = output;
	fflush(stdout);
	failed = redirect(&output->streams[0], STDOUT_FILENO, world, err);
	if (!failed)
		failed = redirect(&output->streams[1], STDERR_FILENO, world, err);
	if (failed) {
		run_output_destroy(output);
		return failed;
	}
	*out = output;
	return 0;
}

void run_output_destroy(struct run_output *output)
{
	if (!output)
		return;
	run_output_collect(output);
	for (int i = 0; i < 2; i++)
		restore(output, &output->streams[i]);
	output->world->engine.before_resume = output->next_resume;
	output->world->engine.context = output->next_context;
	free(output);
}
