/* SPDX-License-Identifier: BSD-3-Clause */
/* Size, bounds and density of a typemap, by the definitions of the standard's section on datatypes.
 */
#include "mpi/datatype/layout.h"

/* What is known of the blocks added so far. */
struct layout {
	bool has_lb, has_ub; /* some entry brought this bound explicitly: then only those count */
	bool is_dense;
	MPI_Count size_B, n_elements;
	MPI_Count lb_B, ub_B, true_lb_B, true_ub_B;
	MPI_Count dense_end_B;
	int alignment_B;
};

/* Where the items of a block begin: the lowest and the highest of them. */
static int block_span(const struct mpi_datatype *child, MPI_Count at_B, MPI_Count length,
		      MPI_Count *low, MPI_Count *high)
{
	MPI_Count last_B;

	if (__builtin_mul_overflow(length - 1, child->extent_B, &last_B) ||
	    __builtin_add_overflow(at_B, last_B, &last_B))
		return -1;
	*low = last_B < at_B ? last_B : at_B;
	*high = last_B < at_B ? at_B : last_B;
	return 0;
}

static void add_explicit_bounds(struct layout *layout, const struct mpi_datatype *child,
				MPI_Count lb_B, MPI_Count ub_B)
{
	if (child->has_lb && (!layout->has_lb || lb_B < layout->lb_B))
		layout->lb_B = lb_B;
	if (child->has_ub && (!layout->has_ub || ub_B > layout->ub_B))
		layout->ub_B = ub_B;
	layout->has_lb |= child->has_lb;
	layout->has_ub |= child->has_ub;
}

static int add_true_bounds(struct layout *layout, const struct mpi_datatype *child, MPI_Count low,
			   MPI_Count high)
{
	MPI_Count begin_B, end_B;

	if (__builtin_add_overflow(low, child->true_lb_B, &begin_B) ||
	    __builtin_add_overflow(high, child->true_lb_B + child->true_extent_B, &end_B))
		return -1;
	if (layout->size_B == 0 || begin_B < layout->true_lb_B)
		layout->true_lb_B = begin_B;
	if (layout->size_B == 0 || end_B > layout->true_ub_B)
		layout->true_ub_B = end_B;
	return 0;
}

static int add_data(struct layout *layout, const struct mpi_datatype *child, MPI_Count at_B,
		    MPI_Count length)
{
	bool is_dense = child->is_dense && (length == 1 || child->is_contiguous);
	MPI_Count begin_B = at_B + child->true_lb_B;
	MPI_Count size_B, n_elements;

	if (__builtin_mul_overflow(length, child->size_B, &size_B))
		return -1;
	n_elements = length * child->n_elements; /* an element has at least one byte */
	layout->is_dense = is_dense && (layout->size_B == 0 ||
					(layout->is_dense && begin_B == layout->dense_end_B));
	if (layout->is_dense && __builtin_add_overflow(begin_B, size_B, &layout->dense_end_B))
		return -1;
	if (child->alignment_B > layout->alignment_B)
		layout->alignment_B = child->alignment_B;
	layout->n_elements += n_elements;
	return __builtin_add_overflow(layout->size_B, size_B, &layout->size_B) ? -1 : 0;
}

static int add_block(struct layout *layout, const struct mpi_datatype *child, MPI_Count at_B,
		     MPI_Count length)
{
	MPI_Count low, high, lb_B, ub_B;

	if (length == 0 || (child->size_B == 0 && !child->has_lb && !child->has_ub))
		return 0;
	if (block_span(child, at_B, length, &low, &high) < 0 ||
	    __builtin_add_overflow(low, child->lb_B, &lb_B) ||
	    __builtin_add_overflow(high, child->lb_B + child->extent_B, &ub_B))
		return -1;
	add_explicit_bounds(layout, child, lb_B, ub_B);
	if (child->size_B == 0)
		return 0;
	if (add_true_bounds(layout, child, low, high) < 0)
		return -1;
	return add_data(layout, child, at_B, length);
}

/* All blocks of a regular list lie between its first and its last, and hold the same. */
static int add_strided(struct layout *layout, const struct mpi_typemap *map)
{
	const struct mpi_datatype *child = map->child;
	MPI_Count n = map->n_blocks, length = map->blocklength, last_B, block_B;

	if (n == 0)
		return 0;
	if (__builtin_mul_overflow(n - 1, map->stride_B, &last_B) ||
	    __builtin_add_overflow(last_B, map->offset_B, &last_B) ||
	    add_block(layout, child, map->offset_B, length) < 0)
		return -1;
	if (n == 1)
		return 0;
	block_B = layout->size_B;
	if (add_block(layout, child, last_B, length) < 0 ||
	    __builtin_mul_overflow(n, block_B, &layout->size_B))
		return -1;
	layout->n_elements = n * length * child->n_elements;
	layout->is_dense =
	    map->stride_B == block_B && child->is_dense && (length == 1 || child->is_contiguous);
	return 0;
}

static int add_listed(struct layout *layout, const struct mpi_typemap *map)
{
	for (MPI_Count i = 0; i < map->n_blocks; i++) {
		MPI_Count at_B;

		if (__builtin_mul_overflow(map->displs[i], map->scale_B, &at_B) ||
		    add_block(layout, mpi_map_child(map, i), at_B, mpi_map_length(map, i)) < 0)
			return -1;
	}
	return 0;
}

/*
 * Where a bound is not explicit a type begins with its first byte, and ends with its last one and
 * goes on (the standard's epsilon) to a multiple of its strictest alignment: of the whole typemap,
 * whatever padding its parts have by themselves.
 */
static int find_bounds(struct layout *layout, MPI_Count *extent_B)
{
	MPI_Count excess_B, end_B;

	if (!layout->has_lb)
		layout->lb_B = layout->true_lb_B;
	if (!layout->has_ub)
		layout->ub_B = layout->true_ub_B;
	if (__builtin_sub_overflow(layout->ub_B, layout->lb_B, extent_B))
		return -1;
	excess_B = *extent_B % layout->alignment_B;
	if (excess_B < 0) /* an explicit lower bound behind all data */
		excess_B += layout->alignment_B;
	if (layout->has_ub || excess_B == 0)
		return 0;
	if (__builtin_add_overflow(*extent_B, layout->alignment_B - excess_B, extent_B))
		return -1;
	return __builtin_add_overflow(layout->lb_B, *extent_B, &end_B) ? -1 : 0;
}

int mpi_layout_measure(const struct mpi_typemap *map, struct mpi_datatype *type)
{
	struct layout layout = {.is_dense = true, .alignment_B = 1};
	MPI_Count extent_B, true_extent_B;

	if ((map->kind == MAP_STRIDED ? add_strided(&layout, map) : add_listed(&layout, map)) < 0 ||
	    find_bounds(&layout, &extent_B) < 0 ||
	    __builtin_sub_overflow(layout.true_ub_B, layout.true_lb_B, &true_extent_B))
		return -1;
	type->size_B = layout.size_B;
	type->n_elements = layout.n_elements;
	type->lb_B = layout.lb_B;
	type->extent_B = extent_B;
	type->true_lb_B = layout.true_lb_B;
	type->true_extent_B = true_extent_B;
	type->has_lb = layout.has_lb;
	type->has_ub = layout.has_ub;
	type->is_dense = layout.is_dense || layout.size_B == 0;
	type->is_contiguous =
	    type->is_dense && (layout.size_B == 0 || type->extent_B == type->size_B);
	type->alignment_B = layout.alignment_B;
	return 0;
}
