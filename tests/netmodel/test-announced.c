/* SPDX-License-Identifier: BSD-3-Clause */
/* A transfer on idle links has one event, and none of its times tells (docs/model.md §3). */
#include "tests/netmodel/fixture.h"

/* 1 MB takes 2 s of latency and 1 s of bytes. */
#define YAML "mpisim_cluster: 1\nnodes: 6\nnetwork: {latency: 2s, bandwidth: 1 MB/s}\n"
#define MB 1000000

enum { A, B, C, D };

/* Starts a mail at its time. */
struct later {
	struct sim_event event;
	struct mail mail;
	int from, to;
};

static void start_later(struct sim_event *event)
{
	struct later *later = (struct later *)event;

	mail_send(later->mail.fixture, &later->mail, later->from, later->to, MB);
}

static void send_at(struct fixture *f, struct later *later, double at_s, int from, int to)
{
	*later = (struct later){.mail.fixture = f, .from = from, .to = to};
	sim_event_init(&later->event, start_later);
	sim_engine_at(&f->engine, &later->event, sim_time_from_s(at_s));
}

static void alone_it_takes_one_event(void **state)
{
	struct fixture f;
	struct mail mail;

	fixture_open(&f, YAML);
	mail_send(&f, &mail, A, B, MB);
	assert_near(net_model_link_load(f.model, A, 0), 0, 0); /* its delay is not over */
	fixture_run(&f);
	assert_near(mail.done_s, 3, ONE_PS);
	assert_int_equal(f.engine.n_events, 1);
	fixture_close(&f);
}

/* The first one starts at 0 and is on its links from 2 to 3 s, if it is alone. */
static void who_comes_later_shares_from_when_it_enters(void **state)
{
	static const struct {
		double at_s, first_s, second_s;
	} cases[] = {
	    {0, 4, 4},	     /* side by side from 2 s on */
	    {0.5, 3.5, 4},   /* 0.5 s alone, then 0.5 s of work at half the rate; the rest alone */
	    {0.75, 3.25, 4}, /* enters at 2.75 s, when a quarter of the first is left */
	    {1, 3, 4},	     /* enters when the first ends */
	    {4, 3, 7},
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		for (int incoming = 0; incoming < 2; incoming++) {
			struct fixture f;
			struct mail first;
			struct later second;

			fixture_open(&f, YAML);
			mail_send(&f, &first, A, B, MB);
			send_at(&f, &second, cases[k].at_s, incoming ? C : A, incoming ? B : C);
			fixture_run(&f);
			assert_near(first.done_s, cases[k].first_s, 4 * ONE_PS);
			assert_near(second.mail.done_s, cases[k].second_s, 4 * ONE_PS);
			assert_near(net_model_link_load(f.model, A, 0), 0, 1e-12);
			assert_near(net_model_link_load(f.model, B, 1), 0, 1e-12);
			fixture_close(&f);
		}
}

/* Of two ranks' transfers, one whose delay is over first meets the other's announcement. */
static void who_has_no_delay_calls_in_one_that_has(void **state)
{
	struct fixture f;
	struct mail first;
	struct later second;
	/* Up to 1 kB without latency; more than that as before. */
	static const char yaml[] =
	    "mpisim_cluster: 1\nnodes: 6\nnetwork: {latency: 2s, bandwidth: 1 MB/s, segments: "
	    "[{from: 0, latency: 2s, bandwidth: 1 MB/s}, {from: 500 kB, latency: 0, bandwidth: 1 "
	    "MB/s}]}\n";

	fixture_open(&f, yaml);
	mail_send(&f, &first, A, B, 400000);
	/* On A's link from 1 to 2 s, alone: the first one enters at 2 s. */
	send_at(&f, &second, 1, A, C);
	fixture_run(&f);
	assert_near(second.mail.done_s, 2, 2 * ONE_PS);
	assert_near(first.done_s, 2.4, 2 * ONE_PS);
	fixture_close(&f);
}

static void loads_show_what_is_announced_once_it_is_there(void **state)
{
	struct fixture f;
	struct mail mail;
	struct later other;

	fixture_open(&f, YAML);
	mail_send(&f, &mail, A, B, MB);
	send_at(&f, &other, 2.5, C, D);
	assert_int_equal(sim_engine_step(&f.engine), SIM_STEP_EVENT);
	assert_near(net_model_link_load(f.model, A, 0), 1, 0);
	assert_near(net_model_link_load(f.model, B, 1), 1, 0);
	assert_near(net_model_link_load(f.model, C, 0), 0, 0);
	fixture_run(&f);
	fixture_close(&f);
}

/* B's link is free again when the first one ends, in the same instant as others come to it, and to
 * A's, which the first one leaves. */
static void the_next_one_is_announced_where_one_ends(void **state)
{
	for (int has_third = 0; has_third < 2; has_third++) {
		struct fixture f;
		struct mail first;
		struct later second, third;

		fixture_open(&f, YAML);
		send_at(&f, &second, 3, C, B); /* before the first one's end in the queue */
		if (has_third)
			send_at(&f, &third, 1, A, D); /* on A's link from 3 s on */
		mail_send(&f, &first, A, B, MB);
		fixture_run(&f);
		assert_near(first.done_s, 3, ONE_PS);
		assert_near(second.mail.done_s, 6, ONE_PS);
		if (has_third)
			assert_near(third.mail.done_s, 4, ONE_PS);
		else
			assert_int_equal(f.engine.n_events, 3);
		assert_near(net_model_link_load(f.model, B, 1), 0, 1e-12);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(alone_it_takes_one_event),
	    cmocka_unit_test(who_comes_later_shares_from_when_it_enters),
	    cmocka_unit_test(who_has_no_delay_calls_in_one_that_has),
	    cmocka_unit_test(the_next_one_is_announced_where_one_ends),
	    cmocka_unit_test(loads_show_what_is_announced_once_it_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
