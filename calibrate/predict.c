/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Benchmarks of two ranks run on two nodes; those with a place on all cores of two nodes and one of
 * each other; the rest where the cluster file places them; programs one by one. */
enum part { PAIRS, GROUPS, PLACED, PROGRAM };

static enum part part_of(const struct observation *observation)
{
	if (!observation->what)
		return PROGRAM;
	if (observation->place)
		return PLACED;
	return observation->what->is_pair && observation->n_ranks == 2 ? PAIRS : GROUPS;
}

static bool is_same_run(const struct observation *a, const struct observation *b)
{
	return a == b || (part_of(a) == part_of(b) && part_of(a) != PROGRAM);
}

static int find_runs(struct predictor *predictor, struct util_error *err)
{
	const struct observations *all = predictor->observations;
	int *n = &predictor->forward.n_parts;

	predictor->first = calloc((size_t)all->n + 1, sizeof(const struct observation *));
	if (!predictor->first)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int k = 0, part; k < all->n; k++) {
		for (part = 0; part < *n; part++)
			if (is_same_run(predictor->first[part], &all->list[k]))
				break;
		if (part == *n)
			predictor->first[(*n)++] = &all->list[k];
	}
	return 0;
}

/* --- what is run --- */

/* What mpirun calls -np is -n here. */
static void say_program(struct forward_run *run, const char *text)
{
	char words[4096], *word, *rest;

	child_say(&run->command, "--json=%s/output.json", run->folder);
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		child_say(&run->command, "%s", strcmp(word, "-np") ? word : "-n");
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

/* How many ranks the tests need. */
static int write_tests(const struct predictor *predictor, int part, struct forward_run *run)
{
	const struct observations *all = predictor->observations;
	FILE *file = forward_open(run, "tests.txt", "w");
	int n_ranks = 0;

	for (int k = 0; k < all->n && file; k++) {
		const struct observation *o = &all->list[k];

		if (!is_same_run(predictor->first[part], o))
			continue;
		fprintf(file, "%s %d %d %s\n", o->what->name, o->size_B, o->n_ranks,
			place_name(o->place));
		n_ranks = o->n_ranks > n_ranks ? o->n_ranks : n_ranks;
	}
	if (file && fclose(file))
		util_error_set(&run->err, UTIL_ESYSTEM, "cannot write in %s", run->folder);
	return n_ranks;
}

static void say(void *context, int part, struct forward_run *run)
{
	const struct predictor *predictor = context;
	const struct observation *first = predictor->first[part];
	struct child_command *command = &run->command;
	int n_ranks;

	if (part_of(first) == PROGRAM) {
		say_program(run, first->command);
		return;
	}
	n_ranks = write_tests(predictor, part, run);
	child_say(command, "--compute=modelled");
	child_say(command, "--no-alloc");
	if (part_of(first) == PAIRS)
		child_say(command, "--placement=cyclic");
	child_say(command, "-n");
	if (part_of(first) == PLACED)
		say_cores(command, &predictor->shape);
	else
		child_say(command, "%d", n_ranks);
	forward_say_program(run, "mpisim-benchmark.simulated");
	child_say(command, "%s/tests.txt", run->folder);
}

/* --- what it says --- */

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
static void collect(void *context, int machine, int part, struct forward_run *run)
{
	const struct predictor *predictor = context;
	const struct observations *all = predictor->observations;
	const struct observation *first = predictor->first[part];
	bool is_program = part_of(first) == PROGRAM;
	double *times = predictor->times + (ptrdiff_t)machine * all->n;
	FILE *file = forward_open(run, is_program ? "output.json" : "output.txt", "r");

	if (!file)
		return;
	if (is_program)
		read_program_time(file, &times[first - all->list]);
	for (int k = 0; k < all->n && !is_program; k++)
		if (is_same_run(first, &all->list[k]) && fscanf(file, "%lf", &times[k]) != 1)
			break;
	fclose(file);
}

int predictor_begin(struct predictor *predictor, const struct observations *observations,
		    const char *known, const char *name, int n_jobs, struct util_error *err)
{
	*predictor = (struct predictor){.observations = observations,
					.forward = {.known = known,
						    .what = "times",
						    .n_jobs = n_jobs,
						    .say = say,
						    .read = collect,
						    .context = predictor}};
	if (find_runs(predictor, err) || shape_read(&predictor->shape, known, name, err))
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

int predictor_run(struct predictor *predictor, const struct machine *machines, int n, double *times,
		  struct util_error *err)
{
	for (int k = 0; k < n * predictor->observations->n; k++)
		times[k] = NAN;
	predictor->times = times;
	return forward(&predictor->forward, machines, n, err);
}

void predictor_end(struct predictor *predictor)
{
	free(predictor->first);
}
