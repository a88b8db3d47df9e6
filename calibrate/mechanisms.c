/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be added to a machine, and the values that each begins with. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "within.h"

struct machine *add_variant(struct variants *variants, const struct machine *machine)
{
	if (variants->n == VARIANTS)
		return &variants->list[VARIANTS - 1];
	variants->list[variants->n] = *machine;
	return &variants->list[variants->n++];
}

static bool has_kind(const struct search *search, enum benchmark_kind first,
		     enum benchmark_kind last)
{
	for (int k = 0; k < search->observations->n; k++) {
		const struct benchmark *what = search->observations->list[k].what;

		if (!what || (what->kind >= first && what->kind <= last))
			return true;
	}
	return false;
}

/* --- mechanisms: what they begin with --- */

static void try_one(const struct machine *now, enum parameter_id id, const double *values, int n,
		    struct variants *out)
{
	for (int k = 0; k < n; k++)
		machine_set(add_variant(out, now), id, values[k]);
}

static int compare_sizes(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Below each size that was timed, but the smallest ones. */
static void vary_places(const struct search *search, const struct machine *now,
			struct variants *out)
{
	enum { LEAST_B = 128, MOST_B = 4 << 20, MOST_SIZES = 4096 };
	int sizes[MOST_SIZES], n = 0, before = 0;

	for (int k = 0; k < search->observations->n && n < MOST_SIZES; k++)
		if (search->observations->list[k].what)
			sizes[n++] = search->observations->list[k].size_B;
	qsort(sizes, (size_t)n, sizeof(*sizes), compare_sizes);
	for (int k = 0; k < n && out->n < VARIANTS; k++) {
		bool is_new = k == 0 || sizes[k] > sizes[k - 1];

		if (is_new && before >= LEAST_B && sizes[k] <= MOST_B &&
		    !(now->has[THRESHOLD] && now->value[THRESHOLD] == before))
			machine_set(add_variant(out, now), THRESHOLD, before);
		before = sizes[k];
	}
}

/* Makes room for a line from there on, behind those that begin before; which one it is. The steps
 * of those behind it stay what they are. */
static int insert_segment(struct machine *machine, double from_B)
{
	int place = 0, last = 0;

	while (last < MACHINE_SEGMENTS && machine->has[SEGMENT + last])
		last++;
	while (place < last && machine->value[SEGMENT + place] < from_B)
		place++;
	for (int k = last; k > place; k--)
		for (int id = SEGMENT; id < SEND_OVERHEAD; id += MACHINE_SEGMENTS)
			machine_set(machine, (enum parameter_id)(id + k),
				    machine->value[id + k - 1]);
	return place;
}

/* A line of its own from some sizes on: later, slower or faster than the one before. */
static void vary_segments(const struct search *search, const struct machine *now,
			  struct variants *out)
{
	enum { KINDS = 4 };
	static const double steps[KINDS] = {1.2, 1.6, 1, 1}, rates[KINDS] = {1, 1, 0.6, 1.7};
	struct variants *places = calloc(1, sizeof(*places));

	if (places && !now->has[PAYLOAD] && !now->has[SEGMENT + MACHINE_SEGMENTS - 1])
		vary_places(search, now, places);
	for (int k = 0; places && k < places->n; k += 2)
		for (int j = 0; j < KINDS; j++) {
			struct machine *machine = add_variant(out, now);
			double from_B = places->list[k].value[THRESHOLD];
			int place = insert_segment(machine, from_B);
			double rate_Bps =
			    place ? now->value[SEGMENT_RATE + place - 1] : now->value[BANDWIDTH];

			machine_set(machine, (enum parameter_id)(SEGMENT + place), from_B);
			machine_set(machine, (enum parameter_id)(SEGMENT_STEP + place), steps[j]);
			machine_set(machine, (enum parameter_id)(SEGMENT_RATE + place),
				    rates[j] * rate_Bps);
		}
	free(places);
}

/* What a library is known to have is no question. */
static void vary_threshold(const struct search *search, const struct machine *now,
			   struct variants *out)
{
	if (now->library != OPENMPI_TCP && now->library != MPICH_TCP)
		vary_places(search, now, out);
}

static void vary_data(const struct search *search, const struct machine *now, struct variants *out)
{
	(void)search;
	if (now->has[THRESHOLD] && !now->has[REQUEST_DATA] && now->library != OPENMPI_TCP)
		machine_set(add_variant(out, now), REQUEST_DATA, now->value[THRESHOLD]);
}

/* Processors copy what is eager. */
static void vary_copies(const struct search *search, const struct machine *now,
			struct variants *out)
{
	static const double parts[] = {0.1, 0.5, 2};

	(void)search;
	for (int k = 0; k < 3 && !now->has[PER_BYTE]; k++)
		machine_set(add_variant(out, now), PER_BYTE, parts[k] / now->value[BANDWIDTH]);
}

/* Messages in a row are bound by the side that is busy for longer: whichever that is. */
static void vary_sides(const struct search *search, const struct machine *now, struct variants *out)
{
	struct machine *machine = add_variant(out, now);

	(void)search;
	machine_set(machine, SEND_OVERHEAD, now->value[RECV_OVERHEAD]);
	machine_set(machine, RECV_OVERHEAD, now->value[SEND_OVERHEAD]);
}

static void vary_burst(const struct search *search, const struct machine *now, struct variants *out)
{
	static const double values[] = {1000, 3000, 10000, 50000};

	(void)search;
	if (!now->has[BURST])
		try_one(now, BURST, values, 4, out);
}

static void vary_packets(const struct search *search, const struct machine *now,
			 struct variants *out)
{
	static const double payloads[] = {1448, 8948};

	(void)search;
	for (int k = 0; k < 2 && !now->has[PAYLOAD]; k++) {
		struct machine *machine = add_variant(out, now);

		machine_set(machine, PAYLOAD, payloads[k]);
		machine_set(machine, HEADER, 90);
		/* excluded beside packets */
		machine->has[DUPLEX] = machine->has[SHARING] = false;
		memset(&machine->has[SEGMENT], 0, 3 * MACHINE_SEGMENTS * sizeof(bool));
	}
}

static void vary_queue(const struct search *search, const struct machine *now, struct variants *out)
{
	static const double values[] = {30000, 100000, 300000};

	(void)search;
	if (now->has[PAYLOAD] && !now->has[QUEUE])
		try_one(now, QUEUE, values, 3, out);
}

static void vary_duplex(const struct search *search, const struct machine *now,
			struct variants *out)
{
	static const double values[] = {0.03, 0.2, 0.5};

	if (!now->has[PAYLOAD] && !now->has[DUPLEX] &&
	    (has_kind(search, BENCHMARK_BOTH_WAYS, BENCHMARK_EXCHANGE) ||
	     has_kind(search, BENCHMARK_BARRIER, BENCHMARK_REDUCE_SCATTER)))
		try_one(now, DUPLEX, values, 3, out);
}

static void vary_sharing(const struct search *search, const struct machine *now,
			 struct variants *out)
{
	static const double values[] = {0.05, 0.3};

	if (!now->has[PAYLOAD] && !now->has[SHARING] &&
	    has_kind(search, BENCHMARK_BARRIER, BENCHMARK_REDUCE_SCATTER))
		try_one(now, SHARING, values, 2, out);
}

static void vary_depth(const struct search *search, const struct machine *now, struct variants *out)
{
	static const double values[] = {1, 2, 4, 8, 16, 32};

	if (!now->has[DEPTH] && has_kind(search, BENCHMARK_PUT, BENCHMARK_GET_STREAM))
		try_one(now, DEPTH, values, 6, out);
}

static void vary_library(const struct search *search, const struct machine *now,
			 struct variants *out)
{
	for (int k = 0; k < LIBRARIES && search->wanted == LIBRARIES; k++)
		if (k != (int)now->library)
			machine_set_library(add_variant(out, now), (enum library)k);
}

const struct mechanism MECHANISMS[] = {
    {"an eager limit", vary_threshold},
    {"copies of eager messages", vary_copies},
    {"data with requests", vary_data},
    {"bursts", vary_burst},
    {"packets", vary_packets},
    {"a queue", vary_queue},
    {"losses both ways", vary_duplex},
    {"losses by sharing", vary_sharing},
    {"a depth of one-sided messages", vary_depth},
    {"the other side's overhead", vary_sides},
    {"a library's protocol", vary_library},
    {"memory that messages within a node share", vary_memory},
    {"a rate of messages", vary_rate},
    {"links between switches", vary_uplinks},
    {"lines by size", vary_segments},
};

const int N_MECHANISMS = sizeof(MECHANISMS) / sizeof(MECHANISMS[0]);
