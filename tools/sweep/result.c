// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/result.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <jansson.h>

#define SIGNAL_STATUS 128 /* + the signal, as shells count */

static double number_at(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void take_ranks(const json_t *root, struct sweep_result *out)
{
	const json_t *ranks = json_object_get(root, "ranks"), *rank;
	size_t i;

	json_array_foreach(ranks, i, rank)
	{
		out->useful_s += number_at(rank, "useful_s");
		out->communicating_s += number_at(rank, "communicating_s");
		out->waiting_s += number_at(rank, "waiting_s");
	}
	out->n_ranks = (long long)json_array_size(ranks);
}

static void take_nodes(const json_t *root, struct sweep_result *out)
{
	const json_t *nodes = json_object_get(root, "nodes"), *node;
	size_t i;

	json_array_foreach(nodes, i, node)
	{
		const json_t *released = json_object_get(node, "released_s");

		out->node_seconds +=
		    json_is_number(released) ? json_number_value(released) : out->predicted_time_s;
	}
	out->n_nodes = (long long)json_array_size(nodes);
	out->n_cores =
	    out->n_nodes *
	    json_integer_value(json_object_get(json_object_get(root, "cluster"), "cores_per_node"));
}

/* [[begin, end, efficiency], …] */
static char *curve_text(const json_t *root)
{
	const json_t *curve = json_object_get(root, "efficiency_curve"), *window;
	json_t *list = json_array();
	char *text;
	size_t i;

	json_array_foreach(curve, i, window)
	{
		json_array_append_new(list, json_pack("[f, f, f]", number_at(window, "begin_s"),
						      number_at(window, "end_s"),
						      number_at(window, "efficiency")));
	}
	text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(9));
	json_decref(list);
	return text;
}

static void take_interval(const json_t *root, struct sweep_result *out)
{
	const json_t *interval = json_object_get(root, "prediction_interval");

	out->has_interval = json_is_object(interval);
	out->low_s = number_at(interval, "low_s");
	out->high_s = number_at(interval, "high_s");
}

static char *warnings_text(const json_t *root)
{
	const json_t *warnings = json_object_get(root, "warnings");

	return json_array_size(warnings) ? json_dumps(warnings, JSON_COMPACT) : NULL;
}

/* How far the name of a tool reaches that says something in `line`; 0: someone else does. */
static size_t own_prefix(const char *line)
{
	static const char *const prefixes[] = {"mpisim-run: ", "mpisim-replay: "};

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strncmp(line, prefixes[i], strlen(prefixes[i])) == 0)
			return strlen(prefixes[i]);
	return 0;
}

/* How well a line tells why a run failed: a warning of the tool's least, else all alike; what the simulated program
 * says best, with `of_program`. */
static int worth_of(const char *line, bool of_program)
{
	static const char warning[] = "warning: ";
	size_t prefix = own_prefix(line);

	if (prefix > 0)
		return strncmp(line + prefix, warning, strlen(warning)) != 0;
	return of_program ? 2 : 1;
}

/* The last of the lines that tell best, without the tool's name; "": all are empty. */
static char *reason_of(const char *text, bool of_program)
{
	const char *best = "";
	int most = 0;

	for (const char *line = text + strspn(text, "\n "); *line; line += strspn(line, "\n ")) {
		int worth = worth_of(line, of_program);

		if (worth >= most) {
			best = line;
			most = worth;
		}
		line += strcspn(line, "\n");
	}
	best += own_prefix(best);
	return strndup(best, strcspn(best, "\n"));
}

static char *error_of(const struct sweep_ended *ended, const json_t *root)
{
	const json_t *failure = json_object_get(root, "failure");
	const char *state = text_at(json_object_get(root, "exit"), "state");
	char *text = NULL, *word = reason_of(ended->errors, strcmp(state, "bad_exit") == 0);
	int n = 0;

	if (ended->has_timed_out)
		n = asprintf(&text, "ran longer than its timeout (%.3g s here)", ended->host_s);
	else if (json_is_object(failure))
		n = asprintf(&text, "%s: %s", text_at(failure, "kind"), text_at(failure, "text"));
	else if (strcmp(state, "bad_exit") == 0)
		n = asprintf(&text, "a rank returned non-zero: %s", word ? word : "");
	else if (WIFSIGNALED(ended->status))
		n = asprintf(&text, "ended by signal %d (%s)", WTERMSIG(ended->status),
			     strsignal(WTERMSIG(ended->status)));
	else if (ended->errors[strspn(ended->errors, " \n")])
		n = asprintf(&text, "%s", word ? word : "");
	else
		n = asprintf(&text, "ended with status %d and no word", WEXITSTATUS(ended->status));
	free(word);
	return n < 0 ? NULL : text;
}

int sweep_result_take(const struct sweep_ended *ended, struct sweep_result *out,
		      struct util_error *err)
{
	struct sweep_result result = {.host_s = ended->host_s};
	json_t *root = ended->result && ended->errors
			   ? json_loadb(ended->result, ended->result_size, 0, NULL)
			   : NULL;
	bool is_done = root && !ended->has_timed_out &&
		       strcmp(text_at(json_object_get(root, "exit"), "state"), "completed") == 0;

	if (!ended->result || !ended->errors)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	result.exit_status = WIFSIGNALED(ended->status) ? SIGNAL_STATUS + WTERMSIG(ended->status)
							: WEXITSTATUS(ended->status);
	result.state = is_done ? SWEEP_DONE : SWEEP_FAILED;
	if (is_done) {
		result.predicted_time_s = number_at(root, "predicted_time_s");
		result.efficiency = number_at(root, "efficiency");
		result.n_messages = (long long)(number_at(root, "messages") +
						number_at(root, "collective_messages"));
		result.n_bytes =
		    (long long)(number_at(root, "bytes") + number_at(root, "collective_bytes"));
		take_interval(root, &result);
		take_ranks(root, &result);
		take_nodes(root, &result);
		result.curve = curve_text(root);
		result.warnings = warnings_text(root);
	} else {
		result.error = error_of(ended, root);
	}
	json_decref(root);
	if (is_done ? !result.curve : !result.error) {
		sweep_result_finish(&result);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	*out = result;
	return 0;
}
