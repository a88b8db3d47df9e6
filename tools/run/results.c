// SPDX-License-Identifier: BSD-3-Clause
#include "util/outfile.h"
#include "tools/run/run.h"

/* A result that cannot be written is better known before a long run than after it. */
int run_results_check(const struct run_options *options, struct util_error *err)
{
	json_t *what_if = NULL;

	if (options->json && util_outfile_check(options->json, err))
		return util_error_prepend(err, "--json");
	if (options->html && util_outfile_check(options->html, err))
		return util_error_prepend(err, "--html");
	if (options->what_if && run_whatif_load(options->what_if, &what_if, err))
		return util_error_prepend(err, "--what-if");
	json_decref(what_if);
	if (options->graph && util_outfile_check(options->graph, err))
		return util_error_prepend(err, "--graph");
	if (options->time_only && util_outfile_check(options->time_only, err))
		return util_error_prepend(err, "--time-only");
	if (options->report && trace_report_check(options->report, err))
		return util_error_prepend(err, "--report");
	return 0;
}
