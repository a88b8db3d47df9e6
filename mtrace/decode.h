/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_DECODE_H
#define MTRACE_DECODE_H

#include <stddef.h>

#include "mtrace/reader.h"
#include "mtrace/table.h"

/* An open file as the reader itself sees it. */
struct mtrace_rank_start {
	uint64_t first; /* offset of the first block */
	uint32_t n_blocks;
	uint64_t n_records, size_B;
};

struct mtrace_opened {
	struct mtrace_file public; /* the first member */
	int fd;
	char *path, *text;
	struct ZSTD_DCtx_s *unpacker;
	unsigned char *packed; /* [packed_capacity] */
	size_t packed_capacity;
	char *string_bytes;
	const char **strings, **sites, **callers;
	struct mtrace_function *functions;
	struct mtrace_doubt_entry *doubts;
	struct mtrace_late_match *late;
	struct mtrace_rank_start *ranks; /* [n_ranks] */
};

/* A frame of zstd in the file. */
struct mtrace_frame {
	uint64_t offset, packed_B, raw_B;
	uint64_t seed, check; /* util_hash of its packed bytes is `check`, from `seed` on */
};
/* Takes the tables over from their bytes, which start at `offset` of the file. */
int mtrace_decode_tables(struct mtrace_opened *file, const unsigned char *bytes, size_t size,
			 uint64_t offset, struct util_error *err);
void mtrace_decode_finish(struct mtrace_opened *file);

#endif
