/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment. Its list is exchanged with the rank (pdexec/process.c), so libc's getenv reads
 * the right one. Changing it is done here: libc takes the list that it allocated last for its own,
 * whoever has it now. As there, texts are never freed: someone may hold what getenv returned.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

/* The program's copy of `environ`, which libc does not know of; NULL: it has none, or is built in. */
static char ***own_variable(const struct pd_rank *rank)
{
	const struct pd_image *image = rank->program->image;

	if (!image || !image->link.copies.environ)
		return NULL;
	return (char ***)(pd_rank_base(rank) + image->link.copies.environ);
}

/* The program may have assigned its variable. */
static void take_over(const struct pd_rank *rank)
{
	char ***own = own_variable(rank);

	if (own)
		environ = *own;
}

static void set_list(const struct pd_rank *rank, char **list)
{
	char ***own = own_variable(rank);

	environ = list;
	if (own)
		*own = list;
}

PD_INTERPOSE char *getenv(const char *name)
{
	struct pd_rank *rank = pd_rank_here();

	if (rank)
		take_over(rank);
	return pd_libc_next()->getenv(name);
}

/* Index of the entry for the name of `length` characters, or of the NULL at the end. */
static size_t find(const char *name, size_t length)
{
	size_t i = 0;

	while (environ && environ[i] &&
	       (strncmp(environ[i], name, length) || environ[i][length] != '='))
		i++;
	return i;
}

/* Puts "name=value" into the list, which becomes the rank's own allocation when it has to grow. */
static int put(struct pd_rank *rank, char *text, size_t length)
{
	struct pd_process *process = rank->process;
	size_t i = find(text, length);
	bool is_own = environ && environ == process->environment;
	char **list;

	if (environ && environ[i]) {
		environ[i] = text;
		return 0;
	}
	list = realloc(is_own ? environ : NULL, (i + 2) * sizeof(*list));
	if (!list)
		return -1;
	if (!is_own) {
		if (i)
			memcpy(list, environ, i * sizeof(*list));
		free(process->environment);
	}
	process->environment = list;
	list[i] = text;
	list[i + 1] = NULL;
	set_list(rank, list);
	return 0;
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

PD_INTERPOSE int setenv(const char *name, const char *value, int overwrite)
{
	struct pd_rank *rank = pd_rank_here();
	size_t length, value_B;
	char *text;

	if (!rank)
		return pd_libc_next()->setenv(name, value, overwrite);
	length = strlen(name);
	if (length == 0 || strchr(name, '='))
		return refuse(EINVAL);
	take_over(rank);
	if (!overwrite && environ && environ[find(name, length)])
		return 0;
	value_B = strlen(value) + 1;
	text = malloc(length + 1 + value_B);
	if (!text)
		return refuse(ENOMEM);
	memcpy(text, name, length);
	text[length] = '=';
	memcpy(text + length + 1, value, value_B);
	return put(rank, text, length);
}

PD_INTERPOSE int putenv(char *text)
{
	struct pd_rank *rank = pd_rank_here();
	const char *equals = strchr(text, '=');

	if (!rank)
		return pd_libc_next()->putenv(text);
	if (!equals)
		return unsetenv(text);
	take_over(rank);
	return put(rank, text, (size_t)(equals - text));
}

PD_INTERPOSE int unsetenv(const char *name)
{
	struct pd_rank *rank = pd_rank_here();
	size_t length;

	if (!rank)
		return pd_libc_next()->unsetenv(name);
	length = strlen(name);
	if (length == 0 || strchr(name, '='))
		return refuse(EINVAL);
	take_over(rank);
	for (size_t i = find(name, length); environ && environ[i]; i = find(name, length))
		for (size_t k = i; environ[k]; k++)
			environ[k] = environ[k + 1];
	return 0;
}

PD_INTERPOSE int clearenv(void)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->clearenv();
	set_list(rank, NULL);
	return 0;
}
