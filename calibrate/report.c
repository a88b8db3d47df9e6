/* SPDX-License-Identifier: BSD-3-Clause */
/* From samples to a cluster file that was compared with them, and what is said of it. */
#include "fit.h"
#include "whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_file(const struct fit *fit, const struct check *check, const char *output)
{
	struct whole_file whole;

	if (whole_open(&whole, output) < 0)
		return -1;
	fit_write_yaml(fit, check, whole.file);
	return whole_close(&whole);
}

/* --- the file and its samples --- */

static int write_plainly(const struct fit *fit, const char *path)
{
	FILE *file = fopen(path, "w");
	bool is_bad;

	if (!file)
		return -1;
	fit_write_yaml(fit, NULL, file);
	is_bad = ferror(file);
	return fclose(file) || is_bad ? -1 : 0;
}

/* The file as it would be, beside nothing that the user has. */
static void try_file(const struct fit *fit, struct check *check)
{
	char folder[FORWARD_FOLDER_B], path[FORWARD_FOLDER_B + 16];
	struct util_error err;

	*check = (struct check){0};
	if (forward_folder(folder, &err)) {
		snprintf(check->why_not, sizeof(check->why_not), "%s", err.text);
		return;
	}
	snprintf(path, sizeof(path), "%s/cluster.yaml", folder);
	if (write_plainly(fit, path) == 0)
		check_file(fit->samples, path, check, NULL);
	else
		snprintf(check->why_not, sizeof(check->why_not), "cannot write %.500s: %s", path,
			 strerror(errno));
	unlink(path);
	rmdir(folder);
}

/* A file is doubtful that misses more than one in so many of its measurements. */
enum { DOUBTFUL_SHARE = 4 };

/* Of errors; less is not worth another reading of the same samples. */
static const double BETTER = 0.9;

/* Replaces the fit by another reading of its samples, if that reproduces more of them. */
static void try_choice(struct fit *fit, struct check *check, struct fit_choice choice)
{
	struct check other = {0};
	struct fit as_if;
	char error[256];

	if (fit_make_with(&as_if, fit->samples, choice, error) < 0)
		return;
	if (check->is_made)
		try_file(&as_if, &other);
	else
		snprintf(other.why_not, sizeof(other.why_not), "%s", check->why_not);
	/* in the mean: probes on another file may choose other sizes, which are not compared */
	if (check->is_made &&
	    (!other.is_made || other.sum * check->n > BETTER * check->sum * other.n)) {
		fit_finish(&as_if);
		return;
	}
	fit_finish(fit);
	*fit = as_if;
	*check = other;
}

/* Times by size that the file does not reproduce, and packets that are not certain: something is
 * there. What it is, is what predicts the samples best: lines by size, a burst, or both. Without a
 * simulator the lines, which say at least what a message alone takes. */
static void try_others(struct fit *fit, struct check *check)
{
	struct fit_choice lines = {.has_segments = true}, burst, both;
	double spared_s = fit_spared_s(fit);

	if (fit->subject == WITHIN_NODE || fit->payload_B > 0 ||
	    (check->is_made
		 ? !check_is_off(check, "one_way") && !check_is_off(check, "packet_stream")
		 : !fit->has_doubtful_packets || fit->burst_s > 0))
		return;
	burst = (struct fit_choice){.burst_s = spared_s};
	both = (struct fit_choice){true, spared_s};
	if (!fit_needs_segments(fit, BETWEEN_NODES))
		try_choice(fit, check, lines);
	if (check->is_made && spared_s > 0) {
		try_choice(fit, check, burst);
		try_choice(fit, check, both);
	}
}

/* --- what is said --- */

static void warn_all(const char *who, const struct samples *samples, const char *fact,
		     const char *format)
{
	const char *text;

	for (int k = 0; (text = samples_get_fact(samples, fact, k)); k++) {
		fprintf(stderr, "%s: warning: ", who);
		fprintf(stderr, format, text);
		fputc('\n', stderr);
	}
}

static void warn_of_check(const char *who, const struct check *check)
{
	if (!check->is_made) {
		fprintf(stderr, "%s: warning: ", who);
		check_verdict(check, stderr);
		fputc('\n', stderr);
	}
	if (check->n_off > 0) {
		fprintf(stderr, "%s: warning: ", who);
		fprintf(stderr, CHECK_WARNING_FORMAT, "", check->n_off);
	}
	check_list(check, "  ", stderr);
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

/* What a reader wants to know before anything else, and what to do next. */
static void summarize(const struct fit *fit, const struct check *check, const char *output)
{
	const char *library = samples_get_fact(fit->samples, "library", 0);
	int w = fit->subject;
	int64_t threshold_B = fit->threshold_B[w];

	printf("library:     %.60s\n", library ? library : "unknown");
	if (w == WITHIN_NODE)
		printf("measured:    within one node only\n");
	printf("latency:     %.4g us, of which the network has %.4g us\n",
	       fit->empty[w].value * 1e6, fit->latency[w].value * 1e6);
	printf("bandwidth:   %.6g MB/s\n", fit->bandwidth_Bps[w].value / 1e6);
	if (threshold_B == INT64_MAX)
		printf("eager limit: none was seen\n");
	else
		printf("eager limit: %lld B\n", (long long)(threshold_B < 0 ? 0 : threshold_B));
	printf("verdict:     ");
	check_verdict(check, stdout);
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
	char error[256];
	int status = 0;

	if (fit_make(&fit, samples, error) < 0) {
		fprintf(stderr, "%s: %s\n", who, error);
		return -1;
	}
	warn_all(who, samples, "warning", "%s");
	warn_all(who, samples, "rma_failed", "one-sided messages were not measured: %s");
	warn_all(who, samples, "spawn_failed", "the library could not spawn %s");
	if (fit_is_noisy(&fit))
		fprintf(stderr, "%s: warning: %s\n", who, FIT_NOISY);
	if (checks)
		try_file(&fit, &check);
	try_others(&fit, &check);
	if (checks)
		warn_of_check(who, &check);
	if (write_file(&fit, &check, output) < 0) {
		fprintf(stderr, "%s: cannot write %s: %s\n", who, output, strerror(errno));
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
	struct check check;

	check_file(samples, cluster, &check, NULL);
	if (!check.is_made) {
		fprintf(stderr, "%s: %s\n", who, check.why_not);
		return 2;
	}
	check_verdict(&check, stdout);
	putchar('\n');
	check_list(&check, "  ", stdout);
	return check.n_off > 0;
}
