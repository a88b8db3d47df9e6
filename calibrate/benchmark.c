/* SPDX-License-Identifier: BSD-3-Clause */
/* What the usual benchmarks of MPI time; benchmarks.h says what they are of. */
#include "benchmark.h"

#include <math.h>
#include <stdint.h>

enum { TAG_DATA = 1, TAG_ANSWER };
enum { WINDOW = 64, LEAST_WINDOW = 4, ANSWER_B = BENCHMARK_LEAST_B, MOST_REPEATS = 1000 };
/* Larger messages are timed once, and windows of them are shorter. */
enum { SMALL_B = 256 << 10, WINDOW_B = 8 << 20 };

static int window_of(const struct test *test)
{
	int fits = test->size_B > 0 ? WINDOW_B / test->size_B : WINDOW;

	return fits > WINDOW ? WINDOW : fits < LEAST_WINDOW ? LEAST_WINDOW : fits;
}

static int n_repeats(const struct test *test)
{
	int64_t all_B = test->size_B;

	if (test->what->unit == BENCHMARK_OF_WINDOW)
		all_B *= window_of(test);
	return all_B <= SMALL_B ? 4 : 1;
}

/* The first half of the ranks sends to the second one. */
static bool is_first(const struct test *test)
{
	return test->rank < test->n_ranks / 2;
}

static int partner_of(const struct test *test)
{
	int half = test->n_ranks / 2;

	return is_first(test) ? test->rank + half : test->rank - half;
}

static void latency(const struct test *test)
{
	int partner = partner_of(test), n = test->size_B;

	if (is_first(test))
		MPI_Send(test->send, n, MPI_BYTE, partner, TAG_DATA, test->comm);
	MPI_Recv(test->recv, n, MPI_BYTE, partner, TAG_DATA, test->comm, MPI_STATUS_IGNORE);
	if (!is_first(test))
		MPI_Send(test->send, n, MPI_BYTE, partner, TAG_DATA, test->comm);
}

/* A window of messages, one way or both, and an answer. */
static void stream(const struct test *test, bool sends, bool receives)
{
	MPI_Request requests[2 * WINDOW];
	int n = 0, partner = partner_of(test), window = window_of(test);

	for (int k = 0; k < window && receives; k++)
		MPI_Irecv(test->recv, test->size_B, MPI_BYTE, partner, TAG_DATA, test->comm,
			  &requests[n++]);
	for (int k = 0; k < window && sends; k++)
		MPI_Isend(test->send, test->size_B, MPI_BYTE, partner, TAG_DATA, test->comm,
			  &requests[n++]);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	if (is_first(test))
		MPI_Recv(test->recv, ANSWER_B, MPI_BYTE, partner, TAG_ANSWER, test->comm,
			 MPI_STATUS_IGNORE);
	else
		MPI_Send(test->send, ANSWER_B, MPI_BYTE, partner, TAG_ANSWER, test->comm);
}

