/* SPDX-License-Identifier: BSD-3-Clause */
/* Corners of files: what is refused and with which class, memory that is not there. Run as
 * `semantics-io CASE` on 3 ranks. */
#include <mpisim.h>

#include "tests/mpi/io-cases.h"

static void opening_fails_with_its_class(void)
{
	char long_name[5000];
	MPI_Comm inter;
	MPI_Info info = (MPI_Info)(uintptr_t)12345;

	expect("no communicator", open_with(MPI_COMM_NULL, "", MPI_MODE_RDONLY), MPI_ERR_COMM);
	if (rank < 2) {
		MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, &inter);
		expect("intercommunicator", open_with(inter, "", MPI_MODE_RDONLY), MPI_ERR_COMM);
		MPI_Comm_free(&inter);
	}
	expect("no name", MPI_File_open(MPI_COMM_WORLD, NULL, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh),
	       MPI_ERR_ARG);
	expect("empty name", MPI_File_open(MPI_COMM_WORLD, "", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh),
	       MPI_ERR_BAD_FILE);
	expect("bits", open_with(MPI_COMM_WORLD, "", MPI_MODE_RDONLY | 1 << 20), MPI_ERR_AMODE);
	expect("info", MPI_File_open(MPI_COMM_WORLD, path_of(""), MPI_MODE_RDONLY, info, &fh),
	       MPI_ERR_INFO);
	expect("different modes",
	       open_with(MPI_COMM_WORLD, "", rank ? MPI_MODE_RDONLY : MPI_MODE_WRONLY),
	       MPI_ERR_NOT_SAME);
	expect("directory", open_with(MPI_COMM_WORLD, "/..", MPI_MODE_RDONLY),
	       MPI_ERR_NO_SUCH_FILE);
	expect("directory", MPI_File_open(MPI_COMM_WORLD, "/", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh),
	       MPI_ERR_BAD_FILE);
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = 0;
	expect("long name",
	       MPI_File_open(MPI_COMM_WORLD, long_name, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh),
	       MPI_ERR_BAD_FILE);
	expect("fh", fh == MPI_FILE_NULL, 1);
	if (rank == 0)
		expect("delete", MPI_File_delete(path_of(""), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

static void arguments_have_their_classes(void)
{
	MPI_File none = MPI_FILE_NULL;
	MPI_Datatype type;
	MPI_Request request;
	MPI_Offset offset;

	begin();
	expect("fh", MPI_File_read(none, global, 1, MPI_INT, &status), MPI_ERR_FILE);
	expect("count", MPI_File_read(fh, global, -1, MPI_INT, &status), MPI_ERR_COUNT);
	expect("type", MPI_File_read(fh, global, 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE);
	MPI_Type_contiguous(2, MPI_INT, &type);
	expect("not committed", MPI_File_read(fh, global, 1, type, &status), MPI_ERR_TYPE);
	expect("buffer", MPI_File_read(fh, NULL, 1, MPI_INT, &status), MPI_ERR_BUFFER);
	expect("request", MPI_File_iread(fh, global, 1, MPI_INT, NULL), MPI_ERR_ARG);
	expect("offset", MPI_File_iread_at(fh, -4, global, 1, MPI_INT, &request), MPI_ERR_ARG);
	expect("output", MPI_File_get_position(fh, NULL), MPI_ERR_ARG);
	expect("whence", MPI_File_seek(fh, 0, MPI_SEEK_SET + 10), MPI_ERR_ARG);
	expect("before the begin", MPI_File_seek(fh, -1, MPI_SEEK_CUR), MPI_ERR_ARG);
	expect("before the begin, all", MPI_File_seek_shared(fh, -1, MPI_SEEK_SET), MPI_ERR_ARG);
	expect("not the same", MPI_File_seek_shared(fh, rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
	expect("size", MPI_File_set_size(fh, -1), MPI_ERR_ARG);
	expect("sizes", MPI_File_set_size(fh, rank), MPI_ERR_NOT_SAME);
	expect("atomicity", MPI_File_set_atomicity(fh, rank == 1), MPI_ERR_NOT_SAME);
	expect("byte offset", MPI_File_get_byte_offset(fh, -1, &offset), MPI_ERR_ARG);
	expect("handler", MPI_File_set_errhandler(fh, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
	expect("info", MPI_File_set_info(fh, MPI_INFO_NULL), MPI_ERR_INFO);
	MPI_Type_free(&type);
	end();
}

static void set_view(const char *what, MPI_Datatype etype, MPI_Datatype filetype, int wanted)
{
	MPI_Type_commit(&filetype);
	expect(what, MPI_File_set_view(fh, 0, etype, filetype, "native", MPI_INFO_NULL), wanted);
	MPI_Type_free(&filetype);
}

static void views_are_checked(void)
{
	static const int displs[2] = {3, 0}, same[2] = {1, 1}, lengths[2] = {3, 1},
			 begins[2] = {0, 1};
	MPI_Datatype type;

	begin();
	MPI_Type_create_indexed_block(2, 1, displs, MPI_INT, &type);
	set_view("out of order", MPI_INT, type, MPI_ERR_IO);
	MPI_Type_create_indexed_block(2, 1, same, MPI_INT, &type);
	set_view("overlap", MPI_INT, type, MPI_ERR_IO);
	MPI_Type_create_hvector(2, 1, -8, MPI_INT, &type);
	set_view("before the begin", MPI_INT, type, MPI_ERR_IO);
	MPI_Type_indexed(2, lengths, begins, MPI_INT, &type);
	set_view("a run that reaches into the next", MPI_INT, type, MPI_ERR_IO);
	MPI_Type_contiguous(3, MPI_SHORT, &type);
	set_view("no whole etypes", MPI_INT, type, MPI_ERR_ARG);
	expect("datarep", MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, NULL, MPI_INFO_NULL),
	       MPI_ERR_ARG);
	expect("datarep", MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "", MPI_INFO_NULL),
	       MPI_ERR_UNSUPPORTED_DATAREP);
	expect("current",
	       MPI_File_set_view(fh, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
				 MPI_INFO_NULL),
	       MPI_ERR_ARG);
	expect("etypes differ",
	       MPI_File_set_view(fh, 0, rank ? MPI_INT : MPI_DOUBLE, rank ? MPI_INT : MPI_DOUBLE,
				 "native", MPI_INFO_NULL),
	       MPI_ERR_NOT_SAME);
	expect("right", MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL),
	       MPI_SUCCESS);
	expect("a part of an etype", MPI_File_write(fh, global, 2, MPI_BYTE, &status), MPI_ERR_IO);
	end();
}

/*
 * Items of {int, resized(int, 0, 4)} at 0 and 8 have their bounds from the second part alone (MPI
 * 4.1, §5.1.7: explicit markers decide): lb 8, extent 4, and data from 0 to 12. One of them may be
 * written; two would overlap.
 */
static void filetypes_may_reach_beyond_their_bounds(void)
{
	static const int lengths[2] = {1, 1};
	static const MPI_Aint displs[2] = {0, 8};
	MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL}, type;
	MPI_Aint lb, extent;
	int in[4] = {0};

	begin();
	MPI_Type_create_resized(MPI_INT, 0, 4, &types[1]);
	MPI_Type_create_struct(2, lengths, displs, types, &type);
	MPI_Type_get_extent(type, &lb, &extent);
	expect("lb", lb, 8);
	expect("extent", extent, 4);
	set_view("reaches beyond its bounds", MPI_INT, type, MPI_SUCCESS);
	global[0] = 1;
	global[1] = 2;
	if (rank == 0)
		expect("one", MPI_File_write(fh, global, 2, MPI_INT, &status), MPI_SUCCESS);
	expect("two", MPI_File_write_at(fh, 0, global, 3, MPI_INT, &status), MPI_ERR_IO);
	expect("reading two", MPI_File_read_at(fh, 0, in, 1, MPI_INT, &status), MPI_SUCCESS);
	MPI_File_sync(fh);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	expect("reading", MPI_File_read(fh, in, 3, MPI_INT, &status), MPI_SUCCESS);
	expect("first", in[0], 1);
	expect("gap", in[1], 0);
	expect("second", in[2], 2);
	MPI_Type_free(&types[1]);
	end();
}

/* All pointers begin where the file ended when it was opened, whatever the first rank to go on
 * writes. */
static void appending_begins_where_the_file_ended(void)
{
	MPI_Offset at = -1;

	expect("create", open_with(MPI_COMM_WORLD, "", MPI_MODE_CREATE | MPI_MODE_RDWR),
	       MPI_SUCCESS);
	if (rank == 0)
		MPI_File_write(fh, global, 5, MPI_INT, &status);
	end();
	expect("append",
	       open_with(MPI_COMM_WORLD, "",
			 MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE),
	       MPI_SUCCESS);
	if (rank == 0)
		MPI_File_write(fh, global, 3, MPI_INT, &status);
	MPI_File_get_position(fh, &at);
	expect("begin", at, (rank == 0 ? 8 : 5) * (long long)sizeof(int));
	end();
}

static void pending_accesses_hold_the_file(void)
{
	MPI_Request request;

	begin();
	MPI_File_iwrite_at(fh, rank * (MPI_Offset)sizeof global, global, N, MPI_INT, &request);
	expect("close", MPI_File_close(&fh), MPI_ERR_REQUEST);
	expect("size", MPI_File_set_size(fh, 0), MPI_ERR_IO);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	expect("cancel", MPI_Cancel(&request), MPI_ERR_REQUEST);
	/* not allowed, but what is under way keeps its view, and programs that rely on it do so */
	expect("view", MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
	       MPI_SUCCESS);
	MPI_Wait(&request, &status);
	expect("count", count_of(MPI_INT), N);
	MPI_File_iread_at(fh, 0, global, N, MPI_INT, &request);
	MPI_Request_free(&request);
	mpisim_add_compute_time(1);
	MPI_Barrier(MPI_COMM_WORLD);
	expect("read", global[N - 1], N - 1);
	end();
}

static void halves_belong_together(void)
{
	begin();
	expect("no begin", MPI_File_write_all_end(fh, global, &status), MPI_ERR_IO);
	expect("begin", MPI_File_write_all_begin(fh, global, 1, MPI_INT), MPI_SUCCESS);
	expect("other end", MPI_File_write_at_all_end(fh, global, &status), MPI_ERR_IO);
	expect("reading end", MPI_File_read_all_end(fh, global, &status), MPI_ERR_IO);
	expect("second", MPI_File_write_at_all_begin(fh, 0, global, 1, MPI_INT), MPI_ERR_IO);
	expect("collective", MPI_File_write_all(fh, global, 1, MPI_INT, &status), MPI_ERR_IO);
	expect("close", MPI_File_close(&fh), MPI_ERR_REQUEST);
	expect("alone", MPI_File_write_at(fh, 100, global, 1, MPI_INT, &status), MPI_SUCCESS);
	expect("end", MPI_File_write_all_end(fh, global, &status), MPI_SUCCESS);
	end();
}

/* --- representations --- */
/* --- memory and size --- */

static void absent_buffers_are_not_touched(void)
{
	const MPI_Count big = 3000000000;
	char *absent = mpisim_alloc((size_t)big);
	MPI_Count count;
	MPI_Offset size;
	int in[2] = {-1, -1};

	begin();
	MPI_Barrier(MPI_COMM_WORLD);
	expect("write", MPI_File_write_at_c(fh, rank * big, absent, big, MPI_BYTE, &status),
	       MPI_SUCCESS);
	MPI_Get_count_c(&status, MPI_BYTE, &count);
	expect("count", count, big);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_get_size(fh, &size);
	expect("size", size, 3 * big);
	MPI_File_read_at_c(fh, 3 * big - 5, absent, big, MPI_BYTE, &status);
	MPI_Get_count_c(&status, MPI_BYTE, &count);
	expect("at the end", count, 5);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_write_at(fh, 2 * big + 8 * rank, global, 2, MPI_INT, &status);
	MPI_File_read_at(fh, 2 * big + 8 * rank, in, 2, MPI_INT, &status);
	expect("far away", in[1], global[1]);
	mpisim_free(absent);
	end();
}

static void views_give_what_they_were_made_of(void)
{
	static const int displs[2] = {0, 3};
	MPI_Datatype type, etype, filetype;
	MPI_Offset disp;
	char datarep[MPI_MAX_DATAREP_STRING];
	int n_integers, n_addresses, n_types, combiner;

	begin();
	MPI_Type_create_indexed_block(2, 1, displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_File_set_view(fh, 7, MPI_INT, type, "internal", MPI_INFO_NULL);
	MPI_Type_free(&type);
	MPI_File_get_view(fh, &disp, &etype, &filetype, datarep);
	expect("disp", disp, 7);
	expect("etype", etype == MPI_INT, 1);
	expect("datarep", strcmp(datarep, "internal"), 0);
	MPI_Type_get_envelope(filetype, &n_integers, &n_addresses, &n_types, &combiner);
	expect("combiner", combiner, MPI_COMBINER_INDEXED_BLOCK);
	MPI_Type_free(&filetype);
	expect("number", MPI_File_fromint(MPI_File_toint(fh)) == fh, 1);
	end();
}

static const struct test_case cases[] = {
    {"opening_fails_with_its_class", opening_fails_with_its_class},
    {"arguments_have_their_classes", arguments_have_their_classes},
    {"views_are_checked", views_are_checked},
    {"filetypes_may_reach_beyond_their_bounds", filetypes_may_reach_beyond_their_bounds},
    {"appending_begins_where_the_file_ended", appending_begins_where_the_file_ended},
    {"pending_accesses_hold_the_file", pending_accesses_hold_the_file},
    {"halves_belong_together", halves_belong_together},
    {"absent_buffers_are_not_touched", absent_buffers_are_not_touched},
    {"views_give_what_they_were_made_of", views_give_what_they_were_made_of},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
