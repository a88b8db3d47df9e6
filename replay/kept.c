/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/kept.h"

#include <stdlib.h>
#include <string.h>

#include "mtrace/table.h"

enum { N_BUCKETS = 4096 };

struct replay_kept {
	struct kept_array {
		struct kept_array *next;
		size_t size_B;
		char bytes[] __attribute__((aligned(8)));
	} * buckets[N_BUCKETS];
};

const void *replay_keep(struct replay *replay, const void *values, size_t size_B)
{
	uint64_t bucket = mtrace_hash(values, size_B, 0) % N_BUCKETS;
	struct kept_array *kept;

	if (!replay->kept && !(replay->kept = calloc(1, sizeof *replay->kept)))
		return NULL;
	for (kept = replay->kept->buckets[bucket]; kept; kept = kept->next)
		if (kept->size_B == size_B && memcmp(kept->bytes, values, size_B) == 0)
			return kept->bytes;
	kept = malloc(sizeof *kept + size_B + 8);
	if (!kept)
		return NULL;
	kept->size_B = size_B;
	memcpy(kept->bytes, values, size_B);
	kept->next = replay->kept->buckets[bucket];
	replay->kept->buckets[bucket] = kept;
	return kept->bytes;
}

void replay_kept_destroy(struct replay *replay)
{
	for (int i = 0; replay->kept && i < N_BUCKETS; i++) {
		struct kept_array *next;

		for (struct kept_array *kept = replay->kept->buckets[i]; kept; kept = next) {
			next = kept->next;
			free(kept);
		}
	}
	free(replay->kept);
}
