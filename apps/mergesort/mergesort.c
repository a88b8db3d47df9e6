/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel merge sort whose wildcard receives may take the wrong message (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

struct settings {
	int n, is_named, is_roomy;
};

struct sorter {
	int rank, n_ranks, n, n_mine, skipped; /* skipped: a kernel was not executed */
	int *mine, *other, *merged;	       /* [n] each; mine: the first n_mine are sorted */
};

static const char help[] =
    "usage: mergesort [options]\n"
    "Sorts n whole numbers on a power of two of ranks; half of the ranks send theirs to the other "
    "half, again and again.\n"
    "  --n N              numbers, a multiple of the number of ranks (1024 for each rank)\n"
    "  --named            receive from the rank that is meant instead of MPI_ANY_SOURCE\n"
    "  --roomy            receive buffers with room for all numbers, so that no message is too "
    "long\n";

/* Number i of the input: the same for any number of ranks. */
static int number(int i)
{
	unsigned int x = (unsigned int)i * 2654435761u;

	x = (x ^ (x >> 15)) * 2246822519u;
	return (int)((x ^ (x >> 13)) >> 1);
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void sorter_init(struct sorter *s, int n)
{
	size_t size_B = (size_t)n * sizeof(int);

	*s = (struct sorter){.n = n};
	MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &s->n_ranks);
	s->n_mine = n / s->n_ranks;
	s->mine = mpisim_alloc(size_B);
	s->other = mpisim_alloc(size_B);
	s->merged = mpisim_alloc(size_B);
	if (!s->mine || !s->other || !s->merged) {
		fprintf(stderr, "mergesort: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (mpisim_kernel_begin("sort", 1, (const double[]){s->n_mine})) {
		for (int i = 0; i < s->n_mine; i++)
			s->mine[i] = number(s->rank * s->n_mine + i);
		qsort(s->mine, (size_t)s->n_mine, sizeof(int), compare);
	} else {
		s->skipped = 1;
	}
	mpisim_kernel_end();
}

static void sorter_finish(struct sorter *s)
{
	mpisim_free(s->mine);
	mpisim_free(s->other);
	mpisim_free(s->merged);
}

/* Merges the first n_other of `other` into `mine`. */
static void merge(struct sorter *s, int n_other)
{
	int i = 0, j = 0, *swap = s->mine;

	if (mpisim_kernel_begin("merge", 2, (const double[]){s->n_mine, n_other}))
		for (int k = 0; k < s->n_mine + n_other; k++)
			s->merged[k] = j == n_other || (i < s->n_mine && s->mine[i] <= s->other[j])
					   ? s->mine[i++]
					   : s->other[j++];
	else
		s->skipped = 1;
	mpisim_kernel_end();
	s->n_mine += n_other;
	s->mine = s->merged;
	s->merged = swap;
}

/*
 * The race: on rank r the receive of the round with L ranks is meant for r + L/2. The sender of the
 * next round, r + L/4, has twice the numbers and may be first.
 */
static void receive(struct sorter *s, const struct settings *settings, int n_left)
{
	int room = settings->is_roomy ? s->n : s->n / n_left, n_other;
	MPI_Status status;

	MPI_Recv(s->other, room, MPI_INT,
		 settings->is_named ? s->rank + n_left / 2 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
		 &status);
	MPI_Get_count(&status, MPI_INT, &n_other);
	merge(s, n_other);
}

static void sort(struct sorter *s, const struct settings *settings)
{
	int n_left = s->n_ranks; /* who still has numbers: ranks below it */

	while (n_left > 1 && s->rank < n_left) {
		if (s->rank >= n_left / 2)
			MPI_Ssend(s->mine, s->n_mine, MPI_INT, s->rank % (n_left / 2), 0,
				  MPI_COMM_WORLD);
		else
			receive(s, settings, n_left);
		n_left /= 2;
	}
}

/* On rank 0: are they in order, and the same numbers? */
static void report(const struct sorter *s, double wall)
{
	long long sum = 0, want = 0;
	int is_sorted = s->n_mine == s->n;

	printf("n %d\nranks %d\nwall_s %.9e\n", s->n, s->n_ranks, wall);
	if (s->skipped) {
		printf("sorted unknown (kernels were skipped)\n");
		return;
	}
	for (int i = 0; i < s->n; i++) {
		sum += s->mine[i];
		want += number(i);
		is_sorted &= i == 0 || s->mine[i - 1] <= s->mine[i];
	}
	printf("sorted %s\nsum %lld\n", is_sorted && sum == want ? "yes" : "no", sum);
}

static void run(const struct settings *settings)
{
	struct sorter s;
	double begin;

	sorter_init(&s, settings->n);
	begin = MPI_Wtime();
	sort(&s, settings);
	if (s.rank == 0)
		report(&s, MPI_Wtime() - begin);
	sorter_finish(&s);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
		{"n", OPTIONS_INTEGER, .out = &s->n, .min = 1, .max = 1 << 28},
		{"named", OPTIONS_SWITCH, .out = &s->is_named},
		{"roomy", OPTIONS_SWITCH, .out = &s->is_roomy},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.n = 1024 * n_ranks};
	verdict = options_parse("mergesort", help, argc, argv, rank, entries);
	if (verdict != OPTIONS_OK)
		return verdict;
	if (n_ranks & (n_ranks - 1))
		return options_wrong("mergesort", rank, "found %d ranks, wanted a power of two",
				     n_ranks);
	if (s->n % n_ranks)
		return options_wrong("mergesort", rank, "--n: %d is no multiple of %d ranks", s->n,
				     n_ranks);
	return OPTIONS_OK;
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	int rank, n_ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, rank, n_ranks, &settings);
	if (verdict == OPTIONS_OK)
		run(&settings);
	MPI_Finalize();
	return options_status(verdict);
}
