/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim.h under a real MPI; see README.md in this folder. A process is one rank, so its state is static; the simulator never links this file. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default)
#include "mpisim.h"
#pragma GCC visibility pop

#include "pdexec/store_write.h"

#define MAX_PATH_B 4096
#define MAX_PHASES 64

static struct {
	bool is_ready, has_complained, sleeps;
	int bench_fd, phase_fd; /* -1: none */
	/* the open kernel */
	bool is_open;
	char name[PD_BENCH_MAX_NAME + 1];
	int n_params;
	double params[PD_BENCH_MAX_PARAMS];
	double begin_s;
	int depth; /* of phases */
	char *phases[MAX_PHASES];
} state = {.bench_fd = -1, .phase_fd = -1};

static double clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void complain(const char *sentence)
{
	if (!state.has_complained)
		fprintf(stderr, "mpisim-real: %s\n", sentence);
	state.has_complained = true;
}

/* Launchers tell the rank in the environment, before MPI_Init and without MPI. */
static const char *own_rank(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
					    "MPI_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "0";
}

/* The variable's value with every %r replaced by the rank; false when it is not set or too long. */
static bool path_from(const char *variable, char path[MAX_PATH_B])
{
	const char *value = getenv(variable), *rank = own_rank();
	size_t length = 0;

	if (!value || !*value)
		return false;
	for (; *value; value++) {
		bool is_rank = value[0] == '%' && value[1] == 'r';
		const char *piece = is_rank ? rank : value;
		size_t piece_length = is_rank ? strlen(rank) : 1;

		if (length + piece_length >= MAX_PATH_B)
			return false;
		memcpy(path + length, piece, piece_length);
		length += piece_length;
		value += is_rank;
	}
	path[length] = '\0';
	return true;
}

static void prepare(void)
{
	const char *sleeps = getenv("MPISIM_REAL_SLEEP");
	struct util_error err;
	char path[MAX_PATH_B];

	if (state.is_ready)
		return;
	state.is_ready = true;
	state.sleeps = sleeps && !strcmp(sleeps, "1");
	if (path_from("MPISIM_BENCH_OUT", path) && pd_bench_open(path, &state.bench_fd, &err))
		complain(err.text);
	if (!path_from("MPISIM_PHASE_LOG", path))
		return;
	state.phase_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (state.phase_fd < 0)
		complain("cannot open the file that MPISIM_PHASE_LOG names");
}

void mpisim_add_compute_time(double seconds)
{
	struct timespec left;

	prepare();
	if (!state.sleeps || !(seconds > 0) || seconds > 1e9)
		return;
	left.tv_sec = (time_t)seconds;
	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void add_compute_time(double seconds)
{
	mpisim_add_compute_time(seconds);
}

int mpisim_kernel_begin(const char *name, int n_params, const double params[])
{
	struct util_error err;

	prepare();
	if (state.bench_fd < 0)
		return 1;
	if (state.is_open)
		complain("a kernel begins within another: the outer one is not measured");
	state.is_open = !pd_bench_check(name, n_params, params, &err);
	if (!state.is_open) {
		complain(err.text);
		return 1;
	}
	strcpy(state.name, name);
	state.n_params = n_params;
	if (n_params > 0)
		memcpy(state.params, params, (size_t)n_params * sizeof(*params));
	state.begin_s = clock_read(CLOCK_THREAD_CPUTIME_ID);
	return 1;
}

void mpisim_kernel_end(void)
{
	double elapsed_s;
	struct util_error err;

	prepare();
	if (state.bench_fd < 0)
		return;
	elapsed_s = clock_read(CLOCK_THREAD_CPUTIME_ID) - state.begin_s;
	if (!state.is_open) {
		complain("a kernel ends where none is open");
		return;
	}
	state.is_open = false;
	if (pd_bench_append(state.bench_fd, state.name, state.n_params, state.params, elapsed_s,
			    &err))
		complain(err.text);
}

double mpisim_kernel_time(const char *name, int n_params, const double params[])
{
	return -1;
}

static void phase_log(const char *name, const char *edge)
{
	char line[512];
	int length = snprintf(line, sizeof(line), "%s,%.300s,%s,%.9f\n", own_rank(), name, edge,
			      clock_read(CLOCK_MONOTONIC));

	if (write(state.phase_fd, line, (size_t)length) != length)
		complain("cannot append to the file that MPISIM_PHASE_LOG names");
}

void mpisim_phase_begin(const char *name)
{
	prepare();
	if (state.phase_fd < 0 || !name)
		return;
	if (state.depth < MAX_PHASES)
		state.phases[state.depth] = strdup(name);
	state.depth++;
	phase_log(name, "begin");
}

void mpisim_phase_end(void)
{
	char *name = NULL;

	if (state.phase_fd < 0)
		return;
	if (state.depth == 0) {
		complain("a phase ends where none is open");
		return;
	}
	if (--state.depth < MAX_PHASES)
		name = state.phases[state.depth];
	phase_log(name ? name : "?", "end");
	free(name);
}

void *mpisim_alloc(size_t size_B)
{
	return malloc(size_B ? size_B : 1);
}

void mpisim_free(void *buf)
{
	free(buf);
}

void mpisim_node_release(void)
{
}

int mpisim_is_simulated(void)
{
	return 0;
}

double mpisim_real_time(void)
{
	return clock_read(CLOCK_MONOTONIC);
}
