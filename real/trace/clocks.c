/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "real/trace/trace.h"

#define N_EXCHANGES 20 /* the shortest counts: the one that was disturbed least */
#define BOOT_ID_B 40

static int64_t read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t mpi_trace_now_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

int64_t mpi_trace_compute_ns(void)
{
	return read_ns(mpi_trace.clock == MPI_TRACE_CPU ? CLOCK_THREAD_CPUTIME_ID
							: CLOCK_MONOTONIC);
}

void mpi_trace_put_charge(const char *kernel, int n_params, const double params[], double seconds,
			  int flags)
{
	struct mtrace_stream *s = mpi_trace.stream;

	mtrace_put_uint(s, MTRACE_CHARGE);
	mtrace_put_uint(s, kernel ? mtrace_writer_string(mpi_trace.writer, kernel) + 1 : 0);
	mtrace_put_byte(s, (unsigned char)flags);
	mtrace_put_double(s, seconds);
	mtrace_put_byte(s, (unsigned char)n_params);
	for (int i = 0; i < n_params; i++)
		mtrace_put_double(s, params[i]);
	mtrace_record_end(s);
}

void mpi_trace_charge(void)
{
	int64_t elapsed_ns = mpi_trace_compute_ns() - mpi_trace.mark_ns;

	if (elapsed_ns > 0)
		mpi_trace_put_charge(NULL, 0, NULL, (double)elapsed_ns * 1e-9, MTRACE_MEASURED);
}

void mpi_trace_put_times(int64_t begin_ns, int64_t end_ns)
{
	struct mtrace_stream *s = mpi_trace.stream;

	if (!mpi_trace.first_ns)
		mpi_trace.first_ns = begin_ns;
	mtrace_put_uint(s, MTRACE_TIMES);
	mtrace_put_uint(s, (uint64_t)(begin_ns - mpi_trace.last_ns));
	mtrace_put_uint(s, (uint64_t)(end_ns - begin_ns));
	mtrace_record_end(s);
	mpi_trace.last_ns = end_ns;
}

/* --- clocks of other nodes --- */

/* Processes of one running system read one clock. */
static void read_boot(char boot[BOOT_ID_B])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(boot, 0, BOOT_ID_B);
	if (fd >= 0 && read(fd, boot, BOOT_ID_B - 1) < 0)
		boot[0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Rank 0 answers with its clock; the answer belongs to the middle of the exchange. */
static void answer(int rank)
{
	for (int i = 0; i < N_EXCHANGES; i++) {
		long long now;

		PMPI_Recv(&now, 1, MPI_LONG_LONG, rank, 0, mpi_trace.comm, MPI_STATUS_IGNORE);
		now = mpi_trace_now_ns();
		PMPI_Send(&now, 1, MPI_LONG_LONG, rank, 0, mpi_trace.comm);
	}
}

static void ask(struct mpi_trace_offset *out)
{
	int64_t shortest_ns = INT64_MAX;

	for (int i = 0; i < N_EXCHANGES; i++) {
		int64_t begin_ns = mpi_trace_now_ns(), trip_ns;
		long long there = 0;

		PMPI_Send(&there, 1, MPI_LONG_LONG, 0, 0, mpi_trace.comm);
		PMPI_Recv(&there, 1, MPI_LONG_LONG, 0, 0, mpi_trace.comm, MPI_STATUS_IGNORE);
		trip_ns = mpi_trace_now_ns() - begin_ns;
		if (trip_ns >= shortest_ns)
			continue;
		shortest_ns = trip_ns;
		out->at_ns = begin_ns + trip_ns / 2;
		out->offset_ns = out->at_ns - there;
	}
}

void mpi_trace_compare_clocks(struct mpi_trace_offset *out)
{
	char boot[BOOT_ID_B], first[BOOT_ID_B];
	int is_same;

	*out = (struct mpi_trace_offset){.at_ns = mpi_trace_now_ns()};
	read_boot(boot);
	memcpy(first, boot, BOOT_ID_B);
	PMPI_Bcast(first, BOOT_ID_B, MPI_CHAR, 0, mpi_trace.comm);
	is_same = boot[0] && memcmp(first, boot, BOOT_ID_B) == 0;
	for (int rank = 1; rank < mpi_trace.n_ranks; rank++) {
		if (mpi_trace.rank == rank) {
			PMPI_Send(&is_same, 1, MPI_INT, 0, 0, mpi_trace.comm);
			if (!is_same)
				ask(out);
		} else if (mpi_trace.rank == 0) {
			PMPI_Recv(&is_same, 1, MPI_INT, rank, 0, mpi_trace.comm, MPI_STATUS_IGNORE);
			if (!is_same)
				answer(rank);
		}
	}
}
