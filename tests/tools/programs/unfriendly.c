/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unfriendly WHAT: what programs do that were not written for being one of many in a process. Each
 * rank says at its end what it found.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_LARGE 4000000

int library_next(void); /* of unfriendly_library.c */
int library_next_of_thread(void);

static int rank, n_ranks;
static double large[N_LARGE];
static jmp_buf place;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

/* The others go on, and do the same. */
static void let_others_run(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void read_input(void)
{
	char line[80] = "none\n", word[80] = "none";
	int number = -1;

	if (rank == 0 && scanf("%d", &number) != 1)
		number = -2;
	if (rank != 0 && getchar() != EOF)
		number = -3;
	let_others_run();
	if (fgets(line, sizeof line, stdin) && !fgets(line, sizeof line, stdin))
		strcpy(line, "end\n");
	if (rank != 0 && read(0, word, sizeof word) != 0)
		number = -4;
	printf("%d: %d %s", rank, number, line);
}

static void redirect(void)
{
	char name[40], line[40] = "";
	FILE *file;

	snprintf(name, sizeof name, "out.%d", rank);
	if (!freopen(name, "w", stdout))
		MPI_Abort(MPI_COMM_WORLD, 1);
	let_others_run();
	printf("of %d\n", rank);
	let_others_run();
	fclose(stdout);
	file = fopen(name, "r");
	if (!file || !fgets(line, sizeof line, file) || fgetc(file) != EOF)
		strcpy(line, "nothing\n");
	fprintf(stderr, "%d: %s", rank, line);
}

static void move(void)
{
	char name[40], text[40] = "";
	FILE *file;

	snprintf(name, sizeof name, "folder.%d", rank);
	if (chdir(name))
		MPI_Abort(MPI_COMM_WORLD, 1);
	let_others_run();
	file = fopen("same-name", "w"); /* each in its own folder */
	fprintf(file, "%d", rank);
	fclose(file);
	let_others_run();
	file = fopen("same-name", "r");
	if (!fgets(text, sizeof text, file))
		strcpy(text, "nothing");
	fclose(file);
	printf("%d: %s\n", rank, text);
}

static int recurse(int depth)
{
	char frame[200];

	memset(frame, depth, sizeof frame);
	if (depth == 0)
		let_others_run();
	return depth == 0 ? 0 : recurse(depth - 1) + 1 + (frame[7] != (char)depth);
}

static void use_stack(void)
{
	volatile int n_jumps = 0;
	char *block = alloca(100000);
	int n_wrong = 0;

	memset(block, rank, 100000);
	for (int i = 0; i < N_LARGE; i += 1000)
		large[i] = rank;
	if (setjmp(place) < 3) {
		n_jumps++;
		let_others_run();
		longjmp(place, n_jumps);
	}
	for (int i = 0; i < 100000; i++)
		n_wrong += block[i] != rank;
	for (int i = 0; i < N_LARGE; i += 1000)
		n_wrong += large[i] != rank;
	printf("%d: %d jumps, depth %d, %d wrong\n", rank, n_jumps, recurse(20000), n_wrong);
}

static void use_libraries(void)
{
	void *plugin = dlopen("./unfriendly_plugin.so", RTLD_NOW);
	int (*next)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_next") : NULL;
	int own = 0, of_thread = 0, of_plugin = 0;

	for (int i = 0; i <= rank; i++) {
		own = library_next();
		of_thread = library_next_of_thread();
		let_others_run();
		of_plugin = next ? next() : -1;
		let_others_run();
	}
	for (int i = rank + 1; i < n_ranks; i++) {
		let_others_run();
		let_others_run();
	}
	printf("%d: %d %d %d\n", rank, own, of_thread, of_plugin);
}

static void *compute(void *argument)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		sum += *(const int *)argument;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *call_mpi(void *argument)
{
	MPI_Is_thread_main(argument);
	return *(int *)argument ? NULL : (void *)(long)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void use_threads(int is_calling)
{
	pthread_t threads[4];
	int addends[4] = {1, 2, 3, 4}, is_main = -1;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, compute, &addends[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	let_others_run();
	printf("%d: %ld\n", rank, sum);
	if (!is_calling || rank != 1)
		return;
	pthread_create(&threads[0], NULL, call_mpi, &is_main);
	pthread_join(threads[0], NULL);
}

static void run(const char *what)
{
	if (strcmp(what, "input") == 0)
		read_input();
	if (strcmp(what, "redirect") == 0)
		redirect();
	if (strcmp(what, "move") == 0)
		move();
	if (strcmp(what, "stack") == 0)
		use_stack();
	if (strcmp(what, "libraries") == 0)
		use_libraries();
	if (strcmp(what, "threads") == 0)
		use_threads(0);
	if (strcmp(what, "thread") == 0)
		use_threads(1);
}

int main(int argc, char **argv)
{
	int provided, got = -1;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (provided < MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 9);
	run(argv[1]);
	if (strcmp(argv[1], "exit") == 0)
		exit(rank == 1 ? 3 : 0);
	if (strcmp(argv[1], "return") == 0) {
		MPI_Request request;

		/* what was sent arrives, whether or not the sender is still there */
		MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % n_ranks, 0, MPI_COMM_WORLD, &request);
		if (rank != 1)
			return 0;
		MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("%d: %d\n", rank, got);
	}
	MPI_Finalize();
	return 0;
}
