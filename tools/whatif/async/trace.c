// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/async/trace.h"

#include <stdlib.h>

#include "util/array.h"

static int out_of_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for the records of a rank");
}

void async_rank_finish(struct async_rank *rank)
{
	free(rank->ops);
	free(rank->memories);
	free(rank->groups);
	free(rank->bytes);
	*rank = (struct async_rank){.ops = NULL};
}

/* --- reading --- */

static bool keep(struct async_rank *rank, const unsigned char *from, size_t size_B)
{
	if (rank->n_bytes + size_B > rank->capacity_B) {
		size_t capacity_B = 2 * (rank->n_bytes + size_B) + 4096;
		unsigned char *larger = realloc(rank->bytes, capacity_B);

		if (!larger)
			return false;
		rank->bytes = larger;
		rank->capacity_B = capacity_B;
	}
	memcpy(rank->bytes + rank->n_bytes, from, size_B);
	rank->n_bytes += size_B;
	return true;
}

static bool read_group(struct async_rank *rank, struct mtrace_cursor *c,
		       struct async_memory *memory)
{
	struct async_group group = {.at = mtrace_get_uint(c), .size_B = mtrace_get_uint(c)};
	uint64_t end;

	group.count = mtrace_get_uint(c);
	group.stride_B = mtrace_get_uint(c);
	if (group.count == 0 || (group.count > 1 && group.stride_B == 0)) {
		c->is_damaged = true;
		return true;
	}
	end = group.at + (group.count - 1) * group.stride_B + group.size_B;
	if (memory->n == 0 || group.at < memory->low)
		memory->low = group.at;
	if (end > memory->high)
		memory->high = end;
	memory->size_B += group.count * group.size_B;
	memory->n++;
	if (!util_array_room(&rank->groups, rank->n_groups, sizeof *rank->groups))
		return false;
	rank->groups[rank->n_groups++] = group;
	return true;
}

static bool read_memory(struct async_rank *rank, struct mtrace_cursor *c)
{
	struct async_memory memory = {.flags = mtrace_get_byte(c), .first = rank->n_groups};

	if (memory.flags & MTRACE_COMPUTED) {
		memory.site = (uint32_t)mtrace_get_uint(c);
		memory.fraction = mtrace_get_double(c);
	}
	for (uint64_t n = mtrace_get_count(c); n > 0; n--)
		if (!read_group(rank, c, &memory))
			return false;
	if (!util_array_room(&rank->memories, rank->n_memories, sizeof *rank->memories))
		return false;
	rank->memories[rank->n_memories++] = memory;
	return true;
}

static void note_request(struct async_rank *rank, struct mtrace_cursor *c)
{
	uint64_t id = mtrace_get_uint(c);

	if (id > rank->last_request)
		rank->last_request = id;
}

/* The arguments of a call; `matches`: where those of late matches begin, [n] at most 2. */
static int read_arguments(struct async_rank *rank, struct mtrace_cursor *c, const char *signature,
			  const unsigned char *matches[2], int32_t match[2][2])
{
	int n = 0;

	for (; *signature; signature++) {
		const char one[2] = {*signature};

		if (*signature == 'r' || *signature == 'R' || *signature == 'f') {
			note_request(rank, c);
		} else if (*signature == 'q') {
			for (uint64_t k = mtrace_get_count(c); k > 0; k--)
				note_request(rank, c);
		} else if (*signature == 'w' && n < 2) {
			if (mtrace_get_int(c) != MTRACE_ANY_SOURCE)
				continue;
			matches[n] = c->at;
			mtrace_get_match(c, &match[n][0], &match[n][1]);
			n++;
		} else {
			mtrace_skip_arguments(c, one);
		}
	}
	return n;
}

static void read_charge(struct mtrace_cursor *c, struct async_op *op)
{
	op->is_kernel = mtrace_get_uint(c) > 0;
	op->is_measured = mtrace_get_byte(c) & MTRACE_MEASURED;
	op->seconds = mtrace_get_double(c);
	for (int n = mtrace_get_byte(c); n > 0; n--)
		mtrace_get_double(c);
}

