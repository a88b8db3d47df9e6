/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/kept.h"

#include <stdlib.h>
#include <string.h>

struct kept_array {
	size_t size_B;
	const void *values; /* what follows, or what is looked for */
	char bytes[] __attribute__((aligned(8)));
};

static bool is_same(const void *item, const void *wanted)
{
	const struct kept_array *a = item, *b = wanted;

	return a->size_B == b->size_B && memcmp(a->values, b->values, a->size_B) == 0;
}

const void *replay_keep(struct replay *replay, const void *values, size_t size_B)
{
	const struct kept_array wanted = {.size_B = size_B, .values = values};
	uint64_t key = util_hash(values, size_B, 0);
	struct kept_array *kept = util_map_find_equal(&replay->kept, key, is_same, &wanted);

	if (kept)
		return kept->bytes;
	kept = malloc(sizeof *kept + size_B + 8);
	if (!kept)
		return NULL;
	*kept = (struct kept_array){.size_B = size_B, .values = kept->bytes};
	memcpy(kept->bytes, values, size_B);
	if (util_map_put(&replay->kept, key, kept) == 0)
		return kept->bytes;
	free(kept);
	return NULL;
}

void replay_kept_destroy(struct replay *replay)
{
	util_map_finish_items(&replay->kept);
}
