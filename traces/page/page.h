/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_PAGE_PAGE_H
#define TRACES_PAGE_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "traces/detail.h"
#include "traces/run.h"

/*
 * The HTML report (docs/html-report.md): one file that needs no other, no network and no server.
 * The page (page.html and the parts that it names) is fixed; the run's data stand in it as JSON.
 */
struct trace_page {
	const struct trace_run *run;
	const struct trace_detail *detail;
	const char *cluster_text; /* the description of the cluster; NULL: not known */
	const char *const
	    *site_texts; /* [detail->sites.n] lines of the source, may be NULL, as may each */
	json_t *what_if; /* mpisim-whatif's JSON, borrowed; NULL: none */
};

/* Writes the page. Errors: UTIL_ENOMEM, UTIL_ESYSTEM. Cost: O(intervals and messages kept). */
int trace_page_write(const struct trace_page *page, FILE *file, struct util_error *err);

/* JSON as it may stand in a page: without what would end its element. Returns not 0 where it cannot be
 * written. */
int trace_page_write_data(const json_t *data, FILE *file, size_t flags);

/* The text around the data; generated. */
extern const char trace_page_before[], trace_page_after[];

#endif
