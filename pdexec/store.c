/* SPDX-License-Identifier: BSD-3-Clause */
/* The store itself: names, kernels, keys, and what each mode charges. */
#include "pdexec/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pdexec/store_internal.h"
#include "pdexec/store_write.h"
#include "util/array.h"
#include "util/units.h"

/* --- names, kernels, keys --- */

static bool name_equal(const void *item, const void *wanted)
{
	return !strcmp(((const struct pd_name *)item)->text, wanted);
}

static struct pd_name *name_get(struct pd_store *store, const char *text)
{
	size_t length = strlen(text);
	uint64_t hash = util_hash(text, length, 0);
	struct pd_name *name = util_map_find_equal(&store->names, hash, name_equal, text);

	if (name)
		return name;
	name = malloc(sizeof(*name) + length + 1);
	if (!name)
		return NULL;
	name->kernel = NULL;
	memcpy(name->text, text, length + 1);
	if (util_map_put(&store->names, hash, name)) {
		free(name);
		return NULL;
	}
	return name;
}

const char *pd_store_intern(struct pd_store *store, const char *text)
{
	struct pd_name *name = name_get(store, text);

	return name ? name->text : NULL;
}

static struct pd_kernel *kernel_create(struct pd_store *store, const char *interned)
{
	struct pd_kernel *kernel;

	if (!util_array_room(&store->kernels, (size_t)store->n_kernels, sizeof *store->kernels))
		return NULL;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return NULL;
	kernel->name = kernel->info.name = interned;
	kernel->info.scale = 1;
	kernel->n_params = -1;
	kernel->index = store->n_kernels;
	store->kernels[store->n_kernels++] = kernel;
	return kernel;
}

struct pd_kernel *pd_store_get_kernel(struct pd_store *store, const char *name,
				      struct util_error *err)
{
	const char *fault;
	struct pd_name *found;

	if (name) {
		found = util_map_find_equal(&store->names, util_hash(name, strlen(name), 0),
					    name_equal, name);
		if (found && found->kernel)
			return found->kernel;
	}
	fault = pd_bench_name_fault(name);
	if (fault) {
		util_error_set(err, UTIL_EPROGRAM, "the kernel name \"%.110s\" %s", name ? name : "",
			       fault);
		return NULL;
	}
	found = name_get(store, name);
	if (found)
		found->kernel = kernel_create(store, found->text);
	if (!found || !found->kernel) {
		util_error_set(err, UTIL_ENOMEM, "no memory for kernel \"%s\"", name);
		return NULL;
	}
	return found->kernel;
}

static bool key_equal(const void *item, const void *wanted)
{
	const struct pd_key *a = item, *b = wanted;

	return a->kernel == b->kernel && a->n_params == b->n_params &&
	       !memcmp(a->params, b->params, sizeof(a->params));
}

static uint64_t key_fill(struct pd_key *key, struct pd_kernel *kernel, int n_params,
			 const double params[])
{
	*key = (struct pd_key){.kernel = kernel, .n_params = n_params};
	for (int i = 0; i < n_params; i++)
		key->params[i] = params[i] + 0.0; /* -0 becomes 0 */
	return util_hash(key->params, sizeof(key->params), 0) + kernel->index * 0x9e3779b97f4a7c15u;
}

struct pd_key *pd_store_find_key(const struct pd_store *store, struct pd_kernel *kernel,
				 int n_params, const double params[])
{
	struct pd_key wanted;
	uint64_t hash;

	if (kernel->n_keys == 0)
		return NULL;
	hash = key_fill(&wanted, kernel, n_params, params);
	return util_map_find_equal(&store->keys, hash, key_equal, &wanted);
}

struct pd_key *pd_store_get_key(struct pd_store *store, struct pd_kernel *kernel, int n_params,
				const double params[])
{
	struct pd_key *key = pd_store_find_key(store, kernel, n_params, params);
	uint64_t hash;

	if (key)
		return key;
	key = malloc(sizeof(*key));
	if (!key)
		return NULL;
	hash = key_fill(key, kernel, n_params, params);
	if (util_map_put(&store->keys, hash, key)) {
		free(key);
		return NULL;
	}
	key->next = kernel->keys;
	kernel->keys = key;
	kernel->n_keys++;
	return key;
}

/* --- creation --- */

