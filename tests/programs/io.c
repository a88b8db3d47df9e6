/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: opening and closing, sizes, explicit offsets, individual pointers, views. */
#include "io_check.h"

#define N 10

static void opening(void)
{
	MPI_File fh;
	MPI_Group group, world;
	int amode, result;

	fh = open_file("open", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR);
	CHECK_INT(MPI_File_get_amode(fh, &amode), MPI_SUCCESS);
	CHECK_INT(amode, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR);
	MPI_File_get_group(fh, &group);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_compare(group, world, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	CHECK_INT(size_of_file(fh), 0);
	CHECK_INT(MPI_File_close(&fh), MPI_SUCCESS);
	CHECK(fh == MPI_FILE_NULL);

	/* it is there now */
	CHECK_INT(class_of(MPI_File_open(MPI_COMM_WORLD, path_of("open"), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
					 MPI_INFO_NULL, &fh)),
		  MPI_ERR_FILE_EXISTS);
	fh = open_file("open", MPI_MODE_RDONLY);
	MPI_File_close(&fh);
	fh = open_file("open", MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
	MPI_File_close(&fh);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK_INT(class_of(MPI_File_open(MPI_COMM_WORLD, path_of("open"), MPI_MODE_RDONLY, MPI_INFO_NULL, &fh)),
		  MPI_ERR_NO_SUCH_FILE);
	CHECK_INT(class_of(MPI_File_delete(path_of("open"), MPI_INFO_NULL)), MPI_ERR_NO_SUCH_FILE);
	section_end("open and close");
}

static void wrong_modes(void)
{
	static const int wrong[] = {
	    0,
	    MPI_MODE_RDONLY | MPI_MODE_WRONLY,
	    MPI_MODE_RDONLY | MPI_MODE_RDWR,
	    MPI_MODE_RDONLY | MPI_MODE_CREATE,
	    MPI_MODE_RDONLY | MPI_MODE_EXCL,
	    MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
	};
	MPI_File fh;

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		CHECK_INT(class_of(MPI_File_open(MPI_COMM_WORLD, path_of("modes"), wrong[i], MPI_INFO_NULL, &fh)), MPI_ERR_AMODE);
	section_end("access modes");
}

/* Each rank a file of its own. */
static void alone(void)
{
	MPI_File fh;
	MPI_Status status;
	char name[32];
	int value = me, got = -1;

	snprintf(name, sizeof name, "alone-%d", me);
	CHECK_INT(MPI_File_open(MPI_COMM_SELF, path_of(name), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN | MPI_MODE_DELETE_ON_CLOSE,
				MPI_INFO_NULL, &fh), MPI_SUCCESS);
	CHECK_INT(MPI_File_write(fh, &value, 1, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_at(fh, 0, &got, 1, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(got, me);
	CHECK_INT(size_of_file(fh), sizeof(int));
	MPI_File_close(&fh);
	section_end("files of one rank");
}

/* Nobody changes it again before all have seen it. */
static void check_size(MPI_File fh, int size)
{
	CHECK_INT(size_of_file(fh), size);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void sizes(void)
{
	MPI_File fh = open_new("sizes", MPI_MODE_RDWR);
#ifndef OPEN_MPI
	char bytes[4] = {1, 1, 1, 1};
	MPI_Status status;
#endif

	CHECK_INT(MPI_File_set_size(fh, 100), MPI_SUCCESS);
	check_size(fh, 100);
	CHECK_INT(MPI_File_preallocate(fh, 50), MPI_SUCCESS); /* never shrinks */
	check_size(fh, 100);
	CHECK_INT(MPI_File_preallocate(fh, 200), MPI_SUCCESS);
	check_size(fh, 200);
#ifndef OPEN_MPI /* may fail on ranks other than 0 */
	CHECK_INT(MPI_File_set_size(fh, 10), MPI_SUCCESS);
	check_size(fh, 10);
	MPI_File_read_at(fh, 8, bytes, 4, MPI_BYTE, &status);
	CHECK_INT(count_of(&status, MPI_BYTE), 2);
	CHECK_INT(bytes[0], 0);
	CHECK_INT(bytes[2], 1);
#endif
	close_and_delete(&fh, "sizes");
	section_end("sizes");
}

static void explicit_offsets(void)
{
	MPI_File fh = open_new("at", MPI_MODE_RDWR);
	MPI_Offset position;
	MPI_Status status;
	int out[N], in[N], from = (me + 1) % n_ranks;

	for (int i = 0; i < N; i++)
		out[i] = me * 1000 + i;
	CHECK_INT(MPI_File_write_at(fh, (MPI_Offset)(me * N * sizeof(int)), out, N, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), N);
	settle(fh);
	CHECK_INT(size_of_file(fh), n_ranks * N * sizeof(int));
	memset(in, 0, sizeof in);
	CHECK_INT(MPI_File_read_at_all(fh, (MPI_Offset)(from * N * sizeof(int)), in, N, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), N);
	for (int i = 0; i < N; i++)
		CHECK_INT(in[i], from * 1000 + i);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK_INT(MPI_File_write_at_all(fh, (MPI_Offset)((n_ranks - 1 - me) * N * sizeof(int)), out, N, MPI_INT, &status), MPI_SUCCESS);
	settle(fh);
	CHECK_INT(MPI_File_read_at(fh, (MPI_Offset)((n_ranks - 1 - me) * N * sizeof(int)), in, N, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
	CHECK(memcmp(in, out, sizeof in) == 0);
	/* the end of the file, and behind it */
	CHECK_INT(MPI_File_read_at(fh, (MPI_Offset)((n_ranks * N - 3) * sizeof(int)), in, N, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), 3);
	CHECK_INT(MPI_File_read_at(fh, (MPI_Offset)((n_ranks * N + 3) * sizeof(int)), in, N, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), 0);
	/* nothing at all */
	CHECK_INT(MPI_File_read_at(fh, 0, in, 0, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), 0);
	CHECK_INT(MPI_File_write_at_all(fh, 0, NULL, 0, MPI_INT, &status), MPI_SUCCESS);
	/* explicit offsets leave the pointer where it is */
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, 0);
	close_and_delete(&fh, "at");
	section_end("explicit offsets");
}

static void partial_items(void)
{
	MPI_File fh = open_new("partial", MPI_MODE_RDWR);
	MPI_Datatype pair;
	MPI_Status status;
	int values[6] = {1, 2, 3, 4, 5, 6}, in[6] = {0}, elements;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	if (me == 0)
		MPI_File_write_at(fh, 0, values, 5, MPI_INT, &status);
	settle(fh);
	CHECK_INT(MPI_File_read_at(fh, 0, in, 3, pair, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, pair), MPI_UNDEFINED);
	MPI_Get_elements(&status, pair, &elements);
	CHECK_INT(elements, 5);
	CHECK_INT(in[4], 5);
	CHECK_INT(in[5], 0);
	MPI_Type_free(&pair);
	close_and_delete(&fh, "partial");
	section_end("partial items");
}

static void individual(void)
{
	MPI_File fh = open_new("individual", MPI_MODE_RDWR);
	MPI_Offset position, start = (MPI_Offset)(me * 2 * N * sizeof(int)), end = (MPI_Offset)(n_ranks * 2 * N * sizeof(int));
	MPI_Status status;
	int out[N], in[2 * N];

	for (int i = 0; i < N; i++)
		out[i] = me * 1000 + i;
	CHECK_INT(MPI_File_seek(fh, start, MPI_SEEK_SET), MPI_SUCCESS);
	CHECK_INT(MPI_File_write(fh, out, N, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), N);
	CHECK_INT(MPI_File_write_all(fh, out, N, MPI_INT, &status), MPI_SUCCESS);
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, start + (MPI_Offset)(2 * N * sizeof(int)));
	settle(fh);
	CHECK_INT(MPI_File_seek(fh, -(MPI_Offset)(2 * N * sizeof(int)), MPI_SEEK_CUR), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_all(fh, in, 2 * N, MPI_INT, &status), MPI_SUCCESS);
	CHECK(memcmp(in, out, sizeof out) == 0 && memcmp(in + N, out, sizeof out) == 0);
	CHECK_INT(MPI_File_seek(fh, -4, MPI_SEEK_END), MPI_SUCCESS);
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, end - 4);
	CHECK_INT(MPI_File_read(fh, in, 1, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(in[0], (n_ranks - 1) * 1000 + N - 1);
	CHECK(MPI_File_seek(fh, -1, MPI_SEEK_SET) != MPI_SUCCESS);
	CHECK(MPI_File_seek(fh, 0, 12345) != MPI_SUCCESS);
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, end);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_close(&fh);
	fh = open_file("individual", MPI_MODE_WRONLY | MPI_MODE_APPEND);
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, end);
	close_and_delete(&fh, "individual");
	section_end("individual pointers");
}

/* The ranks' integers take turns in the file, behind a header of 5 bytes. */
static void strided_view(void)
{
	MPI_File fh = open_new("strided", MPI_MODE_RDWR);
	MPI_Datatype filetype, etype, got_type;
	MPI_Offset disp, position;
	MPI_Status status;
	char datarep[MPI_MAX_DATAREP_STRING];
	int out[N], in[N];

	MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)(n_ranks * sizeof(int)), &filetype);
	MPI_Type_commit(&filetype);
	CHECK_INT(MPI_File_set_view(fh, 5 + (MPI_Offset)(me * sizeof(int)), MPI_INT, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
	MPI_File_get_view(fh, &disp, &etype, &got_type, datarep);
	CHECK_INT(disp, 5 + (MPI_Offset)(me * sizeof(int)));
	CHECK(etype == MPI_INT);
	CHECK(strcmp(datarep, "native") == 0);
	if (got_type != MPI_INT) /* one rank: some give the plain type */
		MPI_Type_free(&got_type);
	MPI_Type_free(&filetype);
	for (int i = 0; i < N; i++)
		out[i] = me + i * n_ranks;
	CHECK_INT(MPI_File_write_all(fh, out, N, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), N);
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, N);
	MPI_File_get_byte_offset(fh, 3, &position);
	CHECK_INT(position, 5 + (MPI_Offset)((me + 3 * n_ranks) * sizeof(int)));
	settle(fh);
	CHECK_INT(size_of_file(fh), 5 + n_ranks * N * sizeof(int));
#ifndef OPEN_MPI /* ends at its first etype */
	CHECK_INT(MPI_File_seek(fh, 0, MPI_SEEK_END), MPI_SUCCESS);
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, N);
#endif
	CHECK_INT(MPI_File_read_at(fh, 2, in, N, MPI_INT, &status), MPI_SUCCESS);
#ifndef MPICH_VERSION /* counts what it asked for */
	CHECK_INT(count_of(&status, MPI_INT), N - 2);
#endif
	CHECK_INT(in[0], me + 2 * n_ranks);
	/* as bytes: all of it, in order */
	CHECK_INT(MPI_File_set_view(fh, 5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
	for (int r = 0; r < n_ranks; r++) {
		MPI_File_read(fh, in, N, MPI_INT, &status);
		for (int i = 0; i < N; i++)
			CHECK_INT(in[i], r * N + i);
	}
	close_and_delete(&fh, "strided");
	section_end("views with holes");
}

/* A matrix by blocks of columns, from memory with a hole per row. */
static void subarray_view(void)
{
	enum { ROWS = 4, COLUMNS = 3 };
	MPI_File fh = open_new("subarray", MPI_MODE_RDWR);
	int sizes[2] = {ROWS, COLUMNS * n_ranks}, subsizes[2] = {ROWS, COLUMNS}, starts[2] = {0, COLUMNS * me};
	int out[ROWS][COLUMNS + 1], in[ROWS][COLUMNS + 1], whole[ROWS];
	MPI_Datatype filetype, memory;
	MPI_Status status;

	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &filetype);
	MPI_Type_vector(ROWS, COLUMNS, COLUMNS + 1, MPI_INT, &memory);
	MPI_Type_commit(&filetype);
	MPI_Type_commit(&memory);
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k <= COLUMNS; k++) {
			out[i][k] = k < COLUMNS ? i * 100 + me * COLUMNS + k : -1;
			in[i][k] = -2;
		}
	CHECK_INT(MPI_File_set_view(fh, 0, MPI_INT, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
	CHECK_INT(MPI_File_write_all(fh, out, 1, memory, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, memory), 1);
	settle(fh);
	CHECK_INT(MPI_File_read_at_all(fh, 0, in, 1, memory, &status), MPI_SUCCESS);
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k <= COLUMNS; k++)
			CHECK_INT(in[i][k], k < COLUMNS ? out[i][k] : -2);
	/* one column, by every rank */
	MPI_Type_free(&filetype);
	MPI_Type_vector(ROWS, 1, COLUMNS * n_ranks, MPI_INT, &filetype);
	MPI_Type_commit(&filetype);
	CHECK_INT(MPI_File_set_view(fh, sizeof(int), MPI_INT, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
	CHECK_INT(MPI_File_read(fh, whole, ROWS, MPI_INT, &status), MPI_SUCCESS);
	for (int i = 0; i < ROWS; i++)
		CHECK_INT(whole[i], i * 100 + 1);
	MPI_Type_free(&filetype);
	MPI_Type_free(&memory);
	close_and_delete(&fh, "subarray");
	section_end("views of arrays");
}

/* Blocks of different lengths, and ranks that see nothing. */
static void listed_view(void)
{
	MPI_File fh = open_new("listed", MPI_MODE_RDWR);
	int lengths[3] = {1, 2, 1}, displs[3] = {0, 3, 7}, out[8], in[8];
	MPI_Datatype filetype;
	MPI_Status status;
	static const int place[8] = {0, 3, 4, 7, 8, 11, 12, 15};

	MPI_Type_indexed(me == 0 ? 3 : 0, lengths, displs, MPI_INT, &filetype);
	MPI_Type_commit(&filetype);
	for (int i = 0; i < 8; i++)
		out[i] = 100 + i;
	CHECK_INT(MPI_File_set_view(fh, 0, MPI_INT, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
	CHECK_INT(MPI_File_write_all(fh, out, me == 0 ? 8 : 0, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), me == 0 ? 8 : 0);
	settle(fh);
	CHECK_INT(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
	for (int i = 0; i < 8; i++) {
		MPI_File_read_at(fh, place[i], in, 1, MPI_INT, &status);
		CHECK_INT(in[0], 100 + i);
	}
	CHECK_INT(size_of_file(fh), 16 * sizeof(int));
	MPI_Type_free(&filetype);
	close_and_delete(&fh, "listed");
	section_end("views by lists");
}

static void wrong_arguments(void)
{
	MPI_File fh = open_new("wrong", MPI_MODE_WRONLY), null = MPI_FILE_NULL;
	int value = 1, flag;
	MPI_Status status;

	CHECK_INT(class_of(MPI_File_get_amode(null, &value)), MPI_ERR_FILE);
	CHECK_INT(class_of(MPI_File_close(&null)), MPI_ERR_FILE);
#ifndef OPEN_MPI /* asks the system first, or nobody */
	CHECK(MPI_File_write_at(fh, -1, &value, 1, MPI_INT, &status) != MPI_SUCCESS);
	CHECK(MPI_File_set_view(fh, -1, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) != MPI_SUCCESS);
	/* takes it for "native" */
	CHECK_INT(class_of(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "no such thing", MPI_INFO_NULL)), MPI_ERR_UNSUPPORTED_DATAREP);
#endif
	CHECK(MPI_File_write(fh, &value, -1, MPI_INT, &status) != MPI_SUCCESS);
	CHECK_INT(class_of(MPI_File_write(fh, &value, 1, MPI_DATATYPE_NULL, &status)), MPI_ERR_TYPE);
	CHECK_INT(class_of(MPI_File_read(fh, &value, 1, MPI_INT, &status)), MPI_ERR_ACCESS);
	CHECK(MPI_File_set_size(fh, -1) != MPI_SUCCESS);
	CHECK(MPI_File_set_view(fh, 0, MPI_INT, MPI_SHORT, "native", MPI_INFO_NULL) != MPI_SUCCESS);
	MPI_File_get_atomicity(fh, &flag);
	CHECK_INT(flag, 0);
	MPI_File_close(&fh);
	fh = open_file("wrong", MPI_MODE_RDONLY);
	CHECK_INT(class_of(MPI_File_write(fh, &value, 1, MPI_INT, &status)), MPI_ERR_READ_ONLY);
	close_and_delete(&fh, "wrong");
	section_end("wrong arguments");
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	opening();
	wrong_modes();
	alone();
	sizes();
	explicit_offsets();
	partial_items();
	individual();
	strided_view();
	subarray_view();
	listed_view();
	wrong_arguments();
	return check_finish();
}
