/* SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/units.h"

struct good {
	const char *text;
	double value;
};

struct bad {
	const char *text;
	const char *told; /* part of the message */
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void times_are_seconds(void **state)
{
	/* the compiler rounds the literals once, and so must the parser */
	static const struct good cases[] = {
	    {"1350us", 1350e-6}, {"2 ms", 2e-3},     {"0", 0},		 {"0.0", 0},
	    {"1.5s", 1.5},	 {"3min", 180},	     {"2h", 7200},	 {"7ps", 7e-12},
	    {"25 ns", 25e-9},	 {"1\u00b5s", 1e-6}, {"1\u03bcs", 1e-6}, {"1e3us", 1e-3},
	    {".5s", 0.5},	 {"5.s", 5},	     {"0s", 0},		 {"1e-3 s", 1e-3},
	    {"1\tms", 1e-3},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct util_error err = {0};
		double s = -1;

		assert_int_equal(util_parse_time_s(cases[i].text, &s, &err), 0);
		assert_true(s == cases[i].value);
	}
}

static void spans_are_times_or_seconds(void **state)
{
	static const struct good cases[] = {
	    {"90", 90}, {"1.5", 1.5}, {"90s", 90}, {"1.5min", 90}, {"0", 0}};
	static const char *const wrong[] = {"-5",  "-0",  "",	   "s", "15x",
					    "nan", "inf", "1e400", "5 "};
	struct util_error err = {0};
	double s = -1;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		assert_int_equal(util_parse_span_s(cases[i].text, &s, &err), 0);
		assert_true(s == cases[i].value);
	}
	for (size_t i = 0; i < LENGTH(wrong); i++)
		assert_int_equal(util_parse_span_s(wrong[i], &s, &err), UTIL_EINPUT);
}

static void bandwidths_are_bytes_per_second(void **state)
{
	/* 1 Gbit/s = 1e9/8; 100 Mbps = 100e6/8; 2 GiB/s = 2*1024^3 */
	static const struct good cases[] = {
	    {"11.85 MB/s", 11.85e6}, {"1 Gbit/s", 125e6},      {"100Mbps", 12.5e6},
	    {"2 GiB/s", 2147483648}, {"inf", INFINITY},	       {"8bit/s", 1},
	    {"1kB/s", 1e3},	     {"1KB/s", 1e3},	       {"1 KiB/s", 1024},
	    {"1 TB/s", 1e12},	     {"1Tibit/s", 0x1p40 / 8}, {"3B/s", 3},
	    {"5MBps", 5e6},	     {"1MiB/s", 0x1p20},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct util_error err = {0};
		double Bps = -1;

		assert_int_equal(util_parse_bandwidth_Bps(cases[i].text, &Bps, &err), 0);
		assert_true(Bps == cases[i].value);
	}
}

static void sizes_are_whole_bytes(void **state)
{
	static const struct {
		const char *text;
		int64_t size_B;
	} cases[] = {
	    {"64KiB", 65536},
	    {"1 MB", 1000000},
	    {"4096", 4096},
	    {"2GiB", 2147483648},
	    {"0", 0},
	    {"1.5kB", 1500},
	    {"0.5KiB", 512},
	    {"12B", 12},
	    {"1e3", 1000},
	    /* 2^53 + 1 and 2^63 - 1 are no doubles */
	    {"9007199254740993", 9007199254740993},
	    {"9007199254740993B", 9007199254740993},
	    {"9223372036854775807", INT64_MAX},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct util_error err = {0};
		int64_t size_B = -1;

		assert_int_equal(util_parse_size_B(cases[i].text, &size_B, &err), 0);
		assert_int_equal(size_B, cases[i].size_B);
	}
}

typedef int (*parse_fn)(const char *text, void *out, struct util_error *err);

static int parse_time(const char *text, void *out, struct util_error *err)
{
	return util_parse_time_s(text, out, err);
}

static int parse_bandwidth(const char *text, void *out, struct util_error *err)
{
	return util_parse_bandwidth_Bps(text, out, err);
}

static int parse_size(const char *text, void *out, struct util_error *err)
{
	return util_parse_size_B(text, out, err);
}

static int parse_double(const char *text, void *out, struct util_error *err)
{
	return util_parse_double(text, out, err);
}

static int parse_int(const char *text, void *out, struct util_error *err)
{
	return util_parse_int(text, -5, 10, out, err);
}

/* Every case is refused, says why, and leaves the output alone. */
static void check_refused(parse_fn parse, const struct bad *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct util_error err = {0};
		union {
			double real;
			int64_t integer;
			unsigned char bytes[8];
		} out, before;

		memset(&before, 0x5a, sizeof(before));
		out = before;
		assert_int_equal(parse(cases[i].text, &out, &err), UTIL_EINPUT);
		assert_int_equal(err.code, UTIL_EINPUT);
		if (!strstr(err.text, cases[i].told))
			fail_msg("'%s': '%s' is not in '%s'", cases[i].text, cases[i].told,
				 err.text);
		assert_memory_equal(&out, &before, sizeof(out));
		assert_int_equal(parse(cases[i].text, &out, NULL), UTIL_EINPUT);
	}
}

