/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/verify/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static bool begins_below(const void *range, const void *low)
{
	return ((const struct mpi_range *)range)->low < *(const uintptr_t *)low;
}

size_t mpi_ranges_from(const struct mpi_ranges *ranges, uintptr_t low)
{
	return util_count_before(ranges->sorted, ranges->n, sizeof *ranges->sorted, begins_below,
				 &low);
}

bool mpi_ranges_insert(struct mpi_ranges *ranges, struct mpi_range range)
{
	/* behind equal ones: nothing moves where all are */
	size_t at = mpi_ranges_from(ranges, range.low + 1), span_B = range.high - range.low;

	if (!util_array_room(&ranges->sorted, ranges->n, sizeof range))
		return false;
	memmove(&ranges->sorted[at + 1], &ranges->sorted[at], (ranges->n - at) * sizeof range);
	ranges->sorted[at] = range;
	ranges->n++;
	ranges->widest_B = span_B > ranges->widest_B ? span_B : ranges->widest_B;
	return true;
}

void mpi_ranges_remove(struct mpi_ranges *ranges, size_t at)
{
	ranges->n--;
	memmove(&ranges->sorted[at], &ranges->sorted[at + 1],
		(ranges->n - at) * sizeof *ranges->sorted);
	if (ranges->n == 0)
		ranges->widest_B = 0;
}

size_t mpi_ranges_near(const struct mpi_ranges *ranges, uintptr_t low)
{
	return mpi_ranges_from(ranges, low > ranges->widest_B ? low - ranges->widest_B : 0);
}

void mpi_ranges_finish(struct mpi_ranges *ranges)
{
	free(ranges->sorted);
	*ranges = (struct mpi_ranges){.n = 0};
}
