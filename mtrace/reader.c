/* SPDX-License-Identifier: BSD-3-Clause */
#include "mtrace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "mtrace/decode.h"

/* No block is larger: what a file says is not believed further. */
#define MAX_RAW_B ((uint64_t)1 << 30)

/* Reads `size` bytes at `offset`; negative: see err. */
static int read_at(struct mtrace_opened *file, void *out, size_t size, uint64_t offset,
		   struct util_error *err)
{
	char *p = out;

	if (offset > file->public.size_B || size > file->public.size_B - offset)
		return util_refuse(err,
				   "'%s' is damaged at byte %llu: %llu bytes should be there, and "
				   "the file ends at byte %llu",
				   file->public.path, (unsigned long long)offset,
				   (unsigned long long)size,
				   (unsigned long long)file->public.size_B);
	while (size > 0) {
		ssize_t n = pread(file->fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return util_error_errno(err, n < 0 ? errno : EIO, "cannot read '%s'",
						file->public.path);
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Reads a frame and unpacks it into frame->raw_B bytes, exactly. */
static int unpack(struct mtrace_opened *file, const struct mtrace_frame *frame, unsigned char *out,
		  struct util_error *err)
{
	size_t n;
	int failed;

	if (frame->packed_B > file->packed_capacity) {
		unsigned char *larger = frame->packed_B <= file->public.size_B
					    ? realloc(file->packed, frame->packed_B)
					    : NULL;

		if (!larger)
			return util_refuse(err,
					   "'%s' is damaged at byte %llu: a block of %llu bytes",
					   file->public.path, (unsigned long long)frame->offset,
					   (unsigned long long)frame->packed_B);
		file->packed = larger;
		file->packed_capacity = frame->packed_B;
	}
	failed = read_at(file, file->packed, frame->packed_B, frame->offset, err);
	if (failed)
		return failed;
	if (util_hash(file->packed, frame->packed_B, frame->seed) != frame->check)
		return util_refuse(err,
				   "'%s' is damaged at byte %llu: the checksum of a block is wrong",
				   file->public.path, (unsigned long long)frame->offset);
	n = ZSTD_decompressDCtx(file->unpacker, out, frame->raw_B, file->packed, frame->packed_B);
	if (ZSTD_isError(n) || n != frame->raw_B)
		return util_refuse(err, "'%s' is damaged at byte %llu: %s", file->public.path,
				   (unsigned long long)frame->offset,
				   ZSTD_isError(n) ? ZSTD_getErrorName(n) : "a block is too short");
	return 0;
}

static int read_header(struct mtrace_opened *file, struct util_error *err)
{
	struct mtrace_file_header header;
	uint64_t hash;
	int failed;

	if (file->public.size_B < sizeof header)
		return util_refuse(err, "'%s' is no trace: it has %llu bytes", file->public.path,
				   (unsigned long long)file->public.size_B);
	failed = read_at(file, &header, sizeof header, 0, err);
	if (failed)
		return failed;
	if (memcmp(header.magic, MTRACE_MAGIC, sizeof header.magic) != 0)
		return util_refuse(
		    err, "'%s' is no trace: it does not start as those of mpisim-run --record do",
		    file->public.path);
	if (header.version != MTRACE_VERSION)
		return util_refuse(err, "'%s' is a trace of version %u, wanted %d",
				   file->public.path, header.version, MTRACE_VERSION);
	if (header.provenance_B > file->public.size_B - sizeof header || header.n_ranks < 1 ||
	    header.n_ranks > MTRACE_MAX_RANKS)
		return util_refuse(err,
				   "'%s' is damaged at byte 0: its header says %u ranks and %llu "
				   "bytes of provenance",
				   file->public.path, header.n_ranks,
				   (unsigned long long)header.provenance_B);
	file->text = malloc(header.provenance_B + 1);
	if (!file->text)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for '%s'",
				      file->public.path);
	failed = read_at(file, file->text, header.provenance_B, sizeof header, err);
	if (failed)
		return failed;
	file->text[header.provenance_B] = '\0';
	hash = util_hash(&header, offsetof(struct mtrace_file_header, check), 0);
	if (util_hash(file->text, header.provenance_B, hash) != header.check)
		return util_refuse(
		    err, "'%s' is damaged in its header, bytes 0 to %llu: the checksum is wrong",
		    file->public.path, (unsigned long long)(sizeof header + header.provenance_B));
	file->public.provenance = file->text;
	file->public.n_ranks = (int)header.n_ranks;
	return 0;
}

static int read_tables(struct mtrace_opened *file, struct util_error *err)
{
	struct mtrace_trailer trailer;
	struct mtrace_frame frame;
	uint64_t size = file->public.size_B, begin;
	unsigned char *bytes;
	int failed;

	begin = size < sizeof trailer ? 0 : size - sizeof trailer;
	failed = read_at(file, &trailer, sizeof trailer, begin, err);
	if (failed)
		return failed;
	if (memcmp(trailer.magic, MTRACE_END_MAGIC, sizeof trailer.magic) != 0)
		return util_refuse(
		    err, "'%s' is truncated: its last byte, %llu, is not the end of a trace",
		    file->public.path, (unsigned long long)size);
	if (trailer.tables > begin || trailer.raw_B > MAX_RAW_B)
		return util_refuse(err, "'%s' is damaged in its end marker at byte %llu",
				   file->public.path, (unsigned long long)begin);
	bytes = malloc(trailer.raw_B + 1);
	if (!bytes)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for '%s'",
				      file->public.path);
	frame = (struct mtrace_frame){
	    .offset = trailer.tables,
	    .packed_B = begin - trailer.tables,
	    .raw_B = trailer.raw_B,
	    .seed = util_hash(&trailer, offsetof(struct mtrace_trailer, check), 0),
	    .check = trailer.check,
	};
	failed = unpack(file, &frame, bytes, err);
	if (!failed)
		failed = mtrace_decode_tables(file, bytes, trailer.raw_B, trailer.tables, err);
	free(bytes);
	return failed;
}

int mtrace_file_open(const char *path, struct mtrace_file **out, struct util_error *err)
{
	struct mtrace_opened *file = calloc(1, sizeof *file);
	struct stat status;
	int failed = 0;

	if (file)
		file->fd = -1;
	if (!file || !(file->path = strdup(path)) || !(file->unpacker = ZSTD_createDCtx())) {
		mtrace_file_close(file ? &file->public : NULL);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for '%s'", path);
	}
	file->public.path = file->path;
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* pipes are refused below */
	if (file->fd < 0 || fstat(file->fd, &status))
		failed = util_error_errno(err, errno, "cannot read '%s'", path);
	else if (!S_ISREG(status.st_mode))
		failed = util_refuse(err, "'%s' is no regular file, which a trace has to be", path);
	else
		file->public.size_B = (uint64_t)status.st_size;
	if (!failed)
		failed = read_header(file, err);
	if (!failed)
		failed = read_tables(file, err);
	if (failed) {
		mtrace_file_close(&file->public);
		return failed;
	}
	*out = &file->public;
	return 0;
}

void mtrace_file_close(struct mtrace_file *public)
{
	struct mtrace_opened *file = (struct mtrace_opened *)public;

	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	mtrace_decode_finish(file);
	ZSTD_freeDCtx(file->unpacker);
	free(file->packed);
	free(file->text);
	free(file->path);
	free(file);
}

int mtrace_cursor_open(struct mtrace_file *file, int rank, struct mtrace_cursor *out,
		       struct util_error *err)
{
	*out = (struct mtrace_cursor){
	    .file = file, .rank = rank, .next = ((struct mtrace_opened *)file)->ranks[rank].first};
	return mtrace_cursor_fill(out, err) < 0 ? err ? err->code : UTIL_EINPUT : 0;
}

void mtrace_cursor_close(struct mtrace_cursor *cursor)
{
	free(cursor->block);
	*cursor = (struct mtrace_cursor){.rank = -1};
}

int mtrace_cursor_damaged(const struct mtrace_cursor *c, const char *what, struct util_error *err)
{
	return util_refuse(err,
			   "'%s' is damaged: rank %d, byte %llu of its records (in the block at "
			   "byte %llu of the file): %s",
			   c->file->path, c->rank,
			   (unsigned long long)(c->position + (uint64_t)(c->at - c->begin)),
			   (unsigned long long)c->offset, what);
}

static int check_block(const struct mtrace_cursor *c, const struct mtrace_block_header *header,
		       struct util_error *err)
{
	if (header->magic == MTRACE_BLOCK_MAGIC && header->rank == (uint32_t)c->rank &&
	    header->sequence == c->sequence && header->raw_B <= MAX_RAW_B && header->raw_B > 0)
		return 0;
	return util_refuse(err,
			   "'%s' is damaged at byte %llu: block %u of rank %d should start there",
			   c->file->path, (unsigned long long)c->next, c->sequence, c->rank);
}

int mtrace_cursor_fill(struct mtrace_cursor *c, struct util_error *err)
{
	struct mtrace_opened *file = (struct mtrace_opened *)c->file;
	struct mtrace_block_header header;
	struct mtrace_frame frame;
	int failed;

	if (c->is_damaged)
		return mtrace_cursor_damaged(c, "a record ends too early", err);
	if (c->sequence == file->ranks[c->rank].n_blocks)
		return c->next ? mtrace_cursor_damaged(c, "blocks follow the last one", err) : 0;
	failed = read_at(file, &header, sizeof header, c->next, err);
	if (!failed)
		failed = check_block(c, &header, err);
	if (failed)
		return failed;
	if (header.raw_B > c->block_B) {
		unsigned char *larger = realloc(c->block, header.raw_B);

		if (!larger)
			return util_error_set(err, UTIL_ENOMEM, "out of memory for a block of '%s'",
					      c->file->path);
		c->block = larger;
		c->block_B = header.raw_B;
	}
	c->position += (uint64_t)(c->end - c->begin);
	c->offset = c->next;
	c->begin = c->at = c->end = c->block;
	frame = (struct mtrace_frame){
	    .offset = c->next + sizeof header,
	    .packed_B = header.packed_B,
	    .raw_B = header.raw_B,
	    .seed = util_hash(&header, offsetof(struct mtrace_block_header, check), 0),
	    .check = header.check,
	};
	failed = unpack(file, &frame, c->block, err);
	if (failed)
		return failed;
	c->end = c->block + header.raw_B;
	c->next = header.next;
	c->sequence++;
	return 1;
}

uint64_t mtrace_get_uint_slow(struct mtrace_cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; c->at < c->end && shift < 64; shift += 7) {
		unsigned char byte = *c->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->is_damaged = true;
	return 0;
}

static const struct mtrace_late_match *find_late(const struct mtrace_file *file, int rank,
						 uint64_t position)
{
	size_t low = 0, high = file->n_late;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct mtrace_late_match *late = &file->late[middle];

		if (late->rank < rank || (late->rank == rank && late->position < position))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < file->n_late && file->late[low].rank == rank &&
	    file->late[low].position == position)
		return &file->late[low];
	return NULL;
}

