/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim.h under SimGrid's SMPI: kernels take the time that MPISIM_REAL_MODEL gives them on the simulated host, and do not run. SMPI gives each rank its own copy. */
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpisim.h"
#include "pdexec/store.h"

static struct pd_store *model;

static void prepare(void)
{
	struct pd_config config = {.mode = PD_COMPUTE_MODELLED, .bench_in = getenv("MPISIM_REAL_MODEL")};
	struct util_error err;

	if (model)
		return;
	if (pd_store_create(&config, &model, &err)) {
		fprintf(stderr, "adapter: %s\n", err.text);
		exit(2);
	}
}

void mpisim_add_compute_time(double seconds)
{
	if (seconds > 0)
		smpi_execute(seconds);
}

int mpisim_kernel_begin(const char *name, int n_params, const double params[])
{
	struct pd_charge charge;
	struct util_error err;

	prepare();
	if (pd_store_begin(model, name, n_params, params, &charge, &err)) {
		fprintf(stderr, "adapter: %s\n", err.text);
		exit(2);
	}
	mpisim_add_compute_time(charge.seconds);
	return 0;
}

void mpisim_kernel_end(void)
{
}

double mpisim_kernel_time(const char *name, int n_params, const double params[])
{
	prepare();
	return pd_store_lookup(model, PD_NOWHERE, name, n_params, params);
}

void mpisim_phase_begin(const char *name)
{
}

void mpisim_phase_end(void)
{
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

void mpisim_touch_memory(const void *address, size_t count, const void *type, int use, double fraction)
{
}

int mpisim_is_simulated(void)
{
	return 1;
}

double mpisim_real_time(void)
{
	return 0;
}
