/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be added to a machine, and the values that each begins with. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

struct machine *variants_add(struct variants *variants, const struct machine *machine)
{
	if (variants->n == VARIANTS)
		return &variants->list[VARIANTS - 1];
	variants->list[variants->n] = *machine;
	return &variants->list[variants->n++];
}

static bool is_given(const struct view *view, enum parameter_id id)
{
	return view->facts.has[id] || view->starts[id].n == 0;
}

/* Without it, or with another value of a valley of its own. */
static void vary_found(const struct machine *now, enum parameter_id id, struct variants *out)
{
	static const double factors[] = {0.5, 0.7, 0.85, 1.2, 1.4, 2};

	machine_drop(variants_add(out, now), id);
	for (int k = 0; k < 6 && !PARAMETER[id].is_stepped; k++)
		machine_set(variants_add(out, now), id, factors[k] * now->value[id]);
}

static void vary_number(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	const struct starts *starts = &view->starts[id];

	if (is_given(view, id))
		return;
	if (now->has[id])
		vary_found(now, id, out);
	for (int k = 0; k < starts->n && (!now->has[id] || PARAMETER[id].is_stepped); k++)
		machine_set(variants_add(out, now), id, starts->values[k]);
}

static void vary_word(const struct view *view, const struct machine *now, enum parameter_id id,
		      struct variants *out)
{
	if (is_given(view, id))
		return;
	for (int k = 0; PARAMETER[id].words[k]; k++)
		if (!now->has[id] || k != (int)now->value[id])
			machine_set(variants_add(out, now), id, k);
	if (now->has[id])
		machine_drop(variants_add(out, now), id);
}

/* --- between eager messages and others --- */

/* What a library is known to have is no question. */
static void vary_threshold(const struct view *view, const struct machine *now, enum parameter_id id,
			   struct variants *out)
{
	if (view->facts.has[id] || now->library == LIBRARY_OPENMPI_TCP ||
	    now->library == LIBRARY_MPICH_TCP)
		return;
	vary_number(view, now, id, out);
}

/* What travels with a request is none of a bulk's, whose lines begin as much earlier, and of which a
 * send leaves as much less. */
static void move_lines(struct machine *machine, enum parameter_id id, double by_B)
{
	for (int k = 0; k < MACHINE_SEGMENTS; k++)
		if (machine->has[id + k] && machine->value[id + k] > machine->value[THRESHOLD] + 1)
			machine_set(machine, (enum parameter_id)(id + k),
				    machine->value[id + k] + by_B);
}

/* Without those of bulks: what travels with requests may be all that they are. */
static void drop_lines_of_bulks(struct machine *machine, enum parameter_id id)
{
	for (int k = MACHINE_SEGMENTS - 1;
	     k >= 0 &&
	     (!machine->has[id + k] || machine->value[id + k] > machine->value[THRESHOLD]);
	     k--)
		if (machine->has[id + k])
			machine_drop(machine, id);
}

static void vary_data(const struct view *view, const struct machine *now, enum parameter_id id,
		      struct variants *out)
{
	int first = out->n;

	if (is_given(view, id) || !now->has[THRESHOLD] || now->value[THRESHOLD] < 1)
		return;
	vary_number(view, now, id, out);
	if (!now->has[id])
		machine_set(variants_add(out, now), id, now->value[THRESHOLD]);
	for (int k = first, last = out->n; k < last && now->has[SEGMENT]; k++)
		drop_lines_of_bulks(variants_add(out, &out->list[k]), SEGMENT);
	for (int k = first; k < out->n; k++) {
		struct machine *machine = &out->list[k];
		double less_B = (now->has[id] ? now->value[id] : 0) -
				(machine->has[id] ? machine->value[id] : 0);

		move_lines(machine, SEGMENT, less_B);
		move_lines(machine, INNER_SEGMENT, less_B);
		for (int j = BUFFER; j < BUFFER_FROM; j++)
			if (machine->has[j])
				machine_set(machine, (enum parameter_id)j,
					    machine->value[j] + less_B);
	}
}

