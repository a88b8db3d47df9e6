/* SPDX-License-Identifier: BSD-3-Clause */
/* Replayed variation of kernels: what the lines "vary" do to charges, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pdexec/store.h"

#define V2 "# mpisim-bench 2\nmodel,k,2\nmodel,j,2\n"

static int create(const char *text, bool varies, uint64_t seed, struct pd_store **out,
		  struct util_error *err)
{
	char path[] = "/tmp/mpisim-vary-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct pd_config config = {.mode = PD_COMPUTE_MODELLED,
				   .bench_in = path,
				   .vary_kernels = varies,
				   .seed = seed};
	int status;

	fputs(text, file);
	fclose(file);
	status = pd_store_create(&config, out, err);
	unlink(path);
	return status;
}

static struct pd_store *store_of(const char *text, bool varies, uint64_t seed)
{
	struct pd_store *store = NULL;
	struct util_error err;

	if (create(text, varies, seed, &store, &err))
		fail_msg("%s", err.text);
	return store;
}

static double charged(struct pd_store *store, const char *name, int node, struct util_rng *calls)
{
	struct pd_charge charge;

	assert_int_equal(pd_store_begin(store, name, 0, NULL, &charge, NULL), 0);
	pd_store_vary(store, &charge, node, calls);
	return charge.seconds;
}

static void without_the_option_nothing_varies(void **state)
{
	struct pd_store *store = store_of(V2 "vary,k,call,quantiles,0 2\n", false, 1);
	struct util_rng calls;

	pd_store_vary_init(store, 0, &calls);
	for (int i = 0; i < 10; i++)
		assert_true(charged(store, "k", 0, &calls) == 2);
	pd_store_destroy(store);
}

static void quantiles_are_interpolated_and_their_mean_is_one(void **state)
{
	/*
	 * 1 1 4: trapezoids 1 and 2.5, mean 1.75; divided by it 4/7 4/7 16/7. A number u below 1/2 gives 4/7, one above gives
	 * 4/7 + (2u - 1)·12/7.
	 */
	struct pd_store *store = store_of(V2 "vary,k,call,quantiles,1 1 4\n", true, 5);
	struct util_rng calls, same;
	double sum = 0;

	pd_store_vary_init(store, 3, &calls);
	pd_store_vary_init(store, 3, &same);
	for (int i = 0; i < 20000; i++) {
		double u = util_rng_uniform(&same), found = charged(store, "k", 0, &calls) / 2;
		double wanted = 4.0 / 7 + (u < 0.5 ? 0 : (2 * u - 1) * 12.0 / 7);

		assert_true(found - wanted < 1e-12 && wanted - found < 1e-12);
		sum += found;
	}
	/* The deviation is 0.56: of the mean of 20000, 0.004; four times that. */
	assert_true(sum / 20000 > 0.984 && sum / 20000 < 1.016);
	pd_store_destroy(store);
}

static void normal_variation_has_the_stated_deviation(void **state)
{
	struct pd_store *store = store_of(V2 "vary,k,call,normal,0.1\n", true, 5);
	struct util_rng calls;
	double sum = 0, squares = 0;

	pd_store_vary_init(store, 0, &calls);
	for (int i = 0; i < 20000; i++) {
		double off = charged(store, "k", 0, &calls) / 2 - 1;

		sum += off;
		squares += off * off;
	}
	/* Deviation of the mean 0.1/√20000 = 0.0007, of the variance 0.01·√(2/20000) = 0.0001; four times those. */
	assert_true(sum / 20000 > -0.003 && sum / 20000 < 0.003);
	assert_true(squares / 20000 > 0.0096 && squares / 20000 < 0.0104);
	pd_store_destroy(store);
}

