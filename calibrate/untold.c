/* SPDX-License-Identifier: BSD-3-Clause */
#include "untold.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

static const double WIDE = 4; /* from one end of an interval to the other, a factor */

enum { MOST_OTHERS = 16 };

struct others {
	int n, usual; /* that one is what libraries have; -1: none is */
	struct machine list[MOST_OTHERS];
	char names[MOST_OTHERS][128]; /* of what differs */
};

static struct machine *add(struct others *others, const struct machine *machine, const char *format,
			   ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(others->names[others->n], sizeof(others->names[0]), format, args);
	va_end(args);
	others->list[others->n] = *machine;
	return &others->list[others->n++];
}

/* Where a message waits for its receiver, what ranks do meanwhile; a library over TCP brings its own
 * words. */
static void add_words(const struct machine *now, struct others *others)
{
	static const enum parameter_id words[] = {PROGRESS, ORDER, END};

	if (!now->has[THRESHOLD] || now->library >= LIBRARY_OPENMPI_TCP)
		return;
	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
		enum parameter_id id = words[k];
		int word = now->has[id] && now->value[id] > 0 ? 0 : 1;
		char name[64];

		if (id == PROGRESS && word > 0)
			others->usual = others->n;

		machine_set(add(others, now, "%s, %s or %s", parameter_name(id, name),
				PARAMETER[id].words[now->has[id] ? (int)now->value[id] : 0],
				PARAMETER[id].words[word]),
			    id, word);
	}
}

static void add_overheads(const struct machine *now, struct others *others)
{
	double send_s = now->value[SEND_OVERHEAD], recv_s = now->value[RECV_OVERHEAD];
	struct machine *other;

	if (!now->has[SEND_OVERHEAD] || !now->has[RECV_OVERHEAD])
		return;
	if (fmax(send_s, recv_s) > 1.1 * fmin(send_s, recv_s)) {
		other = add(others, now, "protocol.overhead.send from protocol.overhead.recv");
		machine_set(other, SEND_OVERHEAD, recv_s);
		machine_set(other, RECV_OVERHEAD, send_s);
	}
}

/* Limits are tried at sizes that were timed: up to the next one it makes no difference to them. */
static void add_limit(const struct view *view, const struct machine *now, struct others *others)
{
	const struct starts *limits = &view->starts[THRESHOLD];
	double next_B = INFINITY;

	for (int k = 0; k < limits->n && now->has[THRESHOLD]; k++)
		if (limits->values[k] > now->value[THRESHOLD])
			next_B = fmin(next_B, limits->values[k]);
	if (isfinite(next_B))
		machine_set(add(others, now, "protocol.eager_threshold, %.0f to %.0f",
				now->value[THRESHOLD], next_B - 1),
			    THRESHOLD, next_B - 1);
}

/* Whose algorithms collective operations have, unless a library was named. */
static void add_collectives(const struct view *view, const struct machine *now,
			    struct others *others)
{
	static const enum library libraries[] = {LIBRARY_PLAIN, LIBRARY_OPENMPI, LIBRARY_MPICH};

	for (size_t k = 0; k < sizeof(libraries) / sizeof(libraries[0]); k++) {
		enum library library = libraries[k];

		if (view->libraries && library != now->library && now->library != LIBRARY_RDMA &&
		    now->library < LIBRARY_OPENMPI_TCP)
			machine_set_library(add(others, now, "protocol.collectives, %s or %s",
						LIBRARY[now->library].name, LIBRARY[library].name),
					    library);
	}
}

void untold_say(struct untold *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(out->texts[out->n++], sizeof(out->texts[0]), format, args);
	va_end(args);
}

static bool is_wide(const struct machine *machine, int id)
{
	return machine->has[id] && machine->high[id] > WIDE * machine->low[id];
}

static void say_wide(const struct machine *machine, struct untold *out)
{
	for (int k = 0; k < PARAMETERS; k++) {
		char name[64], text[64];
		FILE *file;

		if (!is_wide(machine, k))
			continue;
		parameter_name(k, name);
		if (!machine_is_told(machine, k)) {
			untold_say(out, "%s", name);
			continue;
		}
		file = fmemopen(text, sizeof(text), "w");
		if (!file)
			return;
		parameter_write(k, machine->low[k], file);
		fputs(" to ", file);
		parameter_write(k, machine->high[k], file);
		fclose(file);
		untold_say(out, "%s: %s predict them as well", name, text);
	}
	if (is_wide(machine, SEND_OVERHEAD) && is_wide(machine, RECV_OVERHEAD))
		untold_say(out, "network.latency from protocol.overhead: their sum alone");
}

int untold_find(struct search *search, struct untold *out, struct util_error *err)
{
	const struct view *view = search->view;
	struct others others = {.usual = -1};
	double *off = calloc((size_t)view->n * MOST_OTHERS + 1, sizeof(*off)), chance;

	*out = (struct untold){0};
	if (!off)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	say_wide(&search->machine, out);
	add_words(&search->machine, &others);
	add_overheads(&search->machine, &others);
	add_limit(view, &search->machine, &others);
	add_collectives(view, &search->machine, &others);
	/* the simulator may refuse all */
	if (view->predict(view->context, others.list, others.n, off, err))
		others.n = 0;
	chance = log(search->n_told);
	for (int j = 0; j < others.n; j++) {
		double more = 0;

		for (int k = 0; k < view->n; k++)
			more += loss_of(search, k, off[(ptrdiff_t)j * view->n + k]) -
				loss_of(search, k, search->off[k]);
		if (more >= chance)
			continue;
		untold_say(out, "%s%s", others.names[j],
			   j == others.usual ? ": the latter, as libraries have it" : "");
		if (j == others.usual)
			search->machine = others.list[j];
	}
	free(off);
	return 0;
}

void untold_write(const struct untold *untold, const char *prefix, FILE *file)
{
	for (int k = 0; k < untold->n; k++)
		fprintf(file, "%sthe times do not tell %s\n", prefix, untold->texts[k]);
}
