/* SPDX-License-Identifier: BSD-3-Clause */
/* The message loop that every rank runs, whatever its roles. */
#include "state.h"

#include <mpisim.h>
#include <stdio.h>

/* --- rank 0 keeps track of the steps --- */

/* The run's iterations, for the report: without pipelining step k, with it from one panel to the next. */
static void next_phase(struct lu *lu)
{
	char name[32];

	if (lu->n_phases > 0)
		mpisim_phase_end();
	if (lu->n_phases == lu->plan.n_blocks)
		return;
	snprintf(name, sizeof(name), "iteration %d", ++lu->n_phases);
	mpisim_phase_begin(name);
}

static void start_panel(struct lu *lu, int k)
{
	struct lu_task task = {.type = LU_START, .k = k};

	lu_mail_send_control(lu->mail, lu_plan_owner(&lu->plan, k), &task, NULL);
}

static void handle_step_done(struct lu *lu, int k)
{
	bool is_last = ++lu->n_steps_done == lu->plan.n_blocks;

	if (is_last)
		lu->end_s = MPI_Wtime();
	if (!lu->plan.options.pipelined || is_last)
		next_phase(lu);
	if (!lu->plan.options.pipelined && !is_last)
		start_panel(lu, k + 1);
}

static void handle_kick(struct lu *lu)
{
	lu->begin_s = MPI_Wtime();
	next_phase(lu);
	start_panel(lu, 0);
}

static void handle_barrier(struct lu *lu, struct lu_message *message)
{
	struct lu_task answer = message->task;

	answer.type = LU_READY;
	lu_mail_send_control(lu->mail, message->source, &answer, NULL);
}

/* --- the loop --- */

/* False: not its turn yet. */
static bool handle(struct lu *lu, struct lu_message *message)
{
	const struct lu_task *task = &message->task;

	switch (task->type) {
	case LU_KICK:
		handle_kick(lu);
		return true;
	case LU_START:
		lu_step_begin(lu, task->k);
		return true;
	case LU_PANEL_DONE:
		if (lu->plan.options.pipelined && task->k > 0)
			next_phase(lu);
		return true;
	case LU_STEP_DONE:
		handle_step_done(lu, task->k);
		return true;
	case LU_NOTIFY:
		lu_step_notified(lu, task);
		return true;
	case LU_FLIP:
		return lu_storage_flip(lu, message);
	case LU_FLIPPED:
		lu_step_flipped(lu, task);
		return true;
	case LU_BARRIER:
		handle_barrier(lu, message);
		return true;
	case LU_READY:
		lu_step_ready(lu, task);
		return true;
	case LU_TRSM:
		return lu_storage_trsm(lu, message);
	case LU_U12:
		lu_step_upper(lu, message);
		return true;
	case LU_MULTIPLY:
		lu_worker_multiply(lu, message);
		return true;
	case LU_RESULT:
		lu_storage_result(lu, message);
		return true;
	case LU_N_TYPES:
		break;
	}
	return true;
}

/* Messages that came early, oldest first, until none of them can be handled. */
static void handle_held(struct lu *lu)
{
	struct lu_message **at = &lu->held;

	while (*at) {
		struct lu_message *message = *at;

		if (handle(lu, message)) {
			*at = message->next;
			lu_mail_free(lu->mail, message);
			at = &lu->held;
		} else {
			at = &message->next;
		}
	}
}

static void hold(struct lu *lu, struct lu_message *message)
{
	struct lu_message **end = &lu->held;

	while (*end)
		end = &(*end)->next;
	message->next = NULL;
	*end = message;
}

static void run(struct lu *lu)
{
	struct lu_task kick = {.type = LU_KICK};

	if (lu->plan.rank == 0)
		lu_mail_send_control(lu->mail, 0, &kick, NULL);
	for (;;) {
		struct lu_message *message;

		handle_held(lu);
		lu_step_dispatch(lu);
		lu_worker_release(lu);
		if (lu_mail_is_done(lu->mail) && !lu->held)
			return;
		message = lu_mail_next(lu->mail);
		if (!message)
			continue;
		if (handle(lu, message))
			lu_mail_free(lu->mail, message);
		else
			hold(lu, message);
	}
}

/* --- setting up --- */

/* How many ranks share each node; 0 where nodes have different numbers of them: all ranks must come to the same plan. */
static int ranks_per_node(void)
{
	MPI_Comm node;
	int size, extremes[2];

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &size);
	MPI_Comm_free(&node);
	extremes[0] = size;
	extremes[1] = -size;
	MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return extremes[0] == -extremes[1] ? size : 0;
}

static int check_tags(const struct lu_plan *plan, char *error, size_t size)
{
	int *limit, found;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
	if (found && lu_plan_highest_tag(plan) > *limit) {
		snprintf(error, size, "%d columns of blocks need tags up to %.0f, this MPI has %d",
			 plan->n_blocks, lu_plan_highest_tag(plan), *limit);
		return -1;
	}
	return 0;
}

/* 0: go on; 1: the help was printed; -1: bad usage, which rank 0 printed. */
static int set_up(int argc, char **argv, struct lu_plan *out)
{
	struct lu_options options;
	char error[256];
	int rank, n_ranks, per_node = 1;
	int status = lu_options_parse(argc, argv, &options, error, sizeof(error));

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (status == 0 && options.roles == LU_ROLES_AUTO && n_ranks > 1)
		per_node = ranks_per_node();
	if (status == 0)
		status = lu_plan_make(&options, n_ranks, rank, per_node, out, error, sizeof(error));
	if (status == 0)
		status = check_tags(out, error, sizeof(error));
	if (status > 0 && rank == 0)
		fputs(lu_options_help(), stdout);
	if (status < 0 && rank == 0)
		fprintf(stderr, "lu: %s\n", error);
	return status;
}

static void print_result(const struct lu *lu)
{
	const struct lu_options *options = &lu->plan.options;

	if (lu->plan.rank != 0 || options->quiet)
		return;
	printf("lu: n = %d, r = %d, variant %s, %d ranks (%s), %d nodes with blocks: %.3f s\n",
	       options->n, options->r, options->variant, lu->plan.n_ranks,
	       lu->plan.first_worker ? "storage and worker ranks" : "both roles in each",
	       lu->plan.n_storage, lu->end_s - lu->begin_s);
}

int main(int argc, char **argv)
{
	struct lu lu = {0};
	int status;
	bool is_good = true;

	MPI_Init(&argc, &argv);
	status = set_up(argc, argv, &lu.plan);
	if (status) {
		MPI_Finalize();
		return status < 0 ? 2 : 0;
	}
	lu_kernels_init();
	lu_storage_create(&lu);
	lu.expected = lu_plan_counts(&lu.plan, lu.plan.rank);
	lu.mail = lu_mail_create(&lu.plan, lu.expected);
	run(&lu);
	lu_mail_destroy(lu.mail);
	print_result(&lu);
	if (lu.plan.options.verify)
		is_good = lu_verify(&lu);
	lu_storage_destroy(&lu);
	MPI_Finalize();
	return is_good ? 0 : 1;
}
