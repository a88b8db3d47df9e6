// SPDX-License-Identifier: BSD-3-Clause
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/expression_parts.h"

#define MAX_DEPTH 100 /* of parentheses: the parser recurses */

struct parser {
	struct sweep_expression *expression;
	char *at; /* in expression->text */
	const char *begin;
	int n_names;
	const char *const *names;
	int depth;
	struct util_error *err;
};

static int parse_or(struct parser *p);

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
		p->at++;
}

static int refuse(struct parser *p, const char *wanted)
{
	if (!*p->at)
		util_refuse(p->err, "found the end, wanted %s", wanted);
	else
		util_refuse(p->err, "found \"%.20s\" at character %d, wanted %s", p->at,
			    (int)(p->at - p->begin) + 1, wanted);
	return SWEEP_NONE;
}

static int add(struct parser *p, enum sweep_operation operation, int first)
{
	struct sweep_expression *e = p->expression;

	if (e->n_nodes == SWEEP_MAX_NODES) {
		util_refuse(p->err, "found more than %d operations, wanted fewer", SWEEP_MAX_NODES);
		return SWEEP_NONE;
	}
	e->nodes[e->n_nodes] =
	    (struct sweep_node){.operation = operation, .first = first, .next = SWEEP_NONE};
	return e->n_nodes++;
}

static int add_pair(struct parser *p, enum sweep_operation operation, int left, int right)
{
	if (left < 0 || right < 0)
		return SWEEP_NONE;
	p->expression->nodes[left].next = right;
	return add(p, operation, left);
}

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Takes `symbol`; one made of letters only where no more letters follow. */
static bool take(struct parser *p, const char *symbol)
{
	size_t length = strlen(symbol);

	skip_blanks(p);
	if (strncmp(p->at, symbol, length) != 0)
		return false;
	if (isalpha((unsigned char)*symbol) && is_word_character(p->at[length]))
		return false;
	p->at += length;
	return true;
}

struct operator
{
	const char *symbol;
	enum sweep_operation operation;
};

/* The operator that stands here, of a table in which no entry is hidden by a shorter one before
 * it. */
static const struct operator* take_operator(struct parser *p, const struct operator table[])
{
	for (; table->symbol; table++)
		if (take(p, table->symbol))
			return table;
	return NULL;
}

/* left { operator right }, for operators of one precedence. */
static int parse_chain(struct parser *p, const struct operator table[],
		       int (*parse_operand)(struct parser *p))
{
	const struct operator* found;
	int left = parse_operand(p);

	while (left >= 0 && (found = take_operator(p, table)))
		left = add_pair(p, found->operation, left, parse_operand(p));
	return left;
}

/* Operands up to `end`, linked; returns the first. */
static int parse_list(struct parser *p, const char *end, int *out_n)
{
	int first = parse_or(p), last = first;

	*out_n = 1;
	while (last >= 0 && !take(p, end)) {
		if (!take(p, ","))
			return refuse(p, "a comma or the end of the list");
		p->expression->nodes[last].next = parse_or(p);
		last = p->expression->nodes[last].next;
		++*out_n;
	}
	return last < 0 ? SWEEP_NONE : first;
}

static int parse_call(struct parser *p, const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum sweep_operation operation;
		bool takes_one;
	} functions[] = {
	    {"min", SWEEP_OP_MIN, false},  {"max", SWEEP_OP_MAX, false},
	    {"abs", SWEEP_OP_ABS, true},   {"floor", SWEEP_OP_FLOOR, true},
	    {"ceil", SWEEP_OP_CEIL, true}, {"round", SWEEP_OP_ROUND, true},
	    {"sqrt", SWEEP_OP_SQRT, true}, {"log2", SWEEP_OP_LOG2, true},
	};
	int n, first;

	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		if (strlen(functions[i].name) != length ||
		    strncmp(functions[i].name, name, length) != 0)
			continue;
		first = parse_list(p, ")", &n);
		if (first >= 0 && functions[i].takes_one && n != 1)
			return refuse(p, "one argument of the function");
		return first < 0 ? SWEEP_NONE : add(p, functions[i].operation, first);
	}
	p->at = (char *)name;
	return refuse(p, "min, max, abs, floor, ceil, round, sqrt or log2");
}

static int parse_name(struct parser *p)
{
	const char *name = p->at;
	char wanted[512] = "one of the parameters";
	size_t length = 0, used;

	while (is_word_character(name[length]))
		length++;
	p->at += length;
	if (take(p, "("))
		return parse_call(p, name, length);
	for (int i = 0; i < p->n_names; i++)
		if (strlen(p->names[i]) == length && strncmp(p->names[i], name, length) == 0)
			return add(p, SWEEP_OP_PARAMETER, i);
	used = strlen(wanted);
	for (int i = 0; i < p->n_names && used + strlen(p->names[i]) + 3 < sizeof wanted; i++) {
		strcat(wanted, i ? ", " : " ");
		strcat(wanted, p->names[i]);
		used = strlen(wanted);
	}
	util_refuse(p->err, "found unknown parameter \"%.*s\", wanted %s", (int)length, name,
		    wanted);
	return SWEEP_NONE;
}

static int add_constant(struct parser *p, struct sweep_value value)
{
	int node = add(p, SWEEP_OP_CONSTANT, SWEEP_NONE);

	if (node >= 0)
		p->expression->nodes[node].value = value;
	return node;
}

