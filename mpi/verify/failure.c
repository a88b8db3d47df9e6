/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library itself finds wrong, as findings. */
#include <stdio.h>
#include <string.h>

#include "mpi/core/errhandler.h"
#include "mpi/env/leaks.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/shadow.h"

/* Errors of the program; those of its surroundings (files that are not there, names that are not
 * published) are none. */
static const struct {
	int error_class;
	const char *name;
} class_names[] = {
    {MPI_ERR_BUFFER, "invalid-buffer"},
    {MPI_ERR_COUNT, "invalid-count"},
    {MPI_ERR_TYPE, "invalid-datatype"},
    {MPI_ERR_TAG, "invalid-tag"},
    {MPI_ERR_COMM, "invalid-communicator"},
    {MPI_ERR_RANK, "invalid-rank"},
    {MPI_ERR_REQUEST, "invalid-request"},
    {MPI_ERR_ROOT, "invalid-root"},
    {MPI_ERR_GROUP, "invalid-group"},
    {MPI_ERR_OP, "invalid-operation"},
    {MPI_ERR_TOPOLOGY, "invalid-topology"},
    {MPI_ERR_DIMS, "invalid-argument"},
    {MPI_ERR_ARG, "invalid-argument"},
    {MPI_ERR_TRUNCATE, "truncation"},
    {MPI_ERR_OTHER, "wrong-call"},
    {MPI_ERR_AMODE, "invalid-argument"},
    {MPI_ERR_ASSERT, "invalid-argument"},
    {MPI_ERR_BASE, "invalid-buffer"},
    {MPI_ERR_DISP, "invalid-argument"},
    {MPI_ERR_FILE, "invalid-file"},
    {MPI_ERR_INFO, "invalid-info"},
    {MPI_ERR_INFO_KEY, "invalid-info"},
    {MPI_ERR_INFO_VALUE, "invalid-info"},
    {MPI_ERR_KEYVAL, "invalid-keyval"},
    {MPI_ERR_LOCKTYPE, "invalid-argument"},
    {MPI_ERR_NOT_SAME, "collective-argument"},
    {MPI_ERR_RMA_ATTACH, "rma-memory"},
    {MPI_ERR_RMA_CONFLICT, "rma-conflict"},
    {MPI_ERR_RMA_RANGE, "rma-range"},
    {MPI_ERR_RMA_SHARED, "rma-memory"},
    {MPI_ERR_RMA_SYNC, "rma-epoch"},
    {MPI_ERR_RMA_FLAVOR, "rma-memory"},
    {MPI_ERR_SIZE, "invalid-argument"},
    {MPI_ERR_WIN, "invalid-window"},
    {MPI_ERR_SESSION, "invalid-session"},
    {MPI_ERR_ERRHANDLER, "invalid-errhandler"},
    {MPI_ERR_IO, "wrong-call"},
    {MPI_ERR_READ_ONLY, "wrong-call"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "wrong-call"},
};

static const char *name_of(int error_class)
{
	for (size_t i = 0; i < sizeof class_names / sizeof class_names[0]; i++)
		if (class_names[i].error_class == error_class)
			return class_names[i].name;
	return NULL;
}

void mpi_verify_raised(struct mpi_rank *me, int error_class, const char *format, va_list arguments)
{
	struct mpi_verify *verify = me->world->verify;
	const char *name = name_of(error_class), *given = me->world->failure_class;
	char text[768];

	me->world->failure_class = NULL;
	if (me->shadow && error_class != MPI_ERR_TRUNCATE) /* a message that is cut is one */
		mpi_shadow_forget_plain(me);
	if (!name && !given)
		return;
	if (!(verify->parts & MPI_VERIFY_MATCHING)) { /* told only if it ends the run */
		me->world->failure_class = given ? given : name;
		return;
	}
	vsnprintf(text, sizeof text, format, arguments);
	mpi_verify_report_here(me, given ? given : name, MPI_FINDING_ERROR, NULL, NULL, "%s: %s",
			       mpi_error_class_name(error_class), text);
	verify->has_raised = true; /* if it ends the run, that is the same finding */
}

