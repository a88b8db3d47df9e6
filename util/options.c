/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/nearest.h"

/* The option that `word`, as in --nam=value, was probably meant to be; NULL: none is near. */
static const char *suggest(const char *word, const struct option *longs)
{
	struct util_nearest nearest = {.best_distance = UTIL_NEAREST_NEVER};
	char name[UTIL_NEAREST_LENGTH];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
	nearest.word = name;
	for (int k = 0; longs[k].name; k++)
		util_nearest_try(&nearest, longs[k].name,
				 util_nearest_distance(name, longs[k].name));
	return nearest.best;
}

/* The first two options that `word` is short for. */
static bool is_ambiguous(const char *word, const struct option *longs, const char *two[2])
{
	size_t length = strcspn(word + 2, "=");
	int n = 0;

	for (int k = 0; longs[k].name && n < 2 && length > 0; k++)
		if (strncmp(longs[k].name, word + 2, length) == 0)
			two[n++] = longs[k].name;
	return n == 2;
}

int util_option_refuse(int option, char **argv, const struct option *longs, const char *see,
		       struct util_error *err)
{
	const char *word = argv[optind - 1], *near, *two[2];

	if (option == ':')
		return util_error_set(err, UTIL_EINPUT, "%s needs a value; %s", word, see);
	if (optopt > 0 && optopt < 0x100 && word[1] != '-')
		return util_error_set(err, UTIL_EINPUT, "unknown option -%c; %s", optopt, see);
	if (optopt)
		return util_error_set(err, UTIL_EINPUT, "%s takes no value; %s", word, see);
	if (is_ambiguous(word, longs, two))
		return util_error_set(err, UTIL_EINPUT, "ambiguous option %s: --%s or --%s; %s",
				      word, two[0], two[1], see);
	near = suggest(word, longs);
	if (near)
		return util_error_set(err, UTIL_EINPUT,
				      "unknown option %s (did you mean --%s?); %s", word, near,
				      see);
	return util_error_set(err, UTIL_EINPUT, "unknown option %s; %s", word, see);
}

int util_option_check(int option, const char *value, const struct option *longs, uint64_t *given,
		      struct util_error *err)
{
	enum { SHORT = 63 };
	char name[64];
	int k = 0;

	while (longs[k].name && longs[k].val != option)
		k++;
	if (longs[k].name)
		snprintf(name, sizeof name, "--%s", longs[k].name);
	else
		snprintf(name, sizeof name, "-%c", option);
	if (!longs[k].name || k > SHORT)
		k = SHORT;
	if (value && !*value)
		return util_error_set(err, UTIL_EINPUT, "%s: found an empty value", name);
	if (given && (*given >> k & 1))
		return util_error_set(err, UTIL_EINPUT, "%s: found it twice, wanted it once", name);
	if (given)
		*given |= (uint64_t)1 << k;
	return 0;
}
