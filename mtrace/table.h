/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_TABLE_H
#define MTRACE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

/* What writer and reader share, and nobody else needs. */

/* What stands before every block; all integers little-endian. */
struct mtrace_block_header {
	uint32_t magic, rank, sequence, raw_B, packed_B, flags;
	uint64_t check; /* util_hash of the fields before and the packed bytes */
	uint64_t next;	/* offset of the rank's next block, 0: none; written when that is */
};

struct mtrace_file_header {
	char magic[8];
	uint32_t version, n_ranks;
	uint64_t provenance_B;
	uint64_t check; /* of the fields before and the provenance, which follows */
};

struct mtrace_trailer {
	uint64_t tables; /* offset of the tables, which end here */
	uint64_t raw_B;	 /* of the tables, unpacked */
	uint64_t check;	 /* of the fields before and the packed tables */
	char magic[8];
};

#endif
