/* SPDX-License-Identifier: BSD-3-Clause */
#include "mtrace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "mtrace/tables.h"
#include "util/outpath.h"

#define WINDOWS_B ((size_t)32 << 20) /* of all ranks together */
#define MIN_WINDOW_B ((size_t)2 << 10)
#define MAX_WINDOW_B ((size_t)64 << 10)
#define LEVEL 3 /* of compression: zstd's default; higher ones cost more than they save here */

struct mtrace_writer {
	char *path, *part; /* NULL: the caller's file */
	uint64_t limit_B;  /* of that file; 0: none */
	char *provenance;
	int fd, n_ranks, n_spawned;
	uint64_t end;		       /* of what is written */
	struct mtrace_stream **streams; /* [n_ranks] */
	struct mtrace_tables tables;
	ZSTD_CCtx *packer;
	unsigned char *packed; /* [packed_capacity] */
	size_t packed_capacity;
	struct util_error error; /* the first one; code 0: none */
	bool is_closed;
};

static const char *name_of(const struct mtrace_writer *writer)
{
	return writer->path ? writer->path : "a trace";
}

static void fail_memory(struct mtrace_writer *writer)
{
	if (!writer->error.code)
		util_error_set(&writer->error, UTIL_ENOMEM, "out of memory writing '%s'",
			       name_of(writer));
}

