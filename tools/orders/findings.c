// SPDX-License-Identifier: BSD-3-Clause
/* What a view's executions say together. */
#include <stdlib.h>
#include <string.h>

#include "tools/orders/decisions.h"
#include "tools/orders/words.h"

/* Of so many kinds of each class it is told with a file; the rest are counted. */
enum { TOLD_MAX = 8 };

/* What is told of a view. */
struct telling {
	struct orders_view_run *view;
	json_t *list; /* of findings */
	int n_files;
	char *paths[ORDERS_MAX_OUTCOMES]; /* of the files of outcomes; NULL: none is written */
};

/* Once for each outcome, whoever names it. NULL: it could not be written. */
static const char *write_file(struct telling *telling, const struct orders_outcome *outcome,
			      const struct orders_words *words)
{
	struct orders_view_run *view = telling->view;
	char **kept = &telling->paths[outcome - view->shared->outcomes];
	const char *prefix = orders_decisions_prefix(view->options);
	char *path = NULL, **texts = calloc(words->n + 1, sizeof *texts);
	struct util_error err;
	bool has_all = words->n == outcome->decisions.n && texts;

	if (*kept) {
		free(texts);
		return *kept;
	}
	for (uint32_t i = 0; has_all && i < words->n; i++)
		texts[i] = orders_words_text(words->lines[i]);
	if (asprintf(&path, "%s-%s-%d.json", prefix, orders_view_name(view->view),
		     ++telling->n_files) < 0)
		path = NULL;
	if (path &&
	    orders_decisions_write(path, view->view, view->run->n_ranks, view->run->options.program,
				   orders_at(view->shared, outcome->decisions.first),
				   outcome->decisions.n, has_all ? texts : NULL, &err)) {
		fprintf(view->run->console, "mpisim-run: %s\n", err.text);
		free(path);
		path = NULL;
	}
	free(texts);
	return *kept = path;
}

/* --- what is told already --- */

static bool is_same_place(const json_t *a, const json_t *b)
{
	return json_equal(json_object_get(a, "function"), json_object_get(b, "function")) &&
	       json_equal(json_object_get(a, "place"), json_object_get(b, "place"));
}

/* A finding of the class with its first `n` calls at the same places, whatever the ranks; NULL: none. */
static json_t *find_told(const struct telling *telling, const char *class_name, const json_t *calls,
			 size_t n)
{
	for (size_t i = 0; i < json_array_size(telling->list); i++) {
		json_t *told = json_array_get(telling->list, i);
		const json_t *others = json_object_get(told, "calls");
		bool is_same =
		    strcmp(json_string_value(json_object_get(told, "class")), class_name) == 0 &&
		    json_array_size(calls) >= n && json_array_size(others) >= n;

		for (size_t k = 0; k < n && is_same; k++)
			is_same =
			    is_same_place(json_array_get(calls, k), json_array_get(others, k));
		if (is_same)
			return told;
	}
	return NULL;
}

static void count_again(json_t *told, uint64_t n)
{
	json_object_set_new(
	    told, "count",
	    json_integer(json_integer_value(json_object_get(told, "count")) + (json_int_t)n));
}

/* --- results --- */

/* Outcomes that are complete and equal, within epsilon, count as one: its first. */
struct results {
	const struct orders_outcome *first[ORDERS_MAX_OUTCOMES];
	int n;
};

static void add_result(const struct orders_view_run *view, const struct orders_outcome *outcome,
		       struct results *results)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	bool is_new = true;

	for (int i = 0; file && i < results->n && is_new; i++)
		is_new = orders_compare(view->shared, results->first[i], outcome,
					view->options->epsilon, file);
	if (file)
		fclose(file);
	free(text);
	if (is_new)
		results->first[results->n++] = outcome;
}

static bool are_same_choice(const struct mpi_decision *a, const struct mpi_decision *b)
{
	if (a->kind == MPI_CHOICE_LOCK)
		return b->kind == a->kind && b->ordinal == a->ordinal && b->value == a->value;
	return a->rank == b->rank && a->kind == b->kind && a->ordinal == b->ordinal;
}

/* The first decision of `a` that `b` takes otherwise; a->n: there is none. */
static uint32_t find_parting(const struct orders_shared *shared, struct orders_list a,
			     struct orders_list b, uint32_t *other)
{
	const struct mpi_decision *x = orders_at(shared, a.first), *y = orders_at(shared, b.first);

