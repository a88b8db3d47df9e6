/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the data of items lie: walks the tree as packing does. */
#include "mpi/datatype/typemap.h"

struct walk {
	mpi_datatype_run_fn visit;
	void *context;
};

static void walk_items(const struct walk *walk, const struct mpi_datatype *type, uintptr_t at,
		       MPI_Count count);

static void walk_map(const struct walk *walk, const struct mpi_typemap *map, uintptr_t at)
{
	for (MPI_Count i = 0; i < map->n_blocks; i++)
		walk_items(walk, mpi_map_child(map, i),
			   at + (uintptr_t)mpi_map_displacement(map, i), mpi_map_length(map, i));
}

static void walk_items(const struct walk *walk, const struct mpi_datatype *type, uintptr_t at,
		       MPI_Count count)
{
	if (type->size_B == 0 || count <= 0)
		return;
	if (type->is_contiguous) {
		walk->visit(walk->context, at + (uintptr_t)type->true_lb_B,
			    (size_t)(count * type->size_B));
		return;
	}
	for (MPI_Count i = 0; i < count; i++, at += (uintptr_t)type->extent_B) {
		if (type->is_dense || !type->map)
			walk->visit(walk->context, at + (uintptr_t)type->true_lb_B,
				    (size_t)type->size_B);
		else
			walk_map(walk, type->map, at);
	}
}

void mpi_datatype_runs(const struct mpi_datatype *type, const void *buf, MPI_Count count,
		       mpi_datatype_run_fn visit, void *context)
{
	struct walk walk = {visit, context};

	walk_items(&walk, type, (uintptr_t)buf, count);
}
