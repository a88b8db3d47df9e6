/* SPDX-License-Identifier: BSD-3-Clause */
/* Times by size as several lines: where they begin, how steep they are. */
#include "search.h"

/* Makes room for a line from there on, behind those that begin before; which one it is. The steps
 * of those behind it stay what they are. */
static int insert_segment(struct machine *machine, int first, double from_B)
{
	int place = 0, last = 0;

	while (last < MACHINE_SEGMENTS && machine->has[first + last])
		last++;
	while (place < last && machine->value[first + place] < from_B)
		place++;
	for (int k = last; k > place; k--)
		for (int j = 0; j < 3; j++) {
			int id = first + j * MACHINE_SEGMENTS + k;

			machine_set(machine, (enum parameter_id)id, machine->value[id - 1]);
		}
	return place;
}

static bool has_segment(const struct machine *now, int first, double from_B)
{
	for (int k = 0; k < MACHINE_SEGMENTS; k++)
		if (now->has[first + k] && now->value[first + k] == from_B)
			return true;
	return false;
}

/* Of the size of a transfer: what travels with a request is none of a bulk's. */
static double begin_of(const struct view *view, const struct machine *now, int where, int place)
{
	double size_B = view->places[where][place] + 1;

	if (now->has[REQUEST_DATA] && now->has[THRESHOLD] && size_B > now->value[THRESHOLD] + 1)
		size_B -= now->value[REQUEST_DATA];
	return size_B;
}

static void add_segment(struct machine *machine, enum parameter_id id, double from_B, double step,
			double rate_Bps)
{
	int place = insert_segment(machine, id, from_B);

	machine_set(machine, (enum parameter_id)(id + place), from_B);
	machine_set(machine, (enum parameter_id)(id + MACHINE_SEGMENTS + place), step);
	machine_set(machine, (enum parameter_id)(id + 2 * MACHINE_SEGMENTS + place), rate_Bps);
}

/* Of a transfer of that size on the lines that begin before. */
static double time_before(const struct machine *machine, enum parameter_id id, double size_B)
{
	int plain = id == SEGMENT ? LATENCY : INNER_LATENCY;
	double latency_s = machine->value[plain], rate_Bps = machine->value[plain + 1];

	for (int k = 0; k < MACHINE_SEGMENTS && machine->has[id + k]; k++) {
		double from_B = machine->value[id + k], time_s;

		if (from_B >= size_B)
			break;
		time_s =
		    (latency_s + from_B / rate_Bps) * machine->value[id + MACHINE_SEGMENTS + k];
		rate_Bps = machine->value[id + 2 * MACHINE_SEGMENTS + k];
		latency_s = time_s - from_B / rate_Bps;
	}
	return latency_s + size_B / rate_Bps;
}

/* What takes that much longer from there on. */
static void add_jump(struct machine *machine, enum parameter_id id, double from_B, double jump_s,
		     double rate_Bps)
{
	add_segment(machine, id, from_B, 1 + jump_s / time_before(machine, id, from_B), rate_Bps);
}

/* All lines that times by size show by themselves, and each of them; false: they show none. */
static bool vary_seen(const struct view *view, const struct machine *now, enum parameter_id id,
		      struct variants *out)
{
	int where = id == INNER_SEGMENT;
	bool has_seen = false;
	struct machine *all = variants_add(out, now);

	if (view->first_rates[where] > 0)
		machine_set(all, where ? INNER_BANDWIDTH : BANDWIDTH, view->first_rates[where]);
	for (int k = 0; k < view->n_places[where]; k++) {
		double jump_s = view->jumps_s[where][k], rate_Bps = view->rates[where][k],
		       from_B = begin_of(view, now, where, k);

		has_seen |= rate_Bps > 0;
		if (rate_Bps == 0 || has_segment(now, id, from_B))
			continue;
		add_jump(variants_add(out, now), id, from_B, jump_s, rate_Bps);
		if (!all->has[id + MACHINE_SEGMENTS - 1])
			add_jump(all, id, from_B, jump_s, rate_Bps);
	}
	return has_seen;
}

/* The last line, from half of its size on, or twice. */
static void vary_place(const struct machine *now, enum parameter_id id, struct variants *out)
{
	int last = MACHINE_SEGMENTS - 1;

	while (last >= 0 && !now->has[id + last])
		last--;
	for (int k = 0; k < 2 && last >= 0; k++) {
		double from_B = k ? 2 * now->value[id + last] - 1 : (now->value[id + last] + 1) / 2;
		struct machine *machine;

		if (last > 0 && from_B <= now->value[id + last - 1])
			continue;
		machine = variants_add(out, now);
		machine_drop(machine, id);
		add_jump(machine, id, from_B,
			 time_before(now, id, now->value[id + last]) *
			     (now->value[id + MACHINE_SEGMENTS + last] - 1),
			 now->value[id + 2 * MACHINE_SEGMENTS + last]);
	}
}

/* A line of its own from some sizes on: sooner, later, slower or faster than the one before. */
void vary_segments(const struct view *view, const struct machine *now, enum parameter_id id,
		   struct variants *out)
{
	enum { KINDS = 5 };
	static const double steps[KINDS] = {0.8, 1.1, 1.5, 1, 1},
			    rates[KINDS] = {1, 1, 1, 0.6, 1.7};
	int where = id == INNER_SEGMENT, n = view->n_places[where], step = 1;

	if ((!where && now->has[PAYLOAD]) || now->has[id + MACHINE_SEGMENTS - 1] || n == 0)
		return;
	if (now->has[id])
		machine_drop(variants_add(out, now), id);
	if (vary_seen(view, now, id, out))
		return;
	vary_place(now, id, out);
	while (n / step * KINDS >= VARIANTS - out->n)
		step++;
	for (int k = 0; k < n; k += step)
		for (int j = 0; j < KINDS; j++) {
			double from_B = begin_of(view, now, where, k),
			       rate_Bps = now->value[where ? INNER_BANDWIDTH : BANDWIDTH];
			int at = 0;

			if (has_segment(now, id, from_B))
				continue;
			for (; at < MACHINE_SEGMENTS && now->has[id + at]; at++)
				if (now->value[id + at] < from_B)
					rate_Bps = now->value[id + 2 * MACHINE_SEGMENTS + at];
			add_segment(variants_add(out, now), id, from_B, steps[j],
				    rates[j] * rate_Bps);
		}
}