	for (uint32_t i = 0; i < a.n; i++)
		for (uint32_t k = 0; k < b.n; k++)
			if (are_same_choice(&x[i], &y[k]) &&
			    (x[i].rank != y[k].rank || x[i].source != y[k].source ||
			     x[i].value != y[k].value)) {
				*other = k;
				return i;
			}
	return a.n;
}

static json_t *finding(const char *class_name, const char *severity, json_t *calls,
		       const char *found, const char *why, const char *file, uint64_t n)
{
	json_t *out = json_pack("{s:s, s:s, s:o, s:s, s:s, s:I}", "class", class_name, "severity",
				severity, "calls", calls ? calls : json_array(), "found", found,
				"why", why, "count", (json_int_t)n);

	if (file)
		json_object_set_new(out, "decisions", json_string(file));
	return out;
}

static void add(json_t *list, json_t *entry)
{
	if (entry)
		json_array_append_new(list, entry);
}

static void write_race(struct orders_view_run *view, const struct orders_outcome *a,
		       const struct orders_outcome *b, FILE *file)
{
	fprintf(file, "the order of messages decides the result: ");
	if (!orders_compare(view->shared, a, b, view->options->epsilon, file))
		fprintf(file, "results differ");
}

/* One race for each choice that parts orders, however many ranks and results it has. */
static void describe_race(struct telling *telling, const struct orders_outcome *a,
			  const struct orders_words *one, const struct orders_outcome *b)
{
	struct orders_view_run *view = telling->view;
	struct orders_words other = orders_tell(view, b);
	uint32_t in_other = 0,
		 at = find_parting(view->shared, a->decisions, b->decisions, &in_other);
	bool is_told = at < one->n && in_other < other.n;
	json_t *calls = orders_words_calls(is_told ? one->lines[at] : NULL);
	json_t *told = find_told(telling, "message-race", calls, 1);
	const char *file_a, *file_b;
	char *found = NULL, *files = NULL;
	size_t size = 0;
	FILE *file = told ? NULL : open_memstream(&found, &size);

	if (told)
		count_again(told, 1);
	if (file) {
		write_race(view, a, b, file);
		if (is_told)
			fprintf(file, "; they part where %s, or %s",
				orders_words_text(one->lines[at]),
				orders_words_text(other.lines[in_other]));
		fclose(file);
		file_a = write_file(telling, a, one);
		file_b = write_file(telling, b, &other);
		if (asprintf(&files, "%s, %s", file_a ? file_a : "?", file_b ? file_b : "?") < 0)
			files = NULL;
		add(telling->list,
		    finding("message-race", "error", json_incref(calls), found,
			    "which message comes first depends on the machine and the load", files,
			    1));
	}
	json_decref(calls);
	orders_words_finish(&other);
	free(files);
	free(found);
}

/* Lines as parts of one sentence, without the name of the tool that they begin with. */
static void write_sentence(FILE *file, const char *text)
{
	static const char tool[] = "run: ";

	text += strspn(text, " ");
	if (strncmp(text, tool, strlen(tool)) == 0)
		text += strlen(tool);
	for (; *text; text++) {
		size_t n = *text == '\n' ? strspn(text, " \n") : 0;

		if (n == 0)
			fputc(*text, file);
		else if (text[n])
			fputs("; ", file);
		text += n > 0 ? n - 1 : 0;
	}
}

static const struct {
	const char *class_name, *found, *why;
} ends[] = {
    [ORDERS_DEADLOCK] = {"deadlock-in-order", "in this order no rank can go on",
			 "the order may come about on any machine"},
    [ORDERS_POLLING] = {"polling-in-order",
			"in this order ranks poll for ever (1000 times in a row are taken so)",
			"the order may come about on any machine"},
    [ORDERS_ERROR] = {"error-in-order", "in this order the run fails",
		      "the order may come about on any machine"},
    [ORDERS_CRASHED] = {"crash-in-order", "in this order", "nothing more is known of it"},
};

