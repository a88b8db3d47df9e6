/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-validate: measured against predicted running times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/validate/phases.h"
#include "tools/validate/report.h"
#include "util/options.h"
#include "util/outfile.h"
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
    "of any number of models (docs/validate.md), as in\n"
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
    "                      within the limits, as in calibrated:75@4,85@6,97@12; mean@LIMIT:\n"
    "                      the mean error is; may be repeated\n"
    "  --quiet             no tables\n"
    "  --version, --help\n"
    "\n"
    "exit status: 0; 1 a requirement is not met; 2 wrong usage or input.\n";

struct command {
	struct val_options report;
	const char **required; /* [n_required] of --require, borrowed */
	int n_required;
	bool quiet, help, version;
	const char *phases; /* log, NULL: none */
	const char *path;
};

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

static int take_limits(const char *text, void *options, struct util_error *err)
{
	struct val_options *out = &((struct command *)options)->report;
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
		return util_refuse(
		    err,
		    "--within: found \"%s\", wanted at most %d ascending numbers, as in 4,6,12",
		    text, VAL_MAX_LIMITS);
	return 0;
}

static int take_margin(const char *text, void *options, struct util_error *err)
{
	struct command *out = options;
	const char *at = text;

	if (parse_part(&at, "", &out->report.margin))
		return util_refuse(err, "--margin: found \"%s\", wanted a number of per cent",
				   text);
	out->report.margin /= 100;
	return 0;
}

/* The first ones go with --phases; those of tables would be silently without effect. */
enum { N_OF_PHASES = 5 };
#define AT(member) .at = offsetof(struct command, member)
static const struct util_option all_options[] = {
    {"json", UTIL_OPTION_TEXT, AT(report.json)},
    {"quiet", UTIL_OPTION_FLAG, AT(quiet)},
    {"phases", UTIL_OPTION_TEXT, AT(phases)},
    {"version", UTIL_OPTION_LAST, AT(version)},
    {"help", UTIL_OPTION_LAST, AT(help)},
    {"within", UTIL_OPTION_CALL, .take = take_limits},
    {"margin", UTIL_OPTION_CALL, .take = take_margin},
    {"rows", UTIL_OPTION_FLAG, AT(report.lists_rows)},
    {"plot", UTIL_OPTION_TEXT, AT(report.plot)},
    {"require", UTIL_OPTION_LIST, AT(required), .count = offsetof(struct command, n_required),
     .may_repeat = true},
};

static int check_phases(uint64_t given, struct util_error *err)
{
	for (size_t k = N_OF_PHASES; k < sizeof all_options / sizeof all_options[0]; k++)
		if (given >> k & 1)
			return util_refuse(
			    err, "found --%s beside --phases, wanted --json or --quiet only",
			    all_options[k].name);
	return 0;
}

/* 1: --help or --version was all. */
static int parse(int argc, char **argv, struct command *out, struct util_error *err)
{
	static const struct util_options options = {
	    all_options, sizeof all_options / sizeof all_options[0], SEE_HELP};
	uint64_t given = 0;
	int failed;

	*out = (struct command){
	    .report = {.limits = {0.04, 0.06, 0.12}, .n_limits = 3, .margin = 0.05}};
	out->required = calloc((size_t)argc, sizeof *out->required);
	if (!out->required)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = util_options_read(argc, argv, &options, &given, out, err);
	if (out->help)
		fputs(help, stdout);
	if (out->version)
		printf("mpisim-validate %s\n", util_version());
	if (!failed && optind + 1 != argc)
		failed = util_refuse(err, "found %d files, wanted one; " SEE_HELP, argc - optind);
	if (!failed && out->phases)
		failed = check_phases(given, err);
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

/* One SHARE@LIMIT, or mean@LIMIT. 1: not met. */
static int check_share(const struct val_table *table, int model, const char **at,
		       struct util_error *err)
{
	bool is_mean = !strncmp(*at, "mean@", 5);
	double share = 0, limit;
	struct val_stats stats;

	if (is_mean)
		*at += 4;
	if ((!is_mean && parse_part(at, "@", &share)) || *(*at)++ != '@' ||
	    parse_part(at, ",", &limit))
		return util_refuse(err, "wanted MODEL:SHARE@LIMIT,… in per cent, or mean@LIMIT");
	limit /= 100;
	if (val_stats_compute(table, model, NULL, false, &limit, 1, &stats))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (stats.n > 0 &&
	    (is_mean ? stats.mean <= limit : 100.0 * stats.n_within[0] >= share * stats.n))
		return 0;
	if (is_mean) {
		fprintf(stderr,
			"mpisim-validate: predictions of %s are off by %.3g %% in the mean, wanted "
			"%g %%\n",
			table->models[model], 100 * stats.mean, 100 * limit);
		return 1;
	}
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
		return util_refuse(err,
				   "--require: found \"%s\", wanted MODEL:SHARE@LIMIT,… in per "
				   "cent, or mean@LIMIT",
				   text);
	if (model < 0)
		return util_refuse(err, "--require: found \"%s\", but %s has no such model", text,
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

	if (o->json && util_outfile_is_same(o->json, table->path))
		return util_refuse(
		    err, "--json: found '%s', which is the table, wanted another one", o->json);
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
			      : util_refuse(
				    err, "cannot write %s: memory ran out, or a name is not UTF-8",
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
