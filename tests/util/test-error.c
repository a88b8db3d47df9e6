/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/error.h"

static void set_writes_code_and_text(void **state)
{
	struct util_error err = {0};

	assert_int_equal(util_error_set(&err, UTIL_EINPUT, "found %d, wanted %s", 3, "4"),
			 UTIL_EINPUT);
	assert_int_equal(err.code, UTIL_EINPUT);
	assert_string_equal(err.text, "found 3, wanted 4");
}

static void null_error_still_gives_the_code(void **state)
{
	assert_int_equal(util_error_set(NULL, UTIL_EPROGRAM, "x"), UTIL_EPROGRAM);
	assert_int_equal(util_error_errno(NULL, ENOENT, "x"), UTIL_ESYSTEM);
	assert_int_equal(util_error_errno(NULL, ENOMEM, "x"), UTIL_ENOMEM);
	assert_int_equal(util_error_prepend(NULL, "x"), UTIL_ESYSTEM);
}

static void errno_appends_the_reason(void **state)
{
	struct util_error err = {0};

	assert_int_equal(util_error_errno(&err, ENOENT, "cannot open '%s'", "a.yaml"),
			 UTIL_ESYSTEM);
	assert_int_equal(err.code, UTIL_ESYSTEM);
	assert_string_equal(err.text, "cannot open 'a.yaml': No such file or directory");
	assert_int_equal(util_error_errno(&err, ENOMEM, "cannot map"), UTIL_ENOMEM);
	assert_int_equal(err.code, UTIL_ENOMEM);
}

static void prepend_keeps_code_and_order(void **state)
{
	struct util_error err = {0};

	util_error_set(&err, UTIL_EINPUT, "wanted a time");
	assert_int_equal(util_error_prepend(&err, "key '%s'", "latency"), UTIL_EINPUT);
	assert_int_equal(util_error_prepend(&err, "a.yaml:3:1"), UTIL_EINPUT);
	assert_string_equal(err.text, "a.yaml:3:1: key 'latency': wanted a time");
}

/* The text holds 1023 characters and its end; whatever is longer loses its tail, never the end
 * mark. */
static void long_texts_are_cut_and_terminated(void **state)
{
	struct {
		struct util_error err;
		char behind[4096]; /* stays as it is */
	} box;
	char text[3000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memset(&box, 'z', sizeof(box));
	util_error_set(&box.err, UTIL_EINPUT, "%s", text);
	assert_int_equal(strlen(box.err.text), sizeof(box.err.text) - 1);

	/* "bb: " takes 4 characters, the rest stays filled with what was there */
	util_error_prepend(&box.err, "bb");
	assert_int_equal(strlen(box.err.text), sizeof(box.err.text) - 1);
	assert_memory_equal(box.err.text, "bb: aaaa", 8);

	util_error_prepend(&box.err, "%s", text);
	assert_int_equal(strlen(box.err.text), sizeof(box.err.text) - 1);
	util_error_errno(&box.err, ENOENT, "%s", text);
	assert_int_equal(strlen(box.err.text), sizeof(box.err.text) - 1);
	for (size_t i = 0; i < sizeof(box.behind); i++)
		assert_int_equal(box.behind[i], 'z');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(set_writes_code_and_text),
	    cmocka_unit_test(null_error_still_gives_the_code),
	    cmocka_unit_test(errno_appends_the_reason),
	    cmocka_unit_test(prepend_keeps_code_and_order),
	    cmocka_unit_test(long_texts_are_cut_and_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
