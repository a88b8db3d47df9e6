/* SPDX-License-Identifier: BSD-3-Clause */
/* Corners of files: what is refused and with which class, representations of the program's own,
 * memory that is not there. Run as `semantics-io CASE` on 3 ranks. */
#include <mpisim.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/mpi/cases.h"

enum { N = 8 };

static int global[N];
static char path[4096];
static MPI_File fh;
static MPI_Status status;

static const char *path_of(const char *name)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof path, "%s/semantics-io-%d%s", folder ? folder : "/tmp", (int)getpid(),
		 name);
	return path;
}

static int open_with(MPI_Comm comm, const char *name, int amode)
{
	return MPI_File_open(comm, path_of(name), amode, MPI_INFO_NULL, &fh);
}

static void begin(void)
{
	expect("open",
	       open_with(MPI_COMM_WORLD, "",
			 MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE),
	       MPI_SUCCESS);
	for (int i = 0; i < N; i++)
		global[i] = 10 * rank + i;
}

static void end(void)
{
	expect("close", MPI_File_close(&fh), MPI_SUCCESS);
}

static int count_of(MPI_Datatype type)
{
	int count;

	MPI_Get_count(&status, type, &count);
	return count;
}

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

/* Integers as three bytes, the last ones first; doubles are not known. */
static int extent_fn(MPI_Datatype type, MPI_Aint *extent, void *extra_state)
{
	*extent = 3;
	return type == MPI_INT ? MPI_SUCCESS : MPI_ERR_TYPE;
}

static int *item(void *buf, MPI_Datatype type, MPI_Count i)
{
	MPI_Aint lb, extent;
	int size;

	MPI_Type_get_extent(type, &lb, &extent);
	MPI_Type_size(type, &size); /* the types here hold one integer */
	return (int *)((char *)buf + i * extent);
}

static int read_fn(void *userbuf, MPI_Datatype type, MPI_Count count, void *filebuf,
		   MPI_Offset position, void *extra_state)
{
	const unsigned char *bytes = filebuf;

	for (MPI_Count i = 0; i < count; i++, bytes += 3)
		*item(userbuf, type, position + i) = bytes[0] << 16 | bytes[1] << 8 | bytes[2];
	++*(int *)extra_state;
	return MPI_SUCCESS;
}

static int write_fn(void *userbuf, MPI_Datatype type, MPI_Count count, void *filebuf,
		    MPI_Offset position, void *extra_state)
{
	unsigned char *bytes = filebuf;

	for (MPI_Count i = 0; i < count; i++, bytes += 3) {
		int value = *item(userbuf, type, position + i);

		bytes[0] = (unsigned char)(value >> 16);
		bytes[1] = (unsigned char)(value >> 8);
		bytes[2] = (unsigned char)value;
	}
	return MPI_SUCCESS;
}

static int read_plain(void *userbuf, MPI_Datatype type, int count, void *filebuf,
		      MPI_Offset position, void *extra_state)
{
	return read_fn(userbuf, type, count, filebuf, position, extra_state);
}

static int write_plain(void *userbuf, MPI_Datatype type, int count, void *filebuf,
		       MPI_Offset position, void *extra_state)
{
	return count == 7 ? MPI_ERR_OTHER
			  : write_fn(userbuf, type, count, filebuf, position, extra_state);
}

static void use_three_bytes(const char *datarep, int *n_calls)
{
	MPI_Datatype spaced, filetype;
	unsigned char bytes[3];
	MPI_Aint extent;
	int in[2 * N] = {0};

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced);
	MPI_Type_commit(&spaced);
	MPI_Type_vector(2, 1, 3, MPI_INT, &filetype); /* 3 B, 6 B free, 3 B, and so on */
	MPI_Type_commit(&filetype);
	expect("view",
	       MPI_File_set_view(fh, 1000 * rank, MPI_INT, filetype, datarep, MPI_INFO_NULL),
	       MPI_SUCCESS);
	MPI_File_get_type_extent(fh, filetype, &extent);
	expect("extent", extent, 12);
	expect("write", MPI_File_write(fh, global, N, MPI_INT, &status), MPI_SUCCESS);
	expect("count", count_of(MPI_INT), N);
	expect("read", MPI_File_read_at(fh, 2, in, N, spaced, &status), MPI_SUCCESS);
	expect("elements up to the end", count_of(MPI_INT), rank == 2 ? N - 2 : N);
	expect("calls", *n_calls, 1);
	for (int i = 0; i < N - 2; i++)
		expect("value", in[2 * i], global[2 + i]);
	expect("hole", in[1], 0);
	MPI_Barrier(MPI_COMM_WORLD);
	expect("doubles", MPI_File_set_view(fh, 0, MPI_DOUBLE, MPI_DOUBLE, datarep, MPI_INFO_NULL),
	       MPI_ERR_CONVERSION);
	MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	MPI_File_read_at(fh, 1000 * rank + 9, bytes, 3, MPI_BYTE, &status); /* the second one */
	expect("in the file", bytes[0] << 16 | bytes[1] << 8 | bytes[2], global[1]);
	MPI_Type_free(&spaced);
	MPI_Type_free(&filetype);
}

