// SPDX-License-Identifier: BSD-3-Clause
/* The JSON and the text of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/traces/stream.h"
#include "traces/run.h"

static struct cluster cluster = {.name = (char *)"tiny", .n_nodes = 2, .cores = 1};
static char *const command[] = {(char *)"./ring", (char *)"caf\xc3\xa9 \xff", NULL};
static const char *const warnings[] = {"beware"};

static struct trace_summary *small_run(void)
{
	struct trace_summary *summary = NULL;
	struct sim_observers to = {.n = 0};

	assert_int_equal(trace_summary_create(2, (int[]){0, 1}, &cluster, &summary, NULL), 0);
	observe(&to, trace_summary_observer(summary));
	phase(&to, 0, "all", 1, 0);
	compute(&to, 0, "z", 0, 4, 4, 0);
	compute(&to, 1, "a", 0, 8, 6, 1);
	call(&to, 0, "MPI_Recv", 4, 10, 5);
	call(&to, 1, "MPI_Send", 8, 10, 0);
	message(&to, 1, 0, 1000, 0);
	phase(&to, 0, "all", 0, 10);
	end_rank(&to, 0, 10);
	trace_summary_close(summary, at(10));
	return summary;
}

static struct trace_run run_of(const struct trace_summary *summary)
{
	return (struct trace_run){
	    .cluster_file = "tiny.yaml",
	    .placement = "block",
	    .compute_mode = "direct",
	    .command = command,
	    .seed = 42,
	    .outcome = TRACE_COMPLETED,
	    .summary = summary,
	    .n_messages = 1,
	    .n_bytes = 1000,
	    .warnings = warnings,
	    .n_warnings = 1,
	};
}

static char *json_of(const struct trace_run *run)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(trace_json_write(run, file, NULL), 0);
	fclose(file);
	return text;
}

static double real_at(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static void json_has_the_documented_values(void **state)
{
	struct trace_summary *summary = small_run();
	struct trace_run run = run_of(summary);
	const json_t *ranks, *phases, *kernel;
	json_t *root;
	char *text;

	run.cpu_s = 1.0 / 3;
	text = json_of(&run);
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_true(real_at(root, "predicted_time_s") == 10);
	assert_true(real_at(root, "efficiency") == 0.5);
	assert_true(real_at(root, "messages") == 1);
	assert_true(real_at(root, "bytes") == 1000);
	assert_true(real_at(root, "seed") == 42);
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "warnings"), 0)),
			    "beware");
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "command"), 1)),
			    "caf\\xc3\\xa9 \\xff");
	assert_true(json_is_null(json_object_get(root, "failure")));
	assert_string_equal(
	    json_string_value(json_object_get(json_object_get(root, "exit"), "state")),
	    "completed");
	ranks = json_object_get(root, "ranks");
	assert_int_equal(json_array_size(ranks), 2);
	assert_true(real_at(json_array_get(ranks, 0), "waiting_s") == 5);
	assert_true(real_at(json_array_get(ranks, 1), "stolen_s") == 1);
	assert_true(json_is_null(json_object_get(json_array_get(ranks, 1), "end_s")));
	phases = json_object_get(root, "phases");
	assert_int_equal(json_array_size(phases), 1);
	assert_true(real_at(json_array_get(phases, 0), "efficiency") == 0.5);
	/* By name, not by first appearance. */
	kernel = json_array_get(json_object_get(root, "kernels"), 0);
	assert_string_equal(json_string_value(json_object_get(kernel, "name")), "a");
	assert_true(real_at(kernel, "useful_s") == 6);
	/* Calls of a kernel that follow each other are one step: it is not what it was called. */
	assert_int_equal(json_integer_value(json_object_get(kernel, "steps")), 1);
	assert_null(json_object_get(kernel, "count"));
	/* Not a digit is lost. */
	assert_true(real_at(json_object_get(root, "simulation"), "cpu_s") == 1.0 / 3);
	json_decref(root);
	free(text);
	trace_summary_destroy(summary);
}

static void only_the_simulation_differs_between_equal_runs(void **state)
{
	struct trace_summary *first = small_run(), *second = small_run();
	struct trace_run a = run_of(first), b = run_of(second);
	char *text_a, *text_b;
	const char *simulation;

	a.cpu_s = 1;
	b.cpu_s = 2;
	text_a = json_of(&a);
	text_b = json_of(&b);
	simulation = strstr(text_a, "\"simulation\"");
	assert_non_null(simulation);
	assert_memory_equal(text_a, text_b, simulation - text_a);
	assert_string_not_equal(text_a, text_b);
	free(text_a);
	free(text_b);
	trace_summary_destroy(first);
	trace_summary_destroy(second);
}

