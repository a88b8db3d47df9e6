/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim.h under a real MPI; see README.md in this folder. A process is one rank, so its state is
 * static; the simulator never links this file. */
#include <dlfcn.h>
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

#include "pdexec/store.h"
#include "pdexec/store_write.h"
#include "real/tap.h"

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
	const struct mpisim_real_tap *tap; /* of a recorder; NULL: none */
	struct pd_store *model;		   /* what kernels are to take; NULL: they run */
	double late_s; /* by how much the last sleep was too long: the next one is shorter */
	int depth;     /* of phases */
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

static void read_model(const char *path)
{
	struct pd_config config = {.mode = PD_COMPUTE_MODELLED, .bench_in = path};
	struct util_error err;

	if (pd_store_create(&config, &state.model, &err))
		complain(err.text);
	else
		state.sleeps = true;
}

static void prepare(void)
{
	const char *sleeps = getenv("MPISIM_REAL_SLEEP");
	struct util_error err;
	char path[MAX_PATH_B];

	if (state.is_ready)
		return;
	state.is_ready = true;
	state.tap = dlsym(RTLD_DEFAULT, MPISIM_REAL_TAP_NAME);
	state.sleeps = sleeps && !strcmp(sleeps, "1");
	if (path_from("MPISIM_REAL_MODEL", path))
		read_model(path);
	if (path_from("MPISIM_BENCH_OUT", path) && pd_bench_open(path, &state.bench_fd, &err))
		complain(err.text);
	if (!path_from("MPISIM_PHASE_LOG", path))
		return;
	state.phase_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (state.phase_fd < 0)
		complain("cannot open the file that MPISIM_PHASE_LOG names");
}

/* To an absolute time, so that what comes late once is made up for by the next: the sum is right.
 */
static void sleep_for(double seconds)
{
	double until_s = clock_read(CLOCK_MONOTONIC) + seconds - state.late_s;
	struct timespec until = {.tv_sec = (time_t)until_s};

	until.tv_nsec = (long)((until_s - (double)until.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	state.late_s = clock_read(CLOCK_MONOTONIC) - until_s;
}

static bool sleep_counts(double seconds)
{
	return state.sleeps && seconds > 0 && seconds <= 1e9;
}

void mpisim_add_compute_time(double seconds)
{
	prepare();
	if (!sleep_counts(seconds))
		return;
	sleep_for(seconds);
	if (state.tap)
		state.tap->slept(NULL, 0, NULL, seconds);
}

void add_compute_time(double seconds)
{
	mpisim_add_compute_time(seconds);
}

/* True when the model knows the kernel, which has taken its time then. */
static bool replay(const char *name, int n_params, const double params[])
{
	struct pd_charge charge;
	struct util_error err;

	if (pd_store_begin(state.model, name, n_params, params, &charge, &err)) {
		complain(err.text);
		return false;
	}
	if (sleep_counts(charge.seconds))
		sleep_for(charge.seconds);
	if (state.tap)
		state.tap->slept(name, n_params, params, charge.seconds);
	return true;
}

/* Keeps what the kernel is called until it ends. False when no measurement can be named so. */
static bool open_kernel(const char *name, int n_params, const double params[])
{
	struct util_error err;

	if (state.is_open)
		complain("a kernel begins within another: the outer one is not measured");
	state.is_open = !pd_bench_check(name, n_params, params, &err);
	if (!state.is_open) {
		complain(err.text);
		return false;
	}
	strcpy(state.name, name);
	state.n_params = n_params;
	if (n_params > 0)
		memcpy(state.params, params, (size_t)n_params * sizeof(*params));
	return true;
}

int mpisim_kernel_begin(const char *name, int n_params, const double params[])
{
	prepare();
	if (state.model)
		return !replay(name, n_params, params);
	if ((state.bench_fd < 0 && !state.tap) || !open_kernel(name, n_params, params))
		return 1;
	if (state.tap)
		state.tap->kernel_begin();
	if (state.bench_fd >= 0)
		state.begin_s = clock_read(CLOCK_THREAD_CPUTIME_ID);
	return 1;
}

void mpisim_kernel_end(void)
{
	double elapsed_s = 0;
	struct util_error err;

	prepare();
	if (state.model || (state.bench_fd < 0 && !state.tap))
		return;
	if (state.bench_fd >= 0)
		elapsed_s = clock_read(CLOCK_THREAD_CPUTIME_ID) - state.begin_s;
	if (!state.is_open) {
		complain("a kernel ends where none is open");
		return;
	}
	state.is_open = false;
	if (state.tap)
		state.tap->kernel_end(state.name, state.n_params, state.params);
	if (state.bench_fd >= 0 && pd_bench_append(state.bench_fd, state.name, state.n_params,
						   state.params, elapsed_s, &err))
		complain(err.text);
}

double mpisim_kernel_time(const char *name, int n_params, const double params[])
{
	prepare();
	return state.model ? pd_store_lookup(state.model, PD_NOWHERE, name, n_params, params) : -1;
}

/* A field of CSV: quoted, quotes doubled; what does not fit is left out. */
static void quote_field(const char *text, char *out, size_t size)
{
	size_t n = 0;

	out[n++] = '"';
	for (; *text && n + 3 < size; text++) {
		if (*text == '"')
			out[n++] = '"';
		out[n++] = *text;
	}
	out[n++] = '"';
	out[n] = '\0';
}

static void phase_log(const char *name, const char *edge)
{
	char line[512], quoted[300];
	int length;

	if (strpbrk(name, ",\"\n\r")) {
		quote_field(name, quoted, sizeof quoted);
		name = quoted;
	}
	length = snprintf(line, sizeof(line), "%s,%.300s,%s,%.9f\n", own_rank(), name, edge,
			  clock_read(CLOCK_MONOTONIC));

	if (write(state.phase_fd, line, (size_t)length) != length)
		complain("cannot append to the file that MPISIM_PHASE_LOG names");
}

void mpisim_phase_begin(const char *name)
{
	prepare();
	if (state.tap && name)
		state.tap->phase(name);
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

	if (state.tap)
		state.tap->phase(NULL);
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

void *mpisim_alloc_part(size_t size_B, size_t from_B, size_t there_B)
{
	return mpisim_alloc(size_B);
}

void *mpisim_alloc(size_t size_B)
{
	return malloc(size_B ? size_B : 1);
}

void mpisim_free(void *buf)
{
	free(buf);
}

void mpisim_node_acquire(void)
{
}

void mpisim_node_release(void)
{
}

void mpisim_state_register(const char *name, const void *address, size_t count, const void *type)
{
}

void mpisim_kernel_memory(double bytes)
{
}

/* Streams: all is done when it is handed over. */

int mpisim_stream_kernel_begin(const char *name, int n_params, const double params[], int stream)
{
	return mpisim_kernel_begin(name, n_params, params);
}

void mpisim_stream_copy(void *to, const void *from, size_t size_B, int stream)
{
	if (size_B > 0)
		memcpy(to, from, size_B);
}

void mpisim_stream_wait(int stream, int other)
{
}

void mpisim_stream_synchronize(int stream)
{
}

void mpisim_device_synchronize(void)
{
}

void *mpisim_device_alloc(size_t size_B)
{
	return mpisim_alloc(size_B);
}

void mpisim_device_free(void *buf)
{
	mpisim_free(buf);
}

void mpisim_touch_memory(const void *address, size_t count, const void *type, int use,
			 double fraction)
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
