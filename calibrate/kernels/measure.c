/* SPDX-License-Identifier: BSD-3-Clause */
/* Times the kernels of the catalog over their grids: CPU time of this thread, as the simulator measures (docs/kernels.md). */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate/kernels/kernels.h"
#include "util/rng.h"

#define BATCH_S 20e-6     /* shorter calls are timed in batches of this length */
#define MIN_SAMPLES 5
#define MAX_SAMPLES 60
#define MAX_BATCH 4096
#define CLOCK_SAMPLES 200
#define OFF_DIAGONAL 1e-3 /* a matrix of 1000 rows keeps a dominant diagonal, and triangular solves stay bounded */

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int kern_operands_create(struct kern_operands *out, size_t length, struct util_error *err)
{
	struct kern_operands o = {.length = length};
	struct util_rng rng;

	o.a = malloc(length * sizeof(double));
	o.b = malloc(length * sizeof(double));
	o.c = malloc(length * sizeof(double));
	o.clean = malloc(length * sizeof(double));
	o.pivots = calloc(length, sizeof(int));
	*out = o;
	if (!o.a || !o.b || !o.c || !o.clean || !o.pivots) {
		kern_operands_finish(out);
		return util_error_set(err, UTIL_ENOMEM, "no memory for operands of %zu numbers", length);
	}
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

int kern_largest(const struct kern_kernel *kernel, const struct kern_settings *settings)
{
	bool is_vector = kernel->largest > 1 << 16;
	int largest = settings->max_size && !is_vector && settings->max_size < kernel->largest
			      ? settings->max_size
			      : kernel->largest;

	/* Vectors as long as the square matrices, so that --max-size bounds all time and memory. */
	if (settings->max_size && is_vector && settings->max_size < 1 << 10)
		largest = settings->max_size * settings->max_size;
	return largest > kernel->smallest ? largest : kernel->smallest;
}

size_t kern_operand_length(const struct kern_kernel *kernel, int largest)
{
	size_t n_rows = largest > kernel->n_rows ? (size_t)largest : (size_t)kernel->n_rows;

	return kernel->largest > 1 << 16 ? (size_t)largest : (size_t)largest * n_rows;
}

/* Of the operand that a call spoils, with n_params <= 2 (the rest of p is 0). */
static size_t used_length(const struct kern_operands *o, const int p[])
{
	size_t length = (size_t)p[0] * (size_t)(p[1] > p[0] ? p[1] : p[0]);

	return length < o->length ? length : o->length;
}

/* The matrix that calls find: as wide as the point says. */
static void fill_clean(const struct kern_kernel *kernel, struct kern_operands *o, const int p[])
{
	struct util_rng rng;
	double scale = kernel->spoils == KERN_SPOILS_DOMINANT ? OFF_DIAGONAL : 1;

	if (kernel->spoils == KERN_KEEPS)
		return;
	util_rng_init(&rng, 2, 0);
	for (size_t i = 0; i < o->length; i++)
		o->clean[i] = scale * (util_rng_uniform(&rng) - 0.5);
	for (size_t i = 0; scale < 1 && i < o->length; i += (size_t)p[0] + 1)
		o->clean[i] = 1;
}

double kern_time(const struct kern_kernel *kernel, struct kern_operands *o, const int p[], int n)
{
	double begin_s;

	if (kernel->spoils != KERN_KEEPS)
		memcpy(o->c, o->clean, used_length(o, p) * sizeof(double));
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

/* The next point of the grid: the fewer parameters, the closer. False after the last one. */
static bool next_point(const struct kern_kernel *kernel, int largest, int p[])
{
	for (int i = 0; i < kernel->n_params; i++) {
		p[i] += kernel->n_params > 2 ? p[i] : p[i] / (kernel->n_params == 1 ? 4 : 2);
		if (p[i] <= largest)
			return true;
		p[i] = kernel->smallest;
	}
	return false;
}

static int count_points(const struct kern_kernel *kernel, int largest)
{
	int p[PD_STORE_MAX_PARAMS], n = 0;

	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++)
		p[i] = kernel->smallest;
	do
		n++;
	while (next_point(kernel, largest, p));
	return n;
}

/* Powers of two are what caches like least: sizes are moved off them, each dimension by another part. None is above `largest`. */
static bool place_point(const struct kern_kernel *kernel, int largest, const int grid[], int out[])
{
	for (int i = 0; i < kernel->n_params; i++) {
		out[i] = grid[i] + grid[i] / 4 * (i + 1) / 2;
		out[i] = out[i] < largest ? out[i] : largest;
	}
	return !kernel->is_tall || out[0] >= out[1];
}

static int measure_kernel(const struct kern_kernel *kernel, const struct kern_settings *settings, double budget_s,
			  struct kern_data *data, struct util_error *err)
{
	int largest = kern_largest(kernel, settings), grid[PD_STORE_MAX_PARAMS], p[PD_STORE_MAX_PARAMS] = {0};
	struct kern_series *series;
	struct kern_operands operands;
	int rc = kern_data_series(data, kernel->name, kernel->n_params, &series, err);

	if (!rc && !series->has_complexity)
		rc = pd_expression_parse(kernel->complexity, &series->complexity, err);
	if (!rc)
		rc = kern_operands_create(&operands, kern_operand_length(kernel, largest), err);
	if (rc)
		return rc;
	series->has_complexity = true;
	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++)
		grid[i] = kernel->smallest;
	budget_s /= count_points(kernel, largest);
	do {
		if (place_point(kernel, largest, grid, p))
			rc = measure_point(kernel, &operands, p, budget_s, series, err);
	} while (!rc && next_point(kernel, largest, grid));
	kern_operands_finish(&operands);
	return rc;
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
