/* SPDX-License-Identifier: BSD-3-Clause */
/* What valgrind's memcheck has found becomes findings: its XML output (docs/internals/xml-output of
 * valgrind) is read up to where it has come. */
#include "mpi/verify/memcheck.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/verify/memory.h"
#include "pdexec/image.h"

enum { MAX_FRAMES = 32, TEXT_B = 256 };

struct mpi_memcheck {
	struct mpi_memory *memory;
	int fd;
	off_t at;   /* so much of the output was read */
	char *text; /* [size_B + 1] what no error ends in yet */
	size_t size_B;
	uint64_t n_errors;   /* when it was read */
	const void *library; /* where this code lies */
};

struct frames {
	uintptr_t ips[MAX_FRAMES];
	int n;
};

struct memcheck_error {
	char kind[64], what[TEXT_B], more[TEXT_B];
	struct frames at, origin;
};

int mpi_memcheck_create(struct mpi_memory *memory, int fd, struct mpi_memcheck **out)
{
	struct mpi_memcheck *memcheck = calloc(1, sizeof *memcheck);
	Dl_info info;

	if (!memcheck)
		return UTIL_ENOMEM;
	memcheck->memory = memory;
	memcheck->fd = fd;
	if (dladdr((const void *)(uintptr_t)mpi_memcheck_create, &info))
		memcheck->library = info.dli_fbase;
	*out = memcheck;
	return 0;
}

void mpi_memcheck_destroy(struct mpi_memcheck *memcheck)
{
	if (!memcheck)
		return;
	free(memcheck->text);
	free(memcheck);
}

/* --- the output --- */

static bool read_more(struct mpi_memcheck *memcheck)
{
	char piece[4096], *text;
	ssize_t n;

	while ((n = pread(memcheck->fd, piece, sizeof piece, memcheck->at)) > 0) {
		text = realloc(memcheck->text, memcheck->size_B + (size_t)n + 1);
		if (!text)
			return false;
		memcheck->text = text;
		memcpy(text + memcheck->size_B, piece, (size_t)n);
		memcheck->size_B += (size_t)n;
		text[memcheck->size_B] = 0;
		memcheck->at += n;
	}
	return memcheck->text != NULL;
}

/* What stands between `tag` and the next '<'; "" where there is none before `end`. */
static void copy_element(const char *text, const char *end, const char *tag, char out[],
			 size_t out_B)
{
	const char *at = strstr(text, tag);
	size_t n = 0;

	if (at && at < end)
		n = strcspn(at += strlen(tag), "<");
	n = n < out_B ? n : out_B - 1;
	memcpy(out, at ? at : "", n);
	out[n] = 0;
}

/* The stack that begins behind `text`. Returns where it ends. */
static const char *take_stack(const char *text, const char *end, struct frames *out)
{
	const char *stack = strstr(text, "<stack>"), *stop;

	if (!stack || stack >= end || !(stop = strstr(stack, "</stack>")))
		return end;
	while ((stack = strstr(stack, "<ip>")) && stack < stop && out->n < MAX_FRAMES) {
		stack += strlen("<ip>");
		out->ips[out->n++] = strtoull(stack, NULL, 16);
	}
	return stop;
}

static void parse(const char *text, const char *end, struct memcheck_error *out)
{
	const char *behind;

	memset(out, 0, sizeof *out);
	copy_element(text, end, "<kind>", out->kind, sizeof out->kind);
	copy_element(text, end, "<what>", out->what, sizeof out->what);
	if (!out->what[0])
		copy_element(text, end, "<text>", out->what, sizeof out->what);
	copy_element(text, end, "<auxwhat>", out->more, sizeof out->more);
	behind = take_stack(text, end, &out->at);
	take_stack(behind, end, &out->origin);
}

/* --- where in the program --- */

/* A place in the image of a rank; of programs whose ranks share one it is the rank that ran. */
static bool locate(const struct mpi_memcheck *memcheck, uintptr_t ip, int *rank)
{
	const struct pd_world *world = memcheck->memory->world->pd;
	uint64_t vaddr;

	for (int i = 0; i < world->n_programs && !world->is_builtin; i++) {
		const struct pd_image *image = world->programs[i].image;

		if (!image || !pd_image_locate(image, (const void *)ip, &vaddr))
			continue;
		if (image->pitch_B)
			*rank = world->programs[i].first_rank +
				(int)((ip - (uintptr_t)image->first) / image->pitch_B);
		return true;
	}
	return false;
}

static bool is_own(const struct mpi_memcheck *memcheck, uintptr_t ip)
{
	Dl_info info;

	return dladdr((const void *)ip, &info) && info.dli_fbase == memcheck->library;
}

/* False: it is not the program that does this. One frame of this library on the way is a function that
 * stands for one of libc. */
static bool find_place(const struct mpi_memcheck *memcheck, const struct frames *frames,
		       struct mpi_finding_call *out)
{
	int n_own = 0;

	for (int i = 0; i < frames->n; i++) {
		if (locate(memcheck, frames->ips[i], &out->rank)) {
			/* a site is where a call returns to; the other frames are told one before it
			 */
			out->site = (const void *)(frames->ips[i] + 1);
			return true;
		}
		n_own += is_own(memcheck, frames->ips[i]);
		if (n_own > 1)
			return false;
	}
	return false;
}

/* --- findings --- */

