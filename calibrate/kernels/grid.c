/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which sizes are measured: powers of two, moved off them a little, up to the catalog's square
 * matrices; one dimension goes LONG times as far when the others are the shorter, as panels of
 * factorizations are (docs/kernels.md).
 */
#include "calibrate/kernels/kernels.h"

#define LONG 8

static bool is_vector(const struct kern_kernel *kernel)
{
	return kernel->largest > 1 << 16;
}

int kern_largest(const struct kern_kernel *kernel, const struct kern_settings *settings)
{
	int largest =
	    settings->max_size && !is_vector(kernel) && settings->max_size < kernel->largest
		? settings->max_size
		: kernel->largest;

	/* Vectors as long as the square matrices, so that --max-size bounds all time and memory. */
	if (settings->max_size && is_vector(kernel) && settings->max_size < 1 << 10)
		largest = settings->max_size * settings->max_size;
	return largest > kernel->smallest ? largest : kernel->smallest;
}

int kern_grid_create(const struct kern_kernel *kernel, const struct kern_settings *settings,
		     struct kern_grid *out, struct util_error *err)
{
	struct kern_grid g = {.kernel = kernel, .largest = kern_largest(kernel, settings)};
	struct pd_expression complexity;
	double square[PD_STORE_MAX_PARAMS];
	int rc = pd_expression_parse(kernel->complexity, &complexity, err);

	if (rc)
		return rc;
	g.longest = is_vector(kernel)	 ? g.largest
		    : settings->max_size ? settings->max_size
					 : LONG * g.largest;
	if (kernel->n_rows) /* all of them are there for every call, and no more can be exchanged */
		g.longest =
		    settings->max_size < kernel->n_rows ? settings->max_size : kernel->n_rows;
	g.longest = g.longest > g.largest ? g.longest : g.largest;
	g.work = complexity.terms[0];
	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++) {
		g.at[i] = kernel->smallest;
		square[i] = g.largest;
	}
	g.most_work = pd_term_value(&g.work, square);
	*out = g;
	return 0;
}

/* Numbers in the largest operand, whichever dimensions that one has. */
static double area_of(const struct kern_kernel *kernel, const int p[])
{
	double area = kernel->n_params == 1 || !kernel->is_tall ? (double)p[0] * p[0] : 0;

	for (int i = 0; i < kernel->n_params; i++)
		for (int k = i + 1; k < kernel->n_params; k++)
			area = area > (double)p[i] * p[k] ? area : (double)p[i] * p[k];
	return is_vector(kernel) ? (double)p[0] : area;
}

size_t kern_operand_length(const struct kern_kernel *kernel, const int p[])
{
	return kernel->n_rows ? (size_t)p[0] * (size_t)kernel->n_rows : (size_t)area_of(kernel, p);
}

/* No more work, nor memory, than the largest square and the longest panel take. */
static bool is_within(const struct kern_grid *grid, const int p[])
{
	double params[PD_STORE_MAX_PARAMS] = {0};

	for (int i = 0; i < grid->kernel->n_params; i++)
		params[i] = p[i];
	return pd_term_value(&grid->work, params) <= grid->most_work &&
	       area_of(grid->kernel, p) <= (double)grid->largest * grid->longest;
}

/* Powers of two are what caches like least: each dimension is moved by another part. None is above
 * the longest. */
static bool place(const struct kern_grid *grid, int p[])
{
	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++)
		p[i] = 0;
	for (int i = 0; i < grid->kernel->n_params; i++) {
		int most = grid->at[i] <= grid->largest ? grid->largest : grid->longest;

		p[i] = grid->at[i] + grid->at[i] / 4 * (i + 1) / 2;
		p[i] = p[i] < most ? p[i] : most;
	}
	return (!grid->kernel->is_tall || p[0] >= p[1]) && is_within(grid, p);
}

/* The fewer parameters, the closer. */
static void step(struct kern_grid *grid)
{
	for (int i = 0; i < grid->kernel->n_params; i++) {
		int n = grid->kernel->n_params;

		grid->at[i] += n > 2 ? grid->at[i] : grid->at[i] / (n == 1 ? 4 : 2);
		if (grid->at[i] <= grid->longest)
			return;
		grid->at[i] = grid->kernel->smallest;
	}
	grid->is_over = true;
}

bool kern_grid_next(struct kern_grid *grid, int p[])
{
	while (!grid->is_over) {
		bool is_taken = place(grid, p);

		step(grid);
		if (is_taken)
			return true;
	}
	return false;
}

int kern_grid_count(const struct kern_grid *grid, size_t *out_length)
{
	struct kern_grid rest = *grid;
	int p[PD_STORE_MAX_PARAMS], n = 0;

	for (*out_length = 0; kern_grid_next(&rest, p); n++) {
		size_t length = kern_operand_length(grid->kernel, p);

		*out_length = length > *out_length ? length : *out_length;
	}
	return n;
}
