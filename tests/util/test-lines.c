/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a text file line by line: what a line is, and which files are none of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/lines.h"

static char path[] = "/tmp/mpisim-lines-XXXXXX";

static void write_file(const char *text, size_t length_B)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length_B, file), length_B);
	assert_int_equal(fclose(file), 0);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static void lines_keep_their_ends_and_are_counted(void **state)
{
	struct util_error err = {0};
	struct util_lines lines;
	int failed = 0;

	write_file("one\n\nthree", 10);
	assert_int_equal(util_lines_open(&lines, path, "the file", &err), 0);
	assert_true(util_lines_next(&lines, &failed, &err));
	assert_string_equal(lines.text, "one\n");
	assert_true(util_lines_next(&lines, &failed, &err));
	assert_string_equal(lines.text, "\n");
	assert_true(util_lines_next(&lines, &failed, &err));
	assert_string_equal(lines.text, "three");
	assert_int_equal(lines.length_B, 5);
	assert_int_equal(lines.number, 3);
	assert_false(util_lines_next(&lines, &failed, &err));
	assert_int_equal(failed, 0);
	util_lines_close(&lines);
}

/* How the file's line after `n_before` good ones is refused. */
static void expect_refusal(const char *name, int n_before, const char *message)
{
	struct util_error err = {0};
	struct util_lines lines;
	int failed = 0;

	assert_int_equal(util_lines_open(&lines, name, "the file", &err), 0);
	for (int i = 0; i < n_before; i++)
		assert_true(util_lines_next(&lines, &failed, &err));
	assert_false(util_lines_next(&lines, &failed, &err));
	assert_int_equal(failed, UTIL_EINPUT);
	if (!strstr(err.text, message))
		fail_msg("%s\nnot: %s", err.text, message);
	util_lines_close(&lines);
}

static void files_that_are_no_text_are_refused_soon(void **state)
{
	char *text = malloc(UTIL_LINE_MAX_B + 1);

	assert_non_null(text);
	write_file("one\ntw\0o\n", 9);
	expect_refusal(path, 1, ":2: found a NUL byte, wanted text");
	memset(text, 'x', UTIL_LINE_MAX_B + 1);
	write_file(text, UTIL_LINE_MAX_B + 1);
	expect_refusal(path, 0, ":1: found a line of more than 1048576 bytes");
	free(text);
	expect_refusal("/dev/zero", 0, "/dev/zero:1: found a NUL byte");
	expect_refusal("/", 0, "cannot read /: Is a directory");
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct util_error err = {0};
	struct util_lines lines;

	assert_int_equal(util_lines_open(&lines, "/nonexistent", "the file", &err), UTIL_EINPUT);
	assert_string_equal(err.text, "cannot read the file /nonexistent: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_keep_their_ends_and_are_counted),
	    cmocka_unit_test(files_that_are_no_text_are_refused_soon),
	    cmocka_unit_test(a_file_that_is_not_there_is_named),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
