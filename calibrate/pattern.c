/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends what to whom in a probe, as text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"

enum { TAG = 2, OTHER_TAG, TAG_ITSELF = 7, TAG_MEET = 90, REQUESTS = 32 };
enum { IN_A_ROW = 8 }; /* looks: some libraries read an answer in one and act on it in the next */

struct run {
	struct cal *cal;
	struct exchange *point;
	MPI_Request requests[REQUESTS];
	int n_requests, n_times;
	double begin;
};

/* One empty message from rank 0 to the other one and back: both are there and awake. */
static void meet(int rank, int other)
{
	if (rank == 0)
		MPI_Send(NULL, 0, MPI_BYTE, other, TAG_MEET, MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_BYTE, other, TAG_MEET, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Send(NULL, 0, MPI_BYTE, other, TAG_MEET, MPI_COMM_WORLD);
}

static void communicate(struct run *run, char what, int other)
{
	struct cal *cal = run->cal;
	int n = strchr("BD", what) ? 1
		: isupper(what)	   ? (int)run->point->size_B
				   : 0,
	    is_there, tag = strchr("TU", what) ? OTHER_TAG : TAG;
	MPI_Request *request = &run->requests[run->n_requests];

	run->n_requests += strchr("IJK", toupper(what)) != NULL;
	switch (toupper(what)) {
	case 'S':
	case 'B':
	case 'T':
		MPI_Send(cal->send_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD);
		break;
	case 'R':
	case 'D':
	case 'U':
		MPI_Recv(cal->recv_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 'I':
		MPI_Isend(cal->send_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD, request);
		break;
	case 'J':
		MPI_Irecv(cal->recv_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD, request);
		break;
	case 'Y':
		MPI_Ssend(NULL, 0, MPI_BYTE, other, tag, MPI_COMM_WORLD);
		break;
	case 'K':
		MPI_Issend(NULL, 0, MPI_BYTE, other, tag, MPI_COMM_WORLD, request);
		break;
	case 'Q':
		MPI_Iprobe(other, tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
		run->point->times_s[run->n_times++] = !is_there;
		break;
	default:
		meet(cal->rank, other);
	}
}

static void look_for(MPI_Request *request, double seconds)
{
	double begin = MPI_Wtime();
	int is_done;

	while (MPI_Wtime() - begin < seconds)
		MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
}

/* At requests to this rank itself, which are complete. */
static void look_elsewhere(int rank)
{
	MPI_Request requests[2];
	int n_done, indices[2];

	for (int k = 0; k < IN_A_ROW / 2; k++) {
		MPI_Irecv(NULL, 0, MPI_BYTE, rank, TAG_ITSELF, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(NULL, 0, MPI_BYTE, rank, TAG_ITSELF, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitsome(2, requests, &n_done, indices, MPI_STATUSES_IGNORE);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
}

static double variable(const struct run *run, char name)
{
	const struct exchange *point = run->point;

	switch (name) {
	case 'S':
		return run->cal->empty_s[point->where];
	case 'B':
		return (double)point->size_B * run->cal->per_byte_s[point->where];
	case 't':
		return point->time_s;
	case 'h':
		return point->begin_s;
	case 'g':
		return run->cal->spared_s;
	case 'n':
		return point->n;
	default: /* 'm' */
		return 1e-3;
	}
}

/* Behind a colon a sum of multiples: "2S-.5t"; else `otherwise`. */
static double value(const struct run *run, const char **at, double otherwise)
{
	double sum = 0, factor;
	char *end;

	if (**at != ':')
		return otherwise;
	do {
		factor = strtod(*at + (**at == ':'), &end);
		sum += factor * (isalpha(*end) ? variable(run, *end++) : 1);
		*at = end;
	} while (*end == '+' || *end == '-');
	return sum;
}

static void act(struct run *run, char what, const char **at)
{
	MPI_Request *last = &run->requests[run->n_requests - 1];
	int is_done, index;

	switch (what) {
	case 'b':
		run->begin = MPI_Wtime();
		break;
	case 'e':
		run->point->times_s[run->n_times] = MPI_Wtime() - run->begin;
		run->point->times_s[run->n_times++] /= value(run, at, 1);
		break;
	case 'p':
		load_pause(value(run, at, 0));
		break;
	case 'c':
		load_compute(value(run, at, 0));
		break;
	case 'f':
		look_for(last, value(run, at, 0));
		break;
	case 'l':
		for (int k = 0; k < IN_A_ROW; k++)
			MPI_Test(last, &is_done, MPI_STATUS_IGNORE);
		break;
	case 'L':
		look_elsewhere(run->cal->rank);
		break;
	case 'q':
		MPI_Testsome(1, last, &is_done, &index, MPI_STATUSES_IGNORE);
		run->point->times_s[run->n_times++] = is_done != 1;
		break;
	case 'w':
		MPI_Wait(&run->requests[--run->n_requests], MPI_STATUS_IGNORE);
		break;
	case 'W':
		MPI_Waitall(run->n_requests, run->requests, MPI_STATUSES_IGNORE);
		run->n_requests = 0;
	}
}

/* Loops are not within each other. */
static void take_steps(struct run *run, const char *at)
{
	const char *again = NULL;
	int left = 0;

	while (*at) {
		char what = *at++;

		if (what == '(') {
			left = isdigit(*at) ? (int)strtol(at, (char **)&at, 10) : run->point->n;
			again = at;
			at = left > 0 ? at : strchr(at, ')') + 1;
		} else if (what == ')') {
			at = --left > 0 ? again : at;
		} else if (isdigit(*at)) {
			communicate(run, what, run->point->ranks[*at++ - '0']);
		} else if (what != ' ') {
			act(run, what, &at);
		}
	}
}

static const struct probe *find(const char *name)
{
	const struct probe *probe = probe_table;

	while (strcmp(probe->name, name))
		probe++;
	return probe;
}

/* Rank 0, its partner and a third one, if the caller wants no others. */
static void find_ranks(const struct cal *cal, struct exchange *point)
{
	if (point->ranks[0] != point->ranks[1])
		return;
	point->ranks[1] = cal_partner(cal, point->where);
	point->ranks[2] = cal->n_nodes > 2 ? cal->leader[2] : -1;
}

void exchange_run(struct cal *cal, const char *name, struct exchange *point)
{
	const struct probe *probe = find(name);
	struct run run = {.cal = cal, .point = point};

	find_ranks(cal, point);
	memset(point->times_s, 0, sizeof(point->times_s));
	for (int k = 0; k < PATTERN_RANKS; k++)
		if (probe->steps[k] && point->ranks[k] == cal->rank) {
			take_steps(&run, probe->steps[k]);
			break;
		}
}

struct measured {
	const char *name;
	struct exchange point;
};

/* The first time of rank 0, or of another one, that tells it all. */
static double measure(struct cal *cal, void *context)
{
	struct measured *measured = context;
	struct exchange *point = &measured->point;
	int by = find(measured->name)->timed_by;

	exchange_run(cal, measured->name, point);
	if (by > 0)
		MPI_Bcast(point->times_s, 1, MPI_DOUBLE, point->ranks[by], MPI_COMM_WORLD);
	return point->times_s[0];
}

double exchange_repeat(struct cal *cal, const char *name, struct exchange point)
{
	struct measured measured = {name, point};

	return cal_repeat(cal, name, point.where, point.size_B, point.y, measure, &measured);
}