static const char *class_of_failure(const struct mpi_world *world, const struct pd_failure *failure)
{
	switch (failure->kind) {
	case PD_FAILURE_MPI_ERROR:
		return world->failure_class ? world->failure_class : "wrong-call";
	case PD_FAILURE_CRASH:
	case PD_FAILURE_OVERFLOW:
		return "crash";
	case PD_FAILURE_ABORT:
		return "abort";
	default:
		return NULL; /* a limit of the simulator, or a deadlock: found elsewhere */
	}
}

void mpi_verify_failure(struct mpi_verify *verify)
{
	struct mpi_world *world = verify->world;
	const struct pd_failure *failure = &world->pd->failure;
	const char *name = class_of_failure(world, failure);

	if (!name || (failure->kind == PD_FAILURE_MPI_ERROR && verify->has_raised))
		return;
	mpi_verify_report(world, &(struct mpi_finding){
				     .class_name = name,
				     .severity = MPI_FINDING_ERROR,
				     .calls = {{failure->rank, failure->function, failure->site}},
				     .n_calls = failure->rank >= 0,
				     .time = failure->time,
				     .found = failure->text,
				 });
}

void mpi_verify_unseen(struct mpi_rank *me, const char *function, const void *site)
{
	struct mpi_verify *verify = me->world->verify;

	if (verify->is_blind || !mpi_verify_substitute(function))
		return;
	verify->is_blind = true;
	for (int rank = 0; rank < me->world->n_ranks; rank++)
		me->world->ranks[rank].shadow = NULL;
	mpi_verify_report(
	    me->world, &(struct mpi_finding){
			   .class_name = "unseen-call",
			   .severity = MPI_FINDING_NOTE,
			   .calls = {{me->rank, function, site}},
			   .n_calls = 1,
			   .found = "a library makes this call, which verification does not see",
			   .wanted = "the library linked statically",
			   .why = "matching and potential deadlocks are not looked at in this run",
		       });
}

/* The kinds of mpi/env/leaks.c. */
static const struct {
	const char *what, *class_name, *why;
} leak_classes[] = {
    {"communicator", "communicator-leak", NULL},
    {"group", "group-leak", NULL},
    {"datatype", "datatype-leak", NULL},
    {"operation", "operation-leak", NULL},
    {"window", "window-leak", NULL},
    {"file", "file-leak", NULL},
    {"persistent request", "request-leak", NULL},
    {"request", "request-never-completed", "whether its buffers may be used is not known"},
    {"receive that was never completed", "request-never-completed",
     "whether the data has come is not known"},
    {"send that was never completed", "request-never-completed",
     "whether its buffer may be used is not known"},
    {"message that was never received, sent", "unmatched-send",
     "the program goes on only where the message is buffered"},
    {"collective that other ranks never called", "collective-mismatch",
     "the program goes on only where this rank does not wait for the others"},
};

/* A receive is posted for each such message, and never completed: that is told of the receive. */
static bool is_matched(const struct mpi_verify *verify, const struct mpi_leak *leak)
{
	return verify->shadow && !verify->is_blind &&
	       !mpi_shadow_sender_at(verify->shadow, leak->site);
}

void mpi_verify_leak(struct mpi_world *world, const struct mpi_leak *leak)
{
	const char *class_name = "handle-leak", *why = "its memory is lost";
	const char *function =
	    leak->function ? leak->function : mpi_verify_sender_at(world, leak->site);
	char text[160];

	if (!mpi_verify_wants(world, MPI_VERIFY_LEAKS))
		return;
	for (size_t i = 0; i < sizeof leak_classes / sizeof leak_classes[0]; i++)
		if (strcmp(leak_classes[i].what, leak->what) == 0) {
			class_name = leak_classes[i].class_name;
			why = leak_classes[i].why ? leak_classes[i].why : why;
		}
	if (strcmp(class_name, "unmatched-send") == 0 && is_matched(world->verify, leak))
		return;
	snprintf(text, sizeof text, "at MPI_Finalize: %s%s", leak->what,
		 strstr(leak->what, "never") ? "" : " that was not freed");
	mpi_verify_report(world, &(struct mpi_finding){
				     .class_name = class_name,
				     .severity = MPI_FINDING_ERROR,
				     .calls = {{leak->first_rank, function, leak->site}},
				     .n_calls = 1,
				     .found = text,
				     .why = why,
				     .count = leak->count,
				 });
}
