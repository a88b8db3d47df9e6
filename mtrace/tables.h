/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_TABLES_H
#define MTRACE_TABLES_H

#include "mtrace/reader.h"
#include "mtrace/table.h"
#include "mtrace/writer.h"

/* What a trace holds once, at its end: strings, functions, sites, doubts, late matches and where
 * every rank's stream starts. */
struct mtrace_tables {
	char **strings; /* [n_strings], owned */
	uint32_t n_strings;
	struct util_map hashes;	   /* of strings */
	uint32_t *functions;	   /* [n_functions][2]: strings of name and signature */
	uint32_t n_functions;
	struct util_map sites;
	uint32_t *site_texts; /* [sites.n]: string + 1, 0: unknown */
	struct util_map doubt_keys;
	struct mtrace_doubt_entry *doubts; /* [doubt_keys.n] */
	struct mtrace_late_match *late; /* [n_late] */
	size_t n_late;
};

/* UINT32_MAX when out of memory, as below. */
uint32_t mtrace_tables_string(struct mtrace_tables *tables, const char *text);
uint32_t mtrace_tables_function(struct mtrace_tables *tables, const char *name,
				const char *signature);
uint32_t mtrace_tables_site(struct mtrace_tables *tables, uint64_t key, bool *out_is_new);
bool mtrace_tables_doubt(struct mtrace_tables *tables, enum mtrace_doubt kind, uint32_t function,
			 uint32_t site, int rank, uint64_t count);
bool mtrace_tables_add_late(struct mtrace_tables *tables, const struct mtrace_late_match *match);
void mtrace_tables_finish(struct mtrace_tables *tables);
/* All as bytes, malloc'ed. */
bool mtrace_tables_encode(struct mtrace_tables *tables, struct mtrace_stream *const streams[],
			  int n_ranks, int n_spawned, unsigned char **out, size_t *out_size);

#endif
