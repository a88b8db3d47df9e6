// SPDX-License-Identifier: BSD-3-Clause
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/traces/stream.h"
#include "traces/report.h"

static char *const command[] = {(char *)"./ring", NULL};
static struct cluster cluster = {
    .name = (char *)"tiny \"quoted\" $HOME `id`", .n_nodes = 1024, .cores = 1};

struct made {
	struct trace_summary *summary;
	struct trace_detail *detail;
	struct trace_run run;
};

/* Every rank computes, then waits for and gets a message from the one before, `n_rounds` times; all
 * times × unit_s. */
static void make_run(int n_ranks, int n_rounds, double unit_s, struct made *out)
{
	int *node_of = calloc((size_t)n_ranks, sizeof *node_of);
	struct sim_observers to = {.n = 0};
	double length = 1.5 * unit_s;

	for (int rank = 0; rank < n_ranks; rank++)
		node_of[rank] = rank % cluster.n_nodes;
	assert_int_equal(trace_summary_create(n_ranks, node_of, &cluster, &out->summary, NULL), 0);
	observe(&to, trace_summary_observer(out->summary));
	assert_int_equal(trace_detail_create(n_ranks, &out->detail, NULL), 0);
	observe(&to, trace_detail_observer(out->detail));
	for (int round = 0; round < n_rounds; round++) {
		double begin = round * length;

		for (int rank = 0; rank < n_ranks; rank++) {
			double work = unit_s * (0.2 + 0.8 * ((rank * 7 + round) % 11) / 11);

			phase(&to, rank, "round", 1, begin);
			compute(&to, rank, "dgemm", begin, begin + work, 0.9 * work, 0.1 * work);
			call(&to, rank, "MPI_Recv", begin + work, begin + length,
			     0.7 * (length - work));
			message(&to, rank, (rank + 1) % n_ranks, 1000 * (rank + 1), 0);
			phase(&to, rank, "round", 0, begin + length);
		}
	}
	trace_summary_close(out->summary, at(n_rounds * length));
	out->run = (struct trace_run){
	    .cluster_file = "tiny.yaml",
	    .placement = "block",
	    .compute_mode = "direct",
	    .command = command,
	    .summary = out->summary,
	    .n_messages = out->summary->n_messages,
	    .n_bytes = out->summary->n_bytes,
	};
	free(node_of);
}

static void drop_run(struct made *made)
{
	trace_detail_destroy(made->detail);
	trace_summary_destroy(made->summary);
}

static char base[] = "/tmp/mpisim-report-XXXXXX";
static char dir[64];

static int make_base(void **state)
{
	strcpy(base + sizeof base - 7, "XXXXXX");
	if (!mkdtemp(base))
		return -1;
	snprintf(dir, sizeof dir, "%s/report", base);
	return 0;
}

static int drop_base(void **state)
{
	char line[128];

	snprintf(line, sizeof line, "rm -rf %s", base);
	return system(line);
}

static int n_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n > 2 ? n - 2 : 0;
}

static long size_of(const char *name)
{
	char path[128];
	struct stat status;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return stat(path, &status) ? -1 : (long)status.st_size;
}

static void report_has_tables_scripts_and_pictures(void **state)
{
	static const char *const names[] = {"index.html",     "summary.txt",  "ranks.csv",
					    "breakdown.csv",  "messages.csv", "timeline.csv",
					    "efficiency.csv", "phases.csv"};
	static const char *const drawn[] = {"breakdown", "timeline", "efficiency", "phases",
					    "messages"};
	enum trace_report_pictures pictures;
	struct made made;
	struct util_error err = {.text = ""};
	char name[64];

	make_run(4, 3, 1, &made);
	assert_int_equal(trace_report_write(&made.run, made.detail, dir, &pictures, &err), 0);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_true(size_of(names[i]) > 0);
	/* The machine that runs the tests may have no gnuplot. */
	assert_true(pictures == TRACE_PICTURES_DRAWN || pictures == TRACE_PICTURES_NO_GNUPLOT);
	for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
		snprintf(name, sizeof name, "%s.gp", drawn[i]);
		assert_true(size_of(name) > 0);
		snprintf(name, sizeof name, "%s.png", drawn[i]);
		assert_true(pictures == TRACE_PICTURES_NO_GNUPLOT || size_of(name) > 1000);
		snprintf(name, sizeof name, "%s.svg", drawn[i]);
		assert_true(pictures == TRACE_PICTURES_NO_GNUPLOT || size_of(name) > 1000);
	}
	assert_int_equal(size_of("gnuplot.log"), -1);
	assert_int_equal(n_entries(base), 1);
	drop_run(&made);
}