/* A number, with the letters of a unit right behind it. */
static int parse_number(struct parser *p)
{
	char *begin = p->at, token[64];
	struct sweep_value value;
	size_t length;

	strtod(begin, &p->at);
	while (isalpha((unsigned char)*p->at) || (*p->at == '/' && p->at[1] == 's'))
		p->at++;
	length = (size_t)(p->at - begin);
	if (length < sizeof token) {
		memcpy(token, begin, length);
		token[length] = '\0';
		value = sweep_value_of(token);
		value.text = NULL;
		if (value.is_number)
			return add_constant(p, value);
	}
	p->at = begin;
	return refuse(p, "a number, or a quantity such as 10us or 4KiB");
}

/* A text ends where its quote comes again, and becomes a string in place. */
static int parse_text(struct parser *p)
{
	char quote = *p->at, *end = strchr(p->at + 1, quote);
	struct sweep_value value;

	if (!end)
		return refuse(p, "the text's closing quote");
	*end = '\0';
	value = sweep_value_of(p->at + 1);
	p->at = end + 1;
	return add_constant(p, value);
}

static int parse_atom(struct parser *p)
{
	int inner;

	skip_blanks(p);
	if (isdigit((unsigned char)*p->at) || *p->at == '.')
		return parse_number(p);
	if (*p->at == '\'' || *p->at == '"')
		return parse_text(p);
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return parse_name(p);
	if (!take(p, "("))
		return refuse(p, "a number, a parameter, a 'text' or a parenthesis");
	inner = parse_or(p);
	if (inner >= 0 && !take(p, ")"))
		return refuse(p, "an operator or \")\"");
	return inner;
}

static int parse_sign(struct parser *p)
{
	int base;

	if (p->depth++ == MAX_DEPTH)
		return refuse(p, "less nesting");
	if (take(p, "-")) {
		base = parse_sign(p);
		base = base < 0 ? SWEEP_NONE : add(p, SWEEP_OP_NEGATE, base);
	} else {
		base = parse_atom(p);
		if (base >= 0 && take(p, "^"))
			base = add_pair(p, SWEEP_OP_POWER, base, parse_sign(p));
	}
	p->depth--;
	return base;
}

static int parse_product(struct parser *p)
{
	static const struct operator table[] = {{"*", SWEEP_OP_MULTIPLY},
						{"//", SWEEP_OP_FLOOR_DIVIDE},
						{"/", SWEEP_OP_DIVIDE},
						{"%", SWEEP_OP_MODULO},
						{NULL, 0}};

	return parse_chain(p, table, parse_sign);
}

static int parse_sum(struct parser *p)
{
	static const struct operator table[] = {
	    {"+", SWEEP_OP_ADD}, {"-", SWEEP_OP_SUBTRACT}, {NULL, 0}};

	return parse_chain(p, table, parse_product);
}

static int parse_comparison(struct parser *p)
{
	static const struct operator table[] = {{"==", SWEEP_OP_EQUAL},
						{"!=", SWEEP_OP_UNEQUAL},
						{"<=", SWEEP_OP_LESS_EQUAL},
						{">=", SWEEP_OP_GREATER_EQUAL},
						{"<", SWEEP_OP_LESS},
						{">", SWEEP_OP_GREATER},
						{NULL, 0}};
	int left = parse_sum(p), n;
	const struct operator* found;

	if (left < 0)
		return SWEEP_NONE;
	found = take_operator(p, table);
	if (found)
		return add_pair(p, found->operation, left, parse_sum(p));
	if (!take(p, "in"))
		return left;
	if (!take(p, "["))
		return refuse(p, "a list in brackets behind \"in\"");
	return add_pair(p, SWEEP_OP_IN, left, parse_list(p, "]", &n));
}

static int parse_not(struct parser *p)
{
	int operand;

	if (!take(p, "not"))
		return parse_comparison(p);
	if (p->depth++ == MAX_DEPTH)
		return refuse(p, "less nesting");
	operand = parse_not(p);
	p->depth--;
	return operand < 0 ? SWEEP_NONE : add(p, SWEEP_OP_NOT, operand);
}

static int parse_and(struct parser *p)
{
	static const struct operator table[] = {{"and", SWEEP_OP_AND}, {NULL, 0}};

	return parse_chain(p, table, parse_not);
}

static int parse_or(struct parser *p)
{
	static const struct operator table[] = {{"or", SWEEP_OP_OR}, {NULL, 0}};

	return parse_chain(p, table, parse_and);
}

int sweep_expression_parse(const char *text, int n_names, const char *const names[],
			   struct sweep_expression **out, struct util_error *err)
{
	struct sweep_expression *expression = calloc(1, sizeof *expression);
	struct util_error why = {0};
	struct parser p = {
	    .expression = expression, .n_names = n_names, .names = names, .err = &why};

	if (expression)
		expression->text = strdup(text);
	if (!expression || !expression->text) {
		sweep_expression_destroy(expression);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	p.begin = p.at = expression->text;
	expression->root = parse_or(&p);
	skip_blanks(&p);
	if (expression->root >= 0 && *p.at)
		expression->root = refuse(&p, "an operator or the end");
	if (expression->root < 0) {
		sweep_expression_destroy(expression);
		return util_refuse(err, "%s", why.text);
	}
	*out = expression;
	return 0;
}

void sweep_expression_destroy(struct sweep_expression *expression)
{
	if (!expression)
		return;
	free(expression->text);
	free(expression);
}

bool sweep_expression_uses(const struct sweep_expression *expression, int name)
{
	for (int i = 0; i < expression->n_nodes; i++)
		if (expression->nodes[i].operation == SWEEP_OP_PARAMETER &&
		    expression->nodes[i].first == name)
			return true;
	return false;
}