static void wrong_times_are_refused(void **state)
{
	static const struct bad cases[] = {
	    {"", "found ''"},
	    {"s", "found 's'"},
	    {"5", "'5' has no unit"},
	    {"-1s", "negative"},
	    {"-0s", "negative"},
	    {"nan", "found 'nan'"},
	    {"nans", "found 'nans'"},
	    {"inf", "found 'inf'"},
	    {"1s ", "unknown unit 's '"},
	    {" 1s", "found ' 1s'"},
	    {"1s2", "unknown unit 's2'"},
	    {"1sec", "unknown unit 'sec'"},
	    {"1,5s", "unknown unit ',5s'"},
	    {"0x10s", "unknown unit 'x10s'"},
	    {"1e400s", "too large"},
	    {"1e308h", "too large"},
	    {"1 S", "unknown unit 'S'"},
	    {"1MS", "unknown unit 'MS'"},
	    {".s", "found '.s'"},
	    {"1e s", "unknown unit 'e s'"},
	    {"1 2s", "unknown unit '2s'"},
	    {"0 x", "unknown unit 'x'"},
	    {"0 ", "unknown unit ' '"},
	};

	check_refused(parse_time, cases, LENGTH(cases));
}

static void wrong_bandwidths_are_refused(void **state)
{
	static const struct bad cases[] = {
	    {"", "found ''"},
	    {"1", "has no unit"},
	    {"0", "has no unit"},
	    {"-1MB/s", "negative"},
	    {"-inf", "found '-inf'"},
	    {"nan", "found 'nan'"},
	    {"infinity", "found 'infinity'"},
	    {"inf MB/s", "found 'inf MB/s'"},
	    {"1MB", "unknown unit 'MB'"},
	    {"1 M B/s", "unknown unit 'M B/s'"},
	    {"1mB/s", "unknown unit 'mB/s'"},
	    {"1kiB/s", "unknown unit 'kiB/s'"},
	    {"1MB/s x", "unknown unit"},
	    {"1MkB/s", "unknown unit"},
	    {"1e300TB/s", "too large"},
	    {"1 Mb/s", "unknown unit 'Mb/s'"},
	};

	check_refused(parse_bandwidth, cases, LENGTH(cases));
}

static void wrong_sizes_are_refused(void **state)
{
	static const struct bad cases[] = {
	    {"", "found ''"},
	    {"-1", "negative"},
	    {"1.5", "not a whole number of bytes"},
	    {"0.3KiB", "not a whole number of bytes"},
	    {"1bit", "unknown unit 'bit'"},
	    {"1k", "unknown unit 'k'"},
	    {"4096 ", "unknown unit ' '"},
	    {"9223372036854775808", "too large"},
	    {"8388608TiB", "too large"},
	    {"1e30", "too large"},
	    {"nan", "found 'nan'"},
	    {"inf", "found 'inf'"},
	    {"1MBx", "unknown unit 'MBx'"},
	};

	check_refused(parse_size, cases, LENGTH(cases));
}

static void doubles_are_plain_numbers(void **state)
{
	static const struct good cases[] = {
	    {"0.9", 0.9}, {"1e-3", 1e-3}, {"-2", -2}, {"+3.5", 3.5}, {"1E2", 100}, {".25", 0.25},
	};
	static const struct bad refused[] = {
	    {"", "found ''"},	     {"nan", "found 'nan'"}, {"inf", "found 'inf'"},
	    {"1 ", "found '1 '"},    {" 1", "found ' 1'"},   {"1x", "found '1x'"},
	    {"0x1p3", "found"},	     {"1,5", "found '1,5'"}, {"1e400", "too large"},
	    {"-1e400", "too large"}, {"1e", "found '1e'"},   {"--1", "found '--1'"},
	    {"-", "found '-'"},	     {".", "found '.'"},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct util_error err = {0};
		double value = -1;

		assert_int_equal(util_parse_double(cases[i].text, &value, &err), 0);
		assert_true(value == cases[i].value);
	}
	check_refused(parse_double, refused, LENGTH(refused));
}

