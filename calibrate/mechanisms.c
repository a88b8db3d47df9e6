/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be added to a machine, and the values that each begins with. */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct machine *variants_add(struct variants *variants, const struct machine *machine)
{
	if (variants->n == VARIANTS)
		return &variants->list[VARIANTS - 1];
	variants->list[variants->n] = *machine;
	return &variants->list[variants->n++];
}

/* What such a library is known to have is no question. */
static bool is_tcp(const struct machine *machine)
{
	return machine->library >= LIBRARY_OPENMPI_TCP;
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

	if (now->has[id])
		vary_found(now, id, out);
	for (int k = 0; k < starts->n && (!now->has[id] || PARAMETER[id].is_stepped); k++)
		machine_set(variants_add(out, now), id, starts->values[k]);
}

static void vary_word(const struct machine *now, enum parameter_id id, struct variants *out)
{
	for (int k = 0; PARAMETER[id].words[k]; k++)
		if (!now->has[id] || k != (int)now->value[id])
			machine_set(variants_add(out, now), id, k);
	if (now->has[id])
		machine_drop(variants_add(out, now), id);
}

void vary(const struct mechanism *mechanism, const struct view *view, const struct machine *now,
	  struct variants *out)
{
	enum parameter_id id = mechanism->id;
	bool is_given = view->facts.has[id] || view->starts[id].n == 0;

	if ((is_given && !mechanism->is_own) || !now->has[mechanism->beside] ||
	    (mechanism->is_fluid && now->has[PAYLOAD]))
		return;
	if (mechanism->vary)
		mechanism->vary(view, now, id, out);
	else if (PARAMETER[id].words)
		vary_word(now, id, out);
	else
		vary_number(view, now, id, out);
	for (int k = 0; k < out->n && mechanism->mend; k++)
		mechanism->mend(now, id, &out->list[k]);
}

/* --- between eager messages and others --- */

static void vary_threshold(const struct view *view, const struct machine *now, enum parameter_id id,
			   struct variants *out)
{
	if (is_tcp(now))
		return;
	vary_number(view, now, id, out);
	/* as much may travel with a request: then a limit shows by less */
	for (int k = 0, last = out->n; k < last; k++)
		if (out->list[k].has[id])
			machine_set(variants_add(out, &out->list[k]), REQUEST_DATA,
				    out->list[k].value[id]);
	/* what was taken for a line may be a limit */
	for (int k = 0; k < MACHINE_SEGMENTS && now->has[SEGMENT + k] && view->is_rough; k++) {
		struct machine *machine = variants_add(out, now);

		while (machine->has[SEGMENT])
			machine_drop(machine, SEGMENT);
		machine_set(machine, id, now->value[SEGMENT + k] - 1);
	}
}

static double more_of(const struct machine *machine, const struct machine *before,
		      enum parameter_id id)
{
	return (machine->has[id] ? machine->value[id] : 0) -
	       (before->has[id] ? before->value[id] : 0);
}

/* What travels with a request is none of a bulk's, whose lines begin as much earlier, and of which a
 * send leaves as much less. */
static void move_lines(struct machine *machine, enum parameter_id id, double by_B)
{
	for (int k = 0; k < MACHINE_SEGMENTS; k++)
		if (machine->has[id + k] && machine->value[id + k] > machine->value[THRESHOLD] + 1)
			machine_set(machine, id + k, machine->value[id + k] + by_B);
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
	if (now->value[THRESHOLD] < 1)
		return;
	vary_number(view, now, id, out);
	if (!now->has[id])
		machine_set(variants_add(out, now), id, now->value[THRESHOLD]);
	for (int k = 0, last = out->n; k < last && now->has[SEGMENT]; k++)
		drop_lines_of_bulks(variants_add(out, &out->list[k]), SEGMENT);
}

static void mend_bulks(const struct machine *now, enum parameter_id id, struct machine *machine)
{
	double less_B = -more_of(machine, now, id);

	move_lines(machine, SEGMENT, less_B);
	move_lines(machine, INNER_SEGMENT, less_B);
	for (int j = BUFFER; j < BUFFER_FROM; j++)
		if (machine->has[j])
			machine_set(machine, j, machine->value[j] + less_B);
}

/* Processors copy what is eager. */
static void vary_copies(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	static const double parts[] = {0.1, 0.5, 2};

	vary_number(view, now, id, out);
	for (int k = 0; k < 3 && !now->has[id]; k++)
		machine_set(variants_add(out, now), id, parts[k] / now->value[BANDWIDTH]);
}

