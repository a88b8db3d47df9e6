/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing and unpacking: walks the tree, moves whole runs. */
#include <string.h>

#include "mpi/datatype/typemap.h"

/* The packed side of the walk. Addresses are integers: MPI_BOTTOM with absolute displacements
 * begins at 0. */
struct cursor {
	char *packed;
	MPI_Count left_B; /* of the packed side */
	bool is_unpacking;
};

static void walk_items(struct cursor *cursor, const struct mpi_datatype *type, uintptr_t at,
		       MPI_Count count);

/* memcpy, without a call for the sizes that members of structs mostly have. */
static inline void copy(void *to, const void *from, size_t n)
{
	switch (n) {
	case 4:
		memcpy(to, from, 4);
		break;
	case 8:
		memcpy(to, from, 8);
		break;
	case 16:
		memcpy(to, from, 16);
		break;
	default:
		memcpy(to, from, n);
	}
}

static inline void move_run(struct cursor *cursor, uintptr_t at, MPI_Count size_B)
{
	size_t n = (size_t)(size_B < cursor->left_B ? size_B : cursor->left_B);

	if (n == 0)
		return;
	if (cursor->is_unpacking)
		copy((void *)at, cursor->packed, n);
	else
		copy(cursor->packed, (const void *)at, n);
	cursor->packed += n;
	cursor->left_B -= (MPI_Count)n;
}

/*
 * Runs of a constant small size: the compiler turns the memcpy into one load and one store. Both
 * loops are the same but for the direction.
 */
static void move_runs_of_4(struct cursor *cursor, uintptr_t at, MPI_Count n, MPI_Count stride_B)
{
	char *packed = cursor->packed;

	if (cursor->is_unpacking)
		for (MPI_Count i = 0; i < n; i++, at += (uintptr_t)stride_B, packed += 4)
			memcpy((void *)at, packed, 4);
	else
		for (MPI_Count i = 0; i < n; i++, at += (uintptr_t)stride_B, packed += 4)
			memcpy(packed, (const void *)at, 4);
}

static void move_runs_of_8(struct cursor *cursor, uintptr_t at, MPI_Count n, MPI_Count stride_B)
{
	char *packed = cursor->packed;

	if (cursor->is_unpacking)
		for (MPI_Count i = 0; i < n; i++, at += (uintptr_t)stride_B, packed += 8)
			memcpy((void *)at, packed, 8);
	else
		for (MPI_Count i = 0; i < n; i++, at += (uintptr_t)stride_B, packed += 8)
			memcpy(packed, (const void *)at, 8);
}

/* n runs of run_B bytes, stride_B apart. */
static void move_runs(struct cursor *cursor, uintptr_t at, MPI_Count n, MPI_Count run_B,
		      MPI_Count stride_B)
{
	bool is_whole = n <= cursor->left_B / run_B;

	if (!is_whole || (run_B != 4 && run_B != 8)) {
		for (MPI_Count i = 0; i < n && cursor->left_B > 0; i++, at += (uintptr_t)stride_B)
			move_run(cursor, at, run_B);
		return;
	}
	if (run_B == 4)
		move_runs_of_4(cursor, at, n, stride_B);
	else
		move_runs_of_8(cursor, at, n, stride_B);
	cursor->packed += n * run_B;
	cursor->left_B -= n * run_B;
}

static void walk_map(struct cursor *cursor, const struct mpi_typemap *map, uintptr_t at)
{
	const struct mpi_datatype *child = map->child;

	if (map->kind == MAP_STRIDED && child->is_dense &&
	    (map->blocklength == 1 || child->is_contiguous)) {
		move_runs(cursor, at + (uintptr_t)(map->offset_B + child->true_lb_B), map->n_blocks,
			  map->blocklength * child->size_B, map->stride_B);
		return;
	}
	for (MPI_Count i = 0; i < map->n_blocks && cursor->left_B > 0; i++) {
		const struct mpi_datatype *block_child = mpi_map_child(map, i);
		uintptr_t block_at = at + (uintptr_t)mpi_map_displacement(map, i);
		MPI_Count length = mpi_map_length(map, i);

		if (block_child->is_contiguous)
			move_run(cursor, block_at + (uintptr_t)block_child->true_lb_B,
				 length * block_child->size_B);
		else
			walk_items(cursor, block_child, block_at, length);
	}
}

static void walk_items(struct cursor *cursor, const struct mpi_datatype *type, uintptr_t at,
		       MPI_Count count)
{
	if (type->size_B == 0 || count == 0)
		return;
	if (type->is_contiguous)
		move_run(cursor, at + (uintptr_t)type->true_lb_B, count * type->size_B);
	else if (type->is_dense)
		move_runs(cursor, at + (uintptr_t)type->true_lb_B, count, type->size_B,
			  type->extent_B);
	else
		for (MPI_Count i = 0; i < count && cursor->left_B > 0;
		     i++, at += (uintptr_t)type->extent_B)
			walk_map(cursor, type->map, at);
}

void mpi_datatype_pack(const struct mpi_datatype *type, const void *buf, MPI_Count count,
		       void *packed)
{
	struct cursor cursor = {.packed = packed, .left_B = count * type->size_B};

	walk_items(&cursor, type, (uintptr_t)buf, count);
}

void mpi_datatype_unpack(const struct mpi_datatype *type, void *buf, MPI_Count count,
			 const void *packed, MPI_Count size_B)
{
	struct cursor cursor = {.packed = (char *)packed, .left_B = size_B, .is_unpacking = true};

	walk_items(&cursor, type, (uintptr_t)buf, count);
}