/* The calls that it ends in; of a crash nothing but the last choice is known. */
static json_t *calls_at_end(const struct orders_outcome *outcome, const struct orders_words *words)
{
	json_t *calls = json_array();

	if (outcome->n_calls == 0) {
		json_decref(calls);
		return orders_words_calls(words->n > 0 ? words->lines[words->n - 1] : NULL);
	}
	for (int i = 0; i < outcome->n_calls; i++)
		json_array_append_new(calls,
				      json_pack("{s:i, s:s, s:I}", "rank", outcome->calls[i].rank,
						"function", outcome->calls[i].function, "place",
						(json_int_t)outcome->calls[i].place));
	return calls;
}

/* The last choice of an order that does not end well, and what one that does chooses instead. */
static void write_choices(struct telling *telling, const struct orders_outcome *outcome,
			  const struct orders_words *words, const struct orders_outcome *good,
			  FILE *file)
{
	struct orders_words other = {.n = 0};
	uint32_t in_other = 0, at = words->n;

	if (words->n > 0)
		fprintf(file, "; the last choice: %s",
			orders_words_text(words->lines[words->n - 1]));
	if (good) {
		other = orders_tell(telling->view, good);
		at = find_parting(telling->view->shared, outcome->decisions, good->decisions,
				  &in_other);
	}
	if (at < words->n && in_other < other.n) {
		fprintf(file, "; an order that ends well parts from it ");
		if (at + 1 < words->n)
			fprintf(file, "where %s", orders_words_text(words->lines[at]));
		else
			fprintf(file, "there");
		fprintf(file, ": %s", orders_words_text(other.lines[in_other]));
	}
	orders_words_finish(&other);
}

/* One finding for each place where orders end so; `good`: one that ends well, or NULL. */
static void describe_end(struct telling *telling, const struct orders_outcome *outcome,
			 const struct orders_outcome *good)
{
	const char *class_name = ends[outcome->end].class_name;
	struct orders_words words = orders_tell(telling->view, outcome);
	json_t *calls = calls_at_end(outcome, &words), *out;
	json_t *told = json_array_size(calls) > 0
			   ? find_told(telling, class_name, calls, json_array_size(calls))
			   : NULL;
	char *found = NULL;
	size_t size = 0;
	FILE *file = told ? NULL : open_memstream(&found, &size);

	if (told)
		count_again(told, outcome->n);
	if (file) {
		fprintf(file, "%s: ", ends[outcome->end].found);
		write_sentence(file, outcome->text);
		write_choices(telling, outcome, &words, good, file);
		fclose(file);
		out =
		    finding(class_name, "error", json_incref(calls), found, ends[outcome->end].why,
			    write_file(telling, outcome, &words), outcome->n);
		json_object_set_new(out, "n_decisions", json_integer(outcome->decisions.n));
		add(telling->list, out);
	}
	json_decref(calls);
	orders_words_finish(&words);
	free(found);
}

static json_t *describe_harmless(struct orders_view_run *view, const struct orders_outcome *outcome)
{
	struct orders_words words = orders_tell(view, outcome);
	char found[160];
	json_t *out;

	snprintf(found, sizeof found, "%u complete match maps",
		 view->shared->finals[ORDERS_COMPLETE].n);
	if (view->options->merge == ORDERS_MERGE_STATE)
		snprintf(found, sizeof found, "all orders");
	strcat(found, " have one result: the wildcards are harmless");
	out = finding("harmless-wildcard", "note",
		      orders_words_calls(words.n > 0 ? words.lines[0] : NULL), found,
		      "naming the source would change nothing but the time", NULL, 1);
	orders_words_finish(&words);
	return out;
}

/* Other results than the first one. */
static void describe_races(struct telling *telling, const struct results *results)
{
	const struct orders_outcome *first = results->n > 0 ? results->first[0] : NULL;
	struct orders_words words;

	if (results->n < 2)
		return;
	words = orders_tell(telling->view, first);
	for (int i = 1; i < results->n && i <= TOLD_MAX; i++)
		describe_race(telling, first, &words, results->first[i]);
	if (results->n > TOLD_MAX + 1)
		count_again(json_array_get(telling->list, 0), (uint64_t)results->n - 1 - TOLD_MAX);
	orders_words_finish(&words);
}

static bool has_bad_end(const struct orders_shared *shared)
{
	for (int i = 0; i < shared->n_outcomes; i++)
		if (shared->outcomes[i].end != ORDERS_COMPLETE)
			return true;
	return false;
}