static void a_node_keeps_its_factor_in_all_kernels_and_seeds_change_it(void **state)
{
	const char *text = V2 "vary,*,node,normal,0.2\n";
	struct pd_store *store = store_of(text, true, 5), *other = store_of(text, true, 6);
	struct util_rng calls;
	double first;

	pd_store_vary_init(store, 0, &calls);
	first = charged(store, "k", 0, &calls);
	assert_true(first != 2);
	assert_true(charged(store, "k", 0, &calls) == first);
	assert_true(charged(store, "j", 0, &calls) == first);
	assert_true(charged(store, "k", 1, &calls) != first);
	assert_true(charged(other, "k", 0, &calls) != first);
	pd_store_destroy(store);
	pd_store_destroy(other);
}

static void ranks_have_streams_of_their_own(void **state)
{
	struct pd_store *store = store_of(V2 "vary,k,call,normal,0.1\n", true, 5);
	struct util_rng zero, again, one;
	double first;

	pd_store_vary_init(store, 0, &zero);
	pd_store_vary_init(store, 0, &again);
	pd_store_vary_init(store, 1, &one);
	first = charged(store, "k", 0, &zero);
	assert_true(charged(store, "k", 0, &one) != first);
	assert_true(charged(store, "k", 0, &again) == first);
	pd_store_destroy(store);
}

static void add_text(void *context, const char *sentence)
{
	strcat(context, sentence);
}

static void own_lines_go_before_those_for_all_and_kernels_without_any_are_named(void **state)
{
	struct pd_store *store = store_of(V2 "vary,k,call,quantiles,1 1\nvary,*,call,normal,0.1\n", true, 1);
	struct util_rng calls;
	char text[1024] = "";

	pd_store_vary_init(store, 0, &calls);
	assert_true(charged(store, "k", 0, &calls) == 2);
	assert_true(charged(store, "j", 0, &calls) != 2);
	pd_store_warn(store, add_text, text);
	assert_string_equal(text, "");
	pd_store_destroy(store);

	store = store_of(V2 "vary,k,call,normal,0.1\n", true, 1);
	assert_true(charged(store, "j", 0, &calls) == 2);
	pd_store_warn(store, add_text, text);
	assert_non_null(strstr(text, "kernel \"j\" varies"));
	assert_null(strstr(text, "kernel \"k\""));
	pd_store_destroy(store);
}

static void in_version_1_vary_is_a_kernel(void **state)
{
	struct pd_store *store = store_of("vary,1,,,,5\n", true, 1);
	struct pd_charge charge;

	assert_int_equal(pd_store_begin(store, "vary", 1, (double[]){1}, &charge, NULL), 0);
	assert_true(charge.seconds == 5);
	pd_store_destroy(store);
}

static double charged_at(struct pd_store *store, struct pd_place place, double p1,
			 struct util_rng *calls)
{
	struct pd_charge charge;

	assert_int_equal(pd_store_begin_at(store, place, "d", 1, &p1, &charge, NULL), 0);
	pd_store_vary(store, &charge, place.node, calls);
	return charge.seconds;
}

static void models_go_by_node_and_rank(void **state)
{
	struct pd_store *store = store_of("# mpisim-bench 3\nmodel,d,1*p1,node=3 rank%2=1\n"
					  "model,d,2*p1,node=3\nmodel,d,3*p1,rank>=10\nmodel,d,4*p1\n",
					  false, 1);
	struct util_rng calls;

	assert_true(charged_at(store, (struct pd_place){3, 7}, 10, &calls) == 10);
	assert_true(charged_at(store, (struct pd_place){3, 8}, 10, &calls) == 20);
	assert_true(charged_at(store, (struct pd_place){4, 10}, 10, &calls) == 30);
	assert_true(charged_at(store, (struct pd_place){4, 9}, 10, &calls) == 40);
	/* nowhere in particular no condition on a place holds */
	assert_true(charged_at(store, PD_NOWHERE, 10, &calls) == 40);
	pd_store_destroy(store);
}

/* 100000 draws with the standard deviation p1/10 around p1 = 2: the mean is off by 0.2/316 in one of
 * three cases; bounds are six times that. */
