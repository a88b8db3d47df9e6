/* SPDX-License-Identifier: BSD-3-Clause */
/* A farm: rank 0 deals tasks to workers, with credits for each of them (README.md). */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>

#include "../common/options.h"

struct settings {
	int tasks, units, spread, window, is_balanced;
};

enum { TAG_TASK, TAG_STOP, TAG_RESULT };

/* A task that is with a worker: its message stays here until the result has come. */
struct slot {
	int task; /* -1: free */
	MPI_Request request;
};

struct worker {
	struct slot *slots; /* [window]; a free one is a credit */
	int next;	    /* of its own tasks, where they are dealt beforehand */
	int done;
};

struct master {
	const struct settings *settings;
	int n_workers, next, n_done; /* next: of all tasks, where they are not dealt beforehand */
	struct worker *workers;	     /* [n_workers], of ranks 1 … */
	unsigned long long sum;
};

static const char help[] =
    "usage: farm [options]\n"
    "Rank 0 deals tasks to the other ranks, which have a window of them each.\n"
    "  --tasks N          tasks (100)\n"
    "  --units N          work of a task, in units of 1000 steps (100)\n"
    "  --spread N         up to N units more, by task (100)\n"
    "  --window N         tasks that a worker may have at once (2)\n"
    "  --variant V        flow-controlled: task k is for worker k modulo workers;\n"
    "                     load-balanced: for whoever has a credit (load-balanced)\n";

static unsigned int mix(unsigned int x)
{
	x = (x ^ (x >> 16)) * 2246822519u;
	x = (x ^ (x >> 13)) * 3266489917u;
	return x ^ (x >> 16);
}

static int units_of(const struct settings *s, int task)
{
	return s->units + (int)(mix((unsigned int)task + 1) % (unsigned int)(s->spread + 1));
}

static unsigned int work(const struct settings *s, int task)
{
	int units = units_of(s, task);
	unsigned int value = (unsigned int)task;

	if (mpisim_kernel_begin("work", 1, (const double[]){units}))
		for (long i = 0; i < 1000L * units; i++)
			value = mix(value + (unsigned int)i);
	mpisim_kernel_end();
	return value;
}

/* The task that this worker gets next; -1: none. */
static int take_task(struct master *m, int w)
{
	int task = m->settings->is_balanced ? m->next : m->workers[w].next;

	if (task >= m->settings->tasks)
		return -1;
	m->next++;
	m->workers[w].next += m->n_workers;
	return task;
}

/* Hands out as many tasks as the worker has credits. */
static void fill(struct master *m, int w)
{
	for (int i = 0; i < m->settings->window; i++) {
		struct slot *slot = &m->workers[w].slots[i];

		if (slot->task >= 0)
			continue;
		slot->task = take_task(m, w);
		if (slot->task < 0)
			return;
		MPI_Isend(&slot->task, 1, MPI_INT, w + 1, TAG_TASK, MPI_COMM_WORLD, &slot->request);
	}
}

/* A result gives a credit back. */
static void take_result(struct master *m)
{
	unsigned int result[2]; /* task, value */
	MPI_Status status;
	int w, i = 0;

	MPI_Recv(result, 2, MPI_UNSIGNED, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
	w = status.MPI_SOURCE - 1;
	while (m->workers[w].slots[i].task != (int)result[0])
		i++;
	MPI_Wait(&m->workers[w].slots[i].request, MPI_STATUS_IGNORE);
	m->workers[w].slots[i].task = -1;
	m->workers[w].done++;
	m->n_done++;
	m->sum += result[1];
	fill(m, w);
}

static void master_init(struct master *m, const struct settings *s, int n_workers)
{
	*m = (struct master){.settings = s, .n_workers = n_workers};
	m->workers = calloc((size_t)n_workers, sizeof *m->workers);
	for (int w = 0; w < n_workers; w++) {
		if (m->workers)
			m->workers[w].slots =
			    calloc((size_t)s->window, sizeof *m->workers[w].slots);
		if (!m->workers || !m->workers[w].slots) {
			fprintf(stderr, "farm: out of memory\n");
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
		for (int i = 0; i < s->window; i++)
			m->workers[w].slots[i].task = -1;
		m->workers[w].next = w;
	}
}

static void deal(const struct settings *s, int n_workers)
{
	double begin = MPI_Wtime();
	struct master m;
	int most = 0;

	master_init(&m, s, n_workers);
	for (int w = 0; w < n_workers; w++)
		fill(&m, w);
	while (m.n_done < s->tasks)
		take_result(&m);
	for (int w = 0; w < n_workers; w++) {
		MPI_Send(NULL, 0, MPI_INT, w + 1, TAG_STOP, MPI_COMM_WORLD);
		most = m.workers[w].done > most ? m.workers[w].done : most;
		free(m.workers[w].slots);
	}
	free(m.workers);
	printf("tasks %d\nworkers %d\nvariant %s\nwindow %d\n", s->tasks, n_workers,
	       s->is_balanced ? "load-balanced" : "flow-controlled", s->window);
	printf("most_tasks %d\nwall_s %.9e\nsum %llu\n", most, MPI_Wtime() - begin, m.sum);
}

static void serve(const struct settings *s)
{
	MPI_Status status;
	int task;

	for (;;) {
		unsigned int result[2];

		MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_STOP)
			return;
		result[0] = (unsigned int)task;
		result[1] = work(s, task);
		MPI_Send(result, 2, MPI_UNSIGNED, 0, TAG_RESULT, MPI_COMM_WORLD);
	}
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	static const char *const variants[] = {"flow-controlled", "load-balanced", NULL};
	const struct options_entry entries[] = {
		{"tasks", OPTIONS_INTEGER, .out = &s->tasks, .min = 1, .max = 1 << 30},
		{"units", OPTIONS_INTEGER, .out = &s->units, .min = 0, .max = 1 << 20},
		{"spread", OPTIONS_INTEGER, .out = &s->spread, .min = 0, .max = 1 << 20},
		{"window", OPTIONS_INTEGER, .out = &s->window, .min = 1, .max = 1 << 20},
		{"variant", OPTIONS_WORD, .out = &s->is_balanced, .words = variants},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){
	    .tasks = 100, .units = 100, .spread = 100, .window = 2, .is_balanced = 1};
	verdict = options_parse("farm", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && n_ranks < 2)
		return options_wrong("farm", rank, "found 1 rank, wanted 2 or more");
	return verdict;
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
	if (verdict == OPTIONS_OK) {
		if (rank == 0)
			deal(&settings, n_ranks - 1);
		else
			serve(&settings);
	}
	MPI_Finalize();
	return options_status(verdict);
}
