/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NETMODEL_FIXTURE_H
#define TESTS_NETMODEL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "netmodel/model.h"

/* An engine and a model on a cluster given as YAML. */
struct fixture {
	struct cluster *cluster;
	struct sim_engine engine;
	struct net_model *model;
};

static inline void fixture_open(struct fixture *f, const char *yaml)
{
	struct util_error err = {0};

	if (cluster_parse("fixture.yaml", yaml, strlen(yaml), &f->cluster, &err))
		fail_msg("%s", err.text);
	sim_engine_init(&f->engine);
	assert_int_equal(net_model_create(&f->engine, f->cluster, &f->model, &err), 0);
}

static inline void fixture_close(struct fixture *f)
{
	sim_engine_finish(&f->engine);
	net_model_destroy(f->model);
	cluster_destroy(f->cluster);
}

/* Steps until nothing is left to happen at the present time: then the rates are up to date. */
static inline void fixture_settle(struct fixture *f)
{
	const struct sim_event *first;

	while (f->engine.hook_first ||
	       ((first = sim_queue_peek(&f->engine.queue)) && first->time == f->engine.now))
		assert_int_equal(sim_engine_step(&f->engine), SIM_STEP_EVENT);
}

static inline void fixture_run(struct fixture *f)
{
	enum sim_step step;

	while ((step = sim_engine_step(&f->engine)) != SIM_STEP_IDLE)
		assert_int_equal(step, SIM_STEP_EVENT);
}

#define assert_near(a, b, tolerance)                                                      \
	do {                                                                              \
		double assert_a = (a), assert_b = (b);                                    \
		if (!(fabs(assert_a - assert_b) <= (tolerance)))                          \
			fail_msg(#a " is %.17g, not " #b " = %.17g", assert_a, assert_b); \
	} while (0)

/* A transfer that remembers when it was done. */
struct mail {
	struct net_transfer transfer;
	struct fixture *fixture;
	double done_s; /* negative: not yet */
};

static inline void mail_arrive(struct net_transfer *transfer)
{
	struct mail *mail = (struct mail *)transfer;

	mail->done_s = sim_time_to_s(mail->fixture->engine.now);
}

static inline void mail_send(struct fixture *f, struct mail *mail, int from, int to, int64_t size_B)
{
	mail->fixture = f;
	mail->done_s = -1;
	net_transfer_start(f->model, &mail->transfer, from, to, size_B, mail_arrive);
}

static inline void mail_send_in_stream(struct fixture *f, struct net_stream *stream,
				       struct mail *mail, int source, int dest, int64_t size_B)
{
	mail->fixture = f;
	mail->done_s = -1;
	net_transfer_start_in_stream(f->model, stream, &mail->transfer, source, dest, size_B, 0,
				     NULL, mail_arrive);
}

/* The same for a computation. */
struct work {
	struct net_compute compute;
	struct fixture *fixture;
	double done_s;
};

static inline void work_end(struct net_compute *compute)
{
	struct work *work = (struct work *)compute;

	work->done_s = sim_time_to_s(work->fixture->engine.now);
}

static inline void work_begin(struct fixture *f, struct work *work, int node, double seconds)
{
	work->fixture = f;
	work->done_s = -1;
	net_compute_start(f->model, &work->compute, node, seconds, work_end);
}

/* One event of the simulation is placed to the nearest picosecond. */
#define ONE_PS 1.01e-12

#endif
