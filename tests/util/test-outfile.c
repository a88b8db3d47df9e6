/* SPDX-License-Identifier: BSD-3-Clause */
/* Results appear when they are complete, and nothing else changes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/outfile.h"

static char folder[] = "/tmp/mpisim-outfile-XXXXXX", path[64], part[96];

static int write_text(const void *text, FILE *file, struct util_error *err)
{
	fputs(text, file);
	return 0;
}

static int write_half(const void *text, FILE *file, struct util_error *err)
{
	fputs(text, file);
	return util_error_set(err, UTIL_EPROGRAM, "half of it");
}

static void keep(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_has(const char *name, const char *wanted)
{
	char text[64] = "";
	FILE *file = fopen(name, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, wanted);
}

static int begin(void **state)
{
	strcpy(strrchr(folder, '-'), "-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/result", folder);
	snprintf(part, sizeof(part), "%s.%ld.part", path, (long)getpid());
	return 0;
}

static int end(void **state)
{
	char link[64];

	snprintf(link, sizeof(link), "%s/link", folder);
	unlink(link);
	unlink(path);
	unlink(part);
	return rmdir(folder); /* nothing else was left behind */
}

static void appears_complete_or_not_at_all(void **state)
{
	struct util_error err;

	assert_int_equal(util_outfile_write(path, write_half, "half", &err), UTIL_EPROGRAM);
	assert_non_null(strstr(err.text, "result: half of it"));
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(util_outfile_write(path, write_text, "first", &err), 0);
	assert_int_equal(util_outfile_write(path, write_half, "half", &err), UTIL_EPROGRAM);
	assert_has(path, "first");
}

static void keeps_modes_and_links(void **state)
{
	struct util_error err;
	struct stat found;
	char link[64];

	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink("result", link), 0);
	assert_int_equal(util_outfile_write(link, write_text, "new", &err),
			 0); /* leads nowhere yet */
	assert_has(path, "new");
	chmod(path, 0640);
	assert_int_equal(util_outfile_write(link, write_text, "after", &err), 0);
	assert_has(path, "after");
	assert_int_equal(lstat(link, &found), 0);
	assert_true(S_ISLNK(found.st_mode));
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_mode & 0777, 0640);
}

static void removes_what_a_killed_process_left(void **state)
{
	struct util_error err;

	keep(part, "of an earlier process with this number");
	assert_int_equal(util_outfile_write(path, write_text, "whole", &err), 0);
	assert_has(path, "whole");
	assert_int_equal(access(part, F_OK), -1);
}

static void leaves_what_another_machine_holds(void **state)
{
	struct util_error err;
	int held;

	keep(part, "theirs");
	held = open(part, O_RDONLY);
	assert_int_equal(flock(held, LOCK_SH), 0);
	assert_int_equal(util_outfile_write(path, write_text, "ours", &err), UTIL_ESYSTEM);
	assert_has(part, "theirs");
	close(held);
}

static void says_what_cannot_be_written(void **state)
{
	struct util_error err;

	assert_int_equal(util_outfile_check("/no/such/file", &err), UTIL_EINPUT);
	assert_int_equal(util_outfile_check(folder, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "Is a directory"));
	assert_int_equal(util_outfile_check("/dev/full", &err), UTIL_EINPUT);
	assert_int_equal(util_outfile_write("/dev/full", write_text, "text", &err), UTIL_ESYSTEM);
	assert_string_equal(err.text, "cannot write /dev/full: No space left on device");
	assert_int_equal(util_outfile_check("/dev/null", &err), 0);
	assert_int_equal(util_outfile_check("-", &err), 0);
	assert_int_equal(util_outfile_check(path, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
}

static void knows_equal_files(void **state)
{
	char other[80];

	snprintf(other, sizeof(other), "%s/./result", folder);
	assert_true(util_outfile_is_same(path, path));
	assert_false(util_outfile_is_same("-", "-"));
	keep(path, "");
	assert_true(util_outfile_is_same(path, other));
	assert_false(util_outfile_is_same("/dev/null", "/dev/null"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(appears_complete_or_not_at_all),     TEST(keeps_modes_and_links),
	    TEST(removes_what_a_killed_process_left), TEST(leaves_what_another_machine_holds),
	    TEST(says_what_cannot_be_written),	      TEST(knows_equal_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
