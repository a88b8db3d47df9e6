// SPDX-License-Identifier: BSD-3-Clause
#include "traces/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/json.h"
#include "traces/run.h"
#include "util/units.h"

enum { MOST_ROWS = 8, NAME_WIDTH = 56 };

/* One list of quantities: how two runs tell them, and what they are called. */
static const struct list {
	const char *key, *title;
	const char *before, *after; /* keys of an entry: shares or seconds */
} lists[] = {
    {"efficiency", "efficiency", "before", "after"},
    {"mean_rank", "time of the mean rank", "before_s", "after_s"},
    {"kernels", "kernel, over all ranks", "before_s", "after_s"},
    {"calls", "MPI call, over all ranks", "before_s", "after_s"},
    {"phases", "phase, all of its name", "before_s", "after_s"},
    {"reasons", "reason: what a run without it gains", "before_s", "after_s"},
};
enum { N_LISTS = sizeof lists / sizeof *lists };

int trace_compare_load(const char *path, json_t **out, struct util_error *err)
{
	json_t *root;
	int failed = trace_json_load(path, &root, err);

	if (failed)
		return failed;
	if (json_is_string(json_object_get(root, "mpisim_version")) &&
	    json_is_number(json_object_get(root, "predicted_time_s")) &&
	    json_is_array(json_object_get(root, "ranks")) &&
	    json_is_array(json_object_get(root, "calls"))) {
		*out = root;
		return 0;
	}
	json_decref(root);
	return util_refuse(err, "%s: found no run, wanted what mpisim-run --json writes", path);
}

/* --- what one run says: amounts by name, in a JSON object --- */

static void add(json_t *amounts, const char *name, const json_t *amount)
{
	double sum = json_number_value(json_object_get(amounts, name));

	if (json_is_number(amount))
		json_object_set_new(amounts, name, json_real(sum + json_number_value(amount)));
}

static void add_efficiency(json_t *amounts, const json_t *run)
{
	static const char *const factors[][2] = {
	    {"parallel", "parallel efficiency"},
	    {"load_balance", "load balance"},
	    {"serialization", "serialization"},
	    {"transfer", "transfer"},
	};
	const json_t *tree = json_object_get(json_object_get(run, "analysis"), "efficiency");

	add(amounts, "dynamic efficiency", json_object_get(run, "efficiency"));
	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
		add(amounts, factors[i][1], json_object_get(tree, factors[i][0]));
}

static void add_mean_rank(json_t *amounts, const json_t *run)
{
	static const char *const parts[][2] = {
	    {"useful_s", "computing"},
	    {"accelerator_s", "accelerator"},
	    {"stolen_s", "CPU stolen by messages"},
	    {"shared_s", "CPU shared with ranks"},
	    {"communicating_s", "communicating"},
	    {"waiting_s", "waiting"},
	    {"ended_s", "ended before others"},
	    {"before_s", "before it was spawned"},
	    {"other_s", "sleeping, other"},
	};
	const json_t *ranks = json_object_get(run, "ranks");
	size_t n = json_array_size(ranks);

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		double sum_s = 0;

		for (size_t rank = 0; rank < n; rank++)
			sum_s += json_number_value(
			    json_object_get(json_array_get(ranks, rank), parts[i][0]));
		if (sum_s > 0)
			json_object_set_new(amounts, parts[i][1], json_real(sum_s / (double)n));
	}
}

/* Of a list whose entries have a name. */
static void add_named(json_t *amounts, const json_t *list, const char *amount)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(entry, "name"));

		if (name)
			add(amounts, name[0] ? name : "(not annotated)",
			    json_object_get(entry, amount));
	}
}

/* The ranks and the factor in a reason's text may differ between the runs: it is the same where its
 * kind and place are. */
static void add_reasons(json_t *amounts, json_t *texts, const json_t *run)
{
	const json_t *list = json_object_get(json_object_get(run, "analysis"), "reasons");

	for (size_t i = 0; json_is_array(list) && i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);
		const char *kind = json_string_value(json_object_get(entry, "kind"));
		const char *where = json_string_value(json_object_get(entry, "where"));
		const char *text = json_string_value(json_object_get(entry, "text"));
		char key[512];

		snprintf(key, sizeof key, "%s %s", kind ? kind : "", where ? where : "");
		add(amounts, key, json_object_get(entry, "gain_s"));
		if (text)
			json_object_set_new(texts, key,
					    where ? json_sprintf("%s, at %s", text, where)
						  : json_string(text));
	}
}

/* Whether the run was looked at for what the list has. */
static bool is_known(const json_t *run, const char *key)
{
	return strcmp(key, "reasons") != 0 ||
	       json_is_array(json_object_get(json_object_get(run, "analysis"), "reasons"));
}

static json_t *amounts_of(const json_t *run, const char *key, json_t *texts)
{
	json_t *amounts = json_object();

	if (strcmp(key, "efficiency") == 0)
		add_efficiency(amounts, run);
	else if (strcmp(key, "mean_rank") == 0)
		add_mean_rank(amounts, run);
	else if (strcmp(key, "reasons") == 0)
		add_reasons(amounts, texts, run);
	else
		add_named(amounts, json_object_get(run, key),
			  strcmp(key, "phases") == 0 ? "span_s" : "time_s");
	return amounts;
}

/* --- side by side --- */

static double change_of(const json_t *entry, const struct list *list)
{
	return json_number_value(json_object_get(entry, list->after)) -
	       json_number_value(json_object_get(entry, list->before));
}

