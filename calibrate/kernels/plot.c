/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures: measured against modelled time, and the error, for each kernel. gnuplot runs as a
 * process of its own, on plot.gp, which stays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calibrate/kernels/kernels.h"
#include "util/gnuplot.h"
#include "util/outfile.h"

/* Names of kernels may hold anything but a comma; files' names may not. */
static void file_name(const char *name, char out[PD_STORE_MAX_NAME + 1])
{
	size_t i;

	for (i = 0; name[i]; i++)
		out[i] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-",
				name[i])
			     ? name[i]
			     : '_';
	out[i] = '\0';
}

static int write_table(const void *model, FILE *file, struct util_error *err)
{
	kern_print_points(file, model, 1);
	return 0;
}

/* Runs in the folder. */
static const char script[] =
    "set datafile separator ','\nset terminal pngcairo size 1100,500\nset output '%s.png'\n"
    "set multiplot layout 1,2 title 'Kernel %s: %zu points, %d piece(s)' noenhanced\n"
    "set logscale x\nset format x '10^{%%L}'\nset format y '10^{%%L}'\nset key left top\nset "
    "xlabel 'measured time [s]'\n"
    "set logscale y\nset ylabel 'modelled time [s]'\n"
    "plot '%s.csv' every ::1 using 6:7 with points pt 7 ps 0.6 title 'points', x title 'equal'\n"
    "unset logscale y\nset format y '%%g'\nset ylabel 'model / measured - 1 [%%]'\n"
    "plot '%s.csv' every ::1 using 6:(100*$8) with points pt 7 ps 0.6 title 'error', 0 notitle\n"
    "unset multiplot\n";

struct pictures {
	const struct kern_model *models;
	size_t n;
};

static int write_script(const void *context, FILE *file, struct util_error *err)
{
	const struct pictures *pictures = context;
	char name[PD_STORE_MAX_NAME + 1];

	for (size_t i = 0; i < pictures->n; i++) {
		const struct kern_model *model = &pictures->models[i];

		file_name(model->series->name, name);
		fprintf(file, script, name, name, model->series->n_points, model->n_pieces, name,
			name);
	}
	return 0;
}

static int write_part(const char *folder, const char *name, util_write_fn write,
		      const void *context, struct util_error *err)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return util_error_set(err, UTIL_ENOMEM, "no memory for pictures");
	rc = util_outfile_write(path, write, context, err);
	free(path);
	return rc;
}

static int write_folder(const char *folder, const struct kern_model models[], size_t n,
			struct util_error *err)
{
	char name[PD_STORE_MAX_NAME + sizeof(".csv")];
	int rc = 0;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return util_error_errno(err, errno, "cannot make the directory %s", folder);
	for (size_t i = 0; i < n && !rc; i++) {
		file_name(models[i].series->name, name);
		strcat(name, ".csv");
		rc = write_part(folder, name, write_table, &models[i], err);
	}
	return rc ? rc
		  : write_part(folder, "plot.gp", write_script, &(struct pictures){models, n}, err);
}

int kern_plot(const char *folder, const struct kern_model models[], size_t n,
	      struct util_error *err)
{
	int rc = write_folder(folder, models, n, err);

	return rc ? rc : util_gnuplot_run(folder, "plot.gp", err);
}
