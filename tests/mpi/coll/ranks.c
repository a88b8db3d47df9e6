/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/coll/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/core/meeting.h"
#include "mpi/p2p/endpoint.h"

#define US (SIM_PS_PER_S / 1000000)
#define MOST_DELAY_US 20

struct caller {
	const struct mpi_coll_args *args; /* NULL: it waits for some */
	sim_time_ps after;
	int error; /* -1: it is in its call */
	MPI_Datatype types[N_TYPES];
	MPI_Op ops[N_OPS];
};

static struct {
	int n; /* 0: there are none */
	enum layout layout;
	struct cluster *cluster;
	struct pd_world *pd;
	struct mpi_world *mpi;
	struct caller callers[RANKS_MOST];
	int *n_present;
	bool is_ending;
} ranks;

/* --- items --- */

static const struct {
	MPI_Aint lb, extent;
	int n, offsets[3]; /* the second starts before its address, in no order */
} layouts[N_TYPES] = {
    [TYPE_INT] = {0, 4, 1, {0}},
    [TYPE_TRIPLE] = {0, 12, 3, {0, 4, 8}},
    [TYPE_GAPPY] = {0, 28, 3, {4, 12, 20}},
    [TYPE_SHIFTED] = {-12, 24, 3, {4, -8, 0}},
};

MPI_Count item_extent(enum item_type type)
{
	return layouts[type].extent;
}

int item_n_elements(enum item_type type)
{
	return layouts[type].n;
}

int *item_element(enum item_type type, char *buf, int64_t item, int element)
{
	return (int *)(buf + item * layouts[type].extent + layouts[type].offsets[element]);
}

MPI_Datatype ranks_type(int rank, enum item_type type)
{
	return ranks.callers[rank].types[type];
}

MPI_Op ranks_op(int rank, enum item_op op, enum item_type type)
{
	return op == OP_SUM && type == TYPE_INT ? MPI_SUM : ranks.callers[rank].ops[op];
}

static enum item_type type_with(MPI_Datatype handle)
{
	const struct caller *caller = &ranks.callers[pd_current->rank];
	int type = 0;

	while (caller->types[type] != handle)
		type++;
	return (enum item_type)type;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *handle)
{
	enum item_type type = type_with(*handle);

	for (int i = 0; i < *n; i++)
		for (int e = 0; e < layouts[type].n; e++)
			*item_element(type, inout, i, e) += *item_element(type, in, i, e);
}

static void join(void *in, void *inout, int *n, MPI_Datatype *handle)
{
	enum item_type type = type_with(*handle);

	for (int i = 0; i < *n; i++) {
		*item_element(type, inout, i, 2) &=
		    *item_element(type, in, i, 2) &&
		    *item_element(type, in, i, 1) == *item_element(type, inout, i, 0);
		*item_element(type, inout, i, 0) = *item_element(type, in, i, 0);
	}
}

static void create_objects(struct caller *caller)
{
	caller->types[TYPE_INT] = MPI_INT;
	for (int i = TYPE_TRIPLE; i < N_TYPES; i++) {
		MPI_Aint offsets[3];
		MPI_Datatype packed;

		for (int e = 0; e < 3; e++)
			offsets[e] = layouts[i].offsets[e];
		MPI_Type_create_hindexed_block(3, 1, offsets, MPI_INT, &packed);
		MPI_Type_create_resized(packed, layouts[i].lb, layouts[i].extent,
					&caller->types[i]);
		MPI_Type_commit(&caller->types[i]);
		MPI_Type_free(&packed);
	}
	MPI_Op_create(add, 1, &caller->ops[OP_SUM]);
	MPI_Op_create(add, 0, &caller->ops[OP_SUM_IN_ORDER]);
	MPI_Op_create(join, 0, &caller->ops[OP_JOIN]);
}

static void free_objects(struct caller *caller)
{
	for (int i = TYPE_TRIPLE; i < N_TYPES; i++)
		MPI_Type_free(&caller->types[i]);
	for (int i = 0; i < N_OPS; i++)
		MPI_Op_free(&caller->ops[i]);
}

/* --- what each rank does --- */

/* As mpi_coll_run; looks at what each round has posted. */
static int run_and_count(struct mpi_rank *me, const struct mpi_coll_args *args)
{
	struct mpi_coll coll;
	int error = mpi_coll_resolve(me, args, &coll);

	if (error != MPI_SUCCESS)
		return error;
	mpi_coll_begin(me, &coll);
	while (!mpi_coll_continue(me, &coll)) {
		for (int i = 0; i < coll.n_posted; i++)
			*ranks.n_present +=
			    coll.posted[i]->count > 0 && !pd_memory_is_absent(coll.posted[i]->buf);
		mpi_requests_wait(me, coll.n_posted, coll.posted, false);
	}
	error = coll.error;
	mpi_coll_finish(&coll);
	return error;
}

