/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/times/times.h"

#include <mpisim.h>
#include <stdio.h>
#include <string.h>

struct timed_function {
	const char *name, *chapter;
	int n_rows;
};
#include "tests/mpi/times/functions.h"
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static const double step_s = 1; /* more than any case takes */
static const char *own_chapter;
static double begin_s, together_s;
static int n_steps, failures;

int times_rank;

void times_before(void)
{
	begin_s = MPI_Wtime();
}

static void count_row(const char *call)
{
	size_t length = strcspn(call, "(");

	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (strncmp(functions[i].name, call, length) == 0 &&
		    functions[i].name[length] == '\0') {
			functions[i].n_rows++;
			return;
		}
	printf("%s: no function of the ABI\n", call);
	failures++;
}

void times_after(const char *call, int code, bool is_since_together, double wanted_s)
{
	double found_s = MPI_Wtime() - (is_since_together ? together_s : begin_s);
	double tolerance_s = 1e-13 + 1e-9 * wanted_s; /* what is left of the clock as a double */

	count_row(call);
	times_expect(call, code, MPI_SUCCESS);
	if (found_s - wanted_s < tolerance_s && wanted_s - found_s < tolerance_s)
		return;
	printf("rank %d, step %d: %s %s %.9f ms, wanted %.9f ms\n", times_rank, n_steps, call,
	       is_since_together ? "ended at" : "took", found_s * 1e3, wanted_s * 1e3);
	failures++;
}

void times_together(void)
{
	together_s = step_s * ++n_steps;
	mpisim_add_compute_time(together_s - MPI_Wtime());
}

void times_until(double seconds)
{
	mpisim_add_compute_time(together_s + seconds - MPI_Wtime());
}

void times_expect(const char *what, long long found, long long wanted)
{
	if (found == wanted)
		return;
	printf("rank %d, step %d: %s: found %lld, wanted %lld\n", times_rank, n_steps, what, found,
	       wanted);
	failures++;
}

void times_begin(const char *chapter)
{
	own_chapter = chapter;
	MPI_Comm_rank(MPI_COMM_WORLD, &times_rank);
}

int times_end(void)
{
	int n_rows[N_FUNCTIONS], all[N_FUNCTIONS];

	for (size_t i = 0; i < N_FUNCTIONS; i++)
		n_rows[i] = functions[i].n_rows;
	MPI_Allreduce(n_rows, all, N_FUNCTIONS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	TAKES(0, MPI_Finalize()); /* waits for nobody */
	for (size_t i = 0; i < N_FUNCTIONS && times_rank == 0; i++)
		if (all[i] + functions[i].n_rows == 0 &&
		    strcmp(functions[i].chapter, own_chapter) == 0) {
			printf("%s has no row\n", functions[i].name);
			failures++;
		}
	return failures > 0;
}