void mtrace_get_match(struct mtrace_cursor *c, int32_t *out_source, int32_t *out_tag)
{
	uint64_t position = c->position + (uint64_t)(c->at - c->begin);
	const struct mtrace_late_match *late;
	int32_t match[2];

	mtrace_get_bytes(c, match, sizeof match);
	*out_source = match[0];
	*out_tag = match[1];
	if (match[0] != MTRACE_UNMATCHED)
		return;
	late = find_late(c->file, c->rank, position);
	if (late) {
		*out_source = late->source;
		*out_tag = late->tag;
	}
}

void mtrace_skip_memory(struct mtrace_cursor *c)
{
	if (mtrace_get_byte(c) & MTRACE_COMPUTED) {
		mtrace_get_uint(c);
		mtrace_get_double(c);
	}
	for (uint64_t n = mtrace_get_count(c); n > 0; n--)
		mtrace_skip_arguments(c, "iiii");
}

static void skip_processes(struct mtrace_cursor *c)
{
	uint64_t n = mtrace_get_count(c);

	for (uint64_t i = 0; i < n && !c->is_damaged; i++)
		mtrace_skip_arguments(c, "aiia");
	if (n > 0)
		mtrace_get_uint(c);
}

static void skip_one(struct mtrace_cursor *c, char letter)
{
	int32_t source, tag;

	switch (letter) {
	case 'a':
	case 'T':
	case 'g':
	case 'q':
	case 'X':
		for (uint64_t n = mtrace_get_count(c); n > 0; n--)
			mtrace_get_uint(c);
		break;
	case 'b':
		mtrace_get_byte(c);
		break;
	case 'w':
		if (mtrace_get_int(c) == MTRACE_ANY_SOURCE)
			mtrace_get_match(c, &source, &tag);
		break;
	case 'P':
		skip_processes(c);
		break;
	default:
		mtrace_get_uint(c);
	}
}

void mtrace_skip_arguments(struct mtrace_cursor *c, const char *signature)
{
	for (; *signature; signature++)
		skip_one(c, *signature);
}
