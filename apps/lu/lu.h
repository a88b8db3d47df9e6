/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_LU_LU_H
#define APPS_LU_LU_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Block LU factorization with partial pivoting by message passing; README.md explains the algorithm. The files:
 * options.c what the user asks for · plan.c who does what, and how many messages that makes · mail.c message queues over MPI ·
 * kernels.c the annotated computations · storage.c columns of blocks · step.c one iteration, led by the owner of its panel · worker.c
 * multiplications · verify.c the residual · main.c the loop.
 */

#define LU_MAX_REMOVALS 16

enum lu_roles { LU_ROLES_AUTO, LU_ROLES_SPLIT, LU_ROLES_BOTH };

struct lu_removal {
	int n_nodes, after; /* after iteration `after`, counted from 1 */
};

struct lu_options {
	int n, r, s;                /* order of the matrix, width of a column of blocks, of a part of a product (= r without PM) */
	bool pipelined, flow_control, parallel_products;
	int window;                 /* multiplications in flight per worker, with flow control */
	int storage_nodes;          /* 0: all */
	enum lu_roles roles;
	int n_removals;
	struct lu_removal removals[LU_MAX_REMOVALS];
	unsigned long seed;
	int verify, quiet;
	char variant[32];           /* as given */
};

/* 0: go on; 1: --help was asked for; -1: bad, with a sentence in error[size]. */
int lu_options_parse(int argc, char **argv, struct lu_options *out, char *error, size_t size);
const char *lu_options_help(void);

/* --- the plan --- */

struct lu_plan {
	struct lu_options options;
	int n_ranks, rank;
	int n_blocks;       /* B = n / r */
	int n_parts;        /* q = r / s: a product is made of q² parts */
	int n_nodes;        /* storage and worker rank of node v: v, and first_worker + v */
	int first_worker;   /* 0: both roles in one rank */
	int n_storage;      /* nodes that hold blocks */
};

enum lu_type { /* control messages first */
	LU_KICK,       /* to rank 0 from itself: begin */
	LU_START,      /* rank 0 → owner of k: factorize panel k */
	LU_PANEL_DONE, /* owner of k → rank 0 */
	LU_STEP_DONE,  /* owner of k → rank 0 */
	LU_NOTIFY,     /* owner of j → owner of k: part (a, b) of block (i, j) is subtracted */
	LU_FLIP,       /* owner of k → owner of j < k: pivots */
	LU_FLIPPED,    /* … → owner of k */
	LU_BARRIER,    /* owner of k → owner of j > k, without pipelining: step k is over */
	LU_READY,      /* … → owner of k */
	LU_TRSM,       /* owner of k → owner of j > k: L11 and pivots */
	LU_U12,        /* … → owner of k: block (k, j) */
	LU_MULTIPLY,   /* owner of k → worker: rows a of L21 (i), columns b of U12 (j) */
	LU_RESULT,     /* worker → owner of j: part (a, b) of their product */
	LU_N_TYPES
};

struct lu_task {
	enum lu_type type;
	int k, i, j, a, b;
};

/* Checks the options against the number of ranks. 0, or -1 with a sentence. */
int lu_plan_make(const struct lu_options *options, int n_ranks, int rank, int ranks_per_node, struct lu_plan *out,
		 char *error, size_t size);
int lu_plan_owner(const struct lu_plan *plan, int column);
/* Workers in step k (0-based), and the rank of one. */
int lu_plan_workers(const struct lu_plan *plan, int k);
int lu_plan_worker_rank(const struct lu_plan *plan, int worker);
/* Nodes that are removed in the end: the last ones. */
int lu_plan_removed(const struct lu_plan *plan);
/* Control and data messages that `rank` receives, multiplications among them; O(B²). */
struct lu_counts {
	long control, data, multiply;
};
struct lu_counts lu_plan_counts(const struct lu_plan *plan, int rank);
/* Doubles in a data message of this type. */
int lu_plan_size(const struct lu_plan *plan, enum lu_type type);
int lu_task_tag(const struct lu_plan *plan, const struct lu_task *task);
struct lu_task lu_task_of_tag(const struct lu_plan *plan, int tag);
/* The highest tag in use; -1.0 or more, a double because it may not fit an int. */
double lu_plan_highest_tag(const struct lu_plan *plan);

/* --- kernels: annotated, on column-major blocks; a skipped kernel leaves what it would write as it is --- */

struct lu_matrix_part {
	double *at;
	int rows, columns, stride;
};

/* One thread per rank. */
void lu_kernels_init(void);
/* False when a kernel of this rank was skipped, so that its numbers mean nothing. */
bool lu_kernels_all_ran(void);
void lu_kernel_generate(const struct lu_plan *plan, int column, double *block);
/* pivots[columns]: rows counted from the part's first. */
void lu_kernel_panel(struct lu_matrix_part part, double pivots[], int pivot_space[]);
/* Swaps the part's row i with its row pivots[i], for i = 0 … n_pivots-1. */
void lu_kernel_flip(struct lu_matrix_part part, int n_pivots, const double pivots[]);
void lu_kernel_trsm(const double *lower, struct lu_matrix_part part);
void lu_kernel_pack(struct lu_matrix_part part, double *out);
/* out (rows × columns) = left (rows × inner) · right (inner × columns), all packed. */
void lu_kernel_dgemm(int rows, int columns, int inner, const double *left, const double *right, double *out);
void lu_kernel_subtract(struct lu_matrix_part part, const double *packed);

/* Entry (row, column) of the matrix, in [-0.5, 0.5); the same on every machine. */
double lu_entry(unsigned long seed, int row, int column);

#endif