static void registered_representations(void)
{
	static int n_calls, n_large_calls;
	char name[MPI_MAX_DATAREP_STRING + 2];

	begin();
	for (int i = 0; i < N; i++)
		global[i] = 10000 * (rank + 1) + i;
	expect("register",
	       MPI_Register_datarep("three", read_plain, write_plain, extent_fn, &n_calls),
	       MPI_SUCCESS);
	expect("register, large",
	       MPI_Register_datarep_c("three_c", read_fn, write_fn, extent_fn, &n_large_calls),
	       MPI_SUCCESS);
	expect("again", MPI_Register_datarep("three", read_plain, write_plain, extent_fn, NULL),
	       MPI_ERR_DUP_DATAREP);
	expect("predefined",
	       MPI_Register_datarep("native", read_plain, write_plain, extent_fn, NULL),
	       MPI_ERR_DUP_DATAREP);
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = 0;
	expect("long name", MPI_Register_datarep(name, read_plain, write_plain, extent_fn, NULL),
	       MPI_ERR_ARG);
	expect("no extents", MPI_Register_datarep("none", read_plain, write_plain, NULL, NULL),
	       MPI_ERR_ARG);
	use_three_bytes("three", &n_calls);
	MPI_File_set_size(fh, 0);
	use_three_bytes("three_c", &n_large_calls);
	MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "three", MPI_INFO_NULL);
	expect("a function that fails", MPI_File_write(fh, global, 7, MPI_INT, &status),
	       MPI_ERR_CONVERSION);
	end();
}

static int same_extent(MPI_Datatype type, MPI_Aint *extent, void *extra_state)
{
	MPI_Aint lb;

	return MPI_Type_get_extent(type, &lb, extent);
}

/* Without functions the data are as in memory, if they have that size. */
static void representations_without_conversion(void)
{
	int in = 0;

	begin();
	MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent,
			     NULL);
	MPI_Register_datarep("short", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_fn,
			     NULL);
	MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL);
	expect("write", MPI_File_write_at(fh, rank, global, 1, MPI_INT, &status), MPI_SUCCESS);
	expect("read", MPI_File_read_at(fh, rank, &in, 1, MPI_INT, &status), MPI_SUCCESS);
	expect("value", in, global[0]);
	MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "short", MPI_INFO_NULL);
	expect("write", MPI_File_write_at(fh, rank, global, 1, MPI_INT, &status),
	       MPI_ERR_CONVERSION);
	end();
}

/* A long has 4 bytes outside: displacements counted in longs follow, those in bytes do not. */
static void portable_types_have_other_sizes(void)
{
	static const int sizes[2] = {4, 4}, subsizes[2] = {2, 2}, starts[2] = {1, 1};
	MPI_Datatype array, bytes, mixed, types[2] = {MPI_LONG, MPI_INT};
	MPI_Aint displs[2] = {0, 4}, extent;
	MPI_Offset disp;
	long out[4] = {1, -2, 3, 4}, in[5] = {0};
	int lengths[2] = {1, 1};

	begin();
	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_LONG, &array);
	MPI_Type_commit(&array);
	MPI_Type_create_hvector(2, 1, 16, MPI_LONG, &bytes);
	MPI_Type_create_struct(2, lengths, displs, types, &mixed);
	MPI_File_set_view(fh, 100 * rank, MPI_LONG, array, "external32", MPI_INFO_NULL);
	MPI_File_get_type_extent(fh, array, &extent);
	expect("array", extent, 64);
	MPI_File_get_type_extent(fh, bytes, &extent);
	expect("vector in bytes", extent, 20);
	MPI_File_get_type_extent(fh, mixed, &extent);
	expect("structure", extent, 8);
	MPI_File_get_byte_offset(fh, 2, &disp);
	expect("third", disp, 100 * rank + (2 * 4 + 1) * 4);
	MPI_File_write(fh, out, 4, MPI_LONG, &status);
	expect("count", count_of(MPI_LONG), 4);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_read_at(fh, 0, in, 5, MPI_LONG, &status);
	expect("up to the end", count_of(MPI_LONG), rank == 2 ? 4 : 5);
	expect("values", memcmp(in, out, sizeof out), 0);
	MPI_Type_free(&array);
	MPI_Type_free(&bytes);
	MPI_Type_free(&mixed);
	end();
}

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
    {"registered_representations", registered_representations},
    {"representations_without_conversion", representations_without_conversion},
    {"portable_types_have_other_sizes", portable_types_have_other_sizes},
    {"absent_buffers_are_not_touched", absent_buffers_are_not_touched},
    {"views_give_what_they_were_made_of", views_give_what_they_were_made_of},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
