/* SPDX-License-Identifier: BSD-3-Clause */
/* What the run's report says about kernels. */
#include <stdio.h>

#include "pdexec/store_internal.h"

#define SENTENCE_SIZE_B 512

bool pd_store_kernel(const struct pd_store *store, size_t index, struct pd_kernel_info *out)
{
	if (index >= store->n_kernels)
		return false;
	*out = store->kernels[index]->info;
	return true;
}

bool pd_store_has_told(const struct pd_store *store)
{
	return store->has_told;
}

static void warn_kernel(const struct pd_store *store, const struct pd_kernel *kernel, pd_warning_fn warn, void *context)
{
	const struct pd_kernel_info *info = &kernel->info;
	char text[SENTENCE_SIZE_B];

	if (kernel->is_scaled && !kernel->is_used) {
		snprintf(text, sizeof(text), "kernel \"%s\" has a scale factor but was never called",
			 kernel->name);
		warn(context, text);
	}
	if (info->n_predicted > 0) {
		snprintf(text, sizeof(text),
			 "%llu of %llu calls of kernel \"%s\" had parameters that were never measured; "
			 "their time comes from a fit to %zu measurements (relative residual %.2g %%)",
			 (unsigned long long)info->n_predicted, (unsigned long long)info->n_charged,
			 kernel->name, info->n_measurements, 100 * info->residual);
		warn(context, text);
	}
	if (store->varies && info->n_varied < info->n_charged) {
		snprintf(text, sizeof(text),
			 "--vary-kernels: nothing is known about how the time of kernel \"%s\" varies; it does not",
			 kernel->name);
		warn(context, text);
	}
	if (info->n_negative > 0) {
		snprintf(text, sizeof(text),
			 "the model of kernel \"%s\" gave a negative time for %llu of %llu calls; 0 was charged",
			 kernel->name, (unsigned long long)info->n_negative,
			 (unsigned long long)info->n_charged);
		warn(context, text);
	}
}

void pd_store_warn(const struct pd_store *store, pd_warning_fn warn, void *context)
{
	char text[SENTENCE_SIZE_B];

	for (size_t i = 0; i < store->n_kernels; i++)
		warn_kernel(store, store->kernels[i], warn, context);
	if (store->uncharged_s > 0) {
		snprintf(text, sizeof(text),
			 "mpisim_add_compute_time was called %llu times with %.6g s in all, which count only "
			 "with --compute partial or modelled; what was measured counted instead",
			 (unsigned long long)store->n_uncharged, store->uncharged_s);
		warn(context, text);
	}
	if (store->n_on_host > 0) {
		snprintf(text, sizeof(text),
			 "%llu kernels of accelerators ran on this host: each takes the time of its CPU, not of an accelerator",
			 (unsigned long long)store->n_on_host);
		warn(context, text);
	}
}
