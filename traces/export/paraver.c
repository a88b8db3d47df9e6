// SPDX-License-Identifier: BSD-3-Clause
/*
 * Paraver (BSC, Paraver trace format): .prv with states, events and communications in nanoseconds, .pcf with their names, .row
 * with those of CPUs, nodes and threads. One application, a task for each rank with one thread.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/export/format.h"

enum { TYPE_CALL = 70000001, TYPE_KERNEL, TYPE_PHASE };

/* The states that Paraver knows, by their standard numbers. */
static const struct state {
	int number;
	const char *name;
	int red, green, blue;
} states[] = {
    {0, "Idle", 117, 195, 255},
    {1, "Running", 0, 0, 255},
    {3, "Waiting a message", 255, 0, 0},
    {4, "Blocking Send", 255, 0, 174},
    {5, "Synchronization", 179, 0, 0},
    {6, "Test/Probe", 0, 255, 0},
    {8, "Wait/WaitAll", 235, 0, 0},
    {10, "Immediate Send", 255, 0, 255},
    {11, "Immediate Receive", 100, 100, 177},
    {13, "Group Communication", 255, 144, 26},
    {15, "Others", 192, 224, 0},
};

static const struct function {
	const char *name;
	int state;
} functions[] = {
#include "traces/paraver-functions.h"
};

static int compare_name(const void *name, const void *function)
{
	return strcmp(name, ((const struct function *)function)->name);
}

static int state_of(const struct trace_output *out, const struct trace_event *event)
{
	const char *name = out->names->text[event->name];
	const struct function *function;

	if (!event->is_call)
		return 1;
	function = bsearch(name, functions, sizeof functions / sizeof functions[0],
			   sizeof functions[0], compare_name);
	return function ? function->state : 15;
}

static int64_t ns(sim_time_ps time)
{
	return time / 1000;
}

/* The date is no part of a simulation: equal runs give equal files. */
static void write_header(const struct trace_output *out)
{
	const struct trace_summary *summary = out->summary;
	FILE *prv = out->files[0];

	fprintf(prv, "#Paraver (01/01/2000 at 00:00):%" PRId64 "_ns:%d(", ns(summary->end),
		summary->n_nodes);
	for (int node = 0; node < summary->n_nodes; node++)
		fprintf(prv, "%s%d", node ? "," : "", summary->cluster->cores);
	fprintf(prv, "):1:%d(", summary->n_ranks);
	for (int rank = 0; rank < summary->n_ranks; rank++)
		fprintf(prv, "%s1:%d", rank ? "," : "", summary->ranks[rank].node + 1);
	fputs(")\n", prv);
}

/* Names must not end their line. */
static void write_name(FILE *file, const char *name)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' ? ' ' : *name, file);
	fputc('\n', file);
}

static void write_type(const struct trace_output *out, int type, const char *title)
{
	FILE *pcf = out->files[1];

	fprintf(pcf, "\nEVENT_TYPE\n0    %d    %s\nVALUES\n0      End\n", type, title);
	for (int i = 0; i < out->names->n; i++) {
		bool is_call = strncmp(out->names->text[i], "MPI_", 4) == 0;

		if (type != TYPE_PHASE && is_call != (type == TYPE_CALL))
			continue;
		fprintf(pcf, "%d      ", i + 1);
		write_name(pcf, out->names->text[i]);
	}
}

static void write_pcf(const struct trace_output *out)
{
	FILE *pcf = out->files[1];

	fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
	      "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
	      "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\nDEFAULT_SEMANTIC\n\n"
	      "THREAD_FUNC          State As Is\n\nSTATES\n",
	      pcf);
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
		fprintf(pcf, "%d    %s\n", states[i].number, states[i].name);
	fputs("\nSTATES_COLOR\n", pcf);
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
		fprintf(pcf, "%d    {%d,%d,%d}\n", states[i].number, states[i].red,
			states[i].green, states[i].blue);
	write_type(out, TYPE_CALL, "MPI call");
	write_type(out, TYPE_KERNEL, "Kernel");
	write_type(out, TYPE_PHASE, "Phase");
}

static void write_row(const struct trace_output *out)
{
	const struct trace_summary *summary = out->summary;
	FILE *row = out->files[2];
	int cores = summary->cluster->cores;

	fprintf(row, "LEVEL CPU SIZE %lld\n", (long long)summary->n_nodes * cores);
	for (int node = 0; node < summary->n_nodes; node++)
		for (int core = 0; core < cores; core++)
			fprintf(row, "%d.node%d\n", core + 1, node);
	fprintf(row, "\nLEVEL NODE SIZE %d\n", summary->n_nodes);
	for (int node = 0; node < summary->n_nodes; node++)
		fprintf(row, "node%d\n", node);
	fprintf(row, "\nLEVEL THREAD SIZE %d\n", summary->n_ranks);
	for (int rank = 0; rank < summary->n_ranks; rank++)
		fprintf(row, "rank %d\n", rank);
}

static void begin(struct trace_output *out)
{
	write_header(out);
	write_pcf(out);
	write_row(out);
}

/* "cpu:application:task:thread" of a record. */
static void write_object(const struct trace_output *out, int rank)
{
	fprintf(out->files[0], "%d:1:%d:1", out->cpu_of[rank] + 1, rank + 1);
}

static void write_value(const struct trace_output *out, const struct trace_event *event, int type,
			int value)
{
	fputs("2:", out->files[0]);
	write_object(out, event->rank);
	fprintf(out->files[0], ":%" PRId64 ":%d:%d\n", ns(event->time), type, value);
}

static void write_state(const struct trace_output *out, const struct trace_event *event)
{
	if (ns(event->other) > ns(event->time)) {
		fputs("1:", out->files[0]);
		write_object(out, event->rank);
		fprintf(out->files[0], ":%" PRId64 ":%" PRId64 ":%d\n", ns(event->time),
			ns(event->other), state_of(out, event));
	}
	write_value(out, event, event->is_call ? TYPE_CALL : TYPE_KERNEL, event->name + 1);
}

static void write_message(const struct trace_output *out, const struct trace_event *event)
{
	FILE *prv = out->files[0];

	fputs("3:", prv);
	write_object(out, event->rank);
	fprintf(prv, ":%" PRId64 ":%" PRId64 ":", ns(event->time), ns(event->started));
	write_object(out, event->peer);
	fprintf(prv, ":%" PRId64 ":%" PRId64 ":%" PRId64 ":%d\n", ns(event->other),
		ns(event->arrived), event->size_B, event->tag);
}

static void write_event(struct trace_output *out, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_EVENT_BEGIN:
		write_state(out, event);
		break;
	case TRACE_EVENT_END:
		write_value(out, event, event->is_call ? TYPE_CALL : TYPE_KERNEL, 0);
		break;
	case TRACE_EVENT_PHASE_BEGIN:
		write_value(out, event, TYPE_PHASE, event->name + 1);
		break;
	case TRACE_EVENT_PHASE_END:
		write_value(out, event, TYPE_PHASE, 0);
		break;
	case TRACE_EVENT_SENT:
		write_message(out, event);
		break;
	}
}

static void end(struct trace_output *out)
{
}

const struct trace_format trace_format_paraver = {
    .endings = {".prv", ".pcf", ".row"},
    .needs_ends = true,
    .begin = begin,
    .event = write_event,
    .end = end,
};
