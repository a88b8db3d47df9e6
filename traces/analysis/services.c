// SPDX-License-Identifier: BSD-3-Clause
/* What ranks wait for beside messages: files, work of accelerators. */
#include "traces/analysis/internal.h"

void trace_causes_worked(void *context, void *of, const void *after, const char *kernel,
			 sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;

	if (after)
		trace_path_copy(&analysis->paths, &token->path,
				&((const struct trace_token *)after)->path);
	if (kernel)
		trace_path_extend(
		    &analysis->paths, &token->path,
		    trace_key(TRACE_BLAME_COMPUTE, trace_names_id(&analysis->kernels, kernel)),
		    now);
}

/* Its wait has been recorded: the path leads over the work instead. */
void trace_causes_awaited(void *context, int rank, const void *of)
{
	struct trace_analysis *analysis = context;
	const struct trace_token *token = of;

	if (token->path.until == analysis->ranks[rank].path.until)
		trace_path_copy(&analysis->paths, &analysis->ranks[rank].path, &token->path);
}

void trace_causes_accessed(void *context, int rank, sim_time_ps now)
{
	struct trace_analysis *analysis = context;

	analysis->ranks[rank].accessed = now;
}
