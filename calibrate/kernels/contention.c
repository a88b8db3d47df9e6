/* SPDX-License-Identifier: BSD-3-Clause */
/* How a kernel slows down when several cores compute at once: one process for each, started together. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibrate/kernels/kernels.h"

#define LENGTH_S 0.1 /* CPU time that each process measures for */
#define ROUNDS 3     /* the quickest counts: others may use the machine */
#define SHORT_S 20e-6

struct shared { /* among the processes */
	atomic_int n_ready;
	double seconds[256]; /* per call, of each */
};

static void choose_point(const struct kern_kernel *kernel, const struct kern_settings *settings,
			 int p[])
{
	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++)
		p[i] = i < kernel->n_params ? kern_largest(kernel, settings) : 0;
}

/* To the k-th of those that this process may run on. */
static void pin(int k)
{
	cpu_set_t all, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		return; /* the system spreads them */
	while (cpu < CPU_SETSIZE && (!CPU_ISSET(cpu, &all) || k-- > 0))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* All are under way from the first measured call to the last: the loop goes on until everybody has measured. */
static void compute(const struct kern_kernel *kernel, struct kern_operands *o, const int p[],
		    int core, int n_cores, struct shared *shared)
{
	double sum_s = 0, once_s = kern_time(kernel, o, p, 1);
	int n = 0, batch = kernel->spoils == KERN_KEEPS && once_s < SHORT_S ? 64 : 1;

	pin(core);
	atomic_fetch_add(&shared->n_ready, 1);
	while (atomic_load(&shared->n_ready) < n_cores)
		sched_yield();
	while (sum_s < LENGTH_S) {
		sum_s += kern_time(kernel, o, p, batch);
		n += batch;
	}
	shared->seconds[core] = sum_s / n;
	atomic_fetch_add(&shared->n_ready, 1);
	while (atomic_load(&shared->n_ready) < 2 * n_cores)
		kern_time(kernel, o, p, batch);
}

static int run_processes(const struct kern_kernel *kernel, struct kern_operands *o, const int p[],
			 int n_cores, struct shared *shared, double *out_s, struct util_error *err)
{
	int n_started = 0, status, rc = 0;
	pid_t children[256];

	memset(shared, 0, sizeof(*shared));
	while (n_started < n_cores && !rc) {
		children[n_started] = fork();
		if (children[n_started] == 0) {
			compute(kernel, o, p, n_started, n_cores, shared);
			_exit(0);
		}
		if (children[n_started] < 0)
			rc = util_error_errno(err, errno, "cannot start process %d of %d",
					      n_started + 1, n_cores);
		else
			n_started++;
	}
	/* Those that wait for one that could not be started are let go. */
	if (rc)
		atomic_store(&shared->n_ready, 2 * n_cores);
	for (int i = 0; i < n_started; i++) {
		waitpid(children[i], &status, 0);
		if (!rc && status)
			rc = util_error_set(err, UTIL_ESYSTEM,
					    "a process that measured contention ended early");
		atomic_fetch_add(&shared->n_ready, status ? n_cores : 0);
	}
	*out_s = 0;
	for (int i = 0; i < n_cores; i++)
		*out_s += shared->seconds[i] / n_cores;
	return rc;
}

static int measure_kernel(const struct kern_kernel *kernel, const struct kern_settings *settings,
			  struct shared *shared, struct kern_contention *out,
			  struct util_error *err)
{
	struct kern_operands operands;
	int p[PD_STORE_MAX_PARAMS], rc;
	double alone_s = 0;

	choose_point(kernel, settings, p);
	rc = kern_operands_create(kernel, kern_operand_length(kernel, p), &operands, err);
	if (rc)
		return rc;
	*out = (struct kern_contention){.n_cores = settings->n_cores};
	snprintf(out->name, sizeof(out->name), "%s", kernel->name);
	for (int k = 1; k <= settings->n_cores && !rc; k++) {
		double best_s = 0, found_s;

		for (int round = 0; round < ROUNDS && !rc; round++) {
			rc = run_processes(kernel, &operands, p, k, shared, &found_s, err);
			rc = rc ? rc : kern_check_interrupt(settings, err);
			best_s = round == 0 || found_s < best_s ? found_s : best_s;
		}
		alone_s = k == 1 ? best_s : alone_s;
		out->speed[k - 1] = best_s > alone_s ? alone_s / best_s : 1;
	}
	kern_operands_finish(&operands);
	return rc;
}

int kern_contention_measure(const struct kern_settings *settings, struct kern_contention out[],
			    int *out_n, struct util_error *err)
{
	struct shared *shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rc = 0;

	*out_n = 0;
	if (shared == MAP_FAILED)
		return util_error_errno(err, errno, "no memory to share among processes");
	for (const struct kern_kernel *kernel = kern_catalog; kernel->name && !rc; kernel++) {
		if (!kern_is_wanted(settings, kernel->name))
			continue;
		if (settings->shows_progress)
			fprintf(stderr, "mpisim-kernels: contention of %s on 1 to %d cores\n",
				kernel->name, settings->n_cores);
		rc = measure_kernel(kernel, settings, shared, &out[*out_n], err);
		*out_n += !rc;
	}
	munmap(shared, sizeof(*shared));
	return rc;
}
