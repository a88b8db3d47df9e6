/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written until they are whole go where an interrupt ends the process. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/outpath.h"

/* How a child ends that does this with a file of its own; *is_left: whether the file is there then. */
static int end_of(void (*act)(const char *path), bool *is_left)
{
	char path[] = "/tmp/mpisim-guard-XXXXXX";
	int fd = mkstemp(path), status;
	pid_t pid;

	assert_true(fd >= 0);
	close(fd);
	pid = fork();
	if (pid == 0) {
		act(path);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	*is_left = access(path, F_OK) == 0;
	unlink(path);
	return status;
}

static void be_ended(const char *path)
{
	util_output_guard(path);
	raise(SIGTERM);
}

static void be_ended_when_it_is_whole(const char *path)
{
	util_output_guard(path);
	util_output_release(path);
	raise(SIGTERM);
}

static void have_a_child_that_is_ended(const char *path)
{
	pid_t pid;

	util_output_guard(path);
	pid = fork();
	if (pid == 0)
		raise(SIGTERM);
	waitpid(pid, NULL, 0);
}

static void ignore_it(const char *path)
{
	signal(SIGHUP, SIG_IGN);
	util_output_guard(path);
	raise(SIGHUP);
}

/* PATH/a, PATH/b/c */
static void be_ended_with_a_folder(const char *path)
{
	unlink(path);
	if (mkdir(path, 0777) || chdir(path) || mkdir("b", 0777) || creat("a", 0666) < 0 ||
	    creat("b/c", 0666) < 0)
		_exit(1);
	be_ended(path);
}

static void an_interrupt_removes_what_is_not_whole(void **state)
{
	bool is_left;
	int status = end_of(be_ended_with_a_folder, &is_left);

	assert_false(is_left);
	assert_true(WIFSIGNALED(status));
	status = end_of(be_ended, &is_left);

	assert_false(is_left);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void all_else_stays(void **state)
{
	bool is_left;
	int status = end_of(be_ended_when_it_is_whole, &is_left);

	assert_true(is_left);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(end_of(have_a_child_that_is_ended, &is_left), 0);
	assert_true(is_left);
	assert_int_equal(end_of(ignore_it, &is_left), 0);
	assert_true(is_left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_interrupt_removes_what_is_not_whole),
	    cmocka_unit_test(all_else_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
