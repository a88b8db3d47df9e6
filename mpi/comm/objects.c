/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/comm.h"
#include "mpi/comm/objects.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi/comm/context.h"
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
	free(objects->keyvals);
	free(objects);
	me->attributes = NULL;
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
	objects->universe_size = world->n_ranks;
	objects->world_group = mpi_group_create_sequence(world->n_ranks, 0, 1);
	return objects->world_group ? mpi_context_registry_create(world) : UTIL_ENOMEM;
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
	mpi_context_registry_destroy(world);
	mpi_group_release(NULL, objects->world_group);
	free(objects);
	world->predefined = NULL;
}
