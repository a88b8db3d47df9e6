/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "child.h"
#include "util/outpath.h"

/* Benchmarks of two ranks run on two nodes; those with a place on all cores of two nodes and one of
 * each other; the rest where the cluster file places them; programs one by one. */
enum { PAIRS, GROUPS, PLACED, BENCHMARK_PARTS };

static int part_of(const struct observation *observation)
{
	if (!observation->what)
		return -1;
	if (observation->place)
		return PLACED;
	return observation->what->is_pair && observation->n_ranks == 2 ? PAIRS : GROUPS;
}

/* The k-th program; NULL: there are not that many. */
static struct observation *program_of(const struct observations *observations, int k)
{
	for (int i = 0; i < observations->n; i++)
		if (!observations->list[i].what && k-- == 0)
			return &observations->list[i];
	return NULL;
}

static int n_ranks_of(const struct observations *observations, int part)
{
	int n = 0;

	for (int k = 0; k < observations->n; k++)
		if (part_of(&observations->list[k]) == part && observations->list[k].n_ranks > n)
			n = observations->list[k].n_ranks;
	return n;
}

/* --- the files --- */

enum { PATH_B = 4096 };

static const char *path_of(const struct predictor *predictor, const char *name, int slot,
			   char path[PATH_B])
{
	snprintf(path, PATH_B, "%s/%s-%d", predictor->folder, name, slot);
	return path;
}

static int write_tests(const struct predictor *predictor, int part, struct util_error *err)
{
	const struct observations *all = predictor->observations;
	char path[PATH_B];
	FILE *file = fopen(path_of(predictor, "tests", part, path), "w");

	if (!file)
		return util_error_errno(err, errno, "cannot write %s", path);
	for (int k = 0; k < all->n; k++)
		if (part_of(&all->list[k]) == part)
			fprintf(file, "%s %d %d %s\n", all->list[k].what->name, all->list[k].size_B,
				all->list[k].n_ranks, place_name(all->list[k].place));
	return fclose(file) ? util_error_errno(err, errno, "cannot write %s", path) : 0;
}

int predictor_begin(struct predictor *predictor, const struct observations *observations,
		    const char *known, const char *name, int n_jobs, struct util_error *err)
{
	*predictor = (struct predictor){.observations = observations, .known = known};
	predictor->n_jobs = n_jobs;
	while (program_of(observations, predictor->n_parts))
		predictor->n_parts++;
	predictor->n_parts += BENCHMARK_PARTS;
	if (child_find("mpisim-run", predictor->run, err) ||
	    child_find("mpisim-benchmark.simulated", predictor->bench, err) ||
	    forward_folder(predictor->folder, err))
		return err->code;
	for (int part = 0; part < BENCHMARK_PARTS; part++)
		if (write_tests(predictor, part, err))
			return err->code;
	if (shape_read(&predictor->shape, known, name, err))
		return err->code;
	for (int k = 0; k < observations->n; k++) {
		const struct observation *o = &observations->list[k];

		if (!shape_has(&predictor->shape, o->place, o->n_ranks))
			return util_error_set(err, UTIL_EINPUT,
					      "found times of %d ranks, %s, wanted --cluster FILE "
					      "with nodes and cores that have them",
					      o->n_ranks, place_name(o->place));
	}
	return 0;
}

void predictor_end(struct predictor *predictor)
{
	static const char *const names[] = {"tests", "cluster", "output", "log"};
	char path[PATH_B];

	if (!predictor->folder[0])
		return;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		for (int slot = 0; slot < PREDICT_JOBS; slot++)
			unlink(path_of(predictor, names[k], slot, path));
	rmdir(predictor->folder);
	util_output_release(predictor->folder);
}

/* --- a run --- */

struct job {
	int machine, part;
	pid_t child; /* 0: it could not be started */
};

/* What mpirun calls -np is -n here. */
static void say_program(struct child_command *command, const char *output, const char *text)
{
	char words[4096], *word, *rest;

	child_say(command, "--json=%s", output);
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		child_say(command, "%s", strcmp(word, "-np") ? word : "-n");
}

static void say_cores(struct child_command *command, const struct shape *shape)
{
	int n = shape->n_nodes, cores = shape->n_cores;

	child_say(command, "%d", n > 1 ? 2 * cores + n - 2 : cores);
	if (n > 3)
		child_say(command, "--placement=0*%d,1*%d,2-%d", cores, cores, n - 1);
	else if (n == 3)
		child_say(command, "--placement=0*%d,1*%d,2", cores, cores);
}

