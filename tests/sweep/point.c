// SPDX-License-Identifier: BSD-3-Clause
/*
 * One point of a test's sweep: point LOG WORD SECONDS [HOW]. Appends WORD to the file LOG when it
 * begins, so that a test sees how often it ran, and takes SECONDS × ranks of simulated time on each
 * rank.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>
#include <mpisim.h>

/* The system call itself: sleep() takes simulated time. */
static void sleep_here(double seconds)
{
	struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};

	syscall(SYS_nanosleep, &time, NULL);
}

/* Computes 10 to 20 ms, as chance has it. */
static void work_at_random(void)
{
	unsigned short random = 0;
	double until;
	FILE *source = fopen("/dev/urandom", "re");

	if (!source || fread(&random, sizeof random, 1, source) != 1)
		exit(3);
	fclose(source);
	until = 2e6 * (1 + random / 65536.0);
	for (volatile double i = 0; i < until; i += 1)
		;
}

/* As many barriers as there is time for; the first rank decides. */
static void barriers_until(double end_s)
{
	int goes_on = 1;

	while (goes_on) {
		MPI_Barrier(MPI_COMM_WORLD);
		goes_on = MPI_Wtime() < end_s;
		MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
}

static void note(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	char line[256];
	int n = snprintf(line, sizeof line, "%s\n", word);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		exit(3);
	close(fd);
}

/* Asks which ranks share its node, and talks to them only. */
static void talk_on_node(void)
{
	int rank, size, theirs;
	MPI_Comm node;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &rank);
	MPI_Comm_size(node, &size);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &theirs, 1, MPI_INT,
		     (rank + size - 1) % size, 0, node, MPI_STATUS_IGNORE);
	MPI_Comm_free(&node);
}

/* Computes for a second where it is on node 0. */
static void work_by_name(void)
{
	char name[MPI_MAX_PROCESSOR_NAME];
	int length;

	MPI_Get_processor_name(name, &length);
	add_compute_time(strcmp(name, "node0") == 0 ? 1 : 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[4] : "";
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		note(argv[1], argv[2]);
	if (strcmp(how, "clock") == 0)
		MPI_Wtime();
	if (strncmp(how, "slow=", 5) == 0 && rank == 0)
		sleep_here(atof(how + 5));
	if (strcmp(how, "refuse") == 0) {
		fprintf(stderr, "point: will not\n");
		MPI_Finalize();
		return 4;
	}
	if (strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 5);
	if (strcmp(how, "deadlock") == 0)
		MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	while (strncmp(how, "gate=", 5) == 0 && access(how + 5, F_OK) && rank == 0)
		sleep_here(0.01);
	if (strncmp(how, "random", 6) == 0)
		work_at_random();
	if (strcmp(how, "random+clock") == 0)
		MPI_Wtime();
	if (strcmp(how, "until") == 0)
		barriers_until(0.1);
	if (strcmp(how, "name") == 0)
		work_by_name();
	if (strcmp(how, "node") == 0)
		talk_on_node();
	if (strcmp(how, "kernel") == 0) {
		mpisim_kernel_begin("work", 1, (double[]){size});
		mpisim_kernel_end();
	}
	add_compute_time(atof(argv[3]) * size);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
