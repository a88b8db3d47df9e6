/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim.h inside the simulator, for the rank that is running. mpisim_alloc and mpisim_free are in noalloc.c. */
#include "pdexec/annotate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pdexec/compute.h"
#include "pdexec/device.h"
#include "pdexec/store.h"

#pragma GCC visibility push(default)
#include "mpisim.h"
#pragma GCC visibility pop

#define MAX_PHASE_DEPTH 64

struct pd_annotation {
	struct pd_charge charge;        /* of the open kernel */
	bool is_open;
	int stream;                     /* that it is for; negative: the rank itself computes it */
	bool is_touched;                /* mpisim_touch has said what the open kernel accesses */
	int n_params;
	double params[PD_STORE_MAX_PARAMS];
	double memory_B;                /* that it says it reads and writes; negative: it says nothing */
	double measured_s;              /* by the open kernel so far, on the reference CPU, unscaled */
	struct util_rng calls;          /* numbers that vary the kernels' times */
	bool has_released;              /* the node */
	int depth;
	const char *phases[MAX_PHASE_DEPTH]; /* interned; [depth] are open */
};

static struct pd_annotation *annotation_get(struct pd_rank *rank)
{
	struct pd_annotation *annotation = rank->annotation;

	if (annotation)
		return annotation;
	annotation = calloc(1, sizeof(*annotation));
	if (!annotation)
		pd_fail(rank, PD_FAILURE_MEMORY, "no memory for the rank's annotations");
	pd_store_vary_init(rank->program->store, rank->rank, &annotation->calls);
	rank->annotation = annotation;
	return annotation;
}

/* Stops measuring: the simulator's own work is not the program's. */
static void annotation_enter_rank(struct pd_rank *rank, const char *function, const void *site)
{
	pd_compute_pause(rank);
	rank->function = function;
	rank->site = site;
}

/* The rank that calls; NULL outside of any (then annotations mean nothing). */
struct pd_rank *pd_annotation_enter(const char *function, const void *site)
{
	if (pd_current)
		annotation_enter_rank(pd_current, function, site);
	return pd_current;
}

void pd_annotation_leave(struct pd_rank *rank)
{
	rank->function = NULL;
	rank->site = NULL;
	pd_compute_begin(rank);
}

static _Noreturn void annotation_fail_store(struct pd_rank *rank, const struct util_error *err)
{
	pd_fail(rank, err->code == UTIL_ENOMEM ? PD_FAILURE_MEMORY : PD_FAILURE_ANNOTATION, "%s",
		err->text);
}

static void tell_charge(struct pd_rank *rank, const char *kernel, double seconds, int flags)
{
	const struct pd_annotation *annotation = rank->annotation;
	const struct sim_record_charge record = {
		.rank = rank->rank,
		.kernel = kernel,
		.n_params = kernel ? annotation->n_params : 0,
		.params = kernel ? annotation->params : NULL,
		.seconds = seconds,
		.flags = flags,
	};

	sim_tell_charge(&rank->world->observers, &record);
}

static void tell_memory(struct pd_rank *rank, const char *kernel, double amount)
{
	const struct sim_record_charge record = {
		.rank = rank->rank,
		.kernel = kernel,
		.n_params = 1,
		.params = &amount,
		.flags = SIM_CHARGE_MEMORY,
	};

	sim_tell_charge(&rank->world->observers, &record);
}

void pd_annotation_charge_threads(struct pd_rank *rank, double seconds)
{
	if (pd_annotation_in_kernel(rank)) /* it says itself what it draws */
		return;
	tell_memory(rank, NULL, seconds);
	pd_compute_charge_threads(rank, seconds);
}

void pd_annotation_charge_measured(struct pd_rank *rank, double seconds)
{
	struct pd_annotation *annotation = rank->annotation;
	double scale = pd_store_scale_all(rank->program->store);

	if (!annotation || !annotation->is_open) {
		tell_charge(rank, NULL, seconds, SIM_CHARGE_MEASURED);
		pd_compute_charge(rank, NULL, seconds * scale);
	} else if (annotation->charge.execute) {
		annotation->measured_s += seconds;
		if (annotation->stream >= 0)
			return;
		tell_charge(rank, annotation->charge.name, seconds, SIM_CHARGE_MEASURED);
		pd_compute_charge(rank, annotation->charge.name,
				  seconds * annotation->charge.scale * scale);
	}
	/* Between begin and end of a kernel that is skipped nothing runs that the kernel's time does not cover. */
}

