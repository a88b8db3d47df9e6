/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_EXPORT_OTF2_H
#define TRACES_EXPORT_OTF2_H

#include <otf2/otf2.h>

#include "traces/export/format.h"

/* An OTF2 archive while it is written. Communicators: two of all ranks, then those of trace_comms.
 */
enum { TRACE_OTF2_MESSAGES, TRACE_OTF2_INTERNAL, TRACE_OTF2_N_COMMS };

enum trace_otf2_kind { TRACE_OTF2_KERNEL, TRACE_OTF2_CALL, TRACE_OTF2_PHASE, TRACE_OTF2_N_KINDS };

struct trace_otf2_region {
	int name; /* in out->names */
	enum trace_otf2_kind kind;
};

struct trace_otf2 {
	const struct trace_output *out;
	OTF2_Archive *archive;
	OTF2_ErrorCode failed;		   /* the first error */
	int *region_of;			   /* [names * TRACE_OTF2_N_KINDS]; -1: none */
	struct trace_otf2_region *regions; /* [n_regions], as many may be */
	uint32_t n_regions;
	uint64_t *n_events;  /* [n_ranks] */
	OTF2_CommRef *comms; /* [out->comms->n]; OTF2_UNDEFINED_COMM: not all of its ranks came */
};

static inline void trace_otf2_note(struct trace_otf2 *w, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && w->failed == OTF2_SUCCESS)
		w->failed = code;
}

/* otf2_define.c: everything that events refer to. Errors: in w->failed. */
void trace_otf2_define(struct trace_otf2 *w);
/* Of an MPI function: whether messages are expected in it. */
bool trace_otf2_communicates(const char *function);
/* What OTF2 calls the collective; false: it has no name for it. */
bool trace_otf2_collective(const char *function, OTF2_CollectiveOp *out);

#endif
