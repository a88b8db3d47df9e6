/* SPDX-License-Identifier: BSD-3-Clause */
#include <cblas.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "calibrate/kernels/kernels.h"
#include "pdexec/store_write.h"
#include "util/cpus.h"
#include "util/options.h"
#include "util/outfile.h"
#include "util/outpath.h"
#include "util/units.h"

#define CATALOG_ROOM 64
#define EXIT_USAGE 2
#define BUDGET_S 60

static const char help[] =
    "mpisim-kernels measures how long BLAS kernels take on this machine, or reads what was\n"
    "measured, fits a model to each kernel and writes a model file for mpisim-run --bench and\n"
    "--blas-model.\n"
    "\n"
    "usage: mpisim-kernels [OPTION…] -o MODEL            measures on this machine\n"
    "       mpisim-kernels [OPTION…] -o MODEL STORE…     reads benchmark stores, one per node\n"
    "\n"
    "  -o MODEL          the model file (docs/benchmark-store.md); without it only a table is\n"
    "                    shown\n"
    "  --kernels LIST    only these: dgemm,daxpy; --list shows all that are measured\n"
    "  --budget TIME     CPU time for measuring, default 60s; 5min, or seconds\n"
    "  --max-size N      largest matrix dimension of the grid\n"
    "  --contention[=K]  also how each kernel slows down when 1 to K cores compute (default:\n"
    "                    all cores)\n"
    "  --store FILE      keeps the measurements as a benchmark store\n"
    "  --plot DIR        pictures (gnuplot) and tables of measured and modelled times\n"
    "  --points          shows every point with its error\n"
    "  --quiet, --list, --version, --help\n"
    "\n"
    "Exit status: 0, 1 when measuring, fitting or writing failed, 2 wrong usage or input,\n"
    "130 interrupted.\n"
    "docs/kernels.md has the details.\n";

/* A handler has no other way to tell than a global. */
static volatile sig_atomic_t caught_signal;

struct options {
	struct kern_settings settings;
	const char *out, *store, *plot;
	bool points, list, help, version, is_quiet;
	char **inputs;
	int n_inputs;
};

static int take_budget(const char *text, void *options, struct util_error *err)
{
	struct options *o = options;
	double value_s;

	if (util_parse_span_s(text, &value_s, err))
		return util_error_prepend(err, "--budget");
	if (!(value_s >= 1e-3 && value_s <= 1e6))
		return util_refuse(
		    err, "--budget: found \"%s\", wanted a time from 1ms to 1000000s", text);
	o->settings.budget_s = value_s;
	return 0;
}

/* More than there are would share cores. */
static int take_contention(const char *text, void *options, struct util_error *err)
{
	struct options *o = options;
	int64_t value = util_cpus() < 256 ? util_cpus() : 256;

	if (text && util_parse_int(text, 1, value, &value, err))
		return util_error_prepend(err, "--contention");
	o->settings.n_cores = (int)value;
	return 0;
}

#define AT(member) .at = offsetof(struct options, member)
static const struct util_option table[] = {
    {NULL, UTIL_OPTION_TEXT, AT(out), .letter = 'o'},
    {"kernels", UTIL_OPTION_TEXT, AT(settings.kernels)},
    {"budget", UTIL_OPTION_CALL, .take = take_budget},
    {"max-size", UTIL_OPTION_COUNT, AT(settings.max_size), .max = 1 << 14},
    {"contention", UTIL_OPTION_MAYBE, .take = take_contention},
    {"store", UTIL_OPTION_TEXT, AT(store)},
    {"plot", UTIL_OPTION_TEXT, AT(plot)},
    {"points", UTIL_OPTION_FLAG, AT(points)},
    {"quiet", UTIL_OPTION_FLAG, AT(is_quiet)},
    {"list", UTIL_OPTION_FLAG, AT(list)},
    {"help", UTIL_OPTION_FLAG, AT(help)},
    {"version", UTIL_OPTION_FLAG, AT(version)},
};

