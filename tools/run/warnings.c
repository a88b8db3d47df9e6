/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user should know of a run beyond its result. */
#include <stdlib.h>
#include <string.h>

#include "mpi/env/leaks.h"
#include "mpi/verify/verify.h"
#include "pdexec/blas.h"
#include "pdexec/private.h"
#include "pdexec/process.h"
#include "pdexec/store.h"
#include "pdexec/threads.h"
#include "tools/run/failure.h"
#include "tools/run/run.h"
#include "util/units.h"

#define NEGLIGIBLE_S 1e-3      /* of a rank's threads … */
#define NEGLIGIBLE_SHARE 0.01 /* … and of the predicted time */

/* The first one says how to be rid of them. */
static void warn_leak(const struct mpi_leak *leak, const char *site, uint64_t count, int first_rank,
		      bool is_first, struct run_strings *warnings)
{
	run_strings_add(warnings, "at MPI_Finalize: %s%s%s%s%s (%llu in all, first on rank %d)%s",
			leak->what, leak->function ? ", made by " : "",
			leak->function ? leak->function : "", site ? " at " : "", site ? site : "",
			(unsigned long long)count, first_rank,
			is_first ? "; --ignore-leaks leaves such warnings out" : "");
}

/* Entries of the same place are one: they differ where each rank has its own copy of the code. */
static void warn_leaks(const struct run *run, struct run_strings *warnings)
{
	const struct mpi_leaks *leaks = run->mpi->leaks;
	int n = leaks ? leaks->n : 0;
	struct run_strings texts = {.items = NULL};
	const char **sites = calloc((size_t)n + 1, sizeof *sites);

	for (int i = 0; sites && i < n; i++)
		sites[i] = run_site(run, &texts, leaks->entries[i].site);
	for (int i = 0; sites && i < n; i++) {
		const struct mpi_leak *first = &leaks->entries[i];
		uint64_t count = 0;
		int lowest = first->first_rank;
		bool is_new = true;

		for (int j = 0; j < n && is_new; j++) {
			const struct mpi_leak *other = &leaks->entries[j];

			if (sites[j] != sites[i] || other->function != first->function ||
			    strcmp(other->what, first->what) != 0)
				continue;
			is_new = is_new && j >= i;
			count += other->count;
			lowest = other->first_rank < lowest ? other->first_rank : lowest;
		}
		if (is_new)
			warn_leak(first, sites[i], count, lowest, i == 0, warnings);
	}
	free(sites);
	run_strings_finish(&texts);
}

/* Ranks that returned `code`, first of them `first`. */
static void warn_exit_code(const struct run *run, int first, int ranks[],
			   struct run_strings *warnings)
{
	const struct pd_rank *all = run->world->ranks;
	char list[128];
	int n = 0;

	for (int rank = 0; rank < run->world->n_ranks; rank++) {
		if (!all[rank].has_ended || all[rank].exit_code != all[first].exit_code)
			continue;
		if (rank < first)
			return; /* said already */
		ranks[n++] = rank;
	}
	run_format_ranks(list, sizeof list, ranks, n);
	run_strings_add(warnings, "rank%s %s returned exit code %d", n == 1 ? "" : "s", list,
			all[first].exit_code);
}

int run_warn_exit_codes(const struct run *run, struct run_strings *warnings)
{
	int n_ranks = run->world->n_ranks, n_bad = 0;
	int *ranks = calloc((size_t)n_ranks, sizeof *ranks);

	for (int rank = 0; ranks && rank < n_ranks; rank++) {
		const struct pd_rank *pd = &run->world->ranks[rank];

		if (!pd->has_ended || pd->exit_code == 0)
			continue;
		n_bad++;
		warn_exit_code(run, rank, ranks, warnings);
	}
	free(ranks);
	return n_bad;
}

