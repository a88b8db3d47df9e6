// SPDX-License-Identifier: BSD-3-Clause
#include "traces/report.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/report_parts.h"
#include "util/gnuplot.h"
#include "util/outpath.h"

/* More boxes than this make pictures that no viewer likes. */
#define MAX_DRAWN_INTERVALS 15000

static bool is_empty_dir(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool is_empty = true;

	if (!dir)
		return false;
	while (is_empty && (entry = readdir(dir)))
		is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	closedir(dir);
	return is_empty;
}

/* Rights alone do not tell: file systems refuse for reasons of their own. */
static int try_file(const char *dir, struct util_error *err)
{
	char *path;
	int file, failed = 0;

	if (asprintf(&path, "%s/mpisim-XXXXXX", dir) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	file = mkstemp(path);
	if (file < 0)
		failed = util_error_errno(err, errno, "cannot write the report into %s", dir);
	else {
		close(file);
		unlink(path);
	}
	free(path);
	return failed;
}

int trace_report_check(const char *dir, struct util_error *err)
{
	struct stat status;
	int failed;

	if (stat(dir, &status) == 0)
		return S_ISDIR(status.st_mode) && is_empty_dir(dir)
			   ? try_file(dir, err)
			   : util_refuse(
				 err,
				 "the report %s exists already; remove it or choose another name",
				 dir);
	if (mkdir(dir, 0777))
		return util_error_errno(err, errno, "cannot make the report %s", dir);
	failed = try_file(dir, err);
	rmdir(dir);
	return failed;
}

static int write_file(const struct trace_report *report, const char *dir, const char *name,
		      trace_report_fn write, struct util_error *err)
{
	char path[4096];
	FILE *file;
	int failed;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file)
		return util_error_errno(err, errno, "cannot write %s", path);
	errno = 0;
	write(report, file);
	failed = ferror(file) || fflush(file);
	if (fclose(file))
		failed = 1;
	return failed ? util_error_errno(err, errno ? errno : EIO, "cannot write %s", path) : 0;
}

static void write_summary(const struct trace_report *report, FILE *file)
{
	if (report->run->early_end)
		fprintf(file, "%s\n", report->run->early_end);
	trace_text_write(report->run, file);
}

static enum trace_report_pictures draw(const struct trace_report *report, const char *dir)
{
	int failed = 0;
	struct util_error err;

	for (int i = 0; trace_report_scripts[i].name && !failed; i++)
		if (trace_report_has(report, trace_report_scripts[i].name))
			failed = util_gnuplot_run(dir, trace_report_scripts[i].name, &err);
	return !failed	    ? TRACE_PICTURES_DRAWN
	       : failed > 0 ? TRACE_PICTURES_NO_GNUPLOT
			    : TRACE_PICTURES_FAILED;
}

static int write_files(const struct trace_report *report, const char *dir, struct util_error *err)
{
	int failed = write_file(report, dir, "summary.txt", write_summary, err);

	if (!failed)
		failed = write_file(report, dir, "index.html", trace_report_html, err);
	for (int i = 0; trace_report_tables[i].name && !failed; i++)
		if (trace_report_has(report, trace_report_tables[i].name))
			failed = write_file(report, dir, trace_report_tables[i].name,
					    trace_report_tables[i].write, err);
	for (int i = 0; trace_report_scripts[i].name && !failed; i++)
		if (trace_report_has(report, trace_report_scripts[i].name))
			failed = write_file(report, dir, trace_report_scripts[i].name,
					    trace_report_scripts[i].write, err);
	return failed;
}

/* The unit in which the running time has one to four digits before the point. */
static void choose_unit(struct trace_report *report)
{
	static const struct {
		const char *unit;
		double per_s, least_s;
	} units[] = {
	    {"h", 1 / 3600.0, 36000}, {"min", 1 / 60.0, 1200}, {"s", 1, 1},
	    {"ms", 1e3, 1e-3},	      {"us", 1e6, 1e-6},       {"ns", 1e9, 0},
	};
	size_t i = 0;

	while (report->end_s < units[i].least_s)
		i++;
	report->unit = units[i].unit;
	report->per_s = units[i].per_s;
}

static int make_dir(const char *dir, char **out, struct util_error *err)
{
	mode_t mask = umask(0);
	char *path = NULL;

	umask(mask);
	if (asprintf(&path, "%s.XXXXXX", dir) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the report");
	if (!mkdtemp(path)) {
		int errnum = errno;

		free(path);
		return util_error_errno(err, errnum, "cannot make the report %s", dir);
	}
	util_output_guard(path);
	chmod(path, 0777 & ~mask);
	*out = path;
	return 0;
}

int trace_report_write(const struct trace_run *run, const struct trace_detail *detail,
		       const char *dir, enum trace_report_pictures *out_pictures,
		       struct util_error *err)
{
	struct trace_report report = {
	    .run = run,
	    .summary = run->summary,
	    .detail = detail,
	    .end_s = sim_time_to_s(run->summary->end),
	    .has_exact_timeline = detail->is_complete && detail->n_intervals <= MAX_DRAWN_INTERVALS,
	    .has_phases = run->summary->phases.n > 0,
	    .has_messages = run->summary->n_messages > 0,
	    .has_volume = run->summary->n_bytes > 0,
	};
	enum trace_report_pictures pictures;
	char *clean = strdup(dir), *partial = NULL;
	int failed;

	if (!clean)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the report");
	for (size_t n = strlen(clean); n > 1 && clean[n - 1] == '/'; n--)
		clean[n - 1] = '\0';
	choose_unit(&report);
	report.n_windows =
	    run->explanation
		? trace_tree_curve(run->explanation, TRACE_MAX_TREE_WINDOWS, report.windows, err)
		: 0;
	failed = report.n_windows < 0 ? report.n_windows : make_dir(clean, &partial, err);
	if (!failed)
		failed = write_files(&report, partial, err);
	if (!failed) {
		pictures = draw(&report, partial);
		if (rename(partial, clean))
			failed = util_error_errno(err, errno, "cannot make the report %s", clean);
		else
			*out_pictures = pictures;
	}
	if (failed && partial)
		util_output_remove_folder(partial);
	if (partial)
		util_output_release(partial);
	free(partial);
	free(clean);
	return failed;
}
