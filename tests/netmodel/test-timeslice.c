/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixed timeslice (docs/model.md §3): shares stay as they are during a slice, steps end at its
 * boundaries. */
#include "tests/netmodel/fixture.h"
#include "util/rng.h"

#define N_NODES 6
#define N_CHAINS 24
#define N_STEPS 8
#define MB 1000000

static void steps_end_at_boundaries(void **state)
{
	struct fixture f;
	struct mail mail;
	struct work work;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\nnetwork: {latency: 0, bandwidth: 1 MB/s, "
			 "model: thesis, timeslice: 100ms}\n");
	mail_send(&f, &mail, 0, 1, MB / 4);
	work_begin(&f, &work, 0, 0.3);
	fixture_run(&f);
	assert_near(mail.done_s, 0.3, 1e-15); /* 0.25 s, up to the boundary */
	assert_near(work.done_s, 0.3, 1e-15); /* exactly on it: no slice more */
	fixture_close(&f);
}

static void ring(struct sim_event *event)
{
}

/* Lets simulated time pass up to `now`. */
static void run_until(struct fixture *f, sim_time_ps now)
{
	struct sim_event alarm;

	sim_event_init(&alarm, ring);
	sim_engine_at(&f->engine, &alarm, now);
	while (sim_event_is_queued(&alarm))
		sim_engine_step(&f->engine);
}

static void shares_are_fixed_during_a_slice(void **state)
{
	struct fixture f;
	struct mail first, second;
	struct work work, late;

	/* The first transfer arrives at 0.25 s, and joins at 0.3 s. */
	fixture_open(&f, "mpisim_cluster: 1\nnodes: 3\nnetwork: {latency: 0, bandwidth: 1 "
			 "MB/s, model: thesis, timeslice: 100ms}\n");
	work_begin(&f, &work, 2, 1);
	run_until(&f, 25 * SIM_PS_PER_S / 100);
	mail_send(&f, &first, 0, 1, MB);
	while (first.transfer.rate == 0)
		sim_engine_step(&f.engine);
	assert_true(f.engine.now == 3 * SIM_PS_PER_S / 10);
	run_until(&f, 55 * SIM_PS_PER_S / 100);
	mail_send(&f, &second, 0, 2, MB); /* joins at 0.6 s */
	assert_true(first.transfer.rate == 1 && second.transfer.rate == 0);
	/* A computation that starts at 0.55 s joins at 0.6 s, too; 0.4 s of the other are left
	 * then: 0.8 s at 1/2. */
	work_begin(&f, &late, 2, 1.04);
	while (first.transfer.rate == 1)
		sim_engine_step(&f.engine);
	assert_true(f.engine.now == 6 * SIM_PS_PER_S / 10);
	fixture_run(&f);
	/* 0.3 s of the first are done at 0.6; its other 0.7 take 1.4 s. Then 0.3 s of the second
	 * are left. */
	assert_near(first.done_s, 2.0, 1e-15);
	assert_near(second.done_s, 2.3, 1e-15);
	assert_near(work.done_s, 1.4, 1e-15);
	assert_near(late.done_s, 2.1,
		    1e-15); /* 0.4 s by 1.4, 0.64 s more: 2.04, up to the boundary */
	fixture_close(&f);
}

static void rounding_does_not_cost_a_slice(void **state)
{
	struct fixture f;
	struct mail mails[300];

	/* Whole milliseconds, but so many that picoseconds are beyond the 53 bits of a double;
	 * three share a link. */
	fixture_open(&f, "mpisim_cluster: 1\nnodes: 200\nnetwork: {latency: 0, bandwidth: 1 MB/s, "
			 "model: thesis, timeslice: 1ms}\n");
	for (int k = 0; k < 300; k++)
		mail_send(&f, &mails[k], k / 3, 100 + k / 3, (40000000LL + 7 * (k / 3)) * 1000);
	fixture_run(&f);
	for (int k = 0; k < 300; k++)
		assert_near(mails[k].done_s, 3 * (40000 + 0.007 * (k / 3)), 1e-6);
	fixture_close(&f);
}

static void nothing_ticks_while_nothing_changes(void **state)
{
	struct fixture f;
	struct mail mail;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\nnetwork: {latency: 0, bandwidth: 1 MB/s, "
			 "model: thesis, timeslice: 1us}\n");
	mail_send(&f, &mail, 0, 1, 1000 * (int64_t)MB);
	fixture_run(&f);
	assert_near(mail.done_s, 1000, 1e-12);
	assert_in_range(f.engine.n_events, 1, 4); /* not 10⁹ */
	fixture_close(&f);
}

