/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim-calibrate-fit --fit: a cluster file from times that others have measured. */
#include "fit_files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "util/file.h"
#include "util/gnuplot.h"
#include "util/outfile.h"
#include "untold.h"
#include "view_times.h"

struct work {
	const struct fit_files *request;
	const char *who;
	struct observations observations;
	char *known;
	struct predictor predictor;
	double *predicted; /* [observations.n] */
	struct view view;
	struct search search;
	struct check check;
	struct untold untold;
};

/* --- what is known of the machine --- */

static int read_known(struct work *work, const char *path, struct util_error *err)
{
	const size_t most = (1 << 20) - 1;
	size_t n;

	if (util_file_read(path, most, &work->known, &n, err))
		return err->code;
	if (n > most || strlen(work->known) != n)
		return util_refuse(err, "%s: found no text of less than 1 MiB", path);
	return work->request->check ? 0 : machine_check(work->known, path, err);
}

/* Of a command: it stands before the program, among other options. */
static int n_ranks_of(const struct observation *observation)
{
	int n;

	if (observation->what)
		return observation->n_ranks;
	for (const char *at = observation->command; at && *at; at = strchr(at + 1, ' '))
		if (sscanf(at, " -n %d", &n) == 1 || sscanf(at, " -np %d", &n) == 1)
			return n;
	return 1;
}