static void tell(struct mpi_rank *me, const char *class_name, const char *why,
		 struct mpi_finding_call calls[], int n_calls, const char *what,
		 const struct memcheck_error *error)
{
	mpi_memory_report(me, class_name, why, calls, n_calls, "%s%s%s", what,
			  error->more[0] ? ": " : "", error->more);
}

static void tell_undefined(struct mpi_memcheck *memcheck, struct mpi_rank *me,
			   struct mpi_finding_call *by, struct memcheck_error *error)
{
	struct mpi_finding_call calls[] = {*by, {by->rank, NULL, NULL}};
	int n = find_place(memcheck, &error->origin, &calls[1]) ? 2 : 1;
	const char *what = strcmp(error->kind, "UninitCondition") == 0
			       ? "a branch depends on bytes that nothing was written to"
			   : strcmp(error->kind, "UninitValue") == 0
			       ? "an address depends on bytes that nothing was written to"
			       : error->what;

	if (!mpi_memory_is_computed(memcheck->memory, me))
		return;
	tell(me, "undef-use", "what the program does then is chance", calls, n, what, error);
}

static void tell_access(struct mpi_memcheck *memcheck, struct mpi_rank *me,
			struct mpi_finding_call *by, struct memcheck_error *error)
{
	bool is_write = strcmp(error->kind, "InvalidWrite") == 0;
	const char *digits = strrchr(error->what, ' '), *address = strstr(error->more, "0x");
	uintptr_t at = address ? strtoull(address, NULL, 16) : 0;
	size_t size_B = digits ? strtoull(digits, NULL, 10) : 1;
	const struct mpi_memory_block *block = mpi_memory_block_at(memcheck->memory, at);
	struct mpi_finding_call calls[] = {*by, {0}};
	char what[TEXT_B];

	if (mpi_memory_is_active(memcheck->memory, me, at, size_B)) {
		mpi_memory_touch(memcheck->memory, me, at, size_B,
				 is_write ? MEMORY_WRITE : MEMORY_READ, by);
		return;
	}
	snprintf(what, sizeof what, "%s of %zu bytes that are not the program's",
		 is_write ? "write" : "read", size_B);
	if (block && block->is_freed) {
		calls[1] = block->freed_by;
		snprintf(error->more, sizeof error->more,
			 "%zu bytes behind the beginning of a heap block that was freed",
			 (size_t)(at - block->at));
	} else if (address && (address = strstr(address, " is "))) {
		address += strlen(" is "); /* where it lies differs from run to run */
		memmove(error->more, address, strlen(address) + 1);
	}
	tell(me, is_write ? "invalid-write" : "invalid-read",
	     "the memory belongs to something else, or is not there", calls,
	     block && block->is_freed ? 2 : 1, what, error);
}

static void take(struct mpi_memcheck *memcheck, struct mpi_rank *me, struct memcheck_error *error)
{
	struct mpi_finding_call by = {me ? me->rank : 0, NULL, NULL};

	if (!find_place(memcheck, &error->at, &by))
		return;
	me = &memcheck->memory->world->ranks[by.rank];
	if (strncmp(error->kind, "Uninit", 6) == 0 || strcmp(error->kind, "SyscallParam") == 0)
		tell_undefined(memcheck, me, &by, error);
	else if (strcmp(error->kind, "InvalidRead") == 0 ||
		 strcmp(error->kind, "InvalidWrite") == 0)
		tell_access(memcheck, me, &by, error);
	else
		tell(me, "invalid-memory", "valgrind says so", &by, 1, error->what, error);
}

void mpi_memcheck_look(struct mpi_memcheck *memcheck, struct mpi_rank *me)
{
	uint64_t n = mpi_memcheck_n_errors();
	struct memcheck_error error;
	const char *begin, *end;
	size_t rest;

	if (n == memcheck->n_errors)
		return;
	memcheck->n_errors = n;
	if (!read_more(memcheck))
		return;
	begin = memcheck->text;
	while ((end = strstr(begin, "</error>"))) {
		const char *start = strstr(begin, "<error>");

		if (start && start < end) {
			parse(start, end, &error);
			take(memcheck, me, &error);
		}
		begin = end + strlen("</error>");
	}
	rest = memcheck->size_B - (size_t)(begin - memcheck->text);
	memmove(memcheck->text, begin, rest + 1);
	memcheck->size_B = rest;
}

/* --- buffers that MPI has --- */

void mpi_memcheck_lock(struct mpi_memory_active *active)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;
	size_t span_B = buffer->high - buffer->low;

	if (!active->memcheck_bits)
		active->memcheck_bits = malloc(span_B * 2);
	for (size_t i = 0; active->memcheck_bits && i < buffer->n_runs; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];
		size_t at = run->at - buffer->low;

		mpi_memcheck_get(run->at, run->size_B, (bool *)active->memcheck_bits + span_B + at,
				 active->memcheck_bits + at);
		mpi_memcheck_hide(run->at, run->size_B);
	}
}

void mpi_memcheck_unlock(struct mpi_memory_active *active)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;
	size_t span_B = buffer->high - buffer->low;

	for (size_t i = 0; active->memcheck_bits && i < buffer->n_runs; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];
		size_t at = run->at - buffer->low;

		mpi_memcheck_set(run->at, run->size_B,
				 (const bool *)active->memcheck_bits + span_B + at,
				 active->memcheck_bits + at);
	}
}
