/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Least squares on a kernel's stated complexity, for keys that were never measured. What is minimised is the sum over all
 * measurements of (predicted / measured - 1)², so that short kernels count as much as long ones. Coefficients are not negative: the
 * worst one is dropped and the fit repeated. Own normal equations, since GSL may not enter the process of a simulated program.
 */
#include <math.h>
#include <string.h>

#include "pdexec/store_internal.h"

#define MAX_BASIS (PD_MAX_TERMS + 1)
#define SHORTEST_S 1e-9      /* weight of measurements that the clock could not resolve */
#define SINGULAR 1e-11       /* of a pivot, columns being normalised */

struct fit {
	int n;                               /* active columns */
	struct pd_term basis[MAX_BASIS];     /* coefficient 1 */
	double norm[MAX_BASIS];              /* of the weighted column */
	double matrix[MAX_BASIS][MAX_BASIS + 1]; /* normal equations of the normalised columns, right-hand side last */
	double solution[MAX_BASIS];
};

static double key_seconds(const struct pd_key *key)
{
	double average_s = key->file_sum_s / (double)key->file_n;

	return average_s > SHORTEST_S ? average_s : SHORTEST_S;
}

static bool term_is_constant(const struct pd_term *term)
{
	static const unsigned char none[PD_STORE_MAX_PARAMS];

	return !memcmp(term->twice_exponent, none, sizeof(none));
}

/* A constant first (unless the complexity states one), then the stated terms; the product of all parameters without any. */
static void fit_init(struct fit *fit, const struct pd_kernel *kernel)
{
	const struct pd_expression *complexity = &kernel->complexity;
	bool has_constant = false;

	memset(fit, 0, sizeof(*fit));
	for (int i = 0; i < complexity->n_terms; i++)
		has_constant |= term_is_constant(&complexity->terms[i]);
	if (!has_constant)
		fit->basis[fit->n++] = (struct pd_term){.coefficient = 1};
	for (int i = 0; i < complexity->n_terms; i++) {
		fit->basis[fit->n] = complexity->terms[i];
		fit->basis[fit->n++].coefficient = 1;
	}
	if (kernel->has_complexity)
		return;
	fit->basis[fit->n].coefficient = 1;
	for (int i = 0; i < kernel->n_params; i++)
		fit->basis[fit->n].twice_exponent[i] = 2;
	fit->n++;
}

static void fit_drop(struct fit *fit, int column)
{
	fit->n--;
	for (int i = column; i < fit->n; i++)
		fit->basis[i] = fit->basis[i + 1];
}

static void fit_assemble(struct fit *fit, const struct pd_kernel *kernel)
{
	double row[MAX_BASIS + 1];

	memset(fit->matrix, 0, sizeof(fit->matrix));
	for (const struct pd_key *key = kernel->keys; key; key = key->next) {
		if (key->file_n == 0)
			continue;
		for (int i = 0; i < fit->n; i++)
			row[i] = pd_term_value(&fit->basis[i], key->params) / key_seconds(key);
		row[fit->n] = 1;
		for (int i = 0; i < fit->n; i++) {
			for (int j = 0; j <= fit->n; j++)
				fit->matrix[i][j] += (double)key->file_n * row[i] * row[j];
		}
	}
	for (int i = 0; i < fit->n; i++)
		fit->norm[i] = fit->matrix[i][i] > 0 ? sqrt(fit->matrix[i][i]) : 1;
	for (int i = 0; i < fit->n; i++) {
		for (int j = 0; j < fit->n; j++)
			fit->matrix[i][j] /= fit->norm[i] * fit->norm[j];
		fit->matrix[i][fit->n] /= fit->norm[i];
	}
}

/* Elimination without pivoting: the matrix is symmetric and positive definite, or called singular. */
static bool fit_solve(struct fit *fit)
{
	int n = fit->n;

	for (int k = 0; k < n; k++) {
		if (fit->matrix[k][k] < SINGULAR)
			return false;
		for (int i = k + 1; i < n; i++) {
			double factor = fit->matrix[i][k] / fit->matrix[k][k];

			for (int j = k; j <= n; j++)
				fit->matrix[i][j] -= factor * fit->matrix[k][j];
		}
	}
	for (int k = n - 1; k >= 0; k--) {
		double sum = fit->matrix[k][n];

		for (int j = k + 1; j < n; j++)
			sum -= fit->matrix[k][j] * fit->solution[j];
		fit->solution[k] = sum / fit->matrix[k][k];
	}
	return true;
}

/* The column to give up: the constant, when the equations do not determine all, or the most negative one; -1: none. */
static int fit_worst(struct fit *fit, bool is_solved)
{
	int worst = -1;

	if (!is_solved)
		return term_is_constant(&fit->basis[0]) ? 0 : fit->n - 1;
	for (int i = 0; i < fit->n; i++) {
		if (fit->solution[i] < 0 && (worst < 0 || fit->solution[i] < fit->solution[worst]))
			worst = i;
	}
	return worst;
}

/* Root mean square over all measurements: what the fit misses of a key's average, and what the key's own measurements scatter around
 * it. */
static double fit_residual(const struct pd_kernel *kernel)
{
	double sum = 0, weight = 0;

	for (const struct pd_key *key = kernel->keys; key; key = key->next) {
		double error, average_s;

		if (key->file_n == 0)
			continue;
		average_s = key_seconds(key);
		error = pd_expression_value(&kernel->fit, key->params) / average_s - 1;
		sum += (double)key->file_n * error * error + key->file_scatter_s2 / (average_s * average_s);
		weight += (double)key->file_n;
	}
	return sqrt(sum / weight);
}

static size_t count_measured(const struct pd_kernel *kernel)
{
	size_t n = 0;

	for (const struct pd_key *key = kernel->keys; key; key = key->next)
		n += key->file_n > 0;
	return n;
}

void pd_store_fit(struct pd_kernel *kernel)
{
	size_t n_measured = count_measured(kernel);
	struct fit fit;

	kernel->fit_state = PD_FIT_IMPOSSIBLE;
	if (n_measured == 0)
		return;
	fit_init(&fit, kernel);
	while (fit.n > 0) {
		bool is_solved = false;
		int worst;

		if ((size_t)fit.n <= n_measured) {
			fit_assemble(&fit, kernel);
			is_solved = fit_solve(&fit);
		}
		worst = fit_worst(&fit, is_solved);
		if (worst < 0)
			break;
		fit_drop(&fit, worst);
	}
	if (fit.n == 0)
		return;
	kernel->fit.n_terms = fit.n;
	for (int i = 0; i < fit.n; i++) {
		kernel->fit.terms[i] = fit.basis[i];
		kernel->fit.terms[i].coefficient = fit.solution[i] / fit.norm[i];
	}
	kernel->residual = kernel->info.residual = fit_residual(kernel);
	kernel->fit_state = PD_FIT_DONE;
}
