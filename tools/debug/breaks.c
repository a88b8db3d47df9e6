/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the run stops. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/datatype/datatype.h"
#include "tools/debug/internal.h"
#include "traces/graph/values.h"
#include "util/array.h"
#include "util/nearest.h"
#include "util/units.h"

/* Bytes that the call sends or receives first; -1: it says none. */
static int64_t size_of(const struct mpi_watch_call *call)
{
	int count = mpi_parameter_value(call->function, PARAMETER_COUNT),
	    type = mpi_parameter_value(call->function, PARAMETER_DATATYPE);
	const struct mpi_datatype *datatype;

	if (count < 0 || type < 0)
		return -1;
	datatype = mpi_datatype_get(call->me, (MPI_Datatype)call->values[type].p);
	return datatype ? call->values[count].i * datatype->size_B : -1;
}

/* The argument of that name as a number; `otherwise`: there is none. */
static int64_t number_of(const struct mpi_watch_call *call, const char *wanted, int64_t otherwise)
{
	for (int i = 0; i < call->function->n_parameters; i++)
		if (strcmp(call->function->parameters[i].name, wanted) == 0)
			return call->values[i].i;
	return otherwise;
}

static bool is_size(const struct debug_break *b, int64_t size_B)
{
	return size_B >= 0 && (b->compare == DEBUG_EQUAL  ? size_B == b->size_B
			       : b->compare == DEBUG_LESS ? size_B < b->size_B
							  : size_B > b->size_B);
}

static bool is_type(const struct debug_break *b, const struct mpi_watch_call *call)
{
	int i = mpi_parameter_value(call->function, PARAMETER_DATATYPE);
	char text[128];

	return i >= 0 && strcmp(trace_value_text(call, i, text, sizeof text), b->type) == 0;
}

static bool holds(const struct debug_break *b, const struct mpi_watch_call *call)
{
	const struct mpi_comm *comm = mpi_watch_comm(call);
	int64_t dest = number_of(call, "dest", number_of(call, "target_rank", -1));

	if (b->call ? strcmp(b->call, call->function->name) != 0
		    : mpi_watch_is_local(call->function))
		return false;
	if (b->has_rank && b->rank != call->me->rank)
		return false;
	if (b->has_dest && (!comm || dest < 0 || dest >= mpi_comm_n_peers(comm) ||
			    mpi_comm_peer(comm, (int)dest) != b->dest))
		return false;
	if (b->has_tag && number_of(call, "tag", number_of(call, "sendtag", b->tag - 1)) != b->tag)
		return false;
	return (!b->has_size || is_size(b, size_of(call))) && (!b->type || is_type(b, call));
}

bool debug_hits_break(struct run_debug *debug, const struct mpi_watch_call *call)
{
	bool hits = false;

	for (int i = 0; i < debug->n_breaks; i++)
		if (holds(&debug->breaks[i], call) &&
		    ++debug->breaks[i].n_hits >= debug->breaks[i].count)
			hits = true;
	return hits;
}

static bool take_number(const char *text, int64_t max, int *out)
{
	int64_t value;

	if (util_parse_int(text, 0, max, &value, NULL))
		return false;
	*out = (int)value;
	return true;
}

static const char *take_size(struct debug_break *b, const char *text)
{
	b->has_size = true;
	b->compare = *text == '<' ? DEBUG_LESS : *text == '>' ? DEBUG_MORE : DEBUG_EQUAL;
	return util_parse_int(text + (b->compare != DEBUG_EQUAL), 0, INT64_MAX, &b->size_B, NULL)
		   ? "wanted a number of bytes behind size, as in 8, <8 or >8"
		   : NULL;
}

/* Names that the program gives are known only when it gives them; those of MPI are. */
static const char *check_type(struct run_debug *debug, const char *name)
{
	struct util_nearest nearest = {.word = name, .best_distance = UTIL_NEAREST_NEVER};

	if (strncmp(name, "MPI_", strlen("MPI_")) != 0)
		return *name ? NULL : "wanted the name of a datatype behind type";
	for (int i = 0; i < MPI_DATATYPE_N_NUMBERS; i++) {
		const char *known = mpi_datatypes_predefined[i].name;

		if (known && strcmp(known, name) == 0)
			return NULL;
		if (known)
			util_nearest_try(&nearest, known, util_nearest_distance(name, known));
	}
	return debug_wrong(debug, "there is no datatype %s%s%s", name,
			   nearest.best ? "; nearest: " : "", nearest.best ? nearest.best : "");
}

