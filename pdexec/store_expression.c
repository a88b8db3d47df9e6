/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of products of powers of the parameters, and ranges of them. Formats: docs/benchmark-store.md. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "pdexec/store_internal.h"
#include "util/units.h"

static const char *skip_spaces(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* A number without sign: digits with at most one point, and an exponent. */
static int number_parse(const char **at, double *out, struct util_error *err)
{
	const char *end = *at;
	char token[64];

	while (isdigit((unsigned char)*end) || *end == '.')
		end++;
	if ((*end == 'e' || *end == 'E') && end > *at) {
		end++;
		if (*end == '+' || *end == '-')
			end++;
		while (isdigit((unsigned char)*end))
			end++;
	}
	if (end == *at || (size_t)(end - *at) >= sizeof(token))
		return util_refuse(err, "found \"%.30s\", wanted a number", *at);
	memcpy(token, *at, (size_t)(end - *at));
	token[end - *at] = '\0';
	if (util_parse_double(token, out, err))
		return err ? err->code : UTIL_EINPUT;
	*at = end;
	return 0;
}

/* "p3" → 2. */
static int param_parse(const char **at, int *out, struct util_error *err)
{
	if ((*at)[0] != 'p' || (*at)[1] < '1' || (*at)[1] > '0' + PD_STORE_MAX_PARAMS ||
	    isalnum((unsigned char)(*at)[2]))
		return util_refuse(err, "found \"%.30s\", wanted a parameter (p1 to p%d)", *at,
				   PD_STORE_MAX_PARAMS);
	*out = (*at)[1] - '1';
	*at += 2;
	return 0;
}

static int power_parse(const char **at, struct pd_expression *expression, struct pd_term *term,
		       struct util_error *err)
{
	int param, total;
	double exponent = 1;

	if (param_parse(at, &param, err))
		return UTIL_EINPUT;
	if (**at == '^') {
		const char *begin = ++*at;

		if (number_parse(at, &exponent, err))
			return UTIL_EINPUT;
		if (exponent > PD_MAX_EXPONENT || 2 * exponent != (int)(2 * exponent))
			return util_refuse(
			    err,
			    "found the exponent \"%.*s\", wanted a multiple of 0.5 from 0 to %d",
			    (int)(*at - begin), begin, PD_MAX_EXPONENT);
	}
	total = term->twice_exponent[param] + (int)(2 * exponent);
	if (total > 2 * PD_MAX_EXPONENT)
		return util_refuse(err, "found p%d to the power %g in one term, wanted at most %d",
				   param + 1, total / 2.0, PD_MAX_EXPONENT);
	term->twice_exponent[param] = (unsigned char)total;
	if (param + 1 > expression->n_params)
		expression->n_params = param + 1;
	return 0;
}

static int term_parse(const char **at, struct pd_expression *expression, struct pd_term *term,
		      struct util_error *err)
{
	double factor;

	for (;;) {
		*at = skip_spaces(*at);
		if (**at == 'p') {
			if (power_parse(at, expression, term, err))
				return UTIL_EINPUT;
		} else if (isdigit((unsigned char)**at) || **at == '.') {
			if (number_parse(at, &factor, err))
				return UTIL_EINPUT;
			term->coefficient *= factor;
		} else {
			return util_refuse(
			    err, "found \"%.30s\", wanted a number or a parameter (p1 to p%d)", *at,
			    PD_STORE_MAX_PARAMS);
		}
		*at = skip_spaces(*at);
		if (**at != '*')
			return 0;
		++*at;
	}
}

int pd_expression_parse(const char *text, struct pd_expression *out, struct util_error *err)
{
	struct pd_expression expression = {0};
	const char *at = skip_spaces(text);
	double sign = 1;

	if (*at == '-' || *at == '+')
		sign = *at++ == '-' ? -1 : 1;
	for (;;) {
		struct pd_term *term = &expression.terms[expression.n_terms];

		if (expression.n_terms == PD_MAX_TERMS)
			return util_refuse(err, "found more than %d terms in an expression",
					   PD_MAX_TERMS);
		term->coefficient = sign;
		if (term_parse(&at, &expression, term, err))
			return UTIL_EINPUT;
		expression.n_terms++;
		if (!*at)
			break;
		if (*at != '+' && *at != '-')
			return util_refuse(
			    err, "found \"%.30s\", wanted * + - or the end of the expression", at);
		sign = *at++ == '-' ? -1 : 1;
	}
	*out = expression;
	return 0;
}

double pd_term_value(const struct pd_term *term, const double params[])
{
	double value = 1;

	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++) {
		int twice = term->twice_exponent[i];

		for (int n = twice / 2; n > 0; n--)
			value *= params[i];
		if (twice % 2)
			value *= sqrt(params[i] > 0 ? params[i] : 0);
	}
	return value;
}