/* Processors copy what is eager. */
static void vary_copies(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	static const double parts[] = {0.1, 0.5, 2};

	if (is_given(view, id))
		return;
	vary_number(view, now, id, out);
	for (int k = 0; k < 3 && !now->has[id]; k++)
		machine_set(variants_add(out, now), id, parts[k] / now->value[BANDWIDTH]);
}

/* Messages in a row are bound by the side that is busy for longer: whichever that is. */
static void vary_sides(const struct view *view, const struct machine *now, enum parameter_id id,
		       struct variants *out)
{
	struct machine *machine;

	if (is_given(view, id) || !now->has[SEND_OVERHEAD] || !now->has[RECV_OVERHEAD])
		return;
	machine = variants_add(out, now);
	machine_set(machine, SEND_OVERHEAD, now->value[RECV_OVERHEAD]);
	machine_set(machine, RECV_OVERHEAD, now->value[SEND_OVERHEAD]);
}

/* --- links --- */

/* Where latencies are work, too, a burst hides a part of them. */
static void vary_burst(const struct view *view, const struct machine *now, enum parameter_id id,
		       struct variants *out)
{
	int first = out->n;
	bool is_work = now->has[MODEL] && now->value[MODEL] > 0;

	vary_number(view, now, id, out);
	for (int k = first; k < out->n; k++) {
		struct machine *machine = &out->list[k];
		double more_B = (machine->has[id] ? machine->value[id] : 0) -
				(now->has[id] ? now->value[id] : 0);

		if (is_work)
			machine_set(machine, LATENCY,
				    now->value[LATENCY] + more_B / now->value[BANDWIDTH]);
	}
}

static void set_packets(struct variants *out, const struct machine *now, double payload_B,
			double header_B)
{
	struct machine *machine = variants_add(out, now);

	machine_set(machine, PAYLOAD, payload_B);
	machine_set(machine, HEADER, header_B);
	machine_drop(machine, DUPLEX); /* and whatever else is excluded beside packets */
}

static void vary_packets(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	const struct starts *starts = &view->starts[id];

	if (is_given(view, id))
		return;
	if (now->has[id])
		vary_found(now, id, out);
	for (int k = 0; k < starts->n && !now->has[id]; k++)
		set_packets(out, now, starts->values[k], TCP_HEADER_B);
}

/* An empty message is a packet's headers, on both links: what they take is no latency, if that has
 * been thought. */
static void vary_header(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	const struct starts *starts = &view->starts[id];

	for (int k = 0; k < starts->n && now->has[id] && !is_given(view, id); k++)
		for (int is_all = 0; is_all < 2; is_all++) {
			struct machine *machine = variants_add(out, now);
			double more_B = starts->values[k] - (is_all ? 0 : now->value[id]),
			       rate_Bps = now->value[BANDWIDTH] *
					  (1 + now->value[id] / now->value[PAYLOAD]);

			machine_set(machine, id, starts->values[k]);
			machine_set(machine, LATENCY, now->value[LATENCY] - 2 * more_B / rate_Bps);
		}
}

static void vary_loss(const struct view *view, const struct machine *now, enum parameter_id id,
		      struct variants *out)
{
	if (!now->has[PAYLOAD])
		vary_number(view, now, id, out);
}

/* Of all numbers of flows that were measured. */
static void vary_sharing(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	struct machine *machine;

	if (is_given(view, id) || now->has[PAYLOAD])
		return;
	for (int k = 0; k < view->starts[id].n; k++) {
		machine = variants_add(out, now);
		for (int j = 0; j < MACHINE_FLOWS; j++) {
			const struct starts *starts = &view->starts[id + j];

			machine->has[id + j] = false;
			if (starts->n > k && !now->has[id])
				machine_set(machine, (enum parameter_id)(id + j),
					    starts->values[k]);
		}
	}
}