static void say_benchmarks(struct child_command *command, const struct predictor *predictor,
			   int part)
{
	char path[PATH_B];

	child_say(command, "--compute=modelled");
	child_say(command, "--no-alloc");
	if (part == PAIRS)
		child_say(command, "--placement=cyclic");
	child_say(command, "-n");
	if (part == PLACED)
		say_cores(command, &predictor->shape);
	else
		child_say(command, "%d", n_ranks_of(predictor->observations, part));
	child_say(command, "%s", predictor->bench);
	child_say(command, "%s", path_of(predictor, "tests", part, path));
}

static int start(struct predictor *predictor, const struct machine *machine, struct job *job,
		 int slot, struct util_error *err)
{
	struct child_command command = {0};
	char cluster[PATH_B], output[PATH_B], log[PATH_B];
	bool is_program = job->part >= BENCHMARK_PARTS;
	FILE *file = fopen(path_of(predictor, "cluster", slot, cluster), "w");
	int failed;

	if (!file)
		return util_error_errno(err, errno, "cannot write %s", cluster);
	machine_write(machine, &(struct machine_file){.known = predictor->known}, file);
	if (fclose(file))
		return util_error_errno(err, errno, "cannot write %s", cluster);
	path_of(predictor, "output", slot, output);
	child_say(&command, "%s", predictor->run);
	child_say(&command, "--quiet");
	child_say(&command, "--deterministic");
	child_say(&command, "--cluster=%s", cluster);
	if (is_program)
		say_program(
		    &command, output,
		    program_of(predictor->observations, job->part - BENCHMARK_PARTS)->command);
	else
		say_benchmarks(&command, predictor, job->part);
	failed = child_start(&command, is_program ? NULL : output,
			     path_of(predictor, "log", slot, log), &job->child, err);
	child_forget(&command);
	predictor->n_runs++;
	return failed;
}

static bool read_program_time(FILE *file, double *time_s)
{
	static const char key[] = "\"predicted_time_s\":";
	char line[65536], *found;

	while (fgets(line, sizeof(line), file))
		if ((found = strstr(line, key)))
			return sscanf(found + strlen(key), "%lf", time_s) == 1;
	return false;
}

/* Into the candidate's times; what is missing stays NAN. */
static void collect(const struct predictor *predictor, const struct job *job, int slot,
		    double *times)
{
	const struct observations *all = predictor->observations;
	char path[PATH_B];
	FILE *file = fopen(path_of(predictor, "output", slot, path), "r");

	if (!file)
		return;
	if (job->part >= BENCHMARK_PARTS)
		read_program_time(file,
				  &times[program_of(all, job->part - BENCHMARK_PARTS) - all->list]);
	for (int k = 0; k < all->n && job->part < BENCHMARK_PARTS; k++)
		if (part_of(&all->list[k]) == job->part && fscanf(file, "%lf", &times[k]) != 1)
			break;
	fclose(file);
}

static bool is_needed(const struct predictor *predictor, int part)
{
	return part >= BENCHMARK_PARTS || n_ranks_of(predictor->observations, part) > 0;
}

/* Waits for the oldest of those that run. */
static int finish(const struct predictor *predictor, const struct job *job, int slot, double *times,
		  struct util_error *err)
{
	char log[PATH_B];
	int failed = child_wait(job->child, path_of(predictor, "log", slot, log), err);

	if (!failed)
		collect(predictor, job, slot,
			times + (size_t)job->machine * (size_t)predictor->observations->n);
	return failed;
}

int predictor_run(struct predictor *predictor, const struct machine *machines, int n, double *times,
		  struct util_error *err)
{
	struct job jobs[PREDICT_JOBS];
	int begun = 0, ended = 0, failed = 0, why = 0, most = predictor->n_jobs;

	for (int k = 0; k < n * predictor->observations->n; k++)
		times[k] = NAN;
	for (int k = 0; k < n * predictor->n_parts && !why; k++) {
		struct job job = {k / predictor->n_parts, k % predictor->n_parts, 0};

		if (!is_needed(predictor, job.part))
			continue;
		if (begun - ended == most) {
			failed +=
			    finish(predictor, &jobs[ended % most], ended % most, times, err) != 0;
			ended++;
		}
		why = start(predictor, &machines[job.machine], &job, begun % most, err);
		if (!why)
			jobs[begun++ % most] = job;
	}
	for (; ended < begun; ended++)
		failed += finish(predictor, &jobs[ended % most], ended % most, times, err) != 0;
	if (why)
		return why;
	return begun > 0 && failed == begun ? err->code : 0;
}
