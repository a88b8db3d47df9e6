/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpisim-benchmark.simulated, the forward model of times that others have measured. The file that it
 * is given has a line "operation bytes ranks" for each test, and perhaps a place; the seconds of each
 * follow each other on standard output.
 */
#include <stdio.h>

#include <mpisim.h>

#include "benchmark.h"

static bool read_test(FILE *file, struct test *test)
{
	char line[128], name[BENCHMARK_NAME_B], place[BENCHMARK_NAME_B] = "anywhere";

	if (!fgets(line, sizeof(line), file) ||
	    sscanf(line, "%31s %d %d %31s", name, &test->size_B, &test->n_ranks, place) < 3)
		return false;
	test->what = benchmark_of(name);
	test->place = place_of(place);
	return test->what != NULL && test->place < PLACES;
}

int main(int argc, char **argv)
{
	struct test test = {0};
	struct places places;
	size_t most_B = BENCHMARK_LEAST_B;
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;

	MPI_Init(&argc, &argv);
	if (!file)
		MPI_Abort(MPI_COMM_WORLD, 1);
	places_find(&places);
	while (read_test(file, &test))
		if ((size_t)test.size_B * (size_t)test.n_ranks > most_B)
			most_B = (size_t)test.size_B * (size_t)test.n_ranks;
	test.send = mpisim_alloc(most_B);
	test.recv = mpisim_alloc(most_B);
	if (!test.send || !test.recv)
		MPI_Abort(MPI_COMM_WORLD, 1);
	rewind(file);
	while (read_test(file, &test)) {
		double time_s = benchmark_run(&test, &places);

		if (places.rank == 0)
			printf("%.12g\n", time_s);
	}
	fclose(file);
	mpisim_free(test.send);
	mpisim_free(test.recv);
	places_finish(&places);
	MPI_Finalize();
	return 0;
}
