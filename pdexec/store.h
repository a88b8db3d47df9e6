/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_STORE_H
#define PDEXEC_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pdexec/rank.h"
#include "util/error.h"
#include "util/rng.h"

/*
 * The benchmark store and the kernel models: what is known about the time of each annotated kernel (docs/model.md §2, file
 * formats in docs/benchmark-store.md). Seconds are those of the reference CPU. One store belongs to one world.
 */
struct pd_store;
struct pd_kernel; /* one name; lives as long as the store */
struct pd_key;    /* one name with one set of parameters */

#define PD_STORE_MAX_PARAMS 4
#define PD_STORE_MAX_NAME 100 /* bytes of a kernel's name */

/*
 * Reads config->bench_in and config->blas_model, opens config->bench_out (in collect mode) and takes over config->scales. Errors: UTIL_EINPUT with file:line
 * and what was found and wanted, or naming the scale, or for first_n in the modelled mode; UTIL_ESYSTEM; UTIL_ENOMEM. Costs
 * O(file).
 */
int pd_store_create(const struct pd_config *config, struct pd_store **out, struct util_error *err);
void pd_store_destroy(struct pd_store *store); /* NULL is fine */

/* One copy of `text` that lives as long as the store, the same pointer for equal texts. NULL when out of memory. O(length). */
const char *pd_store_intern(struct pd_store *store, const char *text);

/* Where a kernel is called: what a model may depend on. */
struct pd_place {
	int node, rank; /* -1: nowhere in particular, where no such condition holds */
};
#define PD_NOWHERE ((struct pd_place){-1, -1})
static inline struct pd_place pd_place_of(const struct pd_rank *rank)
{
	return (struct pd_place){rank->node, rank->rank};
}

/* How calls deviate from a model's time, which stays their mean. */
enum pd_deviates { PD_DEVIATES_NOT, PD_DEVIATES_NORMAL, PD_DEVIATES_HALF_NORMAL };

/* What a kernel's begin found; valid until the kernel's end. */
struct pd_charge {
	struct pd_kernel *kernel;
	struct pd_key *key;  /* NULL where measurements are not kept */
	const char *name;    /* interned */
	bool execute;        /* run the kernel and give its time to pd_store_measured; else charge `seconds` */
	double seconds;      /* when !execute; unscaled, >= 0 */
	enum pd_deviates deviates;
	double deviation_s;  /* standard deviation, by the model; with `deviates` */
	double scale;        /* of this kernel, without the one for all computation */
};

/*
 * Decides whether the kernel runs or what it is charged, and counts the call. params[n_params], n_params = 0 … 4. Errors (nothing is
 * counted): UTIL_EPROGRAM for a bad name or parameters, and for a kernel that neither store nor models know where one of
 * them must; UTIL_ENOMEM. O(1): one hash of the name, one of the parameters; models cost a few multiplications per term.
 */
int pd_store_begin_at(struct pd_store *store, struct pd_place place, const char *name, int n_params,
		      const double params[], struct pd_charge *out, struct util_error *err);
static inline int pd_store_begin(struct pd_store *store, const char *name, int n_params,
				 const double params[], struct pd_charge *out,
				 struct util_error *err)
{
	return pd_store_begin_at(store, PD_NOWHERE, name, n_params, params, out, err);
}
/*
 * The measured time of a kernel that was executed: kept for first-n, appended to bench_out in collect mode. Errors: UTIL_ESYSTEM
 * when the file cannot be written.
 */
int pd_store_measured(struct pd_store *store, const struct pd_charge *charge, int n_params,
		      const double params[], double seconds, struct util_error *err);
/*
 * With config->vary_kernels: changes charge->seconds by what the file says about variation from call to call (the next number of
 * `calls`, the calling rank's own) and from node to node (the same for a node throughout a run). Means stay. Streams of the seed,
 * so that nothing depends on the order in which ranks run. O(1). Source: docs/kernels.md.
 */
void pd_store_vary(struct pd_store *store, struct pd_charge *charge, int node,
		   struct util_rng *calls);
void pd_store_vary_init(const struct pd_store *store, int rank, struct util_rng *calls);
/* What the store or a model says, unscaled; negative when they say nothing. Counts nothing. */
double pd_store_lookup(struct pd_store *store, struct pd_place place, const char *name, int n_params,
		       const double params[]);

/* The factor of a kernel, 1 without one; what is charged by it is used, as far as pd_store_warn goes. */
double pd_store_scale(struct pd_store *store, const char *name);
/* The factor for all computation ("*=0.25"), 1 without one. */
double pd_store_scale_all(const struct pd_store *store);
/* Notes seconds of mpisim_add_compute_time that the mode does not charge, for the warnings. */
void pd_store_note_uncharged(struct pd_store *store, double seconds);
/* Notes a kernel of an accelerator whose time this host has measured. */
void pd_store_note_on_host(struct pd_store *store);

/* --- for the report --- */

struct pd_kernel_info {
	const char *name;
	uint64_t n_executed, n_charged; /* calls that ran, calls that were skipped and charged */
	uint64_t n_predicted;           /* of n_charged: parameters that were never measured, by a fit */
	uint64_t n_varied;              /* of n_charged: with a variation */
	uint64_t n_negative;            /* of n_charged: the model gave less than 0 and 0 was charged */
	double charged_s;               /* sum over all calls, measured or not, scaled by the kernel's scale */
	size_t n_measurements;          /* in the store */
	double residual;                /* relative, root mean square, of the fit; 0 without one */
	double scale;
};
/* Kernels known from files, scales or calls, in the order in which they became known. False when there is no kernel `index`. */
bool pd_store_kernel(const struct pd_store *store, size_t index, struct pd_kernel_info *out);

/* Whether a time was taken from the files, by a kernel's begin or pd_store_lookup. */
bool pd_store_has_told(const struct pd_store *store);

typedef void (*pd_warning_fn)(void *context, const char *sentence);
/*
 * Says what whoever reads the prediction should know: scales of kernels that were never called, parameters that were never measured
 * (with the fit's residual), models that gave negative times, add_compute_time where it does not count. One sentence each.
 */
void pd_store_warn(const struct pd_store *store, pd_warning_fn warn, void *context);

#endif