static void json_tells_a_deadlock(void **state)
{
	struct trace_summary *summary = small_run();
	struct trace_run run = run_of(summary);
	const struct trace_blocked blocked[] = {
	    {.rank = 0,
	     .function = "MPI_Recv",
	     .site = "a.c:1",
	     .text = "receive",
	     .waits_for = (int[]){1},
	     .n_waits_for = 1},
	    {.rank = 1, .function = "MPI_Recv", .waits_for_any = true, .waits_for_anyone = true},
	};
	const struct trace_failure failure = {
	    .kind = "deadlock",
	    .rank = -1,
	    .text = "every rank waits",
	    .blocked = blocked,
	    .n_blocked = 2,
	    .cycle = (int[]){0, 1},
	    .n_cycle = 2,
	};
	char *text;
	json_t *root;
	const json_t *object;

	run.failure = &failure;
	run.outcome = TRACE_FAILED;
	text = json_of(&run);
	root = json_loads(text, 0, NULL);
	object = json_object_get(root, "failure");
	assert_string_equal(json_string_value(json_object_get(object, "kind")), "deadlock");
	assert_true(json_is_null(json_object_get(object, "rank")));
	assert_int_equal(json_array_size(json_object_get(object, "cycle")), 2);
	object = json_array_get(json_object_get(object, "blocked"), 1);
	assert_true(json_is_true(json_object_get(object, "waits_for_anyone")));
	assert_true(json_is_null(json_object_get(object, "site")));
	json_decref(root);
	free(text);
	trace_summary_destroy(summary);
}

static void json_that_cannot_be_written_is_an_error(void **state)
{
	struct trace_summary *summary = small_run();
	struct trace_run run = run_of(summary);
	struct util_error err;
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	assert_int_equal(trace_json_write(&run, full, &err), UTIL_ESYSTEM);
	assert_non_null(strstr(err.text, "No space left"));
	fclose(full);
	trace_summary_destroy(summary);
}

static void text_shows_what_matters(void **state)
{
	struct trace_summary *summary = small_run();
	struct trace_run run = run_of(summary);
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	static const char *const wanted[] = {
	    "predicted running time: 10 s",
	    "dynamic efficiency: 50.0 %",
	    "messages: 1,",
	    "waiting",
	    "MPI_Recv",
	    "seed 42",
	};

	trace_text_write(&run, file);
	fclose(file);
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		if (!strstr(text, wanted[i]))
			fail_msg("no \"%s\" in:\n%s", wanted[i], text);
	free(text);
	trace_summary_destroy(summary);
}

/* Three cores on each of two nodes with a rank each: four have none. With one core each every core
 * has one, and nothing is said. */
static void text_says_how_many_cores_have_no_rank(void **state)
{
	static struct cluster wide = {.name = (char *)"wide", .n_nodes = 3, .cores = 3};
	struct trace_summary *narrow = small_run(), *summary = NULL;
	struct trace_run run = run_of(narrow);
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	trace_text_write(&run, file);
	fclose(file);
	assert_null(strstr(text, "no rank"));
	free(text);
	assert_int_equal(trace_summary_create(2, (int[]){0, 2}, &wide, &summary, NULL), 0);
	trace_summary_close(summary, at(1));
	run = run_of(summary);
	file = open_memstream(&text, &size);
	trace_text_write(&run, file);
	fclose(file);
	assert_non_null(strstr(text, "\n4 of these 6 cores carry no rank"));
	free(text);
	run.cpus_per_rank = 2; /* a rank has the cores of its threads, too */
	file = open_memstream(&text, &size);
	trace_text_write(&run, file);
	fclose(file);
	assert_non_null(strstr(text, "\n2 of these 6 cores carry no rank"));
	free(text);
	trace_summary_destroy(narrow);
	trace_summary_destroy(summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(json_has_the_documented_values),
	    cmocka_unit_test(only_the_simulation_differs_between_equal_runs),
	    cmocka_unit_test(json_tells_a_deadlock),
	    cmocka_unit_test(json_that_cannot_be_written_is_an_error),
	    cmocka_unit_test(text_shows_what_matters),
	    cmocka_unit_test(text_says_how_many_cores_have_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
