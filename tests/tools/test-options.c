// SPDX-License-Identifier: BSD-3-Clause
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/run/options.h"
#include "tools/run/strings.h"

#define MAX_WORDS 64

/* Splits at single blanks; the words live in `line`. */
static int parse(char *line, struct run_options *out, struct util_error *err)
{
	static char name[] = "mpisim-run";
	static char *argv[MAX_WORDS + 2];
	int argc = 1;

	argv[0] = name;
	for (char *word = strtok(line, " "); word && argc <= MAX_WORDS; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return run_options_parse(argc, argv, out, err);
}

static void every_option_is_taken(void **state)
{
	char line[] = "--cluster c.yaml -n 16 --placement cyclic --compute partial --bench b "
		      "--first-n 3 --scale a=0.9 "
		      "--scale *=2 --set network.latency=2us --vary-compute 0.1 --vary-transfer 0 "
		      "--seed 7 --stack-size 1MiB "
		      "--isolation copy --blas-model m --vary-kernels --json - --report r --tag-output --quiet prog -n x";
	struct run_options o;
	struct util_error err;

	assert_int_equal(parse(line, &o, &err), 0);
	assert_string_equal(o.cluster, "c.yaml");
	assert_int_equal(o.n_ranks, 16);
	assert_string_equal(o.placement, "cyclic");
	assert_int_equal(o.mode, PD_COMPUTE_PARTIAL);
	assert_string_equal(o.bench_in, "b");
	assert_int_equal(o.first_n, 3);
	assert_int_equal(o.n_scales, 2);
	assert_string_equal(o.scales[1], "*=2");
	assert_int_equal(o.n_overrides, 1);
	assert_true(o.vary_compute == 0.1);
	assert_string_equal(o.blas_model, "m");
	assert_true(o.vary_kernels);
	assert_int_equal(o.seed, 7);
	assert_int_equal(o.stack_size_B, 1048576);
	assert_int_equal(o.isolation, PD_ISOLATION_COPY);
	assert_string_equal(o.json, "-");
	assert_string_equal(o.report, "r");
	assert_true(o.tag_output && o.quiet);
	/* What follows the program is the program's. */
	assert_string_equal(o.program[0], "prog");
	assert_string_equal(o.program[1], "-n");
	assert_null(o.program[3]);
	run_options_finish(&o);
}

static void wrong_usage_is_refused_with_what_was_wanted(void **state)
{
	static const struct {
		const char *line, *wanted;
	} cases[] = {
		{"-n 2 p", "--cluster FILE"},
		{"--cluster c p", "-n N"},
		{"--cluster c -n 2", "no program"},
		{"--cluster c -n 0 p", "-n: "},
		{"--cluster c -n two p", "-n: "},
		{"--cluster c -n -3 p", "-n: "},
		{"--cluster c -n 2x p", "-n: "},
		{"--cluster c -n 99999999999 p", "-n: "},
		{"--clusterr c -n 2 p", "unknown option --clusterr (did you mean --cluster?); see mpisim-run --help"},
		{"--sc c -n 2 p", "ambiguous option --sc: --scale or --schedule; see"},
		{"--cluster c -n 2 --cluster d p", "--cluster: found it twice, wanted it once"},
		{"--cluster c -n 2 -n 3 p", "-n: found it twice"},
		{"--cluster c -n 2 --quiet --quiet p", "--quiet: found it twice"},
		{"--cluster c -n 2 --json=a --json=b p", "--json: found it twice"},
		{"--cluster c -n 2 --placement= p", "--placement: found an empty value"},
		{"-q c -n 2 p", "unknown option -q"},
		{"--quiet=1 p", "--quiet=1 takes no value"},
		{"--cluster", "--cluster needs a value"},
		{"--cluster c -n", "-n needs a value"},
		{"--cluster c -n 2 --compute fast p",
		 "wanted direct, collect, partial or modelled"},
		{"--cluster c -n 2 --isolation fork p", "wanted auto, map or copy"},
		{"--cluster c -n 2 --scale dgemm p", "wanted KERNEL=FACTOR"},
		{"--cluster c -n 2 --scale =2 p", "wanted KERNEL=FACTOR"},
		{"--cluster c -n 2 --scale a=-1 p", "wanted KERNEL=FACTOR"},
		{"--cluster c -n 2 --scale a=nan p", "wanted KERNEL=FACTOR"},
		{"--cluster c -n 2 --set network.latency p", "wanted KEY=VALUE"},
		{"--cluster c -n 2 --set a= p", "wanted KEY=VALUE"},
		{"--cluster c -n 2 --vary-compute 1 p", "[0, 1)"},
		{"--cluster c -n 2 --vary-transfer -0.1 p", "[0, 1)"},
		{"--cluster c -n 2 --seed -1 p", "--seed: "},
		{"--cluster c -n 2 --seed 1.5 p", "--seed: "},
		{"--cluster c -n 2 --seed 9223372036854775807 p", "--seed: "},
		{"--cluster c -n 2 --stack-size 1 p", "16KiB"},
		{"--cluster c -n 2 --stack-size big p", "--stack-size: "},
		{"--cluster c -n 2 --first-n 0 p", "--first-n: "},
		{"--cluster c -n 2 --compute collect p", "--bench-out FILE"},
		{"--cluster c -n 2 --bench-out b p", "--compute collect"},
		{"--cluster c -n 2 --bench b p", "partial or modelled"},
		{"--cluster c -n 2 --no-alloc p", "partial or modelled"},
		{"--cluster c -n 2 --compute partial --no-alloc --first-n 2 p", "use one of them"},
		{"--cluster c -n 2 --compute modelled --first-n 2 p", "direct or partial"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run_options o;
		struct util_error err = {.text = ""};
		char line[128];

		snprintf(line, sizeof line, "%s", cases[i].line);
		if (parse(line, &o, &err) != UTIL_EINPUT)
			fail_msg("accepted: %s", cases[i].line);
		if (!strstr(err.text, cases[i].wanted))
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].line, err.text,
				 cases[i].wanted);
	}
}

