/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels of a node, and what shares its memory (docs/model.md §4), times derived by hand. */
#include "tests/netmodel/fixture.h"

#define MB 1000000
#define HEAD "mpisim_cluster: 1\nnodes: 2\n"
/* Domains of 4 cores; within one, a copy draws what it reads and what it writes: 20 MB/s. */
#define DOMAINS(memory) HEAD "cores: {sockets: 2, domains: 2, per_domain: 4, " memory "}\n"
#define COPIES(n) \
	"network: {latency: 0, bandwidth: 1 MB/s, intra_node: {bandwidth: 10 MB/s, copies: " #n "}}\n"

static void copy(struct fixture *f, struct mail *mail, int from, int to, int64_t size_B)
{
	struct net_place source = {0, from, 1}, dest = {0, to, 1};

	mail->fixture = f;
	mail->done_s = -1;
	net_transfer_start_between(f->model, &mail->transfer, &source, &dest, size_B, 0, NULL,
				   mail_arrive);
}

static void work_on(struct fixture *f, struct work *work, int core, int n_cores, double seconds,
		    double memory_B)
{
	struct net_place place = {0, core, n_cores};

	work->fixture = f;
	work->done_s = -1;
	net_compute_start_on(f->model, &work->compute, &place, seconds, memory_B, work_end);
}

static void a_message_takes_what_the_lowest_common_level_takes(void **state)
{
	/* Cores 0 and 3 are in one domain, 0 and 4 on one socket, 0 and 8 on one node. 10 MB. */
	static const struct {
		int to;
		double takes_s;
	} cases[] = {{3, 0.001 + 1}, {4, 0.002 + 1.25}, {8, 0.003 + 2}, {15, 0.003 + 2}};
	struct fixture f;
	struct mail mail;

	for (int copies = 0; copies <= 2; copies++) {
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			char text[400];

			snprintf(text, sizeof text,
				 DOMAINS("bind: cores") "network: {latency: 0, bandwidth: 1 MB/s, "
				 "intra_node: {copies: %d, levels: [{latency: 1ms, bandwidth: 10 MB/s}, "
				 "{latency: 2ms, bandwidth: 8 MB/s}, {latency: 3ms, bandwidth: 5 MB/s}]}}\n",
				 copies);
			fixture_open(&f, text);
			copy(&f, &mail, 0, cases[i].to, 10 * MB);
			fixture_run(&f);
			assert_near(mail.done_s, cases[i].takes_s, 2 * ONE_PS);
			fixture_close(&f);
		}
	}
}

static void copies_of_one_domain_share_its_memory(void **state)
{
	struct fixture f;
	struct mail one, other, elsewhere;

	/*
	 * 10 MB in 1 s alone, reading 10 and writing 10 MB: all that a domain has. Two in domain 0 halve:
	 * 2 s. That in domain 1 has its memory for itself.
	 */
	fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(1));
	copy(&f, &one, 0, 1, 10 * MB);
	copy(&f, &other, 2, 3, 10 * MB);
	copy(&f, &elsewhere, 4, 5, 10 * MB);
	fixture_run(&f);
	assert_near(one.done_s, 2, ONE_PS);
	assert_near(other.done_s, 2, ONE_PS);
	assert_near(elsewhere.done_s, 1, ONE_PS);
	assert_near(net_model_memory_use(f.model, 0, 0).carried_B, 40e6, 1e-3);
	assert_near(net_model_memory_use(f.model, 0, 0).lost_s, 2, 1e-11);
	assert_near(net_model_memory_use(f.model, 0, 1).carried_B, 20e6, 1e-3);
	assert_near(net_model_memory_use(f.model, 0, 1).lost_s, 0, 1e-11);
	assert_near(net_model_memory_use(f.model, 1, 0).carried_B, 0, 0);
	fixture_close(&f);
}

static void a_copy_between_domains_draws_on_both(void **state)
{
	struct fixture f;
	struct mail across, within;

	/*
	 * Across: 10 MB/s on domain 0 and on domain 1. Within domain 1: 20 MB/s. M = 20: on domain 1 the
	 * first takes its 10, and the second the 10 that are left, half its speed. After 1 s the
	 * first is done, and the second has 5 MB left: 1.5 s.
	 */
	fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(1));
	copy(&f, &across, 0, 4, 10 * MB);
	copy(&f, &within, 5, 6, 10 * MB);
	fixture_run(&f);
	assert_near(across.done_s, 1, ONE_PS);
	assert_near(within.done_s, 1.5, 2 * ONE_PS);
	fixture_close(&f);
}

