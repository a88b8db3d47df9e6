/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_OPTIONS_H
#define UTIL_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * Command lines by a table of options. What is wrong becomes a sentence. Errors: UTIL_EINPUT.
 */
enum util_option_kind {
	UTIL_OPTION_FLAG,   /* a bool becomes true */
	UTIL_OPTION_LAST,   /* the same, and nothing behind it is read: --help */
	UTIL_OPTION_SWITCH, /* `take` is called without a value */
	UTIL_OPTION_TEXT,   /* a const char * */
	UTIL_OPTION_LIST, /* one more const char * of an array that has room, and its count, an int */
	UTIL_OPTION_COUNT, /* an int from 1 to `max` */
	UTIL_OPTION_WORD,  /* an int: which of `words` */
	UTIL_OPTION_CALL,  /* what `take` makes of the value */
	UTIL_OPTION_MAYBE, /* the same, and the value may be missing: NULL */
};

/*
 * `value` is borrowed from argv, `options` the tool's structure. 0; 1: nothing behind this option is
 * read; or an error.
 */
typedef int (*util_option_fn)(const char *value, void *options, struct util_error *err);

struct util_option {
	const char *name; /* NULL: it has a letter only */
	enum util_option_kind kind;
	size_t at;    /* where in the tool's structure the value goes */
	size_t count; /* UTIL_OPTION_LIST: where the count stands */
	char letter;  /* 0: none */
	bool may_repeat;
	int64_t max;
	const char *const *words; /* ends with NULL */
	util_option_fn take;
};

enum { UTIL_OPTIONS_MOST = 63 };

struct util_options {
	const struct util_option *table; /* [n <= UTIL_OPTIONS_MOST] */
	int n;
	const char *see;   /* the end of sentences, as in "see mpisim-run --help" */
	bool ends_at_word; /* what follows a word that is no option belongs to a program */
	bool takes_empty;  /* an empty value is a value */
	bool (*may_repeat)(const void *options); /* from now on; NULL: never */
};

/*
 * Reads options from optind on; at the end optind is that of the first word that is none. *given is 0
 * before the first call: a bit for each option that was there. 0; 1: an option was the last to be
 * read; or an error.
 */
int util_options_read(int argc, char **argv, const struct util_options *options, uint64_t *given,
		      void *out, struct util_error *err);

#endif
