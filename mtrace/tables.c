/* SPDX-License-Identifier: BSD-3-Clause */
#include "mtrace/tables.h"

#include <stdlib.h>

#include "util/array.h"

/* The number of the key, in the order in which keys came; UINT32_MAX: out of memory. */
static uint32_t number_of(struct util_map *map, uint64_t key, bool *out_is_new)
{
	struct util_map_slot *slot = util_map_find(map, key);

	*out_is_new = !slot;
	if (!slot) {
		slot = util_map_add(map, key);
		if (!slot)
			return UINT32_MAX;
		slot->number = map->n;
	}
	return (uint32_t)slot->number - 1;
}

/* Equal hashes of different texts are told apart by hashing on. */
uint32_t mtrace_tables_string(struct mtrace_tables *tables, const char *text)
{
	uint64_t hash = util_hash(text, strlen(text), 0);
	uint32_t number;
	bool is_new;

	for (;;) {
		number = number_of(&tables->hashes, hash, &is_new);
		if (number == UINT32_MAX)
			return number;
		if (is_new)
			break;
		if (strcmp(tables->strings[number], text) == 0)
			return number;
		hash = util_hash("", 1, hash);
	}
	if (!util_array_room(&tables->strings, number, sizeof *tables->strings))
		return UINT32_MAX;
	tables->strings[number] = strdup(text);
	tables->n_strings = number + 1;
	return tables->strings[number] ? number : UINT32_MAX;
}

uint32_t mtrace_tables_function(struct mtrace_tables *tables, const char *name,
				const char *signature)
{
	uint32_t n = tables->n_functions, name_number = mtrace_tables_string(tables, name),
		 signature_number = mtrace_tables_string(tables, signature);

	for (uint32_t i = 0; i < n; i++)
		if (tables->functions[2 * i] == name_number &&
		    tables->functions[2 * i + 1] == signature_number)
			return i;
	if (name_number == UINT32_MAX || signature_number == UINT32_MAX ||
	    !util_array_room(&tables->functions, n, 2 * sizeof *tables->functions))
		return UINT32_MAX;
	tables->functions[2 * n] = name_number;
	tables->functions[2 * n + 1] = signature_number;
	return tables->n_functions++;
}

uint32_t mtrace_tables_site(struct mtrace_tables *tables, uint64_t key, bool *out_is_new)
{
	uint32_t number = number_of(&tables->sites, key, out_is_new);

	if (number == UINT32_MAX || !*out_is_new)
		return number;
	if (!util_array_room(&tables->site_texts, number, sizeof *tables->site_texts))
		return UINT32_MAX;
	tables->site_texts[number] = 0;
	return number;
}

bool mtrace_tables_doubt(struct mtrace_tables *tables, enum mtrace_doubt kind, uint32_t function,
			 uint32_t site, int rank, uint64_t count)
{
	uint64_t key = (uint64_t)site << 32 | (uint64_t)(function & 0xffffff) << 8 | kind;
	struct mtrace_doubt_entry *entry;
	bool is_new;
	uint32_t number = number_of(&tables->doubt_keys, key, &is_new);

	if (number == UINT32_MAX ||
	    (is_new && !util_array_room(&tables->doubts, number, sizeof *tables->doubts)))
		return false;
	entry = &tables->doubts[number];
	if (is_new)
		*entry = (struct mtrace_doubt_entry){
		    .kind = kind, .function = function, .site = site, .first_rank = (uint32_t)rank};
	if ((uint32_t)rank < entry->first_rank)
		entry->first_rank = (uint32_t)rank;
	entry->count += count;
	return true;
}

bool mtrace_tables_add_late(struct mtrace_tables *tables, const struct mtrace_late_match *match)
{
	if (!util_array_room(&tables->late, (size_t)tables->n_late, sizeof *tables->late))
		return false;
	tables->late[tables->n_late++] = *match;
	return true;
}

void mtrace_tables_finish(struct mtrace_tables *tables)
{
	for (uint32_t i = 0; i < tables->n_strings; i++)
		free(tables->strings[i]);
	free(tables->strings);
	free(tables->functions);
	free(tables->site_texts);
	free(tables->doubts);
	free(tables->late);
	util_map_finish(&tables->hashes);
	util_map_finish(&tables->sites);
	util_map_finish(&tables->doubt_keys);
}

static int by_rank_and_position(const void *a, const void *b)
{
	const struct mtrace_late_match *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static void encode_late(struct mtrace_tables *tables, struct mtrace_stream *s)
{
	if (tables->n_late > 0)
		qsort(tables->late, tables->n_late, sizeof *tables->late, by_rank_and_position);
	mtrace_put_uint(s, tables->n_late);
	for (size_t i = 0; i < tables->n_late; i++) {
		mtrace_put_uint(s, (uint64_t)tables->late[i].rank);
		mtrace_put_uint(s, tables->late[i].position);
		mtrace_put_match(s, tables->late[i].source, tables->late[i].tag);
	}
}

static void encode_doubts(const struct mtrace_tables *tables, struct mtrace_stream *s)
{
	mtrace_put_uint(s, tables->doubt_keys.n);
	for (size_t i = 0; i < tables->doubt_keys.n; i++) {
		const struct mtrace_doubt_entry *doubt = &tables->doubts[i];

		mtrace_put_uint(s, doubt->kind);
		mtrace_put_uint(s, doubt->function == UINT32_MAX ? 0 : doubt->function + 1);
		mtrace_put_uint(s, doubt->site);
		mtrace_put_uint(s, doubt->first_rank);
		mtrace_put_uint(s, doubt->count);
	}
}

bool mtrace_tables_encode(struct mtrace_tables *tables, struct mtrace_stream *const streams[],
			  int n_ranks, int n_spawned, unsigned char **out, size_t *out_size)
{
	struct mtrace_stream s = {.writer = streams[0]->writer};

	mtrace_put_uint(&s, tables->n_strings);
	for (uint32_t i = 0; i < tables->n_strings; i++) {
		size_t length = strlen(tables->strings[i]);

		mtrace_put_uint(&s, length);
		mtrace_put_bytes(&s, tables->strings[i], length);
	}
	mtrace_put_uint(&s, tables->n_functions);
	for (uint32_t i = 0; i < 2 * tables->n_functions; i++)
		mtrace_put_uint(&s, tables->functions[i]);
	mtrace_put_uint(&s, tables->sites.n);
	for (size_t i = 0; i < tables->sites.n; i++)
		mtrace_put_uint(&s, tables->site_texts[i]);
	encode_doubts(tables, &s);
	encode_late(tables, &s);
	for (int rank = 0; rank < n_ranks; rank++) {
		mtrace_put_uint(&s, streams[rank]->first);
		mtrace_put_uint(&s, streams[rank]->n_blocks);
		mtrace_put_uint(&s, streams[rank]->n_records);
		mtrace_put_uint(&s, streams[rank]->begin);
	}
	if (n_spawned > 0)
		mtrace_put_uint(&s, (uint64_t)n_spawned);
	*out = s.bytes;
	*out_size = s.size;
	return mtrace_writer_failed(s.writer, NULL) == 0;
}
