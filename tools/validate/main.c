/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-validate: measured against predicted running times. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/validate/phases.h"
#include "tools/validate/report.h"
#include "util/options.h"
#include "util/units.h"
#include "util/version.h"

#define EXIT_MISSED 1
#define EXIT_USAGE 2
#define SEE_HELP "see mpisim-validate --help"

static const char help[] =
    "mpisim-validate says how close predicted running times are to measured ones.\n"
    "\n"
    "usage: mpisim-validate [OPTION…] TABLE.csv\n"
    "       mpisim-validate --phases LOG [--json FILE] [--quiet] PREDICTION.json\n"
    "\n"
    "TABLE.csv has a line for each configuration that was measured, with the predictions\n"
    "of any number of models (docs/validate.md):\n"
    "  configuration,measured_s,calibrated_predicted_s,thesis_predicted_s\n"
    "  LU r=216 8 nodes,6.21,6.19,6.02\n"
    "\n"
    "Printed, as Markdown: shares of predictions within some limits, mean errors, whether\n"
    "the right alternatives are chosen, and what is further off than the last limit.\n"
    "\n"
    "  --phases LOG        where a prediction is off: the phases of a real run (MPISIM_PHASE_LOG\n"
    "                      of libmpisim-real, or its trace by libmpisim-trace: then\n"
    "                      computation and calls, too) against those of mpisim-run --json;\n"
    "                      with its --real, also by the size of messages\n"
    "  --within LIST       limits in per cent (4,6,12)\n"
    "  --margin PERCENT    measured times this close are the same when alternatives are\n"
    "                      compared (5)\n"
    "  --rows              list all configurations, too\n"
    "  --plot DIR          predicted against measured, and the histogram of errors: PNG, SVG,\n"
    "                      with their data and gnuplot scripts\n"
    "  --json FILE         everything as JSON; -: standard output, after the tables\n"
    "  --require MODEL:SHARE@LIMIT,…\n"
    "                      exit with 1 unless so many per cent of MODEL's predictions are\n"
    "                      within the limits, as in calibrated:75@4,85@6,97@12; may be repeated\n"
    "  --quiet             no tables\n"
    "  --version, --help\n"
    "\n"
    "exit status: 0; 1 a requirement is not met; 2 wrong usage or input.\n";

struct command {
	struct val_options report;
	const char **required; /* [n_required] of --require, borrowed */
	int n_required;
	bool quiet;
	const char *phases; /* log, NULL: none */
	const char *path;
};

enum { WITHIN = 256, MARGIN, ROWS, PLOT, JSON, REQUIRE, PHASES, QUIET, VERSION, HELP };

static const struct option long_options[] = {{"within", required_argument, NULL, WITHIN},
					     {"margin", required_argument, NULL, MARGIN},
					     {"rows", no_argument, NULL, ROWS},
					     {"plot", required_argument, NULL, PLOT},
					     {"json", required_argument, NULL, JSON},
					     {"require", required_argument, NULL, REQUIRE},
					     {"quiet", no_argument, NULL, QUIET},
					     {"phases", required_argument, NULL, PHASES},
					     {"version", no_argument, NULL, VERSION},
					     {"help", no_argument, NULL, HELP},
					     {NULL, 0, NULL, 0}};

/* A number up to one of `stops`, or the end; *at is put there. */
static int parse_part(const char **at, const char *stops, double *out)
{
	size_t length = strcspn(*at, stops);
	struct util_error why;
	char text[64];

	if (length >= sizeof text)
		return -1;
	memcpy(text, *at, length);
	text[length] = '\0';
	*at += length;
	return util_parse_double(text, out, &why) || *out < 0 ? -1 : 0;
}

