// SPDX-License-Identifier: BSD-3-Clause
#include "traces/real/walk.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/datatype/datatype.h"
#include "mpi/datatype/typemap.h"
#include "util/array.h"

enum { MAX_ID = 1 << 24 }; /* ids are small: more is damage */

int trace_real_walk_open(struct mtrace_file *file, int rank, struct trace_real_walk *out,
			 struct util_error *err)
{
	int failed;

	*out = (struct trace_real_walk){.file = file};
	failed = mtrace_cursor_open(file, rank, &out->at, err);
	out->is_open = !failed;
	return failed;
}

void trace_real_walk_close(struct trace_real_walk *walk)
{
	if (walk->is_open)
		mtrace_cursor_close(&walk->at);
	free(walk->types.of);
	free(walk->requests.of);
	free(walk->charges);
	*walk = (struct trace_real_walk){.is_open = false};
}

bool trace_real_is_edge(const char *function)
{
	return strcmp(function, "MPI_Init") == 0 || strcmp(function, "MPI_Init_thread") == 0 ||
	       strcmp(function, "MPI_Finalize") == 0;
}

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for a real run");
}

static int note_size(struct trace_real_sizes *sizes, uint64_t id, int64_t size_B,
		     struct util_error *err)
{
	if (id >= MAX_ID)
		return 0;
	if (id >= sizes->n) {
		size_t n = sizes->n ? 2 * sizes->n : 64;
		int64_t *grown;

		while (n <= id)
			n *= 2;
		grown = realloc(sizes->of, n * sizeof *grown);
		if (!grown)
			return no_memory(err);
		for (size_t i = sizes->n; i < n; i++)
			grown[i] = -1;
		sizes->of = grown;
		sizes->n = n;
	}
	sizes->of[id] = size_B;
	return 0;
}

static int64_t size_at(const struct trace_real_sizes *sizes, uint64_t id)
{
	return id < sizes->n ? sizes->of[id] : -1;
}

