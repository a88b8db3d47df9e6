/* SPDX-License-Identifier: BSD-3-Clause */
/* --contention: what mpisim-kernels measured becomes a key of the cluster file, as if it stood
 * behind --set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pdexec/store_internal.h"
#include "tools/run/options.h"

static int add_override(const double speed[], int n, struct run_options *out,
			struct util_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	fprintf(file, "cpu.contention=[");
	for (int k = 0; k < n; k++)
		fprintf(file, "%s%.6g", k ? ", " : "", speed[k]);
	fprintf(file, "]");
	if (fclose(file)) {
		free(text);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	out->made_overrides[out->n_made++] = text;
	out->overrides[out->n_overrides++] = text;
	return 0;
}

int run_options_take_contention(struct run_options *out, struct util_error *err)
{
	const char *const files[] = {out->blas_model, out->bench_in};
	double speed[PD_MAX_CONTENTION];
	int n = 0, failed = 0;

	if (!out->contention)
		return 0;
	for (size_t i = 0; i < sizeof files / sizeof files[0] && !failed && n == 0; i++)
		if (files[i])
			failed = pd_store_contention(files[i], out->contention, speed, &n, err);
	if (failed)
		return failed;
	if (n == 0)
		return util_refuse(err,
				   "--contention: found no line \"contention,%s,…\" in the file of "
				   "--bench or --blas-model; mpisim-kernels --contention writes it",
				   out->contention);
	return add_override(speed, n, out, err);
}
