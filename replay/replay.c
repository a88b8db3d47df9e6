/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in program: each rank reads its stream and does what it says. */
#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/functions.h"
#include "mpi/p2p/poll.h"
#include "pdexec/compute.h"
#include "pdexec/store.h"
#include "replay/call.h"
#include "replay/kept.h"
#include "replay/repeat.h"

enum { STACK_B = 64 << 10, MAX_DEPTH = 1024, MOST_POLLS = 1 << 20 };

/* --- records --- */

static bool is_clock(const struct replay *replay, uint64_t what)
{
	return what == MTRACE_CLOCK || (what >= MTRACE_CALL && what - MTRACE_CALL == replay->clock);
}

/* The record `what` of `of` comes: what was charged before it is of the region between the last one
 * and this. Programs read clocks all over their computations: those begin nothing. */
static void pass(struct replay_rank *rank, uint64_t what, uint64_t of)
{
	const struct replay_change *change = rank->replay->change;
	struct replay_region region = {rank->passed, {what, of}};
	struct pd_rank *pd = rank->mpi->pd;
	double factor;

	if (!is_clock(rank->replay, what))
		rank->passed = region.before;
	if (!change || !change->compute || pd->pending_s == 0)
		return;
	factor = change->compute(change->context, rank->mpi->rank, &region, pd->pending_s);
	if (factor == 1)
		return;
	pd->pending_s *= factor;
	for (int i = 0; i < pd->n_parts; i++)
		pd->parts[i].seconds *= factor;
}

/* The record `what` of `of` ends the computation that was charged, if there is any. */
static void begin_step_end(struct replay_rank *rank, uint64_t what, uint64_t of)
{
	struct replay *replay = rank->replay;

	rank->at[0] = what;
	rank->at[1] = of;
	replay->n_computing++;
	if (replay->repeat)
		replay_repeat_look(replay->repeat);
}

static void end_step(struct replay_rank *rank, uint64_t what, uint64_t of)
{
	struct pd_rank *pd = rank->mpi->pd;

	pass(rank, what, of);
	if (pd->pending_s == 0)
		return;
	begin_step_end(rank, what, of);
	pd_compute_end(pd);
	rank->replay->n_computing--;
}

/* The same with the first steps of a call. */
static void enter(struct replay_rank *rank, uint64_t number, uint64_t site)
{
	const struct mtrace_file *file = rank->replay->file;
	bool has_step;

	pass(rank, MTRACE_CALL + number, site);
	has_step = rank->mpi->pd->pending_s != 0;
	if (has_step)
		begin_step_end(rank, MTRACE_CALL + number, site);
	mpi_enter_described(rank->mpi, file->functions[number].name, file->sites[site]);
	rank->replay->n_computing -= has_step;
}

static double scale_of(struct replay *replay, uint64_t kernel)
{
	double *scale = &replay->scales[kernel];

	if (*scale < 0)
		*scale =
		    pd_store_scale(replay->world->programs[0].store, replay->file->strings[kernel]);
	return *scale;
}

/* A kernel takes what the files of kernels say, when there are any; else what it took in the
 * recording. */
static void charge_kernel(struct replay_rank *rank, uint64_t kernel, double seconds, int n_params,
			  const double params[])
{
	struct replay *replay = rank->replay;
	struct pd_rank *pd = rank->mpi->pd;
	struct pd_store *store = replay->world->programs[0].store;
	const char *name = replay->file->strings[kernel];
	struct pd_charge charge;
	struct util_error err;

	if (replay->has_bench) {
		if (pd_store_begin_at(store, pd_place_of(pd), name, n_params, params, &charge, &err))
			pd_fail(pd, PD_FAILURE_ANNOTATION, "%s", err.text);
		if (replay->repeat)
			replay_repeat_kernel(replay->repeat, name, n_params, params);
		seconds = charge.seconds;
	}
	pd_compute_charge(pd, name, seconds * scale_of(replay, kernel) * pd_store_scale_all(store));
}

