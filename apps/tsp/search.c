/* SPDX-License-Identifier: BSD-3-Clause */
#include "search.h"

#include <math.h>
#include <mpisim.h>
#include <string.h>

#define SQUARE 10000
#define NODES_PER_POLL 2000

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014): the same cities everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void sort_by_distance(struct tsp *tsp, int city)
{
	int *list = tsp->nearest[city], count = 0;

	for (int other = 0; other < tsp->n; other++) {
		int at = count;

		if (other == city)
			continue;
		for (; at > 0 && tsp->distance[city][list[at - 1]] > tsp->distance[city][other]; at--)
			list[at] = list[at - 1];
		list[at] = other;
		count++;
	}
	tsp->cheapest[city] = tsp->distance[city][list[0]];
}

static int nearest_neighbour_tour(const struct tsp *tsp)
{
	int city = 0, length = 0;
	unsigned visited = 1;

	for (int step = 1; step < tsp->n; step++) {
		int k = 0, next;

		while (visited >> tsp->nearest[city][k] & 1)
			k++;
		next = tsp->nearest[city][k];
		length += tsp->distance[city][next];
		visited |= 1u << next;
		city = next;
	}
	return length + tsp->distance[city][0];
}

void tsp_init(struct tsp *tsp, int n, uint64_t seed)
{
	double x[TSP_MAX_CITIES], y[TSP_MAX_CITIES];

	memset(tsp, 0, sizeof(*tsp));
	tsp->n = n;
	for (int i = 0; i < n; i++) {
		x[i] = (double)(next_random(&seed) % SQUARE);
		y[i] = (double)(next_random(&seed) % SQUARE);
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			tsp->distance[i][j] = (int)(sqrt((x[i] - x[j]) * (x[i] - x[j]) +
							 (y[i] - y[j]) * (y[i] - y[j])) + 0.5);
	for (int i = 0; i < n; i++)
		sort_by_distance(tsp, i);
	tsp->best = nearest_neighbour_tour(tsp);
}

int tsp_n_tasks(const struct tsp *tsp)
{
	return (tsp->n - 1) * (tsp->n - 2);
}

/*
 * The search steers the program, so it runs in every compute mode; where nothing is measured its duration is this charge.
 */
static void charge(struct tsp *tsp)
{
	if (tsp->node_time_s > 0)
		mpisim_add_compute_time((double)(tsp->n_nodes - tsp->n_charged) * tsp->node_time_s);
	tsp->n_charged = tsp->n_nodes;
}

/*
 * Expands the node of a partial tour: at `city`, `length` travelled, `rest` = what leaving each unvisited city costs at least. Whoever goes on to `next` still
 * has to leave every city not visited yet, so length + distance + rest bounds all tours below from below.
 */
static void expand(struct tsp *tsp, int city, unsigned visited, int length, int rest)
{
	if (++tsp->n_nodes - tsp->n_charged >= NODES_PER_POLL) {
		charge(tsp);
		tsp->poll(tsp);
	}
	if (visited == (1u << tsp->n) - 1) {
		length += tsp->distance[city][0];
		if (length < tsp->best) {
			charge(tsp);
			tsp->best = length;
			tsp->improved(tsp);
		}
		return;
	}
	for (int k = 0; k < tsp->n - 1; k++) {
		int next = tsp->nearest[city][k], far = length + tsp->distance[city][next];

		if (far + rest >= tsp->best)
			return; /* all others are farther */
		if (!(visited >> next & 1))
			expand(tsp, next, visited | 1u << next, far, rest - tsp->cheapest[next]);
	}
}

void tsp_search(struct tsp *tsp, int task)
{
	int a = 1 + task / (tsp->n - 2), b = 1 + task % (tsp->n - 2), length, rest = 0;

	if (b >= a)
		b++;
	length = tsp->distance[0][a] + tsp->distance[a][b];
	for (int i = 1; i < tsp->n; i++)
		if (i != a && i != b)
			rest += tsp->cheapest[i];
	if (length + rest + tsp->cheapest[b] < tsp->best)
		expand(tsp, b, 1u | 1u << a | 1u << b, length, rest);
	charge(tsp);
}
