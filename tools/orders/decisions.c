// SPDX-License-Identifier: BSD-3-Clause
#include "tools/orders/decisions.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[MPI_N_CHOICE_KINDS] = {
    [MPI_CHOICE_RECV] = "receive",  [MPI_CHOICE_PROBE] = "probe", [MPI_CHOICE_WAIT] = "wait",
    [MPI_CHOICE_POLL] = "poll",	    [MPI_CHOICE_LOCK] = "lock",	  [MPI_CHOICE_CANCEL] = "cancel",
    [MPI_CHOICE_ACCEPT] = "accept",
};

const char *orders_view_name(enum orders_view view)
{
	return view == ORDERS_STRICT ? "strict" : "loose";
}

static json_t *describe(const struct mpi_decision *d, const char *line)
{
	json_t *out =
	    json_pack("{s:i, s:s, s:i, s:i, s:i}", "rank", d->rank, "kind", kinds[d->kind],
		      "ordinal", (int)d->ordinal, "source", d->source, "value", d->value);

	if (line)
		json_object_set_new(out, "what", json_string(line));
	return out;
}

int orders_decisions_write(const char *path, enum orders_view view, char *const program[],
			   const struct mpi_decision list[], uint32_t n, char *const lines[],
			   struct util_error *err)
{
	json_t *file = json_object(), *words = json_array(), *decisions = json_array();
	int failed = 0;

	for (int i = 0; program && program[i]; i++)
		json_array_append_new(words, json_string(program[i]));
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(decisions, describe(&list[i], lines ? lines[i] : NULL));
	json_object_set_new(file, "mpisim_decisions", json_integer(1));
	json_object_set_new(file, "view", json_string(orders_view_name(view)));
	json_object_set_new(file, "program", words);
	json_object_set_new(file, "decisions", decisions);
	if (json_dump_file(file, path, JSON_INDENT(1)))
		failed = util_error_set(err, UTIL_ESYSTEM, "%s: cannot be written", path);
	json_decref(file);
	return failed;
}

static int read_one(const char *path, const json_t *entry, size_t i, struct mpi_decision *out,
		    struct util_error *err)
{
	const char *kind = json_string_value(json_object_get(entry, "kind"));

	*out = (struct mpi_decision){.kind = -1};
	for (int k = 0; kind && k < MPI_N_CHOICE_KINDS; k++)
		if (strcmp(kinds[k], kind) == 0)
			out->kind = k;
	if (out->kind < 0 || !json_is_integer(json_object_get(entry, "rank")) ||
	    !json_is_integer(json_object_get(entry, "ordinal")) ||
	    !json_is_integer(json_object_get(entry, "source")) ||
	    !json_is_integer(json_object_get(entry, "value")))
		return util_error_set(
		    err, UTIL_EINPUT,
		    "%s: decision %zu: wanted rank, kind (receive, probe, wait, poll or lock), "
		    "ordinal, source and value",
		    path, i);
	out->rank = (int32_t)json_integer_value(json_object_get(entry, "rank"));
	out->ordinal = (uint32_t)json_integer_value(json_object_get(entry, "ordinal"));
	out->source = (int32_t)json_integer_value(json_object_get(entry, "source"));
	out->value = (int32_t)json_integer_value(json_object_get(entry, "value"));
	return 0;
}

static int read_all(const char *path, const json_t *file, struct orders_decisions *out,
		    struct util_error *err)
{
	const char *view = json_string_value(json_object_get(file, "view"));
	const json_t *list = json_object_get(file, "decisions");
	int failed = 0;

	if (json_integer_value(json_object_get(file, "mpisim_decisions")) != 1)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "%s: found no \"mpisim_decisions\": 1, wanted a file that --orders wrote",
		    path);
	if (!view || (strcmp(view, "strict") != 0 && strcmp(view, "loose") != 0))
		return util_error_set(err, UTIL_EINPUT, "%s: view: wanted \"strict\" or \"loose\"",
				      path);
	out->view = strcmp(view, "strict") == 0 ? ORDERS_STRICT : ORDERS_LOOSE;
	if (!json_is_array(list))
		return util_error_set(err, UTIL_EINPUT, "%s: decisions: wanted a list", path);
	out->n = (uint32_t)json_array_size(list);
	out->list = calloc(out->n + 1, sizeof *out->list);
	if (!out->list)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < out->n && !failed; i++)
		failed = read_one(path, json_array_get(list, i), i, &out->list[i], err);
	return failed;
}

int orders_decisions_read(const char *path, struct orders_decisions *out, struct util_error *err)
{
	json_error_t problem;
	json_t *file = json_load_file(path, 0, &problem);
	int failed;

	*out = (struct orders_decisions){.n = 0};
	if (!file)
		return util_error_set(err, UTIL_EINPUT, "%s:%d:%d: %s", path, problem.line,
				      problem.column, problem.text);
	failed = read_all(path, file, out, err);
	json_decref(file);
	if (failed)
		orders_decisions_finish(out);
	return failed;
}

void orders_decisions_finish(struct orders_decisions *decisions)
{
	free(decisions->list);
	*decisions = (struct orders_decisions){.n = 0};
}
