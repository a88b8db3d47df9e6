/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_LU_STATE_H
#define APPS_LU_STATE_H

#include "lu.h"
#include "mail.h"

/* A column of blocks that this rank holds: n × r, column-major. */
struct lu_column {
	int index;
	double *block;
	double *pivots;   /* [r], of its panel */
	int level;        /* steps whose product is subtracted; the panel is due at level == index */
	int n_flips;      /* later panels whose rows were swapped here */
	long n_results;   /* still to come in this step */
};

/* Step k, as the owner of its panel sees it. */
struct lu_step {
	int k;
	int later;            /* columns behind it: m = B - 1 - k */
	bool is_open;         /* the panel is factorized, the step is not over */
	int n_arrived;        /* blocks of U12 that are here */
	int *columns;         /* [later], in the order of their arrival */
	int *position;        /* [B], where a column stands in `columns` */
	double **upper;       /* [later], U12 of columns[·]; freed when its last product was sent */
	long *unsent;         /* [later], products of each that were not sent yet */
	long n_products;      /* m² q² in all, in the order of `columns` */
	int n_workers;
	long *next;           /* [n_workers], next product for this worker: worker, worker + n_workers, … */
	int *in_flight;       /* [n_workers] */
	long n_sent, n_notified;
	int n_flipped, n_ready;
	bool has_barrier;
};

struct lu {
	struct lu_plan plan;
	struct lu_counts expected;
	struct lu_mail *mail;
	int n_columns;
	struct lu_column *columns;     /* [n_columns]: own ones, index = rank, rank + n_storage, … */
	struct lu_step *steps;         /* [n_columns], of the same */
	int *pivot_space;              /* [r] */
	struct lu_message *held;       /* messages whose turn has not come */
	long n_multiplied;
	bool has_released;
	/* rank 0 */
	int n_steps_done, n_phases;
	double begin_s, end_s;
};

/* The column, and its step, that this rank owns. */
struct lu_column *lu_column(struct lu *lu, int index);
struct lu_step *lu_step(struct lu *lu, int index);

/* storage.c: creation, and what arrives for a column. False: not its turn yet, to be tried again when something changed. */
void lu_storage_create(struct lu *lu);
void lu_storage_destroy(struct lu *lu);
bool lu_storage_trsm(struct lu *lu, struct lu_message *message);
void lu_storage_result(struct lu *lu, struct lu_message *message);
bool lu_storage_flip(struct lu *lu, struct lu_message *message);

/* step.c: the owner of a panel leads its step. */
void lu_step_begin(struct lu *lu, int k);
void lu_step_upper(struct lu *lu, struct lu_message *message);
void lu_step_notified(struct lu *lu, const struct lu_task *task);
void lu_step_flipped(struct lu *lu, const struct lu_task *task);
void lu_step_ready(struct lu *lu, const struct lu_task *task);
/* Sends the products that may be sent now, of all open steps. */
void lu_step_dispatch(struct lu *lu);
/* All products of step k are on their way, so that its panel may change. */
bool lu_step_is_dispatched(struct lu *lu, int k);

/* worker.c */
void lu_worker_multiply(struct lu *lu, struct lu_message *message);
/* Gives the node up when it is one of those to be removed and has done its part. */
void lu_worker_release(struct lu *lu);

/* verify.c: rank 0 collects the factors and computes the residual. Collective; false on rank 0 when the residual is too large. */
bool lu_verify(struct lu *lu);

#endif