static void two_copies_of_a_byte_draw_twice(void **state)
{
	struct fixture f;
	struct mail mail;

	/* In and out of a buffer between: 40 MB/s in one domain, of which there are 20; 20 MB/s on each
	 * of two. */
	for (int to = 1; to <= 4; to += 3) {
		fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(2));
		copy(&f, &mail, 0, to, 10 * MB);
		fixture_run(&f);
		assert_near(mail.done_s, to == 1 ? 2 : 1, ONE_PS);
		fixture_close(&f);
	}
}

static void computation_beside_a_copy_gets_its_fair_share(void **state)
{
	struct fixture f;
	struct mail mail;
	struct work work, light;

	/*
	 * M = 20 MB/s in domain 0. The copy of 10 MB would draw 20, the computation of 2 s 15: each gets
	 * 10. The copy runs at 1/2 and ends at 2 s; the computation has done 2 · 10/15 s, and 2/3 s are
	 * left: 2 + 2/3 s.
	 */
	fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(1));
	copy(&f, &mail, 0, 1, 10 * MB);
	work_on(&f, &work, 2, 1, 2, 30 * MB);
	fixture_run(&f);
	assert_near(mail.done_s, 2, ONE_PS);
	assert_near(work.done_s, 2 + 2.0 / 3, 2 * ONE_PS);
	assert_true(work.compute.useful_s == 2 && work.compute.stolen_s == 0);
	assert_near(work.compute.shared_s, 2.0 / 3, 1e-11);
	assert_near(net_model_memory_use(f.model, 0, 0).lost_s, 1 + 2.0 / 3, 1e-11);
	fixture_close(&f);

	/* One that draws 5 gets them and loses nothing; the copy has the other 15: 4/3 s. */
	fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(1));
	copy(&f, &mail, 0, 1, 10 * MB);
	work_on(&f, &light, 2, 1, 2, 10 * MB);
	fixture_run(&f);
	assert_near(mail.done_s, 4.0 / 3, ONE_PS);
	assert_near(light.done_s, 2, ONE_PS);
	fixture_close(&f);
}

static void a_copy_takes_the_cpu_of_its_ranks(void **state)
{
	struct fixture f;
	struct mail mail;
	struct work sender, receiver, other, wide;

	/*
	 * Memory has no limit. A copy of 1 s: the receiver makes it, whose computation of 3 s stands
	 * still meanwhile, also that of one with several cores: its library copies where it
	 * computes. With a buffer between the sender makes one, too.
	 */
	for (int copies = 1; copies <= 2; copies++) {
		fixture_open(&f, copies == 1 ? DOMAINS("bind: cores") COPIES(1)
					     : DOMAINS("bind: cores") COPIES(2));
		work_on(&f, &sender, 0, 1, 3, 0);
		work_on(&f, &receiver, 1, 1, 3, 0);
		work_on(&f, &other, 2, 1, 3, 0);
		copy(&f, &mail, 0, 1, 10 * MB);
		fixture_run(&f);
		assert_near(mail.done_s, 1, ONE_PS);
		assert_near(sender.done_s, copies == 2 ? 4 : 3, 2 * ONE_PS);
		assert_near(receiver.done_s, 4, 2 * ONE_PS);
		assert_near(other.done_s, 3, ONE_PS);
		assert_near(receiver.compute.stolen_s, 1, 1e-11);
		assert_near(receiver.compute.shared_s, 0, 1e-11);
		fixture_close(&f);
	}
	fixture_open(&f, DOMAINS("bind: cores") COPIES(1));
	work_on(&f, &wide, 4, 2, 3, 0);
	copy(&f, &mail, 0, 4, 10 * MB);
	fixture_run(&f);
	assert_near(wide.done_s, 4, 2 * ONE_PS);
	fixture_close(&f);
}

