// SPDX-License-Identifier: BSD-3-Clause
/* Where a cause is, in words. */
#include <stdlib.h>
#include <string.h>

#include "mpi/record/record.h"
#include "tools/run/reasons.h"
#include "tools/run/run.h"

/* A place of the recording as it says, or as the run knows it; "": unknown. */
static void describe_site(const struct run *run, uint64_t site, char *buf, size_t size)
{
	const char *text = run->trace->sites[site];

	*buf = 0;
	if (text[0] != '#')
		snprintf(buf, size, "%s", text);
	else if (run->trace_record)
		mpi_record_describe(run->trace_record, (uint32_t)strtoul(text + 1, NULL, 10), buf,
				    size);
}

static void describe_call(const struct run *run, const char *function, uint64_t site, char *buf,
			  size_t size)
{
	char line[200];

	describe_site(run, site, line, sizeof line);
	snprintf(buf, size, "%s%s%s", function, line[0] ? " at " : "", line);
}

static void describe_record(const struct run *run, const struct replay_place *at, bool is_end,
			    char *buf, size_t size)
{
	const struct mtrace_file *file = run->trace;
	static const char *const others[] = {
	    [MTRACE_NODE_RELEASE] = "releasing the node",
	    [MTRACE_CLOCK] = "reading a clock",
	    [MTRACE_SLEEP] = "sleeping",
	    [MTRACE_NODE_ACQUIRE] = "acquiring the node",
	    [MTRACE_PHASE_END] = "the end of a phase",
	};

	if (at->what >= MTRACE_CALL)
		describe_call(run, file->functions[at->what - MTRACE_CALL].name, at->of, buf, size);
	else if (at->what == MTRACE_PHASE_BEGIN)
		snprintf(buf, size, "the begin of phase %.60s", file->strings[at->of]);
	else if (at->what < sizeof others / sizeof *others && others[at->what])
		snprintf(buf, size, "%s", others[at->what]);
	else
		snprintf(buf, size, "%s", is_end ? "the end" : "the start");
}

/* "heat.c:20 (main)" in its parts; false: it has none. */
static bool split(const char *text, char *file, int *line, char *function)
{
	const char *at = strstr(text, " at ");

	return sscanf(at ? at + 4 : text, "%120[^:]:%d (%60[^)])", file, line, function) == 3;
}

static void describe_where(struct trace_reason *reason)
{
	char files[2][128], functions[2][64];
	int lines[2];
	bool has_begin = split(reason->after, files[0], &lines[0], functions[0]);
	bool has_end = split(reason->before, files[1], &lines[1], functions[1]);

	if (has_begin && has_end && strcmp(files[0], files[1]) == 0 &&
	    strcmp(functions[0], functions[1]) == 0 && lines[0] < lines[1])
		snprintf(reason->where, sizeof reason->where, "%s:%d-%d (%s)", files[0], lines[0],
			 lines[1], functions[0]);
	else if (strcmp(reason->after, reason->before) == 0)
		snprintf(reason->where, sizeof reason->where, "%.220s to the next", reason->after);
	else
		snprintf(reason->where, sizeof reason->where, "%.110s to %.110s", reason->after,
			 reason->before);
}

static void describe_callers(const struct run *run, uint64_t site, struct trace_reason *reason)
{
	const char *text = run->trace->sites[site];

	if (text[0] != '#')
		snprintf(reason->callers, sizeof reason->callers, "%s", run->trace->callers[site]);
	else if (run->trace_record)
		mpi_record_describe_callers(run->trace_record,
					    (uint32_t)strtoul(text + 1, NULL, 10), reason->callers,
					    sizeof reason->callers);
}

static void describe_place(const struct reasons *reasons, int number, struct trace_reason *reason)
{
	const struct replay_region *place = &reasons->places[number];
	int n;
	const char *kernel = trace_delays_regions(reasons->delays, &n)[number].kernel;

	describe_record(reasons->run, &place->after, false, reason->after, sizeof reason->after);
	describe_record(reasons->run, &place->before, true, reason->before, sizeof reason->before);
	describe_where(reason);
	if (place->before.what >= MTRACE_CALL)
		describe_callers(reasons->run, place->before.of, reason);
	if (kernel && strlen(reason->where) + strlen(kernel) + 12 < sizeof reason->where)
		sprintf(reason->where + strlen(reason->where), ", kernel %s", kernel);
}

void reasons_describe(const struct reasons *reasons, struct reasons_candidate *candidate)
{
	struct trace_reason *reason = &candidate->reason;

	if (candidate->place >= 0)
		describe_place(reasons, candidate->place, reason);
	else if (candidate->site >= 0) {
		describe_call(reasons->run, candidate->function, (uint64_t)candidate->site,
			      reason->where, sizeof reason->where);
		describe_callers(reasons->run, (uint64_t)candidate->site, reason);
	} else if (candidate->function)
		snprintf(reason->where, sizeof reason->where, "%s", candidate->function);
}