static void write_at(struct mtrace_writer *writer, const void *bytes, size_t size, uint64_t offset)
{
	const char *p = bytes;

	if (writer->limit_B > 0 && offset + size > writer->limit_B && !writer->error.code)
		util_error_set(&writer->error, UTIL_ENOMEM, "it takes more than %g MB",
			       1e-6 * (double)writer->limit_B);
	while (size > 0 && !writer->error.code) {
		ssize_t n = pwrite(writer->fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			util_error_errno(&writer->error, n < 0 ? errno : ENOSPC,
					 "cannot write '%s'", name_of(writer));
			return;
		}
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

static void append(struct mtrace_writer *writer, const void *bytes, size_t size)
{
	write_at(writer, bytes, size, writer->end);
	writer->end += size;
}

/* Compresses into writer->packed; 0 when that failed. The frame ends with a checksum of the
 * content. */
static size_t pack(struct mtrace_writer *writer, const void *bytes, size_t size)
{
	size_t bound = ZSTD_compressBound(size), n;

	if (bound > writer->packed_capacity) {
		unsigned char *larger = realloc(writer->packed, bound);

		if (!larger) {
			fail_memory(writer);
			return 0;
		}
		writer->packed = larger;
		writer->packed_capacity = bound;
	}
	n = ZSTD_compress2(writer->packer, writer->packed, writer->packed_capacity, bytes, size);
	if (ZSTD_isError(n)) {
		fail_memory(writer);
		return 0;
	}
	return n;
}

void mtrace_stream_flush(struct mtrace_stream *s)
{
	struct mtrace_writer *writer = s->writer;
	struct mtrace_block_header header = {
	    .magic = MTRACE_BLOCK_MAGIC, .rank = (uint32_t)s->rank, .sequence = s->n_blocks};
	uint64_t offset = writer->end;
	size_t packed_B;

	if (s->record == 0 || writer->error.code)
		return;
	packed_B = pack(writer, s->bytes, s->record);
	header.raw_B = (uint32_t)s->record;
	header.packed_B = (uint32_t)packed_B;
	header.check = util_hash(&header, offsetof(struct mtrace_block_header, check), 0);
	header.check = util_hash(writer->packed, packed_B, header.check);
	append(writer, &header, sizeof header);
	append(writer, writer->packed, packed_B);
	if (s->n_blocks++ == 0)
		s->first = offset;
	else
		write_at(writer, &offset, sizeof offset,
			 s->last + offsetof(struct mtrace_block_header, next));
	s->last = offset;
	memmove(s->bytes, s->bytes + s->record, s->size - s->record);
	s->begin += s->record;
	s->size -= s->record;
	s->record = 0;
}

bool mtrace_stream_grow(struct mtrace_stream *s, size_t size)
{
	size_t capacity = s->capacity ? s->capacity : 256;
	unsigned char *larger;

	while (capacity < s->size + size)
		capacity *= 2;
	larger = capacity <= UINT32_MAX ? realloc(s->bytes, capacity) : NULL;
	if (!larger) {
		fail_memory(s->writer);
		return false;
	}
	s->bytes = larger;
	s->capacity = capacity;
	return true;
}

void mtrace_patch_match(struct mtrace_stream *s, uint64_t position, int32_t source, int32_t tag)
{
	int32_t match[2] = {source, tag};

	if (position >= s->begin)
		memcpy(s->bytes + (position - s->begin), match, sizeof match);
	else if (!mtrace_tables_add_late(&s->writer->tables, &(struct mtrace_late_match){
								 position, s->rank, source, tag}))
		fail_memory(s->writer);
}

struct mtrace_stream *mtrace_writer_stream(struct mtrace_writer *writer, int rank)
{
	return writer->streams[rank];
}

uint32_t mtrace_writer_string(struct mtrace_writer *writer, const char *text)
{
	uint32_t number = mtrace_tables_string(&writer->tables, text);

	if (number == UINT32_MAX)
		fail_memory(writer);
	return number;
}

uint32_t mtrace_writer_function(struct mtrace_writer *writer, const char *name,
				const char *signature)
{
	uint32_t number = mtrace_tables_function(&writer->tables, name, signature);

	if (number == UINT32_MAX)
		fail_memory(writer);
	return number;
}

uint32_t mtrace_writer_site(struct mtrace_writer *writer, uint64_t key, bool *out_is_new)
{
	uint32_t number = mtrace_tables_site(&writer->tables, key, out_is_new);

	if (number == UINT32_MAX)
		fail_memory(writer);
	return number;
}

void mtrace_writer_set_site(struct mtrace_writer *writer, uint32_t site, const char *text)
{
	uint32_t number = mtrace_writer_string(writer, text);

	if (site < writer->tables.sites.n)
		writer->tables.site_texts[site] = number + 1;
}

void mtrace_writer_doubt(struct mtrace_writer *writer, enum mtrace_doubt kind, uint32_t function,
			 uint32_t site, int rank, uint64_t count)
{
	if (!mtrace_tables_doubt(&writer->tables, kind, function, site, rank, count))
		fail_memory(writer);
}

static size_t window_of(int n_ranks)
{
	size_t window = WINDOWS_B / (size_t)n_ranks;

	if (window > MAX_WINDOW_B)
		return MAX_WINDOW_B;
	return window < MIN_WINDOW_B ? MIN_WINDOW_B : window;
}

static int create_file(struct mtrace_writer *writer, struct util_error *err)
{
	char *path = NULL;
	int failed = util_output_path(writer->path, &path, err);

	writer->path = path;
	if (failed)
		return failed;
	writer->part = util_output_part(writer->path);
	if (!writer->part)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	writer->fd = open(writer->part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (writer->fd < 0)
		return util_error_errno(err, errno, "cannot write '%s'", writer->path);
	util_output_hold(writer->fd, writer->path);
	return 0;
}

/* Written once more at the end, when ranks were added. */
static void write_header(struct mtrace_writer *writer)
{
	const char *provenance = writer->provenance;
	struct mtrace_file_header header = {.version = MTRACE_VERSION,
					    .n_ranks = (uint32_t)writer->n_ranks,
					    .provenance_B = strlen(provenance)};
	uint64_t hash;

	memcpy(header.magic, MTRACE_MAGIC, sizeof header.magic);
	hash = util_hash(&header, offsetof(struct mtrace_file_header, check), 0);
	header.check = util_hash(provenance, header.provenance_B, hash);
	write_at(writer, &header, sizeof header, 0);
	write_at(writer, provenance, header.provenance_B, sizeof header);
	if (writer->end == 0)
		writer->end = sizeof header + header.provenance_B;
}

static int add_streams(struct mtrace_writer *writer, int n, size_t window)
{
	size_t n_all = (size_t)writer->n_ranks + (size_t)n;
	struct mtrace_stream **streams = realloc(writer->streams, n_all * sizeof *streams);
	struct mtrace_stream *added = calloc((size_t)n, sizeof *added);

	if (streams)
		writer->streams = streams;
	if (!streams || !added) {
		free(added);
		return UTIL_ENOMEM;
	}
	for (int i = 0; i < n; i++) {
		added[i] = (struct mtrace_stream){
		    .writer = writer, .rank = writer->n_ranks + i, .n_together = n, .window = window};
		streams[writer->n_ranks + i] = &added[i];
	}
	writer->n_ranks += n;
	return 0;
}

void mtrace_writer_add_ranks(struct mtrace_writer *writer, int n)
{
	if (n <= MTRACE_MAX_RANKS - writer->n_ranks &&
	    add_streams(writer, n, MIN_WINDOW_B) == 0)
		writer->n_spawned += n;
	else
		fail_memory(writer);
}

/* path NULL: to `fd`. */
static int create(const char *path, int fd, int n_ranks, const char *provenance, uint64_t limit_B,
		  struct mtrace_writer **out, struct util_error *err)
{
	struct mtrace_writer *writer;
	int failed;

	if (n_ranks < 1 || n_ranks > MTRACE_MAX_RANKS)
		return util_refuse(err, "%d ranks in a trace, wanted 1 to %d", n_ranks,
				   MTRACE_MAX_RANKS);
	writer = calloc(1, sizeof *writer);
	if (!writer)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
	writer->fd = fd;
	writer->path = (char *)(uintptr_t)path;
	writer->limit_B = limit_B;
	failed = path ? create_file(writer, err) : 0;
	writer->provenance = strdup(provenance);
	writer->packer = ZSTD_createCCtx();
	if (!failed && (!writer->provenance || !writer->packer ||
			add_streams(writer, n_ranks, window_of(n_ranks))))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
	if (failed) {
		if (writer->path == path) /* was not copied yet */
			writer->path = NULL;
		mtrace_writer_destroy(writer);
		return failed;
	}
	ZSTD_CCtx_setParameter(writer->packer, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(writer->packer, ZSTD_c_checksumFlag, 1);
	write_header(writer);
	*out = writer;
	return 0;
}

int mtrace_writer_create(const char *path, int n_ranks, const char *provenance,
			 struct mtrace_writer **out, struct util_error *err)
{
	return create(path, -1, n_ranks, provenance, 0, out, err);
}

int mtrace_writer_create_at(int fd, int n_ranks, const char *provenance, uint64_t limit_B,
			    struct mtrace_writer **out, struct util_error *err)
{
	return create(NULL, fd, n_ranks, provenance, limit_B, out, err);
}

int mtrace_writer_failed(const struct mtrace_writer *writer, struct util_error *err)
{
	if (writer->error.code)
		return util_error_set(err, writer->error.code, "%s", writer->error.text);
	return 0;
}

static void write_tables(struct mtrace_writer *writer)
{
	struct mtrace_trailer trailer = {.tables = writer->end};
	unsigned char *bytes;
	size_t size, packed_B;

	if (!mtrace_tables_encode(&writer->tables, writer->streams, writer->n_ranks,
				  writer->n_spawned, &bytes, &size)) {
		fail_memory(writer);
		return;
	}
	packed_B = pack(writer, bytes, size);
	append(writer, writer->packed, packed_B);
	free(bytes);
	trailer.raw_B = size;
	trailer.check = util_hash(&trailer, offsetof(struct mtrace_trailer, check), 0);
	trailer.check = util_hash(writer->packed, packed_B, trailer.check);
	memcpy(trailer.magic, MTRACE_END_MAGIC, sizeof trailer.magic);
	append(writer, &trailer, sizeof trailer);
}

int mtrace_writer_close(struct mtrace_writer *writer, struct util_error *err)
{
	for (int rank = 0; rank < writer->n_ranks; rank++)
		mtrace_stream_flush(writer->streams[rank]);
	if (!writer->error.code && writer->n_spawned > 0)
		write_header(writer);
	if (!writer->error.code)
		write_tables(writer);
	if (!writer->error.code && writer->path && rename(writer->part, writer->path))
		util_error_errno(&writer->error, errno, "cannot write '%s'", writer->path);
	writer->is_closed = !writer->error.code;
	return mtrace_writer_failed(writer, err);
}

void mtrace_writer_destroy(struct mtrace_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0 && writer->part)
		close(writer->fd);
	if (writer->part && !writer->is_closed)
		unlink(writer->part);
	for (int rank = 0; rank < writer->n_ranks; rank++)
		free(writer->streams[rank]->bytes);
	for (int rank = 0, next; rank < writer->n_ranks; rank = next) {
		next = rank + writer->streams[rank]->n_together;
		free(writer->streams[rank]);
	}
	free(writer->streams);
	free(writer->provenance);
	mtrace_tables_finish(&writer->tables);
	ZSTD_freeCCtx(writer->packer);
	free(writer->packed);
	free(writer->part);
	free(writer->path);
	free(writer);
}
