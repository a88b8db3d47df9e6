/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/units.h"

#include <math.h>
#include <stdio.h>

/* The largest unit whose value is at least 1 once rounded is taken; the last one when all are too
 * large. */
struct scale {
	const char *name;
	double one; /* in base units */
};

static const struct scale time_scales[] = {
    {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12},
};
static const struct scale size_scales[] = {
    {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
};

enum { N_SCALES = 5 };

/*
 * Three significant digits, no trailing zeros after the point, whole numbers below 1e15 in full.
 * printf is given integers: its %f and %g follow the locale.
 */
static void format_number(char *buf, size_t size, double value)
{
	int n_decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	long long power = n_decimals == 2 ? 100 : n_decimals == 1 ? 10 : 1;
	long long scaled;

	if (value >= 1e15) {
		snprintf(buf, size, "%.0e",
			 value); /* without decimals there is no point to localise */
		return;
	}
	scaled = (long long)(value * (double)power + 0.5);
	while (n_decimals && scaled % 10 == 0) {
		scaled /= 10;
		power /= 10;
		n_decimals--;
	}
	if (n_decimals)
		snprintf(buf, size, "%lld.%0*lld", scaled / power, n_decimals, scaled % power);
	else
		snprintf(buf, size, "%lld", scaled);
}

static char *format_scaled(char *buf, size_t size, double value, const struct scale *scales,
			   const char *base)
{
	char number[24];
	double magnitude = fabs(value);
	int i = 0;

	if (!isfinite(value)) {
		snprintf(buf, size, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return buf;
	}
	if (magnitude == 0) {
		snprintf(buf, size, "0 %s", base);
		return buf;
	}
	/* 0.9995: what would be rounded to 1000 of the next unit is written as 1 of this one */
	while (i < N_SCALES - 1 && magnitude < 0.9995 * scales[i].one)
		i++;
	format_number(number, sizeof(number), magnitude / scales[i].one);
	snprintf(buf, size, "%s%s %s", value < 0 ? "-" : "", number, scales[i].name);
	return buf;
}

char *util_format_time(char *buf, size_t size, double seconds)
{
	return format_scaled(buf, size, seconds, time_scales, "s");
}

char *util_format_size(char *buf, size_t size, double bytes)
{
	return format_scaled(buf, size, bytes, size_scales, "B");
}

struct util_time_text util_time_text(double seconds)
{
	struct util_time_text out;

	util_format_time(out.text, sizeof out.text, seconds);
	return out;
}
