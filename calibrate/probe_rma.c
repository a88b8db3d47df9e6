/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication: who serves it at the target, and how much of it is under way at once. */
#include <math.h>

#include "calibrate.h"

enum {
	TAG_END = 110,
	FEW = 16,
	LEAST_OF_STAIR = 8, /* operations that must fit it */
	MOST = 1026	    /* operations at once; every second one may wait for those before */
};

/* Of a round trip: an operation that had to wait for the answer of an earlier one comes that much
 * after its neighbour, or more; what the operations under way may take by themselves. */
static const double LEAST_GAP = 0.1, BUSY = 0.98;
/* So much longer than any gap before. */
static const double OTHER_GAP = 1.02;
/* Of a round trip, from the one that another waited for until that one: more where they share. */
static const double LEAST_WAIT = 0.9, MOST_WAIT = 2;

struct windows {
	MPI_Comm pair; /* rank 0 and its partner, in this order; others take part in what all do */
	MPI_Win window;
	int rank;	  /* in the pair; -1: none */
	bool are_updates; /* the operations are */
	int n;		  /* of them at once */
	int n_busy;	  /* what find_depth says beside the depth */
	double compute_s;
	double round_s, times[MOST]; /* rank 0: when each was complete */
	char data[MOST], old[MOST];
};

/* Of the time for which the target computes, how long a put and a flush take. The origin begins a
 * little later than the target. */
static double measure_put(struct cal *cal, void *context)
{
	static const double LATER = 0.1;
	struct windows *windows = context;
	char byte = 1;
	double begin;

	if (windows->rank < 0)
		return 0;
	MPI_Barrier(windows->pair);
	if (windows->rank == 1) {
		load_compute(windows->compute_s);
		return 0;
	}
	load_pause(LATER * windows->compute_s);
	begin = MPI_Wtime();
	MPI_Put(&byte, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, windows->window);
	MPI_Win_flush(1, windows->window);
	return (MPI_Wtime() - begin) / windows->compute_s;
}

/* So many operations on a byte at once; returns how long starting them took. The target is in MPI.
 * An update moves a byte each way; a get, that more libraries begin without waiting, asks by a
 * control message. */
static double start_all(struct windows *windows, int n)
{
	MPI_Request requests[MOST];
	double begin = MPI_Wtime(), started;

	for (int k = 0; k < n; k++)
		if (windows->are_updates)
			MPI_Rget_accumulate(&windows->data[k], 1, MPI_BYTE, &windows->old[k], 1,
					    MPI_BYTE, 1, 0, 1, MPI_BYTE, MPI_REPLACE,
					    windows->window, &requests[k]);
		else
			MPI_Rget(&windows->data[k], 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, windows->window,
				 &requests[k]);
	started = MPI_Wtime() - begin;
	for (int k = 0; k < n; k++) {
		MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
		windows->times[k] = MPI_Wtime() - begin;
	}
	return started;
}

static void measure_round(struct windows *windows)
{
	double start_s = start_all(windows, 1);

	windows->round_s = windows->times[0] - start_s;
}

/* Does every depth-th operation, and no other, come late, a round trip after the one that it waited
 * for? */
static bool is_stair(const double *times, int n, int depth, double late_s, double round_s)
{
	for (int k = depth; k < n && (k <= 3 * depth || k < LEAST_OF_STAIR); k++) {
		bool begins = k % depth == 0;
		double waited_s = times[k] - times[k - depth];

		if ((times[k] - times[k - 1] >= late_s) != begins)
			return false;
		if (begins && (waited_s < LEAST_WAIT * round_s || waited_s > MOST_WAIT * round_s))
			return false;
	}
	return true;
}

/* After how many operations the next one waits; 0: after none. busy: so many take as long as a
 * round trip, and whether more can be under way does not matter; 0: fewer were measured. */
static int find_depth(const double *times, int n, double round_s, int *busy)
{
	double longest_s = 0;

	*busy = 0;
	for (int k = 1; k < n; k++) {
		double gap_s = times[k] - times[k - 1];
		double late_s = fmax(k == 1 ? LEAST_WAIT * round_s : OTHER_GAP * longest_s,
				     LEAST_GAP * round_s);

		if (times[k - 1] - times[0] > BUSY * round_s) {
			*busy = k - 1;
			return 0;
		}
		if (gap_s > late_s && is_stair(times, n, k, (k == 1 ? 1 : 0.99) * late_s, round_s))
			return k;
		longest_s = fmax(longest_s, gap_s);
	}
	return 0;
}

/* The target is in MPI until the origin has done its part; whether this rank is that. */
static bool is_origin(const struct windows *windows)
{
	if (windows->rank == 1)
		MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_END, windows->pair, MPI_STATUS_IGNORE);
	return windows->rank == 0;
}

static void end_origin(const struct windows *windows)
{
	MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_END, windows->pair);
}

static double measure_depth(struct cal *cal, void *context)
{
	struct windows *windows = context;

	if (windows->rank >= 0)
		MPI_Barrier(windows->pair);
	if (!is_origin(windows))
		return 0;
	measure_round(windows);
	start_all(windows, windows->n);
	end_origin(windows);
	return find_depth(windows->times, windows->n, windows->round_s, &windows->n_busy);
}

/* As many as can be started before the first is back: a larger depth is never reached. */
static double measure_many(struct cal *cal, int where, struct windows *windows)
{
	double start_s;

	if (is_origin(windows)) {
		start_all(windows, 1); /* the first one may set something up */
		measure_round(windows);
		start_s = start_all(windows, FEW) / FEW;
		windows->n = start_s * MOST > windows->round_s
				 ? (int)(windows->round_s / start_s) + 1
				 : MOST;
		end_origin(windows);
	}
	return cal_repeat(cal, windows->are_updates ? "updates_at_once" : "gets_at_once", where,
			  windows->n, 0, measure_depth, windows);
}

void probe_rma(struct cal *cal, int where)
{
	static struct windows windows;
	int partner = cal_partner(cal, where), can = 1;
	bool is_one = cal->rank == 0 || cal->rank == partner;
	char *memory;

	windows = (struct windows){.rank = is_one ? cal->rank > 0 : -1,
				   .compute_s = 20 * cal->empty_s[where] + 2e-3};
	MPI_Comm_split(MPI_COMM_WORLD, is_one ? 0 : MPI_UNDEFINED, cal->rank, &windows.pair);
	if (is_one) {
		MPI_Comm_set_errhandler(windows.pair, MPI_ERRORS_RETURN);
		can = MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, windows.pair, &memory,
				       &windows.window) == MPI_SUCCESS;
	}
	MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	cal_group(cal, "one-sided messages", 3);
	if (!can)
		cal_fact(cal, "rma_failed", "the library cannot make a window");
	if (can && is_one)
		MPI_Win_lock_all(0, windows.window);
	if (can) {
		cal_repeat(cal, "put_while_computing", where, 1, 0, measure_put, &windows);
		if (measure_many(cal, where, &windows) == 0) {
			windows.are_updates = true;
			measure_many(cal, where, &windows);
		}
		cal_fact(cal, "rma_busy", "%d", windows.n_busy);
	}
	if (can && is_one) {
		MPI_Win_unlock_all(windows.window);
		MPI_Win_free(&windows.window);
	}
	if (is_one)
		MPI_Comm_free(&windows.pair);
}
