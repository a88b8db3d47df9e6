// SPDX-License-Identifier: BSD-3-Clause
/* Expressions and texts of sweep files, against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/sweep/expression.h"
#include "tools/sweep/text.h"

static const char *const names[] = {"n", "r", "variant", "latency", "not_n"};
#define N_NAMES 5

static void fill(struct sweep_value values[N_NAMES])
{
	values[0] = sweep_value_of("2592");
	values[1] = sweep_value_of("324");
	values[2] = sweep_value_of("P+FC");
	values[3] = sweep_value_of("10us");
	values[4] = sweep_value_of("7");
}

static double value(const char *text)
{
	struct sweep_value values[N_NAMES], result = {0};
	struct sweep_expression *expression = NULL;
	struct util_error err = {0};

	fill(values);
	if (sweep_expression_parse(text, N_NAMES, names, &expression, &err))
		fail_msg("%s: %s", text, err.text);
	if (sweep_expression_value(expression, values, &result, &err))
		fail_msg("%s: %s", text, err.text);
	sweep_expression_destroy(expression);
	return result.number;
}

/* The error of parsing or evaluating holds `wanted`. */
static void refused(const char *text, const char *wanted)
{
	struct sweep_value values[N_NAMES], result;
	struct sweep_expression *expression = NULL;
	struct util_error err = {0};
	int rc;

	fill(values);
	rc = sweep_expression_parse(text, N_NAMES, names, &expression, &err);
	if (rc == 0)
		rc = sweep_expression_value(expression, values, &result, &err);
	sweep_expression_destroy(expression);
	assert_int_equal(rc, UTIL_EINPUT);
	if (!strstr(err.text, wanted))
		fail_msg("%s: found \"%s\", wanted \"%s\"", text, err.text, wanted);
}

#define same(text, wanted) assert_true(value(text) == (wanted))

static void operators_bind_as_in_arithmetic(void **state)
{
	same("1 + 2 * 3", 7);
	same("(1 + 2) * 3", 9);
	same("10 - 4 - 3", 3); /* from the left */
	same("64 / 4 / 2", 8);
	same("2 ^ 3 ^ 2", 512); /* from the right: 2 ^ 9 */
	same("-2 ^ 2", -4);	/* - (2 ^ 2) */
	same("2 ^ -1", 0.5);
	same("7 // 2", 3);
	same("-7 // 2", -4);
	same("-7 % 3", 2); /* the sign of the divisor: -7 = -3 × 3 + 2 */
	same("7 % 2 + 1", 2);
	same("1 + 1 == 2", 1);
	same("not 1 == 2", 1); /* not (1 == 2) */
	same("1 or 0 and 0", 1);
	same("1 < 2 and 2 <= 2 and 3 > 2 and 2 >= 2 and 1 != 2", 1);
}

static void parameters_and_quantities_have_their_values(void **state)
{
	same("n % r == 0", 1);
	same("n / r", 8);
	same("latency == 1e-5", 1); /* 10 us in seconds */
	same("latency <= 10us and latency < 1ms", 1);
	same("4KiB", 4096);
	same("100MB/s == 1e8", 1);
	same("not_n", 7); /* a name may begin as an operator does */
	same("variant == 'P+FC'", 1);
	same("variant != \"basic\"", 1);
	same("variant in ['basic', 'P+FC']", 1);
	same("r in [1, 2, 300 + 24]", 1);
	same("not r in [1, 2]", 1);
}

static void functions_are_those_of_the_documentation(void **state)
{
	same("min(3, 1, 2)", 1);
	same("max(3, 1, 2)", 3);
	same("max(5)", 5);
	same("abs(-3)", 3);
	same("floor(-1.5)", -2);
	same("ceil(1.2)", 2);
	same("round(2.5)", 3);
	same("sqrt(16)", 4);
	same("log2(1024)", 10);
	same("2 ^ floor(log2(n))", 2048);
}

static void other_side_of_a_decided_condition_is_not_evaluated(void **state)
{
	same("0 and 1 / 0", 0);
	same("1 or variant < 3", 1);
}

static void mistakes_are_refused_with_their_place(void **state)
{
	char deep[400];

	refused("", "found the end");
	refused("n %", "found the end");
	refused("n % q", "unknown parameter \"q\", wanted one of the parameters n, r, variant");
	refused("n = 3", "found \"= 3\" at character 3");
	refused("(n", "found the end, wanted an operator or \")\"");
	refused("n r", "found \"r\" at character 3");
	refused("exp(n)", "wanted min, max");
	refused("abs(n, r)", "one argument");
	refused("10parsec", "found \"10parsec\"");
	refused("'open", "closing quote");
	refused("n in 3", "a list in brackets");
	refused("n in [3", "a comma or the end");
	refused("n / 0", "division by zero");
	refused("n % (r - r)", "division by zero");
	refused("variant + 1", "found the text \"P+FC\", wanted a number");
	refused("2 ^ 5000", "no finite number");
	memset(deep, '(', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	refused(deep, "less nesting");
}

static void filled(const char *source, const char *wanted)
{
	struct sweep_value values[N_NAMES];
	struct sweep_text *text = NULL;
	struct util_error err = {0};
	char *out = NULL;

	fill(values);
	if (sweep_text_parse(source, N_NAMES, names, &text, &err) ||
	    sweep_text_fill(text, values, &out, &err))
		fail_msg("%s: %s", source, err.text);
	assert_string_equal(out, wanted);
	free(out);
	sweep_text_destroy(text);
}

static void texts_take_parameters_as_written_and_numbers_short(void **state)
{
	struct sweep_text *text = NULL;
	struct util_error err = {0};

	filled("", "");
	filled("plain", "plain");
	filled("--r {r}", "--r 324");
	filled("{variant}/{latency}", "P+FC/10us");
	filled("{n / r}", "8");
	filled("{1 / 3}", "0.333333333333");
	filled("{latency * 2}", "2e-05");
	filled("{{{r}}}", "{324}");
	assert_int_equal(sweep_text_parse("{r", N_NAMES, names, &text, &err), UTIL_EINPUT);
	assert_int_equal(sweep_text_parse("r}", N_NAMES, names, &text, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "found \"}\" without"));
	assert_int_equal(sweep_text_parse("{q}", N_NAMES, names, &text, &err), UTIL_EINPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operators_bind_as_in_arithmetic),
	    cmocka_unit_test(parameters_and_quantities_have_their_values),
	    cmocka_unit_test(functions_are_those_of_the_documentation),
	    cmocka_unit_test(other_side_of_a_decided_condition_is_not_evaluated),
	    cmocka_unit_test(mistakes_are_refused_with_their_place),
	    cmocka_unit_test(texts_take_parameters_as_written_and_numbers_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