static void calls_deviate_by_what_the_model_says(void **state)
{
	static const struct {
		const char *kind;
		double least; /* (0 - E|x|) / sqrt(1 - E|x|^2) deviations below the mean, or six */
	} cases[] = {{"half-normal", 2 - 0.2 * 1.3393}, {"normal", 2 - 0.2 * 6}};

	for (int k = 0; k < 2; k++) {
		char text[100];
		double sum = 0, squares = 0, least = 10;
		const int n = 100000;
		struct pd_store *store;
		struct util_rng calls, again;

		snprintf(text, sizeof text, "model,d,1*p1,,%s,0.1*p1\n", cases[k].kind);
		store = store_of(text, true, 7);
		pd_store_vary_init(store, 5, &calls);
		again = calls;
		for (int i = 0; i < n; i++) {
			double x = charged_at(store, PD_NOWHERE, 2, &calls);

			sum += x;
			squares += (x - 2) * (x - 2);
			least = x < least ? x : least;
		}
		assert_true(fabs(sum / n - 2) < 6 * 0.2 / 316);
		assert_true(fabs(sqrt(squares / n) / 0.2 - 1) < 0.02);
		assert_true(least >= cases[k].least);
		assert_true(charged_at(store, PD_NOWHERE, 2, &again) != 2);
		pd_store_destroy(store);
		store = store_of(text, false, 7);
		assert_true(charged_at(store, PD_NOWHERE, 2, &calls) == 2);
		pd_store_destroy(store);
	}
}

static void bad_lines_are_refused(void **state)
{
	static const struct {
		const char *line, *wanted;
	} cases[] = {
		{"vary,k,call,normal", "found 4 fields"},
		{"vary,k,rank,normal,0.1", "wanted call or node"},
		{"vary,k,call,gamma,0.1", "wanted normal or quantiles"},
		{"vary,k,call,normal,x", "relative standard deviation"},
		{"vary,k,call,normal,-0.1", "wanted 0 to 1"},
		{"vary,k,call,normal,1.1", "wanted 0 to 1"},
		{"vary,k,call,quantiles,1", "wanted 2 to 65"},
		{"vary,k,call,quantiles,0 0", "the last above 0"},
		{"vary,k,call,quantiles,2 1", "ascending"},
		{"vary,k,call,quantiles,-1 1", "ascending numbers from 0"},
		{"vary,k,call,quantiles,1 x", "quantile 2"},
		{"vary,,call,normal,0.1", "is empty"},
		{"vary,k,node,normal,0.1\nvary,k,node,normal,0.1", "stated twice"},
		{"model,k,2,,half-normal", "found 5 fields"},
		{"model,k,2,,uniform,1", "wanted normal or half-normal"},
		{"model,k,2,,normal,x", "wanted a number or a parameter"},
		{"model,k,2,node%0=1", "wanted % and a whole number"},
		{"model,k,2,rank!1", "wanted < <= > >= or ="},
		{"# mpisim-bench 4", "wanted 3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];
		struct pd_store *store = NULL;
		struct util_error err;

		snprintf(text, sizeof(text), V2 "%s\n", cases[i].line);
		assert_int_equal(create(text, true, 1, &store, &err), UTIL_EINPUT);
		if (!strstr(err.text, cases[i].wanted))
			fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_the_option_nothing_varies),
		cmocka_unit_test(quantiles_are_interpolated_and_their_mean_is_one),
		cmocka_unit_test(normal_variation_has_the_stated_deviation),
		cmocka_unit_test(a_node_keeps_its_factor_in_all_kernels_and_seeds_change_it),
		cmocka_unit_test(ranks_have_streams_of_their_own),
		cmocka_unit_test(own_lines_go_before_those_for_all_and_kernels_without_any_are_named),
		cmocka_unit_test(in_version_1_vary_is_a_kernel),
		cmocka_unit_test(models_go_by_node_and_rank),
		cmocka_unit_test(calls_deviate_by_what_the_model_says),
		cmocka_unit_test(bad_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
