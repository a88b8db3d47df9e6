/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmark store: what it reads, what it charges, what it refuses. */
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
#include "pdexec/store_write.h"

/* Sums and quotients of a few doubles: some units in the last place. */
#define ROUNDING 1e-12

static void assert_close(double found, double wanted, double tolerance)
{
	double difference = found > wanted ? found - wanted : wanted - found;

	if (!(difference <= tolerance * (wanted > 0 ? wanted : 1)))
		fail_msg("found %.17g, wanted %.17g", found, wanted);
}

static char *write_file(const char *text)
{
	static char path[64];
	FILE *file;
	int fd;

	strcpy(path, "/tmp/mpisim-store-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	fputs(text, file);
	fclose(file);
	return path;
}

static struct pd_store *store_of(const char *text, enum pd_compute_mode mode)
{
	struct pd_config config = {.mode = mode};
	struct pd_store *store = NULL;
	struct util_error err;

	if (text)
		config.bench_in = write_file(text);
	if (pd_store_create(&config, &store, &err))
		fail_msg("%s", err.text);
	if (text)
		unlink(config.bench_in);
	return store;
}

static void assert_refused(const char *text, const char *line, const char *wanted)
{
	struct pd_config config = {.mode = PD_COMPUTE_MODELLED, .bench_in = write_file(text)};
	struct pd_store *store = NULL;
	struct util_error err = {0};
	int status = pd_store_create(&config, &store, &err);
	char place[128];

	unlink(config.bench_in);
	assert_int_equal(status, UTIL_EINPUT);
	assert_null(store);
	snprintf(place, sizeof(place), "%s%s%s", config.bench_in, *line ? ":" : "", line);
	if (strncmp(err.text, place, strlen(place)) || !strstr(err.text, wanted))
		fail_msg("\"%s\" does not begin with \"%s\" and say \"%s\"", err.text, place, wanted);
}

static double charged(struct pd_store *store, const char *name, int n, const double params[])
{
	struct pd_charge charge;
	struct util_error err;

	if (pd_store_begin(store, name, n, params, &charge, &err))
		fail_msg("%s", err.text);
	assert_false(charge.execute);
	return charge.seconds;
}

static void collect_warning(void *context, const char *sentence)
{
	char *text = context;

	strcat(text, sentence);
	strcat(text, "\n");
}

static void equal_keys_are_averaged(void **state)
{
	struct pd_store *store = store_of("# mpisim-bench 1\nname,p1,p2,p3,p4,seconds\n"
					  "dgemm,10,20,30,,1\ndgemm,10,20,30,,2\n\n# a remark\n"
					  "dgemm,10,20,31,,9\n start ,,,,,0.25\r\n",
					  PD_COMPUTE_MODELLED);

	assert_close(charged(store, "dgemm", 3, (double[]){10, 20, 30}), 1.5, 0);
	assert_close(charged(store, "dgemm", 3, (double[]){10, 20, 31}), 9, 0);
	assert_close(charged(store, "start", 0, NULL), 0.25, 0);
	pd_store_destroy(store);
}

static void unmeasured_keys_come_from_a_fit_on_the_product(void **state)
{
	/* t = 1 + 2·p1·p2 through three points: (1,1) 3, (2,1) 5, (2,3) 13; at (5,4): 41. */
	struct pd_store *store = store_of("f,1,1,,,3\nf,2,1,,,5\nf,2,3,,,13\n", PD_COMPUTE_PARTIAL);
	char warnings[1024] = "";

	assert_close(charged(store, "f", 2, (double[]){5, 4}), 41, 1e-9);
	pd_store_warn(store, collect_warning, warnings);
	assert_non_null(strstr(warnings, "1 of 1 calls of kernel \"f\""));
	pd_store_destroy(store);
}

static void a_stated_complexity_is_what_is_fitted(void **state)
{
	/* t = 3·p1² + 0.5·p2: (1,2) 4, (2,2) 13, (1,8) 7; at (10,4): 302. The constant fits to 0. */
	struct pd_store *store =
		store_of("# model panel: p1^2 + p2\npanel,1,2,,,4\npanel,2,2,,,13\npanel,1,8,,,7\n",
			 PD_COMPUTE_MODELLED);

	assert_close(charged(store, "panel", 2, (double[]){10, 4}), 302, 1e-6);
	pd_store_destroy(store);
}

static void one_measured_key_predicts_in_proportion(void **state)
{
	struct pd_store *store = store_of("g,100,,,,2\n", PD_COMPUTE_MODELLED);

	assert_close(charged(store, "g", 1, (double[]){50}), 1, ROUNDING);
	pd_store_destroy(store);
}

static void fits_have_no_negative_coefficients(void **state)
{
	/* On the line -1 + 2·p1 through (1, 1) and (2, 3) small parameters would cost less than nothing. Without the constant the sum of
	 * (c·1/1 - 1)² + (c·2/3 - 1)² is least at c = (1 + 2/3) / (1 + 4/9) = 15/13; residuals 2/13 and -3/13: sqrt(13/169/2). */
	struct pd_store *store = store_of("g,1,,,,1\ng,2,,,,3\n", PD_COMPUTE_MODELLED);
	struct pd_kernel_info info;

	assert_close(charged(store, "g", 1, (double[]){0.1}), 1.5 / 13, 1e-9);
	assert_true(pd_store_kernel(store, 0, &info));
	assert_close(info.residual, 0.196116135138184, 1e-9);
	pd_store_destroy(store);
}

static void the_residual_counts_what_repeated_measurements_scatter(void **state)
{
	/* One key, 1 s and 2.6 s: the fit meets their average of 1.8 s, each is off by 0.8 / 1.8. */
	struct pd_store *store = store_of("g,100,,,,1\ng,100,,,,2.6\n", PD_COMPUTE_MODELLED);
	struct pd_kernel_info info;

	assert_close(charged(store, "g", 1, (double[]){50}), 0.9, 1e-9);
	assert_true(pd_store_kernel(store, 0, &info));
	assert_close(info.residual, 0.8 / 1.8, 1e-9);
	pd_store_destroy(store);
}

static void measured_keys_win_over_models_and_models_over_fits(void **state)
{
	struct pd_store *store = store_of("model,h,100*p1\nh,1,,,,1\nh,2,,,,2\n", PD_COMPUTE_MODELLED);

	assert_close(charged(store, "h", 1, (double[]){2}), 2, 0);
	assert_close(charged(store, "h", 1, (double[]){3}), 300, 0);
	pd_store_destroy(store);
}

static void models_are_sums_of_terms_in_ranges(void **state)
{
	struct pd_store *store =
		store_of("model,dgemm,2e-6 + 1e-9*p1*p2*p3 - .5*p1^0.5,p1>=64 p1<=100\n"
			 "model,dgemm,7,p1<64\nmodel,dgemm,-1,p1>1000\nmodel, root ,p1^1.5\n",
			 PD_COMPUTE_MODELLED);
	char warnings[1024] = "";
	struct pd_charge charge;
	struct util_error err;

	/* 2e-6 + 1e-9·64·1000·1e9 - 0.5·8 = 63996.000002 */
	assert_close(charged(store, "dgemm", 3, (double[]){64, 1000, 1e9}), 63996.000002, ROUNDING);
	assert_close(charged(store, "dgemm", 3, (double[]){63, 1, 1}), 7, 0);
	assert_close(charged(store, "root", 1, (double[]){4}), 8, ROUNDING);
	assert_close(charged(store, "dgemm", 3, (double[]){2000, 1, 1}), 0, 0);
	pd_store_warn(store, collect_warning, warnings);
	assert_non_null(strstr(warnings, "\"dgemm\" gave a negative time for 1 of 3 calls"));
	assert_int_equal(pd_store_begin(store, "dgemm", 3, (double[]){500, 1, 1}, &charge, &err),
			 UTIL_EPROGRAM);
	assert_non_null(strstr(err.text, "outside the ranges"));
	pd_store_destroy(store);
}

static void unknown_kernels_are_named(void **state)
{
	struct pd_store *store = store_of("f,1,,,,3\n", PD_COMPUTE_PARTIAL);
	struct pd_charge charge;
	struct util_error err;

	assert_int_equal(pd_store_begin(store, "g", 1, (double[]){7}, &charge, &err), UTIL_EPROGRAM);
	assert_non_null(strstr(err.text, "kernel \"g\" (p1=7) was never measured"));
	assert_true(pd_store_lookup(store, PD_NOWHERE, "g", 1, (double[]){7}) < 0);
	assert_close(pd_store_lookup(store, PD_NOWHERE, "f", 1, (double[]){2}), 6, ROUNDING);
	pd_store_destroy(store);

	store = store_of(NULL, PD_COMPUTE_MODELLED);
	assert_int_equal(pd_store_begin(store, "g", 0, NULL, &charge, &err), UTIL_EPROGRAM);
	assert_non_null(strstr(err.text, "--bench"));
	pd_store_destroy(store);
}

static void bad_calls_are_refused(void **state)
{
	static const struct {
		const char *name;
		int n_params;
		const char *wanted;
	} cases[] = {
		{NULL, 1, "is empty"},
		{"", 1, "is empty"},
		{"a,b", 1, "comma"},
		{"#a", 1, "begins with #"},
		{"model", 1, "meaning"},
		{"f", -1, "-1 parameters, wanted 0 to 4"},
		{"f", 5, "5 parameters, wanted 0 to 4"},
		{"f", 2, "called with 2 parameters, but measured or called with 1"},
		{"m", 1, "its model uses p2"},
	};
	struct pd_store *store = store_of("f,1,,,,3\nmodel,m,p1*p2\n", PD_COMPUTE_MODELLED);
	double params[5] = {1, 2, 3, 4, 5};
	struct pd_charge charge;
	struct util_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(pd_store_begin(store, cases[i].name, cases[i].n_params, params,
						&charge, &err),
				 UTIL_EPROGRAM);
		if (!strstr(err.text, cases[i].wanted))
			fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].wanted);
	}
	assert_int_equal(pd_store_begin(store, "f", 1, NULL, &charge, &err), UTIL_EPROGRAM);
	params[0] = (double)NAN;
	assert_int_equal(pd_store_begin(store, "f", 1, params, &charge, &err), UTIL_EPROGRAM);
	assert_non_null(strstr(err.text, "finite"));
	pd_store_destroy(store);
}

