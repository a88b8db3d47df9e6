/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command of MPI_Comm_spawn and its info say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "mpi/dynamic/spawn.h"
#include "mpi/info/info.h"
#include "util/file.h"

static int fail_memory(struct util_error *err)
{
	util_error_set(err, UTIL_ENOMEM, "out of memory");
	return MPI_ERR_NO_MEM;
}

static const char *value_of(const struct mpi_command *command, const char *key)
{
	return command->info ? mpi_info_value(command->info, key) : NULL;
}

/* --- the file --- */

/* The full name of the first one in the directories "a:b:…", malloc'ed; NULL: none. */
static char *search(const char *directories, const char *name)
{
	char *path = util_file_search(directories, name);
	char *full = path ? realpath(path, NULL) : NULL;

	free(path);
	return full;
}

/* Seen from where the root is: in the directories of the info, then as a shell does, then here. */
static int find_file(struct mpi_launch *launch, const struct mpi_rank *me,
		     const struct mpi_command *command, struct util_error *err)
{
	if (me->pd->world->is_builtin) { /* there are no files */
		launch->path = strdup(command->name);
		return launch->path ? MPI_SUCCESS : fail_memory(err);
	}
	launch->path = search(value_of(command, "path"), command->name);
	if (!launch->path && !strchr(command->name, '/'))
		launch->path = search(getenv("PATH"), command->name);
	if (!launch->path && util_file_is_program(command->name))
		launch->path = realpath(command->name, NULL);
	if (launch->path)
		return MPI_SUCCESS;
	util_refuse(err, "there is no executable file '%.200s'", command->name);
	return MPI_ERR_SPAWN;
}

static int find_directory(struct mpi_launch *launch, const struct mpi_command *command,
			  struct util_error *err)
{
	const char *wanted = value_of(command, "wdir");
	struct stat found;

	launch->directory = realpath(wanted ? wanted : ".", NULL);
	if (launch->directory && stat(launch->directory, &found) == 0 && S_ISDIR(found.st_mode))
		return MPI_SUCCESS;
	util_refuse(err, "there is no directory '%.200s' (info key wdir)", wanted ? wanted : ".");
	return MPI_ERR_SPAWN;
}

static int copy_arguments(struct mpi_launch *launch, const struct mpi_command *command,
			  struct util_error *err)
{
	size_t n = 0;

	while (command->arguments && command->arguments[n])
		n++;
	launch->argv = calloc(n + 2, sizeof *launch->argv);
	if (!launch->argv || !(launch->argv[0] = strdup(command->name)))
		return fail_memory(err);
	for (size_t i = 0; i < n; i++)
		if (!(launch->argv[i + 1] = strdup(command->arguments[i])))
			return fail_memory(err);
	return MPI_SUCCESS;
}

/* --- hosts --- */

/* "node3" as MPI_Get_processor_name says, or "localhost"; -1: no node. */
static int node_of_name(const struct mpi_rank *me, const char *name, size_t length)
{
	int n_nodes = me->pd->world->cluster->n_nodes, node = -1, end = 0;
	char text[32];

	if (length >= sizeof text)
		return -1;
	snprintf(text, sizeof text, "%.*s", (int)length, name);
	if (strcmp(text, "localhost") == 0)
		return me->pd->node;
	if (sscanf(text, "node%d%n", &node, &end) != 1 || (size_t)end != length)
		return -1;
	return node < n_nodes ? node : -1;
}

static int find_hosts(struct mpi_launch *launch, const struct mpi_rank *me,
		      const struct mpi_command *command, struct util_error *err)
{
	const char *names = value_of(command, "host");
	size_t n = 1;

	if (!names)
		return MPI_SUCCESS;
	for (const char *c = names; *c; c++)
		n += *c == ',';
	launch->hosts = calloc(n, sizeof *launch->hosts);
	if (!launch->hosts)
		return fail_memory(err);
	for (const char *name = names;; name += strcspn(name, ",") + 1) {
		size_t length = strcspn(name, ",");
		int node = node_of_name(me, name, length);

		if (node < 0) {
			util_refuse(err,
				    "there is no host '%.*s' (info key host): found no such node, "
				    "wanted node0 to node%d",
				    (int)length, name, me->pd->world->cluster->n_nodes - 1);
			return MPI_ERR_SPAWN;
		}
		launch->hosts[launch->n_hosts++] = node;
		if (!name[length])
			return MPI_SUCCESS;
	}
}

