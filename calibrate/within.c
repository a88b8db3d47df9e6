/* SPDX-License-Identifier: BSD-3-Clause */
/* What pairs at places tell: levels of a node, its memory, its messages, links between switches. */
#include "within.h"

#include <math.h>

/* The least time of pairs at a place; of a byte, if `by_byte`. 0: there is none. */
static double least_s(const struct search *search, enum place place, bool by_byte)
{
	double least = 0;

	for (int k = 0; k < search->observations->n; k++) {
		const struct observation *o = &search->observations->list[k];
		double value = o->time_s / (by_byte && o->size_B > 0 ? o->size_B : 1);

		if (!o->what || o->place != place || (by_byte && o->size_B == 0) ||
		    (!by_byte && o->what->kind != BENCHMARK_LATENCY))
			continue;
		least = least > 0 ? fmin(least, value) : value;
	}
	return least;
}

void within_begin(struct search *search)
{
	const struct shape *shape = &search->predictor.shape;
	const bool has[] = {true, shape->has_domains, shape->has_sockets};
	struct machine *machine = &search->machine;
	double overheads_s = machine->value[SEND_OVERHEAD] + machine->value[RECV_OVERHEAD],
	       empty_s = 0, byte_s = 0;
	int level = 0;

	for (int k = 0; k < 3; k++) {
		empty_s += least_s(search, (enum place)(PLACE_DOMAIN + k), false);
		byte_s += least_s(search, (enum place)(PLACE_DOMAIN + k), true);
	}
	if (shape->knows_levels || empty_s + byte_s == 0)
		return;
	/* levels that nobody timed are as those before them */
	for (int k = 0; k < 3; k++) {
		double here_s = least_s(search, (enum place)(PLACE_DOMAIN + k), false),
		       here_byte_s = least_s(search, (enum place)(PLACE_DOMAIN + k), true);

		empty_s = here_s > 0 ? here_s : empty_s;
		byte_s = here_byte_s > 0 ? here_byte_s : byte_s;
		if (!has[k])
			continue;
		machine_set(machine, (enum parameter_id)(LEVEL_LATENCY + level),
			    fmax(empty_s - overheads_s, empty_s / 10));
		machine_set(machine, (enum parameter_id)(LEVEL_RATE + level++),
			    byte_s > 0 ? 1 / byte_s : 1e10);
	}
}

static int count(const struct search *search, enum place first, enum place last, int least_ranks)
{
	int n = 0;

	for (int k = 0; k < search->observations->n; k++) {
		const struct observation *o = &search->observations->list[k];

		n += o->what && o->place >= first && o->place <= last && o->n_ranks >= least_ranks;
	}
	return n;
}

/* The most that all pairs at once move in a second; messages, or bytes. */
static double most_per_s(const struct search *search, enum place first, enum place last, bool bytes)
{
	double most = 0;

	for (int k = 0; k < search->observations->n; k++) {
		const struct observation *o = &search->observations->list[k];

		if (o->what && o->what->unit == BENCHMARK_OF_WINDOW && o->place >= first &&
		    o->place <= last)
			most = fmax(most, o->n_ranks / 2 * (bytes ? o->size_B : 1) / o->time_s);
	}
	return most;
}

/* What limits is the domain that moves most: a copy draws its bytes twice where both ranks are of it. */
void vary_memory(const struct search *search, const struct machine *now, struct variants *out)
{
	double most_Bps = fmax(2 * most_per_s(search, PLACE_DOMAIN, PLACE_DOMAIN, true),
			       most_per_s(search, PLACE_SOCKET, PLACE_NODE, true));

	if (!search->predictor.shape.is_block || now->has[MEMORY] ||
	    count(search, PLACE_DOMAIN, PLACE_NODE, 4) == 0)
		return;
	for (int copies = 1; copies <= 2; copies++) {
		struct machine *machine = add_variant(out, now);

		machine_set(machine, COPIES, copies);
		machine_set(machine, MEMORY, copies * most_Bps);
	}
}

void vary_rate(const struct search *search, const struct machine *now, struct variants *out)
{
	double most = most_per_s(search, PLACE_NODES, PLACE_NODES, false);

	if (now->has[MESSAGE_RATE] || count(search, PLACE_NODES, PLACE_NODES, 4) == 0)
		return;
	machine_set(add_variant(out, now), MESSAGE_RATE, most);
}

/* The same number of them, slower; of a fat tree of leaves fewer. */
void vary_uplinks(const struct search *search, const struct machine *now, struct variants *out)
{
	static const double tapers[] = {4. / 3, 3. / 2, 5. / 3, 2, 3, 4, 6, 8},
			    parts[] = {0.8, 0.5, 0.25, 0.12};

	if (!search->predictor.shape.knows_topology || now->has[TAPER] || now->has[UPLINK] ||
	    count(search, PLACE_ACROSS, PLACE_ACROSS, 2) == 0)
		return;
	for (int k = 0; k < 8; k++)
		machine_set(add_variant(out, now), TAPER, tapers[k]);
	for (int k = 0; k < 4; k++)
		machine_set(add_variant(out, now), UPLINK, parts[k] * now->value[BANDWIDTH]);
}
