// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/suppress.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lines.h"

struct suppression {
	char *class_name, *function, *place; /* NULL: all */
};

struct verify_suppressions {
	struct suppression *items; /* [n] */
	int n;
};

static char *next_word(char **rest)
{
	char *word = strtok_r(NULL, " \t\n", rest);

	return word ? strdup(word) : NULL;
}

/* A line without words is none. UTIL_EINPUT. */
static int take_line(struct verify_suppressions *out, const char *path, int number, char *line,
		     struct util_error *err)
{
	struct suppression *items;
	char *rest, *word, *comment = strchr(line, '#');

	if (comment)
		*comment = '\0';
	word = strtok_r(line, " \t\n", &rest);
	if (!word)
		return 0;
	items = realloc(out->items, ((size_t)out->n + 1) * sizeof *items);
	if (!items)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	out->items = items;
	items[out->n] = (struct suppression){.class_name = strdup(word)};
	items[out->n].function = next_word(&rest);
	items[out->n].place = next_word(&rest);
	out->n++;
	word = strtok_r(NULL, " \t\n", &rest);
	if (word)
		return util_error_set(err, UTIL_EINPUT,
				      "%s:%d: found \"%s\" behind three patterns, wanted CLASS "
				      "[FUNCTION [PLACE]]",
				      path, number, word);
	return 0;
}

int verify_suppressions_load(const char *path, struct verify_suppressions **out,
			     struct util_error *err)
{
	struct verify_suppressions *suppressions = calloc(1, sizeof *suppressions);
	struct util_lines lines;
	int failed;

	if (!suppressions)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = util_lines_open(&lines, path, "the suppressions", err);
	if (!failed) {
		while (util_lines_next(&lines, &failed, err))
			failed = take_line(suppressions, path, lines.number, lines.text, err);
		util_lines_close(&lines);
	}
	if (failed)
		verify_suppressions_destroy(suppressions);
	else
		*out = suppressions;
	return failed;
}

void verify_suppressions_destroy(struct verify_suppressions *suppressions)
{
	if (!suppressions)
		return;
	for (int i = 0; i < suppressions->n; i++) {
		free(suppressions->items[i].class_name);
		free(suppressions->items[i].function);
		free(suppressions->items[i].place);
	}
	free(suppressions->items);
	free(suppressions);
}

static bool matches(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text ? text : "", 0) == 0;
}

/* With and without the function in which it lies. */
static bool matches_place(const char *pattern, const char *site)
{
	char place[256];

	if (matches(pattern, site))
		return true;
	if (!site)
		return false;
	snprintf(place, sizeof place, "%s", site);
	if (strstr(place, " ("))
		*strstr(place, " (") = '\0';
	return matches(pattern, place);
}

static bool suppresses(const struct suppression *item, const struct trace_finding *finding)
{
	if (!matches(item->class_name, finding->class_name))
		return false;
	for (int i = 0; i < finding->n_calls; i++)
		if (matches(item->function, finding->calls[i].function) &&
		    matches_place(item->place, finding->calls[i].site))
			return true;
	return finding->n_calls == 0 && !item->function && !item->place;
}

bool verify_is_suppressed(const struct verify_suppressions *suppressions,
			  const struct trace_finding *finding)
{
	for (int i = 0; suppressions && i < suppressions->n; i++)
		if (suppresses(&suppressions->items[i], finding))
			return true;
	return false;
}