/* A node for each rank. */
static int make_known(struct work *work, struct util_error *err)
{
	int n = 2;

	for (int k = 0; k < work->observations.n; k++)
		if (n_ranks_of(&work->observations.list[k]) > n)
			n = n_ranks_of(&work->observations.list[k]);
	if (asprintf(&work->known,
		     "mpisim_cluster: 1\nname: fitted to times of others\nnodes: %d   # one for "
		     "each rank\n",
		     n) < 0) {
		work->known = NULL;
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	return 0;
}

/* --- how good it is --- */

static void judge(struct work *work)
{
	work->check = (struct check){.is_made = true};
	for (int k = 0; k < work->observations.n; k++) {
		const struct observation *o = &work->observations.list[k];
		struct check_off off = {.measured = o->time_s, .predicted = work->predicted[k]};

		/* of a benchmark the worst one is told, and each program */
		if (o->what) {
			off.key = sample_key(o->what->name, BETWEEN_NODES, 0, 0);
			observation_name(o, off.name, sizeof(off.name));
		} else {
			snprintf(off.key.name, sizeof(off.key.name), "program %d", k);
			snprintf(off.name, sizeof(off.name), "\"%.60s\"", o->command);
		}
		off.error = isnan(off.predicted) /* its run failed */
				? INFINITY
				: fmax(fabs(off.predicted / o->time_s - 1) - o->scatter, 0);
		check_add(&work->check, &off);
	}
}

static void write_time(double time_s, FILE *file)
{
	if (time_s < 1e-3)
		fprintf(file, "%.5g us, ", time_s * 1e6);
	else
		fprintf(file, time_s < 1 ? "%.5g ms, " : "%.5g s, ",
			time_s * (time_s < 1 ? 1e3 : 1));
}

static const double SHOWN = 0.01; /* scatter, which is no error of the file */

static void write_row(const struct work *work, int k, FILE *file)
{
	const struct observation *o = &work->observations.list[k];
	double predicted_s = work->predicted[k];
	char name[4096];

	fputs(work->request->check ? "  " : "#   ", file);
	observation_name(o, name, sizeof(name));
	fprintf(file, "%s: ", name);
	write_time(o->time_s, file);
	if (o->scatter > SHOWN)
		fprintf(file, "+- %.0f %%, ", 100 * o->scatter);
	if (isnan(predicted_s)) {
		fputs("its run failed\n", file);
		return;
	}
	write_time(predicted_s, file);
	fprintf(file, "%+.1f %%\n", 100 * (predicted_s / o->time_s - 1));
}

static int write_all(const void *context, FILE *file, struct util_error *err)
{
	const struct work *work = context;

	fputs("# Fitted by mpisim-calibrate to times of others; docs/calibrate.md says how. Value, "
	      "then its 95 % interval.\n# files:",
	      file);
	for (int k = 0; k < work->request->n_paths; k++)
		fprintf(file, " %s", work->request->paths[k]);
	fputs("\n# ", file);
	check_verdict(&work->check, file);
	fputc('\n', file);
	check_list(&work->check, "# WARNING: ", "#   ", file);
	untold_write(&work->untold, "# ", file);
	machine_write(&work->search.machine,
		      &(struct machine_file){.known = work->known, .says = true}, file);
	fputs("# Measured, predicted:\n", file);
	for (int k = 0; k < work->observations.n; k++)
		write_row(work, k, file);
	return 0;
}

/* --- the picture --- */

/* For each operation and its number of ranks. */
static bool begins_curve(const struct work *work, int k)
{
	const struct observation *o = &work->observations.list[k];

	return o->what && (k == 0 || !observation_is_same_curve(o - 1, o));
}

static int write_data(const void *context, FILE *file, struct util_error *err)
{
	const struct work *work = context;
	const char *separator = "";

	for (int k = 0; k < work->observations.n; k++) {
		const struct observation *o = &work->observations.list[k];

		if (begins_curve(work, k)) {
			fprintf(file, "%s# %s, %d ranks: bytes measured predicted\n", separator,
				o->what->name, o->n_ranks);
			separator = "\n\n";
		}
		if (o->what)
			fprintf(file, "%d %.9g %.9g\n", o->size_B, o->time_s, work->predicted[k]);
	}
	return 0;
}

static int write_script(const void *context, FILE *file, struct util_error *err)
{
	const struct work *work = context;
	int n = 0;

	fputs("set terminal pngcairo size 1000,700\nset logscale xy\nset grid\nset key left top\n"
	      "set xlabel 'message size + 1 [B]'\nset format '%.0s%c'\nset ylabel 'time [s]'\n"
	      "set title 'measured (circles) and predicted (lines)'\nset output 'fitted.png'\n",
	      file);
	for (int k = 0; k < work->observations.n; k++) {
		const struct observation *o = &work->observations.list[k];

		if (!begins_curve(work, k))
			continue;
		fprintf(file,
			"%s 'fitted.dat' index %d using ($1+1):2 pt 6 lc %d notitle, "
			"'fitted.dat' index %d using ($1+1):3 with lines lc %d title "
			"'%s, %d ranks' noenhanced",
			n ? "," : "plot", n, n + 1, n, n + 1, o->what->name, o->n_ranks);
		n++;
	}
	return 0;
}

static int draw(const struct work *work, struct util_error *err)
{
	const char *folder = work->request->plot;
	char data[4096], script[4096];
	bool has_curves = false;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return util_error_errno(err, errno, "cannot make the folder %s", folder);
	snprintf(data, sizeof(data), "%s/fitted.dat", folder);
	snprintf(script, sizeof(script), "%s/plot.gp", folder);
	if (util_outfile_write(data, write_data, work, err) ||
	    util_outfile_write(script, write_script, work, err))
		return err->code;
	for (int k = 0; k < work->observations.n; k++)
		has_curves |= begins_curve(work, k);
	return has_curves && util_gnuplot_run(folder, "plot.gp", err) < 0 ? err->code : 0;
}

/* --- all of it --- */

static void summarize(const struct work *work)
{
	printf("library:     %s\nverdict:     ", LIBRARY[work->search.machine.library].name);
	check_verdict(&work->check, stdout);
	putchar('\n');
	untold_write(&work->untold, "caution:     ", stdout);
	printf("written to:  %s\n", work->request->output);
	if (work->check.n_off > 0)
		fprintf(stderr, "%s: ", work->who);
	check_list(&work->check, "warning: ", "  ", stderr);
}

static int read_all(struct work *work, struct util_error *err)
{
	const struct fit_files *request = work->request;

	for (int k = 0; k < request->n_paths; k++)
		if (observations_read(&work->observations, request->paths[k], err))
			return err->code;
	observations_sort(&work->observations);
	if (request->check)
		return read_known(work, request->check, err);
	return request->known ? read_known(work, request->known, err) : make_known(work, err);
}

/* What is not known of algorithms of collective operations tells nothing of links. */
static const double ALGORITHMS = 0.1;

static void doubt_collectives(struct work *work)
{
	for (int k = 0; k < work->view.n; k++) {
		const struct observation *o = &work->observations.list[k];

		if (o->what && o->what->kind >= BENCHMARK_BARRIER)
			work->view.scatter[k] = hypot(o->scatter, ALGORITHMS);
	}
}

/* Of that name, or whichever predicts best. */
static int find_library(struct work *work, struct util_error *err)
{
	const char *name = work->request->library;
	int k = 0;

	if (!name)
		doubt_collectives(work);

	work->view.libraries = name ? 0 : ~0U;
	while (name && k < LIBRARIES && strcmp(LIBRARY[k].name, name))
		k++;
	if (k == LIBRARIES)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "--library: found \"%s\", wanted plain, rdma, openmpi, mpich, "
		    "openmpi-tcp or mpich-tcp",
		    name);
	if (name)
		machine_set_library(&work->search.machine, k);
	return 0;
}