static void vary_queue(const struct view *view, const struct machine *now, enum parameter_id id,
		       struct variants *out)
{
	if (now->has[PAYLOAD])
		vary_number(view, now, id, out);
}

/* One transfer gets its line's rate, of a link that is faster. */
static void vary_link(const struct view *view, const struct machine *now, enum parameter_id id,
		      struct variants *out)
{
	if (now->has[SEGMENT])
		vary_number(view, now, id, out);
}

/* --- what many share --- */

/* A message draws its bytes of it once or twice. */
static void vary_memory(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	int first = out->n;

	vary_number(view, now, id, out);
	for (int k = first, last = out->n; k < last; k++) {
		struct machine *machine = &out->list[k];
		double copies = now->has[COPIES] ? now->value[COPIES] : 1;

		if (!machine->has[id])
			continue;
		machine_set(machine, COPIES, copies);
		machine = variants_add(out, machine);
		machine_set(machine, COPIES, 3 - copies);
		machine_set(machine, id, machine->value[id] * (3 - copies) / copies);
	}
}

/* The same number of them, slower; of a fat tree of leaves fewer. */
static void vary_uplinks(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	int first = out->n;

	vary_number(view, now, id, out);
	for (int k = first; k < out->n; k++)
		if (out->list[k].has[id])
			machine_drop(&out->list[k], id == TAPER ? UPLINK : TAPER);
}

/* --- what goes on without its rank --- */

/* What stalls stays in order, and stalls only where ranks make progress themselves. */
static void vary_unattended(const struct view *view, const struct machine *now,
			    enum parameter_id id, struct variants *out)
{
	int first = out->n;

	vary_number(view, now, id, out);
	for (int k = first; k < out->n; k++) {
		struct machine *machine = &out->list[k];

		if (!machine->has[id] || now->library >= LIBRARY_OPENMPI_TCP)
			continue;
		machine_set(machine, ORDER, 1);
		if (!machine->has[PROGRESS] || machine->value[PROGRESS] < 1)
			machine_set(machine, PROGRESS, 1);
	}
}

static void vary_used(const struct view *view, const struct machine *now, enum parameter_id id,
		      struct variants *out)
{
	/* what was found may be either, or between */
	static const double news[] = {1, 1, 0.3, 0.3, 0.1}, factors[] = {2, 6, 1, 3, 1};

	if (is_given(view, UNATTENDED) || !now->has[UNATTENDED])
		return;
	if (now->has[id])
		vary_found(now, id, out);
	for (int k = 0; k < 5 && !now->has[id]; k++) {
		struct machine *machine = variants_add(out, now);

		machine_set(machine, UNATTENDED, news[k] * now->value[UNATTENDED]);
		machine_set(machine, id, factors[k] * now->value[UNATTENDED]);
	}
}

static void vary_buffer_word(const struct view *view, const struct machine *now,
			     enum parameter_id id, struct variants *out)
{
	struct machine *machine;

	if (is_given(view, id) || (!now->has[UNATTENDED] && now->library < LIBRARY_OPENMPI_TCP))
		return;
	machine = variants_add(out, now);
	if (now->has[id]) {
		machine_drop(machine, id);
		return;
	}
	machine_drop(machine, BUFFER);
	machine_set(machine, id, 1);
}

/* As sends of each size left behind. */
static void vary_left(const struct view *view, const struct machine *now, struct variants *out)
{
	static const double MORE = 1.15;
	struct machine *machine = variants_add(out, now);
	int n = 0;

	machine_drop(machine, BUFFER);
	for (int k = 0; k < view->n_left && n < MACHINE_BUFFERS; k++) {
		if (n > 0 && view->left[k] < MORE * machine->value[BUFFER + n - 1])
			continue;
		machine_set(machine, (enum parameter_id)(BUFFER + n), view->left[k]);
		machine_set(machine, (enum parameter_id)(BUFFER_FROM + n),
			    n ? view->left_from[k] : 0);
		n++;
	}
}

