/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "simcore/time.h"
#include "traces/graph/internal.h"
#include "traces/graph/values.h"
#include "traces/json.h"

/* --- collectives --- */

static int compare_groups(const void *a, const void *b, void *context)
{
	const struct graph_call *calls = context, *x = &calls[*(const int *)a],
				*y = &calls[*(const int *)b];

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->collective != y->collective)
		return x->collective < y->collective ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

int graph_groups_find(const struct trace_graph *graph, struct graph_groups *out)
{
	*out = (struct graph_groups){.order =
					 malloc(((size_t)graph->n_calls + 1) * sizeof *out->order)};
	if (!out->order)
		return UTIL_ENOMEM;
	for (int i = 0; i < graph->n_calls; i++)
		if (graph->calls[i].collective >= 0)
			out->order[out->n++] = i;
	qsort_r(out->order, (size_t)out->n, sizeof *out->order, compare_groups, graph->calls);
	return 0;
}

int graph_groups_end(const struct trace_graph *graph, const struct graph_groups *groups, int i)
{
	const struct graph_call *first = &graph->calls[groups->order[i]], *call = first;

	while (call->comm == first->comm && call->collective == first->collective) {
		if (++i == groups->n)
			return i;
		call = &graph->calls[groups->order[i]];
	}
	return i;
}

static json_t *collectives_json(const struct trace_graph *graph)
{
	json_t *all = json_array();
	struct graph_groups groups;

	if (graph_groups_find(graph, &groups)) {
		json_decref(all);
		return NULL;
	}
	for (int i = 0, end; i < groups.n; i = end) {
		const struct graph_call *first = &graph->calls[groups.order[i]];
		json_t *calls = json_array();

		end = graph_groups_end(graph, &groups, i);
		for (int k = i; k < end; k++)
			json_array_append_new(calls, json_integer(groups.order[k]));
		json_array_append_new(all, json_pack("{s:s,s:i,s:o}", "call", first->function->name,
						     "communicator", first->comm, "calls", calls));
	}
	free(groups.order);
	return all;
}

/* --- calls --- */

json_t *graph_value_json(const struct trace_graph *graph, const struct graph_call *call, int i)
{
	int64_t value = graph->values[call->first_value + (size_t)i];
	const char *name = NULL;

	switch (mpi_value_kind(&call->function->parameters[i])) {
	case PARAMETER_RANK:
	case PARAMETER_ROOT:
		name = trace_value_peer(value);
		break;
	case PARAMETER_TAG:
		name = trace_value_tag(value);
		break;
	case PARAMETER_INT:
	case PARAMETER_COUNT:
		break;
	case PARAMETER_COMM:
		return value < 0 ? json_null() : trace_json_string(graph->comms[value].name);
	case PARAMETER_DATATYPE:
	case PARAMETER_OP:
	case PARAMETER_TEXT:
		return trace_json_string(graph->texts[value]);
	default:
		return NULL;
	}
	return name ? json_string(name) : json_integer((json_int_t)value);
}

static json_t *arguments_json(const struct trace_graph *graph, const struct graph_call *call)
{
	json_t *object = json_object();

	for (int i = 0; i < call->function->n_parameters; i++) {
		json_t *value = graph_value_json(graph, call, i);

		if (value)
			json_object_set_new(object, call->function->parameters[i].name, value);
	}
	return object;
}

static json_t *call_json(const struct trace_graph *graph, const struct graph_call *call)
{
	json_t *object = json_object();

	json_object_set_new(object, "rank", json_integer(call->rank));
	json_object_set_new(object, "site", json_integer(call->site));
	json_object_set_new(object, "begin_s", trace_json_number(sim_time_to_s(call->begin)));
	json_object_set_new(object, "end_s",
			    call->has_ended ? trace_json_number(sim_time_to_s(call->end))
					    : json_null());
	json_object_set_new(object, "waiting_s", trace_json_number(sim_time_to_s(call->waiting)));
	if (call->comm >= 0)
		json_object_set_new(object, "communicator", json_integer(call->comm));
	json_object_set_new(object, "arguments",
			    call->function ? arguments_json(graph, call) : json_null());
	return object;
}

