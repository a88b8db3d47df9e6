// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/failure.h"

#include <stdlib.h>
#include <string.h>

#include "tools/run/deadlock.h"
#include "util/units.h"

/* Beyond this, blocked ranks are shown in groups that stand at the same call. */
#define MAX_SINGLE_RANKS 24
#define MAX_GROUPS 24
#define MAX_CYCLE 16

static const char *const kind_names[] = {
	[PD_FAILURE_NONE] = "none",
	[PD_FAILURE_DEADLOCK] = "deadlock",
	[PD_FAILURE_ABORT] = "abort",
	[PD_FAILURE_MPI_ERROR] = "mpi_error",
	[PD_FAILURE_UNSUPPORTED] = "unsupported",
	[PD_FAILURE_CRASH] = "crash",
	[PD_FAILURE_OVERFLOW] = "stack_overflow",
	[PD_FAILURE_ANNOTATION] = "annotation",
	[PD_FAILURE_MEMORY] = "out_of_memory",
};

const char *run_site(const struct run *run, struct run_strings *sites, const void *site)
{
	char text[512];

	if (!site)
		return NULL;
	pd_describe_site(run->world, site, text, sizeof text);
	/* Each rank may have its own copy of the code, so that equal places differ as addresses. */
	for (int i = 0; i < sites->n; i++)
		if (strcmp(sites->items[i], text) == 0)
			return sites->items[i];
	return run_strings_add(sites, "%s", text);
}

/* The wait-for graph of the ranks, as far as the MPI layer knows it. */
static struct run_waits *collect_waits(const struct run *run, struct run_failure *out)
{
	int n = run->world->n_ranks;
	struct run_waits *waits = calloc((size_t)n, sizeof *waits);

	if (!waits)
		return NULL;
	for (int rank = 0; rank < n; rank++)
		waits[rank].state = RUN_ENDED;
	for (int i = 0; i < out->description.n_blocked; i++) {
		const struct trace_blocked *blocked = &out->blocked[i];

		waits[blocked->rank] = (struct run_waits){
			.state = RUN_BLOCKED,
			.any = blocked->waits_for_any,
			.peers = blocked->waits_for,
			.n_peers = blocked->waits_for_anyone ? n : blocked->n_waits_for,
		};
	}
	return waits;
}

static void find_cycle(const struct run *run, struct run_failure *out)
{
	struct run_waits *waits = collect_waits(run, out);
	int n_cycle;

	out->cycle = calloc((size_t)run->world->n_ranks, sizeof *out->cycle);
	if (waits && out->cycle) {
		n_cycle = run_find_cycle(run->world->n_ranks, waits, out->cycle);
		out->description.cycle = out->cycle;
		out->description.n_cycle = n_cycle > 0 ? n_cycle : 0;
	}
	free(waits);
}

void run_blocked_describe(const struct run *run, struct run_failure *out)
{
	const struct pd_world *world = run->world;
	int n = 0;

	out->blocked = calloc((size_t)world->n_ranks, sizeof *out->blocked);
	out->peers = calloc((size_t)world->n_ranks, sizeof *out->peers);
	if (!out->blocked || !out->peers)
		return;
	for (int rank = 0; rank < world->n_ranks; rank++) {
		const struct pd_rank *pd = &world->ranks[rank];
		struct trace_blocked *blocked = &out->blocked[n];

		if (pd->has_ended || !pd->task.engine) /* a job that has not begun has no tasks */
			continue;
		*blocked = (struct trace_blocked){
			.rank = rank,
			.function = pd->function,
			.site = run_site(run, &out->sites, pd->site),
		};
		run_waits_describe(run, rank, &out->strings, blocked, &out->peers[n]);
		n++;
	}
	out->description.blocked = out->blocked;
	out->description.n_blocked = n;
}

/* Ranks are numbered over all jobs. */
static const char *name_job(const struct run *run, const struct pd_failure *failure,
			    struct run_strings *strings)
{
	const struct pd_program *program = run->world->ranks[failure->rank].program;

	return run_strings_add(strings, "%s: rank %d of job \"%s\"", failure->text,
			       failure->rank - program->first_rank, program->config.name);
}

