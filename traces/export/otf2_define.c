// SPDX-License-Identifier: BSD-3-Clause
/* Definitions of an OTF2 archive: nodes and ranks, regions, communicators. */
#include <stdlib.h>
#include <string.h>

#include "traces/export/otf2.h"

/* `op`: that which the function is, -1: none. */
static const struct function {
	const char *name;
	OTF2_RegionRole role;
	int op;
} functions[] = {
#include "traces/otf2-functions.h"
};

static int compare_name(const void *name, const void *function)
{
	return strcmp(name, ((const struct function *)function)->name);
}

static const struct function *find_function(const char *name)
{
	return bsearch(name, functions, sizeof functions / sizeof functions[0],
		       sizeof functions[0], compare_name);
}

bool trace_otf2_communicates(const char *function)
{
	return find_function(function) != NULL;
}

bool trace_otf2_collective(const char *function, OTF2_CollectiveOp *out)
{
	const struct function *found = find_function(function);

	if (!found || found->op < 0)
		return false;
	*out = (OTF2_CollectiveOp)found->op;
	return true;
}

struct definitions {
	struct trace_otf2 *w;
	OTF2_GlobalDefWriter *file;
	uint32_t n_strings;
};

static OTF2_StringRef define_string(struct definitions *d, const char *text)
{
	trace_otf2_note(d->w, OTF2_GlobalDefWriter_WriteString(d->file, d->n_strings, text));
	return d->n_strings++;
}

static OTF2_StringRef define_numbered(struct definitions *d, const char *what, int number)
{
	char text[64];

	snprintf(text, sizeof text, "%s %d", what, number);
	return define_string(d, text);
}

/* The cluster above its nodes above their ranks, each a process of one thread. */
static void define_places(struct definitions *d)
{
	const struct trace_summary *summary = d->w->out->summary;
	OTF2_StringRef cluster = define_string(d, "cluster"), node_class = define_string(d, "node");

	trace_otf2_note(d->w, OTF2_GlobalDefWriter_WriteSystemTreeNode(
				  d->file, 0, cluster, cluster, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	trace_otf2_note(d->w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
				  d->file, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
	for (int node = 0; node < summary->n_nodes; node++) {
		uint32_t self = (uint32_t)node + 1;

		trace_otf2_note(
		    d->w, OTF2_GlobalDefWriter_WriteSystemTreeNode(
			      d->file, self, define_numbered(d, "node", node), node_class, 0));
		trace_otf2_note(d->w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
					  d->file, self, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
	}
	for (int rank = 0; rank < summary->n_ranks; rank++) {
		OTF2_StringRef name = define_numbered(d, "rank", rank);
		uint32_t self = (uint32_t)rank;

		/* A rank whose job never began has no node. */
		trace_otf2_note(d->w, OTF2_GlobalDefWriter_WriteLocationGroup(
					  d->file, self, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
					  (uint32_t)(summary->ranks[rank].node + 1),
					  OTF2_UNDEFINED_LOCATION_GROUP));
		trace_otf2_note(d->w, OTF2_GlobalDefWriter_WriteLocation(
					  d->file, self, name, OTF2_LOCATION_TYPE_CPU_THREAD,
					  d->w->n_events[rank], self));
	}
}

static void define_regions(struct definitions *d, OTF2_StringRef nothing)
{
	for (uint32_t i = 0; i < d->w->n_regions; i++) {
		const struct trace_otf2_region *region = &d->w->regions[i];
		const char *text = d->w->out->names->text[region->name];
		bool is_call = region->kind == TRACE_OTF2_CALL,
		     is_phase = region->kind == TRACE_OTF2_PHASE;
		const struct function *function = is_call ? find_function(text) : NULL;
		OTF2_RegionRole role = !is_call	   ? OTF2_REGION_ROLE_CODE
				       : !function ? OTF2_REGION_ROLE_FUNCTION
						   : function->role;
		OTF2_StringRef name = define_string(d, text);

		trace_otf2_note(d->w, OTF2_GlobalDefWriter_WriteRegion(
					  d->file, i, name, name, nothing, role,
					  is_call ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
					  is_phase ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE,
					  OTF2_UNDEFINED_STRING, 0, 0));
	}
}

static void define_comm(struct definitions *d, uint32_t self, uint32_t group, OTF2_StringRef name)
{
	trace_otf2_note(d->w,
			OTF2_GlobalDefWriter_WriteComm(d->file, self, name, group,
						       OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void define_group(struct definitions *d, uint32_t self, OTF2_StringRef name,
			 OTF2_GroupType type, const uint64_t *members, int n)
{
	trace_otf2_note(
	    d->w, OTF2_GlobalDefWriter_WriteGroup(d->file, self, name, type, OTF2_PARADIGM_MPI,
						  OTF2_GROUP_FLAG_NONE, (uint32_t)n, members));
}

/* Groups: 0 the ranks as locations, 1 all of them, then one for each communicator. */
static void define_comms(struct definitions *d, OTF2_StringRef nothing)
{
	const struct trace_comms *comms = d->w->out->comms;
	int n_ranks = d->w->out->summary->n_ranks;
	uint64_t *members = malloc((size_t)n_ranks * sizeof *members);

	if (!members) {
		trace_otf2_note(d->w, OTF2_ERROR_MEM_ALLOC_FAILED);
		return;
	}
	for (int rank = 0; rank < n_ranks; rank++)
		members[rank] = (uint64_t)rank;
	define_group(d, 0, nothing, OTF2_GROUP_TYPE_COMM_LOCATIONS, members, n_ranks);
	define_group(d, 1, nothing, OTF2_GROUP_TYPE_COMM_GROUP, members, n_ranks);
	define_comm(d, TRACE_OTF2_MESSAGES, 1, define_string(d, "messages"));
	define_comm(d, TRACE_OTF2_INTERNAL, 1, define_string(d, "messages of collectives"));
	for (int i = 0; i < comms->n; i++) {
		const struct trace_comm *comm = &comms->list[i];
		OTF2_CommRef self = d->w->comms[i];
		OTF2_StringRef name;

		if (self == OTF2_UNDEFINED_COMM)
			continue;
		name = *comm->name ? define_string(d, comm->name)
				   : define_numbered(d, "communicator", (int)self);
		for (int rank = 0; rank < comm->n_ranks; rank++)
			members[rank] = (uint64_t)comm->ranks[rank];
		define_group(d, self, name, OTF2_GROUP_TYPE_COMM_GROUP, members, comm->n_ranks);
		define_comm(d, self, self, name);
	}
	free(members);
}

void trace_otf2_define(struct trace_otf2 *w)
{
	struct definitions d = {.w = w, .file = OTF2_Archive_GetGlobalDefWriter(w->archive)};
	OTF2_StringRef nothing;

	if (!d.file) {
		trace_otf2_note(w, OTF2_ERROR_INVALID);
		return;
	}
	nothing = define_string(&d, "");
	trace_otf2_note(w, OTF2_GlobalDefWriter_WriteClockProperties(d.file, SIM_PS_PER_S, 0,
								     (uint64_t)w->out->summary->end,
								     OTF2_UNDEFINED_TIMESTAMP));
	trace_otf2_note(w, OTF2_GlobalDefWriter_WriteParadigm(d.file, OTF2_PARADIGM_MPI,
							      define_string(&d, "MPI"),
							      OTF2_PARADIGM_CLASS_PROCESS));
	define_places(&d);
	define_regions(&d, nothing);
	define_comms(&d, nothing);
	trace_otf2_note(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, d.file));
}
