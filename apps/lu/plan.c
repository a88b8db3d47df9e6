/* SPDX-License-Identifier: BSD-3-Clause */
/* Who does what. Everything follows from the options, so that every rank knows without asking how many messages it will receive. */
#include "lu.h"

#include <stdio.h>

int lu_plan_removed(const struct lu_plan *plan)
{
	int n = 0;

	for (int i = 0; i < plan->options.n_removals; i++)
		n += plan->options.removals[i].n_nodes;
	return n;
}

static int check_nodes(const struct lu_plan *plan, char *error, size_t size)
{
	int left = plan->n_nodes;

	if (plan->n_storage > plan->n_nodes) {
		snprintf(error, size, "--storage-nodes %d: there are %d nodes", plan->n_storage,
			 plan->n_nodes);
		return -1;
	}
	for (int i = 0; i < plan->options.n_removals; i++) {
		left -= plan->options.removals[i].n_nodes;
		if (left >= plan->n_storage)
			continue;
		snprintf(error, size, "--remove: of %d nodes only %d hold no blocks", plan->n_nodes,
			 plan->n_nodes - plan->n_storage);
		return -1;
	}
	return 0;
}

int lu_plan_make(const struct lu_options *options, int n_ranks, int rank, int ranks_per_node,
		 struct lu_plan *out, char *error, size_t size)
{
	struct lu_plan plan = {.options = *options, .n_ranks = n_ranks, .rank = rank};
	bool split = options->roles == LU_ROLES_SPLIT ||
		     (options->roles == LU_ROLES_AUTO && ranks_per_node == 2 && n_ranks % 2 == 0);

	if (split && n_ranks % 2) {
		snprintf(error, size, "--roles split needs an even number of ranks, there are %d",
			 n_ranks);
		return -1;
	}
	plan.n_blocks = options->n / options->r;
	plan.n_parts = options->r / options->s;
	plan.n_nodes = split ? n_ranks / 2 : n_ranks;
	plan.first_worker = split ? plan.n_nodes : 0;
	plan.n_storage = options->storage_nodes ? options->storage_nodes : plan.n_nodes;
	if (check_nodes(&plan, error, size))
		return -1;
	*out = plan;
	return 0;
}

int lu_plan_owner(const struct lu_plan *plan, int column)
{
	return column % plan->n_storage;
}

int lu_plan_workers(const struct lu_plan *plan, int k)
{
	int n = plan->n_nodes;

	for (int i = 0; i < plan->options.n_removals; i++) {
		if (plan->options.removals[i].after <= k)
			n -= plan->options.removals[i].n_nodes;
	}
	return n;
}

int lu_plan_worker_rank(const struct lu_plan *plan, int worker)
{
	return plan->first_worker + worker;
}

int lu_plan_size(const struct lu_plan *plan, enum lu_type type)
{
	int r = plan->options.r, s = plan->options.s;

	switch (type) {
	case LU_TRSM:
		return r * r + r;
	case LU_U12:
		return r * r;
	case LU_MULTIPLY:
		return 2 * r * s;
	case LU_RESULT:
		return s * s;
	case LU_FLIP:
		return r;
	default:
		return 0;
	}
}

/* What step k sends to `rank` in its role as an owner of columns. */
static void count_step(const struct lu_plan *plan, int rank, int k, struct lu_counts *counts)
{
	bool leads = lu_plan_owner(plan, k) == rank;
	long later = plan->n_blocks - 1 - k, parts = (long)plan->n_parts * plan->n_parts;

	if (leads) {
		counts->control += later * later * parts + k;               /* NOTIFY, FLIPPED */
		counts->control += plan->options.pipelined ? k == 0 : 1;    /* START */
		counts->control += plan->options.pipelined ? 0 : later;     /* READY */
		counts->data += later;                                      /* U12 */
	}
	for (int j = 0; j < plan->n_blocks; j++) {
		if (j == k || lu_plan_owner(plan, j) != rank)
			continue;
		if (j < k) {
			counts->control++;                                  /* FLIP */
			continue;
		}
		counts->control += !plan->options.pipelined;                /* BARRIER */
		counts->data += 1 + later * parts;                          /* TRSM, RESULT */
	}
}

struct lu_counts lu_plan_counts(const struct lu_plan *plan, int rank)
{
	struct lu_counts counts = {0};
	int worker = rank - plan->first_worker;

	if (rank == 0)
		counts.control += 1 + 2 * plan->n_blocks; /* KICK, PANEL_DONE, STEP_DONE */
	for (int k = 0; k < plan->n_blocks; k++) {
		long later = plan->n_blocks - 1 - k, n_workers = lu_plan_workers(plan, k);
		long n_products = later * later * plan->n_parts * plan->n_parts;

		count_step(plan, rank, k, &counts);
		if (worker >= 0 && worker < n_workers)
			counts.multiply += n_products / n_workers + (worker < n_products % n_workers);
	}
	counts.data += counts.multiply;
	return counts;
}

int lu_task_tag(const struct lu_plan *plan, const struct lu_task *task)
{
	int tag = task->k;

	tag = tag * plan->n_blocks + task->i;
	tag = tag * plan->n_blocks + task->j;
	tag = tag * plan->n_parts + task->a;
	tag = tag * plan->n_parts + task->b;
	return tag * LU_N_TYPES + (int)task->type;
}

struct lu_task lu_task_of_tag(const struct lu_plan *plan, int tag)
{
	struct lu_task task = {.type = (enum lu_type)(tag % LU_N_TYPES)};

	tag /= LU_N_TYPES;
	task.b = tag % plan->n_parts;
	tag /= plan->n_parts;
	task.a = tag % plan->n_parts;
	tag /= plan->n_parts;
	task.j = tag % plan->n_blocks;
	tag /= plan->n_blocks;
	task.i = tag % plan->n_blocks;
	task.k = tag / plan->n_blocks;
	return task;
}

double lu_plan_highest_tag(const struct lu_plan *plan)
{
	double blocks = plan->n_blocks, parts = plan->n_parts;

	return blocks * blocks * blocks * parts * parts * LU_N_TYPES - 1;
}