static void copies_that_one_cpu_makes_share_it(void **state)
{
	struct fixture f;
	struct mail mails[2], other;

	/* Two to rank 0, 10 and 5 MB: each at 1/2 until the second is there at 1 s, then the first has 5
	 * MB left: 1.5 s. That of another CPU takes 1 s. */
	fixture_open(&f, DOMAINS("bind: cores") COPIES(1));
	copy(&f, &mails[0], 1, 0, 10 * MB);
	copy(&f, &mails[1], 2, 0, 5 * MB);
	copy(&f, &other, 4, 5, 10 * MB);
	fixture_run(&f);
	assert_near(mails[1].done_s, 1, ONE_PS);
	assert_near(mails[0].done_s, 1.5, 2 * ONE_PS);
	assert_near(other.done_s, 1, ONE_PS);
	fixture_close(&f);
}

static void contention_is_a_domain_that_carries_so_much_for_so_many(void **state)
{
	struct fixture f;
	struct work works[3];
	double done_s[2][3];

	/*
	 * Speeds 1, 0.9, 0.7 of 1, 2, 3 computations are M(n) = 10, 18, 21 MB/s where each draws 10: n
	 * at 18/2/10 and 21/3/10. Works of 1, 2 and 4 s: three at 0.7 until 10/7 s; two at 0.9, the first of
	 * them with 1 s left, 10/9 s more; the last with 2 s left.
	 */
	for (int way = 0; way < 2; way++) {
		fixture_open(&f, way == 0
				     ? HEAD "cores: 3\ncpu: {contention: [1, 0.9, 0.7]}\n"
					    "network: {latency: 0, bandwidth: 1 MB/s}\n"
				     : HEAD "cores: {per_domain: 3, memory: [10 MB/s, 18 MB/s, 21 MB/s]}\n"
					    "network: {latency: 0, bandwidth: 1 MB/s}\n");
		for (int k = 0; k < 3; k++)
			work_on(&f, &works[k], k, 1, 1 << k, (1 << k) * 10.0 * MB);
		fixture_run(&f);
		assert_near(works[0].done_s, 10.0 / 7, 2 * ONE_PS);
		assert_near(works[1].done_s, 10.0 / 7 + 10.0 / 9, 2 * ONE_PS);
		assert_near(works[2].done_s, 10.0 / 7 + 10.0 / 9 + 2, 3 * ONE_PS);
		for (int k = 0; k < 3; k++) {
			done_s[way][k] = works[k].done_s;
			assert_near(works[k].compute.shared_s, works[k].done_s - (1 << k), 1e-11);
		}
		fixture_close(&f);
	}
	for (int k = 0; k < 3; k++)
		assert_near(done_s[0][k], done_s[1][k], 2 * ONE_PS);
}

static void threads_draw_on_all_domains_of_their_cores(void **state)
{
	struct fixture f;
	struct work wide, narrow;

	/*
	 * Cores 0 to 7, domains 0 and 1: 80 MB in 2 s are 20 MB/s on each. Cores 4 to 7: 20 MB/s on domain
	 * 1, 1 s. M = 20: 10 each on domain 1, both at 1/2. The narrow one ends at 2 s; the wide one has
	 * 1 s left: 3 s.
	 */
	fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(1));
	work_on(&f, &wide, 0, 8, 2, 80 * MB);
	work_on(&f, &narrow, 4, 4, 1, 20 * MB);
	fixture_run(&f);
	assert_near(narrow.done_s, 2, ONE_PS);
	assert_near(wide.done_s, 3, 2 * ONE_PS);
	assert_near(net_model_memory_use(f.model, 0, 0).lost_s, 0, 1e-11);
	assert_near(net_model_memory_use(f.model, 0, 1).lost_s, 2, 1e-11);
	fixture_close(&f);
}

