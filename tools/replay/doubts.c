// SPDX-License-Identifier: BSD-3-Clause
#include "tools/replay/doubts.h"

#include <stdio.h>

static const char *const meanings[MTRACE_N_DOUBTS] = {
    [MTRACE_DOUBT_WILDCARD] = "received from any source, with several possible senders",
    [MTRACE_DOUBT_TEST] = "tested whether something was complete",
    [MTRACE_DOUBT_PROBE] = "looked for messages without waiting",
    [MTRACE_DOUBT_ANY] = "waited for any or some of several requests",
    [MTRACE_DOUBT_CLOCK] = "read a clock",
    [MTRACE_DOUBT_FETCH] = "read from windows what others may write at the same time",
    [MTRACE_DOUBT_PLACE] = "asked where ranks run, or which of them share a node",
    [MTRACE_DOUBT_POINTER] = "used a shared file pointer",
    [MTRACE_DOUBT_TAKEN] = "used files in a real run",
};
static const char *const consequences[MTRACE_N_DOUBTS] = {
    [MTRACE_DOUBT_CLOCK] = "if its course depends on time, it would take another one elsewhere",
    [MTRACE_DOUBT_PLACE] = "the ranks are placed otherwise here, so it may take another course",
    [MTRACE_DOUBT_TAKEN] = "it takes what it took then, as a computation with the function's name",
};

static const struct mtrace_doubt_entry *most_frequent(const struct mtrace_file *file, uint32_t kind,
						      uint64_t *out_count, int *out_places)
{
	const struct mtrace_doubt_entry *most = NULL;

	*out_count = 0;
	*out_places = 0;
	for (uint32_t i = 0; i < file->n_doubts; i++) {
		const struct mtrace_doubt_entry *doubt = &file->doubts[i];

		if (doubt->kind != kind)
			continue;
		*out_count += doubt->count;
		++*out_places;
		if (!most || doubt->count > most->count)
			most = doubt;
	}
	return most;
}

static void note(const struct mtrace_file *file, uint32_t kind, struct run_strings *notes)
{
	uint64_t count;
	int n_places;
	const struct mtrace_doubt_entry *most = most_frequent(file, kind, &count, &n_places);
	char others[48] = "";
	const char *site;

	if (!most)
		return;
	site = file->sites[most->site];
	if (n_places > 1)
		snprintf(others, sizeof others, " and at %d other place%s", n_places - 1,
			 n_places > 2 ? "s" : "");
	run_strings_add(
	    notes, "the program %s %llu time%s (%s at %s%s): %s", meanings[kind],
	    (unsigned long long)count, count == 1 ? "" : "s",
	    most->function == UINT32_MAX ? "the C library" : file->functions[most->function].name,
	    *site ? site : "an unknown place", others,
	    consequences[kind]
		? consequences[kind]
		: "the recorded outcome is replayed; on another cluster the program itself may "
		  "take another course, and its time be far off this: let it run there "
		  "(mpisim-run, or mpisim-whatif --cluster FILE -n RANKS PROGRAM)");
}

void replay_doubts_note(const struct mtrace_file *file, bool is_moved, struct run_strings *notes)
{
	for (uint32_t kind = 0; kind < MTRACE_N_DOUBTS; kind++)
		if (kind != MTRACE_DOUBT_PLACE || is_moved)
			note(file, kind, notes);
}
