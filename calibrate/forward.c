/* SPDX-License-Identifier: BSD-3-Clause */
/* The forward model of a calibration: the simulated calibration, run on a cluster file by the
 * mpisim-run that lies beside this program. A process of its own, so that no library of this one
 * meets the simulator's. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 40, ARGUMENT_B = 4200 };
static const int LIMIT_S = 120;

struct command {
	int n;
	char *arguments[MOST_ARGUMENTS + 1]; /* NULL behind the last */
	bool is_short;			     /* no memory, or no room */
};

static void say(struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct command *command, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (command->n == MOST_ARGUMENTS || vasprintf(&text, format, args) < 0)
		command->is_short = true;
	else
		command->arguments[command->n++] = text;
	va_end(args);
}

static void forget(struct command *command)
{
	for (int k = 0; k < command->n; k++)
		free(command->arguments[k]);
}

/* --- where the programs are --- */

/* Beside this program, as installed, or in the folder of all tools, as built. */
static int find_program(const char *name, char path[PATH_MAX], struct util_error *err)
{
	static const char *const places[] = {"%.*s/%s", "%.*s/../bin/%s"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	while (length > 0 && self[length - 1] != '/')
		length--;
	for (size_t k = 0; k < sizeof(places) / sizeof(places[0]) && length > 1; k++) {
		int n = snprintf(path, PATH_MAX, places[k], (int)length - 1, self, name);

		if (n < PATH_MAX && access(path, X_OK) == 0)
			return 0;
	}
	return util_error_set(err, UTIL_ESYSTEM, "there is no %s beside this program", name);
}

/* --- what they are told --- */

static const char *fact_or(const struct samples *samples, const char *name, const char *otherwise)
{
	const char *text = samples_get_fact(samples, name, 0);

	return text ? text : otherwise;
}

static int64_t largest(const struct samples *samples, const char *name)
{
	int64_t most = -1;

	for (size_t i = 0; i < samples->n; i++)
		if (!strcmp(samples->list[i].key.name, name) && samples->list[i].key.x > most)
			most = samples->list[i].key.x;
	return most;
}

static bool has_probe(const struct samples *samples, const char *beginning)
{
	for (size_t i = 0; i < samples->n; i++)
		if (!strncmp(samples->list[i].key.name, beginning, strlen(beginning)))
			return true;
	return false;
}

/* The ranks of each node, as the samples name their hosts; files without them have a rank a node,
 * and the others on the first. */
static void say_places(struct command *command, const struct samples *samples)
{
	int n_nodes = atoi(fact_or(samples, "nodes", "1")),
	    n_ranks = atoi(fact_or(samples, "ranks", "2")), left = n_ranks - n_nodes;
	char text[ARGUMENT_B] = "";
	size_t at = 0;

	for (int node = 0; node < n_nodes && at < sizeof(text) - 32; node++) {
		const char *host = samples_get_fact(samples, "host", node),
			   *count = host ? strrchr(host, ',') : NULL;
		int here = count ? atoi(count + 1) : 1 + (node == 0 ? left : 0);

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d*%d", node ? "," : "",
				       node, here < 1 ? 1 : here);
	}
	command->is_short |= at >= sizeof(text) - 32;
	say(command, "--set");
	say(command, "nodes=%d", n_nodes);
	say(command, "--set");
	say(command, "run.placement=\"%s\"", text);
	say(command, "-n");
	say(command, "%d", n_ranks);
}

static void say_probes(struct command *command, const struct samples *samples)
{
	long long most_B = largest(samples, "one_way");
	int64_t n_transfers = largest(samples, "compute_speed");

	/* as long as the other one: windows grow by what a connection has carried before */
	say(command, "--budget=%ss", fact_or(samples, "budget_s", "300"));
	say(command, "--max-size=%lldB", most_B < 1024 ? 1024 : most_B);
	say(command, "--window=%ss", fact_or(samples, "window_s", "0.05"));
	if (samples_get_fact(samples, "cpus", 0))
		say(command, "--cores=%s", samples_get_fact(samples, "cpus", 0));
	if (n_transfers > 0)
		say(command, "--transfers=%lld", (long long)n_transfers);
	if (has_probe(samples, "spawn"))
		say(command, "--spawn");
}

static int make_command(struct command *command, const struct samples *samples, const char *cluster,
			const char *folder, struct util_error *err)
{
	char run[PATH_MAX], program[PATH_MAX];

	if (find_program("mpisim-run", run, err) ||
	    find_program("mpisim-calibrate.simulated", program, err))
		return err->code;
	say(command, "%s", run);
	say(command, "--quiet");
	say(command, "--deterministic"); /* the probes repeat by themselves */
	say(command, "--compute=modelled");
	say(command, "--no-alloc");
	say(command, "--cluster=%s", cluster);
	say_places(command, samples);
	say(command, "%s", program);
	say_probes(command, samples);
	if (has_probe(samples, "storage_latency"))
		say(command, "--storage=%s", folder);
	say(command, "--samples=%s/samples.csv", folder);
	if (command->is_short)
		return util_error_set(err, UTIL_ESYSTEM, "out of memory, or too many nodes");
	return 0;
}

