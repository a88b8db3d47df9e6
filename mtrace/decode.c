/* SPDX-License-Identifier: BSD-3-Clause */
#include "mtrace/decode.h"

#include <stdlib.h>
#include <string.h>

/* An array of n items that took at least n bytes to say; NULL when out of memory, and then damaged
 * for the caller. */
static void *array(struct mtrace_cursor *c, uint64_t n, size_t size)
{
	void *items = calloc(n + 1, size);

	if (!items)
		c->is_damaged = true;
	return items;
}

static uint32_t get_index(struct mtrace_cursor *c, uint64_t n)
{
	uint64_t index = mtrace_get_uint(c);

	if (index >= n)
		c->is_damaged = true;
	return index < n ? (uint32_t)index : 0;
}

static void decode_strings(struct mtrace_opened *file, struct mtrace_cursor *c)
{
	uint64_t n = mtrace_get_count(c);
	char *at;

	file->strings = array(c, n, sizeof *file->strings);
	file->string_bytes = at = malloc((size_t)(c->end - c->at) + n + 1);
	if (!at)
		c->is_damaged = true;
	for (uint64_t i = 0; i < n && !c->is_damaged; i++) {
		uint64_t length = mtrace_get_count(c);

		file->strings[i] = at;
		mtrace_get_bytes(c, at, length);
		at[length] = '\0';
		at += length + 1;
	}
	file->public.n_strings = (uint32_t)n;
	file->public.strings = file->strings;
}

static void decode_functions(struct mtrace_opened *file, struct mtrace_cursor *c)
{
	uint64_t n = mtrace_get_count(c);

	file->functions = array(c, n, sizeof *file->functions);
	for (uint64_t i = 0; i < n && !c->is_damaged; i++) {
		uint32_t name = get_index(c, file->public.n_strings),
			 signature = get_index(c, file->public.n_strings);

		if (!c->is_damaged)
			file->functions[i] =
			    (struct mtrace_function){file->strings[name], file->strings[signature]};
	}
	file->public.n_functions = (uint32_t)n;
	file->public.functions = file->functions;
}

/* The second line of a site's text, which several sites may have, says who called. */
static void split_callers(struct mtrace_opened *file, uint64_t site)
{
	const char *line_end = file->callers[site];

	if (line_end)
		file->string_bytes[line_end - file->string_bytes] = '\0';
	file->callers[site] = line_end ? line_end + 1 : "";
}

static void decode_sites(struct mtrace_opened *file, struct mtrace_cursor *c)
{
	uint64_t n = mtrace_get_count(c);

	file->sites = array(c, n, sizeof *file->sites);
	file->callers = array(c, n, sizeof *file->callers);
	for (uint64_t i = 0; i < n && !c->is_damaged; i++) {
		uint32_t text = get_index(c, (uint64_t)file->public.n_strings + 1);

		file->sites[i] = text && !c->is_damaged ? file->strings[text - 1] : "";
		file->callers[i] = strchr(file->sites[i], '\n');
	}
	for (uint64_t i = 0; i < n && !c->is_damaged; i++)
		split_callers(file, i);
	file->public.n_sites = (uint32_t)n;
	file->public.sites = file->sites;
	file->public.callers = file->callers;
}

static void decode_doubts(struct mtrace_opened *file, struct mtrace_cursor *c)
{
	uint64_t n = mtrace_get_count(c);

	file->doubts = array(c, n, sizeof *file->doubts);
	for (uint64_t i = 0; i < n && !c->is_damaged; i++) {
		struct mtrace_doubt_entry *doubt = &file->doubts[i];

		doubt->kind = get_index(c, MTRACE_N_DOUBTS);
		doubt->function = get_index(c, (uint64_t)file->public.n_functions + 1) - 1;
		doubt->site = get_index(c, file->public.n_sites);
		doubt->first_rank = get_index(c, (uint64_t)file->public.n_ranks);
		doubt->count = mtrace_get_uint(c);
	}
	file->public.n_doubts = (uint32_t)n;
	file->public.doubts = file->doubts;
}

static void decode_late(struct mtrace_opened *file, struct mtrace_cursor *c)
{
	uint64_t n = mtrace_get_count(c);

	file->late = array(c, n, sizeof *file->late);
	for (uint64_t i = 0; i < n && !c->is_damaged; i++) {
		int32_t match[2];

		file->late[i].rank = (int32_t)get_index(c, (uint64_t)file->public.n_ranks);
		file->late[i].position = mtrace_get_uint(c);
		mtrace_get_bytes(c, match, sizeof match);
		file->late[i].source = match[0];
		file->late[i].tag = match[1];
	}
	file->public.n_late = n;
	file->public.late = file->late;
}

static void decode_ranks(struct mtrace_opened *file, struct mtrace_cursor *c)
{
	uint64_t n = (uint64_t)file->public.n_ranks;

	if (n > (uint64_t)(c->end - c->at)) {
		c->is_damaged = true;
		return;
	}
	file->ranks = array(c, n, sizeof *file->ranks);
	for (uint64_t i = 0; i < n && !c->is_damaged; i++) {
		struct mtrace_rank_start *start = &file->ranks[i];

		start->first = mtrace_get_uint(c);
		start->n_blocks = (uint32_t)mtrace_get_uint(c);
		start->n_records = mtrace_get_uint(c);
		start->size_B = mtrace_get_uint(c);
		file->public.n_records += start->n_records;
	}
	if (c->at < c->end)
		file->public.n_spawned = (int)get_index(c, n);
}

int mtrace_decode_tables(struct mtrace_opened *file, const unsigned char *bytes, size_t size,
			 uint64_t offset, struct util_error *err)
{
	struct mtrace_cursor c = {
	    .begin = bytes, .at = bytes, .end = bytes + size, .file = &file->public};

	decode_strings(file, &c);
	decode_functions(file, &c);
	decode_sites(file, &c);
	decode_doubts(file, &c);
	decode_late(file, &c);
	decode_ranks(file, &c);
	if (c.is_damaged || c.at != c.end)
		return util_refuse(
		    err,
		    "'%s' is damaged in its tables at byte %llu, %llu bytes unpacked into them",
		    file->public.path, (unsigned long long)offset,
		    (unsigned long long)(c.at - bytes));
	return 0;
}

void mtrace_decode_finish(struct mtrace_opened *file)
{
	free(file->string_bytes);
	free(file->strings);
	free(file->functions);
	free(file->sites);
	free(file->callers);
	free(file->doubts);
	free(file->late);
	free(file->ranks);
}