static void vary_buffer(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	int first = out->n;

	vary_number(view, now, id, out);
	if (!is_given(view, id) && !now->has[id])
		vary_left(view, now, out);
	for (int k = first; k < out->n; k++)
		out->list[k].has[BUFFER_WORD] = false;
}

/* More of larger messages: from one of the sizes on that were measured. */
static void vary_buffers(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	static const double factors[] = {1.3, 1.8};
	const struct starts *places = &view->starts[id];
	int n = 1;

	if (!now->has[BUFFER] || now->has[BUFFER + MACHINE_BUFFERS - 1])
		return;
	while (now->has[BUFFER + n])
		n++;
	for (int k = 0; k < places->n; k++)
		for (int j = 0; j < 2 && places->values[k] > now->value[BUFFER_FROM + n - 1]; j++) {
			struct machine *machine = variants_add(out, now);

			machine_set(machine, BUFFER_FROM, 0);
			machine_set(machine, (enum parameter_id)(BUFFER_FROM + n),
				    places->values[k]);
			machine_set(machine, (enum parameter_id)(BUFFER + n),
				    factors[j] * now->value[BUFFER + n - 1]);
		}
}

static void vary_library(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	for (int k = 0; k < LIBRARIES; k++) {
		struct machine *machine;

		if (k == (int)now->library || !(view->libraries & 1U << k))
			continue;
		machine = variants_add(out, now);
		machine_set_library(machine, (enum library)k);
		for (int j = 0; j < PARAMETERS; j++)
			if (view->facts.has[j])
				machine_set(machine, (enum parameter_id)j, view->facts.value[j]);
		/* words of its own */
		for (int j = 0; j < PARAMETERS && k >= LIBRARY_OPENMPI_TCP; j++)
			if (PARAMETER[j].words && j != MODEL && !view->facts.has[j])
				machine->has[j] = false;
		if (k >= LIBRARY_OPENMPI_TCP)
			machine_drop(machine, UNATTENDED), machine_drop(machine, BUFFER);
	}
}

const struct mechanism MECHANISMS[] = {
    {"a library's protocol", THRESHOLD, vary_library},
    {"an eager limit", THRESHOLD, vary_threshold},
    {"progress", PROGRESS, vary_word},
    {"an order", ORDER, vary_word},
    {"the end of a rendezvous", END, vary_word},
    {"synchronous sends", SYNCHRONOUS, vary_word},
    {"late answers", LATE_ANSWERS, vary_word},
    {"copies of eager messages", PER_BYTE, vary_copies},
    {"data with requests", REQUEST_DATA, vary_data},
    {"packets", PAYLOAD, vary_packets},
    {"headers of packets", HEADER, vary_header},
    {"a queue", QUEUE, vary_queue},
    {"bursts", BURST, vary_burst},
    {"latencies that links have", MODEL, vary_word},
    {"losses both ways", DUPLEX, vary_loss},
    {"losses by sharing", SHARING, vary_sharing},
    {"what leaves unattended", UNATTENDED, vary_unattended},
    {"more of it by use", USED, vary_used},
    {"send buffers", BUFFER, vary_buffer},
    {"larger send buffers", BUFFER_FROM, vary_buffers},
    {"send buffers of connections", BUFFER_WORD, vary_buffer_word},
    {"a depth of one-sided messages", DEPTH, vary_number},
    {"the other side's overhead", SEND_OVERHEAD, vary_sides},
    {"memory that messages within a node share", MEMORY, vary_memory},
    {"a rate of messages", MESSAGE_RATE, vary_number},
    {"fewer links between switches", TAPER, vary_uplinks},
    {"slower links between switches", UPLINK, vary_uplinks},
    {"lines by size", SEGMENT, vary_segments},
    {"links faster than one transfer", LINK_RATE, vary_link},
    {"lines by size within a node", INNER_SEGMENT, vary_segments},
};

const int N_MECHANISMS = sizeof(MECHANISMS) / sizeof(MECHANISMS[0]);