static json_t *describe_findings(struct orders_view_run *view, const struct results *results)
{
	const struct orders_shared *shared = view->shared;
	struct telling *telling = calloc(1, sizeof *telling);
	json_t *list = json_array();
	int told[ORDERS_N_ENDS] = {0};

	if (!telling)
		return list;
	telling->view = view;
	telling->list = list;
	describe_races(telling, results);
	if (results->n == 1 && !has_bad_end(shared) &&
	    (shared->finals[ORDERS_COMPLETE].n > 1 ||
	     (view->options->merge == ORDERS_MERGE_STATE && shared->n_merged > 0)))
		add(list, describe_harmless(view, results->first[0]));
	for (int i = 0; i < shared->n_outcomes; i++)
		if (shared->outcomes[i].end != ORDERS_COMPLETE &&
		    told[shared->outcomes[i].end]++ < TOLD_MAX)
			describe_end(telling, &shared->outcomes[i],
				     results->n > 0 ? results->first[0] : NULL);
	for (int i = 0; i < shared->n_outcomes; i++)
		free(telling->paths[i]);
	free(telling);
	return list;
}

/* Those where a choice is made, and those where all is over. */
static uint32_t count_states(const struct orders_shared *shared)
{
	uint32_t n = shared->states.n;

	for (int i = 0; i < ORDERS_N_ENDS; i++)
		n += shared->finals[i].n;
	return n;
}

/* Equal for equal sets of match maps, by how they end. */
static json_t *fingerprint(const struct orders_shared *shared)
{
	uint64_t hash[2] = {0, 0};

	for (int i = 0; i < ORDERS_N_ENDS; i++) {
		const struct orders_table *table = &shared->finals[i];
		const uint64_t *slots = orders_at(shared, table->first);
		uint64_t sum[2] = {0, 0};

		for (size_t k = 0; k <= table->mask; k++) {
			sum[0] += slots[2 * k];
			sum[1] += slots[2 * k + 1];
		}
		mpi_orders_mix(hash, sum[0]);
		mpi_orders_mix(hash, sum[1]);
	}
	return json_sprintf("%016llx%016llx", (unsigned long long)hash[0],
			    (unsigned long long)hash[1]);
}

/* Equal for equal sets of results, where all orders end well. */
static json_t *fingerprint_of_results(const struct orders_shared *shared)
{
	uint64_t hash[2] = {0, 0}, sum = 0;

	for (int i = 0; i < shared->n_outcomes; i++) {
		uint64_t one[2] = {shared->outcomes[i].key[0], shared->outcomes[i].key[1]};

		mpi_orders_mix(one, 1);
		sum += one[0] ^ one[1];
	}
	mpi_orders_mix(hash, sum);
	return json_sprintf("%016llx", (unsigned long long)hash[0]);
}

json_t *orders_describe(struct orders_view_run *view)
{
	const struct orders_shared *shared = view->shared;
	struct results *results = calloc(1, sizeof *results);
	uint32_t n_left = shared->work_last - shared->work_first;
	json_t *out;

	if (!results)
		return NULL;
	for (int i = 0; i < shared->n_outcomes; i++)
		if (shared->outcomes[i].end == ORDERS_COMPLETE)
			add_result(view, &shared->outcomes[i], results);
	out =
	    json_pack("{s:s, s:I, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:I}", "view",
		      orders_view_name(view->view), "executions", (json_int_t)shared->n_executions,
		      "states", (int)count_states(shared), "choices", (json_int_t)shared->n_choices,
		      "merged", (json_int_t)shared->n_merged, "match_maps",
		      (int)shared->finals[ORDERS_COMPLETE].n, "results", results->n, "deadlocks",
		      (int)(shared->finals[ORDERS_DEADLOCK].n + shared->finals[ORDERS_POLLING].n),
		      "errors", (int)shared->finals[ORDERS_ERROR].n, "crashes",
		      (int)shared->finals[ORDERS_CRASHED].n, "left", (json_int_t)n_left);
	json_object_set_new(out, "incomplete",
			    view->why_incomplete ? json_string(view->why_incomplete) : json_null());
	json_object_set_new(out, "max_failed_polls", json_integer(view->options->max_polls));
	if (view->is_counting)
		json_object_set_new(out, "fingerprint",
				    view->series ? fingerprint_of_results(shared)
						 : fingerprint(shared));
	else
		json_object_set_new(out, "findings", describe_findings(view, results));
	free(results);
	return out;
}
