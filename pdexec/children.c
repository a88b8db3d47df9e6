/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that ranks start: what they compute is not simulated, and each rank keeps where it was first. */
#include <spawn.h>

#include "pdexec/libc-next.h"
#include "pdexec/process.h"

static void note(const char *function, const void *site)
{
	struct pd_rank *rank = pd_process_here();
	struct pd_process *process = rank ? rank->process : NULL;

	if (!process || process->child_function)
		return;
	process->child_function = function;
	process->child_site = site;
}

PD_INTERPOSE pid_t fork(void)
{
	note(__func__, __builtin_return_address(0));
	return pd_libc_next()->fork();
}

PD_INTERPOSE int system(const char *command)
{
	if (command)
		note(__func__, __builtin_return_address(0));
	return pd_libc_next()->system(command);
}

PD_INTERPOSE FILE *popen(const char *command, const char *mode)
{
	note(__func__, __builtin_return_address(0));
	return pd_libc_next()->popen(command, mode);
}

PD_INTERPOSE int posix_spawn(pid_t *id, const char *path, const posix_spawn_file_actions_t *actions,
			     const posix_spawnattr_t *attributes, char *const argv[],
			     char *const environment[])
{
	note(__func__, __builtin_return_address(0));
	return pd_libc_next()->posix_spawn(id, path, actions, attributes, argv, environment);
}

PD_INTERPOSE int posix_spawnp(pid_t *id, const char *file, const posix_spawn_file_actions_t *actions,
			      const posix_spawnattr_t *attributes, char *const argv[],
			      char *const environment[])
{
	note(__func__, __builtin_return_address(0));
	return pd_libc_next()->posix_spawnp(id, file, actions, attributes, argv, environment);
}
