/* SPDX-License-Identifier: BSD-3-Clause */
/* One step, led by the owner of its panel: panel, triangular solves, products, and their end. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>

static void *need(void *memory)
{
	if (!memory) {
		fprintf(stderr, "lu: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return memory;
}

static void step_create(const struct lu_plan *plan, struct lu_step *step, int k)
{
	size_t later = (size_t)(plan->n_blocks - 1 - k), n_workers = (size_t)lu_plan_workers(plan, k);

	*step = (struct lu_step){.k = k, .later = (int)later, .is_open = true, .n_workers = (int)n_workers};
	step->n_products = (long)(later * later) * plan->n_parts * plan->n_parts;
	step->columns = need(calloc(later + 1, sizeof(int)));
	step->position = need(calloc((size_t)plan->n_blocks, sizeof(int)));
	step->upper = need(calloc(later + 1, sizeof(double *)));
	step->unsent = need(calloc(later + 1, sizeof(long)));
	step->next = need(calloc(n_workers, sizeof(long)));
	step->in_flight = need(calloc(n_workers, sizeof(int)));
	for (size_t worker = 0; worker < n_workers; worker++)
		step->next[worker] = (long)worker;
}

static void step_finish(struct lu_step *step)
{
	step->is_open = false;
	free(step->columns);
	free(step->position);
	free(step->upper);
	free(step->unsent);
	free(step->next);
	free(step->in_flight);
}

static struct lu_matrix_part panel_part(struct lu *lu, int k, int first_row, int rows)
{
	return (struct lu_matrix_part){.at = lu_column(lu, k)->block + first_row,
				       .rows = rows,
				       .columns = lu->plan.options.r,
				       .stride = lu->plan.options.n};
}

/* L11 and the pivots in one message. */
static void send_trsm(struct lu *lu, int k, int j)
{
	int r = lu->plan.options.r;
	struct lu_task task = {.type = LU_TRSM, .k = k, .j = j};
	struct lu_matrix_part pivots = {lu_column(lu, k)->pivots, r, 1, r};
	double *buffer = lu_mail_buffer(lu->mail);

	lu_kernel_pack(panel_part(lu, k, k * r, r), buffer);
	lu_kernel_pack(pivots, buffer + (size_t)r * r);
	lu_mail_send_data(lu->mail, lu_plan_owner(&lu->plan, j), &task, buffer);
}

/* A step is over when every product is subtracted, every flip done, and, without pipelining, every later column has said so. */
static void end_if_over(struct lu *lu, struct lu_step *step)
{
	struct lu_task task = {.type = LU_BARRIER, .k = step->k};

	if (step->n_notified < step->n_products || step->n_flipped < step->k)
		return;
	if (!lu->plan.options.pipelined && !step->has_barrier) {
		step->has_barrier = true;
		for (task.j = step->k + 1; task.j < lu->plan.n_blocks; task.j++)
			lu_mail_send_control(lu->mail, lu_plan_owner(&lu->plan, task.j), &task, NULL);
	}
	if (!lu->plan.options.pipelined && step->n_ready < step->later)
		return;
	task.type = LU_STEP_DONE;
	task.j = 0;
	lu_mail_send_control(lu->mail, 0, &task, NULL);
	step_finish(step);
}

void lu_step_begin(struct lu *lu, int k)
{
	struct lu_step *step = lu_step(lu, k);
	struct lu_column *column = lu_column(lu, k);
	struct lu_task task = {.type = LU_PANEL_DONE, .k = k};
	int r = lu->plan.options.r;

	/* What can go out goes out before the rank is busy for long. */
	lu_step_dispatch(lu);
	step_create(&lu->plan, step, k);
	lu_kernel_panel(panel_part(lu, k, k * r, lu->plan.options.n - k * r), column->pivots,
			lu->pivot_space);
	lu_mail_send_control(lu->mail, 0, &task, NULL);
	for (int j = k + 1; j < lu->plan.n_blocks; j++)
		send_trsm(lu, k, j);
	task.type = LU_FLIP;
	for (task.j = 0; task.j < k; task.j++)
		lu_mail_send_control(lu->mail, lu_plan_owner(&lu->plan, task.j), &task,
				     column->pivots);
	end_if_over(lu, step);
}

