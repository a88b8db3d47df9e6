/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_IO_VIEW_H
#define MPI_IO_VIEW_H

#include "mpi/datatype/typemap.h"

/*
 * Views: which bytes of a file a rank sees. Its data are numbered from 0 on, as if the holes of the
 * filetype were not there; a position is such a number.
 */
struct io_datarep;

struct io_view {
	int64_t disp_B;
	struct mpi_datatype *etype, *filetype; /* as given; retained */
	struct mpi_datatype *tile;	       /* the filetype as it lies in the file; retained */
	MPI_Count etype_B;		       /* bytes of an etype in the file; > 0 */
	MPI_Count etype_extent_B;	       /* … and from one to the next */
	const struct io_datarep *datarep;      /* borrowed */
};

/* A run of bytes that the view shows, at `offset_B` in the file. False: no more of them. */
typedef bool (*io_run_fn)(void *context, int64_t offset_B, int64_t length_B);

/*
 * Visits the runs of `size_B` bytes of data from `position_B` on, in order, neighbours joined. The
 * tile has data, or size_B is 0. O(runs), and for listed types O(blocks before the first).
 */
void io_view_visit(const struct io_view *view, int64_t position_B, int64_t size_B, io_run_fn visit,
		   void *context);
/* Where the byte of this position lies in the file. */
int64_t io_view_offset(const struct io_view *view, int64_t position_B);
/* How many bytes of data the view shows below `end_B`. */
int64_t io_view_size(const struct io_view *view, int64_t end_B);
/* NULL, or why the type cannot be a filetype: its bytes must come in order, none before the type's
 * begin; with `is_disjoint` (the file may be written) none twice, else runs may reach into the
 * next. One item is looked at: that it overlaps the next one matters where it is repeated. O(runs).
 */
const char *io_view_problem(const struct mpi_datatype *type, bool is_disjoint);

/* Retains what the view holds; lets it go. */
void io_view_init(struct mpi_rank *me, struct io_view *view);
void io_view_finish(struct mpi_rank *me, struct io_view *view);

#endif