static void call(struct pd_rank *pd, struct caller *caller)
{
	struct mpi_rank *me;
	int error;

	if (caller->after > 0)
		sim_task_sleep(&pd->task, caller->after);
	me = mpi_enter("the collective", NULL);
	error = ranks.n_present ? run_and_count(me, caller->args)
				: mpi_coll_call_blocking(me, caller->args);
	caller->error = mpi_leave(me, error);
	caller->args = NULL;
}

static void rank_main(struct pd_rank *pd)
{
	struct caller *caller = &ranks.callers[pd->rank];

	MPI_Init(NULL, NULL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	create_objects(caller);
	while (!ranks.is_ending) {
		if (caller->args)
			call(pd, caller);
		else
			sim_task_block(&pd->task);
	}
	free_objects(caller);
	MPI_Finalize();
	pd_rank_end(pd, 0);
}

/* --- their life --- */

static int node_of(int rank, enum layout layout)
{
	switch (layout) {
	case LAYOUT_BLOCKS:
		return rank / 3;
	case LAYOUT_CYCLIC:
		return rank % 3;
	case LAYOUT_SCATTERED:
		return rank * rank % 7;
	default:
		return rank;
	}
}

static void go(void)
{
	enum sim_step step = SIM_STEP_TASK;

	while (!pd_world_is_over(ranks.pd) && step != SIM_STEP_IDLE)
		step = pd_world_run(ranks.pd, 1 << 20);
	if (ranks.pd->failure.kind == PD_FAILURE_NONE)
		return;
	fprintf(stderr, "rank %d: %s\n", ranks.pd->failure.rank, ranks.pd->failure.text);
	abort();
}

/* All messages by rendezvous. */
static const char cluster_text[] = "mpisim_cluster: 1\nname: ranks\nnodes: 67\ncores: 67\n"
				   "network: {latency: 1us, bandwidth: 1 GB/s}\n"
				   "protocol: {eager_threshold: 0}\n";

static void create(int n, const int nodes[])
{
	struct pd_program_config program = {.n_ranks = n, .builtin = rank_main};
	struct pd_config config = {.programs = &program,
				   .n_programs = 1,
				   .node_of = nodes,
				   .mode = PD_COMPUTE_MODELLED,
				   .vary_transfer = 0.5,
				   .seed = (uint64_t)n};
	struct util_error err;

	if (!cluster_parse("ranks", cluster_text, sizeof cluster_text - 1, &ranks.cluster, &err) &&
	    !pd_world_create(&config, ranks.cluster, NULL, &ranks.pd, &err) &&
	    !mpi_world_create(ranks.pd, &ranks.mpi, &err))
		return;
	fprintf(stderr, "%s\n", err.text);
	abort();
}

void ranks_begin(int n, enum layout layout)
{
	int nodes[RANKS_MOST];

	if (ranks.n == n && ranks.layout == layout) {
		ranks.n_present = NULL;
		ranks_select(&(const struct mpi_coll_selection){.profile = CLUSTER_COLL_DEFAULT});
		return;
	}
	ranks_end();
	for (int i = 0; i < n; i++)
		nodes[i] = node_of(i, layout);
	ranks.n = n;
	ranks.layout = layout;
	create(n, nodes);
	pd_world_start(ranks.pd);
	go();
}

void ranks_end(void)
{
	if (ranks.n == 0)
		return;
	ranks.is_ending = true;
	for (int i = 0; i < ranks.n; i++)
		if (!ranks.callers[i].args)
			sim_task_wake(&ranks.pd->ranks[i].task);
	go();
	mpi_world_destroy(ranks.mpi);
	pd_world_destroy(ranks.pd);
	cluster_destroy(ranks.cluster);
	memset(&ranks, 0, sizeof ranks);
}

struct mpi_world *ranks_world(void)
{
	return ranks.mpi;
}

void ranks_select(const struct mpi_coll_selection *selection)
{
	*(struct mpi_coll_selection *)(uintptr_t)ranks.mpi->coll_selection = *selection;
}

/* --- collectives --- */

void ranks_call(int rank, const struct mpi_coll_args *args, sim_time_ps after)
{
	struct caller *caller = &ranks.callers[rank];

	caller->args = args;
	caller->after = after;
	caller->error = -1;
	sim_task_wake(&ranks.pd->ranks[rank].task);
}

void ranks_settle(int out_errors[])
{
	go();
	for (int i = 0; i < ranks.n; i++)
		out_errors[i] = ranks.callers[i].error;
}

void ranks_run(const struct mpi_coll_args args[], unsigned int seed, int out_errors[])
{
	for (int i = 0; i < ranks.n; i++) {
		seed = seed * 1103515245u + 12345u;
		ranks_call(i, &args[i], (sim_time_ps)((seed >> 16) % MOST_DELAY_US) * US);
	}
	ranks_settle(out_errors);
}

void ranks_count_present(int *n_present)
{
	ranks.n_present = n_present;
}

bool ranks_left_something(void)
{
	const struct mpi_world *mpi = ranks.mpi;

	return mpi->requests.n_live > 0 || mpi->messages.n_live > 0 ||
	       mpi->bare_messages.n_live > 0 || mpi_meetings_count(mpi, MPI_MEETING_COLL) > 0;
}
