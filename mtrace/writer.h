/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_WRITER_H
#define MTRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mtrace/format.h"
#include "util/error.h"

/*
 * Writes a trace in one pass. Memory: one window per rank (32 MiB in all, 2 to 64 KiB each) and the
 * tables of strings and sites; nothing grows with the number of records. The file appears under its
 * name in mtrace_writer_close: before, it is `PATH.PID.part` beside it, which mtrace_writer_destroy
 * removes.
 *
 *     mtrace_writer_create("run.mtrace", n_ranks, provenance, &writer, &err);
 *     stream = mtrace_writer_stream(writer, rank);
 *     mtrace_put_uint(stream, MTRACE_CALL + mtrace_writer_function(writer, "MPI_Barrier", "c"));
 *     site = mtrace_writer_site(writer, (uintptr_t)return_address, &is_new);
 *     if (is_new)
 *             mtrace_writer_set_site(writer, site, "ring.c:42 (main)");
 *     mtrace_put_uint(stream, site);
 *     mtrace_put_uint(stream, MTRACE_COMM_WORLD);
 *     mtrace_record_end(stream);
 *     …
 *     mtrace_writer_close(writer, &err);
 *     mtrace_writer_destroy(writer);
 *
 * A failure to write or to get memory is kept and returned by mtrace_writer_failed and
 * mtrace_writer_close; puts after it do nothing that harms.
 */
struct mtrace_writer;

struct mtrace_stream { /* of one rank; fields are the writer's own */
	struct mtrace_writer *writer;
	unsigned char *bytes; /* [size], [capacity]: records that are not in the file yet */
	size_t size, capacity, window;
	size_t record; /* where the open record starts */
	uint64_t n_records;
	uint64_t begin;	      /* position in the rank's stream of bytes[0] */
	uint64_t first, last; /* offsets of the rank's blocks in the file; 0: none yet */
	uint32_t n_blocks;
	int rank, n_together; /* n_together: those allocated with it */
};

/* `provenance`: a JSON text (docs/trace-format.md lists its members). Errors: UTIL_EINPUT,
 * UTIL_ENOMEM, UTIL_ESYSTEM with the path. */
int mtrace_writer_create(const char *path, int n_ranks, const char *provenance,
			 struct mtrace_writer **out, struct util_error *err);
/* The same to an open file, which the caller keeps: one in memory, say. Beyond `limit_B` writing
 * fails. */
int mtrace_writer_create_at(int fd, int n_ranks, const char *provenance, uint64_t limit_B,
			    struct mtrace_writer **out, struct util_error *err);
/* Writes what is left, the tables and the end marker, and gives the file its name. Every stream
 * ends with MTRACE_END. */
int mtrace_writer_close(struct mtrace_writer *writer, struct util_error *err);
/* NULL is fine. Without mtrace_writer_close no file is left. */
void mtrace_writer_destroy(struct mtrace_writer *writer);
/* 0, or what went wrong so far. */
int mtrace_writer_failed(const struct mtrace_writer *writer, struct util_error *err);

struct mtrace_stream *mtrace_writer_stream(struct mtrace_writer *writer, int rank);
/* `n` ranks more, which were spawned; streams stay where they are. */
void mtrace_writer_add_ranks(struct mtrace_writer *writer, int n);
/* Number of a text (kernels, phases), the same for equal ones. O(length). */
uint32_t mtrace_writer_string(struct mtrace_writer *writer, const char *text);
/* Number of a function with the signature of its arguments (mtrace/format.h), the same for equal
 * ones; "": calls that do nothing, beside those that do. O(length). */
uint32_t mtrace_writer_function(struct mtrace_writer *writer, const char *name,
				const char *signature);
/*
 * Number of a call site, the same for equal keys (an address in the program). Its text, "lu.c:88
 * (main)", may be set at any time before closing, as finding it out is costly; it is copied;
 * without one the site is unknown. O(1).
 */
uint32_t mtrace_writer_site(struct mtrace_writer *writer, uint64_t key, bool *out_is_new);
void mtrace_writer_set_site(struct mtrace_writer *writer, uint32_t site, const char *text);
/* Counts something that makes a replay elsewhere doubtful. */
void mtrace_writer_doubt(struct mtrace_writer *writer, enum mtrace_doubt kind, uint32_t function,
			 uint32_t site, int rank, uint64_t count);

/* --- records --- */

/* Makes room for `size` more bytes; false when out of memory. */
bool mtrace_stream_grow(struct mtrace_stream *stream, size_t size);
/* The record is complete. A full window is written to the file. */
void mtrace_stream_flush(struct mtrace_stream *stream);

enum { MTRACE_MAX_VARINT_B = 10 };

static inline void mtrace_put_uint(struct mtrace_stream *s, uint64_t value)
{
	if (s->capacity - s->size < MTRACE_MAX_VARINT_B &&
	    !mtrace_stream_grow(s, MTRACE_MAX_VARINT_B))
		return;
	while (value >= 0x80) {
		s->bytes[s->size++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	s->bytes[s->size++] = (unsigned char)value;
}

static inline void mtrace_put_int(struct mtrace_stream *s, int64_t value)
{
	mtrace_put_uint(s, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static inline void mtrace_put_bytes(struct mtrace_stream *s, const void *bytes, size_t size)
{
	if (s->capacity - s->size < size && !mtrace_stream_grow(s, size))
		return;
	memcpy(s->bytes + s->size, bytes, size);
	s->size += size;
}

static inline void mtrace_put_byte(struct mtrace_stream *s, unsigned char byte)
{
	mtrace_put_bytes(s, &byte, 1);
}

static inline void mtrace_put_double(struct mtrace_stream *s, double value)
{
	mtrace_put_bytes(s, &value, sizeof value);
}

/* Where the next byte goes, in the rank's whole stream: for mtrace_patch. */
static inline uint64_t mtrace_position(const struct mtrace_stream *s)
{
	return s->begin + s->size;
}

/* Writes a match (letter w) over one that was put at `position`; where its window is written
 * already, it goes to the table of late matches. Within the stream's records that are complete. */
void mtrace_patch_match(struct mtrace_stream *stream, uint64_t position, int32_t source,
			int32_t tag);

static inline void mtrace_put_match(struct mtrace_stream *s, int32_t source, int32_t tag)
{
	int32_t match[2] = {source, tag};

	mtrace_put_bytes(s, match, sizeof match);
}

static inline void mtrace_record_end(struct mtrace_stream *s)
{
	s->n_records++;
	s->record = s->size;
	if (s->size >= s->window)
		mtrace_stream_flush(s);
}

/* Drops the record that is open. */
static inline void mtrace_record_drop(struct mtrace_stream *s)
{
	s->size = s->record;
}

#endif
