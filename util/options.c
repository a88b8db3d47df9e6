/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/options.h"

#include <stdio.h>
#include <string.h>

#include "util/nearest.h"
#include "util/units.h"

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

/*
 * After getopt_long has returned `option`, '?' or ':': says of the word in `argv` what is wrong, and
 * which of `longs` is nearest to it.
 */
static int refuse(int option, char **argv, const struct option *longs, const char *see,
		  struct util_error *err)
{
	const char *word = argv[optind - 1], *near, *two[2];

	if (option == ':')
		return util_refuse(err, "%s needs a value; %s", word, see);
	if (optopt > 0 && optopt < 0x100 && word[1] != '-')
		return util_refuse(err, "unknown option -%c; %s", optopt, see);
	if (optopt)
		return util_refuse(err, "%s takes no value; %s", word, see);
	if (is_ambiguous(word, longs, two))
		return util_refuse(err, "ambiguous option %s: --%s or --%s; %s", word, two[0],
				   two[1], see);
	near = suggest(word, longs);
	if (near)
		return util_refuse(err, "unknown option %s (did you mean --%s?); %s", word, near,
				   see);
	return util_refuse(err, "unknown option %s; %s", word, see);
}

/* `bit`: of *given. */
static int check(const char *name, const char *value, uint64_t *given, int bit,
		 struct util_error *err)
{
	if (value && !*value)
		return util_refuse(err, "%s: found an empty value", name);
	if (given && (*given >> bit & 1))
		return util_refuse(err, "%s: found it twice, wanted it once", name);
	if (given)
		*given |= (uint64_t)1 << bit;
	return 0;
}

/* Sets *out to the place of `text` in `words`. */
static int take_word(const char *option, const char *text, const char *const words[], int *out,
		     struct util_error *err)
{
	char wanted[128] = "";

	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*out = i;
			return 0;
		}
		strcat(wanted, i == 0 ? "" : words[i + 1] ? ", " : " or ");
		strcat(wanted, words[i]);
	}
	return util_refuse(err, "%s: found \"%s\", wanted %s", option, text, wanted);
}

static int take_count(const char *name, const char *text, int64_t max, int *out,
		      struct util_error *err)
{
	int64_t value = 0;

	if (util_parse_int(text, 1, max, &value, err))
		return util_error_prepend(err, "%s", name);
	*out = (int)value;
	return 0;
}

static int take(const struct util_option *option, const char *name, const char *value, void *out,
		struct util_error *err)
{
	void *at = (char *)out + option->at;
	int *count = (int *)((char *)out + option->count);

	switch (option->kind) {
	case UTIL_OPTION_FLAG:
	case UTIL_OPTION_LAST:
		*(bool *)at = true;
		return option->kind == UTIL_OPTION_LAST;
	case UTIL_OPTION_TEXT:
		*(const char **)at = value;
		return 0;
	case UTIL_OPTION_LIST:
		(*(const char ***)at)[(*count)++] = value;
		return 0;
	case UTIL_OPTION_COUNT:
		return take_count(name, value, option->max, at, err);
	case UTIL_OPTION_WORD:
		return take_word(name, value, option->words, at, err);
	default:
		return option->take(value, out, err);
	}
}

/* The options as getopt_long wants them: what it returns is their place in the table, from 0x100 on. */
static void describe(const struct util_options *options, struct option longs[], char *letters)
{
	*letters = options->ends_at_word ? '+' : ':';
	letters += 1;
	if (options->ends_at_word)
		*letters++ = ':';
	for (int i = 0; i < options->n; i++) {
		const struct util_option *option = &options->table[i];
		bool has_value = option->kind > UTIL_OPTION_SWITCH;

		if (option->name)
			*longs++ = (struct option){
			    option->name,
			    option->kind == UTIL_OPTION_MAYBE ? optional_argument : has_value, NULL,
			    0x100 + i};
		if (option->letter)
			*letters++ = option->letter;
		if (option->letter && has_value)
			*letters++ = ':';
	}
	*longs = (struct option){0};
	*letters = '\0';
}

static int find_letter(const struct util_options *options, int letter)
{
	int i = 0;

	while (options->table[i].letter != letter)
		i++;
	return i;
}

static int read_one(const struct util_options *options, int found, uint64_t *given, void *out,
		    struct util_error *err)
{
	int i = found < 0x100 ? find_letter(options, found) : found - 0x100, failed;
	const struct util_option *option = &options->table[i];
	bool is_free = option->may_repeat || (options->may_repeat && options->may_repeat(out));
	char name[64];

	if (option->name)
		snprintf(name, sizeof name, "--%s", option->name);
	else
		snprintf(name, sizeof name, "-%c", option->letter);
	if (option->kind == UTIL_OPTION_LAST)
		is_free = true;
	failed = check(name, options->takes_empty ? NULL : optarg, is_free ? NULL : given, i, err);
	*given |= (uint64_t)1 << i;
	return failed ? failed : take(option, name, optarg, out, err);
}

int util_options_read(int argc, char **argv, const struct util_options *options, uint64_t *given,
		      void *out, struct util_error *err)
{
	struct option longs[UTIL_OPTIONS_MOST + 1];
	char letters[2 * UTIL_OPTIONS_MOST + 3];
	int found, failed = 0;

	describe(options, longs, letters);
	opterr = 0;
	while (!failed && (found = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (found != '?' && found != ':')
			failed = read_one(options, found, given, out, err);
		else
			failed = refuse(found, argv, longs, options->see, err);
	}
	return failed;
}
