/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks filetypes: from positions of data to places in the file and back. */
#include "mpi/io/view.h"

#include "mpi/io/datarep.h"

struct walk {
	int64_t skip_B;		     /* data that come before the first wanted */
	int64_t left_B;		     /* data that are still wanted */
	int64_t run_offset_B, run_B; /* found and not yet visited; run_B 0: none */
	io_run_fn visit;
	void *context;
	bool is_over;
};

static void flush(struct walk *walk)
{
	if (walk->run_B > 0 && !walk->visit(walk->context, walk->run_offset_B, walk->run_B))
		walk->is_over = true;
	walk->run_B = 0;
}

static void add_run(struct walk *walk, int64_t at_B, int64_t length_B)
{
	int64_t skipped_B = walk->skip_B < length_B ? walk->skip_B : length_B;

	walk->skip_B -= skipped_B;
	at_B += skipped_B;
	length_B -= skipped_B;
	if (length_B > walk->left_B)
		length_B = walk->left_B;
	if (length_B == 0)
		return;
	if (walk->run_B == 0 || walk->run_offset_B + walk->run_B != at_B) {
		flush(walk);
		walk->run_offset_B = at_B;
	}
	walk->run_B += length_B;
	walk->left_B -= length_B;
}

static bool goes_on(const struct walk *walk)
{
	return walk->left_B > 0 && !walk->is_over;
}

static void walk_items(struct walk *walk, const struct mpi_datatype *type, int64_t at_B,
		       MPI_Count n);

static void walk_map(struct walk *walk, const struct mpi_typemap *map, int64_t at_B)
{
	MPI_Count first = 0;

	if (map->kind == MAP_STRIDED && map->blocklength * map->child->size_B > 0) {
		MPI_Count block_B = map->blocklength * map->child->size_B;

		first = walk->skip_B /
			block_B; /* less than there are: whole items are skipped before */
		walk->skip_B -= first * block_B;
	}
	for (MPI_Count i = first; i < map->n_blocks && goes_on(walk); i++)
		walk_items(walk, mpi_map_child(map, i), at_B + mpi_map_displacement(map, i),
			   mpi_map_length(map, i));
}

/* `n` items, the first at at_B. */
static void walk_items(struct walk *walk, const struct mpi_datatype *type, int64_t at_B,
		       MPI_Count n)
{
	MPI_Count first, size_B;

	if (type->size_B == 0 || n == 0)
		return;
	first = walk->skip_B / type->size_B;
	if (first >= n) {
		walk->skip_B -= n * type->size_B;
		return;
	}
	walk->skip_B -= first * type->size_B;
	at_B += first * type->extent_B;
	n -= first;
	if (type->is_contiguous) {
		if (__builtin_mul_overflow(n, type->size_B, &size_B))
			size_B = INT64_MAX;
		add_run(walk, at_B + type->true_lb_B, size_B);
		return;
	}
	for (; n > 0 && goes_on(walk); n--, at_B += type->extent_B) {
		if (type->is_dense)
			add_run(walk, at_B + type->true_lb_B, type->size_B);
		else
			walk_map(walk, type->map, at_B);
	}
}

void io_view_visit(const struct io_view *view, int64_t position_B, int64_t size_B, io_run_fn visit,
		   void *context)
{
	struct walk walk = {
	    .skip_B = position_B, .left_B = size_B, .visit = visit, .context = context};

	walk_items(&walk, view->tile, view->disp_B, INT64_MAX);
	flush(&walk);
}

static bool note_offset(void *context, int64_t offset_B, int64_t length_B)
{
	*(int64_t *)context = offset_B;
	return false;
}

int64_t io_view_offset(const struct io_view *view, int64_t position_B)
{
	int64_t offset_B = view->disp_B;

	io_view_visit(view, position_B, 1, note_offset, &offset_B);
	return offset_B;
}

struct below {
	int64_t end_B, size_B;
};

static bool add_below(void *context, int64_t offset_B, int64_t length_B)
{
	struct below *below = context;
	int64_t room_B = below->end_B - offset_B;

	if (room_B <= 0)
		return false;
	below->size_B += room_B < length_B ? room_B : length_B;
	return room_B > length_B;
}

int64_t io_view_size(const struct io_view *view, int64_t end_B)
{
	const struct mpi_datatype *tile = view->tile;
	int64_t n = 0, rest_B = end_B - view->disp_B;
	struct below below;

	if (rest_B <= 0 || tile->size_B == 0)
		return 0;
	/* The data of an item may reach beyond its extent, into the next ones: those are looked at.
	 */
	if (tile->extent_B > 0)
		n = (rest_B - tile->true_lb_B - tile->true_extent_B) / tile->extent_B;
	if (n < 0)
		n = 0;
	below = (struct below){.end_B = end_B, .size_B = n * tile->size_B};
	io_view_visit(view, n * tile->size_B, INT64_MAX, add_below, &below);
	return below.size_B;
}

struct order {
	int64_t least_B; /* where the next run may begin */
	bool is_disjoint, is_out_of_order, overlaps;
};

static bool check_order(void *context, int64_t offset_B, int64_t length_B)
{
	struct order *order = context;

	if (offset_B < 0)
		order->is_out_of_order = true;
	else if (offset_B < order->least_B)
		order->overlaps = true;
	order->least_B = offset_B + (order->is_disjoint ? length_B : 0);
	return !order->is_out_of_order && !order->overlaps;
}

const char *io_view_problem(const struct mpi_datatype *type, bool is_disjoint)
{
	struct order order = {.is_disjoint = is_disjoint};
	struct walk walk = {.left_B = type->size_B, .visit = check_order, .context = &order};

	if (type->is_contiguous && type->true_lb_B >= 0)
		return NULL;
	if (type->extent_B <= 0 && type->size_B > 0)
		return "has data and no extent";
	walk_items(&walk, type, 0, 1);
	flush(&walk);
	if (order.is_out_of_order)
		return "has data before its begin";
	if (order.overlaps)
		return "has data that are out of order or overlap";
	return NULL;
}

void io_view_init(struct mpi_rank *me, struct io_view *view)
{
	struct mpi_datatype *byte = mpi_datatype_get(me, MPI_BYTE);

	*view = (struct io_view){.etype = byte,
				 .filetype = byte,
				 .tile = byte,
				 .etype_B = 1,
				 .etype_extent_B = 1,
				 .datarep = io_datarep_native()};
}

void io_view_finish(struct mpi_rank *me, struct io_view *view)
{
	mpi_datatype_release(me, view->etype);
	mpi_datatype_release(me, view->filetype);
	mpi_datatype_release(me, view->tile);
}
