/* SPDX-License-Identifier: BSD-3-Clause */
/* How long processes take to start: this program, spawned by itself. */
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"

enum { TAG_HOST = 120, MOST = 4, LIMIT_S = 30 };

struct spawning {
	char command[PATH_MAX];
	MPI_Info info;
	int n;
	int most;	/* of them on one node */
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

	for (int k = 0, here = 0; k < n; k++, here = 0) {
		MPI_Recv(hosts[k], sizeof(hosts[k]), MPI_CHAR, k, TAG_HOST, children,
			 MPI_STATUS_IGNORE);
		for (int other = 0; other <= k; other++)
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
	launcher_leave(1, "\nmpisim-calibrate: MPI_Comm_spawn or MPI_Comm_disconnect does not "
			  "return; start again, without --spawn\n");
}

/* Spawning and meeting must be over in time. NAN: the library cannot. */
static double spawn(struct spawning *spawning)
{
	char *arguments[] = {SPAWN_CHILD, NULL};
	int codes[MOST], code, length;
	MPI_Comm children;
	double begin, time_s;

	if (spawning->has_clock)
		alarm(LIMIT_S);
	begin = MPI_Wtime();
	code = MPI_Comm_spawn(spawning->command, arguments, spawning->n, spawning->info, 0,
			      MPI_COMM_SELF, &children, codes);
	time_s = MPI_Wtime() - begin;
	if (code == MPI_SUCCESS) {
		spawning->most = most_on_a_node(children, spawning->n);
		MPI_Comm_disconnect(&children);
	} else {
		MPI_Error_string(code, spawning->error, &length);
		keep_last_line(spawning->error);
	}
	if (spawning->has_clock)
		alarm(0);
	return code == MPI_SUCCESS ? time_s : NAN;
}

static double measure_spawn(struct cal *cal, void *context)
{
	return cal->rank == 0 ? spawn(context) : 0;
}

/* Once, to see whether it can be done: beside rank 0, or else anywhere. Asked for more than there
 * are slots, some launchers never end. */
static double try_spawn(const struct cal *cal, struct spawning *spawning)
{
	int n_slots = universe_size();
	double time_s;

	if (n_slots > 0 && n_slots < cal->n_ranks + spawning->n) {
		snprintf(spawning->error, sizeof(spawning->error),
			 "found %d slots for %d ranks (MPI_UNIVERSE_SIZE), wanted more", n_slots,
			 cal->n_ranks);
		return NAN;
	}
	time_s = spawn(spawning);
	if (isnan(time_s) && spawning->info != MPI_INFO_NULL) {
		MPI_Info_free(&spawning->info);
		time_s = spawn(spawning);
	}
	return time_s;
}

static void prepare(const struct cal *cal, struct spawning *spawning)
{
	char *command = spawning->command;

	if (spawning->has_clock)
		signal(SIGALRM, end_run);
	if (!spawning->has_clock || readlink("/proc/self/exe", command, PATH_MAX - 1) < 0)
		snprintf(command, PATH_MAX, "%s", cal->program);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Info_create(&spawning->info);
	MPI_Info_set(spawning->info, "host", cal->host);
}

void probe_spawn(struct cal *cal, int where)
{
	struct spawning spawning = {.info = MPI_INFO_NULL, .has_clock = !cal->is_simulated};

	if (!cal->settings.spawns)
		return;
	if (cal->rank == 0)
		prepare(cal, &spawning);
	cal_group(cal, "spawned processes", 3);
	for (spawning.n = 1; spawning.n <= MOST; spawning.n *= 2) {
		if (isnan(cal_share(cal->rank == 0 ? try_spawn(cal, &spawning) : 0)))
			break;
		cal_repeat(cal, "spawn", where, spawning.n, spawning.most, measure_spawn,
			   &spawning);
	}
	if (spawning.n <= MOST)
		cal_fact(cal, "spawn_failed", "%d at once: %s", spawning.n, spawning.error);
	if (spawning.info != MPI_INFO_NULL)
		MPI_Info_free(&spawning.info);
	if (cal->rank == 0)
		MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

void probe_universe(struct cal *cal)
{
	int size = universe_size();

	if (size > 0)
		cal_fact(cal, "universe_size", "%d", size);
}