/* N_CHAINS chains of steps that follow one another: a transfer, a computation, a transfer, … */
struct link_of_chain {
	struct net_transfer transfer; /* first */
	struct net_compute compute;
	struct chains *chains;
	int index, n_left;
};

struct chains {
	struct fixture f;
	struct link_of_chain links[N_CHAINS];
	double end_s[N_CHAINS];
	struct util_rng rng[N_CHAINS]; /* of its own, so that the order of events does not change
					  what is done */
};

static void chain_go_on(struct link_of_chain *link);

static void chain_transfer_done(struct net_transfer *transfer)
{
	chain_go_on((struct link_of_chain *)transfer);
}

static void chain_compute_done(struct net_compute *compute)
{
	chain_go_on(
	    (struct link_of_chain *)((char *)compute - offsetof(struct link_of_chain, compute)));
}

static void chain_go_on(struct link_of_chain *link)
{
	struct chains *chains = link->chains;
	struct util_rng *rng = &chains->rng[link->index];
	int from = (int)(util_rng_next(rng) % N_NODES),
	    to = (from + 1 + (int)(util_rng_next(rng) % (N_NODES - 1))) % N_NODES;
	double amount = 0.2 + util_rng_uniform(rng);

	chains->end_s[link->index] = sim_time_to_s(chains->f.engine.now);
	if (link->n_left-- == 0)
		return;
	if (link->n_left % 2)
		net_transfer_start(chains->f.model, &link->transfer, from, to,
				   (int64_t)(amount * MB), chain_transfer_done);
	else
		net_compute_start(chains->f.model, &link->compute, from, amount / 5,
				  chain_compute_done);
}

static void run_chains(struct chains *chains, const char *timeslice)
{
	char yaml[512];

	snprintf(yaml, sizeof(yaml),
		 "mpisim_cluster: 1\nnodes: %d\ncpu: {communication_cost: {outgoing: 0.05, "
		 "incoming: 0.1, maximum: 0.5}}\nnetwork: {latency: 1ms, bandwidth: 1 MB/s, "
		 "model: thesis, timeslice: %s}\n",
		 N_NODES, timeslice);
	fixture_open(&chains->f, yaml);
	for (int k = 0; k < N_CHAINS; k++) {
		chains->links[k] =
		    (struct link_of_chain){.chains = chains, .index = k, .n_left = N_STEPS};
		util_rng_init(&chains->rng[k], 11, (uint64_t)k);
		chain_go_on(&chains->links[k]);
	}
	fixture_run(&chains->f);
	fixture_close(&chains->f);
}

static void fixed_timeslice_converges_to_the_adaptive_one(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} slices[] = {
	    {"100ms", 0.1}, {"10ms", 0.01}, {"1ms", 0.001}, {"100us", 0.0001}, {"10us", 0.00001}};
	static struct chains exact, fixed;
	double errors[5] = {0};

	run_chains(&exact, "adaptive");
	for (int k = 0; k < 5; k++) {
		run_chains(&fixed, slices[k].text);
		for (int c = 0; c < N_CHAINS; c++) {
			double error = fabs(fixed.end_s[c] - exact.end_s[c]);

			errors[k] = error > errors[k] ? error : errors[k];
		}
		/*
		 * Every step ends at most a slice late, N_CHAINS × N_STEPS steps share with each
		 * other: a bound of as many slices is generous for one chain's end and would not
		 * hold if an error did not shrink with the slice.
		 */
		assert_true(errors[k] <= N_CHAINS * N_STEPS * slices[k].seconds);
		if (k >= 1)
			assert_true(errors[k] < errors[k - 1]);
	}
	print_message("largest error %g %g %g %g %g s\n", errors[0], errors[1], errors[2],
		      errors[3], errors[4]);
	assert_true(errors[4] > 0); /* it is another method, after all */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(steps_end_at_boundaries),
	    cmocka_unit_test(shares_are_fixed_during_a_slice),
	    cmocka_unit_test(rounding_does_not_cost_a_slice),
	    cmocka_unit_test(nothing_ticks_while_nothing_changes),
	    cmocka_unit_test(fixed_timeslice_converges_to_the_adaptive_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