static void help_needs_nothing_else(void **state)
{
	char line[] = "--help", short_line[] = "-h", version[] = "--version";
	struct run_options o;
	struct util_error err;

	assert_int_equal(parse(line, &o, &err), 0);
	assert_true(o.help);
	run_options_finish(&o);
	assert_int_equal(parse(short_line, &o, &err), 0);
	assert_true(o.help);
	run_options_finish(&o);
	assert_int_equal(parse(version, &o, &err), 0);
	assert_true(o.version);
	run_options_finish(&o);
}

static void program_finds_getopt_as_new(void **state)
{
	char line[] = "--cluster c -n 2 p";
	char name[] = "p", word[] = "word", flag[] = "-f";
	char *argv[] = {name, word, flag, NULL};
	struct run_options o;
	struct util_error err;

	assert_int_equal(parse(line, &o, &err), 0);
	assert_int_equal(optind, 1);
	assert_int_equal(opterr, 1);
	/* The default permutes: the option behind the word is found. */
	assert_int_equal(getopt(3, argv, "f"), 'f');
	run_options_finish(&o);
}

static void rank_lists_are_shown_as_ranges(void **state)
{
	char text[64], narrow[32];
	int odd[40];

	assert_string_equal(run_format_ranks(text, sizeof text, (int[]){5}, 1), "5");
	assert_string_equal(run_format_ranks(text, sizeof text, (int[]){0, 1, 2, 3, 7, 9, 10}, 7),
			    "0-3, 7, 9-10");
	assert_string_equal(run_format_ranks(text, sizeof text, odd, 0), "");
	for (int i = 0; i < 40; i++)
		odd[i] = 2 * i + 1;
	run_format_ranks(narrow, sizeof narrow, odd, 40);
	assert_true(strlen(narrow) < sizeof narrow);
	assert_non_null(strstr(narrow, ", …"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_is_taken),
		cmocka_unit_test(wrong_usage_is_refused_with_what_was_wanted),
		cmocka_unit_test(help_needs_nothing_else),
		cmocka_unit_test(program_finds_getopt_as_new),
		cmocka_unit_test(rank_lists_are_shown_as_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
