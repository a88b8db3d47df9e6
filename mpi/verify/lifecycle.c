/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that are freed too early, never started, never completed. */
#include "mpi/verify/request.h"

static const struct mpi_call_info *function_of(const struct mpi_shadow_request *request)
{
	return &mpi_call_infos[request->function - 1];
}

static void report(struct mpi_world *world, const struct mpi_shadow_request *request,
		   const char *class_name, enum mpi_finding_severity severity, const char *found,
		   const char *wanted, const char *why, const struct mpi_rank *second)
{
	struct mpi_finding finding = {
	    .class_name = class_name,
	    .severity = severity,
	    .calls = {{request->rank, function_of(request)->name, request->site}},
	    .n_calls = 1,
	    .found = found,
	    .wanted = wanted,
	    .why = why,
	};

	if (second)
		finding.calls[finding.n_calls++] =
		    (struct mpi_finding_call){second->rank, second->pd->function, second->pd->site};
	mpi_verify_report(world, &finding);
}

static void report_not_started(struct mpi_world *world, const struct mpi_shadow_request *request)
{
	report(world, request, "request-never-started", MPI_FINDING_WARNING,
	       "a persistent request that is never started", "MPI_Start before it is waited for",
	       "nothing is communicated, though the program may take it to be", NULL);
}

/* With MPI_PROC_NULL. */
static bool goes_nowhere(const struct mpi_rank *me, MPI_Request handle)
{
	const struct mpi_request *object = mpi_handle_object(me, KIND_REQUEST, (uintptr_t)handle);

	return object && (object->kind == REQUEST_SEND || object->kind == REQUEST_RECV) &&
	       object->peer == MPI_PROC_NULL;
}

void mpi_verify_request_freed(struct mpi_rank *me, const struct mpi_shadow_request *request,
			      MPI_Request handle)
{
	enum mpi_call_kind kind = function_of(request)->kind;

	if (!mpi_verify_wants(me->world, MPI_VERIFY_MATCHING))
		return;
	if (request->is_persistent && !request->was_started)
		report_not_started(me->world, request);
	/* what is cancelled may be completed so (MPI 4.1, §3.8.4) */
	if (!request->is_active || request->is_known || request->is_cancelled ||
	    goes_nowhere(me, handle))
		return;
	report(me->world, request, "request-freed-active",
	       kind == MPI_CALL_SEND ? MPI_FINDING_WARNING : MPI_FINDING_ERROR,
	       kind == MPI_CALL_SEND
		   ? "a request is freed, and nothing tells when the send is complete"
	       : kind == MPI_CALL_RECV || kind == MPI_CALL_SENDRECV || kind == MPI_CALL_MRECV
		   ? "a request is freed, and nothing tells when the data is there"
		   : "a request is freed before it is complete",
	       "a call that completes it: MPI_Wait, MPI_Test and their families",
	       "the buffer may not be used as long as the operation may go on", me);
}

static void report_persistent(struct mpi_world *world, const struct mpi_shadow *shadow, int rank,
			      bool has_ended)
{
	for (const struct mpi_shadow_plan *plan = shadow->ranks[rank].persistent.first; plan;
	     plan = plan->link.next) {
		const struct mpi_shadow_request *request = plan->request;

		if (!request->was_started)
			report_not_started(world, request);
		else if (request->is_active && has_ended)
			report(world, request, "request-never-completed", MPI_FINDING_ERROR,
			       "a persistent request was started and never completed",
			       "a call that completes it: MPI_Wait, MPI_Test and their families",
			       "whether its buffer may be used is not known", NULL);
	}
}

void mpi_verify_requests_at_end(struct mpi_world *world, int rank, const struct mpi_shadow *shadow)
{
	if (!mpi_verify_wants(world, MPI_VERIFY_MATCHING))
		return;
	for (int i = rank >= 0 ? rank : 0; i < (rank >= 0 ? rank + 1 : world->n_ranks); i++)
		report_persistent(world, shadow, i, rank >= 0);
}
