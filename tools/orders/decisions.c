// SPDX-License-Identifier: BSD-3-Clause
#include "tools/orders/decisions.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/json.h"
#include "util/outfile.h"

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

int orders_decisions_may_write(const char *prefix, struct util_error *err)
{
	char *path = NULL;
	int fd, failed = 0;

	if (asprintf(&path, "%s-XXXXXX", prefix) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	fd = mkstemp(path);
	if (fd < 0) {
		util_error_errno(err, errno, "--orders decisions: cannot write files \"%s-…\"",
				 prefix);
		failed = UTIL_EINPUT;
	} else {
		close(fd);
		unlink(path);
	}
	free(path);
	return failed;
}

static int write_json(const void *root, FILE *file, struct util_error *err)
{
	return json_dumpf(root, file, JSON_INDENT(1))
		   ? util_error_errno(err, errno, "cannot be written")
		   : 0;
}

int orders_decisions_write(const char *path, enum orders_view view, int n_ranks,
			   char *const program[], const struct mpi_decision list[], uint32_t n,
			   char *const lines[], struct util_error *err)
{
	json_t *file = json_object(), *words = json_array(), *decisions = json_array();
	int failed;

	for (int i = 0; program && program[i]; i++)
		json_array_append_new(words, json_string(program[i]));
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(decisions, describe(&list[i], lines ? lines[i] : NULL));
	json_object_set_new(file, "mpisim_decisions", json_integer(1));
	json_object_set_new(file, "view", json_string(orders_view_name(view)));
	json_object_set_new(file, "ranks", json_integer(n_ranks));
	json_object_set_new(file, "program", words);
	json_object_set_new(file, "decisions", decisions);
	failed = util_outfile_write(path, write_json, file, err);
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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Wherever the program lies. */
static bool is_program(const json_t *words, char *const program[])
{
	size_t n = 0;

	while (program && program[n])
		n++;
	for (size_t i = 0; i < n && i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));

		if (!word || (i == 0 ? strcmp(base_name(word), base_name(program[i]))
				     : strcmp(word, program[i])) != 0)
			return false;
	}
	return json_array_size(words) == n;
}

static char *joined(const json_t *words)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; file && i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));

		fprintf(file, "%s%s", i > 0 ? " " : "", word ? word : "?");
	}
	if (file)
		fclose(file);
	return text;
}

static int check_run(const char *path, const json_t *file, int n_ranks, char *const program[],
		     struct util_error *err)
{
	const json_t *words = json_object_get(file, "program"),
		     *ranks = json_object_get(file, "ranks");
	char *found;
	int failed;

	if (ranks && json_integer_value(ranks) != n_ranks)
		return util_error_set(err, UTIL_EINPUT,
				      "%s: found decisions for %lld ranks, wanted %d", path,
				      (long long)json_integer_value(ranks), n_ranks);
	if (json_array_size(words) == 0 || is_program(words, program))
		return 0;
	found = joined(words);
	failed =
	    util_error_set(err, UTIL_EINPUT,
			   "%s: found decisions of the program \"%s\", wanted those of this one "
			   "with the same arguments",
			   path, found ? found : "?");
	free(found);
	return failed;
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

int orders_decisions_read(const char *path, int n_ranks, char *const program[],
			  struct orders_decisions *out, struct util_error *err)
{
	json_t *file;
	int failed = trace_json_load(path, &file, err);

	*out = (struct orders_decisions){.n = 0};
	if (failed)
		return failed;
	failed = read_all(path, file, out, err);
	if (!failed)
		failed = check_run(path, file, n_ranks, program, err);
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
