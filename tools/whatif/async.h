/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_ASYNC_H
#define TOOLS_WHATIF_ASYNC_H

#include "tools/sweep/command.h"
#include "tools/whatif/async/plan.h"
#include "tools/whatif/base.h"

/* mpisim-whatif --async: what blocking messages of a recorded run would gain if they did not block. */
struct async_prediction { /* of one mode, or of the run as it is */
	struct async_setup setup;
	struct async_result result;
	struct whatif_base base; /* the rewritten trace */
	char *error;		 /* why there is no prediction; NULL: there is one */
	char *page;		 /* file of its page (--html); NULL: none */
	char *bare_error;	 /* why it does not end with ASYNC_BARE; NULL: it does */
};
/* No message goes before its receiver asks for it. */
#define ASYNC_BARE "protocol.eager_threshold=0"

/* Predicts each mode that was asked for, prints, and appends to `results` (docs/what-if.md). *n_failed:
 * modes without a prediction. Errors: UTIL_EINPUT, UTIL_ENOMEM, UTIL_ESYSTEM. */
int whatif_async(const struct whatif_options *options, const struct sweep_tools *tools,
		 const char *trace, json_t *results, int *n_failed, struct util_error *err);

/* --- tools/whatif/async_page.c --- */

/* Before it is predicted: where its page goes. Errors: UTIL_ENOMEM, UTIL_ESYSTEM. */
int async_page_begin(struct async_prediction *prediction, struct util_error *err);
/* The advice, and the pages beside each other. Errors: UTIL_ENOMEM, UTIL_ESYSTEM. */
int async_page_write(const char *path, const struct mtrace_file *file,
		     const struct async_prediction *as_is,
		     const struct async_prediction *predictions, int n, struct util_error *err);
void async_page_finish(struct async_prediction *prediction);

/* --- tools/whatif/async_report.c --- */
double async_waiting_s(const struct whatif_base *base);
void async_report_text(const struct mtrace_file *file, const struct async_prediction *as_is,
		       const struct async_prediction *predictions, int n, FILE *out);
json_t *async_report_json(const struct mtrace_file *file, const struct async_prediction *as_is,
			  const struct async_prediction *predictions, int n);

#endif