/* A message to each of these ranks, and one from each, in the opposite order. */
static void exchange(const struct test *test, const int *others, int n)
{
	MPI_Request requests[2];

	for (int k = 0; k < n; k++)
		MPI_Isend(test->send, test->size_B, MPI_BYTE, others[k], TAG_DATA, test->comm,
			  &requests[k]);
	for (int k = n - 1; k >= 0; k--)
		MPI_Recv(test->recv, test->size_B, MPI_BYTE, others[k], TAG_DATA, test->comm,
			 MPI_STATUS_IGNORE);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void between_ranks(const struct test *test)
{
	int n = test->n_ranks, size_B = test->size_B, partner = partner_of(test),
	    sides[] = {(test->rank + n - 1) % n, (test->rank + 1) % n};

	switch (test->what->kind) {
	case BENCHMARK_LATENCY:
		latency(test);
		break;
	case BENCHMARK_STREAM:
		stream(test, is_first(test), !is_first(test));
		break;
	case BENCHMARK_BOTH_WAYS:
		stream(test, true, true);
		break;
	case BENCHMARK_PING_PING:
		exchange(test, &partner, 1);
		break;
	case BENCHMARK_CHAIN:
		MPI_Sendrecv(test->send, size_B, MPI_BYTE, sides[1], TAG_DATA, test->recv, size_B,
			     MPI_BYTE, sides[0], TAG_DATA, test->comm, MPI_STATUS_IGNORE);
		break;
	default: /* BENCHMARK_EXCHANGE */
		exchange(test, sides, 2);
	}
}

/* From rank 0 to rank 1. */
static void one_sided(const struct test *test)
{
	int n = test->what->unit == BENCHMARK_OF_WINDOW ? window_of(test) : 1,
	    size_B = test->size_B;

	if (test->rank > 0)
		return;
	for (int k = 0; k < n; k++)
		if (test->what->kind == BENCHMARK_PUT)
			MPI_Put(test->send, size_B, MPI_BYTE, 1, 0, size_B, MPI_BYTE, test->window);
		else
			MPI_Get(test->recv, size_B, MPI_BYTE, 1, 0, size_B, MPI_BYTE, test->window);
	MPI_Win_flush(1, test->window);
}

static void collective(const struct test *test)
{
	int n = test->size_B, n_floats = n / (int)sizeof(float);
	char *send = test->send, *recv = test->recv;
	MPI_Comm comm = test->comm;

	switch (test->what->kind) {
	case BENCHMARK_BCAST:
		MPI_Bcast(send, n, MPI_BYTE, 0, comm);
		break;
	case BENCHMARK_GATHER:
		MPI_Gather(send, n, MPI_BYTE, recv, n, MPI_BYTE, 0, comm);
		break;
	case BENCHMARK_SCATTER:
		MPI_Scatter(send, n, MPI_BYTE, recv, n, MPI_BYTE, 0, comm);
		break;
	case BENCHMARK_ALLGATHER:
		MPI_Allgather(send, n, MPI_BYTE, recv, n, MPI_BYTE, comm);
		break;
	case BENCHMARK_ALLTOALL:
		MPI_Alltoall(send, n, MPI_BYTE, recv, n, MPI_BYTE, comm);
		break;
	case BENCHMARK_REDUCE:
		MPI_Reduce(send, recv, n_floats, MPI_FLOAT, MPI_SUM, 0, comm);
		break;
	case BENCHMARK_ALLREDUCE:
		MPI_Allreduce(send, recv, n_floats, MPI_FLOAT, MPI_SUM, comm);
		break;
	case BENCHMARK_REDUCE_SCATTER:
		MPI_Reduce_scatter_block(send, recv, n_floats / test->n_ranks, MPI_FLOAT, MPI_SUM,
					 comm);
		break;
	default: /* BENCHMARK_BARRIER */
		MPI_Barrier(comm);
	}
}

/* What one of a repetition's operations takes. */
static double part_of(const struct test *test)
{
	if (test->what->unit == BENCHMARK_HALF)
		return 0.5;
	return test->what->unit == BENCHMARK_OF_WINDOW ? 1.0 / window_of(test) : 1;
}

/* Seconds; all ranks meet between two repetitions of what the benchmarks time so. */
static double repeat(const struct test *test, int n)
{
	void (*run)(const struct test *) = test->what->is_one_sided		  ? one_sided
					   : test->what->kind < BENCHMARK_BARRIER ? between_ranks
										  : collective;
	double time_s = 0;

	for (int k = 0; k < n; k++) {
		double begin = MPI_Wtime();

		run(test);
		time_s += MPI_Wtime() - begin;
		if (test->what->meets)
			MPI_Barrier(test->comm);
	}
	return time_s / n;
}

/* As often as it takes to be that long: of real machines. */
static int n_enough(const struct test *test, int n, double time_s)
{
	double longest_s, wanted;

	if (test->least_s == 0)
		return n;
	MPI_Allreduce(&time_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, test->comm);
	wanted = longest_s > 0 ? test->least_s / longest_s : MOST_REPEATS;
	return (int)fmin(fmax(wanted, n), MOST_REPEATS);
}

/* Of rank 0 where there is one pair, else the mean of all ranks. */
static double measure(const struct test *test)
{
	bool is_mean = !test->what->is_pair || test->n_ranks > 2;
	double time_s, sum_s;

	if (test->what->is_one_sided)
		MPI_Win_lock_all(0, test->window);
	time_s = repeat(test, n_repeats(test));
	time_s = repeat(test, n_enough(test, n_repeats(test), time_s)) * part_of(test);
	if (test->what->is_one_sided)
		MPI_Win_unlock_all(test->window);
	MPI_Allreduce(&time_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, test->comm);
	return is_mean ? sum_s / test->n_ranks : time_s;
}

double benchmark_run(struct test *test, const struct places *places)
{
	double time_s = NAN;
	int key = places_key(places, test->place, test->n_ranks);

	MPI_Comm_split(MPI_COMM_WORLD, key >= 0 ? 0 : MPI_UNDEFINED, key, &test->comm);
	if (test->comm != MPI_COMM_NULL) {
		MPI_Comm_rank(test->comm, &test->rank);
		if (test->what->is_one_sided)
			MPI_Win_create(test->recv, test->size_B, 1, MPI_INFO_NULL, test->comm,
				       &test->window);
		time_s = measure(test);
		if (test->what->is_one_sided)
			MPI_Win_free(&test->window);
		MPI_Comm_free(&test->comm);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return time_s;
}