static int parse_limits(const char *text, struct val_options *out, struct util_error *err)
{
	const char *at = text;
	bool is_wrong = false;

	out->n_limits = 0;
	do {
		double percent;

		at += out->n_limits > 0;
		is_wrong = parse_part(&at, ",", &percent) || out->n_limits == VAL_MAX_LIMITS;
		if (!is_wrong)
			out->limits[out->n_limits++] = percent / 100;
		is_wrong = is_wrong || percent <= 0 ||
			   (out->n_limits > 1 &&
			    out->limits[out->n_limits - 1] <= out->limits[out->n_limits - 2]);
	} while (!is_wrong && *at);
	if (is_wrong)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "--within: found \"%s\", wanted at most %d ascending numbers, as in "
		    "4,6,12",
		    text, VAL_MAX_LIMITS);
	return 0;
}

static int take_option(int option, const char *value, struct command *out, struct util_error *err)
{
	switch (option) {
	case WITHIN:
		return parse_limits(value, &out->report, err);
	case MARGIN:
		if (parse_part(&value, "", &out->report.margin))
			return util_error_set(err, UTIL_EINPUT,
					      "--margin: found \"%s\", wanted a number of per cent",
					      optarg);
		out->report.margin /= 100;
		return 0;
	case ROWS:
		out->report.lists_rows = true;
		return 0;
	case PLOT:
		out->report.plot = value;
		return 0;
	case JSON:
		out->report.json = value;
		return 0;
	case REQUIRE:
		out->required[out->n_required++] = value;
		return 0;
	case PHASES:
		out->phases = value;
		return 0;
	case QUIET:
		out->quiet = true;
		return 0;
	}
	return 0;
}

/* Those of tables would be silently without effect. */
static int check_phases(const struct command *command, uint64_t given, struct util_error *err)
{
	for (int k = 0; long_options[k].name; k++) {
		int option = long_options[k].val;
		bool is_given = option == REQUIRE ? command->n_required > 0 : given >> k & 1;

		if (is_given && option != JSON && option != QUIET && option != PHASES)
			return util_error_set(
			    err, UTIL_EINPUT,
			    "found --%s beside --phases, wanted --json or --quiet only",
			    long_options[k].name);
	}
	return 0;
}

/* 1: --help or --version was all. */
static int parse(int argc, char **argv, struct command *out, struct util_error *err)
{
	uint64_t given = 0;
	int option, failed = 0;

	*out = (struct command){
	    .report = {.limits = {0.04, 0.06, 0.12}, .n_limits = 3, .margin = 0.05}};
	out->required = calloc((size_t)argc, sizeof *out->required);
	if (!out->required)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	opterr = 0;
	while (!failed && (option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return util_option_refuse(option, argv, long_options, SEE_HELP, err);
		if (option == HELP || option == VERSION) {
			if (option == HELP)
				fputs(help, stdout);
			else
				printf("mpisim-validate %s\n", util_version());
			return 1;
		}
		failed = util_option_check(option, optarg, long_options,
					   option == REQUIRE ? NULL : &given, err);
		if (!failed)
			failed = take_option(option, optarg, out, err);
	}
	if (!failed && optind + 1 != argc)
		failed = util_error_set(err, UTIL_EINPUT, "found %d files, wanted one; " SEE_HELP,
					argc - optind);
	if (!failed && out->phases)
		failed = check_phases(out, given, err);
	out->path = argv[optind];
	return failed;
}

static int find_model(const struct val_table *table, const char *name, size_t length)
{
	for (int m = 0; m < table->n_models; m++)
		if (strlen(table->models[m]) == length &&
		    strncmp(table->models[m], name, length) == 0)
			return m;
	return -1;
}

/* One SHARE@LIMIT. 1: not met. */
static int check_share(const struct val_table *table, int model, const char **at,
		       struct util_error *err)
{
	double share, limit;
	struct val_stats stats;

	if (parse_part(at, "@", &share) || *(*at)++ != '@' || parse_part(at, ",", &limit))
		return util_error_set(err, UTIL_EINPUT, "wanted MODEL:SHARE@LIMIT,… in per cent");
	limit /= 100;
	if (val_stats_compute(table, model, NULL, false, &limit, 1, &stats))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (stats.n > 0 && 100.0 * stats.n_within[0] >= share * stats.n)
		return 0;
	fprintf(
	    stderr,
	    "mpisim-validate: %d of %d predictions of %s are within %g %%, wanted %g %% of them\n",
	    stats.n_within[0], stats.n, table->models[model], 100 * limit, share);
	return 1;
}

/* 0: met, 1: not, negative: wrong. */
static int check_required(const struct val_table *table, const char *text, struct util_error *err)
{
	const char *colon = strchr(text, ':'), *at = colon;
	int model = colon ? find_model(table, text, (size_t)(colon - text)) : -1;
	int missed = 0, found;

	if (!colon)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "--require: found \"%s\", wanted MODEL:SHARE@LIMIT,… in per cent", text);
	if (model < 0)
		return util_error_set(err, UTIL_EINPUT,
				      "--require: found \"%s\", but %s has no such model", text,
				      table->path);
	do {
		at++;
		found = check_share(table, model, &at, err);
		if (found < 0)
			return util_error_prepend(err, "--require: found \"%s\"", text);
		missed |= found;
	} while (*at == ',');
	return missed;
}