static int begin(struct work *work, struct util_error *err)
{
	const struct fit_files *request = work->request;
	const char *name = request->check ? request->check : request->known;

	if (read_all(work, err))
		return err->code;
	work->search.view = &work->view;
	if (predictor_begin(&work->predictor, &work->observations, work->known,
			    name ? name : "the cluster file", err))
		return err->code;
	work->predictor.forward.cluster = request->check;
	work->predicted = calloc((size_t)work->observations.n + 1, sizeof(*work->predicted));
	if (!work->predicted)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (request->check) /* nothing is added to it */
		return 0;
	if (predictor_view(&work->predictor, &work->view, &work->search.machine, err))
		return err->code;
	return find_library(work, err);
}

/* On the machine that was found so far; negative: *err says why all, or some, have none. */
static int predict_all(struct work *work, bool *has_some, struct util_error *err)
{
	int failed;

	util_error_set(err, UTIL_EINPUT, "a run says no time"); /* unless it says why */
	failed = predictor_run(&work->predictor, &work->search.machine, 1, work->predicted, err);
	*has_some = !failed;
	for (int k = 0; k < work->observations.n; k++) {
		const struct observation *o = &work->observations.list[k];
		const char *known = work->request->known;
		char name[512];

		if (!isnan(work->predicted[k]))
			continue;
		observation_name(o, name, sizeof(name));
		return util_error_prepend(err, "%s%s\"%s\" cannot be simulated%s%s%s",
					  o->from ? o->from : "", o->from ? ": " : "", name,
					  known ? " on " : "", known ? known : "",
					  known ? " and what was fitted" : "");
	}
	return failed;
}

static int fit(struct work *work, struct util_error *err)
{
	bool has_some;

	if (predict_all(work, &has_some, err) || search_run(&work->search, err) ||
	    untold_find(&work->search, &work->untold, err) || predict_all(work, &has_some, err))
		return err->code;
	if (work->predictor.shape.n_cores > 1 && !work->predictor.shape.knows_levels &&
	    !work->search.machine.has[LEVEL_LATENCY])
		untold_say(&work->untold, "network.intra_node: messages within a node take no "
					  "time; give it by --cluster");
	judge(work);
	if (util_outfile_write(work->request->output, write_all, work, err) ||
	    (work->request->plot && draw(work, err)))
		return err->code;
	summarize(work);
	return 0;
}

/* The file as it is, and nothing written. */
static int check(struct work *work, struct util_error *err)
{
	bool has_some;

	if (predict_all(work, &has_some, err)) {
		if (!has_some)
			return err->code;
		fprintf(stderr, "%s: warning: %s\n", work->who, err->text);
	}
	judge(work);
	check_verdict(&work->check, stdout);
	putchar('\n');
	for (int k = 0; k < work->observations.n; k++)
		write_row(work, k, stdout);
	return work->check.n_off > 0;
}

int fit_files(const char *who, const struct fit_files *request, struct util_error *err)
{
	struct work work = {.request = request, .who = who};
	int status = begin(&work, err);

	if (status == 0)
		status = request->check ? check(&work, err) : fit(&work, err);
	predictor_end(&work.predictor);
	view_end(&work.view);
	free(work.predicted);
	search_finish(&work.search);
	observations_finish(&work.observations);
	free(work.known);
	return status;
}
