// SPDX-License-Identifier: BSD-3-Clause
/* What was measured beside what is predicted. */
#include "traces/real/compare.h"

#include <stdlib.h>
#include <string.h>

#include "traces/json.h"

/* Classes of calls by the size of their messages, in bytes: from the least on. */
static const int64_t least_B[TRACE_REAL_CLASSES] = {-1,	   0,	   100,	    1000,
						    10000, 100000, 1000000, 10000000};

static int class_of(int64_t size_B)
{
	int found = 0;

	for (int i = 1; i < TRACE_REAL_CLASSES; i++)
		if (size_B >= least_B[i])
			found = i;
	return found;
}

/* The next call of the rank in the trace; false: there is none. */
static bool next_call(struct trace_real *real, int rank, struct trace_real_item *out)
{
	struct util_error err;

	do {
		if (trace_real_walk_next(&real->walks[rank], out, &err) <= 0)
			return false;
		real->walks[rank].n_charges = 0;
	} while (out->kind != TRACE_REAL_CALL);
	return true;
}

static void lose(struct trace_real *real, const struct sim_record_call *record)
{
	real->is_lost[record->rank] = true;
	if (real->lost_call)
		return;
	real->first_lost = record->rank;
	real->lost_call = record->function;
}

char *trace_real_doubt(const struct trace_real *real)
{
	int n = 0;
	char *text;

	for (int rank = 0; rank < real->n_ranks; rank++)
		n += real->is_lost[rank];
	if (n == 0)
		return NULL;
	if (asprintf(&text,
		     "--real: the calls of %d rank%s are others than in the real run, first %s of "
		     "rank %d: by size of messages, only what came before is compared",
		     n, n == 1 ? "" : "s", real->lost_call, real->first_lost) < 0)
		return NULL;
	return text;
}

void trace_real_see_call(struct trace_real *real, const struct sim_record_call *record)
{
	struct trace_real_pair *pair;
	struct trace_real_item item;

	if (!real->is_lost[record->rank] &&
	    (!next_call(real, record->rank, &item) || strcmp(item.name, record->function) != 0))
		lose(real, record);
	if (real->is_lost[record->rank]) {
		real->n_unpaired++;
		return;
	}
	real->n_paired++;
	if (trace_real_is_edge(record->function))
		return;
	pair = &real->classes[class_of(item.size_B)];
	pair->measured_n++;
	pair->predicted_n++;
	pair->measured_s += (double)(item.end_ns - item.begin_ns) * 1e-9;
	pair->predicted_s += sim_time_to_s(record->end - record->begin);
}

/* --- JSON --- */

static json_t *pair_json(const char *name, const struct trace_real_pair *pair)
{
	json_t *object = json_object();

	if (name)
		json_object_set_new(object, "name", trace_json_string(name));
	json_object_set_new(object, "measured_count", json_integer((json_int_t)pair->measured_n));
	json_object_set_new(object, "predicted_count", json_integer((json_int_t)pair->predicted_n));
	json_object_set_new(object, "measured_s", trace_json_number(pair->measured_s));
	json_object_set_new(object, "predicted_s", trace_json_number(pair->predicted_s));
	return object;
}

struct named_pairs {
	struct trace_names names;
	struct trace_real_pair *of; /* [names.n], room for all */
};

static struct trace_real_pair *pair_of(struct named_pairs *pairs, const char *name)
{
	int id = trace_names_id(&pairs->names, name);

	return id < 0 ? NULL : &pairs->of[id];
}

static json_t *named_json(struct named_pairs *pairs)
{
	json_t *array = json_array();

	for (int i = 0; i < pairs->names.n; i++)
		json_array_append_new(array, pair_json(pairs->names.text[i], &pairs->of[i]));
	trace_names_finish(&pairs->names);
	free(pairs->of);
	return array;
}

static int begin_pairs(struct named_pairs *pairs, int n)
{
	trace_names_init(&pairs->names);
	pairs->of = calloc((size_t)n + 1, sizeof *pairs->of);
	return pairs->of ? 0 : -1;
}

static json_t *calls_json(const struct trace_summary *measured,
			  const struct trace_summary *predicted)
{
	struct named_pairs pairs;

	if (begin_pairs(&pairs, measured->call_names.n + predicted->call_names.n))
		return NULL;
	for (int i = 0; i < measured->call_names.n; i++) {
		struct trace_real_pair *pair = pair_of(&pairs, measured->call_names.text[i]);

		if (pair) {
			pair->measured_n = measured->calls[i].n;
			pair->measured_s = measured->calls[i].time_s;
		}
	}
	for (int i = 0; i < predicted->call_names.n; i++) {
		struct trace_real_pair *pair = pair_of(&pairs, predicted->call_names.text[i]);

		if (pair) {
			pair->predicted_n = predicted->calls[i].n;
			pair->predicted_s = predicted->calls[i].time_s;
		}
	}
	return named_json(&pairs);
}