static void do_charge(struct replay_rank *rank)
{
	struct mtrace_cursor *c = &rank->cursor;
	struct pd_rank *pd = rank->mpi->pd;
	uint64_t kernel = mtrace_get_uint(c);
	double seconds, params[PD_STORE_MAX_PARAMS];
	int n_params, flags;

	pd->world->is_annotated = true;
	flags = mtrace_get_byte(c);
	seconds = mtrace_get_double(c);
	n_params = mtrace_get_byte(c);
	if (kernel > rank->replay->file->n_strings || n_params > PD_STORE_MAX_PARAMS ||
	    !(seconds - seconds == 0))
		replay_damaged(rank, "no such computation");
	for (int i = 0; i < n_params; i++)
		params[i] = mtrace_get_double(c);
	if (flags & MTRACE_TRAFFIC && n_params != 1)
		replay_damaged(rank, "no such traffic of memory");
	if (flags & MTRACE_TRAFFIC && kernel == 0)
		pd_compute_charge_threads(pd, params[0]);
	else if (flags & MTRACE_TRAFFIC)
		pd_compute_charge_memory(pd, rank->replay->file->strings[kernel - 1], params[0]);
	else if (kernel > 0)
		charge_kernel(rank, kernel - 1, seconds, n_params, params);
	else
		pd_compute_charge(
		    pd, NULL, seconds * pd_store_scale_all(rank->replay->world->programs[0].store));
}

static void tell_phase(struct replay_rank *rank, const char *name, int is_begin)
{
	const struct pd_world *world = rank->replay->world;

	sim_tell_phase(&world->observers, rank->mpi->rank, name, is_begin, world->engine.now);
}

static void do_phase(struct replay_rank *rank, bool is_begin)
{
	struct mtrace_cursor *c = &rank->cursor;
	uint64_t name = is_begin ? mtrace_get_uint(c) : 0;

	end_step(rank, is_begin ? MTRACE_PHASE_BEGIN : MTRACE_PHASE_END, name);
	if (is_begin && (name >= rank->replay->file->n_strings || rank->depth == MAX_DEPTH))
		replay_damaged(rank, "no such phase");
	if (!is_begin && rank->depth == 0)
		replay_damaged(rank, "a phase ends that did not begin");
	if (is_begin && rank->depth == rank->max_depth) {
		const char **larger =
		    realloc(rank->phases, (size_t)(2 * rank->max_depth + 8) * sizeof *larger);

		if (!larger)
			pd_fail(rank->mpi->pd, PD_FAILURE_MEMORY, "out of memory for phases");
		rank->phases = larger;
		rank->max_depth = 2 * rank->max_depth + 8;
	}
	if (is_begin)
		rank->phases[rank->depth++] = rank->replay->file->strings[name];
	else
		rank->depth--;
	tell_phase(rank, rank->phases[is_begin ? rank->depth - 1 : rank->depth], is_begin);
}

static void do_node(struct replay_rank *rank, bool acquires)
{
	const struct pd_world *world = rank->replay->world;

	pass(rank, acquires ? MTRACE_NODE_ACQUIRE : MTRACE_NODE_RELEASE, 0);
	pd_compute_end(rank->mpi->pd);
	if (acquires)
		sim_tell_node_acquire(&world->observers, rank->mpi->rank, world->engine.now);
	else
		sim_tell_node_release(&world->observers, rank->mpi->rank, world->engine.now);
}

static void do_sleep(struct replay_rank *rank)
{
	uint64_t duration = mtrace_get_uint(&rank->cursor);

	pass(rank, MTRACE_SLEEP, mtrace_get_uint(&rank->cursor));
	pd_compute_end(rank->mpi->pd);
	sim_task_sleep(&rank->mpi->pd->task, (sim_time_ps)(duration & INT64_MAX));
}

/* Of the next call. What was charged for them is no computation. */
static void do_polls(struct replay_rank *rank)
{
	struct pd_rank *pd = rank->mpi->pd;
	uint64_t n = mtrace_get_uint(&rank->cursor);

	if (n > MOST_POLLS)
		replay_damaged(rank, "more polls than there are in a step");
	rank->n_polls = (uint32_t)n;
	rank->pause = 0;
	if (!mtrace_get_uint(&rank->cursor))
		return;
	rank->pause = sim_time_from_s(pd->pending_s / pd->world->cluster->cpu.speed[pd->node]);
	pd->pending_s = 0;
	pd->has_step = false;
	pd->n_parts = 0;
}

/* What the polls before the call waited for is there already, or may come now. */
static void pause(struct replay_rank *rank)
{
	if (rank->n_polls > 0 && rank->mpi->endpoint)
		mpi_poll_again(rank->mpi, rank->n_polls, rank->is_early ? 0 : rank->pause);
	rank->n_polls = 0;
	rank->is_early = false;
}

