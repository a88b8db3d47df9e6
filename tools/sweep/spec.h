/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_SPEC_H
#define TOOLS_SWEEP_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/sweep/expression.h"
#include "tools/sweep/text.h"
#include "util/error.h"

/*
 * A sweep file as read (docs/sweep.md documents its keys). Paths are as they stand in the file:
 * relative to the folder of the file, in which points also run.
 */
#define SWEEP_MAX_PARAMETERS 32
#define SWEEP_MAX_VALUES 100000 /* of one parameter */

enum sweep_engine { SWEEP_AUTO, SWEEP_DIRECT, SWEEP_REPLAY, SWEEP_SLURM };

struct sweep_parameter {
	char *name;
	char **values; /* [n_values] */
	int n_values;
	int base;     /* the value that holds while others vary; "vary: one" */
	bool is_seed; /* made by "repeat" */
};

struct sweep_condition {
	struct sweep_expression *expression;
	bool keeps;  /* only: points where it holds stay; except: they go */
	char *place; /* "FILE:LINE:COLUMN: only" for messages */
};

enum sweep_word_kind {
	SWEEP_WORD_VALUE, /* --option VALUE */
	SWEEP_WORD_FILE,  /* the same: a file whose content counts, not its name */
	SWEEP_WORD_FLAG,  /* --option where the value is "true" */
	SWEEP_WORD_PAIR,  /* --option KEY=VALUE */
};

struct sweep_option { /* of mpisim-run or mpisim-replay */
	char *option; /* "--placement"; NULL: a word of "options", passed as it is */
	char *key;    /* of a pair */
	enum sweep_word_kind kind;
	struct sweep_text *value;
};

struct sweep_spec {
	char *path, *folder, *name;
	char *source;		       /* the file's text */
	struct sweep_text *program;    /* NULL: a trace is replayed */
	struct sweep_text *trace;      /* NULL: a program is run */
	struct sweep_text *cluster;    /* NULL: the recorded one */
	struct sweep_text **arguments; /* [n_arguments] */
	int n_arguments;
	bool splits_arguments;	      /* one text, cut at blanks */
	struct sweep_option *options; /* [n_options] */
	int n_options;
	struct sweep_text **inputs; /* [n_inputs] files that the program reads */
	int n_inputs;
	struct sweep_parameter parameters[SWEEP_MAX_PARAMETERS];
	int n_parameters;
	struct sweep_condition *conditions; /* [n_conditions] */
	int n_conditions;
	bool varies_one;
	int n_measurements; /* the most, of a point whose computation is measured */
	double timeout_s;   /* of a point; 0: none */
	enum sweep_engine engine;
	const char *names[SWEEP_MAX_PARAMETERS]; /* of the parameters, borrowed from them */
};

/* Errors: UTIL_EINPUT with file:line:column, what was found, what was wanted; UTIL_ENOMEM. */
int sweep_spec_read(const char *path, struct sweep_spec **out, struct util_error *err);
void sweep_spec_destroy(struct sweep_spec *spec);

/* "auto" …, by enum sweep_engine; ends with NULL. */
extern const char *const sweep_engine_names[];

#endif
