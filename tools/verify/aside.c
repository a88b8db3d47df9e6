// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pdexec/process.h"
#include "tools/orders/explore.h"
#include "tools/run/input.h"

struct verify_aside {
	pid_t pid;
	int ask, answer; /* pipes: of struct verify_question, of struct verify_answer */
	int data;	 /* memory file */
	struct verify_results *results; /* shared; NULL: there is no memory */
};

static const struct verify_answer no_answer = {
    .time_s = -1, .difference = VERIFY_UNKNOWN, .rank = -1};

int verify_aside_prepare(struct run *run, unsigned parts)
{
	struct util_error err;
	const char *null_device = "/dev/null";
	int input = run_input_open(run->input_begin);

	orders_prepare_options(run);
	run->is_ordered = false;
	run->options.verify = parts;
	run->options.verify_valgrind = run->options.verify_unread = false;
	run->options.verify_impact = false;
	run->options.deterministic = true;
	if (input < 0 || dup2(input, STDIN_FILENO) < 0 || !freopen(null_device, "w", stdout) ||
	    !freopen(null_device, "w", stderr) || run_prepare(run, &err))
		return -1;
	return 0;
}

static _Noreturn void repeat(struct run *run, const struct verify_aside *aside,
			     const struct verify_question *question)
{
	const void *data = NULL;
	struct verify_answer answer;

	if (question->data_B > 0)
		data = mmap(NULL, question->data_B, PROT_READ, MAP_PRIVATE, aside->data, 0);
	if (data == MAP_FAILED)
		_exit(1);
	answer = question->kind == VERIFY_ASIDE_PRICE
		     ? verify_price_repeat(run, question, data)
		     : verify_impact_repeat(run, question, data, aside->results);
	_exit(write(aside->answer, &answer, sizeof answer) != sizeof answer);
}

/* Each question is answered by a process of its own. */
static _Noreturn void serve(struct run *run, const struct verify_aside *aside)
{
	struct verify_question question;

	while (read(aside->ask, &question, sizeof question) == sizeof question) {
		int status = 1;
		pid_t pid = fork();

		if (pid == 0)
			repeat(run, aside, &question);
		while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if ((pid < 0 || status != 0) &&
		    write(aside->answer, &no_answer, sizeof no_answer) != sizeof no_answer)
			break;
	}
	_exit(0);
}

struct verify_aside *verify_aside_start(struct run *run)
{
	struct verify_aside *aside = calloc(1, sizeof *aside);
	int to[2], from[2];

	if (!aside)
		return NULL;
	aside->data = memfd_create("mpisim verify", MFD_CLOEXEC);
	aside->results = mmap(NULL, sizeof *aside->results, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (aside->data < 0 || aside->results == MAP_FAILED || pipe2(to, O_CLOEXEC) ||
	    pipe2(from, O_CLOEXEC)) {
		free(aside);
		return NULL;
	}
	fflush(NULL);
	aside->pid = fork();
	if (aside->pid == 0) {
		close(to[1]);
		close(from[0]);
		aside->ask = to[0];
		aside->answer = from[1];
		serve(run, aside);
	}
	close(to[0]);
	close(from[1]);
	aside->ask = to[1];
	aside->answer = from[0];
	return aside;
}

bool verify_aside_give(struct verify_aside *aside, const void *data, size_t size_B)
{
	const char *at = data;
	ssize_t n;

	if (ftruncate(aside->data, 0) || lseek(aside->data, 0, SEEK_SET))
		return false;
	for (; size_B > 0; at += n, size_B -= (size_t)n)
		if ((n = write(aside->data, at, size_B)) <= 0)
			return false;
	return true;
}

void verify_aside_forget(struct verify_aside *aside)
{
	aside->results->end = -1;
}

struct verify_answer verify_aside_ask(struct verify_aside *aside,
				      const struct verify_question *question)
{
	struct verify_answer answer;

	if (write(aside->ask, question, sizeof *question) != sizeof *question ||
	    read(aside->answer, &answer, sizeof answer) != sizeof answer)
		return no_answer;
	return answer;
}

void verify_aside_end(struct verify_aside *aside)
{
	int status;

	if (!aside)
		return;
	close(aside->ask);
	while (waitpid(aside->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(aside->answer);
	close(aside->data);
	munmap(aside->results, sizeof *aside->results);
	free(aside);
}