static void warn_model(const struct run *run, struct run_strings *warnings)
{
	struct net_stats stats = net_model_stats(run->world->model);
	const struct trace_summary *summary = run->summary;

	if (stats.n_algorithm1_infeasible > 0)
		run_strings_add(warnings,
				"Algorithm 1 was not feasible at %llu instants, where "
				"max-min shares replaced it: the prediction mixes both "
				"(--set network.model=fluid shows how far apart they are)",
				(unsigned long long)stats.n_algorithm1_infeasible);
	if (summary->n_phases_dropped > 0)
		run_strings_add(
		    warnings,
		    "only the first %d phases are listed; %llu begins of later ones are not",
		    TRACE_MAX_PHASES, (unsigned long long)summary->n_phases_dropped);
	if (summary->out_of_memory)
		run_strings_add(
		    warnings, "memory ran out while the run was recorded: some sums are too small");
}

static bool has_called(const struct run *run)
{
	for (int rank = 0; rank < run->world->n_ranks; rank++)
		if (run->mpi->ranks[rank].n_opened > 0)
			return true;
	return false;
}

/* A program that is no MPI program runs as often as asked, which is seldom meant. */
static void warn_no_mpi(const struct run *run, struct run_strings *warnings)
{
	if (run->world->failure.kind != PD_FAILURE_NONE || run->signal || has_called(run))
		return;
	run_strings_add(warnings, "no rank called MPI_Init: is %s the MPI program?",
			run->programs[0].argv[0]);
}

static void warn_unfinalized(const struct run *run, struct run_strings *warnings)
{
	const struct mpi_world *mpi = run->mpi;
	const char *library = pd_private_unused(run->world->private);

	if (mpi->n_unfinalized > 0)
		run_strings_add(
		    warnings, "%d rank%s ended without calling MPI_Finalize, first of them rank %d",
		    mpi->n_unfinalized, mpi->n_unfinalized == 1 ? "" : "s", mpi->first_unfinalized);
	if (library)
		run_strings_add(warnings, "--private-lib: no library \"%s\" was loaded", library);
}

/* What one rank left in it, another may have stumbled over. */
static void warn_shared_library(const struct run *run, struct run_strings *warnings)
{
	enum pd_failure_kind kind = run->world->failure.kind;
	const char *path = pd_private_first_doubtful(run->world->private);

	if (path && run->world->n_ranks > 1 && (kind == PD_FAILURE_CRASH || kind == PD_FAILURE_ABORT))
		run_strings_add(warnings,
				"all ranks share the variables of %s: if the program keeps state in "
				"them, give each rank its own with --private-lib %s",
				path, strrchr(path, '/') + 1);
}

/* A timer of the host. */
static void warn_timer(const struct run *run, struct run_strings *warnings)
{
	const struct pd_timer *timer = &run->world->timer;
	struct run_strings texts = {.items = NULL};
	const char *site;

	if (!timer->function)
		return;
	site = run_site(run, &texts, timer->site);
	run_strings_add(warnings,
			"rank %d called %s%s%s: such timers go by the time of this machine, so what "
			"they do depends on how long simulating takes",
			timer->rank, timer->function, site ? " at " : "", site ? site : "");
	run_strings_finish(&texts);
}

/* A file of --bench that changed nothing is a mistake: a program without annotations, or --bench
 * for --blas-model. With
 * --contention its contention counts. */
static void warn_unused_bench(const struct run *run, struct run_strings *warnings)
{
	const struct run_options *o = &run->options;

	if (!o->bench_in || o->contention || run->signal ||
	    run->world->failure.kind != PD_FAILURE_NONE)
		return;
	for (int i = 0; i < run->world->n_programs; i++)
		if (pd_store_has_told(run->world->programs[i].store))
			return;
	run_strings_add(
	    warnings,
	    "--bench %s changed nothing: no kernel was begun whose time it has. Kernels are what "
	    "annotations of the "
	    "program name (mpisim.h)%s",
	    o->bench_in,
	    o->is_replay || o->blas_model
		? ""
		: "; for the calls of BLAS of a program without them it is --blas-model FILE");
}