/* Records beside calls, by the letters of what follows; NULL: there is none such. */
static const char *letters_of(uint64_t what)
{
	switch (what) {
	case MTRACE_END:
	case MTRACE_PHASE_BEGIN:
	case MTRACE_CLOCK:
		return "r";
	case MTRACE_SLEEP:
	case MTRACE_TIMES:
	case MTRACE_POLLS:
		return "rr";
	case MTRACE_PHASE_END:
	case MTRACE_NODE_RELEASE:
	case MTRACE_NODE_ACQUIRE:
		return "";
	case MTRACE_TYPE:
		return "riiiiib";
	default:
		return NULL;
	}
}

static bool read_call(struct async_rank *rank, struct mtrace_cursor *c, struct async_op *op,
		      const unsigned char *from)
{
	const struct mtrace_file *file = c->file;
	uint64_t function = op->what - MTRACE_CALL;
	const unsigned char *matches[2];
	int32_t match[2][2];
	int n;

	op->site = (uint32_t)mtrace_get_uint(c);
	op->arguments = (size_t)(c->at - from);
	if (function >= file->n_functions || op->site >= file->n_sites) {
		c->is_damaged = true;
		return true;
	}
	n = read_arguments(rank, c, file->functions[function].signature, matches, match);
	op->raw = rank->n_bytes;
	op->raw_B = (size_t)(c->at - from);
	if (!keep(rank, from, op->raw_B))
		return false;
	for (int i = 0; i < n; i++)
		memcpy(rank->bytes + op->raw + (matches[i] - from), match[i], sizeof match[i]);
	return true;
}

/* One record; those of the memory of a call are kept for it, from `first` on. */
static bool read_record(struct async_rank *rank, struct mtrace_cursor *c, size_t *first)
{
	const unsigned char *from = c->at;
	struct async_op op = {.what = mtrace_get_uint(c), .first = *first};

	if (op.what == MTRACE_MEMORY) {
		if (!read_memory(rank, c))
			return false;
		if (!(rank->memories[rank->n_memories - 1].flags & MTRACE_COMPUTED))
			return true;
	} else if (op.what == MTRACE_CHARGE) {
		read_charge(c, &op);
	} else if (op.what >= MTRACE_CALL) {
		if (!read_call(rank, c, &op, from))
			return false;
	} else if (letters_of(op.what)) {
		mtrace_skip_arguments(c, letters_of(op.what));
	} else {
		c->is_damaged = true;
	}
	if (op.what >= MTRACE_CALL || op.what == MTRACE_MEMORY) {
		op.n = rank->n_memories - *first;
		*first = rank->n_memories;
	}
	if (op.what < MTRACE_CALL) {
		op.raw = rank->n_bytes;
		op.raw_B = (size_t)(c->at - from);
		if (!keep(rank, from, op.raw_B))
			return false;
	}
	if (!util_array_room(&rank->ops, rank->n_ops, sizeof *rank->ops))
		return false;
	rank->ops[rank->n_ops++] = op;
	return true;
}

int async_rank_read(struct mtrace_file *file, int number, struct async_rank *out,
		    struct util_error *err)
{
	struct mtrace_cursor c;
	size_t first = 0;
	int more, failed;

	*out = (struct async_rank){.rank = number};
	failed = mtrace_cursor_open(file, number, &c, err);
	if (failed)
		return failed;
	while ((more = mtrace_cursor_more(&c, err)) > 0 && !failed) {
		if (!read_record(out, &c, &first))
			failed = out_of_memory(err);
		else if (c.is_damaged)
			failed = mtrace_cursor_damaged(&c, "no such record", err);
	}
	mtrace_cursor_close(&c);
	return failed ? failed : more;
}

/* --- messages --- */

