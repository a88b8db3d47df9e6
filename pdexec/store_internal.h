/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_STORE_INTERNAL_H
#define PDEXEC_STORE_INTERNAL_H

#include "pdexec/store.h"
#include "util/list.h"
#include "util/map.h"

/* What the store's files share; nobody else includes this. */

/* --- expressions: sums of c·p1^a·p2^b·p3^c·p4^d (store_expression.c) --- */

#define PD_STORE_VERSION 3 /* of the file format, the highest that is read; measurements are written as version 1 */
#define PD_MAX_TERMS 12
#define PD_MAX_RANGES 8
#define PD_MAX_EXPONENT 8

struct pd_term {
	double coefficient;
	unsigned char twice_exponent[PD_STORE_MAX_PARAMS]; /* halves are exact everywhere: sqrt is correctly rounded */
};

struct pd_expression {
	int n_terms;
	int n_params; /* the highest parameter used */
	struct pd_term terms[PD_MAX_TERMS];
};

enum pd_comparison { PD_LESS, PD_LESS_EQUAL, PD_GREATER, PD_GREATER_EQUAL, PD_EQUAL };

/* What ranges speak of: parameters, then the place of the call. */
enum { PD_OF_NODE = PD_STORE_MAX_PARAMS, PD_OF_RANK, PD_N_VALUES };

struct pd_range {
	int of;      /* a parameter, 0-based; or PD_OF_NODE, PD_OF_RANK */
	int modulus; /* the remainder counts; 0: the number itself */
	enum pd_comparison comparison;
	double bound;
};

/* "2e-6 + 1.1e-9*p1*p2^1.5"; spaces are free. Errors: UTIL_EINPUT, what was found and wanted. */
int pd_expression_parse(const char *text, struct pd_expression *out, struct util_error *err);
/* The term without its coefficient, and the sum with them. No libm but sqrt. params[n_params]: at least those used. */
double pd_term_value(const struct pd_term *term, const double params[]);
double pd_expression_value(const struct pd_expression *expression, const double params[]);
/* "p1>=64 p2<512 node=3 rank%2=1"; all must hold. Errors: UTIL_EINPUT. */
int pd_ranges_parse(const char *text, struct pd_range out[PD_MAX_RANGES], int *out_n, struct util_error *err);
bool pd_ranges_hold(const struct pd_range ranges[], int n_ranges,
		    const double values[PD_N_VALUES]);
/* Those, of a call at `place`. */
void pd_values_set(double out[PD_N_VALUES], int n_params, const double params[],
		   struct pd_place place);

/* --- contention (store_contention.c) --- */

#define PD_CONTENTION_LINE "contention,"
#define PD_MAX_CONTENTION 256 /* cores */

/* "1 0.97 0.9": the relative speed of each when 1, 2, … cores compute. Errors: UTIL_EINPUT, what
 * was found and wanted. */
int pd_contention_parse(const char *text, double out[PD_MAX_CONTENTION], int *out_n,
			struct util_error *err);
/* That of a kernel, by the last line of the file about it; *out_n 0: there is none. Errors:
 * UTIL_EINPUT with file:line, UTIL_ESYSTEM. */
int pd_store_contention(const char *path, const char *kernel, double out[PD_MAX_CONTENTION],
			int *out_n, struct util_error *err);

/* --- variation (store_vary.c) --- */

#define PD_MAX_QUANTILES 65
enum { PD_VARY_CALL, PD_VARY_NODE, PD_N_VARY }; /* from call to call, from node to node */

/* "normal", "half-normal"; errors: UTIL_EINPUT. */
int pd_deviates_parse(const char *kind, enum pd_deviates *out, struct util_error *err);

struct pd_spread { /* distribution of a factor whose mean is 1 */
	bool is_known;
	int n;             /* of quantiles; 0: normal */
	double deviation;  /* relative standard deviation, when normal */
	double quantiles[PD_MAX_QUANTILES]; /* [n], at 0, 1/(n-1), … 1 */
};
/* kind "normal" with "0.02", kind "quantiles" with "0.97 1 1.05". Errors: UTIL_EINPUT. */
int pd_spread_parse(const char *kind, const char *text, struct pd_spread *out,
		    struct util_error *err);

/* --- kernels and keys (store.c) --- */

struct pd_model { /* one `model` line */
	struct util_link link; /* in the order of the file; the first whose ranges hold is used */
	struct pd_expression expression;
	int n_ranges;
	struct pd_range ranges[PD_MAX_RANGES];
	enum pd_deviates deviates;
	struct pd_expression deviation; /* standard deviation, seconds; with `deviates` */
};

enum pd_fit_state { PD_FIT_OPEN, PD_FIT_DONE, PD_FIT_IMPOSSIBLE };

struct pd_kernel {
	const char *name; /* interned */
	size_t index;
	int n_params;     /* -1: not known yet */
	bool is_scaled, has_complexity, is_used;
	struct util_list models;	 /* struct pd_model */
	struct pd_expression complexity; /* as stated in the file */
	struct pd_key *keys;             /* of this kernel */
	size_t n_keys;
	enum pd_fit_state fit_state;
	struct pd_expression fit;
	double residual;
	struct pd_kernel_info info;
	struct pd_spread spreads[PD_N_VARY];
};

struct pd_key {
	struct pd_kernel *kernel;
	int n_params;
	double params[PD_STORE_MAX_PARAMS]; /* unused ones 0 */
	double file_sum_s, run_sum_s;       /* measurements from the file, and of this run (first-n) */
	double file_mean_s, file_scatter_s2; /* of those of the file: mean, sum of squared differences from it */
	uint64_t file_n, run_n;
	struct pd_key *next;
};

struct pd_name {
	struct pd_kernel *kernel; /* NULL: the name of something else */
	char text[];
};

struct pd_store {
	enum pd_compute_mode mode;
	int first_n;
	int out_fd;         /* -1: none */
	char *in_name, *out_name;
	double scale_all;
	double uncharged_s; /* add_compute_time that the mode does not count */
	uint64_t n_uncharged;
	uint64_t n_on_host; /* kernels of accelerators that ran here */
	bool has_told;      /* a time, by its files */
	bool varies;        /* the spreads count */
	uint64_t seed;
	int64_t file_version; /* of the file that is being read, as far as it has said */
	struct pd_spread spreads[PD_N_VARY]; /* of kernels that have none of their own */
	struct util_map names, keys;
	struct pd_kernel **kernels;
	size_t n_kernels;
};

/* The kernel of this name, made when it is new. NULL with `err` set: a bad name, or no memory. */
struct pd_kernel *pd_store_get_kernel(struct pd_store *store, const char *name, struct util_error *err);
/* The key, or NULL when there is none yet. O(1). */
struct pd_key *pd_store_find_key(const struct pd_store *store, struct pd_kernel *kernel,
				 int n_params, const double params[]);
/* The key, made when it is new; NULL when out of memory. params are finite. */
struct pd_key *pd_store_get_key(struct pd_store *store, struct pd_kernel *kernel, int n_params,
				const double params[]);

/* --- the rest --- */

/* Reads a store or model file into `store` (store_read.c). */
int pd_store_read(struct pd_store *store, const char *path, struct util_error *err);
/* Fits kernel->fit to the measured keys on the stated complexity, or the product of the parameters (store_fit.c). Sets fit_state. */
void pd_store_fit(struct pd_kernel *kernel);

#endif
