// SPDX-License-Identifier: BSD-3-Clause
#include "traces/export/export.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/export/format.h"
#include "traces/json.h"
#include "util/array.h"
#include "util/outpath.h"

struct trace_export {
	const struct trace_summary *summary;
	const char *path;
	const struct trace_format *format;
	struct trace_spool spool;
	struct trace_names names;
	uint64_t n_messages;
	int *n_open, **open; /* [n_ranks] phases that a rank is in, by name; [n_open] each */
	sim_time_ps *last; /* [n_ranks] end of what it did last */
	struct trace_comms comms;
	struct collective {
		int comm, root; /* in `comms`; -1: none */
	} * collectives;	/* [n_ranks] that the present call is */
	bool out_of_memory;
};

static const struct {
	const char *ending;
	const struct trace_format *format;
} endings[] = {
    {".json", &trace_format_chrome}, {".paje", &trace_format_paje}, {".trace", &trace_format_paje},
    {".prv", &trace_format_paraver}, {".otf2", &trace_format_otf2},
};

static const struct trace_format *find_format(const char *path, size_t *out_stem)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		size_t n = strlen(endings[i].ending);

		if (length > n && strcmp(path + length - n, endings[i].ending) == 0) {
			*out_stem = length - n;
			return endings[i].format;
		}
	}
	return NULL;
}

/* Errors: UTIL_EINPUT for an ending that is none of these. */
static int check_ending(const char *path, struct util_error *err)
{
	size_t stem;
	const struct trace_format *format = find_format(path, &stem);

	if (format)
		return format->check ? format->check(path, err) : 0;
	return util_refuse(err,
			   "found \"%s\", wanted a name that ends in .json (Chrome, Perfetto), "
			   ".otf2 (OTF2), .paje or .trace (Paje), or .prv (Paraver)",
			   path);
}

/* --- the observer --- */

static int name_id(struct trace_export *exporter, const char *name)
{
	int id = trace_names_id(&exporter->names, name);

	if (id < 0)
		exporter->out_of_memory = true;
	return id < 0 ? 0 : id;
}

static void add_interval(struct trace_export *exporter, struct trace_event event)
{
	sim_time_ps begin = event.time;

	if (event.other < begin)
		return;
	exporter->last[event.rank] = event.other;
	event.kind = TRACE_EVENT_BEGIN;
	trace_spool_add(&exporter->spool, &event);
	if (!exporter->format->needs_ends)
		return;
	event.kind = TRACE_EVENT_END;
	event.time = event.other;
	event.other = begin;
	trace_spool_add(&exporter->spool, &event);
}

static void export_compute(void *context, const struct sim_record_compute *record)
{
	struct trace_export *exporter = context;

	add_interval(exporter,
		     (struct trace_event){
			 .time = record->begin,
			 .other = record->end,
			 .rank = record->rank,
			 .name = name_id(exporter, record->kernel ? record->kernel : "computing"),
		     });
}

static void export_call(void *context, const struct sim_record_call *record)
{
	struct trace_export *exporter = context;
	struct collective *collective = &exporter->collectives[record->rank];

	add_interval(exporter, (struct trace_event){
				   .time = record->begin,
				   .other = record->end,
				   .waiting = record->waiting,
				   .rank = record->rank,
				   .name = name_id(exporter, record->function),
				   .root = collective->root,
				   .comm = collective->comm,
				   .is_call = 1,
			       });
	*collective = (struct collective){-1, -1};
}

static void export_message(void *context, const struct sim_record_message *record)
{
	struct trace_export *exporter = context;
	struct trace_event event = {
	    .time = record->sent,
	    .other = record->received,
	    .started = record->started,
	    .arrived = record->arrived,
	    .since = exporter->last[record->dest],
	    .size_B = record->size_B,
	    .message = exporter->n_messages++,
	    .rank = record->source,
	    .peer = record->dest,
	    .name = -1,
	    .tag = record->tag,
	    .kind = TRACE_EVENT_SENT,
	    .in_collective = record->in_collective != 0,
	};

	trace_spool_add(&exporter->spool, &event);
	if (exporter->format->needs_ends) {
		event.kind = TRACE_EVENT_RECEIVED;
		event.time = record->received;
		event.other = record->sent;
		event.rank = record->dest;
		event.peer = record->source;
		trace_spool_add(&exporter->spool, &event);
	}
}

