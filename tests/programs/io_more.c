/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: nonblocking and split accesses, shared and ordered pointers, hints, error handlers, representations. */
#include "io_check.h"

#define N 10

static void fill(int *values, int base)
{
	for (int i = 0; i < N; i++)
		values[i] = base + i;
}

static void nonblocking(void)
{
	MPI_File fh = open_new("nonblocking", MPI_MODE_RDWR);
	MPI_Request requests[3];
	MPI_Status statuses[3];
	MPI_Offset start = (MPI_Offset)(me * 3 * N * sizeof(int)), position;
	int out[3][N], in[3][N], flag = 0;

	for (int k = 0; k < 3; k++)
		fill(out[k], me * 1000 + k * 100);
	CHECK_INT(MPI_File_iwrite_at(fh, start, out[0], N, MPI_INT, &requests[0]), MPI_SUCCESS);
	MPI_File_seek(fh, start + (MPI_Offset)sizeof out[0], MPI_SEEK_SET);
	CHECK_INT(MPI_File_iwrite(fh, out[1], N, MPI_INT, &requests[1]), MPI_SUCCESS);
	CHECK_INT(MPI_File_iwrite(fh, out[2], N, MPI_INT, &requests[2]), MPI_SUCCESS);
	CHECK_INT(MPI_Waitall(3, requests, statuses), MPI_SUCCESS);
	for (int k = 0; k < 3; k++) {
		CHECK(requests[k] == MPI_REQUEST_NULL);
		CHECK_INT(count_of(&statuses[k], MPI_INT), N);
	}
	MPI_File_get_position(fh, &position);
	CHECK_INT(position, start + (MPI_Offset)sizeof out);
	settle(fh);
	MPI_File_seek(fh, start, MPI_SEEK_SET);
	CHECK_INT(MPI_File_iread(fh, in[0], N, MPI_INT, &requests[0]), MPI_SUCCESS);
	CHECK_INT(MPI_File_iread_at(fh, start + (MPI_Offset)sizeof out[0], in[1], N, MPI_INT, &requests[1]), MPI_SUCCESS);
	CHECK_INT(MPI_File_iread(fh, in[2], 0, MPI_INT, &requests[2]), MPI_SUCCESS);
	while (!flag)
		MPI_Test(&requests[1], &flag, &statuses[1]);
	CHECK_INT(count_of(&statuses[1], MPI_INT), N);
	MPI_Wait(&requests[0], &statuses[0]);
	MPI_Wait(&requests[2], &statuses[2]);
	CHECK_INT(count_of(&statuses[2], MPI_INT), 0);
	CHECK(memcmp(in[0], out[0], sizeof out[0]) == 0);
	CHECK(memcmp(in[1], out[1], sizeof out[1]) == 0);
	close_and_delete(&fh, "nonblocking");
	section_end("nonblocking");
}

static void nonblocking_collective(void)
{
	MPI_File fh = open_new("icoll", MPI_MODE_RDWR);
	MPI_Request request;
	MPI_Status status;
	MPI_Offset start = (MPI_Offset)(me * 2 * N * sizeof(int));
	int out[N], in[N];

	fill(out, me * 1000);
	CHECK_INT(MPI_File_iwrite_at_all(fh, start, out, N, MPI_INT, &request), MPI_SUCCESS);
	MPI_Wait(&request, &status);
	CHECK_INT(count_of(&status, MPI_INT), N);
	MPI_File_seek(fh, start + (MPI_Offset)sizeof out, MPI_SEEK_SET);
	CHECK_INT(MPI_File_iwrite_all(fh, out, N, MPI_INT, &request), MPI_SUCCESS);
	MPI_Wait(&request, &status);
	settle(fh);
	CHECK_INT(MPI_File_iread_at_all(fh, start + (MPI_Offset)sizeof out, in, N, MPI_INT, &request), MPI_SUCCESS);
	MPI_Wait(&request, &status);
	CHECK(memcmp(in, out, sizeof out) == 0);
	MPI_File_seek(fh, start, MPI_SEEK_SET);
	CHECK_INT(MPI_File_iread_all(fh, in, N, MPI_INT, &request), MPI_SUCCESS);
	MPI_Wait(&request, &status);
	CHECK_INT(count_of(&status, MPI_INT), N);
	CHECK(memcmp(in, out, sizeof out) == 0);
	close_and_delete(&fh, "icoll");
	section_end("nonblocking collectives");
}

