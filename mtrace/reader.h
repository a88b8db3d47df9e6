/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_READER_H
#define MTRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mtrace/format.h"
#include "util/error.h"

/*
 * Reads traces. A file holds the header and tables in memory; a cursor streams one rank and holds
 * one block. Any number of cursors, of any ranks, may be open on a file, one after the other or at
 * once, in one thread.
 */
struct mtrace_function {
	const char *name, *signature;
};

struct mtrace_late_match {
	uint64_t position; /* of the match in the rank's stream */
	int32_t rank, source, tag;
};

struct mtrace_file {
	const char *path, *provenance; /* JSON */
	int n_ranks, n_spawned; /* n_spawned: of n_ranks, the last ones, which began during the run */
	uint32_t n_strings, n_functions, n_sites, n_doubts;
	const char *const *strings;		 /* [n_strings] */
	const struct mtrace_function *functions; /* [n_functions] */
	const char *const *sites;		 /* [n_sites]; "" where unknown */
	const char *const *callers; /* [n_sites] of their functions: "solve.c:9 (solve), main.c:30
				       (main)"; "" where unknown */
	const struct mtrace_doubt_entry *doubts; /* [n_doubts] */
	const struct mtrace_late_match *late;	 /* [n_late], by rank and position */
	size_t n_late;
	uint64_t n_records; /* of all ranks */
	uint64_t size_B;    /* of the file */
};

static inline int mtrace_ranks_at_start(const struct mtrace_file *file)
{
	return file->n_ranks - file->n_spawned;
}

/*
 * Opens a trace and checks header, tables and end marker. Errors: UTIL_EINPUT with the path, the
 * position of what is wrong, what was found and wanted (no trace, of another version, truncated,
 * damaged); UTIL_ESYSTEM; UTIL_ENOMEM.
 */
int mtrace_file_open(const char *path, struct mtrace_file **out, struct util_error *err);
void mtrace_file_close(struct mtrace_file *file); /* NULL is fine */

/*
 * The reading position in the stream of one rank. Between begin and end lies what is there of the
 * present block; records do not cross blocks. Gets never read beyond the block: what is missing
 * reads as 0 and sets `is_damaged`.
 */
struct mtrace_cursor {
	const unsigned char *at, *end;
	const unsigned char *begin;
	struct mtrace_file *file;
	unsigned char *block; /* [block_B] */
	size_t block_B;
	uint64_t position; /* of `begin` in the rank's stream */
	uint64_t next;	   /* offset of the next block; 0: none */
	uint64_t offset;   /* of the present block in the file */
	uint32_t sequence;
	int rank;
	bool is_damaged;
};

int mtrace_cursor_open(struct mtrace_file *file, int rank, struct mtrace_cursor *out,
		       struct util_error *err);
void mtrace_cursor_close(struct mtrace_cursor *cursor);
/*
 * Goes to the next block when the present one is used up. 1: there is a record at cursor->at; 0:
 * the stream is over; negative: the file is damaged, with the position. O(1) but for the block's
 * decompression.
 */
int mtrace_cursor_fill(struct mtrace_cursor *cursor, struct util_error *err);
static inline int mtrace_cursor_more(struct mtrace_cursor *cursor, struct util_error *err)
{
	return cursor->at < cursor->end && !cursor->is_damaged ? 1
							       : mtrace_cursor_fill(cursor, err);
}
/* Says that the record at hand cannot be: UTIL_EINPUT with path, rank and position. */
int mtrace_cursor_damaged(const struct mtrace_cursor *cursor, const char *what,
			  struct util_error *err);

uint64_t mtrace_get_uint_slow(struct mtrace_cursor *cursor);

static inline uint64_t mtrace_get_uint(struct mtrace_cursor *c)
{
	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	return mtrace_get_uint_slow(c);
}

static inline int64_t mtrace_get_int(struct mtrace_cursor *c)
{
	uint64_t value = mtrace_get_uint(c);

	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static inline void mtrace_get_bytes(struct mtrace_cursor *c, void *out, size_t size)
{
	if ((size_t)(c->end - c->at) < size) {
		c->is_damaged = true;
		c->at = c->end;
		memset(out, 0, size);
		return;
	}
	memcpy(out, c->at, size);
	c->at += size;
}

static inline unsigned char mtrace_get_byte(struct mtrace_cursor *c)
{
	unsigned char byte;

	mtrace_get_bytes(c, &byte, 1);
	return byte;
}

static inline double mtrace_get_double(struct mtrace_cursor *c)
{
	double value;

	mtrace_get_bytes(c, &value, sizeof value);
	return value;
}

/* A number of items that follow, each of at least one byte; more than are there sets is_damaged and
 * gives 0. */
static inline uint64_t mtrace_get_count(struct mtrace_cursor *c)
{
	uint64_t n = mtrace_get_uint(c);

	if (n > (uint64_t)(c->end - c->at)) {
		c->is_damaged = true;
		return 0;
	}
	return n;
}

/* The match that follows MTRACE_ANY_SOURCE (letter w), late ones looked up. */
void mtrace_get_match(struct mtrace_cursor *cursor, int32_t *out_source, int32_t *out_tag);
/* Skips a record of memory, behind its number. */
void mtrace_skip_memory(struct mtrace_cursor *cursor);
/* Skips the arguments of a call by its signature. */
void mtrace_skip_arguments(struct mtrace_cursor *cursor, const char *signature);

#endif
