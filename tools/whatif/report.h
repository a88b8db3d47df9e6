/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_REPORT_H
#define TOOLS_WHATIF_REPORT_H

#include <stdio.h>

#include "tools/whatif/derivatives.h"

/* `derivatives` NULL: none. */
struct whatif_report {
	const struct whatif_base *base;
	const struct whatif_scenarios *scenarios;
	const struct whatif_derivatives *derivatives;
};

/* Best first, what failed last, else in the order in which they were asked for. */
void whatif_sort(struct whatif_scenarios *scenarios);
void whatif_report_text(const struct whatif_report *report, FILE *file);
/* What whoever reads the predictions should know, of the base. */
void whatif_report_warnings(const struct whatif_report *report, FILE *file);
/* docs/what-if.md; NULL: out of memory. */
json_t *whatif_report_json(const struct whatif_report *report);

#endif
