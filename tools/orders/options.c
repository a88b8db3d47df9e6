// SPDX-License-Identifier: BSD-3-Clause
#include "tools/orders/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define DEFAULT_TIME_S 60.0
enum { DEFAULT_POLLS = 2, MAX_JOBS = 1024, MAX_POLLS = 1000000 };

void orders_options_init(struct orders_options *options)
{
	*options = (struct orders_options){
	    .views = ORDERS_STRICT | ORDERS_LOOSE,
	    .jobs = 1,
	    .max_polls = DEFAULT_POLLS,
	    .max_executions = UINT64_MAX,
	    .max_time_s = DEFAULT_TIME_S,
	    .seed = 1,
	};
}

const char *orders_decisions_prefix(const struct orders_options *options)
{
	return options->decisions ? options->decisions : "mpisim-decisions";
}

void orders_options_finish(struct orders_options *options)
{
	free(options->save);
	free(options->resume);
	free(options->decisions);
}

static int refuse(const char *key, const char *value, const char *wanted, struct util_error *err)
{
	return util_error_set(err, UTIL_EINPUT, "--orders: %s: found \"%s\", wanted %s", key, value,
			      wanted);
}

static int parse_number(const char *key, const char *value, uint64_t min, uint64_t max,
			uint64_t *out, struct util_error *err)
{
	char wanted[96], *end;

	errno = 0;
	*out = strtoull(value, &end, 10);
	if (value[0] >= '0' && value[0] <= '9' && !*end && !errno && *out >= min && *out <= max)
		return 0;
	snprintf(wanted, sizeof wanted, "a whole number from %llu to %llu", (unsigned long long)min,
		 (unsigned long long)max);
	return refuse(key, value, wanted, err);
}

/* "random", "random:100", "random:100:7" */
static int parse_search(const char *value, struct orders_options *out, struct util_error *err)
{
	static const char *const names[] = {"exhaustive", "depth-first", "breadth-first", "random",
					    "one"};
	char *copy = strdup(value), *number = copy ? strchr(copy, ':') : NULL, *seed = NULL;
	int found = -1, failed = 0;

	if (!copy)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (number)
		*number++ = '\0';
	for (int i = 0; i < 5; i++)
		if (strcmp(copy, names[i]) == 0)
			found = i;
	seed = number ? strchr(number, ':') : NULL;
	if (seed)
		*seed++ = '\0';
	if (found < 0 || (number && found != ORDERS_RANDOM))
		failed = refuse("search", value,
				"exhaustive, depth-first, breadth-first, random:NUMBER:SEED or one",
				err);
	if (!failed && found == ORDERS_RANDOM)
		out->max_executions = 100;
	if (!failed && number)
		failed = parse_number("search", number, 1, UINT32_MAX, &out->max_executions, err);
	if (!failed && seed)
		failed = parse_number("search", seed, 0, UINT64_MAX, &out->seed, err);
	if (!failed)
		out->search = (enum orders_search)found;
	free(copy);
	return failed;
}

static int parse_word(const char *key, const char *value, const char *const names[], int *out,
		      struct util_error *err)
{
	char wanted[128] = "";

	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], value) == 0) {
			*out = i;
			return 0;
		}
		strcat(wanted, i == 0 ? "" : names[i + 1] ? ", " : " or ");
		strcat(wanted, names[i]);
	}
	return refuse(key, value, wanted, err);
}

static int parse_time(const char *value, double *out, struct util_error *err)
{
	if (util_parse_time_s(value, out, err))
		return util_error_prepend(err, "--orders: time");
	return *out > 0 ? 0 : refuse("time", value, "more than 0", err);
}

static int parse_epsilon(const char *value, double *out, struct util_error *err)
{
	char *end;

	*out = strtod(value, &end);
	if (end != value && !*end && isfinite(*out) && *out >= 0 && *out < 1)
		return 0;
	return refuse("epsilon", value, "a number from 0 to less than 1", err);
}

static int keep(char **out, const char *value, struct util_error *err)
{
	free(*out);
	*out = strdup(value);
	return *out ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

static int parse_choice(const char *key, const char *value, struct orders_options *out,
			struct util_error *err)
{
	static const char *const views[] = {"strict", "loose", "both", NULL},
				 *const merges[] = {"histories", "state", "none", NULL},
				 *const engines[] = {"fork", "rerun", NULL},
				 *const reduces[] = {"yes", "no", NULL},
				 *const stops[] = {"end", "first", NULL};
	int i = 0, failed;

	if (strcmp(key, "view") == 0) {
		failed = parse_word(key, value, views, &i, err);
		out->views = failed ? out->views : (unsigned)i + 1;
	} else if (strcmp(key, "merge") == 0) {
		failed = parse_word(key, value, merges, &i, err);
		out->merge = (enum orders_merge)i;
	} else if (strcmp(key, "engine") == 0) {
		failed = parse_word(key, value, engines, &i, err);
		out->reruns = i;
	} else if (strcmp(key, "reduce") == 0) {
		failed = parse_word(key, value, reduces, &i, err);
		out->tries_all = i;
	} else if (strcmp(key, "advice") == 0) {
		failed = parse_word(key, value, reduces, &i, err);
		out->advises = !i && !failed;
	} else if (strcmp(key, "stop") == 0) {
		failed = parse_word(key, value, stops, &i, err);
		out->stops_at_first = i;
	} else {
		failed = util_error_set(
		    err, UTIL_EINPUT,
		    "--orders: found \"%s\", wanted search, view, merge, reduce, bound, time, "
		    "stop, engine, jobs, polls, epsilon, advice, decisions, save or resume",
		    key);
	}
	return failed;
}

static int parse_entry(char *entry, struct orders_options *out, struct util_error *err)
{
	char *value = strchr(entry, '=');
	uint64_t n = 0;
	int failed;

	if (!value || !value[1])
		return util_error_set(err, UTIL_EINPUT, "--orders: found \"%s\", wanted KEY=VALUE",
				      entry);
	*value++ = '\0';
	if (strcmp(entry, "search") == 0)
		return parse_search(value, out, err);
	if (strcmp(entry, "time") == 0)
		return parse_time(value, &out->max_time_s, err);
	if (strcmp(entry, "epsilon") == 0)
		return parse_epsilon(value, &out->epsilon, err);
	if (strcmp(entry, "save") == 0)
		return keep(&out->save, value, err);
	if (strcmp(entry, "resume") == 0)
		return keep(&out->resume, value, err);
	if (strcmp(entry, "decisions") == 0)
		return keep(&out->decisions, value, err);
	if (strcmp(entry, "bound") == 0)
		return parse_number(entry, value, 1, UINT32_MAX, &out->max_executions, err);
	if (strcmp(entry, "jobs") == 0) {
		failed = parse_number(entry, value, 1, MAX_JOBS, &n, err);
		out->jobs = failed ? out->jobs : (int)n;
		return failed;
	}
	if (strcmp(entry, "polls") == 0) {
		failed = parse_number(entry, value, 0, MAX_POLLS, &n, err);
		out->max_polls = failed ? out->max_polls : (uint32_t)n;
		return failed;
	}
	return parse_choice(entry, value, out, err);
}

int orders_options_parse(const char *text, struct orders_options *out, struct util_error *err)
{
	char *copy = strdup(text), *at = NULL;
	int failed = copy ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");

	for (char *entry = copy ? strtok_r(copy, ",", &at) : NULL; entry && !failed;
	     entry = strtok_r(NULL, ",", &at))
		failed = parse_entry(entry, out, err);
	free(copy);
	return failed;
}
