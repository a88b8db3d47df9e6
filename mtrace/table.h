/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_TABLE_H
#define MTRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What writer and reader share, and nobody else needs. */

/* Numbers for 64-bit keys, in the order in which they came. */
struct mtrace_keys {
	struct mtrace_key {
		uint64_t key;
		uint32_t number; /* + 1; 0: free */
	} * slots;
	uint32_t n, n_slots; /* a power of two */
};

/* The number of `key`, a new one if it has none. UINT32_MAX when out of memory. O(1). */
uint32_t mtrace_keys_get(struct mtrace_keys *keys, uint64_t key, bool *out_is_new);
void mtrace_keys_finish(struct mtrace_keys *keys);

/* FNV-1a of 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). `seed`: 0, or the value so far. */
uint64_t mtrace_hash(const void *bytes, size_t size, uint64_t seed);

/* What stands before every block; all integers little-endian. */
struct mtrace_block_header {
	uint32_t magic, rank, sequence, raw_B, packed_B, flags;
	uint64_t check; /* mtrace_hash of the fields before and the packed bytes */
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