static void bad_files_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text, *line, *wanted;
	} cases[] = {
		{"f,1,2,3\n", "1:", "found 4 fields, wanted 6"},
		{"f,1,,,,,3\n", "1:", "found 7 fields, wanted 6"},
		{"# ok\nf,x,,,,3\n", "2:", "p1"},
		{"f,1,,2,,3\n", "1:", "found p3 without p2"},
		{"f,1,,,,\n", "1:", "seconds"},
		{"f,1,,,,nan\n", "1:", "seconds"},
		{"f,1,,,,-3\n", "1:", "wanted 0 or more"},
		{",1,,,,3\n", "1:", "is empty"},
		{"f,1,,,,3\nf,1,1,,,3\n", "2:", "1 before"},
		{PD_BENCH_ENDS "\nf,1,,,,3\nf,2,,,,0.0", "3:", "found no end of the last line"},
		{"# mpisim-bench 4\n", "1:", "wanted 3"},
		{"# mpisim-bench x\n", "1:", "version"},
		{"# model f\n", "1:", "NAME: EXPRESSION"},
		{"# model f: p1\n# model f: p1\n", "2:", "stated twice"},
		{"# model f: p5\n", "1:", "wanted a parameter (p1 to p4)"},
		{"# model f: p3\nf,1,,,,3\n", "", "uses p3"},
		{"model,f\n", "1:", "found 2 fields"},
		{"model,f,\n", "1:", "wanted a number or a parameter"},
		{"model,f,p1 p2\n", "1:", "wanted * + - or the end"},
		{"model,f,p1^0.3\n", "1:", "multiple of 0.5"},
		{"model,f,p1^9\n", "1:", "multiple of 0.5"},
		{"model,f,p1^8*p1\n", "1:", "to the power 9"},
		{"model,f,p1^-1\n", "1:", "wanted a number"},
		{"model,f,1+1+1+1+1+1+1+1+1+1+1+1+1\n", "1:", "more than 12 terms"},
		{"model,f,1..2\n", "1:", "1..2"},
		{"model,f,p1,p1!3\n", "1:", "wanted < <= > >= or ="},
		{"model,f,p1,p1<x\n", "1:", "wanted a number"},
		{"model,f,p1,p1<3,4\n", "1:", "found 5 fields"},
		{"model,f,p1,p1>1 p1>1 p1>1 p1>1 p1>1 p1>1 p1>1 p1>1 p1>1\n", "1:", "more than 8"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, cases[i].line, cases[i].wanted);
}