static void pictures_are_drawn_without_a_word_for_any_size(void **state)
{
	static const struct {
		int n_ranks, n_rounds;
		double unit_s;
	} cases[] = {{1, 0, 1}, {1, 1, 1e-12}, {1, 1, 1e-9}, {2, 40, 1e4}, {600, 2, 1}};
	struct made made;
	enum trace_report_pictures pictures;
	struct util_error err = {.text = ""};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		make_run(cases[i].n_ranks, cases[i].n_rounds, cases[i].unit_s, &made);
		snprintf(dir, sizeof dir, "%s/report%zu", base, i);
		assert_int_equal(trace_report_write(&made.run, made.detail, dir, &pictures, &err),
				 0);
		assert_int_not_equal(pictures, TRACE_PICTURES_FAILED);
		assert_int_equal(size_of("gnuplot.log"), -1);
		drop_run(&made);
	}
}

static void without_gnuplot_the_tables_stay(void **state)
{
	char *path = strdup(getenv("PATH"));
	enum trace_report_pictures pictures = TRACE_PICTURES_DRAWN;
	struct made made;

	make_run(2, 1, 1, &made);
	setenv("PATH", base, 1);
	assert_int_equal(trace_report_write(&made.run, made.detail, dir, &pictures, NULL), 0);
	setenv("PATH", path, 1);
	assert_int_equal(pictures, TRACE_PICTURES_NO_GNUPLOT);
	assert_true(size_of("timeline.csv") > 0);
	assert_int_equal(size_of("timeline.png"), -1);
	free(path);
	drop_run(&made);
}

static void existing_report_is_refused_and_untouched(void **state)
{
	char file[128];
	enum trace_report_pictures pictures;
	struct util_error err;
	struct made made;

	assert_int_equal(mkdir(dir, 0777), 0);
	assert_int_equal(trace_report_check(dir, &err), 0); /* empty */
	snprintf(file, sizeof file, "%s/mine", dir);
	fclose(fopen(file, "w"));
	assert_int_equal(trace_report_check(dir, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "exists already"));
	make_run(1, 1, 1, &made);
	assert_int_not_equal(trace_report_write(&made.run, made.detail, dir, &pictures, &err), 0);
	assert_int_equal(n_entries(dir), 1);
	assert_int_equal(n_entries(base), 1);
	drop_run(&made);
}

static void place_that_is_not_there_is_refused(void **state)
{
	struct util_error err;
	char inside[128];

	snprintf(inside, sizeof inside, "%s/no/report", base);
	assert_int_equal(trace_report_check(inside, &err), UTIL_ESYSTEM);
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_not_equal(trace_report_check("/dev/null", &err), 0);
}

static void disk_that_fills_leaves_nothing_behind(void **state)
{
	const struct rlimit small = {.rlim_cur = 2000, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	enum trace_report_pictures pictures;
	struct util_error err = {.text = ""};
	struct made made;
	int failed;

	make_run(64, 3, 1, &made);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	failed = trace_report_write(&made.run, made.detail, dir, &pictures, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(failed, UTIL_ESYSTEM);
	assert_non_null(strstr(err.text, "cannot write"));
	assert_int_equal(n_entries(base), 0);
	drop_run(&made);
}

static void equal_runs_give_equal_tables(void **state)
{
	char line[512];
	enum trace_report_pictures pictures;
	struct made made;

	for (int i = 0; i < 2; i++) {
		make_run(5, 4, 1, &made);
		snprintf(dir, sizeof dir, "%s/report%d", base, i);
		assert_int_equal(trace_report_write(&made.run, made.detail, dir, &pictures, NULL),
				 0);
		drop_run(&made);
	}
	snprintf(line, sizeof line,
		 "cd %s && for f in report0/*.csv report0/*.gp; do cmp $f report1/${f#report0/} || "
		 "exit 1; done",
		 base);
	assert_int_equal(system(line), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_base, drop_base)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(report_has_tables_scripts_and_pictures),
	    TEST(pictures_are_drawn_without_a_word_for_any_size),
	    TEST(without_gnuplot_the_tables_stay),
	    TEST(existing_report_is_refused_and_untouched),
	    TEST(place_that_is_not_there_is_refused),
	    TEST(disk_that_fills_leaves_nothing_behind),
	    TEST(equal_runs_give_equal_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