static void add_phase(struct trace_export *exporter, int rank, int name, int is_begin,
		      sim_time_ps now)
{
	struct trace_event event = {
	    .time = now,
	    .rank = rank,
	    .name = name,
	    .kind = is_begin ? TRACE_EVENT_PHASE_BEGIN : TRACE_EVENT_PHASE_END,
	};

	trace_spool_add(&exporter->spool, &event);
}

static int push_open(struct trace_export *exporter, int rank, int name)
{
	if (!util_array_room(&exporter->open[rank], (size_t)exporter->n_open[rank],
			     sizeof *exporter->open[rank]))
		return -1;
	exporter->open[rank][exporter->n_open[rank]++] = name;
	return 0;
}

static void export_phase(void *context, int rank, const char *name, int is_begin, sim_time_ps now)
{
	struct trace_export *exporter = context;

	if (is_begin) {
		int id = name_id(exporter, name);

		if (push_open(exporter, rank, id))
			exporter->out_of_memory = true;
		else
			add_phase(exporter, rank, id, 1, now);
	} else if (exporter->n_open[rank] > 0) {
		add_phase(exporter, rank, exporter->open[rank][--exporter->n_open[rank]], 0, now);
	}
}

static void export_rank_begin(void *context, int rank, int parent, int node, sim_time_ps now)
{
	struct trace_export *exporter = context;

	exporter->last[rank] = now;
}

static void export_collective(void *context, const struct sim_cause_collective *entered,
			      sim_time_ps now)
{
	struct trace_export *exporter = context;
	struct collective *of = &exporter->collectives[entered->place.rank];
	int comm = trace_comms_enter(&exporter->comms, entered);

	if (comm == -2)
		exporter->out_of_memory = true;
	else if (of->comm < 0) /* a call may be several: the first tells */
		*of = (struct collective){comm, entered->root};
}

struct sim_observer trace_export_observer(struct trace_export *exporter)
{
	return (struct sim_observer){
	    .context = exporter,
	    .compute = export_compute,
	    .call = export_call,
	    .message = export_message,
	    .phase = export_phase,
	    .rank_begin = export_rank_begin,
	    .collective = export_collective,
	};
}

/* --- life --- */

int trace_export_create(const char *path, const struct trace_summary *summary,
			struct trace_export **out, struct util_error *err)
{
	struct trace_export *exporter = calloc(1, sizeof *exporter);
	size_t n = (size_t)summary->max_ranks, stem;
	int failed = check_ending(path, err);

	if (!exporter)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
	exporter->spool.fd = -1;
	exporter->summary = summary;
	exporter->path = path;
	trace_names_init(&exporter->names);
	exporter->n_open = calloc(n, sizeof *exporter->n_open);
	exporter->open = calloc(n, sizeof *exporter->open);
	exporter->last = calloc(n, sizeof *exporter->last);
	exporter->collectives = malloc(n * sizeof *exporter->collectives);
	if (!failed &&
	    (!exporter->last || !exporter->n_open || !exporter->open || !exporter->collectives))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
	if (!failed) {
		exporter->format = find_format(path, &stem);
		failed =
		    trace_spool_init(&exporter->spool, path, exporter->format->write != NULL, err);
		memset(exporter->collectives, -1, n * sizeof *exporter->collectives);
	}
	if (failed) {
		trace_export_destroy(exporter);
		return failed;
	}
	*out = exporter;
	return 0;
}

void trace_export_destroy(struct trace_export *exporter)
{
	if (!exporter)
		return;
	for (int rank = 0; exporter->open && rank < exporter->summary->n_ranks; rank++)
		free(exporter->open[rank]);
	free(exporter->open);
	free(exporter->n_open);
	free(exporter->last);
	free(exporter->collectives);
	trace_comms_finish(&exporter->comms);
	trace_names_finish(&exporter->names);
	trace_spool_finish(&exporter->spool);
	free(exporter);
}

/* --- writing --- */

/* "run" of "run.prv" with another ending, and the name that it has until it is complete. */
struct output_name {
	char *final, *temporary;
};

static void close_outputs(struct trace_output *out, struct output_name names[3])
{
	for (int i = 0; i < 3; i++) {
		if (out->files[i])
			fclose(out->files[i]);
		if (names[i].temporary) {
			unlink(names[i].temporary);
			util_output_release(names[i].temporary);
		}
		free(names[i].final);
		free(names[i].temporary);
	}
	for (int i = 0; out->quoted && i < out->names->n; i++)
		free(out->quoted[i]);
	free(out->quoted);
	free(out->cpu_of);
}