/* "dgemm=0.9"; the last '=' divides, so that a name may contain one. */
static int scale_parse(struct pd_store *store, const char *text, struct util_error *err)
{
	const char *equals = strrchr(text, '=');
	char name[PD_STORE_MAX_NAME + 2];
	struct pd_kernel *kernel;
	double factor;

	if (!equals || (size_t)(equals - text) >= sizeof(name))
		return util_refuse(
		    err, "scale \"%s\": wanted KERNEL=FACTOR, or *=FACTOR for all computation",
		    text);
	memcpy(name, text, (size_t)(equals - text));
	name[equals - text] = '\0';
	if (util_parse_double(equals + 1, &factor, err))
		return util_error_prepend(err, "scale \"%s\"", text);
	if (factor < 0)
		return util_refuse(err, "scale \"%s\": found a negative factor, wanted 0 or more",
				   text);
	if (!strcmp(name, "*")) {
		if (store->scale_all >= 0)
			return util_refuse(err, "scale \"%s\": * has a factor already", text);
		store->scale_all = factor;
		return 0;
	}
	kernel = pd_store_get_kernel(store, name, err);
	if (!kernel) {
		if (err->code == UTIL_EPROGRAM)
			err->code = UTIL_EINPUT;
		return util_error_prepend(err, "scale \"%s\"", text);
	}
	if (kernel->is_scaled)
		return util_refuse(err, "scale \"%s\": %s has a factor already", text, name);
	kernel->is_scaled = true;
	kernel->info.scale = factor;
	return 0;
}

/* Either may be NULL. They share the names of kernels. */
static int store_read_all(struct pd_store *store, const char *bench, const char *blas_model,
			  struct util_error *err)
{
	int status = 0;

	if (!bench && !blas_model)
		return 0;
	if (asprintf(&store->in_name, "%s%s%s", bench ? bench : "",
		     bench && blas_model ? " with " : "", blas_model ? blas_model : "") < 0) {
		store->in_name = NULL;
		return util_error_set(err, UTIL_ENOMEM, "no memory for the benchmark store");
	}
	if (bench)
		status = pd_store_read(store, bench, err);
	return !status && blas_model ? pd_store_read(store, blas_model, err) : status;
}

static int store_fill(struct pd_store *store, const struct pd_config *config, struct util_error *err)
{
	int status;

	if (config->first_n > 0 && config->mode == PD_COMPUTE_MODELLED)
		return util_refuse(err, "first-n measures kernels, but the modelled mode measures "
					"nothing: wanted direct, collect or partial");
	status = store_read_all(store, config->bench_in, config->blas_model, err);
	if (status)
		return status;
	for (int i = 0; i < config->n_scales; i++) {
		status = scale_parse(store, config->scales[i], err);
		if (status)
			return status;
	}
	if (config->mode != PD_COMPUTE_COLLECT)
		return 0;
	if (!config->bench_out)
		return util_refuse(
		    err,
		    "collecting measurements needs a file to append them to (--bench-out FILE)");
	store->out_name = strdup(config->bench_out);
	if (!store->out_name)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the benchmark store");
	return pd_bench_open(config->bench_out, &store->out_fd, err);
}

int pd_store_create(const struct pd_config *config, struct pd_store **out, struct util_error *err)
{
	struct pd_store *store = calloc(1, sizeof(*store));
	struct util_error unwanted;
	int status;

	err = err ? err : &unwanted;
	if (!store)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the benchmark store");
	store->mode = config->mode;
	store->first_n = config->first_n;
	store->varies = config->vary_kernels;
	store->seed = config->seed;
	store->out_fd = -1;
	store->scale_all = -1;
	status = store_fill(store, config, err);
	if (status) {
		pd_store_destroy(store);
		return status;
	}
	if (store->scale_all < 0)
		store->scale_all = 1;
	*out = store;
	return 0;
}

void pd_store_destroy(struct pd_store *store)
{
	if (!store)
		return;
	if (store->out_fd >= 0)
		close(store->out_fd);
	for (size_t i = 0; i < store->n_kernels; i++) {
		struct pd_model *model;

		while ((model = util_list_pop(&store->kernels[i]->models)))
			free(model);
		free(store->kernels[i]);
	}
	free(store->kernels);
	util_map_finish_items(&store->names);
	util_map_finish_items(&store->keys);
	free(store->in_name);
	free(store->out_name);
	free(store);
}

double pd_store_scale_all(const struct pd_store *store)
{
	return store->scale_all;
}

void pd_store_note_uncharged(struct pd_store *store, double seconds)
{
	store->uncharged_s += seconds;
	store->n_uncharged++;
}

void pd_store_note_on_host(struct pd_store *store)
{
	store->n_on_host++;
}
