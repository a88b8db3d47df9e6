/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_PAGE_TIMELINE_H
#define TRACES_PAGE_TIMELINE_H

#include <jansson.h>

#include "simcore/time.h"
#include "traces/detail.h"

/*
 * The page's timeline as JSON. Times are whole numbers of a unit, so that JavaScript's numbers hold
 * their sums exactly. Lists of numbers are varints (7 bits a byte, least first) in base64: a run of
 * 10^6 intervals has 10 MB.
 */

/* The least power of ten of picoseconds for which the run has fewer than 2^40; of so many intervals
 * that the page would be large, 2^32. */
sim_time_ps trace_page_unit(sim_time_ps end, int n_intervals);
/* `site_texts`: [detail->sites.n] lines of the source, may be NULL, as may each. NULL: out of
 * memory. */
json_t *trace_page_timeline(const struct trace_detail *detail, const char *const *site_texts,
			    sim_time_ps end, sim_time_ps unit);

#endif
