/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call of a kernel is charged: measured keys before models, models before fits (docs/model.md §2). */
#include <stdio.h>
#include <string.h>

#include "pdexec/store_internal.h"
#include "pdexec/store_write.h"

struct pd_estimate {
	double seconds;
	bool is_known, is_fitted;
	const struct pd_model *model; /* that gave them; NULL: none did */
};

static const struct pd_model *model_find(const struct pd_kernel *kernel, const double values[])
{
	for (const struct pd_model *model = kernel->models.first; model; model = model->link.next) {
		if (pd_ranges_hold(model->ranges, model->n_ranges, values))
			return model;
	}
	return NULL;
}

static struct pd_estimate estimate(struct pd_store *store, struct pd_place place,
				   struct pd_kernel *kernel, int n_params, const double params[],
				   bool allow_fit)
{
	double values[PD_N_VALUES];
	struct pd_key *key = pd_store_find_key(store, kernel, n_params, params);
	struct pd_estimate found = {.is_known = true};

	pd_values_set(values, n_params, params, place);
	if (key && key->file_n > 0) {
		found.seconds = key->file_sum_s / (double)key->file_n;
		store->has_told = true;
		return found;
	}
	found.model = model_find(kernel, values);
	if (found.model) {
		found.seconds = pd_expression_value(&found.model->expression, values);
		store->has_told = true;
		return found;
	}
	if (kernel->fit_state == PD_FIT_OPEN && allow_fit)
		pd_store_fit(kernel);
	found.is_known = found.is_fitted = allow_fit && kernel->fit_state == PD_FIT_DONE;
	if (found.is_known) {
		found.seconds = pd_expression_value(&kernel->fit, values);
		store->has_told = true;
	}
	return found;
}

/* " (p1=324, p2=12)", or nothing. */
static void params_format(char *buf, size_t size, int n_params, const double params[])
{
	size_t length = 0;

	buf[0] = '\0';
	for (int i = 0; i < n_params && length < size; i++)
		length += (size_t)snprintf(buf + length, size - length, "%sp%d=%g%s", i ? ", " : " (",
					   i + 1, params[i], i == n_params - 1 ? ")" : "");
}

/* Names the kernel, and says what would help. */
static int error_unknown(const struct pd_store *store, const struct pd_kernel *kernel, int n_params,
			 const double params[], struct util_error *err)
{
	char key[128];

	params_format(key, sizeof(key), n_params, params);
	if (!store->in_name)
		return util_error_set(err, UTIL_EPROGRAM,
				      "kernel \"%s\"%s has no time: no store or model file was given (--bench FILE)",
				      kernel->name, key);
	if (kernel->models.first)
		return util_error_set(err, UTIL_EPROGRAM,
				      "kernel \"%s\"%s is outside the ranges of all its models in %s",
				      kernel->name, key, store->in_name);
	return util_error_set(err, UTIL_EPROGRAM,
			      "kernel \"%s\"%s was never measured: %s has neither a measurement nor a model of that name",
			      kernel->name, key, store->in_name);
}

static int check_params(struct pd_kernel *kernel, int n_params, struct util_error *err)
{
	int wanted = 0;

	if (kernel->n_params >= 0 && kernel->n_params != n_params)
		return util_error_set(err, UTIL_EPROGRAM,
				      "kernel \"%s\" is called with %d parameters, but measured or called with %d before",
				      kernel->name, n_params, kernel->n_params);
	for (const struct pd_model *model = kernel->models.first; model; model = model->link.next) {
		if (model->expression.n_params > wanted)
			wanted = model->expression.n_params;
		for (int i = 0; i < model->n_ranges; i++) {
			int of = model->ranges[i].of;

			if (of < PD_STORE_MAX_PARAMS && of >= wanted)
				wanted = of + 1;
		}
		if (model->deviation.n_params > wanted)
			wanted = model->deviation.n_params;
	}
	if (n_params < wanted)
		return util_error_set(err, UTIL_EPROGRAM,
				      "kernel \"%s\" is called with %d parameters, but its model uses p%d",
				      kernel->name, n_params, wanted);
	kernel->n_params = n_params;
	return 0;
}

/* First-n: run until the key has n measurements, then replay their average. */
static int begin_first_n(struct pd_store *store, struct pd_kernel *kernel, int n_params,
			 const double params[], struct pd_charge *charge, struct util_error *err)
{
	struct pd_key *key = pd_store_get_key(store, kernel, n_params, params);

	if (!key)
		return util_error_set(err, UTIL_ENOMEM, "no memory for kernel \"%s\"", kernel->name);
	charge->key = key;
	charge->execute = key->run_n < (uint64_t)store->first_n;
	if (!charge->execute)
		charge->seconds = key->run_sum_s / (double)key->run_n;
	return 0;
}