bool pd_annotation_is_in_kernel(const struct pd_rank *rank)
{
	const struct pd_annotation *annotation = rank->annotation;

	return annotation && annotation->is_open;
}

void pd_annotation_check_call(struct pd_rank *rank)
{
	struct pd_annotation *annotation = rank->annotation;

	if (!annotation || !annotation->is_open || !rank->function)
		return;
	/* Reading a clock is allowed: it is how programs time their kernels. */
	if (strncmp(rank->function, "MPI_", 4) || !strcmp(rank->function, "MPI_Wtime"))
		return;
	pd_fail(rank, PD_FAILURE_ANNOTATION,
		"%s was called within kernel \"%s\": kernels call no MPI (is mpisim_kernel_end missing?)",
		rank->function, annotation->charge.name);
}

void mpisim_add_compute_time(double seconds)
{
	struct pd_rank *rank =
		pd_annotation_enter("mpisim_add_compute_time", __builtin_return_address(0));
	struct pd_world *world;

	if (!rank)
		return;
	world = rank->world;
	world->is_annotated = true;
	if (!(seconds - seconds == 0))
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"the time to add is %f, wanted a finite number of seconds", seconds);
	if (world->config.mode == PD_COMPUTE_DIRECT || world->config.mode == PD_COMPUTE_COLLECT)
		pd_store_note_uncharged(rank->program->store, seconds);
	else {
		tell_charge(rank, NULL, seconds, 0);
		pd_compute_charge(rank, NULL, seconds * pd_store_scale_all(rank->program->store));
	}
	pd_annotation_leave(rank);
}

/* A true second name, so that either may be interposed or called from Fortran. */
void add_compute_time(double seconds) __attribute__((alias("mpisim_add_compute_time")));

bool pd_annotation_in_kernel(const struct pd_rank *rank)
{
	const struct pd_annotation *annotation = rank->annotation;

	return annotation && annotation->is_open;
}

const char *pd_annotation_touch(struct pd_rank *rank, bool *out_executes)
{
	struct pd_annotation *annotation = rank->annotation;

	*out_executes = annotation && annotation->is_open && annotation->charge.execute;
	if (!annotation || !annotation->is_open)
		return NULL;
	annotation->is_touched = true;
	return annotation->charge.name;
}

bool pd_annotation_begin_kernel(struct pd_rank *rank, const char *function, const void *site,
				const char *name, int n_params, const double params[], int stream)
{
	struct pd_annotation *annotation;
	struct util_error err;

	annotation_enter_rank(rank, function, site);
	rank->world->is_annotated = true;
	annotation = annotation_get(rank);
	if (annotation->is_open)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"kernel \"%s\" begins within kernel \"%s\": kernels do not nest (is mpisim_kernel_end missing?)",
			name ? name : "(null)", annotation->charge.name);
	if (stream >= 0)
		pd_compute_end(rank);
	if (pd_store_begin_at(rank->program->store, pd_place_of(rank), name, n_params, params,
			      &annotation->charge, &err))
		annotation_fail_store(rank, &err);
	pd_store_vary(rank->program->store, &annotation->charge, rank->node, &annotation->calls);
	if (annotation->charge.execute && rank->world->config.no_alloc)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"kernel \"%s\" would run on memory that is not there: --no-alloc needs --compute partial or modelled, without --first-n",
			annotation->charge.name);
	annotation->is_open = true;
	annotation->stream = stream;
	annotation->is_touched = false;
	annotation->measured_s = 0;
	annotation->memory_B = -1;
	annotation->n_params = n_params;
	if (n_params > 0)
		memcpy(annotation->params, params, (size_t)n_params * sizeof(*params));
	if (stream >= 0) {
		rank->has_step = true; /* so that calls of MPI are seen until it ends */
	} else if (!annotation->charge.execute) {
		tell_charge(rank, annotation->charge.name, annotation->charge.seconds,
			   SIM_CHARGE_SKIPPED);
		pd_compute_charge(rank, annotation->charge.name,
				  annotation->charge.seconds * annotation->charge.scale *
					  pd_store_scale_all(rank->program->store));
	}
	pd_annotation_leave(rank);
	return annotation->charge.execute;
}

