// SPDX-License-Identifier: BSD-3-Clause
/* Definitions of an OTF2 archive: nodes and ranks, regions, communicators. */
#include <stdlib.h>
#include <string.h>

#include "traces/export/otf2.h"

/* What begins with the prefix; the first that fits. `op`: of exactly this function, -1: none. */
static const struct {
	const char *prefix;
	OTF2_RegionRole role;
	int op;
} functions[] = {
    {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_COLLECTIVE_OP_BARRIER},
    {"MPI_Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_BCAST},
    {"MPI_Gatherv", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_GATHERV},
    {"MPI_Gather", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_GATHER},
    {"MPI_Scatterv", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_SCATTERV},
    {"MPI_Scatter", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_SCATTER},
    {"MPI_Allgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"MPI_Allgather", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLGATHER},
    {"MPI_Alltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"MPI_Alltoallw", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"MPI_Alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALL},
    {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"MPI_Reduce_scatter_block", OTF2_REGION_ROLE_COLL_ALL2ALL,
     OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"MPI_Reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"MPI_Reduce_local", OTF2_REGION_ROLE_FUNCTION, -1},
    {"MPI_Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_REDUCE},
    {"MPI_Scan", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_SCAN},
    {"MPI_Exscan", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_EXSCAN},
    {"MPI_Comm_dup", OTF2_REGION_ROLE_FUNCTION, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
    {"MPI_Comm_split", OTF2_REGION_ROLE_FUNCTION, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
    {"MPI_Comm_create", OTF2_REGION_ROLE_FUNCTION, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
    {"MPI_Comm_free", OTF2_REGION_ROLE_FUNCTION, OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
    {"MPI_File_", OTF2_REGION_ROLE_FILE_IO, -1},
    {"MPI_Win_", OTF2_REGION_ROLE_RMA, -1},
    {"MPI_Put", OTF2_REGION_ROLE_RMA, -1},
    {"MPI_Get_accumulate", OTF2_REGION_ROLE_RMA, -1},
    {"MPI_Accumulate", OTF2_REGION_ROLE_RMA, -1},
    {"MPI_Isend", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Irecv", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Send", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Ssend", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Bsend", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Rsend", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Wait", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Test", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Probe", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Iprobe", OTF2_REGION_ROLE_POINT2POINT, -1},
    {"MPI_Start", OTF2_REGION_ROLE_POINT2POINT, -1},
};

static int find_function(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strncmp(name, functions[i].prefix, strlen(functions[i].prefix)) == 0)
			return (int)i;
	return -1;
}

bool trace_otf2_communicates(const char *function)
{
	return find_function(function) >= 0;
}

bool trace_otf2_collective(const char *function, OTF2_CollectiveOp *out)
{
	int i = find_function(function);
	const char *rest = i < 0 ? NULL : function + strlen(functions[i].prefix);

	if (i < 0 || functions[i].op < 0 || (*rest && strcmp(rest, "_c") != 0))
		return false;
	*out = (OTF2_CollectiveOp)functions[i].op;
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
		int function = is_call ? find_function(text) : -1;
		OTF2_RegionRole role = !is_call	      ? OTF2_REGION_ROLE_CODE
				       : function < 0 ? OTF2_REGION_ROLE_FUNCTION
						      : functions[function].role;
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
