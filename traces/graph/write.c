/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "traces/graph/internal.h"
#include "traces/page/page.h"

int trace_graph_format_of(const char *path, enum trace_graph_format *out, struct util_error *err)
{
	const char *const endings[] = {".html", ".dot", ".json"};
	const char *ending = strrchr(path, '.');

	for (int i = 0; ending && i < 3; i++)
		if (strcmp(ending, endings[i]) == 0) {
			*out = (enum trace_graph_format)i;
			return 0;
		}
	return util_refuse(err, "found \"%s\", wanted a name that ends in .html, .dot or .json",
			   path);
}

static int write_json(const struct trace_graph_run *run, FILE *file, size_t flags)
{
	json_t *root = graph_json(run);
	int failed;

	if (!root)
		return UTIL_ENOMEM;
	failed = trace_page_write_data(root, file, flags | JSON_REAL_PRECISION(12));
	json_decref(root);
	return failed || fputc('\n', file) == EOF ? UTIL_ESYSTEM : 0;
}

static int write_page(const struct trace_graph_run *run, FILE *file)
{
	int failed = fputs(graph_page_before, file) == EOF ? UTIL_ESYSTEM
							   : write_json(run, file, JSON_COMPACT);

	return failed || fputs(graph_page_after, file) != EOF ? failed : UTIL_ESYSTEM;
}

int trace_graph_write(const struct trace_graph_run *run, FILE *file, struct util_error *err)
{
	int failed = run->graph->is_out_of_memory ? UTIL_ENOMEM : 0;

	errno = 0;
	if (!failed)
		failed = run->format == TRACE_GRAPH_HTML  ? write_page(run, file)
			 : run->format == TRACE_GRAPH_DOT ? graph_dot_write(run, file)
							  : write_json(run, file, JSON_INDENT(1));
	if (failed == UTIL_ENOMEM)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the graph");
	if (failed || fflush(file))
		return util_error_errno(err, errno ? errno : EIO, "cannot write the graph");
	return 0;
}