/* Messages in a row are bound by the side that is busy for longer: whichever that is. */
static void vary_sides(const struct view *view, const struct machine *now, enum parameter_id id,
		       struct variants *out)
{
	struct machine *machine = variants_add(out, now);

	machine_set(machine, SEND_OVERHEAD, now->value[RECV_OVERHEAD]);
	machine_set(machine, RECV_OVERHEAD, now->value[SEND_OVERHEAD]);
}

/* --- links --- */

/* Where latencies are work, too, a burst hides a part of them. */
static void mend_latency(const struct machine *now, enum parameter_id id, struct machine *machine)
{
	double hidden_s = more_of(machine, now, id) / now->value[BANDWIDTH];

	if (now->has[MODEL] && now->value[MODEL] > 0 && fabs(hidden_s) < now->value[LATENCY])
		machine_set(machine, LATENCY, now->value[LATENCY] + hidden_s);
}

/* Links that save up more than a latency spare half of it in a game of ping-pong: they regain what the
 * ball's way back leaves them. */
static void vary_model(const struct view *view, const struct machine *now, enum parameter_id id,
		       struct variants *out)
{
	double empty_s =
	    now->value[LATENCY] + now->value[SEND_OVERHEAD] + now->value[RECV_OVERHEAD];

	vary_word(now, id, out);
	for (int k = 0; k < view->starts[BURST].n && !now->has[id]; k++) {
		struct machine *machine = variants_add(out, now);

		machine_set(machine, id, 1);
		machine_set(machine, BURST, view->starts[BURST].values[k]);
		machine_set(machine, LATENCY, 2 * empty_s);
	}
}

static void vary_packets(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	if (now->has[id])
		vary_found(now, id, out);
	else
		vary_number(view, now, id, out);
}

static void mend_packets(const struct machine *now, enum parameter_id id, struct machine *machine)
{
	if (now->has[id])
		return;
	machine_set(machine, HEADER, TCP_HEADER_B);
	machine_drop(machine, DUPLEX); /* and whatever else is excluded beside packets */
}

/* An empty message is a packet's headers, on both links: what they take is no latency, if that has
 * been thought. */
static void vary_header(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	const struct starts *starts = &view->starts[id];

	for (int k = 0; k < starts->n; k++)
		for (int is_all = 0; is_all < 2; is_all++) {
			struct machine *machine = variants_add(out, now);
			double more_B = starts->values[k] - (is_all ? 0 : now->value[id]),
			       rate_Bps = now->value[BANDWIDTH] *
					  (1 + now->value[id] / now->value[PAYLOAD]);

			machine_set(machine, id, starts->values[k]);
			machine_set(machine, LATENCY, now->value[LATENCY] - 2 * more_B / rate_Bps);
		}
}

/* Of all numbers of flows that were measured. */
static void vary_sharing(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	for (int k = 0; k < view->starts[id].n; k++) {
		struct machine *machine = variants_add(out, now);

		for (int j = 0; j < MACHINE_FLOWS; j++) {
			const struct starts *starts = &view->starts[id + j];

			machine->has[id + j] = false;
			if (starts->n > k && !now->has[id])
				machine_set(machine, id + j, starts->values[k]);
		}
	}
}

/* --- what many share --- */

