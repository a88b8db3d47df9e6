/* SPDX-License-Identifier: BSD-3-Clause */
/* Times the kernels of the catalog over their grids: CPU time of this thread, as the simulator measures (docs/kernels.md). */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate/kernels/kernels.h"
#include "util/rng.h"

#define BATCH_S 20e-6     /* shorter calls are timed in batches of this length */
#define MIN_SAMPLES 5
#define MAX_SAMPLES 60
#define MAX_BATCH 4096
#define CLOCK_SAMPLES 200
#define DEFAULT_CACHE_B (32 << 20)
#define CACHES 4 /* as large is a matrix of which nothing is left in a cache after a pass */
#define MOST_MEMORY_B (512u << 20)
#define OFF_DIAGONAL 1e-3 /* a matrix of 1000 rows keeps a dominant diagonal, and triangular solves stay bounded */

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of the last cache that cores share, or what such a cache may have. */
static size_t beyond_caches(void)
{
	long found_B = sysconf(_SC_LEVEL3_CACHE_SIZE);
	size_t size_B = (size_t)(found_B > 0 ? found_B : DEFAULT_CACHE_B) * CACHES;

	return (size_B < MOST_MEMORY_B ? size_B : MOST_MEMORY_B) / sizeof(double);
}

int kern_operands_create(const struct kern_kernel *kernel, size_t length, struct kern_operands *out,
			 struct util_error *err)
{
	size_t n_c = kernel->n_rows && beyond_caches() > length ? beyond_caches() : length;
	struct kern_operands o = {.length = length, .n_c = n_c};
	struct util_rng rng;

	o.a = malloc(length * sizeof(double));
	o.b = malloc(length * sizeof(double));
	o.c = malloc(n_c * sizeof(double));
	o.clean = malloc(length * sizeof(double));
	o.pivots = calloc(length, sizeof(int));
	*out = o;
	if (!o.a || !o.b || !o.c || !o.clean || !o.pivots) {
		kern_operands_finish(out);
		return util_error_set(err, UTIL_ENOMEM, "no memory for operands of %zu numbers",
				      n_c);
	}
	for (size_t i = length; i < n_c; i++) /* pages that are there */
		o.c[i] = 1;
	util_rng_init(&rng, 1, 0);
	for (size_t i = 0; i < length; i++) {
		o.a[i] = util_rng_uniform(&rng) - 0.5;
		o.b[i] = util_rng_uniform(&rng) - 0.5;
		o.c[i] = o.clean[i] = util_rng_uniform(&rng) - 0.5;
	}
	return 0;
}

void kern_operands_finish(struct kern_operands *o)
{
	free(o->a);
	free(o->b);
	free(o->c);
	free(o->clean);
	free(o->pivots);
	*o = (struct kern_operands){.a = NULL};
}

/* Of the operand that a call spoils, with n_params <= 2 (the rest of p is 0), and of what it solves
 * with. */
static size_t used_length(const struct kern_kernel *kernel, const struct kern_operands *o,
			  const int p[])
{
	size_t length = (size_t)p[0] * (size_t)(p[1] > p[0] || kernel->is_tall ? p[1] : p[0]);

	return length < o->length ? length : o->length;
}

/* The matrix that calls find: as wide as the point says. */
static void fill_clean(const struct kern_kernel *kernel, struct kern_operands *o, const int p[])
{
	struct util_rng rng;
	size_t length = used_length(kernel, o, p);
	double scale = kernel->spoils == KERN_SPOILS_DOMINANT ? OFF_DIAGONAL : 1;

	if (kernel->spoils == KERN_KEEPS)
		return;
	util_rng_init(&rng, 2, 0);
	for (size_t i = 0; i < length; i++)
		o->clean[i] = scale * (util_rng_uniform(&rng) - 0.5);
	for (size_t i = 0; scale < 1 && i < length; i += (size_t)p[0] + 1)
		o->clean[i] = 1;
}

double kern_time(const struct kern_kernel *kernel, struct kern_operands *o, const int p[], int n)
{
	double begin_s;

	if (kernel->spoils != KERN_KEEPS)
		memcpy(o->c, o->clean, used_length(kernel, o, p) * sizeof(double));
	begin_s = cpu_s();
	for (int i = 0; i < n; i++)
		kernel->run(o, p);
	return cpu_s() - begin_s;
}

static double clock_cost(void)
{
	double cost_s = 1;

	for (int i = 0; i < CLOCK_SAMPLES; i++) {
		double begin_s = cpu_s(), elapsed_s = cpu_s() - begin_s;

		cost_s = elapsed_s < cost_s ? elapsed_s : cost_s;
	}
	return cost_s;
}