static int check_machine(const struct mpi_command *command, struct util_error *err)
{
	const char *wanted = value_of(command, "arch");
	struct utsname here;

	if (value_of(command, "file")) {
		util_refuse(err, "info key file: there are no files that say more about a command");
		return MPI_ERR_SPAWN;
	}
	if (!wanted || uname(&here) != 0 || strcmp(wanted, here.machine) == 0)
		return MPI_SUCCESS;
	util_refuse(err, "info key arch: found '%.40s', the nodes are %s", wanted, here.machine);
	return MPI_ERR_SPAWN;
}

/* --- how many --- */

/* Of first, first + step, … last the largest that is at most n; 0: none. */
static int best_of(long first, long last, long step, int n)
{
	long low = step > 0 ? first : last, high = step > 0 ? last : first, best;

	if (step < 0) {
		low = first - (first - last) / -step * -step;
		step = -step;
	}
	if (high > n)
		high = n;
	if (high < low)
		return 0;
	best = low + (high - low) / step * step;
	return best > 0 ? (int)best : 0;
}

/* "5:20:5,30": the largest number that it allows and that is at most n; 0: none, -1: it is wrong.
 */
static int best_soft(const char *text, int n)
{
	int best = 0;

	for (;;) {
		long first, last, step = 1;
		char *end;
		int found;

		first = last = strtol(text, &end, 10);
		if (end == text)
			return -1;
		if (*end == ':') {
			text = end + 1;
			last = strtol(text, &end, 10);
			if (end == text)
				return -1;
		}
		if (*end == ':') {
			text = end + 1;
			step = strtol(text, &end, 10);
			if (end == text || step == 0)
				return -1;
		}
		found = best_of(first, last, step, n);
		best = found > best ? found : best;
		if (*end == '\0')
			return best;
		if (*end != ',')
			return -1;
		text = end + 1;
	}
}

static int choose_number(struct mpi_launch *launch, const struct mpi_command *command, int n_left,
			 struct util_error *err)
{
	const char *soft = value_of(command, "soft");
	int most = command->n_max < n_left ? command->n_max : n_left;

	launch->n_ranks = soft ? best_soft(soft, most) : command->n_max;
	if (launch->n_ranks < 0) {
		util_refuse(err, "info key soft: found '%.100s', wanted numbers as in \"2:8:2,16\"",
			    soft);
		return MPI_ERR_INFO_VALUE;
	}
	if (launch->n_ranks > 0 && launch->n_ranks <= n_left)
		return MPI_SUCCESS;
	util_refuse(err,
		    "%d processes of '%.100s' were asked for, and %d more can be spawned "
		    "(run.spawn.processes of the cluster file)",
		    command->n_max, command->name, n_left);
	return MPI_ERR_SPAWN;
}

static int read_errors(struct mpi_launch *launch, const struct mpi_command *command,
		       struct util_error *err)
{
	static const char *const names[] = {
	    [ERRORS_FATAL] = "mpi_errors_are_fatal",
	    [ERRORS_ABORT] = "mpi_errors_abort",
	    [ERRORS_RETURN] = "mpi_errors_return",
	};
	const char *wanted = value_of(command, "mpi_initial_errhandler");

	for (int i = 0; wanted && i <= ERRORS_RETURN; i++)
		if (strcmp(wanted, names[i]) == 0) {
			launch->errors = (enum mpi_errors_at_start)i;
			return MPI_SUCCESS;
		}
	if (!wanted)
		return MPI_SUCCESS;
	util_refuse(err, "info key mpi_initial_errhandler: found '%.60s', wanted %s, %s or %s",
		    wanted, names[0], names[1], names[2]);
	return MPI_ERR_INFO_VALUE;
}

int mpi_launch_init(struct mpi_launch *launch, const struct mpi_rank *me,
		    const struct mpi_command *command, int n_left, struct util_error *err)
{
	int code;

	*launch = (struct mpi_launch){.n_wanted = command->n_max};
	code = check_machine(command, err);
	if (code == MPI_SUCCESS)
		code = choose_number(launch, command, n_left, err);
	if (code == MPI_SUCCESS)
		code = read_errors(launch, command, err);
	if (code == MPI_SUCCESS)
		code = find_hosts(launch, me, command, err);
	if (code == MPI_SUCCESS && !me->pd->world->is_builtin)
		code = find_directory(launch, command, err);
	if (code == MPI_SUCCESS)
		code = find_file(launch, me, command, err);
	return code == MPI_SUCCESS ? copy_arguments(launch, command, err) : code;
}

void mpi_launch_finish(struct mpi_launch *launch)
{
	for (char **word = launch->argv; word && *word; word++)
		free(*word);
	free(launch->argv);
	free(launch->hosts);
	free(launch->directory);
	free(launch->path);
}
