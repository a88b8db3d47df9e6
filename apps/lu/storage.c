/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of blocks: triangular solves, subtractions and row flips as they arrive. */
#include "state.h"

#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>

struct lu_column *lu_column(struct lu *lu, int index)
{
	return &lu->columns[index / lu->plan.n_storage];
}

struct lu_step *lu_step(struct lu *lu, int index)
{
	return &lu->steps[index / lu->plan.n_storage];
}

static void column_create(struct lu *lu, struct lu_column *column, int index)
{
	size_t n = (size_t)lu->plan.options.n, r = (size_t)lu->plan.options.r;

	column->index = index;
	column->n_flips = index + 1;
	column->block = mpisim_alloc(n * r * sizeof(double));
	column->pivots = malloc(r * sizeof(double));
	if (!column->block || !column->pivots) {
		fprintf(stderr, "lu: no memory for column %d\n", index);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	lu_kernel_generate(&lu->plan, index, column->block);
}

void lu_storage_create(struct lu *lu)
{
	const struct lu_plan *plan = &lu->plan;

	if (plan->rank >= plan->n_storage || plan->rank >= plan->n_blocks)
		return;
	lu->n_columns = (plan->n_blocks - 1 - plan->rank) / plan->n_storage + 1;
	lu->columns = calloc((size_t)lu->n_columns, sizeof(*lu->columns));
	lu->steps = calloc((size_t)lu->n_columns, sizeof(*lu->steps));
	lu->pivot_space = calloc((size_t)plan->options.r, sizeof(int));
	if (!lu->columns || !lu->steps || !lu->pivot_space) {
		fprintf(stderr, "lu: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int i = 0; i < lu->n_columns; i++)
		column_create(lu, &lu->columns[i], plan->rank + i * plan->n_storage);
}

void lu_storage_destroy(struct lu *lu)
{
	for (int i = 0; i < lu->n_columns; i++) {
		mpisim_free(lu->columns[i].block);
		free(lu->columns[i].pivots);
	}
	free(lu->columns);
	free(lu->steps);
	free(lu->pivot_space);
}

/* Rows of a column from block row `i` on, `rows` of them. */
static struct lu_matrix_part column_part(const struct lu *lu, const struct lu_column *column, int i,
					 int rows)
{
	return (struct lu_matrix_part){.at = column->block + (size_t)i * (size_t)lu->plan.options.r,
				       .rows = rows,
				       .columns = lu->plan.options.r,
				       .stride = lu->plan.options.n};
}

/* A step has been applied to the column: with pipelining, its panel may be due. */
static void column_advance(struct lu *lu, struct lu_column *column)
{
	column->level++;
	if (lu->plan.options.pipelined && column->level == column->index)
		lu_step_begin(lu, column->index);
}

/* Step k's L11 and pivots are here: flip the rows, solve for block (k, j), answer with it. */
bool lu_storage_trsm(struct lu *lu, struct lu_message *message)
{
	const struct lu_plan *plan = &lu->plan;
	struct lu_task task = message->task, answer = task;
	struct lu_column *column = lu_column(lu, task.j);
	int r = plan->options.r, later = plan->n_blocks - 1 - task.k;
	double *out;

	if (column->level != task.k)
		return false;
	lu_kernel_flip(column_part(lu, column, task.k, plan->options.n - task.k * r), r,
		       message->data + (size_t)r * r);
	lu_kernel_trsm(message->data, column_part(lu, column, task.k, r));
	out = lu_mail_buffer(lu->mail);
	lu_kernel_pack(column_part(lu, column, task.k, r), out);
	answer.type = LU_U12;
	lu_mail_send_data(lu->mail, message->source, &answer, out);
	column->n_results = (long)later * plan->n_parts * plan->n_parts;
	return true;
}

void lu_storage_result(struct lu *lu, struct lu_message *message)
{
	struct lu_task task = message->task;
	struct lu_column *column = lu_column(lu, task.j);
	int s = lu->plan.options.s;
	struct lu_matrix_part part = column_part(lu, column, task.i, s);

	part.at += (size_t)task.b * (size_t)s * (size_t)part.stride + (size_t)task.a * (size_t)s;
	part.columns = s;
	lu_kernel_subtract(part, message->data);
	task.type = LU_NOTIFY;
	lu_mail_send_control(lu->mail, lu_plan_owner(&lu->plan, task.k), &task, NULL);
	if (--column->n_results == 0)
		column_advance(lu, column);
}

/* Panel k > j swapped its rows: swap those of column j alike, once its own blocks are on their way to the workers. */
bool lu_storage_flip(struct lu *lu, struct lu_message *message)
{
	struct lu_task task = message->task;
	struct lu_column *column = lu_column(lu, task.j);
	int r = lu->plan.options.r;

	if (column->n_flips != task.k || !lu_step_is_dispatched(lu, task.j))
		return false;
	lu_kernel_flip(column_part(lu, column, task.k, lu->plan.options.n - task.k * r), r,
		       message->data);
	column->n_flips++;
	task.type = LU_FLIPPED;
	lu_mail_send_control(lu->mail, message->source, &task, NULL);
	return true;
}
