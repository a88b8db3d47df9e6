/* SPDX-License-Identifier: BSD-3-Clause */
/* Multiplications. */
#include "state.h"

#include <mpisim.h>

void lu_worker_multiply(struct lu *lu, struct lu_message *message)
{
	struct lu_task task = message->task;
	int r = lu->plan.options.r, s = lu->plan.options.s;
	double *out = lu_mail_buffer(lu->mail);

	lu_kernel_dgemm(s, s, r, message->data, message->data + (size_t)s * (size_t)r, out);
	task.type = LU_RESULT;
	lu_mail_send_data(lu->mail, lu_plan_owner(&lu->plan, task.j), &task, out);
	lu->n_multiplied++;
}

void lu_worker_release(struct lu *lu)
{
	const struct lu_plan *plan = &lu->plan;
	int node = plan->rank >= plan->first_worker ? plan->rank - plan->first_worker : plan->rank;

	if (lu->has_released || node < plan->n_nodes - lu_plan_removed(plan))
		return;
	if (lu->n_multiplied < lu->expected.multiply)
		return;
	lu->has_released = true;
	mpisim_node_release();
}