/* --- the process --- */

/* What a launcher, a preloaded library or annotations under a real MPI are told is not meant for
 * the simulator. */
static bool is_foreign(const char *variable)
{
	static const char *const names[] = {"LD_PRELOAD=", "OMPI_", "PMI",   "PMIX",
					    "MPI",	   "HYDRA", "HYDI_", "MPISIM_"};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (!strncmp(variable, names[k], strlen(names[k])))
			return true;
	return false;
}

static char **plain_environment(void)
{
	size_t n = 0, kept = 0;
	char **list;

	while (environ[n])
		n++;
	list = calloc(n + 1, sizeof(*list));
	for (size_t k = 0; list && k < n; k++)
		if (!is_foreign(environ[k]))
			list[kept++] = environ[k];
	return list;
}

/* Ranks may run in real time; the simulator computes and waits for nobody. */
static int start(char *const arguments[], const char *log, pid_t *child)
{
	struct sched_param plain = {0};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	char **environment = plain_environment();
	int failed = environment ? 0 : ENOMEM;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	posix_spawnattr_init(&how);
	posix_spawnattr_setschedpolicy(&how, SCHED_OTHER);
	posix_spawnattr_setschedparam(&how, &plain);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSCHEDULER);
	if (!failed)
		failed = posix_spawn(child, arguments[0], &files, &how, arguments, environment);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	free(environment);
	return failed;
}

/* The exit status; -1: it took too long and was ended. */
static int wait_for(pid_t child)
{
	struct timespec nap = {0, 5000000};
	time_t end = time(NULL) + LIMIT_S;
	int status;

	while (waitpid(child, &status, WNOHANG) != child) {
		if (time(NULL) > end) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			return -1;
		}
		nanosleep(&nap, NULL);
	}
	return status;
}

static int refuse(const char *log, int status, struct util_error *err)
{
	char line[512] = "";
	FILE *file = fopen(log, "r");

	if (status == -1)
		util_error_set(err, UTIL_ESYSTEM, "simulating its probes took longer than %d s",
			       LIMIT_S);
	else if (file && fgets(line, sizeof(line), file) && line[strcspn(line, "\n")])
		line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
	if (status != -1)
		util_error_set(err, UTIL_EINPUT, "its probes cannot be simulated: %s",
			       line[0] ? line : "mpisim-run ended with an error");
	return err->code;
}

static int simulate(const struct samples *measured, const char *cluster, const char *folder,
		    struct samples *predicted, struct util_error *err)
{
	char log[PATH_MAX], path[PATH_MAX], error[SAMPLES_ERROR_B];
	struct command command = {0};
	int failed = make_command(&command, measured, cluster, folder, err), status;
	pid_t child;

	snprintf(log, sizeof(log), "%s/log.txt", folder);
	snprintf(path, sizeof(path), "%s/samples.csv", folder);
	if (!failed && (status = start(command.arguments, log, &child)))
		failed = util_error_errno(err, status, "%s", command.arguments[0]);
	else if (!failed && (status = wait_for(child)))
		failed = refuse(log, status, err);
	forget(&command);
	if (!failed && samples_read(predicted, path, error) < 0)
		failed = util_error_set(err, UTIL_ESYSTEM, "%s", error);
	unlink(log);
	unlink(path);
	return failed;
}

int forward_folder(char folder[FORWARD_FOLDER_B], struct util_error *err)
{
	const char *place = getenv("TMPDIR");

	snprintf(folder, FORWARD_FOLDER_B, "%s/mpisim-calibrate.XXXXXX",
		 place && *place ? place : "/tmp");
	return mkdtemp(folder) ? 0 : util_error_errno(err, errno, "cannot make %s", folder);
}

/* The probes on that cluster file; *predicted is the caller's, to be finished. 0 or negative: the
 * simulator is not there, or refuses. */
static int run_probes(const struct samples *measured, const char *cluster,
		      struct samples *predicted, struct util_error *err)
{
	char folder[FORWARD_FOLDER_B];
	int failed = forward_folder(folder, err);

	if (failed)
		return failed;
	failed = simulate(measured, cluster, folder, predicted, err);
	rmdir(folder);
	return failed;
}

void check_file(const struct samples *measured, const char *cluster, struct check *check)
{
	struct samples predicted = {0};
	struct util_error err;

	*check = (struct check){0};
	if (run_probes(measured, cluster, &predicted, &err)) {
		snprintf(check->why_not, sizeof(check->why_not), "%.1000s", err.text);
		return;
	}
	if (check_compare(measured, &predicted, check) < 0)
		snprintf(check->why_not, sizeof(check->why_not), "out of memory");
	samples_finish(&predicted);
}