static json_t *phases_json(const struct trace_summary *measured,
			   const struct trace_summary *predicted)
{
	const struct trace_summary *of[] = {measured, predicted};
	struct named_pairs pairs;

	if (begin_pairs(&pairs, measured->phase_names.n + predicted->phase_names.n))
		return NULL;
	for (int which = 0; which < 2; which++)
		for (int i = 0; i < of[which]->phases.n; i++) {
			const struct trace_phase *phase = of[which]->phases.of[i];
			struct trace_real_pair *pair =
			    pair_of(&pairs, of[which]->phase_names.text[phase->name]);

			if (!pair)
				continue;
			*(which ? &pair->predicted_n : &pair->measured_n) +=
			    (uint64_t)phase->n_ranks;
			*(which ? &pair->predicted_s : &pair->measured_s) += phase->time_s;
		}
	return named_json(&pairs);
}

/* The occurrence of a phase in the other run; NULL: it has none. */
static const struct trace_phase *find_phase(const struct trace_summary *summary, const char *name,
					    int index)
{
	for (int id = 0; id < summary->phase_names.n && id < summary->n_phase_lists; id++)
		if (strcmp(summary->phase_names.text[id], name) == 0)
			return index < summary->phases_of_name[id].n
				   ? summary->phases_of_name[id].of[index]
				   : NULL;
	return NULL;
}

/* Those that both runs have, as windows of time: for the page. */
static json_t *occurrences_json(const struct trace_summary *measured,
				const struct trace_summary *predicted)
{
	json_t *array = json_array();

	for (int i = 0; i < measured->phases.n; i++) {
		const struct trace_phase *phase = measured->phases.of[i];
		const char *name = measured->phase_names.text[phase->name];
		const struct trace_phase *other = find_phase(predicted, name, phase->index);
		json_t *object = other ? json_object() : NULL;

		if (!object)
			continue;
		json_object_set_new(object, "name", trace_json_string(name));
		json_object_set_new(object, "index", json_integer(phase->index));
		json_object_set_new(object, "measured_begin_s",
				    trace_json_number(sim_time_to_s(phase->begin)));
		json_object_set_new(object, "measured_end_s",
				    trace_json_number(sim_time_to_s(phase->end)));
		json_object_set_new(object, "predicted_begin_s",
				    trace_json_number(sim_time_to_s(other->begin)));
		json_object_set_new(object, "predicted_end_s",
				    trace_json_number(sim_time_to_s(other->end)));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *classes_json(const struct trace_real *real)
{
	json_t *array = json_array();

	for (int i = 0; i < TRACE_REAL_CLASSES; i++) {
		json_t *object;

		if (real->classes[i].measured_n == 0)
			continue;
		object = pair_json(NULL, &real->classes[i]);
		json_object_set_new(object, "least_B",
				    i == 0 ? json_null() : json_integer(least_B[i]));
		json_object_set_new(object, "below_B",
				    i == 0 || i + 1 == TRACE_REAL_CLASSES
					? json_null()
					: json_integer(least_B[i + 1]));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *trace_real_json(const struct trace_real *real, const struct trace_summary *predicted)
{
	json_t *object = json_object();
	struct trace_real_pair computing = real->computing;
	int failed;

	for (int i = 0; i < predicted->kernel_names.n; i++) {
		computing.predicted_n += predicted->kernels[i].n;
		computing.predicted_s += predicted->kernels[i].time_s;
	}
	failed =
	    json_object_set_new(object, "file", trace_json_string(real->path)) ||
	    json_object_set_new(object, "time_s", trace_json_number((double)real->end_ns * 1e-9)) ||
	    json_object_set_new(object, "computing", pair_json(NULL, &computing)) ||
	    json_object_set_new(object, "calls", calls_json(real->summary, predicted)) ||
	    json_object_set_new(object, "sizes", classes_json(real)) ||
	    json_object_set_new(object, "compared_calls",
				json_integer((json_int_t)real->n_paired)) ||
	    json_object_set_new(object, "other_calls",
				json_integer((json_int_t)real->n_unpaired)) ||
	    json_object_set_new(object, "phases", phases_json(real->summary, predicted)) ||
	    json_object_set_new(object, "occurrences", occurrences_json(real->summary, predicted));
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}
