/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_BLAS_H
#define PDEXEC_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "pdexec/rank.h"
#include "pdexec/store.h"

/*
 * Partial direct execution of programs without annotations (--blas-model): the program's calls of BLAS and LAPACK are bound to
 * stand-ins, which charge the time that the store's models give instead of computing. Calls of libraries among themselves stay as
 * they are. docs/kernels.md has the routines and what they leave behind, docs/decisions/0020-kernels.md the reasons.
 */

struct pd_blas_routine {
	const char *symbol; /* as programs call it: "cblas_dgemm" */
	const char *kernel; /* as the store knows it: "dgemm" */
	void *replacement;
};
extern const struct pd_blas_routine pd_blas_routines[]; /* generated from blas-routines.txt */
extern const int pd_n_blas_routines;

struct pd_blas; /* of a world; NULL without --blas-model */

int pd_blas_create(struct pd_blas **out, struct util_error *err);
void pd_blas_destroy(struct pd_blas *blas); /* NULL is fine */
/*
 * While linking: what the program's symbol `name`, which resolves to `real`, is bound to: a stand-in, or `real` itself. A routine of a
 * BLAS library that has no stand-in is remembered for the warnings. `blas` may be NULL. Errors: UTIL_ENOMEM.
 */
int pd_blas_bind(struct pd_blas *blas, const char *name, void *real, void **out,
		 struct util_error *err);
/* Sentences about routines that were executed instead of charged, and about a program that calls none. NULL is fine. */
void pd_blas_warn(const struct pd_blas *blas, enum pd_compute_mode mode, pd_warning_fn warn,
		  void *context);

/* --- for the stand-ins --- */

struct pd_blas_call {
	enum { PD_BLAS_OUTSIDE, PD_BLAS_MEASURED, PD_BLAS_CHARGED } kind;
	struct pd_rank *rank;
};

/*
 * A call of routine `index` begins; params[n_params] are its kernel's parameters, read[n_read] the arrays of a routine that always
 * runs (its result decides what the program does). True: call the real routine, then pd_blas_end. False: its time is charged, or
 * there is nothing to do since a parameter is 0. Calls with a negative parameter run: the library says what is wrong with them. So
 * do those on threads of the program and within annotated kernels, uncharged. Ends the run when the kernel has no model, or an
 * array is not there (--no-alloc).
 */
bool pd_blas_begin(struct pd_blas_call *call, int index, int n_params, const double params[],
		   int n_read, const void *const read[], const void *site);
void pd_blas_end(const struct pd_blas_call *call);
/* The routine that the stand-in `index` stands for. */
void *pd_blas_real(int index);
/* Row i changes places with row i: what a factorization that was not computed says about pivots. */
void pd_blas_identity(int pivots[], int n);

#endif