static int64_t type_size(const struct trace_real_walk *walk, uint64_t code)
{
	const struct mpi_datatype *type;

	if (code >= MTRACE_DERIVED)
		return size_at(&walk->types, code - MTRACE_DERIVED);
	type = mpi_datatype_predefined((uintptr_t)code);
	return type ? (int64_t)type->size_B : -1;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t largest_integer(struct mtrace_cursor *at)
{
	int64_t largest = 0;

	for (uint64_t n = mtrace_get_count(at); n > 0; n--)
		largest = larger(largest, mtrace_get_int(at));
	return largest;
}

static int64_t largest_request(struct trace_real_walk *walk)
{
	int64_t largest = -1;

	for (uint64_t n = mtrace_get_count(&walk->at); n > 0; n--)
		largest = larger(largest, size_at(&walk->requests, mtrace_get_uint(&walk->at)));
	return largest;
}

/* Counts stand before their types: what they make together is a message. */
static int take_arguments(struct trace_real_walk *walk, const char *signature, int64_t *out_size_B,
			  struct util_error *err)
{
	int64_t count = -1, size_B = -1, type_B;

	for (; *signature; signature++) {
		char one[2] = {*signature, '\0'};

		switch (*signature) {
		case 'i':
			count = mtrace_get_int(&walk->at);
			continue;
		case 'a':
			count = largest_integer(&walk->at);
			continue;
		case 't':
			type_B = type_size(walk, mtrace_get_uint(&walk->at));
			if (count >= 0 && type_B >= 0)
				size_B = larger(size_B, count * type_B);
			break;
		case 'r':
			size_B =
			    larger(size_B, size_at(&walk->requests, mtrace_get_uint(&walk->at)));
			break;
		case 'q':
			size_B = larger(size_B, largest_request(walk));
			break;
		case 'R':
			if (note_size(&walk->requests, mtrace_get_uint(&walk->at), size_B, err))
				return UTIL_ENOMEM;
			break;
		default:
			mtrace_skip_arguments(&walk->at, one);
		}
		count = -1;
	}
	*out_size_B = size_B;
	return 0;
}

static int take_charge(struct trace_real_walk *walk, struct util_error *err)
{
	uint64_t kernel = mtrace_get_uint(&walk->at);
	double seconds;

	mtrace_get_byte(&walk->at);
	seconds = mtrace_get_double(&walk->at);
	for (int n = mtrace_get_byte(&walk->at); n > 0; n--)
		mtrace_get_double(&walk->at);
	if (kernel > walk->file->n_strings)
		return mtrace_cursor_damaged(&walk->at, "no such text", err);
	if (!util_array_room(&walk->charges, (size_t)walk->n_charges, sizeof *walk->charges))
		return no_memory(err);
	walk->charges[walk->n_charges++] = (struct trace_real_charge){
	    kernel > 0 ? walk->file->strings[kernel - 1] : NULL, seconds};
	return 0;
}

static int take_type(struct trace_real_walk *walk, struct util_error *err)
{
	uint64_t id = mtrace_get_uint(&walk->at);
	int64_t size_B = mtrace_get_int(&walk->at);

	mtrace_skip_arguments(&walk->at, "iiii");
	mtrace_get_byte(&walk->at);
	return note_size(&walk->types, id, size_B, err);
}

static int take_item(struct trace_real_walk *walk, uint64_t op, struct trace_real_item *out,
		     struct util_error *err)
{
	uint64_t number;

	*out = (struct trace_real_item){.kind = TRACE_REAL_PHASE_END, .size_B = -1};
	if (op == MTRACE_PHASE_END)
		return 0;
	number = op == MTRACE_PHASE_BEGIN ? mtrace_get_uint(&walk->at) : op - MTRACE_CALL;
	if (op == MTRACE_PHASE_BEGIN) {
		if (number >= walk->file->n_strings)
			return mtrace_cursor_damaged(&walk->at, "no such text", err);
		out->kind = TRACE_REAL_PHASE_BEGIN;
		out->name = walk->file->strings[number];
		return 0;
	}
	if (number >= walk->file->n_functions)
		return mtrace_cursor_damaged(&walk->at, "no such function", err);
	out->kind = TRACE_REAL_CALL;
	out->name = walk->file->functions[number].name;
	mtrace_get_uint(&walk->at); /* site */
	return take_arguments(walk, walk->file->functions[number].signature, &out->size_B, err);
}

/* Times follow what they belong to. */
static int take_times(struct trace_real_walk *walk, struct trace_real_item *out,
		      struct util_error *err)
{
	int more = mtrace_cursor_more(&walk->at, err);

	if (more <= 0 || *walk->at.at != MTRACE_TIMES)
		return more < 0 ? more : 0;
	mtrace_get_uint(&walk->at);
	out->begin_ns = walk->now_ns + (int64_t)mtrace_get_uint(&walk->at);
	out->end_ns = out->begin_ns + (int64_t)mtrace_get_uint(&walk->at);
	out->has_times = true;
	walk->now_ns = out->end_ns;
	return 0;
}

/* Records that nothing is taken from, by their arguments' letters. */
static const char *arguments_of(uint64_t op)
{
	switch (op) {
	case MTRACE_END:
	case MTRACE_CLOCK:
		return "r";
	case MTRACE_SLEEP:
	case MTRACE_TIMES:
	case MTRACE_POLLS:
		return "rr";
	case MTRACE_NODE_RELEASE:
	case MTRACE_NODE_ACQUIRE:
		return "";
	default:
		return NULL;
	}
}

int trace_real_walk_next(struct trace_real_walk *walk, struct trace_real_item *out,
			 struct util_error *err)
{
	int failed = 0, more = 0;

	while (!failed && (more = mtrace_cursor_more(&walk->at, err)) > 0) {
		uint64_t op = mtrace_get_uint(&walk->at);

		if (op == MTRACE_CHARGE) {
			failed = take_charge(walk, err);
		} else if (op == MTRACE_TYPE) {
			failed = take_type(walk, err);
		} else if (op >= MTRACE_CALL || op == MTRACE_PHASE_BEGIN ||
			   op == MTRACE_PHASE_END) {
			failed = take_item(walk, op, out, err);
			if (!failed)
				failed = take_times(walk, out, err);
			return failed ? failed : 1;
		} else if (arguments_of(op)) {
			mtrace_skip_arguments(&walk->at, arguments_of(op));
		} else {
			failed = mtrace_cursor_damaged(&walk->at, "no such record", err);
		}
	}
	return failed ? failed : more;
}