static void a_missing_file_is_named(void **state)
{
	struct pd_config config = {.bench_in = "/nonexistent/store.csv"};
	struct pd_store *store = NULL;
	struct util_error err;

	assert_true(pd_store_create(&config, &store, &err) < 0);
	assert_non_null(strstr(err.text, "/nonexistent/store.csv"));
}

static void scales_are_read_and_bad_ones_refused(void **state)
{
	static const char *const good[] = {"f=0.9", "*=0.25", "never=2"};
	static const char *const bad[][2] = {
		{"f", "wanted KERNEL=FACTOR"}, {"f=", "scale \"f=\""},     {"f=-1", "negative"},
		{"f=x", "scale \"f=x\""},      {"=2", "is empty"},
	};
	static const char *const twice[] = {"f=1", "f=2"}, *const all_twice[] = {"*=1", "*=1"};
	struct pd_config config = {.mode = PD_COMPUTE_DIRECT, .n_scales = 3, .scales = good};
	struct pd_store *store = NULL;
	struct pd_charge charge;
	struct util_error err;
	char warnings[1024] = "";

	assert_int_equal(pd_store_create(&config, &store, &err), 0);
	assert_int_equal(pd_store_begin(store, "f", 0, NULL, &charge, &err), 0);
	assert_close(charge.scale, 0.9, 0);
	assert_close(pd_store_scale_all(store), 0.25, 0);
	pd_store_warn(store, collect_warning, warnings);
	assert_string_equal(warnings, "kernel \"never\" has a scale factor but was never called\n");
	pd_store_destroy(store);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		config.n_scales = 1;
		config.scales = bad[i];
		assert_int_equal(pd_store_create(&config, &store, &err), UTIL_EINPUT);
		assert_non_null(strstr(err.text, bad[i][1]));
	}
	config.n_scales = 2;
	config.scales = twice;
	assert_int_equal(pd_store_create(&config, &store, &err), UTIL_EINPUT);
	config.scales = all_twice;
	assert_int_equal(pd_store_create(&config, &store, &err), UTIL_EINPUT);
}