static void split(void)
{
	MPI_File fh = open_new("split", MPI_MODE_RDWR);
	MPI_Status status;
	MPI_Offset start = (MPI_Offset)(me * 2 * N * sizeof(int));
	int out[N], in[N];

	fill(out, me * 1000);
	CHECK_INT(MPI_File_write_at_all_begin(fh, start, out, N, MPI_INT), MPI_SUCCESS);
	CHECK_INT(MPI_File_write_at_all_end(fh, out, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), N);
	MPI_File_seek(fh, start + (MPI_Offset)sizeof out, MPI_SEEK_SET);
	CHECK_INT(MPI_File_write_all_begin(fh, out, N, MPI_INT), MPI_SUCCESS);
	CHECK_INT(MPI_File_write_all_end(fh, out, &status), MPI_SUCCESS);
	settle(fh);
	CHECK_INT(MPI_File_read_at_all_begin(fh, start + (MPI_Offset)sizeof out, in, N, MPI_INT), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_at_all_end(fh, in, &status), MPI_SUCCESS);
	CHECK(memcmp(in, out, sizeof out) == 0);
	MPI_File_seek(fh, start, MPI_SEEK_SET);
	CHECK_INT(MPI_File_read_all_begin(fh, in, N, MPI_INT), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_all_end(fh, in, MPI_STATUS_IGNORE), MPI_SUCCESS);
	CHECK(memcmp(in, out, sizeof out) == 0);
	close_and_delete(&fh, "split");
	section_end("split collectives");
}

