/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads WHAT: threads that use as much CPU time as they say, each by its own clock, so that what they do depends on
 * no other load. Rank 0 prints what took how many milliseconds.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, n_ranks;
static _Thread_local int initial = 5;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int n_jobs, n_working;
static sem_t started;

/* The kernel's clock: clock_gettime of a rank is the simulated one. */
static double used_ms(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void compute(double ms)
{
	double end = used_ms() + ms;

	while (used_ms() < end)
		for (volatile int i = 0; i < 1000; i++)
			;
}

static void *run(void *ms)
{
	compute(*(double *)ms);
	return NULL;
}

/* 20 ms alone, then n threads of 40 ms each. */
static void region(void)
{
	compute(20);
#pragma omp parallel
	compute(40);
}

/* Thread i of 4 computes 10 (i + 1) ms, then 10 (4 - i) ms. */
static void barriers(void)
{
#pragma omp parallel num_threads(4)
	{
		int i = omp_get_thread_num();

		compute(10 * (i + 1));
#pragma omp barrier
		compute(10 * (4 - i));
	}
}

static void loops(void)
{
#pragma omp parallel for schedule(dynamic) num_threads(4)
	for (int i = 0; i < 80; i++)
		compute(1);
#pragma omp parallel num_threads(4)
	{
#pragma omp for schedule(guided)
		for (int i = 0; i < 40; i++)
			compute(1);
#pragma omp single
		for (int i = 0; i < 40; i++) {
#pragma omp task
			compute(1);
		}
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		compute(10);
#pragma omp section
		compute(30);
	}
}

/* 30 ms alone, then two threads of 50 ms. */
static void joined(void)
{
	pthread_t threads[2];
	double ms = 50;

	compute(30);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &ms);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* A thread of 60 ms beside 40 ms in which its rank waits for a message. */
static void beside_messages(void)
{
	pthread_t thread;
	double ms = 60;

	pthread_create(&thread, NULL, run, &ms);
	usleep(40000);
	pthread_join(thread, NULL);
}

static void *serve(void *unused)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (n_jobs == 0)
			pthread_cond_wait(&work, &mutex);
		n_jobs--;
		pthread_mutex_unlock(&mutex);
		compute(30);
		pthread_mutex_lock(&mutex);
		if (--n_working == 0)
			pthread_cond_signal(&done);
	}
	return unused;
}

/* A pool of two threads that computes twice, 20 ms of its rank before each. */
static void pool(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, serve, NULL);
	for (int i = 0; i < 2; i++) {
		compute(20);
		pthread_mutex_lock(&mutex);
		n_jobs = n_working = 2;
		pthread_cond_broadcast(&work);
		while (n_working > 0)
			pthread_cond_wait(&done, &mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static void *spin(void *unused)
{
	compute(30);
	sem_post(&started);
	compute(1e9);
	return unused;
}

/* One that nobody waits for. */
static void lost(void)
{
	pthread_t thread;

	sem_init(&started, 0, 0);
	pthread_create(&thread, NULL, spin, NULL);
	sem_wait(&started);
	syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 100000000}, NULL);
}

/* The master of each rank's region calls MPI while the others are in it; the ranks' regions overlap. */
static void funneled(void)
{
	int sums[4] = {0}, sum = 0;

	for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(4)
		{
#pragma omp master
			MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
			sums[omp_get_thread_num()] += sum;
		}
		MPI_Send(&sum, 1, MPI_INT, (rank + 1) % n_ranks, 0, MPI_COMM_WORLD);
		MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	printf("%d: %d %d %d %d\n", rank, sums[0], sums[1], sums[2], sums[3]);
}

static void *read_initial(void *value)
{
	*(int *)value = initial;
	return NULL;
}

static void see(void)
{
	pthread_t thread;
	cpu_set_t mask;
	int value = 0, level;

	initial = 7;
	pthread_create(&thread, NULL, read_initial, &value);
	pthread_join(thread, NULL);
	sched_getaffinity(0, sizeof mask, &mask);
	MPI_Query_thread(&level);
	printf("%d: %d threads, %d processors of %ld from %d on, begins with %d, funneled %d\n", rank,
	       omp_get_max_threads(), CPU_COUNT(&mask), sysconf(_SC_NPROCESSORS_ONLN), sched_getcpu(), value,
	       level == MPI_THREAD_FUNNELED);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
	    {"region", region}, {"barriers", barriers},	  {"loops", loops}, {"joined", joined}, {"beside", beside_messages},
	    {"pool", pool},	{"funneled", funneled}, {"see", see},	  {"lost", lost},
	};
	int provided;
	double begin;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	begin = MPI_Wtime();
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (strcmp(argv[1], all[i].name) == 0)
			all[i].run();
	if (rank == 0)
		printf("%.3f ms\n", (MPI_Wtime() - begin) * 1e3);
	MPI_Finalize();
	return 0;
}