/* A message draws its bytes of it once or twice. */
static void vary_memory(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	vary_number(view, now, id, out);
	for (int k = 0, last = out->n; k < last; k++) {
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
static void mend_uplinks(const struct machine *now, enum parameter_id id, struct machine *machine)
{
	if (machine->has[id])
		machine_drop(machine, id == TAPER ? UPLINK : TAPER);
}

/* --- what goes on without its rank --- */

/* What stalls stays in order, and stalls only where ranks make progress themselves. */
static void mend_unattended(const struct machine *now, enum parameter_id id,
			    struct machine *machine)
{
	if (!machine->has[id] || is_tcp(now))
		return;
	machine_set(machine, ORDER, 1);
	if (!machine->has[PROGRESS] || machine->value[PROGRESS] < 1)
		machine_set(machine, PROGRESS, 1);
}

static void vary_used(const struct view *view, const struct machine *now, enum parameter_id id,
		      struct variants *out)
{
	/* what was found may be either, or between */
	static const double news[] = {1, 1, 0.3, 0.3, 0.1}, factors[] = {2, 6, 1, 3, 1};

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

	if (!now->has[UNATTENDED] && !is_tcp(now))
		return;
	machine = variants_add(out, now);
	machine_drop(machine, now->has[id] ? id : BUFFER);
	if (!now->has[id])
		machine_set(machine, id, 1);
}

static void vary_buffer(const struct view *view, const struct machine *now, enum parameter_id id,
			struct variants *out)
{
	struct machine *machine;

	vary_number(view, now, id, out);
	if (now->has[id])
		return;
	machine = variants_add(out, now);
	machine_drop(machine, BUFFER);
	for (int k = BUFFER; k < DEPTH; k++)
		if (view->left.has[k])
			machine_set(machine, k, view->left.value[k]);
}

static void mend_buffer(const struct machine *now, enum parameter_id id, struct machine *machine)
{
	machine->has[BUFFER_WORD] = false;
}

/* More of larger messages: from one of the sizes on that were measured. */
static void vary_buffers(const struct view *view, const struct machine *now, enum parameter_id id,
			 struct variants *out)
{
	static const double factors[] = {1.3, 1.8};
	const struct starts *places = &view->starts[id];
	int n = 1;

	if (now->has[BUFFER + MACHINE_BUFFERS - 1])
		return;
	while (now->has[BUFFER + n])
		n++;
	for (int k = 0; k < places->n; k++)
		for (int j = 0; j < 2 && places->values[k] > now->value[BUFFER_FROM + n - 1]; j++) {
			struct machine *machine = variants_add(out, now);

			machine_set(machine, BUFFER_FROM, 0);
			machine_set(machine, BUFFER_FROM + n, places->values[k]);
			machine_set(machine, BUFFER + n, factors[j] * now->value[BUFFER + n - 1]);
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
		machine_set_library(machine, k);
		for (int j = 0; j < PARAMETERS; j++)
			if (view->facts.has[j])
				machine_set(machine, j, view->facts.value[j]);
		/* words of its own */
		for (int j = 0; j < PARAMETERS && k >= LIBRARY_OPENMPI_TCP; j++)
			if (PARAMETER[j].words && j != MODEL && !view->facts.has[j])
				machine->has[j] = false;
		if (k >= LIBRARY_OPENMPI_TCP)
			machine_drop(machine, UNATTENDED), machine_drop(machine, BUFFER);
	}
}

const struct mechanism MECHANISMS[] = {
    {"a library's protocol", THRESHOLD, .is_own = true, .vary = vary_library},
    {"an eager limit", THRESHOLD, .vary = vary_threshold},
    {"progress", PROGRESS},
    {"an order", ORDER},
    {"the end of a rendezvous", END},
    {"synchronous sends", SYNCHRONOUS},
    {"late answers", LATE_ANSWERS},
    {"copies of eager messages", PER_BYTE, .vary = vary_copies},
    {"data with requests", REQUEST_DATA, THRESHOLD, .vary = vary_data, .mend = mend_bulks},
    {"packets", PAYLOAD, .vary = vary_packets, .mend = mend_packets},
    {"headers of packets", HEADER, HEADER, .vary = vary_header},
    {"a queue", QUEUE, PAYLOAD},
    {"bursts", BURST, .mend = mend_latency},
    {"latencies that links have", MODEL, .vary = vary_model},
    {"losses both ways", DUPLEX, .is_fluid = true},
    {"losses by sharing", SHARING, .is_fluid = true, .vary = vary_sharing},
    {"what leaves unattended", UNATTENDED, .mend = mend_unattended},
    {"more of it by use", USED, UNATTENDED, .is_own = true, .vary = vary_used},
    {"send buffers", BUFFER, .vary = vary_buffer, .mend = mend_buffer},
    {"larger send buffers", BUFFER_FROM, BUFFER, .vary = vary_buffers},
    {"send buffers of connections", BUFFER_WORD, .vary = vary_buffer_word},
    {"a depth of one-sided messages", DEPTH},
    {"the other side's overhead", SEND_OVERHEAD, .vary = vary_sides},
    {"memory that messages within a node share", MEMORY, .vary = vary_memory},
    {"a rate of messages", MESSAGE_RATE},
    {"fewer links between switches", TAPER, .mend = mend_uplinks},
    {"slower links between switches", UPLINK, .mend = mend_uplinks},
    {"lines by size", SEGMENT, .is_own = true, .is_fluid = true, .vary = vary_segments},
    {"links faster than one transfer", LINK_RATE, SEGMENT},
    {"lines by size within a node", INNER_SEGMENT, .is_own = true, .vary = vary_segments},
};

const int N_MECHANISMS = sizeof(MECHANISMS) / sizeof(MECHANISMS[0]);
