// SPDX-License-Identifier: BSD-3-Clause
/* What a view's executions say together. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/orders/decisions.h"
#include "tools/orders/explore.h"

/* Of so many kinds of each class it is told with a file; the rest are counted. */
enum { TOLD_MAX = 8 };

/* --- one order, in words --- */

struct words {
	char **lines; /* [n] as orders_print_decision wrote them */
	uint32_t n;
};

static void words_finish(struct words *words)
{
	for (uint32_t i = 0; i < words->n; i++)
		free(words->lines[i]);
	free(words->lines);
}

static void read_lines(FILE *file, struct words *out, uint32_t n)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while (out->n < n && (length = getline(&line, &size, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		out->lines[out->n++] = strdup(line);
	}
	free(line);
}

/* Follows the decisions once more. */
static struct words tell(struct orders_view_run *view, const struct orders_outcome *outcome)
{
	int fd = memfd_create("mpisim-words", MFD_CLOEXEC), status;
	struct words words = {.lines = calloc(outcome->decisions.n + 1, sizeof *words.lines)};
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r+");
	pid_t pid = file ? orders_launch(view, outcome->decisions, false, file) : -1;

	if (pid > 0)
		waitpid(pid, &status, 0);
	if (pid > 0 && words.lines) {
		rewind(file);
		read_lines(file, &words, outcome->decisions.n);
	}
	if (file)
		fclose(file);
	return words;
}

/* What is for people: behind rank, call, place, source and place. */
static char *text_of(char *line)
{
	for (int i = 0; i < 5 && line; i++)
		line = strchr(line, ' ') ? strchr(line, ' ') + 1 : NULL;
	return line;
}

static json_t *calls_of(const char *line)
{
	json_t *calls = json_array();
	char function[64];
	unsigned long long taken, sent;
	int rank, source;

	if (!line ||
	    sscanf(line, "%d %63s %llu %d %llu", &rank, function, &taken, &source, &sent) != 5)
		return calls;
	json_array_append_new(calls, json_pack("{s:i, s:s, s:I}", "rank", rank, "function",
					       function, "place", (json_int_t)taken));
	if (source >= 0)
		json_array_append_new(calls,
				      json_pack("{s:i, s:s, s:I}", "rank", source, "function",
						"the send", "place", (json_int_t)sent));
	return calls;
}

static char *write_file(struct orders_view_run *view, const struct orders_outcome *outcome,
			const struct words *words, int *n_files)
{
	const char *prefix =
	    view->options->decisions ? view->options->decisions : "mpisim-decisions";
	char *path = NULL, **texts = calloc(words->n + 1, sizeof *texts);
	struct util_error err;
	bool has_all = words->n == outcome->decisions.n && texts;

	for (uint32_t i = 0; has_all && i < words->n; i++)
		texts[i] = text_of(words->lines[i]);
	if (asprintf(&path, "%s-%s-%d.json", prefix, orders_view_name(view->view), ++*n_files) < 0)
		path = NULL;
	if (path && orders_decisions_write(path, view->view, view->run->options.program,
					   orders_at(view->shared, outcome->decisions.first),
					   outcome->decisions.n, has_all ? texts : NULL, &err)) {
		fprintf(view->run->console, "mpisim-run: %s\n", err.text);
		free(path);
		path = NULL;
	}
	free(texts);
	return path;
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

static json_t *describe_race(struct orders_view_run *view, const struct orders_outcome *a,
			     const struct orders_outcome *b, int *n_files)
{
	struct words one = tell(view, a), other = tell(view, b);
	uint32_t in_other = 0,
		 at = find_parting(view->shared, a->decisions, b->decisions, &in_other);
	char *file_a = write_file(view, a, &one, n_files),
	     *file_b = write_file(view, b, &other, n_files);
	char *found = NULL, *files = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&found, &size);
	bool is_told = at < one.n && in_other < other.n;
	json_t *out;

	if (!file)
		return NULL;
	fprintf(file, "the order of messages decides %s",
		b->end == ORDERS_COMPLETE ? "the result: " : "whether the program ends well");
	if (b->end == ORDERS_COMPLETE &&
	    !orders_compare(view->shared, a, b, view->options->epsilon, file))
		fprintf(file, "results differ");
	if (is_told)
		fprintf(file, "; they part where %s, or %s", text_of(one.lines[at]),
			text_of(other.lines[in_other]));
	fclose(file);
	if (asprintf(&files, "%s, %s", file_a ? file_a : "?", file_b ? file_b : "?") < 0)
		files = NULL;
	out = finding("message-race", "error", calls_of(is_told ? one.lines[at] : NULL), found,
		      "which message comes first depends on the machine and the load", files, 1);
	words_finish(&one);
	words_finish(&other);
	free(file_a);
	free(file_b);
	free(files);
	free(found);
	return out;
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

static json_t *describe_end(struct orders_view_run *view, const struct orders_outcome *outcome,
			    int *n_files)
{
	static const struct {
		const char *class_name, *found, *why;
	} ends[] = {
	    [ORDERS_DEADLOCK] = {"deadlock-in-order", "in this order no rank can go on",
				 "the order may come about on any machine"},
	    [ORDERS_POLLING] =
		{"polling-in-order",
		 "in this order ranks poll for ever (1000 times in a row are taken so)",
		 "the order may come about on any machine"},
	    [ORDERS_ERROR] = {"error-in-order", "in this order the run fails",
			      "the order may come about on any machine"},
	    [ORDERS_CRASHED] = {"crash-in-order", "in this order", "nothing more is known of it"},
	};
	struct words words = tell(view, outcome);
	char *path = write_file(view, outcome, &words, n_files), *found = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&found, &size);
	json_t *out;

	if (!file)
		return NULL;
	fprintf(file, "%s: ", ends[outcome->end].found);
	write_sentence(file, outcome->text);
	fclose(file);
	out = finding(ends[outcome->end].class_name, "error",
		      calls_of(words.n > 0 ? words.lines[words.n - 1] : NULL), found,
		      ends[outcome->end].why, path, outcome->n);
	json_object_set_new(out, "n_decisions", json_integer(outcome->decisions.n));
	words_finish(&words);
	free(found);
	free(path);
	return out;
}

static json_t *describe_harmless(struct orders_view_run *view, const struct orders_outcome *outcome)
{
	struct words words = tell(view, outcome);
	char found[160];
	json_t *out;

	snprintf(found, sizeof found, "%u complete match maps",
		 view->shared->finals[ORDERS_COMPLETE].n);
	if (view->options->merge == ORDERS_MERGE_STATE)
		snprintf(found, sizeof found, "all orders");
	strcat(found, " have one result: the wildcards are harmless");
	out = finding("harmless-wildcard", "note", calls_of(words.n > 0 ? words.lines[0] : NULL),
		      found, "naming the source would change nothing but the time", NULL, 1);
	words_finish(&words);
	return out;
}

static void add(json_t *list, json_t *entry)
{
	if (entry)
		json_array_append_new(list, entry);
}

static json_t *describe_findings(struct orders_view_run *view, const struct results *results)
{
	const struct orders_shared *shared = view->shared;
	json_t *list = json_array();
	bool has_bad_end = false;
	int n_files = 0, told[ORDERS_N_ENDS] = {0};

	for (int i = 1; i < results->n && i <= TOLD_MAX; i++)
		add(list, describe_race(view, results->first[0], results->first[i], &n_files));
	for (int i = 0; i < shared->n_outcomes && results->n > 0; i++)
		if (shared->outcomes[i].end != ORDERS_COMPLETE) {
			has_bad_end = true;
			add(list,
			    describe_race(view, results->first[0], &shared->outcomes[i], &n_files));
			break;
		}
	if (results->n == 1 && !has_bad_end &&
	    (shared->finals[ORDERS_COMPLETE].n > 1 ||
	     (view->options->merge == ORDERS_MERGE_STATE && shared->n_merged > 0)))
		add(list, describe_harmless(view, results->first[0]));
	for (int i = 0; i < shared->n_outcomes; i++)
		if (shared->outcomes[i].end != ORDERS_COMPLETE &&
		    told[shared->outcomes[i].end]++ < TOLD_MAX)
			add(list, describe_end(view, &shared->outcomes[i], &n_files));
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
		json_object_set_new(out, "fingerprint", fingerprint(shared));
	else
		json_object_set_new(out, "findings", describe_findings(view, results));
	free(results);
	return out;
}
