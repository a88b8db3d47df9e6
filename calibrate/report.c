/* SPDX-License-Identifier: BSD-3-Clause */
/* From samples to a cluster file that was compared with them, and what is said of it. */
#include "fit.h"
#include "util/outfile.h"

struct found {
	const struct fit *fit;
	const struct check *check;
};

static int write_found(const void *context, FILE *file, struct util_error *err)
{
	const struct found *found = context;

	fit_write_yaml(found->fit, found->check, file);
	return 0;
}

/* --- what is said --- */

/* A file is doubtful that misses more than one in so many of its measurements. */
enum { DOUBTFUL_SHARE = 4 };

static void warn_all(const char *who, const struct samples *samples, const char *fact,
		     const char *of)
{
	const char *text;

	for (int k = 0; (text = samples_get_fact(samples, fact, k)); k++)
		fprintf(stderr, "%s: warning: %s%s\n", who, of, text);
}

static void warn_of_check(const char *who, const struct check *check)
{
	if (!check->is_made || check->n_off > 0)
		fprintf(stderr, "%s: ", who);
	if (!check->is_made) {
		fputs("warning: ", stderr);
		check_verdict(check, stderr);
		fputc('\n', stderr);
	}
	check_list(check, "warning: ", "  ", stderr);
}

/* Of collective operations that were timed: more means other algorithms than the file's rules. */
static const double OTHER_ALGORITHMS = 0.25;

static void warn_of_collectives(const char *who, const struct fit *fit, const struct check *check)
{
	double most = fit_collective_off(check);

	if (most > OTHER_ALGORITHMS)
		fprintf(stderr,
			"%s: warning: collective operations are up to %.0f %% off by the rules of "
			"%s: the library chooses other algorithms; name them "
			"(docs/collectives.md)\n",
			who, 100 * most, LIBRARY[fit->machine.library].name);
}

/* Nodes that take so much longer for the same computation are told. */
static const double SLOWER = 1.05;

static void warn_of_nodes(const char *who, const struct fit *fit)
{
	enum { MOST_NODES = 64 };
	double times_s[MOST_NODES], varies[MOST_NODES];
	int n = fit_node_speeds(fit, times_s, varies, MOST_NODES);

	for (int k = 1; k < n; k++)
		if (times_s[k] > SLOWER * times_s[0] || times_s[0] > SLOWER * times_s[k])
			fprintf(stderr,
				"%s: warning: node %d takes %.2f times as long as the first for "
				"the same computation: cpu.speed of the file says nothing of it\n",
				who, k, times_s[k] / times_s[0]);
}

/* With the probes of the file `cluster`, unless it is NULL. */
static int draw(const char *who, const struct fit *fit, const char *cluster, const char *plot)
{
	struct util_error err;
	int drawn = fit_plot(fit, cluster, plot, &err);

	if (drawn == 1)
		fprintf(stderr,
			"%s: warning: gnuplot is not installed: no pictures in %s, only their "
			"data\n",
			who, plot);
	if (drawn < 0)
		fprintf(stderr, "%s: %s\n", who, err.text);
	return drawn < 0 ? -1 : 0;
}

/* Of the largest messages. */
static double bandwidth_of(const struct fit *fit)
{
	const struct machine *machine = &fit->machine;
	bool is_within = fit->subject == WITHIN_NODE;
	double rate_Bps = machine->value[is_within ? INNER_BANDWIDTH : BANDWIDTH];

	for (int k = 0; k < MACHINE_SEGMENTS; k++)
		if (machine->has[(is_within ? INNER_SEGMENT : SEGMENT) + k])
			rate_Bps = machine->value[(is_within ? INNER_RATE : SEGMENT_RATE) + k];
	return rate_Bps;
}

/* What a reader wants to know before anything else, and what to do next. */
static void summarize(const struct fit *fit, const struct check *check, const char *output)
{
	const char *library = samples_get_fact(fit->samples, "library", 0);
	const struct machine *machine = &fit->machine;

	printf("library:     %.60s\n", library ? library : "unknown");
	if (fit->subject == WITHIN_NODE)
		printf("measured:    within one node only\n");
	printf("latency:     %.4g us in the network; an empty message took %.4g us\n",
	       machine->value[LATENCY] * 1e6, fit->empty[fit->subject].value * 1e6);
	printf("bandwidth:   ");
	parameter_write(BANDWIDTH, bandwidth_of(fit), stdout);
	printf("\neager limit: ");
	parameter_write(THRESHOLD, machine->value[THRESHOLD], stdout);
	putchar('\n');
	printf("verdict:     ");
	check_verdict(check, stdout);
	if (!check->is_made)
		printf("\ncaution:     " FIT_UNSEARCHED);
	if (check->is_made && check->n_off * DOUBTFUL_SHARE > check->n)
		printf(
		    "\ncaution:     do not rely on this file; measure again, longer (--budget) or "
		    "while less else runs");
	printf("\nwritten to:  %s\nnext:        mpisim-run --cluster %s -n %d ./program\n", output,
	       output, fit->n_ranks);
	fflush(stdout);
}

int fit_report(const char *who, const struct samples *samples, const char *output, const char *plot,
	       bool checks)
{
	struct check check = {.why_not = "--no-check was given"};
	struct fit fit;
	struct util_error err;
	char error[256];
	int status = 0;

	if (fit_make(&fit, samples, error) < 0) {
		fprintf(stderr, "%s: %s\n", who, error);
		return -1;
	}
	warn_all(who, samples, "warning", "");
	warn_all(who, samples, "rma_failed", "one-sided messages were not measured: ");
	warn_all(who, samples, "spawn_failed", "the library could not spawn ");
	if (fit_is_noisy(&fit))
		fprintf(stderr, "%s: warning: %s\n", who, FIT_NOISY);
	if (checks)
		fit_choose(&fit, &check);
	warn_of_nodes(who, &fit);
	if (checks) {
		warn_of_check(who, &check);
		warn_of_collectives(who, &fit, &check);
	}
	if (!check.is_made)
		fprintf(stderr, "%s: warning: %s\n", who, FIT_UNSEARCHED);
	if (util_outfile_write(output, write_found, &(struct found){&fit, &check}, &err)) {
		fprintf(stderr, "%s: %s\n", who, err.text);
		status = -1;
	}
	if (plot && draw(who, &fit, check.is_made ? output : NULL, plot) < 0)
		status = -1;
	if (status == 0)
		summarize(&fit, &check, output);
	fit_finish(&fit);
	return status;
}

int fit_check(const char *who, const struct samples *samples, const char *cluster)
{
	const struct sample_key *first = samples_next(samples, "one_way", -1);
	struct check check = {.why_not = "the samples lack times by size (probe one_way)"};

	if (first && first->x == 0)
		check_file(samples, cluster, &check, NULL);
	if (!check.is_made) {
		fprintf(stderr, "%s: %s\n", who, check.why_not);
		return 2;
	}
	check_verdict(&check, stdout);
	putchar('\n');
	check_list(&check, NULL, "  ", stdout);
	return check.n_off > 0;
}
