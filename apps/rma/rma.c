/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts of rank 0 to rank 1: latency, bandwidth, and what overlaps with computation (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

struct settings {
	int smallest, largest, batch, repeats;
};

static const char help[] = "usage: rma [options]\n"
			   "Rank 0 puts data to rank 1, by size.\n"
			   "  --smallest N       bytes (1024)\n"
			   "  --largest N        bytes (4194304); sizes grow by factors of four\n"
			   "  --batch N          puts of an epoch, for bandwidth (16)\n"
			   "  --repeats N        epochs of each kind (3)\n";

struct bench {
	MPI_Win win;
	char *memory;
	int rank, repeats;
};

/* As long as `units` of 1000 steps take. */
static void compute(double units)
{
	volatile unsigned int x = 1;

	if (mpisim_kernel_begin("steps", 1, &units))
		for (long i = 0; i < (long)(1000 * units); i++)
			x = x * 1664525u + 1013904223u;
	mpisim_kernel_end();
}

static double compute_s(double units)
{
	double begin_s = MPI_Wtime();

	compute(units);
	return MPI_Wtime() - begin_s;
}

/* Time until both ranks are done: an epoch of n puts, while rank 1 computes. On rank 0. */
static double epoch_s(const struct bench *b, int size_B, int n, double units)
{
	double total_s = 0;

	for (int k = 0; k < b->repeats; k++) {
		double begin_s;

		MPI_Barrier(MPI_COMM_WORLD);
		begin_s = MPI_Wtime();
		if (b->rank == 0) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, b->win);
			for (int i = 0; i < n; i++)
				MPI_Put(b->memory, size_B, MPI_BYTE, 1, (MPI_Aint)i * size_B,
					size_B, MPI_BYTE, b->win);
			MPI_Win_unlock(1, b->win);
		} else if (b->rank == 1 && units > 0) {
			compute(units);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		total_s += MPI_Wtime() - begin_s;
	}
	return total_s / b->repeats;
}

/* As much computation as an epoch takes; overlap = (T_comm + W - T_total) / T_comm. */
static void measure(const struct bench *b, const struct settings *s, int size_B)
{
	double one_s = epoch_s(b, size_B, 1, 0), batch_s = epoch_s(b, size_B, s->batch, 0);
	double unit_s = compute_s(1000) / 1000, units = unit_s > 0 ? one_s / unit_s : 0, work_s,
	       both_s;

	MPI_Bcast(&units, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	work_s = compute_s(units);
	MPI_Bcast(&work_s, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	both_s = epoch_s(b, size_B, 1, units);
	if (b->rank == 0)
		printf("size %d latency_s %.9e bandwidth_Bps %.9e work_s %.9e overlap %.4f\n",
		       size_B, one_s, (double)size_B * s->batch / batch_s, work_s,
		       (one_s + work_s - both_s) / one_s);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
	    {"smallest", OPTIONS_INTEGER, .out = &s->smallest, .min = 1, .max = 1 << 30},
	    {"largest", OPTIONS_INTEGER, .out = &s->largest, .min = 1, .max = 1 << 30},
	    {"batch", OPTIONS_INTEGER, .out = &s->batch, .min = 1, .max = 1 << 20},
	    {"repeats", OPTIONS_INTEGER, .out = &s->repeats, .min = 1, .max = 1 << 20},
	    {0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.smallest = 1024, .largest = 4194304, .batch = 16, .repeats = 3};
	verdict = options_parse("rma", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && n_ranks != 2)
		return options_wrong("rma", rank, "found %d ranks, wanted 2", n_ranks);
	return verdict;
}

int main(int argc, char **argv)
{
	enum options_verdict verdict;
	struct settings settings;
	struct bench bench;
	int n_ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, bench.rank, n_ranks, &settings);
	if (verdict == OPTIONS_OK) {
		bench.repeats = settings.repeats;
		MPI_Win_allocate((MPI_Aint)settings.largest * settings.batch, 1, MPI_INFO_NULL,
				 MPI_COMM_WORLD, &bench.memory, &bench.win);
		for (long size_B = settings.smallest; size_B <= settings.largest; size_B *= 4)
			measure(&bench, &settings, (int)size_B);
		MPI_Win_free(&bench.win);
	}
	MPI_Finalize();
	return options_status(verdict);
}
