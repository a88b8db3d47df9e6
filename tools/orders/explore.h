/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ORDERS_EXPLORE_H
#define TOOLS_ORDERS_EXPLORE_H

#include <jansson.h>

#include "tools/orders/execution.h"

/*
 * `mpisim-run --verify=orders`. Each view is explored by a process of its own, before the run that is
 * shown, which nothing of this changes. What it found comes back as JSON.
 */
struct cluster;

struct orders_view_run { /* in the process of a view */
	struct run *run;
	const struct orders_options *options;
	enum orders_view view;
	struct orders_shared *shared;
	struct mpi_orders *orders;
	struct orders_capture capture;
	struct mpi_coll_barriers *barriers;  /* shared; NULL: nobody asks */
	struct mpi_synchronous *synchronous; /* the same */
	struct mpi_all_series *series;	     /* the same; then ends count, not who sent what */
	bool is_counting;		     /* findings are of no interest */
	const char *why_incomplete;	     /* NULL: all orders were seen */
	double begin_s;
	uint64_t n_started;
};

/* Explores; `*out`: an array of what each view found. */
int orders_explore(struct run *run, json_t **out, struct util_error *err);
/* One view, in a process of its own: adds what it found to `all`. */
int orders_explore_view(struct orders_view_run *view, json_t *all, struct util_error *err);
/*
 * Which barriers can go, which synchronous sends can be standard ones, which messages can be one collective: all views have the same match
 * maps and ends then. Each with the time that it saves, by predicting the run so changed. Adds findings to the last of `views`. (tools/orders/advice.c)
 */
int orders_advise(struct run *run, json_t *views, struct util_error *err);

/* Explores where that is asked for, and prepares the run that is shown: with --decisions it follows
 * the file. */
int orders_prepare_run(struct run *run, struct util_error *err);

/* Makes `run` one of a view: with its options, before the world; then its world decide by orders. */
void orders_prepare_options(struct run *run);
void orders_prepare_cluster(struct cluster *cluster);
int orders_prepare_world(struct run *run, const struct orders_options *options,
			 enum orders_view view, struct mpi_orders **out, struct util_error *err);

/* A process that follows `prefix`: explores with `shared`, else only logs. -1: none. */
pid_t orders_launch(struct orders_view_run *view, struct orders_list prefix, bool is_exploring,
		    FILE *log);
/* What there is to say of the view; writes files of decisions. (tools/orders/findings.c) */
json_t *orders_describe(struct orders_view_run *view);

/* For --save and --resume: where a search stands. */
int orders_save(const struct orders_view_run *view, struct util_error *err);
/* Before the search: whether it can be. */
int orders_save_check(const struct orders_view_run *view, struct util_error *err);
int orders_resume(struct orders_view_run *view, bool *is_resumed, struct util_error *err);

/* Prints what the views found, and moves it to the run's findings. (tools/orders/report.c) */
void orders_report(struct run *run, json_t *views);

#endif