static const char *take_condition(struct run_debug *debug, struct debug_break *b, const char *key,
				  const char *value)
{
	const char *wrong = NULL;
	int64_t count;

	if (strcmp(key, "call") == 0) {
		if (!mpi_watched(value))
			return "wanted the name of an MPI function behind call";
		free(b->call);
		b->call = strdup(value);
		return NULL;
	}
	if (strcmp(key, "type") == 0) {
		wrong = check_type(debug, value);
		if (wrong)
			return wrong;
		free(b->type);
		b->type = strdup(value);
		return NULL;
	}
	if (strcmp(key, "size") == 0)
		return take_size(b, value);
	if (strcmp(key, "count") == 0) {
		if (util_parse_int(value, 1, INT64_MAX, &count, NULL))
			return "wanted a number from 1 on behind count";
		b->count = (uint64_t)count;
		return NULL;
	}
	if (*value && (strcmp(key, "rank") == 0 || strcmp(key, "dest") == 0)) {
		bool is_rank = strcmp(key, "rank") == 0;

		*(is_rank ? &b->has_rank : &b->has_dest) = true;
		return debug_take_rank(debug, value, is_rank ? &b->rank : &b->dest);
	}
	if (strcmp(key, "tag") == 0 && (b->has_tag = take_number(value, INT32_MAX, &b->tag)))
		return NULL;
	return "wanted conditions: call NAME, rank N, dest N, tag N, size [<>]BYTES, type NAME, "
	       "count N";
}

static void finish(struct debug_break *b)
{
	free(b->call);
	free(b->type);
}

const char *debug_break_add(struct run_debug *debug, char *words[])
{
	struct debug_break b = {.number = debug->last_break + 1, .count = 1};
	const char *wrong = NULL;

	for (int i = 0; words[i] && !wrong; i += 2) {
		wrong = take_condition(debug, &b, words[i], words[i + 1] ? words[i + 1] : "");
		if (!words[i + 1])
			break;
	}
	if (!wrong && !util_array_room(&debug->breaks, (size_t)debug->n_breaks, sizeof b))
		wrong = "out of memory";
	if (wrong) {
		finish(&b);
		return wrong;
	}
	debug->breaks[debug->n_breaks++] = b;
	debug_say(debug, "breakpoint %d", debug->last_break = b.number);
	return NULL;
}

const char *debug_break_remove(struct run_debug *debug, int number)
{
	int i = 0;

	while (i < debug->n_breaks && number >= 0 && debug->breaks[i].number != number)
		i++;
	if (number >= 0 && i == debug->n_breaks)
		return "there is no such breakpoint";
	for (int k = number < 0 ? 0 : i; k <= (number < 0 ? debug->n_breaks - 1 : i); k++)
		finish(&debug->breaks[k]);
	debug->n_breaks = number < 0 ? 0 : debug->n_breaks - 1;
	if (number >= 0)
		memmove(&debug->breaks[i], &debug->breaks[i + 1],
			(size_t)(debug->n_breaks - i) * sizeof *debug->breaks);
	return NULL;
}

void debug_breaks_list(struct run_debug *debug)
{
	for (int i = 0; i < debug->n_breaks; i++) {
		const struct debug_break *b = &debug->breaks[i];
		char rank[32] = "", dest[32] = "", tag[32] = "", size[48] = "";

		if (b->has_rank)
			snprintf(rank, sizeof rank, " rank %d", b->rank);
		if (b->has_dest)
			snprintf(dest, sizeof dest, " dest %d", b->dest);
		if (b->has_tag)
			snprintf(tag, sizeof tag, " tag %d", b->tag);
		if (b->has_size)
			snprintf(size, sizeof size, " size %s%" PRId64,
				 b->compare == DEBUG_LESS   ? "<"
				 : b->compare == DEBUG_MORE ? ">"
							    : "",
				 b->size_B);
		debug_say(debug, "breakpoint %d%s%s%s%s%s%s%s%s count %" PRIu64 " hits %" PRIu64,
			  b->number, b->call ? " call " : "", b->call ? b->call : "", rank, dest,
			  tag, size, b->type ? " type " : "", b->type ? b->type : "", b->count,
			  b->n_hits);
	}
}
