// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/orders/execution.h"

/* Of each rank so much is kept to be shown; of the rest a hash. */
enum { SHOWN_B = 16384 };

static void add(struct orders_written *written, const char *bytes, size_t n)
{
	size_t room = SHOWN_B - written->length_B, shown = n < room ? n : room;

	if (shown > 0 && !written->text)
		written->text = malloc(SHOWN_B);
	if (shown > 0 && written->text) {
		memcpy(written->text + written->length_B, bytes, shown);
		written->length_B += shown;
	}
	for (size_t i = 0; i < n; i++) /* however it was cut into pieces */
		written->hash[0] =
		    (written->hash[0] ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	written->total_B += n;
}

static void take_from(struct orders_capture *capture, int memory)
{
	char buffer[16384];
	struct stat status;
	ssize_t n;
	off_t at = 0;

	if (fstat(memory, &status) || status.st_size == 0)
		return;
	while ((n = pread(memory, buffer, sizeof buffer, at)) > 0) {
		add(&capture->written[capture->rank < 0 ? 0 : capture->rank], buffer, (size_t)n);
		at += n;
	}
	if (ftruncate(memory, 0) == 0)
		lseek(memory, 0, SEEK_SET);
}

void orders_capture_take(struct orders_capture *capture)
{
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		take_from(capture, capture->memory[i]);
}

static void note_rank(struct sim_task *task, void *context)
{
	struct orders_capture *capture = context;
	const struct pd_rank *rank = task->data;

	orders_capture_take(capture);
	capture->rank = rank->rank;
	if (capture->next_resume)
		capture->next_resume(task, capture->next_context);
}

void orders_capture_renew(struct orders_capture *capture)
{
	for (int i = 0; i < 2; i++) {
		if (capture->memory[i] >= 0)
			close(capture->memory[i]);
		capture->memory[i] = memfd_create("mpisim-orders", MFD_CLOEXEC);
		if (capture->memory[i] < 0 || dup2(capture->memory[i], i + 1) < 0)
			_exit(1);
	}
}

int orders_capture_create(struct pd_world *world, struct orders_capture *out,
			  struct util_error *err)
{
	*out = (struct orders_capture){.world = world, .memory = {-1, -1}, .rank = -1};
	out->written = calloc((size_t)world->n_ranks, sizeof *out->written);
	if (!out->written)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the output of ranks");
	fflush(stdout);
	orders_capture_renew(out);
	out->next_resume = world->engine.before_resume;
	out->next_context = world->engine.context;
	world->engine.before_resume = note_rank;
	world->engine.context = out;
	return 0;
}
