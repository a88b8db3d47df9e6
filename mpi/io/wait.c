/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses as requests that complete when the storage has served them. */
#include "mpi/io/wait.h"

#include <stdlib.h>

#include "mpi/io/effects.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/endpoint.h"

struct io_op *io_op_create(struct mpi_rank *me)
{
	struct io_world *io = me->world->io;
	struct io_op *op = calloc(1, sizeof *op);

	if (!op)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for an access to a file");
	op->next = io->ops;
	op->link = &io->ops;
	if (op->next)
		op->next->link = &op->next;
	io->ops = op;
	return op;
}

void io_op_destroy(struct io_op *op)
{
	*op->link = op->next;
	if (op->next)
		op->next->link = op->link;
	net_storage_finish(&op->storage);
	free(op);
}

/* mpi_request.release */
static void release(struct mpi_rank *me, struct mpi_request *request)
{
	io_op_destroy(request->operation);
}

static void complete(struct io_op *op)
{
	struct mpi_request *request = op->request;

	if (op->file)
		op->file->n_pending--;
	op->file = NULL;
	request->owner->endpoint->last_started = op->started;
	request->cause_mark = mpi_cause_accessed(
	    request->owner, op->cause_mark, request->owner->world->pd->engine.now - op->started);
	mpi_request_complete(request, MPI_SUCCESS);
}

static void done(struct net_storage_op *storage)
{
	complete((struct io_op *)storage);
}

static struct net_storage *storage_of(struct mpi_rank *me)
{
	struct io_world *io = me->world->io;
	struct pd_world *pd = me->world->pd;
	struct util_error err = {0};

	if (!io->storage && net_storage_create(&pd->engine, pd->cluster, &io->storage, &err) < 0)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "%s", err.text);
	return io->storage;
}

struct mpi_request *io_op_start(struct mpi_rank *me, struct io_op *op, struct mpi_file *file,
				bool is_write, int n_metadata)
{
	struct pd_world *pd = me->world->pd;
	struct mpi_request *request = mpi_request_create(me, REQUEST_IO);

	op->request = request;
	op->started = pd->engine.now;
	op->file = file;
	if (file)
		file->n_pending++;
	mpi_cause_posted(me, request);
	op->cause_mark = request->cause_mark;
	request->operation = op;
	request->release = release;
	if (net_storage_is_free(pd->cluster) || (!op->storage.parts && n_metadata == 0))
		complete(op);
	else
		net_storage_start(storage_of(me), &op->storage, me->pd->node, is_write, n_metadata,
				  done);
	return request;
}

void io_op_wait(struct mpi_rank *me, struct mpi_request *request)
{
	if (request->state != REQUEST_COMPLETE)
		mpi_requests_wait(me, 1, &request, false);
	mpi_cause_taken(me, request);
	mpi_request_destroy(me, request);
}

void io_wait_metadata(struct mpi_rank *me, int n)
{
	io_tell(me, NULL, IO_EFFECT_METADATA, (const int64_t[]){n});
	io_op_wait(me, io_op_start(me, io_op_create(me), NULL, false, n));
}
