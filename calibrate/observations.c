/* SPDX-License-Identifier: BSD-3-Clause */
#include "observations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool observation_is_same_curve(const struct observation *a, const struct observation *b)
{
	return a->what && a->what == b->what && a->n_ranks == b->n_ranks && a->place == b->place;
}

static int compare(const void *left, const void *right)
{
	const struct observation *a = left, *b = right;
	int order = !a->what - !b->what;

	if (!order && !a->what)
		order = strcmp(a->command, b->command);
	if (!order && a->what)
		order = strcmp(a->what->name, b->what->name);
	if (!order)
		order = (int)a->place - (int)b->place;
	if (!order)
		order = a->n_ranks - b->n_ranks;
	if (!order)
		order = a->size_B - b->size_B;
	return order ? order : (a->time_s > b->time_s) - (a->time_s < b->time_s);
}

static bool is_same(const struct observation *a, const struct observation *b)
{
	return a->what ? observation_is_same_curve(a, b) && a->size_B == b->size_B
		       : !b->what && !strcmp(a->command, b->command);
}

/* Half of what separates the first and the last quarter, of a median of n, as a part. */
static double scatter_of(const struct observation *list, int n)
{
	double half_s = (list[3 * n / 4].time_s - list[n / 4].time_s) / 2;

	return hypot(list[n / 2].scatter, half_s / sqrt(n) / list[n / 2].time_s);
}

static void observation_finish(const struct observation *observation)
{
	free(observation->command);
	free(observation->from);
}

void observations_sort(struct observations *observations)
{
	struct observation *list = observations->list;
	int kept = 0;

	qsort(list, (size_t)observations->n, sizeof(*list), compare);
	for (int k = 0, n; k < observations->n; k += n) {
		struct observation median;

		for (n = 1; k + n < observations->n && is_same(&list[k], &list[k + n]); n++)
			;
		median = list[k];
		median.scatter = scatter_of(&list[k], n);
		median.time_s = (list[k + (n - 1) / 2].time_s + list[k + n / 2].time_s) / 2;
		for (int j = 1; j < n; j++)
			observation_finish(&list[k + j]);
		list[kept++] = median;
	}
	observations->n = kept;
}

void observations_finish(struct observations *observations)
{
	for (int k = 0; k < observations->n; k++)
		observation_finish(&observations->list[k]);
	free(observations->list);
	*observations = (struct observations){0};
}

bool observation_is_within(const struct observation *observation)
{
	return observation->place >= PLACE_DOMAIN && observation->place <= PLACE_NODE;
}

void observation_name(const struct observation *observation, char *text, size_t size)
{
	if (observation->what)
		snprintf(text, size, "%s %d B, %d ranks%s%s", observation->what->name,
			 observation->size_B, observation->n_ranks, observation->place ? ", " : "",
			 observation->place ? place_name(observation->place) : "");
	else
		snprintf(text, size, "%s", observation->command);
}
