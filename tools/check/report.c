/* SPDX-License-Identifier: BSD-3-Clause */
/* What is found, as text and as JSON. */
#include <jansson.h>
#include <string.h>

#include "tools/check/check.h"
#include "traces/json.h"

static const char *const support_names[] = {
    [CHECK_SUPPORTED] = "supported",
    [CHECK_RESTRICTED] = "restricted",
    [CHECK_MISSING] = "missing",
};

static int count(const struct check *check, enum check_support support)
{
	int n = 0;

	for (int i = 0; i < check->n_needs; i++)
		n += check->needs[i].support == support;
	return n;
}

static void write_need(const struct check_need *need, FILE *file)
{
	fprintf(file, "  %-30s %s", need->symbol, support_names[need->support]);
	if (need->support == CHECK_RESTRICTED)
		fprintf(file, " since %s: %s", need->function->since, need->function->restriction);
	if (need->by)
		fprintf(file, " (for %s)", need->by);
	fputc('\n', file);
}

static void write_sentences(const struct run_strings *list, const char *title, FILE *file)
{
	if (list->n > 0)
		fprintf(file, "\n%s\n", title);
	for (int i = 0; i < list->n; i++)
		fprintf(file, "  %s\n", list->items[i]);
}

void check_write_text(const struct check *check, FILE *file)
{
	const struct check_binary *program = &check->objects[0];

	fprintf(file, "%s: %s, %d-bit %s\n", program->path, check_kind_name(program->kind),
		program->bits, check_machine_name(program->machine));
	if (check->mpi_library)
		fprintf(file, "MPI: %s (%s)\n",
			strcmp(check->mpi, "mpisim") == 0 ? "the standard ABI" : check->mpi,
			check->mpi_library);
	else
		fprintf(file, "MPI: none is linked\n");
	if (check->n_needs > 0)
		fprintf(file,
			"\nMPI functions: %d needed, %d supported, %d restricted, %d missing\n",
			check->n_needs, count(check, CHECK_SUPPORTED),
			count(check, CHECK_RESTRICTED), count(check, CHECK_MISSING));
	for (int i = 0; i < check->n_needs; i++)
		write_need(&check->needs[i], file);
	write_sentences(&check->notes, "to know before a run:", file);
	write_sentences(&check->doubts, "what may stop a run:", file);
	write_sentences(&check->stops, "what would stop a run:", file);
	if (check->stops.n == 0 && check->doubts.n == 0)
		fprintf(file, "\nnothing is known that would stop a run\n");
}

static json_t *sentences(const struct run_strings *list)
{
	json_t *array = json_array();

	for (int i = 0; i < list->n; i++)
		json_array_append_new(array, trace_json_string(list->items[i]));
	return array;
}

static json_t *describe_needs(const struct check *check)
{
	json_t *array = json_array();

	for (int i = 0; i < check->n_needs; i++) {
		const struct check_need *need = &check->needs[i];
		bool is_restricted = need->support == CHECK_RESTRICTED;

		json_array_append_new(
		    array,
		    json_pack(
			"{s:s, s:o, s:s, s:o, s:s, s:o, s:o}", "name", need->function->name,
			"symbol", trace_json_string(need->symbol), "chapter",
			need->function->chapter, "needed_by", trace_json_string(need->by),
			"support", support_names[need->support], "since",
			trace_json_string(is_restricted ? need->function->since : NULL),
			"restriction",
			trace_json_string(is_restricted ? need->function->restriction : NULL)));
	}
	return array;
}

static json_t *describe_libraries(const struct check *check)
{
	json_t *array = json_array();

	for (int i = 0; i < check->n_libraries; i++)
		json_array_append_new(array,
				      json_pack("{s:o, s:o, s:b}", "name",
						trace_json_string(check->libraries[i].name), "path",
						trace_json_string(check->libraries[i].path),
						"needs_mpi", check->libraries[i].needs_mpi));
	return array;
}

int check_write_json(const void *context, FILE *file, struct util_error *err)
{
	const struct check *check = context;
	const struct check_binary *program = &check->objects[0];
	json_t *root = json_pack(
	    "{s:o, s:s, s:s, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "file",
	    trace_json_string(program->path), "kind", check_kind_name(program->kind), "processor",
	    check_machine_name(program->machine), "bits", program->bits, "has_lines",
	    program->has_lines, "mpi", trace_json_string(check->mpi), "mpi_library",
	    trace_json_string(check->mpi_library), "libraries", describe_libraries(check),
	    "functions", describe_needs(check), "notes", sentences(&check->notes),
	    "may_stop", sentences(&check->doubts), "stops", sentences(&check->stops), "can_run", check->stops.n == 0);
	int failed = !root || json_dumpf(root, file, JSON_INDENT(1));

	json_decref(root);
	if (!failed)
		failed = fputc('\n', file) == EOF || fflush(file);
	return failed ? util_error_set(err, UTIL_ESYSTEM, "cannot write the result as JSON") : 0;
}
