/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to write and to read a file, by every kind of intracommunicator, with views of every
 * kind of datatype. */
#include "io_check.h"
#include "kinds.h"

/* Item i of a file is item i % N_ITEMS of process i / N_ITEMS. */
enum way { EXPLICIT, EXPLICIT_ALL, NONBLOCKING, POINTER, ORDERED, SPLIT, SPLIT_ORDERED, N_WAYS };

static void write_items(MPI_File file, enum way way, char *items, const struct kind *kind,
			MPI_Offset first)
{
	MPI_Request request;

	switch (way) {
	case EXPLICIT:
		MPI_File_write_at(file, first, items, N_ITEMS, kind->type, MPI_STATUS_IGNORE);
		break;
	case EXPLICIT_ALL:
		MPI_File_write_at_all(file, first, items, N_ITEMS, kind->type, MPI_STATUS_IGNORE);
		break;
	case NONBLOCKING:
		MPI_File_iwrite_at(file, first, items, N_ITEMS, kind->type, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		break;
	case POINTER:
		MPI_File_seek(file, first, MPI_SEEK_SET);
		MPI_File_write(file, items, 1, kind->type, MPI_STATUS_IGNORE);
		MPI_File_iwrite(file, items + kind->extent, 1, kind->type, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_File_write_all(file, items + 2 * kind->extent, N_ITEMS - 2, kind->type,
				   MPI_STATUS_IGNORE);
		break;
	case ORDERED:
		MPI_File_write_ordered(file, items, N_ITEMS, kind->type, MPI_STATUS_IGNORE);
		break;
	case SPLIT:
		MPI_File_write_at_all_begin(file, first, items, N_ITEMS, kind->type);
		MPI_File_write_at_all_end(file, items, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_File_write_ordered_begin(file, items, N_ITEMS, kind->type);
		MPI_File_write_ordered_end(file, items, MPI_STATUS_IGNORE);
	}
}

static void read_items(MPI_File file, enum way way, char *items, const struct kind *kind,
		       MPI_Offset first)
{
	MPI_Request request;

	switch (way) {
	case EXPLICIT:
		MPI_File_read_at(file, first, items, N_ITEMS, kind->type, MPI_STATUS_IGNORE);
		break;
	case EXPLICIT_ALL:
		MPI_File_read_at_all(file, first, items, N_ITEMS, kind->type, MPI_STATUS_IGNORE);
		break;
	case NONBLOCKING:
		MPI_File_iread_at(file, first, items, N_ITEMS, kind->type, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		break;
	case POINTER: /* from behind: pointers count items of the view */
		MPI_File_seek(file, first, MPI_SEEK_SET);
		MPI_File_seek(file, N_ITEMS - 1, MPI_SEEK_CUR);
		MPI_File_read(file, items + (N_ITEMS - 1) * kind->extent, 1, kind->type,
			      MPI_STATUS_IGNORE);
		MPI_File_seek(file, -N_ITEMS, MPI_SEEK_CUR);
		MPI_File_iread(file, items, 1, kind->type, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_File_read_all(file, items + kind->extent, N_ITEMS - 2, kind->type,
				  MPI_STATUS_IGNORE);
		break;
	case ORDERED:
		MPI_File_read_ordered(file, items, N_ITEMS, kind->type, MPI_STATUS_IGNORE);
		break;
	case SPLIT:
		MPI_File_read_at_all_begin(file, first, items, N_ITEMS, kind->type);
		MPI_File_read_at_all_end(file, items, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_File_read_ordered_begin(file, items, N_ITEMS, kind->type);
		MPI_File_read_ordered_end(file, items, MPI_STATUS_IGNORE);
	}
}

static MPI_File open_with(const struct one_comm *one, const char *path, const struct kind *kind,
			  int amode)
{
	MPI_File file;

	CHECK_INT(MPI_File_open(one->comm, path, amode, MPI_INFO_NULL, &file), MPI_SUCCESS);
	CHECK_INT(MPI_File_set_view(file, 0, kind->type, kind->type, "native", MPI_INFO_NULL),
		  MPI_SUCCESS);
	return file;
}

/* Whether a filetype may be this type: places that do not fall, none below its origin. */
static int is_filetype(const struct kind *kind)
{
	for (int k = 0; k < kind->n_pieces; k++)
		if (kind->pieces[k].at < (k ? kind->pieces[k - 1].at : 0))
			return 0;
	return 1;
}

static void check_view(MPI_File file, const struct kind *kind)
{
	MPI_Datatype types[2];
	MPI_Offset place, end;
	MPI_Aint extent;
	char representation[MPI_MAX_DATAREP_STRING];

	MPI_File_get_view(file, &place, &types[0], &types[1], representation);
	CHECK(place == 0 && strcmp(representation, "native") == 0);
	for (int i = 0; i < 2; i++)
		if (kind->is_derived)
			MPI_Type_free(&types[i]);
		else
			CHECK(types[i] == kind->type);
	MPI_File_get_type_extent(file, kind->type, &extent);
	CHECK_INT(extent, kind->extent);
	MPI_File_seek(file, N_ITEMS, MPI_SEEK_SET);
	MPI_File_get_byte_offset(file, N_ITEMS, &end);
	CHECK_INT(end, N_ITEMS * kind->extent + kind->pieces[0].at);
}

/* Each process writes its items in one way, and reads those of the next one in another. */
static void write_and_read(const struct one_comm *one, const struct kind *kind)
{
	char path[4200];
	int next = (one->rank + 1) % one->n_others;

	snprintf(path, sizeof path, "%s-%d", path_of("kinds"), one->others[0]);
	for (enum way way = 0; way < N_WAYS; way++) {
		enum way back = (way + 3) % N_WAYS;
		int is_ordered = back == ORDERED || back == SPLIT_ORDERED,
		    from = is_ordered ? one->rank : next;
		unsigned char *out = filled_buffer(kind, N_ITEMS, me),
			      *in = empty_buffer(kind, N_ITEMS);
		MPI_File file = open_with(one, path, kind, MPI_MODE_CREATE | MPI_MODE_WRONLY);

		write_items(file, way, origin(kind, out), kind, N_ITEMS * one->rank);
		MPI_File_close(&file);
		MPI_Barrier(one->comm);
		file = open_with(one, path, kind, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
		read_items(file, back, origin(kind, in), kind, N_ITEMS * from);
		check_view(file, kind);
		MPI_File_close(&file);
		CHECK(same(kind, in, filled_buffer(kind, N_ITEMS, one->others[from]), N_ITEMS));
		free(out);
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	make_kinds();
	make_comms();
	for (int i = 0; i < n_comms; i++)
		for (int k = 0; k < n_kinds; k++)
			if (!comms[i].is_inter && is_filetype(&kinds[k]))
				write_and_read(&comms[i], &kinds[k]);
	section_end("writing and reading");
	free_comms();
	free_kinds();
	return check_finish();
}