static json_t *calls_json(const struct trace_graph *graph)
{
	json_t *all = json_array();

	for (int i = 0; i < graph->n_calls; i++)
		json_array_append_new(all, call_json(graph, &graph->calls[i]));
	return all;
}

/* --- the rest --- */

char *graph_place(const struct trace_graph_run *run, int site, char *text, size_t size)
{
	return pd_describe_site(run->world, run->graph->sites.list[site].address, text, size);
}

/* "ring.c:12 (main)" in its parts, where it has them. */
static json_t *site_json(const struct trace_graph_run *run, int i)
{
	char text[512], *colon, *open;
	json_t *object = json_object(), *function = NULL, *line = NULL;

	graph_place(run, i, text, sizeof text);
	json_object_set_new(object, "call", json_string(run->graph->sites.list[i].function));
	json_object_set_new(object, "place", trace_json_string(text));
	open = strstr(text, " (");
	if (open && text[strlen(text) - 1] == ')') {
		text[strlen(text) - 1] = '\0';
		function = trace_json_string(open + 2);
		*open = '\0';
	}
	colon = strrchr(text, ':');
	if (colon) {
		line = json_integer(atoi(colon + 1));
		*colon = '\0';
	}
	json_object_set_new(object, "file", trace_json_string(text));
	json_object_set_new(object, "line", line ? line : json_null());
	json_object_set_new(object, "function", function ? function : json_null());
	return object;
}

static json_t *sites_json(const struct trace_graph_run *run)
{
	json_t *all = json_array();

	for (int i = 0; i < run->graph->sites.n; i++)
		json_array_append_new(all, site_json(run, i));
	return all;
}

static json_t *comms_json(const struct trace_graph *graph)
{
	json_t *all = json_array();

	for (int i = 0; i < graph->n_comms; i++)
		json_array_append_new(all, json_pack("{s:o,s:i}", "name",
						     trace_json_string(graph->comms[i].name),
						     "ranks", graph->comms[i].size));
	return all;
}

static json_t *messages_json(const struct trace_graph *graph)
{
	json_t *all = json_array();

	for (int i = 0; i < graph->n_messages; i++) {
		const struct graph_message *m = &graph->messages[i];

		json_array_append_new(all, json_pack("{s:i,s:i,s:i,s:I}", "send", m->send,
						     "receive", m->receive, "tag", m->tag, "size_B",
						     (json_int_t)m->size_B));
	}
	return all;
}

static json_t *requests_json(const struct trace_graph *graph)
{
	json_t *all = json_array();

	for (int i = 0; i < graph->n_edges; i++)
		json_array_append_new(all,
				      json_pack("[i,i]", graph->edges[i].from, graph->edges[i].to));
	return all;
}

json_t *graph_json(const struct trace_graph_run *run)
{
	const struct trace_graph *graph = run->graph;
	json_t *root = json_object(), *command = json_array();
	int failed = 0;

	for (char *const *word = run->command; *word; word++)
		json_array_append_new(command, trace_json_string(*word));
	failed |= json_object_set_new(root, "mpisim_graph", json_integer(1));
	failed |= json_object_set_new(root, "command", command);
	failed |= json_object_set_new(root, "ranks", json_integer(run->world->n_ranks));
	failed |= json_object_set_new(root, "time_s",
				      trace_json_number(sim_time_to_s(run->world->engine.now)));
	failed |= json_object_set_new(root, "calls_left_out",
				      json_integer((json_int_t)graph->n_left_out));
	failed |= json_object_set_new(root, "sites", sites_json(run));
	failed |= json_object_set_new(root, "communicators", comms_json(graph));
	failed |= json_object_set_new(root, "calls", calls_json(graph));
	failed |= json_object_set_new(root, "messages", messages_json(graph));
	failed |= json_object_set_new(root, "requests", requests_json(graph));
	failed |= json_object_set_new(root, "collectives", collectives_json(graph));
	if (!failed)
		return root;
	json_decref(root);
	return NULL;
}
