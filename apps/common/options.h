/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_COMMON_OPTIONS_H
#define APPS_COMMON_OPTIONS_H

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Command lines of the example applications. Every rank parses the same arguments and comes to the same
 * verdict; only rank 0 prints it. Wrong arguments end the program with exit code 2 and one sentence.
 */
enum options_verdict { OPTIONS_OK, OPTIONS_HELP, OPTIONS_WRONG };

enum options_kind {
	OPTIONS_SWITCH,  /* *(int *)out becomes 1 */
	OPTIONS_INTEGER, /* a whole number in [min, max] goes to *(int *)out */
	OPTIONS_REAL,    /* a number >= 0 goes to *(double *)out */
	OPTIONS_WORD,    /* *(int *)out: which of the words it is */
	OPTIONS_TEXT,    /* *(const char **)out */
	OPTIONS_OTHER    /* read(text, out) returns 0, or -1 */
};

/* An option. A table of them ends with {0}; --help is understood besides. */
struct options_entry {
	const char *name;
	enum options_kind kind;
	void *out;
	long min, max;
	const char *const *words; /* ends with NULL */
	int (*read)(const char *text, void *out);
};

#define OPTIONS_MOST 16

/* What is wrong with a command line: an option, its value, or a word that is no option. */
struct options_problem {
	enum { OPTIONS_UNKNOWN, OPTIONS_VALUE, OPTIONS_EXTRA } kind;
	const char *name, *text; /* name: of the option whose value is wrong */
};

/* Prints "program: sentence" on rank 0. Returns OPTIONS_WRONG. */
static inline enum options_verdict options_wrong(const char *program, int rank, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline enum options_verdict options_wrong(const char *program, int rank, const char *format, ...)
{
	va_list args;

	if (rank == 0) {
		fprintf(stderr, "%s: ", program);
		va_start(args, format);
		vfprintf(stderr, format, args);
		va_end(args);
		fprintf(stderr, " (--help explains)\n");
	}
	return OPTIONS_WRONG;
}

/* Reads a whole decimal number in [min, max]. Returns 0, or -1 with *out untouched. */
static inline int options_integer(const char *text, long min, long max, int *out)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < min || value > max)
		return -1;
	*out = (int)value;
	return 0;
}

/* Reads a number >= 0. Returns 0, or -1 with *out untouched. */
static inline int options_real(const char *text, double *out)
{
	char *end;
	double value;

	value = strtod(text, &end);
	if (end == text || *end || !(value >= 0) || value > 1e300)
		return -1;
	*out = value;
	return 0;
}

/* Finds a word in a list that ends with NULL. Returns 0, or -1 with *out untouched. */
static inline int options_word(const char *text, const char *const words[], int *out)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(text, words[i])) {
			*out = i;
			return 0;
		}
	}
	return -1;
}

/* Takes one option. Returns 0, or -1 for a wrong value. */
static inline int options_take(const struct options_entry *entry, const char *text)
{
	switch (entry->kind) {
	case OPTIONS_SWITCH:
		*(int *)entry->out = 1;
		return 0;
	case OPTIONS_INTEGER:
		return options_integer(text, entry->min, entry->max, entry->out);
	case OPTIONS_REAL:
		return options_real(text, entry->out);
	case OPTIONS_WORD:
		return options_word(text, entry->words, entry->out);
	case OPTIONS_TEXT:
		*(const char **)entry->out = text;
		return 0;
	case OPTIONS_OTHER:
		break;
	}
	return entry->read(text, entry->out);
}

/* Takes all arguments, up to the first that is wrong or --help. */
static inline enum options_verdict options_scan(int argc, char **argv, const struct options_entry entries[],
						struct options_problem *problem)
{
	struct option options[OPTIONS_MOST + 2] = {{"help", no_argument, NULL, 'h'}};
	int c, index = 0;

	for (int i = 0; entries[i].name && i < OPTIONS_MOST; i++)
		options[i + 1] = (struct option){entries[i].name, entries[i].kind != OPTIONS_SWITCH, NULL, 1};
	opterr = 0;
	while ((c = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (c == 'h')
			return OPTIONS_HELP;
		if (c != '?' && !options_take(&entries[index - 1], optarg))
			continue;
		*problem = c == '?' ? (struct options_problem){OPTIONS_UNKNOWN, NULL, argv[optind - 1]}
				    : (struct options_problem){OPTIONS_VALUE, options[index].name, optarg};
		return OPTIONS_WRONG;
	}
	*problem = (struct options_problem){OPTIONS_EXTRA, NULL, argv[optind]};
	return optind < argc ? OPTIONS_WRONG : OPTIONS_OK;
}

/* The same; prints the help or what is wrong on rank 0. */
static inline enum options_verdict options_parse(const char *program, const char *help, int argc, char **argv, int rank,
						 const struct options_entry entries[])
{
	struct options_problem problem;
	enum options_verdict verdict = options_scan(argc, argv, entries, &problem);

	if (verdict == OPTIONS_HELP && rank == 0)
		fputs(help, stdout);
	if (verdict != OPTIONS_WRONG)
		return verdict;
	if (problem.kind == OPTIONS_VALUE)
		return options_wrong(program, rank, "--%s cannot be \"%s\"", problem.name, problem.text);
	return options_wrong(program, rank, "cannot understand \"%s\"", problem.text);
}

/* What main returns. */
static inline int options_status(enum options_verdict verdict)
{
	return verdict == OPTIONS_WRONG ? 2 : 0;
}

#endif