/* A model in the place of the measurements that it is of would be the end of them. */
static int check_files(const struct options *o, struct util_error *err)
{
	if (o->n_inputs &&
	    (o->settings.n_cores || o->store || o->settings.budget_s > 0 || o->settings.max_size))
		return util_error_set(err, UTIL_EINPUT,
				      "--budget, --max-size, --contention and --store go with "
				      "measuring; found the store %s to read",
				      o->inputs[0]);
	for (int i = 0; o->out && i < o->n_inputs; i++)
		if (util_outfile_is_same(o->out, o->inputs[i]))
			return util_error_set(
			    err, UTIL_EINPUT,
			    "-o %s: found it among the stores to read, wanted another file",
			    o->out);
	if (o->out && o->store && util_outfile_is_same(o->out, o->store))
		return util_error_set(err, UTIL_EINPUT, "--store %s: it is the model file already",
				      o->store);
	return 0;
}

static int parse(int argc, char **argv, struct options *out, struct util_error *err)
{
	struct options o = {.settings = {.interrupt = &caught_signal}};
	static const struct util_options options = {table, sizeof table / sizeof table[0],
						    .see = "see mpisim-kernels --help"};
	uint64_t given = 0;
	int rc = util_options_read(argc, argv, &options, &given, &o, err);

	if (rc)
		return rc;
	o.settings.shows_progress = !o.is_quiet && isatty(STDERR_FILENO);
	o.inputs = argv + optind;
	o.n_inputs = argc - optind;
	rc = check_files(&o, err);
	if (rc)
		return rc;
	o.settings.budget_s = o.settings.budget_s > 0 ? o.settings.budget_s : BUDGET_S;
	*out = o;
	return 0;
}

static int gather(const struct options *o, struct kern_data *data, struct util_error *err)
{
	int rc = 0;

	for (int i = 0; i < o->n_inputs && !rc; i++)
		rc = kern_data_read(data, o->inputs[i], err);
	if (!rc && !o->n_inputs)
		rc = kern_measure(&o->settings, data, err);
	if (!rc)
		kern_data_complete(data);
	return rc;
}

static int write_store(const void *context, FILE *file, struct util_error *err)
{
	const struct kern_data *data = context;

	fputs("# mpisim-bench 1\n" PD_BENCH_ENDS "\n" PD_BENCH_HEADER "\n", file);
	for (size_t s = 0; s < data->n_series; s++) {
		const struct kern_series *series = &data->series[s];

		for (size_t i = 0; i < series->n_points; i++) {
			for (size_t k = 0; k < series->points[i].n_samples; k++) {
				fprintf(file, "%s", series->name);
				for (int p = 0; p < PD_STORE_MAX_PARAMS; p++) {
					if (p < series->n_params)
						fprintf(file, ",%.17g",
							series->points[i].params[p]);
					else
						fprintf(file, ",");
				}
				fprintf(file, ",%.9g\n", series->points[i].samples[k].seconds);
			}
		}
	}
	return 0;
}

/* models[data->n_series]; *out_n of them: kernels that were asked for and measured. */
static int fit_all(const struct options *o, const struct kern_data *data,
		   struct kern_model models[], size_t *out_n, struct util_error *err)
{
	int rc = 0;

	*out_n = 0;
	for (size_t i = 0; i < data->n_series && !rc; i++) {
		const struct kern_series *series = &data->series[i];

		if (!kern_is_wanted(&o->settings, series->name) || series->n_points == 0)
			continue;
		rc = kern_check_interrupt(&o->settings, err);
		if (!rc)
			rc = kern_fit(series, &models[*out_n], err);
		if (!rc)
			rc = kern_spread(series, data->n_nodes, &models[*out_n], err);
		*out_n += !rc;
	}
	if (!rc && *out_n == 0)
		rc = util_error_set(err, UTIL_EINPUT,
				    "found no measurements of the kernels that were asked for");
	return rc;
}

#define NAMED 5 /* the table has the others */

static void warn_noisy(const struct kern_model models[], size_t n)
{
	int n_noisy = 0;

	for (size_t i = 0; i < n; i++)
		if (kern_is_noisy(&models[i]) && n_noisy++ < NAMED)
			fprintf(stderr, "%s%s",
				n_noisy > 1 ? ", " : "mpisim-kernels: warning: times of ",
				models[i].series->name);
	if (n_noisy > NAMED)
		fprintf(stderr, " and %d more", n_noisy - NAMED);
	if (n_noisy)
		fputs(
		    " scatter: the machine was busy with other things, or they depend on more than "
		    "the parameters; see the columns calls and outliers\n",
		    stderr);
}

