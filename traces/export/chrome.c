// SPDX-License-Identifier: BSD-3-Clause
/* Chrome's Trace Event Format, which Perfetto reads: nodes are processes, ranks threads, messages flows. */
#include <inttypes.h>

#include "traces/export/format.h"

/* Separates entries of the list. */
static FILE *entry(struct trace_output *out)
{
	fputs(out->is_first ? "\n" : ",\n", out->files[0]);
	out->is_first = false;
	return out->files[0];
}

/* The format's unit is the microsecond. */
static void write_time(FILE *file, const char *key, sim_time_ps time)
{
	fprintf(file, ",\"%s\":%" PRId64 ".%06" PRId64, key, time / 1000000, time % 1000000);
}

static void begin(struct trace_output *out)
{
	const struct trace_summary *summary = out->summary;

	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out->files[0]);
	for (int node = 0; node < summary->n_nodes; node++)
		if (summary->nodes[node].n_ranks > 0)
			fprintf(entry(out),
				"{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{"
				"\"name\":\"node %d\"}}",
				node, node);
	for (int rank = 0; rank < summary->n_ranks; rank++) {
		int node = summary->ranks[rank].node;

		fprintf(entry(out),
			"{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{"
			"\"name\":\"rank %d\"}}",
			node, rank, rank);
		fprintf(entry(out),
			"{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_sort_index\","
			"\"args\":{\"sort_index\":%d}}",
			node, rank, rank);
	}
}

static void write_head(struct trace_output *out, const char *phase, int rank, sim_time_ps time)
{
	FILE *file = entry(out);

	fprintf(file, "{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", phase, out->summary->ranks[rank].node,
		rank);
	write_time(file, "ts", time);
}

static void write_interval(struct trace_output *out, const struct trace_event *event)
{
	FILE *file = out->files[0];

	write_head(out, "X", event->rank, event->time);
	write_time(file, "dur", event->other - event->time);
	fprintf(file, ",\"name\":%s,\"cat\":\"%s\"", out->quoted[event->name],
		event->is_call ? "mpi" : "compute");
	if (event->is_call) {
		fprintf(file, ",\"args\":{");
		fprintf(file, "\"waiting_us\":%" PRId64 ".%06" PRId64 "}", event->waiting / 1000000,
			event->waiting % 1000000);
	}
	fputc('}', file);
}

/* A flow's end is tied to the slice around it: a nanosecond before the receive ends, if the call has
 * begun by then, so that it lies within the call. */
static void write_message(struct trace_output *out, const struct trace_event *event)
{
	FILE *file = out->files[0];
	sim_time_ps earliest = event->since > event->time ? event->since : event->time;
	sim_time_ps end = event->other - 1000 > earliest ? event->other - 1000 : event->other;

	write_head(out, "s", event->rank, event->time);
	fprintf(file,
		",\"id\":%" PRIu64 ",\"name\":\"message\",\"cat\":\"message\",\"args\":{\"bytes\":"
		"%" PRId64 ",\"tag\":%d,\"to\":%d}}",
		event->message, event->size_B, event->tag, event->peer);
	write_head(out, "f", event->peer, end);
	fprintf(file,
		",\"bp\":\"e\",\"id\":%" PRIu64 ",\"name\":\"message\",\"cat\":\"message\"}",
		event->message);
}

static void write_event(struct trace_output *out, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_EVENT_BEGIN:
		write_interval(out, event);
		break;
	case TRACE_EVENT_PHASE_BEGIN:
	case TRACE_EVENT_PHASE_END:
		write_head(out, event->kind == TRACE_EVENT_PHASE_BEGIN ? "B" : "E", event->rank,
			   event->time);
		fprintf(out->files[0], ",\"name\":%s,\"cat\":\"phase\"}",
			out->quoted[event->name]);
		break;
	case TRACE_EVENT_SENT:
		write_message(out, event);
		break;
	}
}

static void end(struct trace_output *out)
{
	fputs("\n]}\n", out->files[0]);
}

const struct trace_format trace_format_chrome = {
    .endings = {".json"},
    .begin = begin,
    .event = write_event,
    .end = end,
};
