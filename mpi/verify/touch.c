/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim_touch: what computation accesses, as the program says. */
#include <stdlib.h>

#include "mpi/datatype/datatype.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memcheck.h"
#include "mpi/verify/memory.h"
#include "pdexec/annotate.h"
#include "util/array.h"

#pragma GCC visibility push(default)
#include "mpisim.h"
#pragma GCC visibility pop

struct runs {
	struct sim_touch_run *all; /* [n]; malloc'd */
	size_t n;
	bool is_out_of_memory;
};

static void add_run(void *context, uintptr_t at, size_t size_B)
{
	struct runs *runs = context;
	struct sim_touch_run *last = runs->n ? &runs->all[runs->n - 1] : NULL;

	if (size_B == 0 || pd_memory_is_absent((const void *)at))
		return;
	if (last && last->at + last->size_B == at) {
		last->size_B += size_B;
		return;
	}
	runs->is_out_of_memory |= !util_array_room(&runs->all, runs->n, sizeof *runs->all);
	if (!runs->is_out_of_memory)
		runs->all[runs->n++] = (struct sim_touch_run){at, size_B};
}

static void check_arguments(struct pd_rank *pd, const struct mpi_datatype *type, size_t count,
			    int use, double fraction)
{
	if (count > 0 && (!type || !(type->is_predefined || type->is_committed)))
		pd_fail(pd, PD_FAILURE_ANNOTATION, "the type is no committed datatype");
	if (count > INT64_MAX)
		pd_fail(pd, PD_FAILURE_ANNOTATION, "found a negative number of items");
	if (use < MPISIM_READ || use > (MPISIM_READ | MPISIM_WRITE))
		pd_fail(pd, PD_FAILURE_ANNOTATION,
			"found the use %d, wanted MPISIM_READ, MPISIM_WRITE or both", use);
	if (!(fraction >= 0 && fraction <= 1))
		pd_fail(pd, PD_FAILURE_ANNOTATION, "found the fraction %g, wanted one from 0 to 1",
			fraction);
}

/* What is executed nevertheless does write there; its results mean nothing where kernels are skipped. */
static bool may_skip(const struct pd_world *world)
{
	return world->config.mode != PD_COMPUTE_DIRECT && world->config.mode != PD_COMPUTE_COLLECT;
}

static void look(struct mpi_memory *memory, struct mpi_rank *me,
		 const struct sim_record_touch *record)
{
	const struct mpi_finding_call by = {me->rank, "mpisim_touch", record->site};
	/* the same bits: enum mpi_memory_use */
	unsigned use = (unsigned)record->use;

	for (size_t i = 0; i < record->n_runs; i++) {
		const struct sim_touch_run *run = &record->runs[i];

		mpi_memory_touch(memory, me, run->at, run->size_B, use, &by);
		if (!(use & MEMORY_WRITE) || !may_skip(me->world->pd))
			continue;
		if (memory->memcheck)
			mpi_memcheck_declare(run->at, run->size_B);
		else
			mpi_memory_declare(memory, run->at, run->size_B);
	}
}

void mpisim_touch_memory(const void *address, size_t count, const void *datatype, int use,
			 double fraction)
{
	struct pd_rank *pd = pd_annotation_enter("mpisim_touch", __builtin_return_address(0));
	struct mpi_rank *me = pd ? pd->mpi : NULL;
	struct mpi_datatype *type;
	struct runs runs = {NULL};
	struct sim_record_touch record;
	bool executes;

	if (!pd)
		return;
	type = mpi_datatype_get(me, (MPI_Datatype)(uintptr_t)datatype);
	check_arguments(pd, type, count, use, fraction);
	if (count > 0)
		mpi_datatype_runs(type, address, (MPI_Count)count, add_run, &runs);
	if (runs.is_out_of_memory)
		pd_fail(pd, PD_FAILURE_MEMORY, "out of memory for mpisim_touch");
	record = (struct sim_record_touch){
	    .rank = pd->rank,
	    .site = pd->site,
	    .kernel = pd_annotation_touch(pd, &executes),
	    .use = use,
	    .fraction = fraction,
	    .runs = runs.all,
	    .n_runs = runs.n,
	};
	sim_tell_touch(&pd->world->observers, &record);
	if (!executes && me->world->verify && me->world->verify->memory &&
	    pd->rank < me->world->verify->memory->n_ranks)
		look(me->world->verify->memory, me, &record);
	free(runs.all);
	pd_annotation_leave(pd);
}
