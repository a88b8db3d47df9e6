/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends what to whom in a probe, as text. */
#include <string.h>

#include "calibrate.h"

enum { TAG = 2, OTHER_TAG, REQUESTS = 4 };
enum { IN_A_ROW = 8 }; /* looks: some libraries read an answer in one and act on it in the next */

struct run {
	struct cal *cal;
	struct pattern *pattern;
	MPI_Request requests[REQUESTS];
	int n_requests, n_times;
	double begin;
};

static void communicate(struct run *run, char what, int other)
{
	struct cal *cal = run->cal;
	int n = strchr("BD", what) ? 1 : what < 'a' ? (int)run->pattern->size_B : 0,
	    tag = strchr("TU", what) ? OTHER_TAG : TAG;
	MPI_Request *request = &run->requests[run->n_requests];

	switch (what) {
	case 'S':
	case 's':
	case 'B':
	case 'T':
		MPI_Send(cal->send_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD);
		break;
	case 'R':
	case 'r':
	case 'D':
	case 'U':
		MPI_Recv(cal->recv_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 'I':
	case 'i':
		MPI_Isend(cal->send_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD, request);
		run->n_requests++;
		break;
	case 'J':
	case 'j':
		MPI_Irecv(cal->recv_buf, n, MPI_BYTE, other, tag, MPI_COMM_WORLD, request);
		run->n_requests++;
		break;
	case 'y':
		MPI_Ssend(NULL, 0, MPI_BYTE, other, tag, MPI_COMM_WORLD);
		break;
	case 'k':
		MPI_Issend(NULL, 0, MPI_BYTE, other, tag, MPI_COMM_WORLD, request);
		run->n_requests++;
		break;
	default:
		cal_meet(cal, other);
	}
}

static void look_for(MPI_Request *request, double seconds)
{
	double begin = MPI_Wtime();
	int is_done;

	while (MPI_Wtime() - begin < seconds)
		MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
}

/* At a request that is under way, or at one to itself that is complete. */
static void look(struct run *run, bool at_complete)
{
	MPI_Request to_itself[2];
	int is_done, indices[2], rank = run->cal->rank;

	for (int k = 0; k < IN_A_ROW && !at_complete; k++)
		MPI_Test(&run->requests[run->n_requests - 1], &is_done, MPI_STATUS_IGNORE);
	for (int k = 0; k < IN_A_ROW / 2 && at_complete; k++) {
		MPI_Irecv(NULL, 0, MPI_BYTE, rank, 7, MPI_COMM_WORLD, &to_itself[0]);
		MPI_Isend(NULL, 0, MPI_BYTE, rank, 7, MPI_COMM_WORLD, &to_itself[1]);
		MPI_Waitsome(2, to_itself, &is_done, indices, MPI_STATUSES_IGNORE);
		MPI_Waitall(2, to_itself, MPI_STATUSES_IGNORE);
	}
}

static void act(struct run *run, char what)
{
	struct pattern *pattern = run->pattern;

	switch (what) {
	case 'b':
		run->begin = MPI_Wtime();
		break;
	case 'e':
		pattern->times_s[run->n_times++] = MPI_Wtime() - run->begin;
		break;
	case 'p':
		load_pause(pattern->pause_s);
		break;
	case 'c':
		load_compute(pattern->compute_s);
		break;
	case 'f':
		look_for(&run->requests[run->n_requests - 1], pattern->look_s);
		break;
	case 'l':
	case 'L':
		look(run, what == 'L');
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
void pattern_run(struct cal *cal, struct pattern *pattern)
{
	struct run run = {.cal = cal, .pattern = pattern};
	const char *steps = NULL, *again = NULL;
	int left = 0;

	for (int k = 0; k < PATTERN_RANKS && !steps; k++)
		if (pattern->steps[k] && pattern->ranks[k] == cal->rank)
			steps = pattern->steps[k];
	for (int k = 0; k < PATTERN_TIMES; k++)
		pattern->times_s[k] = 0;
	for (const char *at = steps ? steps : ""; *at; at++) {
		if (*at == '(') {
			again = at;
			left = pattern->n;
			at = left > 0 ? at : strchr(at, ')');
		} else if (*at == ')') {
			at = --left > 0 ? again : at;
		} else if (at[1] >= '0' && at[1] <= '9') {
			communicate(&run, *at, pattern->ranks[at[1] - '0']);
			at++;
		} else if (*at != ' ') {
			act(&run, *at);
		}
	}
}

static double measure(struct cal *cal, void *context)
{
	struct pattern *pattern = context;

	pattern_run(cal, pattern);
	return pattern->times_s[0] / (pattern->n_timed ? pattern->n_timed : 1);
}

double pattern_repeat(struct cal *cal, struct pattern *pattern, const char *name, int where,
		      const char *first, const char *partner)
{
	pattern->steps[0] = first;
	pattern->steps[1] = partner;
	return cal_repeat(cal, name, where, pattern->size_B, 0, measure, pattern);
}
