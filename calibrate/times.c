/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of others, as a search sees them. */
#include "predict.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static int predict(void *context, const struct machine *machines, int n, double *off,
		   struct util_error *err)
{
	struct predictor *predictor = context;
	const struct observations *all = predictor->observations;
	int failed = predictor_run(predictor, machines, n, off, err);

	for (int k = 0; k < n * all->n; k++) {
		off[k] = log(off[k] / all->list[k % all->n].time_s);
		if (!isfinite(off[k]))
			off[k] = INFINITY;
	}
	return failed;
}

/* --- closed forms of the plain model --- */

enum { ANY_KIND = -1 };

/* The least time of a kind at a place, ANYWHERE: all but within a node; of a byte, if `by_byte`. 0:
 * there is none. */
static double least_s(const struct observations *all, int kind, enum place place, bool by_byte)
{
	double least = 0;

	for (int k = 0; k < all->n; k++) {
		const struct observation *o = &all->list[k];
		double value = o->time_s / (by_byte && o->size_B > 0 ? o->size_B : 1);
		bool is_there = place ? o->place == place : !observation_is_within(o);

		if (o->what && (kind == ANY_KIND || (int)o->what->kind == kind) && is_there &&
		    (o->size_B > 0 || !by_byte))
			least = least > 0 ? fmin(least, value) : value;
	}
	return least;
}

/* An empty message is a latency and two overheads; a window of them an overhead each; bytes of the
 * largest ones take what the link does. */
static void begin_plain(const struct observations *all, struct machine *machine)
{
	double empty_s = least_s(all, BENCHMARK_LATENCY, PLACE_ANYWHERE, false),
	       each_s = least_s(all, BENCHMARK_STREAM, PLACE_ANYWHERE, false),
	       byte_s = least_s(all, BENCHMARK_STREAM, PLACE_ANYWHERE, true);

	if (byte_s == 0)
		byte_s = least_s(all, BENCHMARK_LATENCY, PLACE_ANYWHERE, true);
	if (byte_s == 0)
		byte_s = least_s(all, BENCHMARK_BOTH_WAYS, PLACE_ANYWHERE, true);
	if (empty_s == 0)
		empty_s = each_s > 0 ? 5 * each_s : 20e-6;
	if (each_s == 0 || each_s > empty_s / 2)
		each_s = empty_s / 10;
	machine_set(machine, BANDWIDTH, byte_s > 0 ? 1 / byte_s : 1e9);
	machine_set(machine, LATENCY, fmax(empty_s - 2 * each_s, empty_s / 10));
	machine_set(machine, SEND_OVERHEAD, each_s);
	machine_set(machine, RECV_OVERHEAD, each_s);
}

/* --- pairs of ranks at places --- */

/* Levels of a node, where there are times of one; those that nobody timed are as the one before. */
static void begin_levels(const struct observations *all, const struct shape *shape,
			 struct machine *machine)
{
	const bool has[] = {true, shape->has_domains, shape->has_sockets};
	double overheads_s = machine->value[SEND_OVERHEAD] + machine->value[RECV_OVERHEAD],
	       times_s[3], bytes_s[3], empty_s = 0, byte_s = 0;
	int level = 0;

	for (int k = 0; k < 3; k++) {
		enum place place = PLACE_DOMAIN + k;

		empty_s += times_s[k] = least_s(all, BENCHMARK_LATENCY, place, false);
		byte_s += bytes_s[k] = least_s(all, ANY_KIND, place, true);
	}
	for (int k = 0; k < 3 && !shape->knows_levels && empty_s + byte_s > 0; k++) {
		empty_s = times_s[k] > 0 ? times_s[k] : empty_s;
		byte_s = bytes_s[k] > 0 ? bytes_s[k] : byte_s;
		if (!has[k])
			continue;
		machine_set(machine, (LEVEL_LATENCY + level),
			    fmax(empty_s - overheads_s, empty_s / 10));
		machine_set(machine, (LEVEL_RATE + level++), byte_s > 0 ? 1 / byte_s : 1e10);
	}
}

/* The most that all pairs at once move in a second: messages, or bytes; 0: nobody timed several. */
static double most_per_s(const struct observations *all, enum place first, enum place last,
			 bool bytes)
{
	double most = 0;
	int most_ranks = 0;

	for (int k = 0; k < all->n; k++) {
		const struct observation *o = &all->list[k];

		if (!o->what || o->place < first || o->place > last)
			continue;
		most_ranks = o->n_ranks > most_ranks ? o->n_ranks : most_ranks;
		if (o->what->unit == BENCHMARK_OF_WINDOW)
			most = fmax(most, o->n_ranks / 2 * (bytes ? o->size_B : 1) / o->time_s);
	}
	return most_ranks >= 4 ? most : 0;
}