double pd_expression_value(const struct pd_expression *expression, const double params[])
{
	double sum = 0;

	for (int i = 0; i < expression->n_terms; i++)
		sum += expression->terms[i].coefficient *
		       pd_term_value(&expression->terms[i], params);
	return sum;
}

/* "p1", "node", "rank%2" */
static int subject_parse(const char **at, struct pd_range *out, struct util_error *err)
{
	const char *begin = *at;
	double modulus;

	out->modulus = 0;
	if (strncmp(begin, "node", 4) && strncmp(begin, "rank", 4))
		return param_parse(at, &out->of, err);
	out->of = *begin == 'n' ? PD_OF_NODE : PD_OF_RANK;
	*at += 4;
	if (**at != '%')
		return 0;
	++*at;
	if (number_parse(at, &modulus, err))
		return UTIL_EINPUT;
	if (modulus < 1 || modulus > 1e6 || modulus != (int)modulus)
		return util_refuse(err, "found \"%.30s\", wanted %% and a whole number from 1 on",
				   begin);
	out->modulus = (int)modulus;
	return 0;
}

static int range_parse(const char **at, struct pd_range *out, struct util_error *err)
{
	double sign = 1;

	if (subject_parse(at, out, err))
		return UTIL_EINPUT;
	if (**at != '<' && **at != '>' && **at != '=')
		return util_refuse(err, "found \"%.30s\", wanted < <= > >= or =", *at);
	out->comparison = **at == '<' ? PD_LESS : **at == '>' ? PD_GREATER : PD_EQUAL;
	++*at;
	if (**at == '=' && out->comparison != PD_EQUAL) {
		out->comparison = out->comparison == PD_LESS ? PD_LESS_EQUAL : PD_GREATER_EQUAL;
		++*at;
	}
	if (**at == '-') {
		sign = -1;
		++*at;
	}
	if (number_parse(at, &out->bound, err))
		return UTIL_EINPUT;
	out->bound *= sign;
	return 0;
}

int pd_ranges_parse(const char *text, struct pd_range out[PD_MAX_RANGES], int *out_n,
		    struct util_error *err)
{
	int n = 0;

	for (const char *at = skip_spaces(text); *at; at = skip_spaces(at)) {
		if (n == PD_MAX_RANGES)
			return util_refuse(err, "found more than %d ranges", PD_MAX_RANGES);
		if (range_parse(&at, &out[n], err))
			return UTIL_EINPUT;
		n++;
		if (*at && *at != ' ' && *at != '\t')
			return util_refuse(err, "found \"%.30s\", wanted a space between ranges",
					   at);
	}
	*out_n = n;
	return 0;
}

void pd_values_set(double out[PD_N_VALUES], int n_params, const double params[],
		   struct pd_place place)
{
	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++)
		out[i] = i < n_params ? params[i] : 0;
	out[PD_OF_NODE] = place.node;
	out[PD_OF_RANK] = place.rank;
}

bool pd_ranges_hold(const struct pd_range ranges[], int n_ranges,
		    const double values[PD_N_VALUES])
{
	for (int i = 0; i < n_ranges; i++) {
		double value = values[ranges[i].of], bound = ranges[i].bound;
		bool holds = false;

		if (ranges[i].of >= PD_OF_NODE && value < 0)
			return false;
		if (ranges[i].modulus)
			value = (int)value % ranges[i].modulus;
		switch (ranges[i].comparison) {
		case PD_LESS:
			holds = value < bound;
			break;
		case PD_LESS_EQUAL:
			holds = value <= bound;
			break;
		case PD_GREATER:
			holds = value > bound;
			break;
		case PD_GREATER_EQUAL:
			holds = value >= bound;
			break;
		case PD_EQUAL:
			holds = value == bound;
			break;
		}
		if (!holds)
			return false;
	}
	return true;
}
