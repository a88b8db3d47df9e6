// SPDX-License-Identifier: BSD-3-Clause
/*
 * Paje, as L. M. Schnorr, Paje trace file format (version 1.2.5, 2013) has it: nodes and ranks are containers, what a rank does a
 * state, phases another, messages links.
 */
#include <inttypes.h>

#include "traces/export/format.h"

enum {
	DEFINE_CONTAINER,
	DEFINE_STATE,
	DEFINE_LINK,
	DEFINE_VALUE,
	CREATE,
	DESTROY,
	PUSH,
	POP,
	START_LINK,
	END_LINK,
};

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineLinkType 2\n%  Alias string\n%  Type string\n"
    "%  StartContainerType string\n%  EndContainerType string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 3\n%  Alias string\n%  Type string\n%  Name string\n"
    "%  Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n%  Time date\n%  Alias string\n%  Type string\n"
    "%  Container string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n%  Time date\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 6\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%EndEventDef\n"
    "%EventDef PajePopState 7\n%  Time date\n%  Type string\n%  Container string\n"
    "%EndEventDef\n"
    "%EventDef PajeStartLink 8\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%  StartContainer string\n%  Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 9\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%  EndContainer string\n%  Key string\n%EndEventDef\n";

static void write_time(FILE *file, int what, sim_time_ps time)
{
	fprintf(file, "%d %" PRId64 ".%012" PRId64, what, (int64_t)(time / SIM_PS_PER_S),
		(int64_t)(time % SIM_PS_PER_S));
}

/* Kernels green to yellow, calls blue to red: told apart by their number. */
static void write_value(FILE *file, const struct trace_output *out, int name, const char *alias,
			const char *type)
{
	double shade = (double)(name * 37 % 100) / 100;
	const char *quoted = out->quoted[name];

	fprintf(file, "%d %s%d %s \"", DEFINE_VALUE, alias, name, type);
	for (const char *c = quoted + 1; c[1]; c++) /* without its quotes; Paje knows no escapes */
		fputc(*c == '"' ? '\'' : *c, file);
	fprintf(file, "\" \"%.2f %.2f %.2f\"\n", 0.2 + 0.7 * shade, 0.3 + 0.5 * (1 - shade),
		0.2 + 0.6 * ((double)(name * 61 % 100) / 100));
}

static void begin(struct trace_output *out)
{
	const struct trace_summary *summary = out->summary;
	FILE *file = out->files[0];

	fputs(header, file);
	fprintf(file, "%d C 0 Cluster\n%d N C Node\n%d R N Rank\n", DEFINE_CONTAINER,
		DEFINE_CONTAINER, DEFINE_CONTAINER);
	fprintf(file, "%d S R State\n%d P R Phase\n%d M C R R Message\n", DEFINE_STATE,
		DEFINE_STATE, DEFINE_LINK);
	for (int name = 0; name < out->names->n; name++) {
		write_value(file, out, name, "s", "S");
		write_value(file, out, name, "p", "P");
	}
	write_time(file, CREATE, 0);
	fputs(" c C 0 cluster\n", file);
	for (int node = 0; node < summary->n_nodes; node++)
		if (summary->nodes[node].n_ranks > 0) {
			write_time(file, CREATE, 0);
			fprintf(file, " n%d N c \"node %d\"\n", node, node);
		}
	for (int rank = 0; rank < summary->n_ranks; rank++) {
		write_time(file, CREATE, 0);
		fprintf(file, " r%d R n%d \"rank %d\"\n", rank, summary->ranks[rank].node, rank);
	}
}

static void write_event(struct trace_output *out, const struct trace_event *event)
{
	FILE *file = out->files[0];

	switch (event->kind) {
	case TRACE_EVENT_BEGIN:
		write_time(file, PUSH, event->time);
		fprintf(file, " S r%d s%d\n", event->rank, event->name);
		break;
	case TRACE_EVENT_END:
		write_time(file, POP, event->time);
		fprintf(file, " S r%d\n", event->rank);
		break;
	case TRACE_EVENT_PHASE_BEGIN:
		write_time(file, PUSH, event->time);
		fprintf(file, " P r%d p%d\n", event->rank, event->name);
		break;
	case TRACE_EVENT_PHASE_END:
		write_time(file, POP, event->time);
		fprintf(file, " P r%d\n", event->rank);
		break;
	case TRACE_EVENT_SENT:
		write_time(file, START_LINK, event->time);
		fprintf(file, " M c \"%" PRId64 " B\" r%d m%" PRIu64 "\n", event->size_B,
			event->rank, event->message);
		break;
	case TRACE_EVENT_RECEIVED:
		write_time(file, END_LINK, event->time);
		fprintf(file, " M c \"%" PRId64 " B\" r%d m%" PRIu64 "\n", event->size_B,
			event->rank, event->message);
		break;
	}
}

static void end(struct trace_output *out)
{
	const struct trace_summary *summary = out->summary;
	FILE *file = out->files[0];

	for (int rank = 0; rank < summary->n_ranks; rank++) {
		write_time(file, DESTROY, summary->end);
		fprintf(file, " R r%d\n", rank);
	}
	for (int node = 0; node < summary->n_nodes; node++)
		if (summary->nodes[node].n_ranks > 0) {
			write_time(file, DESTROY, summary->end);
			fprintf(file, " N n%d\n", node);
		}
	write_time(file, DESTROY, summary->end);
	fputs(" C c\n", file);
}

const struct trace_format trace_format_paje = {
    .endings = {".paje"},
    .needs_ends = true,
    .begin = begin,
    .event = write_event,
    .end = end,
};
