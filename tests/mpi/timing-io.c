/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When accesses to files return, in simulated time, against derivations by hand from docs/model.md
 * §10: on timing.yaml with a storage of 2 servers, latency 2 ms, 2 bytes per us for reading and 1
 * for writing, stripes of 1000 B, metadata 5 ms. Run as `timing-io CASE` on 3 ranks, one per node;
 * every case begins at 100 ms on all of them.
 */
#include <mpisim.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/mpi/cases.h"

static char buf[8000];
static char path[4096];
static MPI_File fh;
static MPI_Request request;

static const char *path_of(int number)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof path, "%s/timing-io-%d-%d", folder ? folder : "/tmp", (int)getpid(),
		 number);
	return path;
}

static void open_new(MPI_Comm comm, int number)
{
	expect("open",
	       MPI_File_open(comm, path_of(number),
			     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
			     MPI_INFO_NULL, &fh),
	       MPI_SUCCESS);
}

/* A file of 4000 B. */
static void begin(void)
{
	open_new(MPI_COMM_WORLD, 0);
	MPI_File_set_size(fh, 4000);
	compute_until_ms(100);
}

/* Whatever is left takes what it takes. */
static void end(void)
{
	MPI_File_close(&fh);
}

/* Latency, then the bytes: 1000 us; for reading 500 us. */
static void alone(void)
{
	begin();
	if (rank == 0) {
		MPI_File_write_at(fh, 0, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("write", 103);
		MPI_File_read_at(fh, 0, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("read", 103 + 2.5);
	}
	end();
}

/* Both servers at once: 1500 B of 3000 B are on the one with more, 2000 of the 3000 read. */
static void striped(void)
{
	begin();
	if (rank == 0) {
		MPI_File_write_at(fh, 0, buf, 2000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("write", 103);
		MPI_File_write_at(fh, 500, buf, 2500, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("500 and 1000 on the one, 1000 on the other", 103 + 3.5);
		MPI_File_read_at(fh, 0, buf, 3000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("2000 on the one, 1000 on the other", 106.5 + 3);
	}
	end();
}

/* The node takes 1 byte per us from both servers together. */
static void client_limit(void)
{
	begin();
	if (rank == 0) {
		MPI_File_read_at(fh, 0, buf, 2000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("read", 104);
	}
	end();
}

/* Three share one server: a third each, then half each. */
static void servers_are_shared(void)
{
	int size = 500 * (rank + 1);

	begin();
	MPI_File_write_at(fh, 2000, buf, size < 1000 ? size : 1000, MPI_BYTE, MPI_STATUS_IGNORE);
	/* 3 × 500 B until 1.5 ms, then 2 × 500 B until 2.5 ms */
	expect_ms("write", rank == 0 ? 103.5 : 104.5);
	compute_until_ms(110);
	/* one writes, one reads: neither notices the other */
	if (rank == 0)
		MPI_File_write_at(fh, 0, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_File_read_at(fh, 0, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
	expect_ms("both", rank == 0 ? 113 : rank == 1 ? 112.5 : 110);
	end();
}

/* Shortly after each other, in the order of ranks. */
static void come_one_by_one(double ms)
{
	compute_until_ms(ms + 1e-3 * rank);
}

/* One after the other, 5 ms each. */
static void metadata_queue(void)
{
	MPI_File shared;
	MPI_Offset size;

	begin();
	shared = fh;
	come_one_by_one(100);
	MPI_File_get_size(fh, &size);
	expect_ms("size", 100 + 5 * (rank + 1));
	come_one_by_one(200);
	open_new(MPI_COMM_SELF, 1 + rank);
	expect_ms("open", 200 + 5 * (rank + 1));
	come_one_by_one(300);
	MPI_File_close(&fh);
	expect_ms("close deletes", 300 + 5 * (rank + 1));
	come_one_by_one(400);
	expect("delete", MPI_File_delete(path_of(9), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
	expect_ms("delete", 400 + 5 * (rank + 1));
	fh = shared;
	end();
}

/* The storage works while the rank computes. */
static void nonblocking(void)
{
	int flag = 0;

	begin();
	if (rank == 0) {
		MPI_File_iwrite_at(fh, 0, buf, 1000, MPI_BYTE, &request);
		expect_ms("start", 100);
		mpisim_add_compute_time(2e-3);
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		expect("not yet", flag, 0);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect_ms("wait", 103);
		MPI_File_iread_at(fh, 0, buf, 1000, MPI_BYTE, &request);
		mpisim_add_compute_time(7e-3);
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		expect("test", flag, 1);
		expect_ms("computed meanwhile", 110);
	}
	end();
}

/* A shared pointer is metadata. */
static void shared_pointer(void)
{
	begin();
	come_one_by_one(100);
	if (rank < 2) {
		MPI_File_write_shared(fh, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("write", 100 + 5 * (rank + 1) + 3);
	}
	end();
}

/* They begin with an allgather of two numbers, and then share the server. */
static void collective(void)
{
	double begin_s, exchange_ms;
	long long numbers[2] = {0, 0}, all[6];

	begin();
	begin_s = MPI_Wtime();
	MPI_Allgather(numbers, 2, MPI_LONG_LONG, all, 2, MPI_LONG_LONG, MPI_COMM_WORLD);
	exchange_ms = (MPI_Wtime() - begin_s) * 1e3;
	expect("the exchange takes time", exchange_ms > 1, 1);
	compute_until_ms(200);
	MPI_File_write_at_all(fh, 2000 * rank, buf, rank == 0 ? 1000 : 0, MPI_BYTE,
			      MPI_STATUS_IGNORE);
	expect_ms("write_at_all", 200 + exchange_ms + (rank == 0 ? 3 : 0));
	compute_until_ms(300);
	MPI_File_read_ordered(fh, buf, rank == 0 ? 1000 : 0, MPI_BYTE, MPI_STATUS_IGNORE);
	expect_ms("read_ordered", 300 + exchange_ms + (rank == 0 ? 2.5 : 0));
	compute_until_ms(400);
	MPI_File_write_at_all_begin(fh, 2000 * rank, buf, rank == 0 ? 1000 : 0, MPI_BYTE);
	expect_ms("begin", 400 + exchange_ms);
	mpisim_add_compute_time(1e-3);
	MPI_File_write_at_all_end(fh, buf, MPI_STATUS_IGNORE);
	expect_ms("end", 400 + exchange_ms + (rank == 0 ? 3 : 1));
	compute_until_ms(500);
	MPI_File_iwrite_at_all(fh, 0, buf, 0, MPI_BYTE, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_ms("nonblocking ones exchange nothing", 500);
	end();
}

/* What is not there is not waited for: 400 B before the end, nothing behind it, nothing asked for.
 */
static void only_what_is_moved(void)
{
	begin();
	if (rank == 0) {
		MPI_File_read_at(fh, 3600, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("end of file", 102.2);
		MPI_File_read_at(fh, 5000, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		MPI_File_write_at(fh, 0, buf, 0, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("nothing", 102.2);
	}
	end();
}

/* A view with holes: only its bytes count, wherever they are. */
static void holes(void)
{
	MPI_Datatype filetype;

	begin();
	MPI_Type_vector(2, 500, 1000, MPI_BYTE, &filetype); /* on both servers */
	MPI_Type_commit(&filetype);
	MPI_File_set_view(fh, 0, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
	compute_until_ms(200);
	if (rank == 0) {
		MPI_File_write_at(fh, 0, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("write", 200 + 2.5);
	}
	MPI_Type_free(&filetype);
	end();
}

/* striping_factor: one server has all of it. */
static void stripes_of_one_file(void)
{
	MPI_Info info;
	char value[MPI_MAX_INFO_VAL];
	int flag;

	MPI_Info_create(&info);
	MPI_Info_set(info, "striping_factor", "1");
	MPI_Info_set(info, "striping_unit", "100");
	MPI_File_open(MPI_COMM_WORLD, path_of(0),
		      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh);
	MPI_Info_free(&info);
	MPI_File_get_info(fh, &info);
	MPI_Info_get(info, "striping_unit", sizeof value - 1, value, &flag);
	expect("striping_unit", flag && strcmp(value, "100") == 0, 1);
	MPI_Info_free(&info);
	compute_until_ms(100);
	if (rank == 0) {
		MPI_File_write_at(fh, 0, buf, 4000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("write", 106);
	}
	end();
}

/* Without a description of the storage nothing but messages takes time. */
static void without_storage(void)
{
	MPI_Offset size;

	begin();
	MPI_File_get_size(fh, &size);
	MPI_File_write_at(fh, 0, buf, 4000, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_write_shared(fh, buf, 4000, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_iread_at(fh, 0, buf, 4000, MPI_BYTE, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_ms("nothing", 100);
	end();
}

/* Only reading has a limit: writing takes the latency. */
static void one_way_limit(void)
{
	begin();
	if (rank == 0) {
		MPI_File_write_at(fh, 0, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("write", 102);
		MPI_File_read_at(fh, 0, buf, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
		expect_ms("read", 102 + 2.5);
	}
	end();
}

static const struct test_case cases[] = {
    {"alone", alone},
    {"striped", striped},
    {"client_limit", client_limit},
    {"servers_are_shared", servers_are_shared},
    {"metadata_queue", metadata_queue},
    {"nonblocking", nonblocking},
    {"shared_pointer", shared_pointer},
    {"collective", collective},
    {"only_what_is_moved", only_what_is_moved},
    {"holes", holes},
    {"stripes_of_one_file", stripes_of_one_file},
    {"without_storage", without_storage},
    {"one_way_limit", one_way_limit},
};

int main(int argc, char **argv)
{
	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
