// SPDX-License-Identifier: BSD-3-Clause
/* Values of the JSON output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/json.h"

json_t *trace_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *trace_json_seconds(sim_time_ps time)
{
	return trace_json_number(sim_time_to_s(time));
}

json_t *trace_json_string(const char *text)
{
	json_t *value = text ? json_string(text) : json_null();
	char *escaped;
	size_t n = 0;

	if (value || !text)
		return value;
	escaped = malloc(4 * strlen(text) + 1);
	if (!escaped)
		return NULL;
	for (const char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x80)
			escaped[n++] = *c;
		else
			n += (size_t)sprintf(escaped + n, "\\x%02x", (unsigned char)*c);
	}
	value = json_stringn(escaped, n);
	free(escaped);
	return value;
}