static void first_n_runs_n_times_then_replays_the_average(void **state)
{
	struct pd_config config = {.mode = PD_COMPUTE_DIRECT, .first_n = 2};
	double a = 1, b = 2;
	struct pd_store *store = NULL;
	struct pd_charge charge;
	struct util_error err;

	assert_int_equal(pd_store_create(&config, &store, &err), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pd_store_begin(store, "f", 1, &a, &charge, &err), 0);
		assert_true(charge.execute);
		assert_int_equal(pd_store_measured(store, &charge, 1, &a, 1 + 2 * i, &err), 0);
	}
	assert_close(charged(store, "f", 1, &a), 2, 0); /* (1 + 3) / 2 */
	assert_int_equal(pd_store_begin(store, "f", 1, &b, &charge, &err), 0);
	assert_true(charge.execute); /* another key */
	pd_store_destroy(store);
	config.mode = PD_COMPUTE_MODELLED;
	assert_int_equal(pd_store_create(&config, &store, &err), UTIL_EINPUT);
}

static void collected_rows_read_back_as_they_were(void **state)
{
	struct pd_config config = {.mode = PD_COMPUTE_COLLECT};
	double params[4] = {324, 0.1, 1.0 / 3, 1e22};
	struct pd_store *store = NULL;
	struct pd_charge charge;
	struct util_error err;

	assert_int_equal(pd_store_create(&config, &store, &err), UTIL_EINPUT); /* no file */
	config.bench_out = write_file("");
	for (int run = 0; run < 2; run++) { /* the second finds the header there */
		assert_int_equal(pd_store_create(&config, &store, &err), 0);
		assert_int_equal(pd_store_begin(store, "f", 4, params, &charge, &err), 0);
		assert_true(charge.execute);
		assert_int_equal(pd_store_measured(store, &charge, 4, params, 1e-7 / 3, &err), 0);
		pd_store_destroy(store);
	}
	config = (struct pd_config){.mode = PD_COMPUTE_MODELLED, .bench_in = config.bench_out};
	assert_int_equal(pd_store_create(&config, &store, &err), 0);
	unlink(config.bench_in);
	assert_close(charged(store, "f", 4, params), 1e-7 / 3, 0);
	pd_store_destroy(store);
}

static void a_full_disk_is_an_error(void **state)
{
	struct util_error err;
	int fd;

	if (access("/dev/full", W_OK))
		skip();
	assert_true(pd_bench_open("/dev/full", &fd, &err) < 0);
	assert_non_null(strstr(err.text, "/dev/full"));
}

static void interned_names_are_equal_pointers(void **state)
{
	struct pd_store *store = store_of(NULL, PD_COMPUTE_DIRECT);
	char text[16];
	const char *first = pd_store_intern(store, "n7");

	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "n%d", i);
		assert_string_equal(pd_store_intern(store, text), text);
	}
	assert_ptr_equal(pd_store_intern(store, "n7"), first);
	pd_store_destroy(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_are_averaged),
		cmocka_unit_test(unmeasured_keys_come_from_a_fit_on_the_product),
		cmocka_unit_test(a_stated_complexity_is_what_is_fitted),
		cmocka_unit_test(one_measured_key_predicts_in_proportion),
		cmocka_unit_test(fits_have_no_negative_coefficients),
		cmocka_unit_test(the_residual_counts_what_repeated_measurements_scatter),
		cmocka_unit_test(measured_keys_win_over_models_and_models_over_fits),
		cmocka_unit_test(models_are_sums_of_terms_in_ranges),
		cmocka_unit_test(unknown_kernels_are_named),
		cmocka_unit_test(bad_calls_are_refused),
		cmocka_unit_test(bad_files_are_refused_with_their_place),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(scales_are_read_and_bad_ones_refused),
		cmocka_unit_test(first_n_runs_n_times_then_replays_the_average),
		cmocka_unit_test(collected_rows_read_back_as_they_were),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(interned_names_are_equal_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