/* The kernel that has ended is its stream's. */
static void push_kernel(struct pd_rank *rank, const struct pd_annotation *annotation)
{
	const struct pd_charge *charge = &annotation->charge;
	double seconds = charge->execute ? annotation->measured_s : charge->seconds;

	if (charge->execute)
		pd_store_note_on_host(rank->program->store);
	pd_compute_end(rank);
	pd_streams_push(rank, annotation->stream, charge->name, NET_DEVICE_KERNELS,
			sim_time_from_s(seconds * charge->scale *
					pd_store_scale_all(rank->program->store)));
}

void pd_annotation_end_kernel(struct pd_rank *rank, const char *function, const void *site)
{
	struct pd_annotation *annotation;
	struct util_error err;

	annotation_enter_rank(rank, function, site);
	annotation = annotation_get(rank);
	if (!annotation->is_open)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"a kernel ends where none is open: wanted mpisim_kernel_begin before it");
	annotation->is_open = false;
	if (annotation->memory_B >= 0) {
		tell_memory(rank, annotation->charge.name, annotation->memory_B);
		pd_compute_charge_memory(rank, annotation->charge.name, annotation->memory_B);
	}
	if (!annotation->charge.execute && !annotation->is_touched)
		rank->world->has_skipped = true;
	if (annotation->charge.execute &&
	    pd_store_measured(rank->program->store, &annotation->charge, annotation->n_params,
			      annotation->params, annotation->measured_s, &err))
		annotation_fail_store(rank, &err);
	if (annotation->stream >= 0)
		push_kernel(rank, annotation);
	pd_annotation_leave(rank);
}

void mpisim_kernel_memory(double bytes)
{
	struct pd_rank *rank = pd_annotation_enter("mpisim_kernel_memory", __builtin_return_address(0));
	struct pd_annotation *annotation;

	if (!rank)
		return;
	if (!pd_annotation_in_kernel(rank))
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"memory is told where no kernel is open: wanted mpisim_kernel_begin before it");
	annotation = rank->annotation;
	if (annotation->stream >= 0)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"a kernel of a stream tells what memory it reads and writes: that is not the "
			"node's");
	if (!(bytes >= 0 && bytes - bytes == 0))
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"a kernel tells %f bytes, wanted a finite number of at least 0", bytes);
	annotation->memory_B = fmax(annotation->memory_B, 0) + bytes;
	pd_annotation_leave(rank);
}

int mpisim_kernel_begin(const char *name, int n_params, const double params[])
{
	/* Outside of any rank annotations mean nothing. */
	return !pd_current ||
	       pd_annotation_begin_kernel(pd_current, "mpisim_kernel_begin",
					  __builtin_return_address(0), name, n_params, params, -1);
}

void mpisim_kernel_end(void)
{
	if (pd_current)
		pd_annotation_end_kernel(pd_current, "mpisim_kernel_end",
					 __builtin_return_address(0));
}

double mpisim_kernel_time(const char *name, int n_params, const double params[])
{
	struct pd_rank *rank = pd_annotation_enter("mpisim_kernel_time", __builtin_return_address(0));
	double seconds;

	if (!rank)
		return -1;
	seconds = pd_store_lookup(rank->program->store, pd_place_of(rank), name, n_params, params);
	pd_annotation_leave(rank);
	return seconds;
}

/* Phases and releases happen at an instant: what was computed before them is over by then. */
struct pd_rank *pd_annotation_enter_instant(const char *function, const void *site)
{
	struct pd_rank *rank = pd_annotation_enter(function, site);
	struct pd_annotation *annotation;

	if (!rank)
		return NULL;
	annotation = annotation_get(rank);
	if (annotation->is_open)
		pd_fail(rank, PD_FAILURE_ANNOTATION, "%s was called within kernel \"%s\"", function,
			annotation->charge.name);
	pd_compute_end(rank);
	return rank;
}

