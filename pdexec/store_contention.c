/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines "contention,NAME,1 0.97 0.9" of a benchmark store: how fast cores of a node are when 1, 2,
 * … of them run the kernel. */
#include <stdlib.h>
#include <string.h>

#include "pdexec/store_internal.h"
#include "util/lines.h"
#include "util/units.h"

int pd_contention_parse(const char *text, double out[PD_MAX_CONTENTION], int *out_n,
			struct util_error *err)
{
	char copy[4096], *at, *token;
	int n = 0;

	if (strlen(text) >= sizeof(copy))
		return util_refuse(err, "found more than %zu characters of speeds",
				   sizeof(copy) - 1);
	strcpy(copy, text);
	for (token = strtok_r(copy, " \t", &at); token; token = strtok_r(NULL, " \t", &at)) {
		if (n == PD_MAX_CONTENTION)
			return util_refuse(err, "found more than %d speeds", PD_MAX_CONTENTION);
		if (util_parse_double(token, &out[n], err))
			return util_error_prepend(err, "speed %d", n + 1);
		if (!(out[n] >= 1e-6 && out[n] <= 1) || (n == 0 && out[n] != 1))
			return util_refuse(
			    err, "found the speed %s, wanted 1 first, then 1e-6 to 1", token);
		n++;
	}
	if (n == 0)
		return util_refuse(err, "found no speeds, wanted 1 and those of more cores");
	*out_n = n;
	return 0;
}

/* The text behind "contention,KERNEL,"; NULL: another line. */
static char *speeds_of(char *line, const char *kernel)
{
	size_t head = strlen(PD_CONTENTION_LINE), length = strlen(kernel);

	line[strcspn(line, "\r\n")] = '\0';
	if (strncmp(line, PD_CONTENTION_LINE, head) || strncmp(line + head, kernel, length) ||
	    line[head + length] != ',')
		return NULL;
	return line + head + length + 1;
}

int pd_store_contention(const char *path, const char *kernel, double out[PD_MAX_CONTENTION],
			int *out_n, struct util_error *err)
{
	struct util_lines lines;
	int rc = util_lines_open(&lines, path, "the benchmark store", err);

	if (rc)
		return rc;
	*out_n = 0;
	while (util_lines_next(&lines, &rc, err)) {
		const char *speeds = speeds_of(lines.text, kernel);

		if (speeds && pd_contention_parse(speeds, out, out_n, err))
			rc = util_error_prepend(err, "%s:%d", path, lines.number);
	}
	util_lines_close(&lines);
	return rc;
}