static long products_per_column(const struct lu *lu, const struct lu_step *step)
{
	return (long)step->later * lu->plan.n_parts * lu->plan.n_parts;
}

void lu_step_upper(struct lu *lu, struct lu_message *message)
{
	struct lu_step *step = lu_step(lu, message->task.k);
	int position = step->n_arrived++;

	step->columns[position] = message->task.j;
	step->position[message->task.j] = position;
	step->upper[position] = lu_message_take_data(message);
	step->unsent[position] = products_per_column(lu, step);
}

/* Product t of the step: t runs over parts, then rows of blocks, then columns in the order of their arrival. */
static void send_product(struct lu *lu, struct lu_step *step, int worker, long t)
{
	const struct lu_plan *plan = &lu->plan;
	int r = plan->options.r, s = plan->options.s, q = plan->n_parts;
	int position = (int)(t / products_per_column(lu, step));
	int rest = (int)(t % products_per_column(lu, step));
	struct lu_task task = {.type = LU_MULTIPLY,
			       .k = step->k,
			       .i = step->k + 1 + rest / (q * q),
			       .j = step->columns[position],
			       .a = rest / q % q,
			       .b = rest % q};
	struct lu_matrix_part right = {.rows = r, .columns = s, .stride = r};
	double *buffer = lu_mail_buffer(lu->mail);

	right.at = step->upper[position] + (size_t)task.b * (size_t)s * (size_t)r;
	lu_kernel_pack(panel_part(lu, step->k, task.i * r + task.a * s, s), buffer);
	lu_kernel_pack(right, buffer + (size_t)s * (size_t)r);
	lu_mail_send_data(lu->mail, lu_plan_worker_rank(plan, worker), &task, buffer);
	step->n_sent++;
	step->in_flight[worker]++;
	if (--step->unsent[position] == 0) {
		lu_mail_free_buffer(lu->mail, step->upper[position]);
		step->upper[position] = NULL;
	}
}

static void step_dispatch(struct lu *lu, struct lu_step *step)
{
	const struct lu_options *options = &lu->plan.options;
	long available = (long)step->n_arrived * products_per_column(lu, step);

	if (!options->pipelined && step->n_arrived < step->later)
		return;
	for (int worker = 0; worker < step->n_workers; worker++) {
		int dest = lu_plan_worker_rank(&lu->plan, worker);

		if (options->flow_control && step->in_flight[worker] >= options->window)
			continue;
		if (step->next[worker] >= available || !lu_mail_is_idle(lu->mail, dest))
			continue;
		send_product(lu, step, worker, step->next[worker]);
		step->next[worker] += step->n_workers;
	}
}

void lu_step_dispatch(struct lu *lu)
{
	for (int i = 0; i < lu->n_columns; i++) {
		if (lu->steps[i].is_open)
			step_dispatch(lu, &lu->steps[i]);
	}
}

bool lu_step_is_dispatched(struct lu *lu, int k)
{
	const struct lu_step *step = lu_step(lu, k);

	/* A step that is over has sent all; nobody asks about one that has not begun. */
	return !step->is_open || step->n_sent == step->n_products;
}

void lu_step_notified(struct lu *lu, const struct lu_task *task)
{
	struct lu_step *step = lu_step(lu, task->k);
	int q = lu->plan.n_parts;
	long t = step->position[task->j] * products_per_column(lu, step) +
		 ((long)(task->i - task->k - 1) * q + task->a) * q + task->b;

	step->n_notified++;
	step->in_flight[t % step->n_workers]--;
	end_if_over(lu, step);
}

void lu_step_flipped(struct lu *lu, const struct lu_task *task)
{
	struct lu_step *step = lu_step(lu, task->k);

	step->n_flipped++;
	end_if_over(lu, step);
}

void lu_step_ready(struct lu *lu, const struct lu_task *task)
{
	struct lu_step *step = lu_step(lu, task->k);

	step->n_ready++;
	end_if_over(lu, step);
}
