/* SPDX-License-Identifier: BSD-3-Clause */
/* How long processes take to start: this program, spawned by itself. */
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"

enum { TAG_HOST = 120, MOST = 4, LIMIT_S = 30 };

struct spawning {
	char *command;
	MPI_Info info;
	int n;
	int most; /* of them on one node */
	bool has_clock; /* real time passes: it can be too long */
	char error[MPI_MAX_ERROR_STRING];
};

/* 0: the library does not say. */
static int universe_size(void)
{
	int *size, is_set;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size, &is_set);
	return is_set && *size > 0 ? *size : 0;
}

bool spawn_is_child(int argc, char **argv)
{
	MPI_Comm parent;

	if (argc != 2 || strcmp(argv[1], SPAWN_CHILD) != 0)
		return false;
	MPI_Comm_get_parent(&parent);
	return parent != MPI_COMM_NULL;
}

void spawn_child(void)
{
	char host[MPI_MAX_PROCESSOR_NAME] = "";
	MPI_Comm parent;
	int length;

	MPI_Comm_get_parent(&parent);
	MPI_Get_processor_name(host, &length);
	MPI_Send(host, sizeof(host), MPI_CHAR, 0, TAG_HOST, parent);
	MPI_Comm_disconnect(&parent);
}

/* Hears from all children where they are. */
static int most_on_a_node(MPI_Comm children, int n)
{
	char hosts[MOST][MPI_MAX_PROCESSOR_NAME];
	int most = 0;

	for (int k = 0; k < n; k++)
		MPI_Recv(hosts[k], sizeof(hosts[k]), MPI_CHAR, k, TAG_HOST, children,
			 MPI_STATUS_IGNORE);
	for (int k = 0; k < n; k++) {
		int here = 0;

		for (int other = 0; other < n; other++)
			here += strcmp(hosts[k], hosts[other]) == 0;
		most = here > most ? here : most;
	}
	return most;
}

/* Libraries print a stack there; what comes last is what happened. */
static void keep_last_line(char *text)
{
	char *last;

	while ((last = strrchr(text, '\n')) && !last[1])
		*last = '\0';
	if (last)
		memmove(text, last + 1, strlen(last));
}

/* Some launchers lose a process that starts; then all would wait for it for ever. */
static void end_run(int number)
{
	static const char text[] =
	    "\nmpisim-calibrate: MPI_Comm_spawn or MPI_Comm_disconnect does not "
	    "return; start again, without --spawn\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

/* Spawning and meeting must be over then; 0: they are. */
static void limit_time(const struct spawning *probe, unsigned seconds)
{
	if (probe->has_clock)
		alarm(seconds);
}

/* NAN: the library cannot. */
static double spawn(struct spawning *probe)
{
	char *arguments[] = {SPAWN_CHILD, NULL};
	int codes[MOST], code, length;
	MPI_Comm children;
	double begin, time_s;

	limit_time(probe, LIMIT_S);
	begin = MPI_Wtime();
	code = MPI_Comm_spawn(probe->command, arguments, probe->n, probe->info, 0, MPI_COMM_SELF,
			      &children, codes);
	time_s = MPI_Wtime() - begin;
	if (code != MPI_SUCCESS) {
		limit_time(probe, 0);
		MPI_Error_string(code, probe->error, &length);
		keep_last_line(probe->error);
		return NAN;
	}
	probe->most = most_on_a_node(children, probe->n);
	MPI_Comm_disconnect(&children);
	limit_time(probe, 0);
	return time_s;
}

static double measure_spawn(struct cal *cal, void *context)
{
	return cal->rank == 0 ? spawn(context) : 0;
}

/* Asked for more than there are slots, some launchers never end. */
static bool has_room(const struct cal *cal, struct spawning *probe)
{
	int n = universe_size();

	if (n == 0 || n >= cal->n_ranks + probe->n)
		return true;
	snprintf(probe->error, sizeof(probe->error),
		 "found %d slots for %d ranks (MPI_UNIVERSE_SIZE), wanted more", n, cal->n_ranks);
	return false;
}

/* Once, to see whether it can be done: beside rank 0, or else anywhere. */
static double try_spawn(const struct cal *cal, struct spawning *probe)
{
	double time_s;

	if (!has_room(cal, probe))
		return NAN;
	time_s = spawn(probe);
	if (isnan(time_s) && probe->info != MPI_INFO_NULL) {
		MPI_Info_free(&probe->info);
		time_s = spawn(probe);
	}
	return time_s;
}

static void name_command(const struct cal *cal, struct spawning *probe)
{
	static char path[PATH_MAX];
	ssize_t length = -1;

	probe->command = cal->program;
	if (!cal->is_simulated)
		length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length > 0)
		probe->command = path;
}

void probe_spawn(struct cal *cal)
{
	struct spawning probe = {.info = MPI_INFO_NULL, .has_clock = !cal->is_simulated};

	if (!cal->settings.spawns)
		return;
	name_command(cal, &probe);
	if (cal->rank == 0) {
		if (probe.has_clock)
			signal(SIGALRM, end_run);
		MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
		MPI_Info_create(&probe.info);
		MPI_Info_set(probe.info, "host", cal->host);
	}
	cal->until = 1;
	cal_group(cal, "spawned processes", 3);
	for (probe.n = 1; probe.n <= MOST; probe.n *= 2) {
		if (isnan(cal_share(cal->rank == 0 ? try_spawn(cal, &probe) : 0)))
			break;
		cal_repeat(cal, "spawn", WITHIN_NODE, probe.n, probe.most, measure_spawn, &probe);
	}
	if (cal->rank != 0)
		return;
	if (probe.n <= MOST)
		samples_fact(&cal->samples, "spawn_failed", "%d at once: %s", probe.n, probe.error);
	if (probe.info != MPI_INFO_NULL)
		MPI_Info_free(&probe.info);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

void probe_universe(struct cal *cal)
{
	int size = universe_size();

	if (size > 0 && cal->rank == 0)
		samples_fact(&cal->samples, "universe_size", "%d", size);
}
