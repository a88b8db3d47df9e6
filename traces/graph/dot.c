/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph for graphviz: dot -Tsvg run.dot -o run.svg. */
#include <stdlib.h>

#include "traces/graph/internal.h"
#include "traces/graph/values.h"

/* The name of the vertex that stands for each call: its own, or the first of its collective. */
static int *find_vertices(const struct trace_graph *graph)
{
	int *vertex = malloc(((size_t)graph->n_calls + 1) * sizeof *vertex);
	struct graph_groups groups;

	if (!vertex || graph_groups_find(graph, &groups)) {
		free(vertex);
		return NULL;
	}
	for (int i = 0; i < graph->n_calls; i++)
		vertex[i] = i;
	for (int i = 0, end; i < groups.n; i = end) {
		end = graph_groups_end(graph, &groups, i);
		for (int k = i; k < end; k++)
			vertex[groups.order[k]] = groups.order[i];
	}
	free(groups.order);
	return vertex;
}

static void write_text(const char *text, FILE *file)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc(*text, file);
	}
}

static void write_arguments(const struct trace_graph *graph, const struct graph_call *call,
			    FILE *file)
{
	const char *parted = "";

	for (int i = 0; call->function && i < call->function->n_parameters; i++) {
		json_t *value = graph_value_json(graph, call, i);
		char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

		if (text) {
			fprintf(file, "%s%s ", parted, call->function->parameters[i].name);
			write_text(text, file);
			parted = ", ";
		}
		free(text);
		json_decref(value);
	}
}

static void write_vertices(const struct trace_graph_run *run, const int vertex[], FILE *file)
{
	const struct trace_graph *graph = run->graph;
	char place[512];

	for (int i = 0; i < graph->n_calls; i++) {
		const struct graph_call *call = &graph->calls[i];

		if (vertex[i] != i)
			continue;
		fprintf(file, "\tc%d [label=\"%s\\n", i, graph->sites.list[call->site].function);
		if (call->collective >= 0)
			write_text(graph->comms[call->comm].name, file);
		else
			fprintf(file, "rank %d", call->rank);
		fputs("\", tooltip=\"", file);
		write_arguments(graph, call, file);
		fputs("; ", file);
		write_text(graph_place(run, call->site, place, sizeof place), file);
		fprintf(file, "\"%s];\n", call->collective >= 0 ? ", peripheries=2" : "");
	}
}

/* From each call of a rank to its next. */
static void write_program_order(const struct trace_graph_run *run, const int vertex[], FILE *file)
{
	const struct trace_graph *graph = run->graph;
	int n = run->world->n_ranks, *last = malloc(((size_t)n + 1) * sizeof *last);

	for (int rank = 0; last && rank < n; rank++)
		last[rank] = -1;
	for (int i = 0; last && i < graph->n_calls; i++) {
		int rank = graph->calls[i].rank;

		if (last[rank] >= 0)
			fprintf(
			    file,
			    "\tc%d -> c%d [color=\"#0072b2\", weight=10, tooltip=\"rank %d\"];\n",
			    vertex[last[rank]], vertex[i], rank);
		last[rank] = i;
	}
	free(last);
}

int graph_dot_write(const struct trace_graph_run *run, FILE *file)
{
	const struct trace_graph *graph = run->graph;
	int *vertex = find_vertices(graph);

	if (!vertex)
		return UTIL_ENOMEM;
	fputs("digraph mpisim {\n\tnode [shape=box, fontsize=10];\n", file);
	if (graph->n_left_out > 0)
		fprintf(file, "\tlabel=\"the first %d calls of %llu\";\n", graph->n_calls,
			(unsigned long long)graph->n_left_out + (unsigned long long)graph->n_calls);
	write_vertices(run, vertex, file);
	write_program_order(run, vertex, file);
	for (int i = 0; i < graph->n_messages; i++)
		fprintf(file, "\tc%d -> c%d [color=\"#d55e00\", tooltip=\"%lld B, tag %d\"];\n",
			vertex[graph->messages[i].send], vertex[graph->messages[i].receive],
			(long long)graph->messages[i].size_B, graph->messages[i].tag);
	for (int i = 0; i < graph->n_edges; i++)
		fprintf(file, "\tc%d -> c%d [color=\"#b9c0c8\", style=dashed, constraint=false];\n",
			vertex[graph->edges[i].from], vertex[graph->edges[i].to]);
	fputs("}\n", file);
	free(vertex);
	return 0;
}