struct change {
	json_t *entry;
	double size;
	size_t number;
};

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Largest change first; of equal ones, as they were. */
static json_t *sort_changes(json_t *array, const struct list *list)
{
	size_t n = json_array_size(array);
	struct change *changes = malloc((n + 1) * sizeof *changes);
	json_t *sorted = changes ? json_array() : NULL;

	for (size_t i = 0; sorted && i < n; i++)
		changes[i] = (struct change){json_array_get(array, i),
					     fabs(change_of(json_array_get(array, i), list)), i};
	if (sorted && n > 0)
		qsort(changes, n, sizeof *changes, compare_changes);
	for (size_t i = 0; sorted && i < n; i++)
		json_array_append(sorted, changes[i].entry);
	free(changes);
	json_decref(array);
	return sorted;
}

static void add_entry(json_t *array, const struct list *list, const char *name, json_t *before,
		      json_t *after)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "name", json_string(name));
	json_object_set_new(entry, list->before, before ? json_incref(before) : json_null());
	json_object_set_new(entry, list->after, after ? json_incref(after) : json_null());
	json_array_append_new(array, entry);
}

static json_t *list_json(const struct list *list, const json_t *before, const json_t *after)
{
	json_t *texts = json_object(), *array = json_array();
	json_t *was = amounts_of(before, list->key, texts),
	       *is = amounts_of(after, list->key, texts);
	json_t *amount;
	const char *name;
	/* without --explain a run does not know all of its factors */
	bool wants_both = strcmp(list->key, "efficiency") == 0;

	json_object_foreach(was, name, amount)
	{
		const char *text = json_string_value(json_object_get(texts, name));

		if (!wants_both || json_object_get(is, name))
			add_entry(array, list, text ? text : name, amount,
				  json_object_get(is, name));
	}
	json_object_foreach(is, name, amount)
	{
		const char *text = json_string_value(json_object_get(texts, name));

		if (!wants_both && !json_object_get(was, name))
			add_entry(array, list, text ? text : name, NULL, amount);
	}
	json_decref(was);
	json_decref(is);
	json_decref(texts);
	return sort_changes(array, list);
}

json_t *trace_compare_json(const char *path, const json_t *before, const json_t *after)
{
	json_t *object = json_object(), *time_s = json_object_get(before, "predicted_time_s");
	int failed = json_object_set_new(object, "file", trace_json_string(path));

	failed |= json_object_set(object, "command", json_object_get(before, "command"));
	failed |= json_object_set_new(
	    object, "before_ranks",
	    json_integer((json_int_t)json_array_size(json_object_get(before, "ranks"))));
	failed |= json_object_set(object, "before_s", time_s);
	failed |= json_object_set(object, "after_s", json_object_get(after, "predicted_time_s"));
	for (int i = 0; i < N_LISTS; i++)
		if (is_known(before, lists[i].key) && is_known(after, lists[i].key))
			failed |= json_object_set_new(object, lists[i].key,
						      list_json(&lists[i], before, after));
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

/* --- for people --- */

static void write_value(const json_t *value, bool is_share, FILE *file)
{
	if (!json_is_number(value))
		fprintf(file, "%10s", "-");
	else if (is_share)
		fprintf(file, "%8.1f %%", 100 * json_number_value(value));
	else
		fprintf(file, "%10s", util_time_text(json_number_value(value)).text);
}

static void write_entry(const struct list *list, const json_t *entry, FILE *file)
{
	bool is_share = strcmp(list->before, "before") == 0;
	const char *name = json_string_value(json_object_get(entry, "name"));
	double change = change_of(entry, list);

	if (strlen(name) > NAME_WIDTH) /* a line of its own */
		fprintf(file, "  %s\n  %-*s", name, NAME_WIDTH, "");
	else
		fprintf(file, "  %-*s", NAME_WIDTH, name);
	write_value(json_object_get(entry, list->before), is_share, file);
	write_value(json_object_get(entry, list->after), is_share, file);
	if (is_share)
		fprintf(file, "%+8.1f %%\n", 100 * change);
	else
		fprintf(file, " %c%s\n", change < 0 ? '-' : '+', util_time_text(fabs(change)).text);
}

static void write_list(const struct list *list, const json_t *entries, FILE *file)
{
	size_t n = 0;

	while (n < json_array_size(entries) && change_of(json_array_get(entries, n), list) != 0)
		n++;
	if (n > 0)
		fprintf(file, "\n  %-*s    before       now    change\n", NAME_WIDTH, list->title);
	for (size_t i = 0; i < n && i < MOST_ROWS; i++)
		write_entry(list, json_array_get(entries, i), file);
	if (n > MOST_ROWS)
		fprintf(file, "  and %zu more\n", n - MOST_ROWS);
}

static void write_lists(const struct trace_run *run, FILE *file)
{
	json_t *after = trace_json_run(run);
	const json_t *compared = json_object_get(after, "compared");

	for (int i = 0; i < N_LISTS; i++)
		write_list(&lists[i], json_object_get(compared, lists[i].key), file);
	json_decref(after);
}

void trace_compare_text(const struct trace_run *run, bool is_brief, FILE *file)
{
	double before_s = json_number_value(json_object_get(run->compared_run, "predicted_time_s"));
	double after_s = sim_time_to_s(run->summary->end);

	if (!run->compared_run)
		return;
	fprintf(file, "%scompared with %s: %s before, %s now", is_brief ? "" : "\n",
		run->compared_file, util_time_text(before_s).text, util_time_text(after_s).text);
	if (before_s > 0 && after_s != before_s)
		fprintf(file, ", %.1f %% %s", 100 * fabs(after_s / before_s - 1),
			after_s < before_s ? "less" : "more");
	fputc('\n', file);
	if (!is_brief)
		write_lists(run, file);
}
