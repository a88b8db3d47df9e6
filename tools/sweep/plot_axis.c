// SPDX-License-Identifier: BSD-3-Clause
/* Units and scales of axes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/sweep/plot.h"

#define FAR_APART 30 /* most / least: a logarithmic axis shows both */

struct unit {
	const char *name;
	double size;
};

static const struct unit times[] = {{"h", 3600},  {"min", 60},	{"s", 1}, {"ms", 1e-3},
				    {"µs", 1e-6}, {"ns", 1e-9}, {NULL, 0}};
static const struct unit bandwidths[] = {
    {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}, {NULL, 0}};
static const struct unit sizes[] = {
    {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {NULL, 0}};

/* The largest unit of which there is at least one; minutes and hours only for many of them. */
static struct unit unit_for(const struct unit units[], double most)
{
	int i = 0;

	while (units[i + 1].name &&
	       most < units[i].size * (units[i].size >= 60 && units == times ? 20 : 1))
		i++;
	return units[i];
}

static void set(struct sweep_axis *out, const char *name, struct unit unit, double least,
		double most)
{
	snprintf(out->label, sizeof out->label, unit.name[0] ? "%s (%s)" : "%s", name, unit.name);
	out->scale = 1 / unit.size;
	out->is_log = least > 0 && most > FAR_APART * least;
}

void sweep_axis_of_figure(enum sweep_figure figure, double least, double most,
			  struct sweep_axis *out)
{
	static const struct {
		const char *label;
		const struct unit *units;
	} figures[SWEEP_N_FIGURES] = {
	    [SWEEP_TIME_S] = {"predicted time", times},
	    [SWEEP_EFFICIENCY] = {"dynamic efficiency", NULL},
	    [SWEEP_NODE_SECONDS] = {"cost (node-seconds)", NULL},
	    [SWEEP_NODES] = {"nodes", NULL},
	    [SWEEP_CORES] = {"cores", NULL},
	    [SWEEP_RANKS] = {"ranks", NULL},
	    [SWEEP_MESSAGES] = {"messages", NULL},
	    [SWEEP_BYTES] = {"bytes sent", sizes},
	    [SWEEP_USEFUL_S] = {"useful computation, all ranks", times},
	    [SWEEP_COMMUNICATING_S] = {"communicating, all ranks", times},
	    [SWEEP_WAITING_S] = {"waiting, all ranks", times},
	    [SWEEP_HOST_S] = {"simulated in", times},
	};
	struct unit unit = {"", 1};

	if (figure == SWEEP_EFFICIENCY)
		unit = (struct unit){"%", 0.01};
	else if (figures[figure].units)
		unit = unit_for(figures[figure].units, most);
	set(out, figures[figure].label, unit, least, most);
	if (figure == SWEEP_EFFICIENCY)
		out->is_log = false;
}

void sweep_axis_of_parameter(const struct sweep_table *table, int parameter, double least,
			     double most, struct sweep_axis *out)
{
	enum sweep_quantity quantity = SWEEP_NUMBER;
	struct unit unit = {"", 1};
	double number;

	for (int i = 0; i < table->n_rows; i++) {
		enum sweep_quantity found =
		    sweep_quantity_of(table->rows[i].values[parameter], &number);

		if (found != SWEEP_NUMBER)
			quantity = found;
	}
	if (quantity == SWEEP_TIME)
		unit = unit_for(times, most);
	else if (quantity == SWEEP_BANDWIDTH)
		unit = unit_for(bandwidths, most);
	else if (quantity == SWEEP_SIZE)
		unit = unit_for(sizes, most);
	set(out, table->names[parameter], unit, least, most);
}
