/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/comm.h"
#include "mpi/core/objects.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi/comm/context.h"
#include "mpi/comm/group_recall.h"
#include "mpi/datatype/datatype.h"
#include "mpi/datatype/f90.h"
#include "mpi/info/info.h"

struct mpi_rank_objects *mpi_rank_objects(struct mpi_rank *me)
{
	if (!me->attributes)
		me->attributes = calloc(1, sizeof(struct mpi_rank_objects));
	return me->attributes;
}

struct mpi_type_overlay *mpi_type_overlay_find(const struct mpi_rank *me, MPI_Datatype handle)
{
	const struct mpi_rank_objects *objects = me->attributes;
	struct mpi_type_overlay *overlay = objects ? objects->overlays : NULL;

	while (overlay && overlay->handle != handle)
		overlay = overlay->next;
	return overlay;
}

struct mpi_type_overlay *mpi_type_overlay(struct mpi_rank *me, MPI_Datatype handle)
{
	struct mpi_rank_objects *objects = mpi_rank_objects(me);
	struct mpi_type_overlay *overlay = mpi_type_overlay_find(me, handle);

	if (overlay || !objects)
		return overlay;
	overlay = calloc(1, sizeof *overlay);
	if (!overlay)
		return NULL;
	overlay->handle = handle;
	overlay->next = objects->overlays;
	objects->overlays = overlay;
	return overlay;
}

struct mpi_attribute **mpi_type_attributes(struct mpi_rank *me, struct mpi_datatype *type)
{
	struct mpi_type_overlay *overlay;

	if (!type->is_predefined)
		return &type->attributes;
	overlay = mpi_type_overlay(me, type->handle);
	return overlay ? &overlay->attributes : NULL;
}

static void destroy_rank_objects(struct mpi_rank *me)
{
	struct mpi_rank_objects *objects = me->attributes;

	if (!objects)
		return;
	while (objects->overlays) {
		struct mpi_type_overlay *next = objects->overlays->next;

		mpi_attributes_discard(objects->overlays->attributes);
		free(objects->overlays->name);
		free(objects->overlays);
		objects->overlays = next;
	}
	mpi_f90_types_destroy(me, objects->f90_types);
	mpi_info_destroy(objects->info_env);
	mpi_info_destroy(objects->fortran.info);
	free(objects->keyvals);
	free(objects);
	me->attributes = NULL;
}

struct mpi_job *mpi_rank_job(const struct mpi_rank *me)
{
	const struct mpi_world_objects *objects = me->world->predefined;

	return &objects->jobs[me->pd->program->config.job];
}

const int *mpi_rank_appnum(const struct mpi_rank *me)
{
	const struct mpi_world_objects *objects = me->world->predefined;

	return &objects->appnums[me->pd->program - me->pd->world->programs];
}

/* Without a value of its own: the cores that there are, or the ranks where those are more. */
static int universe_size(const struct cluster *cluster, int n_ranks)
{
	int64_t n_cores = (int64_t)cluster->n_nodes * cluster->cores;

	if (cluster->spawn.universe_size > 0)
		return cluster->spawn.universe_size;
	if (n_cores < n_ranks)
		return n_ranks;
	return n_cores < INT_MAX ? (int)n_cores : INT_MAX;
}

static int create_job(struct mpi_world *world, struct mpi_job *job, int first_rank)
{
	job->group = mpi_group_create_sequence(job->n_ranks, first_rank, 1);
	job->universe_size = universe_size(world->pd->cluster, job->n_ranks);
	/* the births of communicators are told apart by their parents' contexts */
	job->context = first_rank == 0 ? MPI_CONTEXT_WORLD : mpi_context_new(world);
	return job->group ? 0 : UTIL_ENOMEM;
}

static int create_jobs(struct mpi_world *world, struct mpi_world_objects *objects)
{
	const struct pd_program *programs = world->pd->programs;
	int n_programs = world->pd->n_programs, failed = 0;
	size_t n_more = (size_t)world->pd->config.max_spawned;

	objects->n_jobs = programs[n_programs - 1].config.job + 1;
	objects->jobs = calloc((size_t)objects->n_jobs + n_more, sizeof *objects->jobs);
	objects->appnums = calloc((size_t)n_programs + n_more, sizeof *objects->appnums);
	if (!objects->jobs || !objects->appnums)
		return UTIL_ENOMEM;
	for (int i = 0; i < n_programs; i++) {
		objects->jobs[programs[i].config.job].n_ranks += programs[i].config.n_ranks;
		if (i > 0 && programs[i].config.job == programs[i - 1].config.job)
			objects->appnums[i] = objects->appnums[i - 1] + 1;
	}
	for (int i = 0, first = 0; i < objects->n_jobs && !failed; i++) {
		failed = create_job(world, &objects->jobs[i], first);
		first += objects->jobs[i].n_ranks;
	}
	return failed;
}

struct mpi_job *mpi_job_prepare(struct mpi_world *world, int n_ranks)
{
	struct mpi_world_objects *objects = world->predefined;
	struct mpi_job *job = &objects->jobs[objects->n_jobs];

	*job = (struct mpi_job){.n_ranks = n_ranks};
	return create_job(world, job, world->pd->n_ranks) ? NULL : job;
}

void mpi_job_add(struct mpi_world *world, int n)
{
	struct mpi_world_objects *objects = world->predefined;
	int first = world->pd->n_programs - n;

	for (int i = 0; i < n; i++)
		objects->appnums[first + i] = i;
	objects->n_jobs++;
}

void mpi_job_forget(struct mpi_world *world)
{
	const struct mpi_world_objects *objects = world->predefined;

	mpi_group_release(NULL, objects->jobs[objects->n_jobs].group);
}

int mpi_objects_create(struct mpi_world *world)
{
	struct mpi_world_objects *objects = calloc(1, sizeof *objects);

	if (!objects)
		return UTIL_ENOMEM;
	world->predefined = objects;
	objects->tag_ub = INT_MAX;
	objects->io = MPI_ANY_SOURCE; /* every rank can */
	objects->host = MPI_PROC_NULL;
	objects->wtime_is_global = 1;
	if (mpi_group_recall_create(world) < 0)
		return UTIL_ENOMEM;
	return create_jobs(world, objects);
}

void mpi_objects_destroy(struct mpi_world *world)
{
	struct mpi_world_objects *objects = world->predefined;

	if (!objects)
		return;
	for (int i = 0; world->ranks && i < world->n_ranks; i++) {
		mpi_comm_finish(&world->ranks[i]);
		destroy_rank_objects(&world->ranks[i]);
	}
	mpi_meetings_destroy(world);
	mpi_group_recall_destroy(world);
	for (int i = 0; objects->jobs && i < objects->n_jobs; i++)
		mpi_group_release(NULL, objects->jobs[i].group);
	free(objects->jobs);
	free(objects->appnums);
	free(objects);
	world->predefined = NULL;
}
