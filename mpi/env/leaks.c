/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/env/leaks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "mpi/coll/order.h"
#include "mpi/core/attribute.h"
#include "mpi/core/errhandler.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/request.h"
#include "util/array.h"

static const char *const kind_name[N_KINDS] = {
    [KIND_COMM] = "communicator",
    [KIND_GROUP] = "group",
    [KIND_DATATYPE] = "datatype",
    [KIND_OP] = "operation",
    [KIND_REQUEST] = "request",
    [KIND_INFO] = "info object",
    [KIND_ERRHANDLER] = "error handler",
    [KIND_MESSAGE] = "message",
    [KIND_WIN] = "window",
    [KIND_FILE] = "file",
    [KIND_SESSION] = "session",
    [KIND_TOOL_CVAR] = "handle of a control variable",
    [KIND_TOOL_SESSION] = "session of performance variables",
    [KIND_TOOL_PVAR] = "handle of a performance variable",
};

static struct mpi_leak *new_entry(struct mpi_leaks *leaks)
{
	return util_array_room(&leaks->entries, (size_t)leaks->n, sizeof *leaks->entries)
		   ? &leaks->entries[leaks->n++]
		   : NULL;
}

static void add(struct mpi_rank *me, const char *what, const char *function, const void *site)
{
	struct mpi_world *world = me->world;
	struct mpi_leak *entry;

	if (!world->leaks && !(world->leaks = calloc(1, sizeof *world->leaks)))
		return;
	for (int i = 0; i < world->leaks->n; i++) {
		entry = &world->leaks->entries[i];
		/* In MAP isolation the same call has another address in each rank: one entry per
		 * rank then; tools merge by description. */
		if (entry->what == what && entry->site == site && entry->function == function) {
			entry->count++;
			entry->first_rank = MIN(me->rank, entry->first_rank);
			return;
		}
	}
	entry = new_entry(world->leaks);
	if (entry)
		*entry = (struct mpi_leak){.what = what,
					   .function = function,
					   .site = site,
					   .count = 1,
					   .first_rank = me->rank};
}

static void visit(void *context, enum mpi_kind kind, void *object, const char *function,
		  const void *site)
{
	const struct mpi_rank *me = context;
	const struct mpi_request *request = object;
	const char *what = kind_name[kind];

	if (kind == KIND_ERRHANDLER && ((const struct mpi_errhandler *)object)->n_held == 0)
		return; /* freed, and still that of an object */
	if (kind == KIND_DATATYPE && ((const struct mpi_datatype *)object)->is_predefined)
		return; /* of MPI_Type_create_f90_*: the program cannot free it */
	if (object == me->parent)
		return; /* the program did not make it */
	if (kind == KIND_REQUEST && request->is_persistent)
		what = "persistent request";
	else if (kind == KIND_REQUEST && request->kind == REQUEST_RECV)
		what = "receive that was never completed";
	else if (kind == KIND_REQUEST && request->kind == REQUEST_SEND)
		what = "send that was never completed";
	add(context, what, function, site);
}

static void visit_keyval(void *context, enum mpi_kind kind, const char *function, const void *site)
{
	add(context,
	    kind == KIND_COMM  ? "keyval of communicators"
	    : kind == KIND_WIN ? "keyval of windows"
			       : "keyval of datatypes",
	    function, site);
}

static void visit_message(void *context, struct mpi_rank *sender, const void *site)
{
	add(sender, "message that was never received, sent", NULL, site);
}

static void visit_collective(void *context, int rank, const char *function, const void *site, int n)
{
	struct mpi_world *world = context;

	(void)n;
	add(&world->ranks[rank], "collective that other ranks never called", function, site);
}

void mpi_leaks_collect(struct mpi_rank *me)
{
	mpi_handle_visit(me, visit, me);
	mpi_keyval_visit(me, visit_keyval, me);
	if (++me->world->n_finalized < me->world->n_ranks)
		return;
	mpi_p2p_visit_messages(me->world, visit_message, me->world);
	mpi_coll_order_visit(me->world, visit_collective, me->world);
}

void mpi_leaks_destroy(struct mpi_leaks *leaks)
{
	if (!leaks)
		return;
	free(leaks->entries);
	free(leaks);
}
