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

/* --- between two ranks, or pairs of them --- */

static void send_one(const struct test *test, int to)
{
	MPI_Send(test->send, test->size_B, MPI_BYTE, to, TAG_DATA, test->comm);
}

static void receive_one(const struct test *test, int from)
{
	MPI_Recv(test->recv, test->size_B, MPI_BYTE, from, TAG_DATA, test->comm, MPI_STATUS_IGNORE);
}

/* The first half of the ranks sends to the second one. */
static int partner_of(const struct test *test)
{
	int half = test->n_ranks / 2;

	return test->rank < half ? test->rank + half : test->rank - half;
}

static bool is_first(const struct test *test)
{
	return test->rank < test->n_ranks / 2;
}

static void latency(const struct test *test)
{
	if (is_first(test)) {
		send_one(test, partner_of(test));
		receive_one(test, partner_of(test));
	} else {
		receive_one(test, partner_of(test));
		send_one(test, partner_of(test));
	}
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

static void one_way(const struct test *test)
{
	stream(test, is_first(test), !is_first(test));
}

static void both_ways(const struct test *test)
{
	stream(test, true, true);
}

static void ping_ping(const struct test *test)
{
	MPI_Request request;

	MPI_Isend(test->send, test->size_B, MPI_BYTE, partner_of(test), TAG_DATA, test->comm,
		  &request);
	receive_one(test, partner_of(test));
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void chain(const struct test *test)
{
	int n = test->n_ranks;

	MPI_Sendrecv(test->send, test->size_B, MPI_BYTE, (test->rank + 1) % n, TAG_DATA, test->recv,
		     test->size_B, MPI_BYTE, (test->rank + n - 1) % n, TAG_DATA, test->comm,
		     MPI_STATUS_IGNORE);
}

static void exchange(const struct test *test)
{
	int n = test->n_ranks, sides[] = {(test->rank + n - 1) % n, (test->rank + 1) % n};
	MPI_Request requests[2];

	for (int k = 0; k < 2; k++)
		MPI_Isend(test->send, test->size_B, MPI_BYTE, sides[k], TAG_DATA, test->comm,
			  &requests[k]);
	for (int k = 0; k < 2; k++)
		receive_one(test, sides[1 - k]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* --- one-sided, from rank 0 to rank 1 --- */

static void put(const struct test *test)
{
	MPI_Put(test->send, test->size_B, MPI_BYTE, 1, 0, test->size_B, MPI_BYTE, test->window);
}

static void get(const struct test *test)
{
	MPI_Get(test->recv, test->size_B, MPI_BYTE, 1, 0, test->size_B, MPI_BYTE, test->window);
}

static void accesses(const struct test *test, void (*access)(const struct test *), int n)
{
	if (test->rank > 0)
		return;
	for (int k = 0; k < n; k++)
		access(test);
	MPI_Win_flush(1, test->window);
}

static void put_latency(const struct test *test)
{
	accesses(test, put, 1);
}

static void get_latency(const struct test *test)
{
	accesses(test, get, 1);
}

static void put_stream(const struct test *test)
{
	accesses(test, put, window_of(test));
}

static void get_stream(const struct test *test)
{
	accesses(test, get, window_of(test));
}

/* --- collective --- */

static void barrier(const struct test *test)
{
	MPI_Barrier(test->comm);
}

static void bcast(const struct test *test)
{
	MPI_Bcast(test->send, test->size_B, MPI_BYTE, 0, test->comm);
}

static void gather(const struct test *test)
{
	MPI_Gather(test->send, test->size_B, MPI_BYTE, test->recv, test->size_B, MPI_BYTE, 0,
		   test->comm);
}

static void scatter(const struct test *test)
{
	MPI_Scatter(test->send, test->size_B, MPI_BYTE, test->recv, test->size_B, MPI_BYTE, 0,
		    test->comm);
}

static void allgather(const struct test *test)
{
	MPI_Allgather(test->send, test->size_B, MPI_BYTE, test->recv, test->size_B, MPI_BYTE,
		      test->comm);
}

static void alltoall(const struct test *test)
{
	MPI_Alltoall(test->send, test->size_B, MPI_BYTE, test->recv, test->size_B, MPI_BYTE,
		     test->comm);
}

static int n_floats(const struct test *test)
{
	return test->size_B / (int)sizeof(float);
}

static void reduce(const struct test *test)
{
	MPI_Reduce(test->send, test->recv, n_floats(test), MPI_FLOAT, MPI_SUM, 0, test->comm);
}

static void allreduce(const struct test *test)
{
	MPI_Allreduce(test->send, test->recv, n_floats(test), MPI_FLOAT, MPI_SUM, test->comm);
}

static void reduce_scatter(const struct test *test)
{
	MPI_Reduce_scatter_block(test->send, test->recv, n_floats(test) / test->n_ranks, MPI_FLOAT,
				 MPI_SUM, test->comm);
}

/* --- all of them --- */

static void (*const RUNS[])(const struct test *) = {
    [BENCHMARK_LATENCY] = latency,
    [BENCHMARK_STREAM] = one_way,
    [BENCHMARK_BOTH_WAYS] = both_ways,
    [BENCHMARK_PING_PING] = ping_ping,
    [BENCHMARK_CHAIN] = chain,
    [BENCHMARK_EXCHANGE] = exchange,
    [BENCHMARK_PUT] = put_latency,
    [BENCHMARK_GET] = get_latency,
    [BENCHMARK_PUT_STREAM] = put_stream,
    [BENCHMARK_GET_STREAM] = get_stream,
    [BENCHMARK_BARRIER] = barrier,
    [BENCHMARK_BCAST] = bcast,
    [BENCHMARK_GATHER] = gather,
    [BENCHMARK_SCATTER] = scatter,
    [BENCHMARK_ALLGATHER] = allgather,
    [BENCHMARK_ALLTOALL] = alltoall,
    [BENCHMARK_REDUCE] = reduce,
    [BENCHMARK_ALLREDUCE] = allreduce,
    [BENCHMARK_REDUCE_SCATTER] = reduce_scatter,
};

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
	double time_s = 0;

	for (int k = 0; k < n; k++) {
		double begin = MPI_Wtime();

		RUNS[test->what->kind](test);
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
	bool is_mean = test->what->is_mean || (test->what->is_pair && test->n_ranks > 2);
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
