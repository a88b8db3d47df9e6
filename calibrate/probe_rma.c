/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication: who serves it at the target, and how much of it is under way at once. */
#include <math.h>
#include <stdlib.h>

#include "calibrate.h"

enum {
	TAG_END = 110,
	FEW = 16,
	LEAST_OF_STAIR = 8, /* operations that must fit it */
	MOST = 1026	    /* operations at once; every second one may wait for those before */
};

/* Of a round trip: an operation that had to wait for the answer of an earlier one comes that much
 * after its neighbour, or more. */
static const double LEAST_GAP = 0.1;
/* Of a round trip: what the operations under way may take by themselves. */
static const double BUSY = 0.98;
/* So much longer than any gap before. */
static const double OTHER_GAP = 1.02;
/* Of a round trip, from the one that another waited for until that one: more where they share. */
static const double LEAST_WAIT = 0.9, MOST_WAIT = 2;

struct windows {
	MPI_Comm pair; /* rank 0 and its partner, in this order */
	MPI_Win window;
	bool are_updates; /* the operations are */
	int n;		  /* of them at once */
	int n_busy;	  /* what find_depth says beside the depth */
	double compute_s;
	double round_s, *times; /* [MOST] rank 0: when each was complete */
	char data[MOST], old[MOST];
};

static const double LATER = 0.1; /* of the time for which the target computes */

/* Of the time for which the target computes, how long a put and a flush take. The origin begins a
 * little later: what shares links with the barrier's last message could arrive with it. */
static double measure_put(struct cal *cal, void *context)
{
	struct windows *probe = context;
	char byte = 1;
	double begin;
	int rank;

	MPI_Comm_rank(probe->pair, &rank);
	MPI_Barrier(probe->pair);
	if (rank == 1) {
		load_compute(probe->compute_s);
		return 0;
	}
	load_pause(LATER * probe->compute_s);
	begin = MPI_Wtime();
	MPI_Put(&byte, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, probe->window);
	MPI_Win_flush(1, probe->window);
	return (MPI_Wtime() - begin) / probe->compute_s;
}

/* So many operations on a byte at once; returns how long starting them took. The target is in MPI.
 * An update moves a byte each way; a get, that more libraries begin without waiting, asks by a
 * control message. */
static double start_all(struct windows *probe, int n)
{
	MPI_Request requests[MOST];
	double begin = MPI_Wtime(), started;

	for (int k = 0; k < n; k++)
		if (probe->are_updates)
			MPI_Rget_accumulate(&probe->data[k], 1, MPI_BYTE, &probe->old[k], 1,
					    MPI_BYTE, 1, 0, 1, MPI_BYTE, MPI_REPLACE, probe->window,
					    &requests[k]);
		else
			MPI_Rget(&probe->data[k], 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, probe->window,
				 &requests[k]);
	started = MPI_Wtime() - begin;
	for (int k = 0; k < n; k++) {
		MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
		probe->times[k] = MPI_Wtime() - begin;
	}
	return started;
}

static void measure_round(struct windows *probe)
{
	double start_s = start_all(probe, 1);

	probe->round_s = probe->times[0] - start_s;
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

static double measure_depth(struct cal *cal, void *context)
{
	struct windows *probe = context;
	int rank;

	MPI_Comm_rank(probe->pair, &rank);
	MPI_Barrier(probe->pair);
	if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_END, probe->pair, MPI_STATUS_IGNORE);
		return 0;
	}
	measure_round(probe);
	start_all(probe, probe->n);
	MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_END, probe->pair);
	return find_depth(probe->times, probe->n, probe->round_s, &probe->n_busy);
}

/* As many as can be started before the first is back: a larger depth is never reached. */
static void choose_number(struct windows *probe)
{
	double start_s;
	int rank;

	MPI_Comm_rank(probe->pair, &rank);
	if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_END, probe->pair, MPI_STATUS_IGNORE);
		return;
	}
	start_all(probe, 1); /* the first one may set something up */
	measure_round(probe);
	start_s = start_all(probe, FEW) / FEW;
	probe->n = MOST;
	if (start_s * MOST > probe->round_s)
		probe->n = (int)(probe->round_s / start_s) + 1;
	MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_END, probe->pair);
}

/* Whoever is not of the pair takes part in what all do. */
static double measure_nothing(struct cal *cal, void *context)
{
	return 0;
}

static double measure_many(struct cal *cal, int where, struct windows *probe, bool is_one)
{
	if (is_one)
		choose_number(probe);
	return cal_repeat(cal, probe->are_updates ? "updates_at_once" : "gets_at_once", where,
			  probe->n, 0, is_one ? measure_depth : measure_nothing, probe);
}

static void measure_all(struct cal *cal, int where, struct windows *probe, bool is_one)
{
	double empty_s = cal->empty_s[where];

	probe->compute_s = 20 * empty_s + 2e-3;
	if (is_one)
		MPI_Win_lock_all(0, probe->window);
	cal_repeat(cal, "put_while_computing", where, 1, 0, is_one ? measure_put : measure_nothing,
		   probe);
	if (measure_many(cal, where, probe, is_one) == 0) {
		probe->are_updates = true;
		measure_many(cal, where, probe, is_one);
	}
	if (cal->rank == 0)
		samples_fact(&cal->samples, "rma_busy", "%d", probe->n_busy);
	if (is_one)
		MPI_Win_unlock_all(probe->window);
}

void probe_rma(struct cal *cal, int where)
{
	int partner = cal_partner(cal, where);
	bool is_one = cal->rank == 0 || cal->rank == partner;
	struct windows *probe = calloc(1, sizeof(*probe));
	int can = probe && (probe->times = calloc(MOST, sizeof(double)));
	char *memory;

	if (!can)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Comm_split(MPI_COMM_WORLD, is_one ? 0 : MPI_UNDEFINED, cal->rank, &probe->pair);
	if (is_one) {
		MPI_Comm_set_errhandler(probe->pair, MPI_ERRORS_RETURN);
		can = MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, probe->pair, &memory,
				       &probe->window) == MPI_SUCCESS;
	}
	MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	cal->until = 1;
	cal_group(cal, "one-sided messages", 3);
	if (can)
		measure_all(cal, where, probe, is_one);
	else if (cal->rank == 0)
		samples_fact(&cal->samples, "rma_failed", "the library cannot make a window");
	if (is_one && can)
		MPI_Win_free(&probe->window);
	if (is_one)
		MPI_Comm_free(&probe->pair);
	free(probe->times);
	free(probe);
}