static void do_call(struct replay_rank *rank, uint64_t number)
{
	struct replay *replay = rank->replay;
	const struct replay_function *function;
	uint64_t site = mtrace_get_uint(&rank->cursor);
	int code = MPI_SUCCESS;

	if (number >= replay->file->n_functions || site >= replay->file->n_sites)
		replay_damaged(rank, "no such function");
	function = replay->functions[number];
	replay->n_unlike += replay->is_unlike[number];
	replay->n_ordered += replay->is_ordered[number];
	enter(rank, number, site);
	pause(rank);
	rank->n_arrays = rank->n_buffers = 0;
	rank->group_session = MPI_SESSION_NULL;
	if (function == replay->finalize && rank->mpi->n_opened == 1)
		replay_objects_free(rank);
	if (function)
		code = function->call(rank);
	while (rank->n_groups > 0)
		MPI_Group_free(&rank->groups[--rank->n_groups]);
	if (code != MPI_SUCCESS)
		pd_fail(rank->mpi->pd, PD_FAILURE_MPI_ERROR,
			"returned error %d, and did not in the recording", code);
	mpi_leave(rank->mpi, code);
}

/* False at the end of the rank. */
static bool do_record(struct replay_rank *rank)
{
	struct mtrace_cursor *c = &rank->cursor;
	uint64_t op = mtrace_get_uint(c);

	if (op >= MTRACE_CALL) {
		do_call(rank, op - MTRACE_CALL);
		return true;
	}
	switch (op) {
	case MTRACE_END:
		return false;
	case MTRACE_CHARGE:
		do_charge(rank);
		return true;
	case MTRACE_MEMORY:
		mtrace_skip_memory(c);
		return true;
	case MTRACE_PHASE_BEGIN:
	case MTRACE_PHASE_END:
		do_phase(rank, op == MTRACE_PHASE_BEGIN);
		return true;
	}
	rank->replay->n_unlike++;
	switch (op) {
	case MTRACE_NODE_RELEASE:
	case MTRACE_NODE_ACQUIRE:
		do_node(rank, op == MTRACE_NODE_ACQUIRE);
		return true;
	case MTRACE_CLOCK:
		pass(rank, MTRACE_CLOCK, mtrace_get_uint(c));
		pd_compute_end(rank->mpi->pd);
		pd_clock_read(rank->mpi->pd);
		return true;
	case MTRACE_SLEEP:
		do_sleep(rank);
		return true;
	case MTRACE_POLLS:
		do_polls(rank);
		return true;
	case MTRACE_TYPE:
		replay_define_type(rank);
		return true;
	case MTRACE_TIMES:
		mtrace_get_uint(c);
		mtrace_get_uint(c);
		return true;
	default:
		replay_damaged(rank, "no such record");
	}
}

static void rank_main(struct pd_rank *pd)
{
	struct replay *replay = pd->program->config.context;
	struct replay_rank *rank = replay_rank_begin(replay, pd);
	struct util_error err;
	int more;

	while ((more = mtrace_cursor_more(&rank->cursor, &err)) > 0)
		if (!do_record(rank))
			break;
	if (more < 0)
		pd_fail(pd, PD_FAILURE_UNSUPPORTED, "%s", err.text);
	if (more == 0)
		replay_damaged(rank, "the rank does not end");
	pass(rank, MTRACE_END, 0);
	pd_rank_end(pd, (int)mtrace_get_uint(&rank->cursor));
}

/* --- life --- */

static int compare_names(const void *name, const void *function)
{
	return strcmp(name, ((const struct replay_function *)function)->name);
}

static int bind_functions(struct replay *replay, struct util_error *err)
{
	const struct mtrace_file *file = replay->file;
	int n;
	const struct replay_function *all = replay_functions(&n);

	replay->clock = UINT64_MAX;
	for (uint32_t i = 0; i < file->n_functions; i++) {
		const struct mtrace_function *function = &file->functions[i];
		const struct replay_function *found =
		    bsearch(function->name, all, (size_t)n, sizeof *all, compare_names);
		const struct mpi_function *known;

		if (strcmp(function->name, "MPI_Wtime") == 0)
			replay->clock = i;
		if (!function->signature[0] && !(found && !found->signature[0]))
			continue; /* does nothing, or did not in these calls */
		if (!found)
			return util_error_set(
			    err, UTIL_EUNSUPPORTED,
			    "'%s' has calls of %s, which this version cannot replay", file->path,
			    function->name);
		if (strcmp(found->signature, function->signature) != 0)
			return util_error_set(
			    err, UTIL_EUNSUPPORTED,
			    "'%s' has calls of %s with arguments \"%s\", wanted \"%s\"", file->path,
			    function->name, function->signature, found->signature);
		replay->functions[i] = found;
		known = mpi_function_find(function->name);
		replay->is_unlike[i] = !known || !known->repeats;
		replay->is_ordered[i] = known && known->is_ordered;
		if (strcmp(function->name, "MPI_Finalize") == 0)
			replay->finalize = found;
	}
	return 0;
}