static int measure_point(const struct kern_kernel *kernel, struct kern_operands *o, const int p[],
			 double budget_s, struct kern_series *series, struct util_error *err)
{
	double params[PD_STORE_MAX_PARAMS] = {0}, cost_s = clock_cost(), begin_s = cpu_s(), once_s;
	int batch = 1, rc = 0;

	for (int i = 0; i < kernel->n_params; i++)
		params[i] = p[i];
	fill_clean(kernel, o, p);
	kern_time(kernel, o, p, 1); /* pages, caches, the library's own preparation */
	once_s = kern_time(kernel, o, p, 1) - cost_s;
	if (kernel->spoils == KERN_KEEPS && once_s < BATCH_S)
		batch = once_s * MAX_BATCH > BATCH_S ? (int)(BATCH_S / once_s) + 1 : MAX_BATCH;
	for (int i = 0; i < MAX_SAMPLES && !rc; i++) {
		double elapsed_s = kern_time(kernel, o, p, batch) - cost_s;

		if (i >= MIN_SAMPLES && cpu_s() - begin_s > budget_s)
			break;
		rc = kern_series_add(series, params, (elapsed_s > 1e-9 ? elapsed_s : 1e-9) / batch, 0, batch > 1,
				     err);
	}
	return rc;
}

int kern_check_interrupt(const struct kern_settings *settings, struct util_error *err)
{
	return *settings->interrupt ? util_error_set(err, UTIL_EPROGRAM, "interrupted") : 0;
}

static int measure_grid(struct kern_grid *grid, const struct kern_settings *settings,
			double budget_s, struct kern_series *series, struct util_error *err)
{
	struct kern_operands operands;
	size_t length;
	int p[PD_STORE_MAX_PARAMS], n = kern_grid_count(grid, &length);
	int rc = kern_operands_create(grid->kernel, length, &operands, err);

	if (rc)
		return rc;
	while (!rc && kern_grid_next(grid, p)) {
		rc = measure_point(grid->kernel, &operands, p, budget_s / n, series, err);
		rc = rc ? rc : kern_check_interrupt(settings, err);
	}
	kern_operands_finish(&operands);
	return rc;
}

static int measure_kernel(const struct kern_kernel *kernel, const struct kern_settings *settings, double budget_s,
			  struct kern_data *data, struct util_error *err)
{
	struct kern_series *series;
	struct kern_grid grid;
	int rc = kern_data_series(data, kernel->name, kernel->n_params, &series, err);

	if (!rc && !series->has_complexity)
		rc = pd_expression_parse(kernel->complexity, &series->complexity, err);
	if (!rc)
		rc = kern_grid_create(kernel, settings, &grid, err);
	if (rc)
		return rc;
	series->has_complexity = true;
	return measure_grid(&grid, settings, budget_s, series, err);
}

bool kern_is_wanted(const struct kern_settings *settings, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = settings->kernels; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
			return true;
	}
	return !settings->kernels;
}

static int check_names(const struct kern_settings *settings, struct util_error *err)
{
	for (const char *at = settings->kernels; at && *at;) {
		size_t length = strcspn(at, ",");
		bool is_known = false;

		for (const struct kern_kernel *kernel = kern_catalog; kernel->name; kernel++)
			is_known |= strlen(kernel->name) == length && !strncmp(kernel->name, at, length);
		if (!is_known)
			return util_error_set(err, UTIL_EINPUT,
					      "--kernels: found \"%.*s\", wanted names that --list shows",
					      (int)length, at);
		at += length + (at[length] == ',');
	}
	return 0;
}

int kern_measure(const struct kern_settings *settings, struct kern_data *data, struct util_error *err)
{
	int n = 0, done = 0, rc = check_names(settings, err);

	for (const struct kern_kernel *kernel = kern_catalog; kernel->name; kernel++)
		n += kern_is_wanted(settings, kernel->name);
	for (const struct kern_kernel *kernel = kern_catalog; kernel->name && !rc; kernel++) {
		if (!kern_is_wanted(settings, kernel->name))
			continue;
		if (settings->shows_progress)
			fprintf(stderr, "mpisim-kernels: %s (%d of %d, about %.0f s left)\n", kernel->name, done + 1,
				n, settings->budget_s * (n - done) / n);
		done++;
		rc = measure_kernel(kernel, settings, settings->budget_s / n, data, err);
	}
	data->n_nodes = 1;
	return rc;
}
