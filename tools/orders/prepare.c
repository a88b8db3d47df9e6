// SPDX-License-Identifier: BSD-3-Clause
/* A run whose order is decided instead of timed. */
#include <stdlib.h>

#include "mpi/p2p/match.h"
#include "mpi/verify/verify.h"
#include "tools/orders/decisions.h"
#include "tools/orders/explore.h"

/* Nothing of it is shown but what the exploration finds. */
void orders_prepare_options(struct run *run)
{
	struct run_options *o = &run->options;

	o->json = o->report = o->html = o->real = o->compare = o->what_if = o->trace_out = NULL;
	o->ideal = o->time_only = o->record = o->graph = NULL;
	o->explain = o->tag_output = false;
	o->quiet = true;
	o->verify = 0;
	o->n_repeats = 1;
	run->is_ordered = true;
}

/* What a library does while nobody looks, and how long it takes, decides nothing here. */
void orders_prepare_cluster(struct cluster *cluster)
{
	struct cluster_protocol *protocol = &cluster->protocol;

	protocol->send_overhead_s = protocol->recv_overhead_s = 0;
	protocol->isend_overhead_s = -1;
	protocol->send_costs.n = protocol->isend_costs.n = protocol->recv_costs.n = 0;
	protocol->probe_s = 0;
	protocol->recv_overhead_per_B_s = 0;
	protocol->progress = CLUSTER_PROGRESS_ASYNC;
	protocol->late_answers = CLUSTER_LATE_NONE;
	protocol->order = CLUSTER_ORDER_FREE;
	protocol->synchronous = CLUSTER_SYNCHRONOUS_MATCHED;
	protocol->rendezvous_end = CLUSTER_RENDEZVOUS_ARRIVED;
	protocol->request_data_B = 0;
	protocol->send_buffers.n = 0;
	protocol->unattended_new_B = protocol->unattended_used_B = 0;
	protocol->unattended_receive_B = INT64_MAX;
	cluster->network.packet_payload_B = 0;
	cluster->rma.progress = CLUSTER_RMA_NIC;
	cluster->collectives.profile = CLUSTER_COLL_IDEAL;
	for (int i = 0; i < CLUSTER_N_COLLECTIVES; i++) {
		free(cluster->collectives.algorithms[i]);
		cluster->collectives.algorithms[i] = NULL;
	}
	cluster->variation.computation = cluster->variation.messages = 0;
}

int orders_prepare_world(struct run *run, const struct orders_options *options,
			 enum orders_view view, struct mpi_orders **out, struct util_error *err)
{
	mpi_buffering_set(run->mpi, view == ORDERS_STRICT ? MPI_BUFFERS_NONE : MPI_BUFFERS_ALL);
	run->mpi->no_spawn = "--verify=orders: spawned processes are not explored";
	if (mpi_orders_create(run->mpi, options->max_polls, out))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the orders of %d ranks",
				      run->n_ranks);
	(*out)->epsilon = options->epsilon;
	return 0;
}

/* --- one order that a file names --- */

static bool follow(struct run *run)
{
	bool goes_on = orders_go_on(run->execution);

	if (run->execution->has_misfit)
		run_strings_add(
		    &run->notes,
		    "the file of decisions does not fit: decision %u is not possible here",
		    run->execution->n_made);
	return goes_on;
}

static int follow_file(struct run *run, struct util_error *err)
{
	struct orders_decisions file;
	struct orders_execution *x = calloc(1, sizeof *x);
	int failed = x ? orders_decisions_read(run->options.decisions, run->n_ranks,
					       run->options.program, &file, err)
		       : util_error_set(err, UTIL_ENOMEM, "out of memory");

	if (failed) {
		free(x);
		return failed;
	}
	*x = (struct orders_execution){
	    .run = run, .options = &run->options.orders, .prefix = file.list, .n_prefix = file.n};
	failed = orders_prepare_world(run, x->options, file.view, &x->orders, err);
	run->execution = x;
	run->at_rest = follow;
	return failed;
}

int orders_prepare_run(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;
	int failed = 0;

	run->is_ordered = o->decisions != NULL;
	if (o->verify & MPI_VERIFY_ORDERS)
		failed = orders_decisions_may_write(orders_decisions_prefix(&o->orders), err);
	if (!failed && o->verify & MPI_VERIFY_ORDERS)
		failed = orders_explore(run, &run->orders, err);
	run->reserve = malloc(RUN_RESERVE_B);
	if (!failed)
		failed = run_prepare(run, err);
	return failed || !o->decisions ? failed : follow_file(run, err);
}
