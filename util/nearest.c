/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/nearest.h"

#include <string.h>

int util_nearest_distance(const char *a, const char *b)
{
	int row[UTIL_NEAREST_LENGTH], n = (int)strlen(b);

	if (n >= UTIL_NEAREST_LENGTH || strlen(a) >= UTIL_NEAREST_LENGTH)
		return UTIL_NEAREST_NEVER;
	for (int j = 0; j <= n; j++)
		row[j] = j;
	for (int i = 1; a[i - 1]; i++) {
		int diagonal = row[0];

		row[0] = i;
		for (int j = 1; j <= n; j++) {
			int best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

void util_nearest_try(struct util_nearest *nearest, const char *candidate, int distance)
{
	int most = ((int)strlen(nearest->word) + 1) / 3;

	if (distance < nearest->best_distance && distance <= (most < 1 ? 1 : most)) {
		nearest->best_distance = distance;
		nearest->best = candidate;
	}
}