void run_failure_describe(const struct run *run, struct run_failure *out)
{
	const struct pd_failure *failure = &run->world->failure;

	*out = (struct run_failure){
		.description =
			{
				.kind = kind_names[failure->kind],
				.rank = failure->rank,
				.function = failure->function,
				.time_s = sim_time_to_s(failure->time),
				.text = failure->text,
			},
	};
	out->description.site = run_site(run, &out->sites, failure->site);
	if (failure->rank >= 0 && run->world->ranks[failure->rank].program->config.name)
		out->description.text = name_job(run, failure, &out->strings);
	if (failure->kind == PD_FAILURE_DEADLOCK) {
		run_blocked_describe(run, out);
		find_cycle(run, out);
	}
}

void run_failure_finish(struct run_failure *failure)
{
	for (int i = 0; failure->peers && i < failure->description.n_blocked; i++)
		free(failure->peers[i]);
	free(failure->peers);
	free(failure->blocked);
	free(failure->cycle);
	run_strings_finish(&failure->strings);
	run_strings_finish(&failure->sites);
}

static void print_place(const char *function, const char *site, FILE *file)
{
	fprintf(file, "%s", function ? function : "the program's own code");
	if (site)
		fprintf(file, " at %s", site);
}

static void print_single(const struct trace_failure *failure, FILE *file)
{
	for (int i = 0; i < failure->n_blocked; i++) {
		const struct trace_blocked *blocked = &failure->blocked[i];

		fprintf(file, "  rank %d: ", blocked->rank);
		print_place(blocked->function, blocked->site, file);
		fprintf(file, "%s%s\n", blocked->text ? ": " : "",
			blocked->text ? blocked->text : "");
	}
}

static bool same_place(const struct trace_blocked *a, const struct trace_blocked *b)
{
	return a->function == b->function && a->site == b->site;
}

/* Prints all ranks that stand where blocked[first] does. `ranks`: room for n_blocked. Returns false
 * when an earlier one printed them already. */
static bool print_group(const struct trace_failure *failure, int first, int ranks[], FILE *file)
{
	const struct trace_blocked *blocked = failure->blocked;
	char list[128];
	int n = 0;

	for (int i = 0; i < first; i++)
		if (same_place(&blocked[i], &blocked[first]))
			return false;
	for (int i = first; i < failure->n_blocked; i++)
		if (same_place(&blocked[i], &blocked[first]))
			ranks[n++] = blocked[i].rank;
	run_format_ranks(list, sizeof list, ranks, n);
	fprintf(file, "  %d rank%s (%s): ", n, n == 1 ? "" : "s", list);
	print_place(blocked[first].function, blocked[first].site, file);
	if (blocked[first].text)
		fprintf(file, "; rank %d: %s", blocked[first].rank, blocked[first].text);
	fputc('\n', file);
	return true;
}

static void print_groups(const struct trace_failure *failure, FILE *file)
{
	int *ranks = calloc((size_t)failure->n_blocked, sizeof *ranks);
	int n_groups = 0;

	for (int i = 0; ranks && i < failure->n_blocked && n_groups < MAX_GROUPS; i++)
		n_groups += print_group(failure, i, ranks, file);
	if (n_groups == MAX_GROUPS)
		fprintf(file, "  … (--json lists every rank)\n");
	free(ranks);
}

static void print_cycle(const struct trace_failure *failure, FILE *file)
{
	int n = failure->n_cycle;

	if (n == 0)
		return;
	fprintf(file, "  cycle: rank %d", failure->cycle[0]);
	for (int i = 1; i < n && i < MAX_CYCLE; i++)
		fprintf(file, " waits for %d, which", failure->cycle[i]);
	if (n > MAX_CYCLE)
		fprintf(file, " … (%d ranks in all)", n);
	fprintf(file, " waits for %d\n", failure->cycle[0]);
}

void run_blocked_print(const struct trace_failure *failure, FILE *file)
{
	if (failure->n_blocked > MAX_SINGLE_RANKS)
		print_groups(failure, file);
	else
		print_single(failure, file);
}

void run_failure_print(const struct run_failure *run_failure, const char *tool, FILE *file)
{
	const struct trace_failure *failure = &run_failure->description;
	char time[32];

	fprintf(file, "%s: ", tool);
	if (failure->rank >= 0)
		fprintf(file, "rank %d: ", failure->rank);
	if (failure->function || failure->site) {
		print_place(failure->function, failure->site, file);
		fprintf(file, ": ");
	}
	if (failure->n_blocked > 0)
		fprintf(file, "deadlock: ");
	util_format_time(time, sizeof time, failure->time_s);
	fprintf(file, "%s (at %s of simulated time)\n", failure->text, time);
	run_blocked_print(failure, file);
	print_cycle(failure, file);
}