static int64_t read_source(struct mtrace_cursor *c, struct async_message *out, int32_t match[2])
{
	int64_t source = mtrace_get_int(c);

	out->is_wild = source == MTRACE_ANY_SOURCE;
	if (!out->is_wild)
		return source;
	mtrace_get_bytes(c, match, 2 * sizeof *match);
	return match[0];
}

/* From the buffer to the tag. */
static void read_half(struct mtrace_cursor *c, struct async_message *out, bool is_send)
{
	const unsigned char *from = c->at;
	int32_t match[2] = {0, 0};
	int64_t peer, tag;

	mtrace_skip_arguments(c, "bit");
	peer = is_send ? mtrace_get_int(c) : read_source(c, out, match);
	tag = mtrace_get_int(c);
	if (is_send) {
		out->has_send = true;
		out->send = from;
		out->send_B = (size_t)(c->at - from);
		out->dest = peer;
		out->send_tag = tag;
		return;
	}
	out->has_recv = true;
	out->recv = from;
	out->recv_B = (size_t)(c->at - from);
	out->source = peer;
	out->recv_tag = out->is_wild ? match[1] : tag;
	out->is_wild |= tag < 0;
}

void async_message_read(const struct async_rank *rank, const struct async_op *op,
			const char *signature, struct async_message *out)
{
	const unsigned char *record = rank->bytes + op->raw;
	struct mtrace_cursor c = {.at = record + op->arguments, .end = record + op->raw_B};

	*out = (struct async_message){.has_send = false};
	read_half(&c, out, signature[3] == 'i');
	if (signature[5] == 'b')
		read_half(&c, out, false);
	out->comm_at = c.at;
	out->comm = mtrace_get_uint(&c);
	out->comm_B = (size_t)(c.at - out->comm_at);
}

/* --- memory --- */

static uint64_t down(uint64_t at, uint64_t page_B)
{
	return at / page_B * page_B;
}

/* Whether [low, high) has bytes of the group's, whose runs are widened to whole pages. */
static bool meets_run(const struct async_group *g, uint64_t low, uint64_t high, uint64_t page_B)
{
	uint64_t widened = page_B - 1;
	uint64_t k = 0;

	if (g->count > 1 && low > g->at + g->size_B + widened)
		k = (low - g->at - g->size_B - widened) / g->stride_B;
	for (; k < g->count; k++) {
		uint64_t at = g->at + k * g->stride_B;

		if (down(at, page_B) >= high)
			return false;
		if (down(at + g->size_B + widened, page_B) > low)
			return true;
	}
	return false;
}

static bool groups_meet(const struct async_group *a, const struct async_group *b, uint64_t page_B)
{
	if (a->count > b->count)
		return groups_meet(b, a, page_B);
	for (uint64_t k = 0; k < a->count; k++) {
		uint64_t at = a->at + k * a->stride_B;

		if (meets_run(b, down(at, page_B), down(at + a->size_B + page_B - 1, page_B),
			      page_B))
			return true;
	}
	return false;
}

bool async_memory_meets(const struct async_rank *rank, const struct async_memory *a,
			const struct async_memory *b, uint64_t page_B)
{
	if (a->n == 0 || b->n == 0 || down(a->low, page_B) >= b->high + page_B - 1 ||
	    down(b->low, page_B) >= a->high + page_B - 1)
		return false;
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (groups_meet(&rank->groups[a->first + i], &rank->groups[b->first + k],
					page_B))
				return true;
	return false;
}

uint64_t async_memory_pages(const struct async_rank *rank, const struct async_memory *memory,
			    uint64_t page_B)
{
	uint64_t n = 0, last = UINT64_MAX;

	for (size_t i = 0; i < memory->n; i++) {
		const struct async_group *g = &rank->groups[memory->first + i];

		for (uint64_t k = 0; k < g->count; k++) {
			uint64_t first = (g->at + k * g->stride_B) / page_B;
			uint64_t end = (g->at + k * g->stride_B + g->size_B - 1) / page_B + 1;

			n += end - first - (first == last);
			last = end - 1;
		}
	}
	return n;
}
