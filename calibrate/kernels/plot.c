/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures: measured against modelled time, and the error, for each kernel. gnuplot runs as a process of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calibrate/kernels/kernels.h"

/* Names of kernels may hold anything but a comma; files' names may not. */
static void file_name(const char *name, char out[PD_STORE_MAX_NAME + 1])
{
	size_t i;

	for (i = 0; name[i]; i++)
		out[i] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", name[i]) ? name[i] : '_';
	out[i] = '\0';
}

/* As it stands between the quotes of a string of gnuplot's. To be freed; NULL: no memory. */
static char *quoted(const char *text)
{
	char *out = malloc(2 * strlen(text) + 1), *at = out;

	for (; out && *text; text++) {
		if (*text == '\'')
			*at++ = '\'';
		*at++ = *text;
	}
	if (out)
		*at = '\0';
	return out;
}

static int write_table(const char *path, const struct kern_model *model, struct util_error *err)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return util_error_errno(err, errno, "cannot write %s", path);
	kern_print_points(file, model, 1);
	return fclose(file) ? util_error_errno(err, errno, "cannot write %s", path) : 0;
}

static const char script[] =
	"set datafile separator ','\nset terminal pngcairo size 1100,500\nset output '%s/%s.png'\n"
	"set multiplot layout 1,2 title 'Kernel %s: %zu points, %d piece(s)' noenhanced\n"
	"set logscale x\nset format x '10^{%%L}'\nset format y '10^{%%L}'\nset key left top\nset xlabel 'measured time [s]'\n"
	"set logscale y\nset ylabel 'modelled time [s]'\n"
	"plot '%s/%s.csv' every ::1 using 6:7 with points pt 7 ps 0.6 title 'points', x title 'equal'\n"
	"unset logscale y\nset format y '%%g'\nset ylabel 'model / measured - 1 [%%]'\n"
	"plot '%s/%s.csv' every ::1 using 6:(100*$8) with points pt 7 ps 0.6 title 'error', 0 notitle\n"
	"unset multiplot\n";

static int plot_all(FILE *gnuplot, const char *folder, const char *shown,
		    const struct kern_model models[], size_t n, struct util_error *err)
{
	char name[PD_STORE_MAX_NAME + 1], *path;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		file_name(models[i].series->name, name);
		if (asprintf(&path, "%s/%s.csv", folder, name) < 0)
			return util_error_set(err, UTIL_ENOMEM, "no memory for pictures");
		rc = write_table(path, &models[i], err);
		free(path);
		fprintf(gnuplot, script, shown, name, name, models[i].series->n_points,
			models[i].n_pieces, shown, name, shown, name);
	}
	return rc;
}

int kern_plot(const char *folder, const struct kern_model models[], size_t n,
	      struct util_error *err)
{
	char *shown = quoted(folder);
	FILE *gnuplot;
	int rc;

	if (!shown)
		return util_error_set(err, UTIL_ENOMEM, "no memory for pictures");
	if (mkdir(folder, 0777) && errno != EEXIST)
		rc = util_error_errno(err, errno, "cannot make the directory %s", folder);
	else if (!(gnuplot = popen("gnuplot", "we")))
		rc = util_error_errno(err, errno, "cannot start gnuplot");
	else {
		rc = plot_all(gnuplot, folder, shown, models, n, err);
		if (pclose(gnuplot) && !rc)
			rc = util_error_set(err, UTIL_ESYSTEM,
					    "gnuplot failed; the tables are in %s", folder);
	}
	free(shown);
	return rc;
}
