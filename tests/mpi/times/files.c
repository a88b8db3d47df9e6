/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What files take: docs/model.md §10, with the storage of times.yaml. Rank 0 moves 500 bytes, which
 * are on one server; the others take part where they must. Allreduces are by recursive doubling,
 * broadcasts down a chain, allgathers around a ring.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/mpi/times/times.h"

#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

enum { N = 500, SIZE = 20000 };
#define INT ((int)sizeof(int))
#define NUMBERS 16 /* two of 8 bytes */
#define METADATA 5e-3
#define READ (2e-3 + N / 2e6)
#define WRITE (2e-3 + N / 1e6)
#define DUPLICATE (2 * X(INT))
#define AGREE (2 * X(NUMBERS))
#define EXCHANGE (3 * X(NUMBERS))
/* Rank 0 tells an int: who passes it on has done so. */
#define TOLD (times_rank * X(INT) + (times_rank < N_RANKS - 1 ? OS : 0))
/* Of those who take part in it: what rank 0 accesses. */
#define OWN(seconds) (times_rank == 0 ? (seconds) : 0)

static char buf[N], path[4096];
static MPI_File fh;
static MPI_Request request;

/* Of rank 0 alone. */
#define ALONE(seconds, call)                  \
	do {                                  \
		times_together();             \
		if (times_rank == 0)          \
			TAKES(seconds, call); \
	} while (0)
#define ALONE_IN_BACKGROUND(seconds, call)                             \
	do {                                                           \
		times_together();                                      \
		if (times_rank == 0) {                                 \
			TAKES(0, call);                                \
			TAKES(seconds, MPI_Wait(&request, NO_STATUS)); \
		}                                                      \
	} while (0)
/* Of all: they exchange where their bytes lie, and each moves its own. */
#define ALL(seconds, call)                            \
	do {                                          \
		times_together();                     \
		TAKES(EXCHANGE + OWN(seconds), call); \
	} while (0)
#define HALVES(seconds, begin, end)       \
	do {                              \
		times_together();         \
		TAKES(EXCHANGE, begin);   \
		TAKES(OWN(seconds), end); \
	} while (0)
/* They exchange nothing. */
#define ALL_IN_BACKGROUND(seconds, call)                            \
	do {                                                        \
		times_together();                                   \
		TAKES(0, call);                                     \
		TAKES(OWN(seconds), MPI_Wait(&request, NO_STATUS)); \
	} while (0)
#define DATA buf, times_rank == 0 ? N : 0, MPI_BYTE

/* The functions of one direction, `read` or `write`, and one kind of counts, `_c` or none. */
#define ACCESSES(name, c, seconds)                                                               \
	static void name##c##_rows(void)                                                         \
	{                                                                                        \
		ALONE(seconds, MPI_File_##name##c(fh, DATA, NO_STATUS));                         \
		ALONE(seconds, MPI_File_##name##_at##c(fh, 0, DATA, NO_STATUS));                 \
		ALONE(METADATA + seconds, MPI_File_##name##_shared##c(fh, DATA, NO_STATUS));     \
		ALONE_IN_BACKGROUND(seconds, MPI_File_i##name##c(fh, DATA, &request));           \
		ALONE_IN_BACKGROUND(seconds, MPI_File_i##name##_at##c(fh, 0, DATA, &request));   \
		ALONE_IN_BACKGROUND(METADATA + seconds,                                          \
				    MPI_File_i##name##_shared##c(fh, DATA, &request));           \
		ALL(seconds, MPI_File_##name##_all##c(fh, DATA, NO_STATUS));                     \
		ALL(seconds, MPI_File_##name##_at_all##c(fh, 0, DATA, NO_STATUS));               \
		ALL(seconds, MPI_File_##name##_ordered##c(fh, DATA, NO_STATUS));                 \
		HALVES(seconds, MPI_File_##name##_all_begin##c(fh, DATA),                        \
		       MPI_File_##name##_all_end(fh, buf, NO_STATUS));                           \
		HALVES(seconds, MPI_File_##name##_at_all_begin##c(fh, 0, DATA),                  \
		       MPI_File_##name##_at_all_end(fh, buf, NO_STATUS));                        \
		HALVES(seconds, MPI_File_##name##_ordered_begin##c(fh, DATA),                    \
		       MPI_File_##name##_ordered_end(fh, buf, NO_STATUS));                       \
		ALL_IN_BACKGROUND(seconds, MPI_File_i##name##_all##c(fh, DATA, &request));       \
		ALL_IN_BACKGROUND(seconds, MPI_File_i##name##_at_all##c(fh, 0, DATA, &request)); \
	}
ACCESSES(read, , READ)
ACCESSES(read, _c, READ)
ACCESSES(write, , WRITE)
ACCESSES(write, _c, WRITE)

static void management(void)
{
	MPI_Offset place;

	times_together();
	TAKES(AGREE + METADATA + TOLD, MPI_File_set_size(fh, SIZE));
	times_together();
	TAKES(AGREE + METADATA + TOLD, MPI_File_preallocate(fh, SIZE));
	times_together();
	TAKES(AGREE + METADATA + TOLD, MPI_File_sync(fh));
	times_together();
	TAKES(AGREE, MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	times_together();
	TAKES(AGREE, MPI_File_set_atomicity(fh, 1));
	times_together();
	TAKES(2 * AGREE, MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
	ALONE(METADATA, MPI_File_get_size(fh, &place));
	ALONE(METADATA, MPI_File_get_position_shared(fh, &place));
}

/* Operations on metadata stand in one queue. */
static void queue(void)
{
	MPI_Offset size;

	times_together();
	times_until(1e-6 * times_rank);
	ENDS((times_rank + 1) * METADATA, MPI_File_get_size(fh, &size));
}

static void opened_and_closed(int amode, double deleted_s)
{
	MPI_Info info;

	times_together();
	TAKES(DUPLICATE + AGREE + METADATA + TOLD,
	      MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | amode, MPI_INFO_NULL,
			    &fh));
	MPI_Info_create(&info);
	TAKES(0, MPI_File_set_info(fh, info));
	MPI_Info_free(&info);
	if (amode) {
		management();
		queue();
		read_rows();
		read_c_rows();
		write_rows();
		write_c_rows();
	}
	times_together();
	TAKES(AGREE + OWN(deleted_s), MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("files");
	snprintf(path, sizeof path, "%s/times-%d", folder ? folder : "/tmp", (int)getpid());
	opened_and_closed(0, 0);
	ALONE(METADATA, MPI_File_delete(path, MPI_INFO_NULL));
	opened_and_closed(MPI_MODE_DELETE_ON_CLOSE, METADATA);
	return times_end();
}
