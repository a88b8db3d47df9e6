/* SPDX-License-Identifier: BSD-3-Clause */
/* Another program in the place of this one: children of fork may, a rank may not. */
#include <alloca.h>
#include <stdarg.h>

#include "pdexec/libc-next.h"
#include "pdexec/process.h"

static void refuse(const char *name, const char *program, const void *site)
{
	struct pd_rank *rank = pd_process_here();

	if (!rank)
		return;
	if (!rank->function)
		rank->site = site;
	pd_fail(rank, PD_FAILURE_UNSUPPORTED,
		"%s(\"%s\") would put another program in the place of all ranks, which share a "
		"process; in a child of fork it may",
		name, program);
}

PD_INTERPOSE int execve(const char *path, char *const argv[], char *const environment[])
{
	refuse(__func__, path, __builtin_return_address(0));
	return pd_libc_next()->execve(path, argv, environment);
}

PD_INTERPOSE int execv(const char *path, char *const argv[])
{
	refuse(__func__, path, __builtin_return_address(0));
	return pd_libc_next()->execv(path, argv);
}

PD_INTERPOSE int execvp(const char *file, char *const argv[])
{
	refuse(__func__, file, __builtin_return_address(0));
	return pd_libc_next()->execvp(file, argv);
}

PD_INTERPOSE int execvpe(const char *file, char *const argv[], char *const environment[])
{
	refuse(__func__, file, __builtin_return_address(0));
	return pd_libc_next()->execvpe(file, argv, environment);
}

/* The words of a call as an array, in `words` or counted only; what follows the NULL stays in
 * `rest`. */
static size_t list(const char *first, va_list *rest, char **words)
{
	size_t n = 0;

	for (const char *word = first; word; word = va_arg(*rest, const char *), n++)
		if (words)
			words[n] = (char *)(uintptr_t)word;
	if (words)
		words[n] = NULL;
	return n;
}

enum exec_kind { EXEC_PATH, EXEC_SEARCH, EXEC_WITH_ENVIRONMENT };

/* Its array lies on the stack: a child of vfork may not allocate. */
static int with_list(const char *name, const void *site, enum exec_kind kind, const char *path,
		     const char *first, va_list rest)
{
	char *const *environment = environ;
	va_list walk;
	char **words;

	refuse(name, path, site);
	va_copy(walk, rest);
	words = alloca((list(first, &walk, NULL) + 1) * sizeof *words);
	va_end(walk);
	va_copy(walk, rest);
	list(first, &walk, words);
	if (kind == EXEC_WITH_ENVIRONMENT)
		environment = va_arg(walk, char **);
	va_end(walk);
	return kind == EXEC_SEARCH ? pd_libc_next()->execvpe(path, words, environment)
				   : pd_libc_next()->execve(path, words, environment);
}

PD_INTERPOSE int execl(const char *path, const char *argument, ...)
{
	va_list rest;
	int status;

	va_start(rest, argument);
	status = with_list(__func__, __builtin_return_address(0), EXEC_PATH, path, argument, rest);
	va_end(rest);
	return status;
}

PD_INTERPOSE int execlp(const char *file, const char *argument, ...)
{
	va_list rest;
	int status;

	va_start(rest, argument);
	status =
	    with_list(__func__, __builtin_return_address(0), EXEC_SEARCH, file, argument, rest);
	va_end(rest);
	return status;
}

PD_INTERPOSE int execle(const char *path, const char *argument, ...)
{
	va_list rest;
	int status;

	va_start(rest, argument);
	status = with_list(__func__, __builtin_return_address(0), EXEC_WITH_ENVIRONMENT, path,
			   argument, rest);
	va_end(rest);
	return status;
}