static int open_outputs(const struct trace_export *exporter, struct trace_output *out,
			struct output_name names[3], struct util_error *err)
{
	size_t stem = 0;
	const struct trace_format *format = find_format(exporter->path, &stem);
	char *wanted;
	int failed;

	for (int i = 0; i < 3 && format->endings[i]; i++) {
		const char *ending = i == 0 ? exporter->path + stem : format->endings[i];

		if (asprintf(&wanted, "%.*s%s", (int)stem, exporter->path, ending) < 0)
			return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
		failed = util_output_path(wanted, &names[i].final, err);
		free(wanted);
		if (failed)
			return failed;
		names[i].temporary = util_output_part(names[i].final);
		if (!names[i].temporary)
			return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
		out->files[i] = fopen(names[i].temporary, "we");
		if (!out->files[i]) {
			int number = errno;

			util_error_errno(err, number, "cannot create %s", names[i].temporary);
			free(names[i].temporary); /* not ours to remove */
			names[i].temporary = NULL;
			return UTIL_ESYSTEM;
		}
		util_output_hold(fileno(out->files[i]), names[i].final);
		util_output_guard(names[i].temporary);
	}
	return 0;
}

static int quote_names(struct trace_output *out)
{
	out->quoted = calloc((size_t)out->names->n + 1, sizeof *out->quoted);
	for (int i = 0; out->quoted && i < out->names->n; i++) {
		json_t *text = trace_json_string(out->names->text[i]);

		out->quoted[i] = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
		json_decref(text);
		if (!out->quoted[i])
			return -1;
	}
	return out->quoted ? 0 : -1;
}

/* The i-th rank of a node is on its core i, and from the first one again where there are more. */
static int assign_cpus(struct trace_output *out)
{
	const struct trace_summary *summary = out->summary;
	int cores = summary->cluster->cores;
	int *n_on = calloc((size_t)summary->n_nodes, sizeof *n_on);

	out->cpu_of = calloc((size_t)summary->n_ranks, sizeof *out->cpu_of);
	for (int rank = 0; n_on && out->cpu_of && rank < summary->n_ranks; rank++) {
		int node = summary->ranks[rank].node;

		out->cpu_of[rank] = node * cores + n_on[node]++ % cores;
	}
	free(n_on);
	return n_on && out->cpu_of ? 0 : -1;
}

struct writing {
	const struct trace_format *format;
	struct trace_output *out;
};

static int write_event(void *context, const struct trace_event *event)
{
	const struct writing *writing = context;

	writing->format->event(writing->out, event);
	return 0;
}

static int complete(struct trace_output *out, struct output_name names[3], struct util_error *err)
{
	for (int i = 0; i < 3 && out->files[i]; i++) {
		int bad = fflush(out->files[i]) || ferror(out->files[i]);
		int number = errno;

		bad = fclose(out->files[i]) || bad;
		out->files[i] = NULL;
		if (bad)
			return util_error_errno(err, number ? number : EIO, "cannot write %s",
						names[i].final);
	}
	for (int i = 2; i >= 0; i--) { /* the one that was asked for last */
		if (!names[i].temporary)
			continue;
		if (rename(names[i].temporary, names[i].final))
			return util_error_errno(err, errno, "cannot rename %s to %s",
						names[i].temporary, names[i].final);
		util_output_release(names[i].temporary);
		free(names[i].temporary);
		names[i].temporary = NULL;
	}
	return 0;
}

int trace_export_write(struct trace_export *exporter, struct util_error *err)
{
	struct trace_output out = {.summary = exporter->summary,
				   .names = &exporter->names,
				   .comms = &exporter->comms,
				   .is_first = true};
	struct output_name names[3] = {{NULL, NULL}};
	struct writing writing = {exporter->format, &out};
	int failed;

	for (int rank = 0; rank < exporter->summary->n_ranks; rank++)
		while (exporter->n_open[rank] > 0)
			add_phase(exporter, rank, exporter->open[rank][--exporter->n_open[rank]], 0,
				  exporter->summary->end);
	if (exporter->format->write) {
		if (exporter->out_of_memory)
			return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
		return exporter->format->write(&out, exporter->path, &exporter->spool, err);
	}
	failed = open_outputs(exporter, &out, names, err);
	if (!failed && (quote_names(&out) || assign_cpus(&out) || exporter->out_of_memory))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
	if (!failed) {
		exporter->format->begin(&out);
		failed = trace_spool_visit(&exporter->spool, write_event, &writing, err);
	}
	if (!failed) {
		exporter->format->end(&out);
		failed = complete(&out, names, err);
	}
	close_outputs(&out, names);
	return failed;
}