static void integers_stay_in_their_range(void **state)
{
	static const struct bad refused[] = {
	    {"", "found ''"},
	    {"1.0", "found '1.0'"},
	    {"1e1", "found '1e1'"},
	    {"x", "found 'x'"},
	    {"3 ", "found '3 '"},
	    {" 3", "found ' 3'"},
	    {"0x3", "found '0x3'"},
	    {"-", "found '-'"},
	    {"11", "out of range, wanted -5 to 10"},
	    {"-6", "out of range"},
	    {"9223372036854775808", "out of range"},
	};
	struct util_error err = {0};
	int64_t value = 0;

	assert_int_equal(util_parse_int("10", -5, 10, &value, &err), 0);
	assert_int_equal(value, 10);
	assert_int_equal(util_parse_int("-5", -5, 10, &value, &err), 0);
	assert_int_equal(value, -5);
	assert_int_equal(util_parse_int("+007", -5, 10, &value, &err), 0);
	assert_int_equal(value, 7);
	assert_int_equal(util_parse_int("-9223372036854775808", INT64_MIN, INT64_MAX, &value, &err),
			 0);
	assert_true(value == INT64_MIN);
	assert_int_equal(util_parse_int("9223372036854775807", INT64_MIN, INT64_MAX, &value, &err),
			 0);
	assert_true(value == INT64_MAX);
	check_refused(parse_int, refused, LENGTH(refused));
}

struct form {
	double value;
	const char *text;
};

static void check_forms(char *(*format)(char *, size_t, double), const struct form *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char buf[32];

		assert_ptr_equal(format(buf, sizeof(buf), cases[i].value), buf);
		assert_string_equal(buf, cases[i].text);
	}
}

static void quantities_print_with_three_digits(void **state)
{
	/* 0.9994e-3 s stays below a millisecond when rounded to three digits (999 us), 0.9996e-3
	 * does not */
	static const struct form times[] = {
	    {1.35e-3, "1.35 ms"}, {0, "0 s"},		{1, "1 s"},	     {1.5, "1.5 s"},
	    {185.4, "185 s"},	  {12345.6, "12346 s"}, {99.94, "99.9 s"},   {99.96, "100 s"},
	    {9.996, "10 s"},	  {2e-9, "2 ns"},	{25e-12, "25 ps"},   {0.9994e-3, "999 us"},
	    {0.9996e-3, "1 ms"},  {-2e-3, "-2 ms"},	{1e-14, "0.01 ps"},  {INFINITY, "inf"},
	    {-INFINITY, "-inf"},  {NAN, "nan"},		{1e300, "1e+300 s"}, {1.05, "1.05 s"},
	};
	static const struct form sizes[] = {
	    {1.3e9, "1.3 GB"}, {512, "512 B"}, {4096, "4.1 kB"}, {3e15, "3000 TB"}, {2e12, "2 TB"},
	};

	check_forms(util_format_time, times, LENGTH(times));
	check_forms(util_format_size, sizes, LENGTH(sizes));
}

/* Makes a locale with a decimal comma in a folder of its own and selects it: 0, or -1 when that is
 * not to be had. */
static int comma_locale_set(char *folder)
{
	char command[256];

	if (!mkdtemp(folder))
		return -1;
	/* localedef complains that the other categories are missing (1) and makes the locale all
	 * the same */
	snprintf(
	    command, sizeof(command),
	    "cd %s && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\ngrouping "
	    "3\\nEND "
	    "LC_NUMERIC\\n' >source && localedef -c -i source -f ANSI_X3.4-1968 ./comma >log 2>&1",
	    folder);
	setenv("LOCPATH", folder, 1);
	return system(command) >= 0 && setlocale(LC_ALL, "comma") ? 0 : -1;
}

static void the_locale_does_not_matter(void **state)
{
	char folder[] = "/tmp/mpisim-locale-XXXXXX", command[64], buf[32], naive[32];
	int rc = comma_locale_set(folder), read = -1;
	struct util_error err = {0};
	double s = 0;

	if (!rc) {
		snprintf(naive, sizeof(naive), "%.1f", 1.5);
		read = util_parse_time_s("1.5s", &s, &err);
		util_format_time(buf, sizeof(buf), 1.5);
		setlocale(LC_ALL, "C");
	}
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
	if (rc) {
		print_message("localedef cannot make a locale with a decimal comma here\n");
		skip();
	}
	assert_string_equal(naive, "1,5"); /* the locale is what it was meant to be */
	assert_int_equal(read, 0);
	assert_true(s == 1.5);
	assert_string_equal(buf, "1.5 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(times_are_seconds),
	    cmocka_unit_test(spans_are_times_or_seconds),
	    cmocka_unit_test(bandwidths_are_bytes_per_second),
	    cmocka_unit_test(sizes_are_whole_bytes),
	    cmocka_unit_test(wrong_times_are_refused),
	    cmocka_unit_test(wrong_bandwidths_are_refused),
	    cmocka_unit_test(wrong_sizes_are_refused),
	    cmocka_unit_test(doubles_are_plain_numbers),
	    cmocka_unit_test(integers_stay_in_their_range),
	    cmocka_unit_test(quantities_print_with_three_digits),
	    cmocka_unit_test(the_locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