/* Phases of different jobs are different ones, whatever their names. */
static const char *intern_phase(const struct pd_program *program, const char *name)
{
	const char *interned, *job = program->config.name;
	char *whole;

	if (!job)
		return pd_store_intern(program->store, name);
	if (asprintf(&whole, "%s: %s", job, name) < 0)
		return NULL;
	interned = pd_store_intern(program->store, whole);
	free(whole);
	return interned;
}

void mpisim_phase_begin(const char *name)
{
	struct pd_rank *rank =
		pd_annotation_enter_instant("mpisim_phase_begin", __builtin_return_address(0));
	struct pd_annotation *annotation;
	const char *interned;

	if (!rank)
		return;
	annotation = rank->annotation;
	if (!name || !*name)
		pd_fail(rank, PD_FAILURE_ANNOTATION, "a phase begins without a name");
	if (annotation->depth == MAX_PHASE_DEPTH)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"phase \"%s\" begins within %d others, wanted at most %d (is mpisim_phase_end missing?)",
			name, MAX_PHASE_DEPTH, MAX_PHASE_DEPTH - 1);
	interned = intern_phase(rank->program, name);
	if (!interned)
		pd_fail(rank, PD_FAILURE_MEMORY, "no memory for the name of a phase");
	annotation->phases[annotation->depth++] = interned;
	sim_tell_phase(&rank->world->observers, rank->rank, interned, 1, rank->world->engine.now);
	pd_annotation_leave(rank);
}

void mpisim_phase_end(void)
{
	struct pd_rank *rank =
		pd_annotation_enter_instant("mpisim_phase_end", __builtin_return_address(0));
	struct pd_annotation *annotation;

	if (!rank)
		return;
	annotation = rank->annotation;
	if (annotation->depth == 0)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"a phase ends where none is open: wanted mpisim_phase_begin before it");
	annotation->depth--;
	sim_tell_phase(&rank->world->observers, rank->rank, annotation->phases[annotation->depth], 0,
		       rank->world->engine.now);
	pd_annotation_leave(rank);
}

void mpisim_node_release(void)
{
	struct pd_rank *rank =
		pd_annotation_enter_instant("mpisim_node_release", __builtin_return_address(0));
	struct pd_annotation *annotation;

	if (!rank)
		return;
	annotation = rank->annotation;
	if (!annotation->has_released) {
		annotation->has_released = true;
		sim_tell_node_release(&rank->world->observers, rank->rank, rank->world->engine.now);
		if (rank->world->broker.released)
			rank->world->broker.released(rank->world->broker.context, rank);
	}
	pd_annotation_leave(rank);
}

void mpisim_node_acquire(void)
{
	struct pd_rank *rank =
		pd_annotation_enter_instant("mpisim_node_acquire", __builtin_return_address(0));
	struct pd_annotation *annotation;
	const struct pd_node_broker *broker;

	if (!rank)
		return;
	annotation = rank->annotation;
	broker = &rank->world->broker;
	if (annotation->has_released) {
		while (broker->may_acquire && !broker->may_acquire(broker->context, rank))
			sim_task_block(&rank->task);
		annotation->has_released = false;
		sim_tell_node_acquire(&rank->world->observers, rank->rank, rank->world->engine.now);
		if (broker->acquired)
			broker->acquired(broker->context, rank);
	}
	pd_annotation_leave(rank);
}

int mpisim_is_simulated(void)
{
	return 1;
}

double mpisim_real_time(void)
{
	return pd_host_clock_s();
}

void pd_annotation_end(struct pd_rank *rank)
{
	struct pd_annotation *annotation = rank->annotation;

	pd_streams_end(rank);
	if (!annotation)
		return;
	if (annotation->is_open)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"the rank ended within kernel \"%s\": mpisim_kernel_end is missing",
			annotation->charge.name);
	if (annotation->depth > 0)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"the rank ended within phase \"%s\": mpisim_phase_end is missing",
			annotation->phases[annotation->depth - 1]);
}

void pd_annotation_destroy(struct pd_rank *rank)
{
	free(rank->annotation);
	rank->annotation = NULL;
}
