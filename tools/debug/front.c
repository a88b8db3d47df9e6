// SPDX-License-Identifier: BSD-3-Clause
/*
 * mpisim-debug: starts mpisim-run with a socket, and passes lines to and fro: with readline at a
 * terminal, else as they come. Its own process, so that nothing of this is in the simulated one.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

static const char help[] =
    "mpisim-debug runs an MPI program in the simulator and stops it where you say.\n"
    "\n"
    "usage: mpisim-debug --cluster FILE -n RANKS [OPTION…] PROGRAM [ARGUMENT…]\n"
    "\n"
    "Options are those of mpisim-run. Commands come from the terminal or, a line each, from\n"
    "standard input; help lists them. docs/debug.md explains them.\n"
    "\n"
    "exit status: that of mpisim-run; 0 where quit, kill or the end of the commands ends the "
    "run.\n";

/* Prints an answer. False: there will be no more. */
static bool print_answer(FILE *from)
{
	char *line = NULL;
	size_t size = 0;
	bool is_whole = false, has_ended = false;

	while (!is_whole && getline(&line, &size, from) > 0) {
		bool is_ok = strcmp(line, "ok\n") == 0;

		is_whole = is_ok || strncmp(line, "error ", 6) == 0;
		has_ended |= strcmp(line, "ended\n") == 0;
		if (!is_ok || !isatty(STDIN_FILENO))
			fputs(line, stdout);
	}
	free(line);
	fflush(stdout);
	return is_whole && !has_ended;
}

/* The next command; NULL at the end of the input. */
static char *next_command(void)
{
	char *line = NULL;
	size_t size = 0;

	if (isatty(STDIN_FILENO)) {
		line = readline("(mpisim) ");
		if (line && line[0])
			add_history(line);
		return line;
	}
	if (getline(&line, &size, stdin) <= 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Passes commands and answers. True: the user ends the run before its end. */
static bool drive(FILE *from, FILE *to)
{
	char *line;

	if (!print_answer(from))
		return false;
	while ((line = next_command())) {
		bool ends = strcmp(line, "quit") == 0 || strcmp(line, "kill") == 0, goes_on = true;

		if (line[0] && line[0] != '#') {
			fprintf(to, "%s\n", ends ? "kill" : line);
			fflush(to);
			goes_on = print_answer(from);
		}
		free(line);
		if (!goes_on)
			return ends;
	}
	return true;
}

/* The simulator, beside this program. */
static _Noreturn void start(int argc, char **argv, int fd)
{
	char path[4096], number[32], **args = calloc((size_t)argc + 2, sizeof *args), *slash;
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (!args || !slash)
		exit(2);
	strcpy(slash + 1, "mpisim-run");
	snprintf(number, sizeof number, "--debug-fd=%d", fd);
	args[0] = path;
	args[1] = number;
	for (int i = 1; i < argc; i++)
		args[i + 1] = argv[i];
	execv(path, args);
	fprintf(stderr, "mpisim-debug: cannot start %s: %s\n", path, strerror(errno));
	_exit(2);
}

int main(int argc, char **argv)
{
	int ends[2], status = 0;
	bool is_ended;
	pid_t child;
	FILE *from, *to;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(help, stdout);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("mpisim-debug " MPISIM_VERSION);
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
		perror("mpisim-debug: socketpair");
		return 2;
	}
	child = fork();
	if (child == 0) {
		close(ends[0]);
		start(argc, argv, ends[1]);
	}
	close(ends[1]);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN); /* it ends the run, which then says so */
	from = fdopen(ends[0], "r");
	to = fdopen(dup(ends[0]), "w");
	if (child < 0 || !from || !to) {
		perror("mpisim-debug");
		return 2;
	}
	is_ended = drive(from, to);
	fclose(to);
	fclose(from);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (is_ended)
		return 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
