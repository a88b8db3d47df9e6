// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/value.h"

#include <math.h>
#include <stdio.h>

#include "util/units.h"

#define MAX_EXACT 9e15 /* integers below are exact in a double */

enum sweep_quantity sweep_quantity_of(const char *text, double *out)
{
	int64_t bytes;

	*out = 0;
	if (util_parse_double(text, out, NULL) == 0)
		return SWEEP_NUMBER;
	if (util_parse_time_s(text, out, NULL) == 0)
		return SWEEP_TIME;
	if (util_parse_size_B(text, &bytes, NULL) == 0) {
		*out = (double)bytes;
		return SWEEP_SIZE;
	}
	if (util_parse_bandwidth_Bps(text, out, NULL) == 0)
		return SWEEP_BANDWIDTH;
	*out = 0;
	return SWEEP_TEXT;
}

struct sweep_value sweep_value_of(const char *text)
{
	struct sweep_value value = {.text = text};

	value.is_number = sweep_quantity_of(text, &value.number) != SWEEP_TEXT;
	return value;
}

char *sweep_number_text(double number, char *buf, size_t size)
{
	if (number == floor(number) && fabs(number) < MAX_EXACT)
		snprintf(buf, size, "%.0f", number == 0 ? 0.0 : number);
	else
		snprintf(buf, size, "%.12g", number);
	return buf;
}