/* How the call may deviate, where that counts. */
static void set_deviation(const struct pd_store *store, const struct pd_model *model, int n_params,
			  const double params[], struct pd_charge *charge)
{
	double values[PD_N_VALUES];

	if (!store->varies || !model || model->deviates == PD_DEVIATES_NOT)
		return;
	pd_values_set(values, n_params, params, PD_NOWHERE);
	charge->deviates = model->deviates;
	charge->deviation_s = pd_expression_value(&model->deviation, values);
}

static int begin_known(struct pd_store *store, struct pd_place place, struct pd_kernel *kernel,
		       int n_params, const double params[], struct pd_charge *charge,
		       struct util_error *err)
{
	struct pd_estimate found =
		estimate(store, place, kernel, n_params, params, store->first_n <= 0);

	if (!found.is_known && store->first_n > 0)
		return begin_first_n(store, kernel, n_params, params, charge, err);
	if (!found.is_known)
		return error_unknown(store, kernel, n_params, params, err);
	charge->seconds = found.seconds > 0 ? found.seconds : 0;
	set_deviation(store, found.model, n_params, params, charge);
	kernel->info.n_predicted += found.is_fitted;
	kernel->info.n_negative += found.seconds < 0;
	return 0;
}

static int check_call(struct pd_kernel *kernel, const char *name, int n_params,
		      const double params[], struct util_error *err)
{
	int status = pd_bench_check(name, n_params, params, err);

	return status ? status : check_params(kernel, n_params, err);
}

int pd_store_begin_at(struct pd_store *store, struct pd_place place, const char *name, int n_params,
		      const double params[], struct pd_charge *out, struct util_error *err)
{
	struct pd_kernel *kernel = pd_store_get_kernel(store, name, err);
	struct pd_charge charge = {.kernel = kernel};
	int status;

	if (!kernel)
		return err ? err->code : UTIL_EPROGRAM;
	status = check_call(kernel, name, n_params, params, err);
	if (status)
		return status;
	charge.name = kernel->name;
	charge.scale = kernel->info.scale;
	if (store->mode == PD_COMPUTE_PARTIAL || store->mode == PD_COMPUTE_MODELLED)
		status = begin_known(store, place, kernel, n_params, params, &charge, err);
	else if (store->first_n > 0)
		status = begin_first_n(store, kernel, n_params, params, &charge, err);
	else
		charge.execute = true;
	if (status)
		return status;
	kernel->is_used = true;
	if (!charge.execute) {
		kernel->info.n_charged++;
		kernel->info.charged_s += charge.seconds * charge.scale;
	}
	*out = charge;
	return 0;
}

double pd_store_scale(struct pd_store *store, const char *name)
{
	struct pd_kernel *kernel = pd_store_get_kernel(store, name, NULL);

	if (!kernel)
		return 1;
	kernel->is_used = true;
	return kernel->info.scale;
}

int pd_store_measured(struct pd_store *store, const struct pd_charge *charge, int n_params,
		      const double params[], double seconds, struct util_error *err)
{
	struct pd_kernel *kernel = charge->kernel;

	kernel->info.n_executed++;
	kernel->info.charged_s += seconds * charge->scale;
	if (charge->key) {
		charge->key->run_sum_s += seconds;
		charge->key->run_n++;
	}
	if (store->out_fd < 0)
		return 0;
	if (pd_bench_append(store->out_fd, kernel->name, n_params, params, seconds, err))
		return util_error_prepend(err, "%s", store->out_name);
	return 0;
}

double pd_store_lookup(struct pd_store *store, struct pd_place place, const char *name, int n_params,
		       const double params[])
{
	struct pd_kernel *kernel = pd_store_get_kernel(store, name, NULL);
	struct pd_estimate found;
	struct pd_key *key;

	if (!kernel || check_call(kernel, name, n_params, params, NULL))
		return -1;
	found = estimate(store, place, kernel, n_params, params, true);
	if (found.is_known)
		return found.seconds > 0 ? found.seconds : 0;
	key = pd_store_find_key(store, kernel, n_params, params);
	return key && key->run_n > 0 ? key->run_sum_s / (double)key->run_n : -1;
}
