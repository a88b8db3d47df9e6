/* SPDX-License-Identifier: BSD-3-Clause */
/* How data lie in files: representations of the program's own, and the portable one, whose types
 * have other sizes. Run as `representations CASE` on 3 ranks. */
#include "tests/mpi/io-cases.h"

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

static const struct test_case cases[] = {
    {"registered_representations", registered_representations},
    {"representations_without_conversion", representations_without_conversion},
    {"portable_types_have_other_sizes", portable_types_have_other_sizes},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