static int draw(const struct options *o, const struct kern_model models[], size_t n,
		struct util_error *err)
{
	int rc = kern_plot(o->plot, models, n, err);

	if (rc > 0)
		fprintf(stderr,
			"mpisim-kernels: warning: gnuplot is not installed: no pictures in %s, "
			"only their "
			"data\n",
			o->plot);
	return rc > 0 ? 0 : rc;
}

static int conclude(const struct options *o, const struct kern_data *data, struct util_error *err)
{
	struct kern_model *models = calloc(data->n_series + 1, sizeof(*models));
	struct kern_contention *contention = calloc(CATALOG_ROOM, sizeof(*contention));
	int n_contention = 0, rc = 0;
	size_t n;

	if (!models || !contention)
		rc = util_error_set(err, UTIL_ENOMEM, "no memory for the models");
	if (!rc && o->store)
		rc = util_outfile_write(o->store, write_store, data, err);
	if (!rc)
		rc = fit_all(o, data, models, &n, err);
	if (!rc && o->settings.n_cores)
		rc = kern_contention_measure(&o->settings, contention, &n_contention, err);
	if (!rc) {
		kern_print_table(stdout, models, n);
		for (int i = 0; i < n_contention; i++)
			printf("contention of %s: each of %d runs at %.2f of its speed alone\n",
			       contention[i].name, contention[i].n_cores,
			       contention[i].speed[contention[i].n_cores - 1]);
		if (o->points)
			kern_print_points(stdout, models, n);
		warn_noisy(models, n);
	}
	if (!rc && o->out)
		rc = kern_write(o->out, models, n, contention, n_contention, err);
	if (!rc && o->plot)
		rc = draw(o, models, n, err);
	free(contention);
	free(models);
	return rc;
}

static void on_interrupt(int number)
{
	caught_signal = number;
}

/* A second Ctrl-C kills. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_interrupt,
				   .sa_flags = SA_RESETHAND | SA_RESTART};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* What was measured is kept where it was to be; a model of half of it would be none. */
static int end_interrupted(const struct options *o, const struct kern_data *data)
{
	struct util_error err;
	bool is_kept = o->store && data->n_series > 0;

	if (is_kept && util_outfile_write(o->store, write_store, data, &err))
		fprintf(stderr, "mpisim-kernels: interrupted, and nothing was written: %s\n",
			err.text);
	else if (is_kept)
		fprintf(stderr,
			"mpisim-kernels: interrupted; what was measured so far is in %s, no model "
			"was written\n",
			o->store);
	else
		fprintf(stderr, "mpisim-kernels: interrupted; nothing was written%s\n",
			o->n_inputs ? "" : " (--store FILE keeps what was measured)");
	return 128 + caught_signal;
}

int main(int argc, char **argv)
{
	struct kern_data data = {.series = NULL};
	struct options options;
	struct util_error err;
	int rc = parse(argc, argv, &options, &err), status;

	openblas_set_num_threads(1);
	if (!rc && options.help) {
		fputs(help, stdout);
	} else if (!rc && options.version) {
		puts("mpisim-kernels " MPISIM_VERSION);
	} else if (!rc && options.list) {
		for (const struct kern_kernel *kernel = kern_catalog; kernel->name; kernel++)
			printf("%-8s %d parameters, %d to %d: %s\n", kernel->name, kernel->n_params,
			       kernel->smallest, kernel->largest, kernel->complexity);
	} else {
		if (!rc && options.out)
			rc = util_output_check(options.out, &err);
		if (!rc && options.store)
			rc = util_output_check(options.store, &err);
		if (!rc && options.plot)
			rc = util_output_check_folder(options.plot, &err);
		catch_signals();
		if (!rc)
			rc = gather(&options, &data, &err);
		if (!rc)
			rc = conclude(&options, &data, &err);
	}
	status = !rc ? 0 : err.code == UTIL_EINPUT ? EXIT_USAGE : 1;
	if (rc && caught_signal)
		status = end_interrupted(&options, &data);
	else if (rc)
		fprintf(stderr, "mpisim-kernels: %s\n", err.text);
	kern_data_finish(&data);
	if (!status && (fflush(stdout) || ferror(stdout))) {
		fprintf(stderr, "mpisim-kernels: cannot write to standard output\n");
		status = 1;
	}
	return status;
}
