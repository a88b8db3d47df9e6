/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures by gnuplot: time and bandwidth by size, measured and fitted, and the CPU cost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fit.h"

static FILE *create(const char *directory, const char *name)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
		return NULL;
	return fopen(path, "w");
}

/* Size, median, its interval, the model's time. */
static int write_curve(const struct curve *curve, const char *directory, const char *name)
{
	FILE *file = create(directory, name);

	if (!file)
		return -1;
	fprintf(file, "# bytes seconds low high fitted\n");
	for (int k = 0; k < curve->n_points; k++) {
		const struct point *p = &curve->points[k];

		fprintf(file, "%lld %.9g %.9g %.9g %.9g\n", (long long)p->size_B, p->time.median,
			p->time.low, p->time.high, fit_curve_time(curve, p->size_B));
	}
	return fclose(file) ? -1 : 0;
}

static int write_table(const struct fit *fit, const char *directory)
{
	FILE *file = create(directory, "cpu_cost.dat");

	if (!file)
		return -1;
	fprintf(file, "# outgoing incoming cost\n");
	for (int o = 0; o <= fit->table_n; o++) {
		for (int i = 0; i <= fit->table_n; i++)
			fprintf(file, "%d %d %.6f\n", o, i,
				fit->table[o * (fit->table_n + 1) + i].value);
		fprintf(file, "\n");
	}
	return fclose(file) ? -1 : 0;
}

static void plot_curves(const struct fit *fit, FILE *script, const char *column, const char *fitted)
{
	static const char *const names[] = {"between", "within"};
	const char *separator = "plot";

	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++) {
		if (!fit->curves[w].n_points)
			continue;
		fprintf(script,
			"%s '%s.dat' using %s with points pt 6 lc %d title '%s%s, measured', "
			"'%s.dat' using %s with lines lc %d title 'fitted'",
			separator, names[w], column, w + 1, names[w], w ? " a node" : " nodes",
			names[w], fitted, w + 1);
		separator = ",";
	}
	fprintf(script, "\n");
}

static int write_script(const struct fit *fit, const char *directory)
{
	FILE *script = create(directory, "plot.gp");

	if (!script)
		return -1;
	fprintf(script,
		"set terminal pngcairo size 1000,700\nset logscale xy\nset grid\nset key left top\n"
		"set xlabel 'message size + 1 [B]'\nset format '%%.0s%%c'\n"
		"set output 'time.png'\nset ylabel 'time one way [s]'\n");
	plot_curves(fit, script, "($1+1):2", "($1+1):5");
	fprintf(script, "set output 'bandwidth.png'\nset ylabel 'size / time [B/s]'\n");
	plot_curves(fit, script, "($1+1):($1/$2)", "($1+1):($1/$5)");
	if (fit->table_n >= 0)
		fprintf(script,
			"unset logscale\nset format '%%g'\nset output 'cpu_cost.png'\n"
			"set xlabel 'incoming transfers'\nset ylabel 'CPU cost [cores]'\n"
			"plot for [o=0:%d] 'cpu_cost.dat' using 2:($1==o?$3:1/0) with linespoints "
			"title sprintf('%%d outgoing', o)\n",
			fit->table_n);
	return fclose(script) ? -1 : 0;
}

/* No gnuplot is no error: data and script are there. */
static int run_gnuplot(const char *directory)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return -1;
	if (child == 0) {
		if (chdir(directory) == 0)
			execlp("gnuplot", "gnuplot", "plot.gp", (char *)NULL);
		_exit(errno == ENOENT ? 0 : 127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int fit_plot(const struct fit *fit, const char *directory)
{
	if (mkdir(directory, 0777) && errno != EEXIST)
		return -1;
	if (fit->curves[BETWEEN_NODES].n_points &&
	    write_curve(&fit->curves[BETWEEN_NODES], directory, "between.dat") < 0)
		return -1;
	if (fit->curves[WITHIN_NODE].n_points &&
	    write_curve(&fit->curves[WITHIN_NODE], directory, "within.dat") < 0)
		return -1;
	if (fit->table_n >= 0 && write_table(fit, directory) < 0)
		return -1;
	if (write_script(fit, directory) < 0)
		return -1;
	return run_gnuplot(directory);
}
