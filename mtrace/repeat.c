/* SPDX-License-Identifier: BSD-3-Clause */
#include "mtrace/repeat.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many of the `n` bytes at `at` are those of the pattern again and again, from its place
 * `phase` on. */
static uint64_t count_alike(const unsigned char *at, uint64_t n, const unsigned char *pattern,
			    uint64_t length_B, uint64_t phase)
{
	uint64_t done = 0;

	while (done < n) {
		uint64_t piece = smaller(n - done, length_B - phase);

		if (memcmp(at + done, pattern + phase, piece) != 0)
			return done; /* the start of a piece will do: parts do not count */
		done += piece;
		phase = 0;
	}
	return done;
}

/* Goes ahead of `cursor` with a block of its own. */
static void send_ahead(const struct mtrace_cursor *cursor, struct mtrace_cursor *scout)
{
	unsigned char *block = scout->block;
	size_t block_B = scout->block_B;

	*scout = *cursor;
	scout->block = block;
	scout->block_B = block_B;
	scout->position += (uint64_t)(cursor->end - cursor->begin);
	scout->begin = scout->at = scout->end = NULL;
}

uint64_t mtrace_cursor_repeats(const struct mtrace_cursor *cursor, struct mtrace_cursor *scout,
			       uint64_t length_B, uint64_t most)
{
	uint64_t here_B = (uint64_t)(cursor->end - cursor->at), wanted_B, n;
	const unsigned char *pattern;
	struct util_error ignored;

	if (length_B > (uint64_t)(cursor->at - cursor->begin))
		return 0;
	pattern = cursor->at - length_B;
	if (most > UINT64_MAX / length_B)
		most = UINT64_MAX / length_B;
	wanted_B = most * length_B;
	n = count_alike(cursor->at, smaller(here_B, wanted_B), pattern, length_B, 0);
	if (n < here_B || n >= wanted_B)
		return n / length_B;
	send_ahead(cursor, scout);
	while (n < wanted_B && mtrace_cursor_more(scout, &ignored) > 0) {
		uint64_t size_B = smaller((uint64_t)(scout->end - scout->at), wanted_B - n);
		uint64_t alike_B = count_alike(scout->at, size_B, pattern, length_B, n % length_B);

		n += alike_B;
		if (alike_B < size_B)
			break;
		scout->at += size_B;
	}
	return n / length_B;
}

void mtrace_cursor_skip(struct mtrace_cursor *cursor, uint64_t size_B)
{
	struct util_error ignored;

	while (size_B > 0) {
		uint64_t piece = smaller(size_B, (uint64_t)(cursor->end - cursor->at));

		cursor->at += piece;
		size_B -= piece;
		if (size_B > 0 && mtrace_cursor_fill(cursor, &ignored) <= 0) {
			cursor->is_damaged = true;
			return;
		}
	}
}