static void more_computations_than_cores_share_both(void **state)
{
	struct fixture f;
	struct work works[4];

	/*
	 * Two cores: four works of 1 s get 1/2 of a core each, and would draw 8 · 1/2 MB/s: 16 of M = 12
	 * in all: 3 MB/s each, 3/8 of their speed: 8/3 s. Alone they would have had 1/2: the rest is
	 * memory's.
	 */
	fixture_open(&f, HEAD "cores: {per_domain: 2, memory: 12 MB/s}\n" COPIES(1));
	for (int k = 0; k < 4; k++)
		work_on(&f, &works[k], k % 2, 1, 1, 8 * MB);
	fixture_run(&f);
	for (int k = 0; k < 4; k++) {
		assert_near(works[k].done_s, 8.0 / 3, ONE_PS);
		assert_near(works[k].compute.shared_s, 5.0 / 3, 1e-11);
	}
	assert_near(net_model_memory_use(f.model, 0, 0).lost_s, 4 * 8.0 / 3 * (0.5 - 0.375), 1e-11);
	fixture_close(&f);
}

static double marked_s;

static void pass_mark(struct net_transfer *transfer)
{
	marked_s = sim_time_to_s(((struct mail *)transfer)->fixture->engine.now);
}

static void a_mark_on_a_copy_is_passed_at_the_speed_that_it_has(void **state)
{
	struct net_place source = {0, 0, 1}, dest = {0, 1, 1};
	struct fixture f;
	struct mail mail, other;

	/* 10 MB, the mark before the last 4: at 1/2 for 1.2 s. The other one, of 5 MB, is done at 1 s: the
	 * mark comes at 1 + 0.1 s, the end 0.4 s later. */
	fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(1));
	mail.fixture = &f;
	net_transfer_start_between(f.model, &mail.transfer, &source, &dest, 10 * MB, 4 * MB,
				   pass_mark, mail_arrive);
	copy(&f, &other, 2, 3, 5 * MB);
	fixture_run(&f);
	assert_near(other.done_s, 1, ONE_PS);
	assert_near(marked_s, 1.1, 2 * ONE_PS);
	assert_near(mail.done_s, 1.5, 3 * ONE_PS);
	fixture_close(&f);
}

static void many_flows_never_draw_more_than_there_is(void **state)
{
	enum { N = 200 };
	struct fixture f;
	struct mail mails[N];
	uint64_t seed = 88172645463325252u;
	double last_s[2] = {0};

	/* Random copies and computations: all end, a second run gives the same, and what the domains
	 * carried is what was to be drawn: once or twice the bytes, by where they went. */
	printf("seed %llu\n", (unsigned long long)seed);
	for (int run = 0; run < 2; run++) {
		uint64_t random = seed;
		double drawn_B = 0, carried_B = 0;

		fixture_open(&f, DOMAINS("memory: 20 MB/s") COPIES(1));
		for (int i = 0; i < N; i++) {
			int from, to;

			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			from = (int)(random % 16), to = (int)(random / 16 % 16);
			copy(&f, &mails[i], from, to, (int64_t)(random / 256 % (5 * MB)) + 1);
			drawn_B += 2.0 * (double)mails[i].transfer.size_B;
		}
		fixture_run(&f);
		for (int i = 0; i < N; i++)
			last_s[run] = fmax(last_s[run], mails[i].done_s);
		for (int d = 0; d < 4; d++) {
			struct net_memory_use use = net_model_memory_use(f.model, 0, d);

			carried_B += use.carried_B;
			assert_true(use.carried_B <= 20e6 * last_s[run] * (1 + 1e-9));
		}
		assert_near(carried_B, drawn_B, drawn_B * 1e-9);
		fixture_close(&f);
	}
	assert_true(last_s[0] == last_s[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_message_takes_what_the_lowest_common_level_takes),
	    cmocka_unit_test(copies_of_one_domain_share_its_memory),
	    cmocka_unit_test(a_copy_between_domains_draws_on_both),
	    cmocka_unit_test(two_copies_of_a_byte_draw_twice),
	    cmocka_unit_test(computation_beside_a_copy_gets_its_fair_share),
	    cmocka_unit_test(a_copy_takes_the_cpu_of_its_ranks),
	    cmocka_unit_test(copies_that_one_cpu_makes_share_it),
	    cmocka_unit_test(contention_is_a_domain_that_carries_so_much_for_so_many),
	    cmocka_unit_test(threads_draw_on_all_domains_of_their_cores),
	    cmocka_unit_test(more_computations_than_cores_share_both),
	    cmocka_unit_test(a_mark_on_a_copy_is_passed_at_the_speed_that_it_has),
	    cmocka_unit_test(many_flows_never_draw_more_than_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