/* What limits memory is the domain that moves most: a copy draws its bytes twice where both ranks are
 * of it. */
static void may_share(const struct observations *all, const struct shape *shape, struct view *view,
		      const struct machine *machine)
{
	static const double parts[] = {0.8, 0.5, 0.25, 0.12};

	if (shape->is_block)
		view_may(view, MEMORY,
			 fmax(2 * most_per_s(all, PLACE_DOMAIN, PLACE_DOMAIN, true),
			      most_per_s(all, PLACE_SOCKET, PLACE_NODE, true)));
	view_may(view, MESSAGE_RATE, most_per_s(all, PLACE_NODES, PLACE_NODES, false));
	if (!shape->knows_topology || least_s(all, ANY_KIND, PLACE_ACROSS, false) == 0)
		return;
	view_may_all(view, TAPER, (const double[]){4. / 3, 3. / 2, 5. / 3, 2, 3, 4, 6, 8, 0});
	for (int k = 0; k < 4; k++)
		view_may(view, UPLINK, parts[k] * machine->value[BANDWIDTH]);
}

/* --- what may be tried --- */

static bool has_kind(const struct observations *all, enum benchmark_kind first,
		     enum benchmark_kind last)
{
	for (int k = 0; k < all->n; k++) {
		const struct benchmark *what = all->list[k].what;

		if (!what || (what->kind >= first && what->kind <= last))
			return true;
	}
	return false;
}

/* Below each size that was timed; what steps below the least limit of libraries are lines. */
static void find_limits(const struct observations *all, struct view *view)
{
	enum { LEAST_LIMIT_B = 1024, MOST_LIMIT_B = 4 << 20 };
	const struct starts *limits = &view->starts[THRESHOLD];

	for (int k = 1; k < all->n; k++) {
		int limit_B = all->list[k - 1].size_B, place = 0;

		while (place < limits->n && limits->values[place] != limit_B)
			place++;
		if (place == limits->n && limit_B >= LEAST_LIMIT_B && limit_B < MOST_LIMIT_B &&
		    observation_is_same_curve(&all->list[k - 1], &all->list[k]))
			view_may(view, THRESHOLD, limit_B);
	}
}

/* Of the first latency by size. */
static void find_curve(const struct observations *all, struct view *view)
{
	const struct observation *first = NULL;

	for (int k = 0; k < all->n; k++) {
		const struct observation *o = &all->list[k];

		if (!o->what || o->what->kind != BENCHMARK_LATENCY || observation_is_within(o) ||
		    (first && !observation_is_same_curve(first, o)))
			continue;
		view_add_time(view, 0, o->size_B, o->time_s, true);
		first = o;
	}
}

int predictor_view(struct predictor *predictor, struct view *view, struct machine *machine,
		   struct util_error *err)
{
	const struct observations *all = predictor->observations;
	bool has_groups = has_kind(all, BENCHMARK_BARRIER, BENCHMARK_REDUCE_SCATTER);

	*view = (struct view){.predict = predict, .context = predictor, .is_rough = true};
	if (view_begin(view, all->n, err))
		return err->code;
	for (int k = 0; k < view->n; k++) {
		view->scatter[k] = all->list[k].scatter;
		view->weight[k] = 1;
	}
	begin_plain(all, machine);
	begin_levels(all, &predictor->shape, machine);
	may_share(all, &predictor->shape, view, machine);
	find_limits(all, view);
	find_curve(all, view);
	view_may_all(view, BURST, (const double[]){1000, 3000, 10000, 50000, 0});
	view_may_all(view, PAYLOAD, (const double[]){1448, 4038, 8948, 0});
	view_may_all(view, QUEUE, (const double[]){30000, 100000, 300000, 0});
	view_may(view, HEADER, TCP_HEADER_B);
	view_may(view, LINK_RATE, machine->value[BANDWIDTH]);
	view_may(view, PER_BYTE, 0.1 / machine->value[BANDWIDTH]);
	view_may(view, REQUEST_DATA, 4096);
	view_may(view, SEND_OVERHEAD, machine->value[RECV_OVERHEAD]);
	if (has_groups || has_kind(all, BENCHMARK_BOTH_WAYS, BENCHMARK_EXCHANGE))
		view_may_all(view, DUPLEX, (const double[]){0.03, 0.2, 0.5, 0});
	if (has_groups)
		view_may_all(view, SHARING, (const double[]){0.05, 0.3, 0});
	if (has_kind(all, BENCHMARK_PUT, BENCHMARK_GET_STREAM))
		view_may_all(view, DEPTH, (const double[]){1, 2, 4, 8, 16, 32, 0});
	return 0;
}