/* A process of its own. */
static void warn_child(const struct run *run, struct run_strings *warnings)
{
	for (int rank = 0; rank < run->world->n_ranks; rank++) {
		const struct pd_process *process = run->world->ranks[rank].process;
		struct run_strings texts = {.items = NULL};
		const char *site;

		if (!process || !process->child_function)
			continue;
		site = run_site(run, &texts, process->child_site);
		run_strings_add(warnings,
				"rank %d started a process (%s%s%s): what such processes compute is "
				"not in the prediction",
				rank, process->child_function, site ? " at " : "", site ? site : "");
		run_strings_finish(&texts);
		return;
	}
}

/* Threads that compute beside MPI calls and that nobody joins or is woken by. */
static void warn_threads(const struct run *run, struct run_strings *warnings)
{
	const struct pd_world *world = run->world;
	double total_s = sim_time_to_s(run->summary->end), lost_s = 0;
	bool has_threads = false;
	int n = 0, first = -1;
	char time[32];

	for (int rank = 0; rank < world->n_ranks; rank++) {
		const struct pd_threads *threads = world->ranks[rank].threads;
		double rank_s = threads ? threads->lost_s : 0;

		has_threads |= threads != NULL;
		if (rank_s < NEGLIGIBLE_S || rank_s < NEGLIGIBLE_SHARE * total_s)
			continue;
		first = n++ ? first : rank;
		lost_s = rank_s > lost_s ? rank_s : lost_s;
	}
	if (world->config.mode == PD_COMPUTE_MODELLED)
		return;
	if (has_threads)
		run_strings_add(warnings,
				"ranks computed with threads: the efficiency and the times of ranks count "
				"each rank as one core");
	if (pd_threads_of_libraries() > 0)
		run_strings_add(warnings,
				"libraries started threads when they were loaded (%d): what these "
				"compute is not in the prediction",
				pd_threads_of_libraries());
	if (n == 0)
		return;
	util_format_time(time, sizeof time, lost_s);
	run_strings_add(warnings,
			"threads of rank %d%s computed up to %s that nobody was seen to wait for: "
			"they count only as sharing the cores of their rank, so the prediction may "
			"be too short (docs/model.md, section 2)",
			first, n > 1 ? " and others" : "", time);
}

static void warn_program(const struct run *run, struct run_strings *warnings)
{
	warn_no_mpi(run, warnings);
	warn_unfinalized(run, warnings);
	warn_timer(run, warnings);
	warn_threads(run, warnings);
	warn_child(run, warnings);
	warn_unused_bench(run, warnings);
	warn_shared_library(run, warnings);
	run_real_warn(run, warnings);
}

static void add_warning(void *context, const char *sentence)
{
	run_strings_add(context, "%s", sentence);
}

void run_warn_missing(const struct run *run, struct run_strings *warnings)
{
	const struct pd_world *world = run->world;

	if (run->options.mode != PD_COMPUTE_MODELLED || world->is_annotated || !has_called(run) ||
	    world->failure.kind != PD_FAILURE_NONE || run->signal)
		return;
	run_strings_add(warnings, "%s", run->options.is_replay
		? "no computation is charged: the trace has none, so the time is that of communication alone"
		: "no computation is charged: the program says nothing of what it takes (kernels or "
		  "mpisim_add_compute_time of mpisim.h), so the time is that of communication alone; "
		  "--compute direct measures computation");
}

void run_warn(const struct run *run, struct run_strings *warnings)
{
	for (int i = 0; i < run->notes.n; i++)
		run_strings_add(warnings, "%s", run->notes.items[i]);
	if (!run->options.ignore_leaks && !mpi_verify_wants(run->mpi, MPI_VERIFY_LEAKS))
		warn_leaks(run, warnings);
	warn_model(run, warnings);
	warn_program(run, warnings);
	for (int i = 0; i < run->world->n_programs; i++)
		pd_store_warn(run->world->programs[i].store, add_warning, warnings);
	pd_blas_warn(run->world->blas, run->world->config.mode, add_warning, warnings);
}
