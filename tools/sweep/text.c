// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/expression.h"
#include "util/array.h"

struct piece { /* `literal`, then the value of `expression` unless it is NULL */
	char *literal;
	struct sweep_expression *expression;
};

struct sweep_text {
	struct piece *pieces;
	int n;
};

void sweep_text_destroy(struct sweep_text *text)
{
	if (!text)
		return;
	for (int i = 0; i < text->n; i++) {
		free(text->pieces[i].literal);
		sweep_expression_destroy(text->pieces[i].expression);
	}
	free(text->pieces);
	free(text);
}

/* Copies up to a brace that is not doubled, or the end; *at is then behind the copied part. */
static int take_literal(const char **at, char **out, struct util_error *err)
{
	char *copy = malloc(strlen(*at) + 1);
	size_t n = 0;

	if (!copy)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	while (**at && **at != '{') {
		if (**at == '}' && (*at)[1] != '}') {
			free(copy);
			return util_refuse(
			    err,
			    "found \"}\" without \"{\", wanted {parameter}, or \"}}\" for a brace");
		}
		copy[n++] = **at;
		*at += **at == '}' ? 2 : 1;
	}
	copy[n] = '\0';
	*out = copy;
	return 0;
}

static int take_expression(const char **at, int n_names, const char *const names[],
			   struct sweep_expression **out, struct util_error *err)
{
	const char *end = strchr(*at, '}');
	char *inner;
	int failed;

	if (!end)
		return util_refuse(
		    err, "found \"%.40s\" without \"}\", wanted {parameter}, or \"{{\" for a brace",
		    *at);
	inner = strndup(*at + 1, (size_t)(end - *at) - 1);
	if (!inner)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = sweep_expression_parse(inner, n_names, names, out, err);
	if (failed)
		util_error_prepend(err, "{%.60s}", inner);
	free(inner);
	*at = end + 1;
	return failed;
}

static int take_piece(const char **at, int n_names, const char *const names[],
		      struct sweep_text *text, struct util_error *err)
{
	struct piece *piece;

	if (!util_array_room(&text->pieces, (size_t)text->n, sizeof *piece))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	piece = &text->pieces[text->n++];
	*piece = (struct piece){0};
	if ((*at)[0] == '{' && (*at)[1] == '{') {
		*at += 2;
		piece->literal = strdup("{");
		return piece->literal ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	if (**at == '{')
		return take_expression(at, n_names, names, &piece->expression, err);
	return take_literal(at, &piece->literal, err);
}

int sweep_text_parse(const char *source, int n_names, const char *const names[],
		     struct sweep_text **out, struct util_error *err)
{
	struct sweep_text *text = calloc(1, sizeof *text);
	int failed = text ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");

	while (*source && !failed)
		failed = take_piece(&source, n_names, names, text, err);
	if (failed)
		sweep_text_destroy(text);
	else
		*out = text;
	return failed;
}

bool sweep_text_uses(const struct sweep_text *text, int name)
{
	for (int i = 0; i < text->n; i++)
		if (text->pieces[i].expression &&
		    sweep_expression_uses(text->pieces[i].expression, name))
			return true;
	return false;
}

static int write_value(const struct sweep_expression *expression, const struct sweep_value values[],
		       FILE *file, struct util_error *err)
{
	struct sweep_value value;
	char number[32];
	int failed = sweep_expression_value(expression, values, &value, err);

	if (!failed)
		fputs(value.text ? value.text
				 : sweep_number_text(value.number, number, sizeof number),
		      file);
	return failed;
}

int sweep_text_fill(const struct sweep_text *text, const struct sweep_value values[], char **out,
		    struct util_error *err)
{
	char *filled = NULL;
	size_t size;
	FILE *file = open_memstream(&filled, &size);
	int failed = file ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");

	for (int i = 0; i < text->n && !failed; i++) {
		if (text->pieces[i].literal)
			fputs(text->pieces[i].literal, file);
		else
			failed = write_value(text->pieces[i].expression, values, file, err);
	}
	if (file && fclose(file) && !failed)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (failed)
		free(filled);
	else
		*out = filled;
	return failed;
}