static int create_ranks(struct replay *replay, struct util_error *err)
{
	int failed = 0;

	for (int i = 0; i < replay->file->n_ranks && !failed; i++) {
		struct replay_rank *rank = &replay->ranks[i];

		rank->replay = replay;
		if (i < replay->mpi->n_ranks)
			rank->mpi = &replay->mpi->ranks[i];
		rank->comms = malloc(MTRACE_COMM_FIRST * sizeof *rank->comms);
		if (!rank->comms)
			return util_error_set(err, UTIL_ENOMEM, "out of memory for rank %d", i);
		rank->n_comms = MTRACE_COMM_FIRST;
		rank->comms[MTRACE_COMM_NULL] = MPI_COMM_NULL;
		rank->comms[MTRACE_COMM_WORLD] = MPI_COMM_WORLD;
		rank->comms[MTRACE_COMM_SELF] = MPI_COMM_SELF;
		failed = mtrace_cursor_open(replay->file, i, &rank->cursor, err);
	}
	return failed;
}

static const char *describe_site(const void *site)
{
	return site;
}

static int create_world(struct replay *replay, const struct replay_config *config,
			struct util_error *err)
{
	struct pd_config pd = {
	    .programs = &replay->program,
	    .n_programs = 1,
	    .node_of = config->node_of,
	    .cpus_per_rank = config->cpus_per_rank,
	    .mode = config->mode,
	    .bench_in = config->bench_in,
	    .n_scales = config->n_scales,
	    .scales = config->scales,
	    .vary_compute = config->vary_compute,
	    .vary_transfer = config->vary_transfer,
	    .vary_kernels = config->vary_kernels,
	    .seed = config->seed,
	    .stack_size_B = STACK_B,
	    .max_spawned = replay->file->n_spawned,
	};
	int failed;

	replay->program = (struct pd_program_config){
	    .n_ranks = mtrace_ranks_at_start(replay->file), .builtin = rank_main, .context = replay};
	replay->has_bench = config->bench_in != NULL;
	failed = pd_world_create(&pd, config->cluster, config->observers, &replay->world, err);
	if (failed)
		return failed;
	replay->world->describe_site = describe_site;
	return mpi_world_create(replay->world, &replay->mpi, err);
}

int replay_create(struct mtrace_file *file, const struct replay_config *config, struct replay **out,
		  struct util_error *err)
{
	struct replay *replay = calloc(1, sizeof *replay);
	int failed = 0;

	if (!replay)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a replay");
	replay->file = file;
	replay->change = config->change;
	replay->ranks = calloc((size_t)file->n_ranks, sizeof *replay->ranks);
	replay->places = calloc((size_t)file->n_ranks, sizeof *replay->places);
	replay->functions = calloc((size_t)file->n_functions + 1, sizeof *replay->functions);
	replay->is_unlike = calloc((size_t)file->n_functions + 1, sizeof *replay->is_unlike);
	replay->is_ordered = calloc((size_t)file->n_functions + 1, sizeof *replay->is_ordered);
	replay->scales = malloc(((size_t)file->n_strings + 1) * sizeof *replay->scales);
	replay->n_zeros = (uint64_t)file->n_ranks + 65536;
	replay->zeros = calloc(replay->n_zeros, sizeof(MPI_Count));
	if (!replay->ranks || !replay->places || !replay->functions || !replay->is_unlike || !replay->is_ordered ||
	    !replay->scales || !replay->zeros)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a replay");
	for (uint32_t i = 0; i < file->n_strings && !failed; i++)
		replay->scales[i] = -1;
	if (!failed)
		failed = bind_functions(replay, err);
	if (!failed)
		failed = create_world(replay, config, err);
	if (!failed)
		failed = create_ranks(replay, err);
	if (!failed && !config->change && file->n_spawned == 0)
		failed = replay_repeat_create(replay, &replay->repeat, err);
	if (failed) {
		replay_destroy(replay);
		return failed;
	}
	*out = replay;
	return 0;
}

void replay_destroy(struct replay *replay)
{
	if (!replay)
		return;
	replay_repeat_destroy(replay->repeat);
	mpi_world_destroy(replay->mpi);
	pd_world_destroy(replay->world);
	for (int i = 0; replay->ranks && i < replay->file->n_ranks; i++)
		replay_rank_finish(&replay->ranks[i]);
	replay_kept_destroy(replay);
	free(replay->ranks);
	free(replay->places);
	free(replay->functions);
	free(replay->is_unlike);
	free(replay->is_ordered);
	free(replay->scales);
	free(replay->zeros);
	free(replay);
}