/* Everybody appends records; all of them are there, whole, in some order. */
static void shared(void)
{
	MPI_File fh = open_new("shared", MPI_MODE_RDWR);
	MPI_Offset position;
	MPI_Request request;
	MPI_Status status;
	int record[2], seen = 0, sum, n = 2 * n_ranks;

	CHECK_INT(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
	record[0] = record[1] = me;
	CHECK_INT(MPI_File_write_shared(fh, record, 2, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), 2);
	record[0] = record[1] = me + n_ranks;
	CHECK_INT(MPI_File_iwrite_shared(fh, record, 2, MPI_INT, &request), MPI_SUCCESS);
	MPI_Wait(&request, &status);
	settle(fh);
	MPI_File_get_position_shared(fh, &position);
	CHECK_INT(position, 2 * n);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK_INT(size_of_file(fh), 2 * n * sizeof(int));
	for (int i = 0; i < n; i++) {
		MPI_File_read_at(fh, 2 * i, record, 2, MPI_INT, &status);
		CHECK_INT(record[0], record[1]);
		CHECK(record[0] >= 0 && record[0] < n);
		seen += record[0] == me || record[0] == me + n_ranks;
	}
	CHECK_INT(seen, 2);
	CHECK_INT(MPI_File_seek_shared(fh, 2, MPI_SEEK_SET), MPI_SUCCESS);
	CHECK_INT(MPI_File_seek_shared(fh, -2, MPI_SEEK_CUR), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_shared(fh, record, 2, MPI_INT, &status), MPI_SUCCESS);
	seen = record[0];
	CHECK_INT(MPI_File_iread_shared(fh, record, 2, MPI_INT, &request), MPI_SUCCESS);
	MPI_Wait(&request, &status);
	CHECK_INT(count_of(&status, MPI_INT), 2);
	seen += record[0];
	MPI_Allreduce(&seen, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK_INT(sum, n * (n - 1) / 2);
	close_and_delete(&fh, "shared");
	section_end("shared pointer");
}

static void ordered(void)
{
	MPI_File fh = open_new("ordered", MPI_MODE_RDWR);
	MPI_Offset position, total = (MPI_Offset)n_ranks * (n_ranks + 1) / 2;
	MPI_Status status;
	int out[16], in[16], before = me * (me + 1) / 2;

	CHECK_INT(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
	for (int i = 0; i <= me; i++)
		out[i] = before + i; /* rank r writes r + 1 of them */
	CHECK_INT(MPI_File_write_ordered(fh, out, me + 1, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), me + 1);
	CHECK_INT(MPI_File_write_ordered_begin(fh, out, me + 1, MPI_INT), MPI_SUCCESS);
	CHECK_INT(MPI_File_write_ordered_end(fh, out, &status), MPI_SUCCESS);
	settle(fh);
	MPI_File_get_position_shared(fh, &position);
	CHECK_INT(position, 2 * total);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK_INT(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_ordered(fh, in, me + 1, MPI_INT, &status), MPI_SUCCESS);
	for (int i = 0; i <= me; i++)
		CHECK_INT(in[i], before + i);
	CHECK_INT(MPI_File_read_ordered_begin(fh, in, me + 1, MPI_INT), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_ordered_end(fh, in, &status), MPI_SUCCESS);
	for (int i = 0; i <= me; i++)
		CHECK_INT(in[i], before + i);
	close_and_delete(&fh, "ordered");
	section_end("ordered accesses");
}

/* As to a tape: only shared pointers. */
static void sequential(void)
{
	MPI_File fh = open_file("sequential", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
	MPI_Status status;
	int value = me;
#if !defined OPEN_MPI && !defined MPICH_VERSION
	MPI_Offset position;
#endif

	CHECK_INT(MPI_File_write_ordered(fh, &value, 1, MPI_INT, &status), MPI_SUCCESS);
#ifndef OPEN_MPI /* as without MPI_MODE_SEQUENTIAL */
	CHECK_INT(class_of(MPI_File_write(fh, &value, 1, MPI_INT, &status)), MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK_INT(class_of(MPI_File_write_at(fh, 0, &value, 1, MPI_INT, &status)), MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK_INT(class_of(MPI_File_seek(fh, 0, MPI_SEEK_SET)), MPI_ERR_UNSUPPORTED_OPERATION);
#ifndef MPICH_VERSION /* gives it */
	CHECK_INT(class_of(MPI_File_get_position(fh, &position)), MPI_ERR_UNSUPPORTED_OPERATION);
#endif
#endif
	MPI_File_close(&fh);
	fh = open_file("sequential", MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
	CHECK_INT(MPI_File_read_ordered(fh, &value, 1, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(value, me);
	close_and_delete(&fh, "sequential");
	section_end("sequential files");
}

static void modes_of_the_file(void)
{
	MPI_Info info, used;
	MPI_File fh;
	int flag = 0, value = me, in = -1;

	MPI_Info_create(&info);
	MPI_Info_set(info, "access_style", "write_once");
	MPI_Info_set(info, "no_such_hint", "1");
	CHECK_INT(MPI_File_open(MPI_COMM_WORLD, path_of("info"), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh), MPI_SUCCESS);
	CHECK_INT(MPI_File_set_info(fh, info), MPI_SUCCESS);
	CHECK_INT(MPI_File_get_info(fh, &used), MPI_SUCCESS);
	CHECK(used != MPI_INFO_NULL);
	MPI_Info_free(&used);
	MPI_Info_free(&info);
	CHECK_INT(MPI_File_set_atomicity(fh, 1), MPI_SUCCESS);
	MPI_File_get_atomicity(fh, &flag);
	CHECK(flag);
	CHECK_INT(MPI_File_write_at(fh, (MPI_Offset)(me * sizeof(int)), &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
	MPI_Barrier(MPI_COMM_WORLD); /* atomic: no sync */
	CHECK_INT(MPI_File_read_at(fh, (MPI_Offset)((n_ranks - 1 - me) * sizeof(int)), &in, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
	CHECK_INT(in, n_ranks - 1 - me);
	CHECK_INT(MPI_File_set_atomicity(fh, 0), MPI_SUCCESS);
	close_and_delete(&fh, "info");
	section_end("hints and atomicity");
}

static int n_handled, last_code;
static MPI_File last_file;

static void handle(MPI_File *file, int *code, ...)
{
	n_handled++;
	last_file = *file;
	last_code = *code;
}

static void error_handlers(void)
{
	MPI_File fh, none;
	MPI_Errhandler handler, got;
	int value = 0;

	MPI_File_get_errhandler(MPI_FILE_NULL, &got);
	CHECK(got == MPI_ERRORS_RETURN);
	MPI_File_create_errhandler(handle, &handler);
	CHECK_INT(MPI_File_set_errhandler(MPI_FILE_NULL, handler), MPI_SUCCESS);
	CHECK(MPI_File_open(MPI_COMM_SELF, path_of("nothing-here"), MPI_MODE_RDONLY, MPI_INFO_NULL, &none) != MPI_SUCCESS);
	CHECK_INT(n_handled, 1);
	CHECK_INT(class_of(last_code), MPI_ERR_NO_SUCH_FILE);
	CHECK_INT(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN), MPI_SUCCESS);

	fh = open_new("handlers", MPI_MODE_RDWR);
	MPI_File_get_errhandler(fh, &got);
	CHECK(got == MPI_ERRORS_RETURN);
	CHECK_INT(MPI_File_set_errhandler(fh, handler), MPI_SUCCESS);
	MPI_Errhandler_free(&handler);
	n_handled = 0;
	CHECK(MPI_File_write(fh, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS);
	CHECK_INT(n_handled, 1);
	CHECK(last_file == fh);
	CHECK_INT(class_of(last_code), MPI_ERR_TYPE);
	CHECK_INT(MPI_File_call_errhandler(fh, MPI_ERR_NO_SPACE), MPI_SUCCESS);
	CHECK_INT(n_handled, 2);
	CHECK_INT(last_code, MPI_ERR_NO_SPACE);
	close_and_delete(&fh, "handlers");
	section_end("error handlers of files");
}

static void external(void)
{
	MPI_File fh = open_new("external", MPI_MODE_RDWR);
	unsigned char bytes[4] = {0};
	MPI_Status status;
	int value = 0x01020304 + me, in = 0;
	double number = 1.5 * me, got = -1;

	CHECK_INT(MPI_File_set_view(fh, (MPI_Offset)(me * 12), MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL), MPI_SUCCESS);
	CHECK_INT(MPI_File_write(fh, &value, 1, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(count_of(&status, MPI_INT), 1);
	CHECK_INT(MPI_File_write(fh, &number, 1, MPI_DOUBLE, &status), MPI_SUCCESS);
	settle(fh);
	CHECK_INT(MPI_File_read_at(fh, 0, &in, 1, MPI_INT, &status), MPI_SUCCESS);
	CHECK_INT(in, value);
	CHECK_INT(MPI_File_read_at(fh, 4, &got, 1, MPI_DOUBLE, &status), MPI_SUCCESS);
	CHECK(got == number);
	CHECK_INT(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_SUCCESS);
	CHECK_INT(MPI_File_read_at(fh, (MPI_Offset)(me * 12), bytes, 4, MPI_BYTE, &status), MPI_SUCCESS);
	CHECK_INT(bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3], value);
	close_and_delete(&fh, "external");
	section_end("external32");
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	nonblocking();
	nonblocking_collective();
	split();
	shared();
	ordered();
	sequential();
	modes_of_the_file();
	error_handlers();
	external();
	return check_finish();
}