static int draw(const struct val_table *table, const struct val_options *o, struct util_error *err)
{
	bool is_drawn;
	int failed = val_plot(table, o, &is_drawn, err);

	if (!failed && !is_drawn)
		fprintf(stderr,
			"mpisim-validate: warning: gnuplot is not installed: no pictures in %s\n",
			o->plot);
	return failed;
}

/* 0, 1: a requirement is not met, or negative. */
static int run(const struct command *command, const struct val_table *table, struct util_error *err)
{
	const struct val_options *o = &command->report;
	int failed = 0, missed = 0;

	if (!command->quiet && val_report_print(table, o, stdout))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!failed && o->plot)
		failed = draw(table, o, err);
	if (!failed && o->json)
		failed = val_json_write(table, o, o->json, err);
	for (int i = 0; i < command->n_required && failed >= 0; i++) {
		failed = check_required(table, command->required[i], err);
		missed |= failed > 0;
	}
	if (failed >= 0 && (fflush(stdout) || ferror(stdout)))
		failed = util_error_errno(err, errno, "cannot write to standard output");
	return failed < 0 ? failed : missed;
}

static int compare_phases(const struct command *command, struct util_error *err)
{
	struct val_places phases;
	int failed = val_phases_read(command->phases, command->path, &phases, err);

	if (failed)
		return failed;
	if (phases.mismatch)
		fprintf(stderr, "mpisim-validate: warning: %s and %s are not of the same run: %s\n",
			command->phases, command->path, phases.mismatch);
	if (!command->quiet && val_phases_print(&phases, stdout))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!failed && command->report.json) {
		json_t *root = val_phases_json(&phases);

		failed = root ? val_json_put(root, command->report.json, err)
			      : util_error_set(err, UTIL_EINPUT,
					       "cannot write %s: memory ran out, or a name is not "
					       "UTF-8",
					       command->report.json);
	}
	if (!failed && (fflush(stdout) || ferror(stdout)))
		failed = util_error_errno(err, errno, "cannot write to standard output");
	val_phases_finish(&phases);
	return failed;
}

int main(int argc, char **argv)
{
	struct val_table table = {.path = NULL};
	struct util_error err = {0};
	struct command command;
	int failed = parse(argc, argv, &command, &err), status = 0;

	if (failed == 0 && command.phases) {
		failed = compare_phases(&command, &err);
	} else if (failed == 0) {
		failed = val_table_read(command.path, &table, &err);
		if (!failed)
			failed = run(&command, &table, &err);
		status = failed > 0 ? EXIT_MISSED : 0;
	}
	if (failed < 0) {
		fprintf(stderr, "mpisim-validate: %s\n", err.text);
		status = EXIT_USAGE;
	}
	val_table_finish(&table);
	free(command.required);
	return status;
}
