/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_ANNOTATE_H
#define PDEXEC_ANNOTATE_H

#include "pdexec/rank.h"

/*
 * The functions of mpisim.h inside the simulator, for the rank in pd_current; here is what the rest of pdexec needs of them. A
 * wrong use ends the run with PD_FAILURE_ANNOTATION. State per rank lies behind rank->annotation and is made at the first use.
 */

/* Checks that no kernel and no phase is open. Called when the rank has returned or exited, on its fiber. */
void pd_annotation_end(struct pd_rank *rank);
/* Frees rank->annotation; NULL is fine. */
void pd_annotation_destroy(struct pd_rank *rank);

/* --- for blas.c --- */

/* What mpisim_kernel_begin and _end do, for a call of `function` at `site`; `stream`: of the rank's accelerator, negative: none. */
bool pd_annotation_begin_kernel(struct pd_rank *rank, const char *function, const void *site,
				const char *name, int n_params, const double params[], int stream);
void pd_annotation_end_kernel(struct pd_rank *rank, const char *function, const void *site);
/* A kernel is open. */
bool pd_annotation_in_kernel(const struct pd_rank *rank);

/* --- for mpi/verify/touch.c, device.c --- */

/* The rank that calls an annotation; NULL outside of any. Measuring stops until pd_annotation_leave. */
struct pd_rank *pd_annotation_enter(const char *function, const void *site);
void pd_annotation_leave(struct pd_rank *rank);
/* The same for what happens at an instant: what was computed before is over, and no kernel is open. */
struct pd_rank *pd_annotation_enter_instant(const char *function, const void *site);
/* The kernel that is open says what it touches. Returns its name, interned; NULL: none is open. */
const char *pd_annotation_touch(struct pd_rank *rank, bool *out_executes);

/* --- for compute.c --- */

/* Charges measured seconds (on the reference CPU, unscaled): to the open kernel when there is one, else to what is not annotated. */
void pd_annotation_charge_measured(struct pd_rank *rank, double seconds);
/* CPU seconds of threads beyond what the step takes, which draw on memory, too. */
void pd_annotation_charge_threads(struct pd_rank *rank, double seconds);
/* Ends the run when the rank is in an MPI call while a kernel is open. */
void pd_annotation_check_call(struct pd_rank *rank);

/* Whether it is between begin and end of a kernel. */
bool pd_annotation_is_in_kernel(const struct pd_rank *rank);

#endif
