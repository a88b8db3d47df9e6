// SPDX-License-Identifier: BSD-3-Clause
/* Calls of a program in which one series of messages is a collective. */
#include "mpi/orders/series.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/functions.h"
#include "mpi/comm/comm.h"
#include "mpi/core/status.h"
#include "mpi/datatype/datatype.h"
#include "pdexec/arch.h"
#include "pdexec/image.h"

struct mpi_series_run *mpi_series_run_create(const struct mpi_all_series *all)
{
	struct mpi_series_run *run = calloc(1, sizeof *run);

	if (run)
		run->all = all;
	return run;
}

/* --- which series a call belongs to --- */

struct part { /* of a call in a series; series NULL: it is in none */
	const struct mpi_series *series;
	struct mpi_series_run *run;
	struct mpi_rank *me;
	struct mpi_comm *comm;
	int root; /* in the communicator */
	bool is_root;
};

static bool is_other(const struct mpi_series *series, uint64_t place)
{
	for (int i = 0; i < series->n_others; i++)
		if (series->others[i].place == place)
			return true;
	return false;
}

static int rank_in(const struct mpi_comm *comm, int world_rank)
{
	for (int i = 0; i < comm->size; i++)
		if (mpi_comm_peer(comm, i) == world_rank)
			return i;
	return -1;
}

/* What the call that the program makes at `site` has to do with the series; nothing: no series. */
static struct part part_at(bool is_send, int peer, int tag, MPI_Comm handle, const void *site)
{
	struct mpi_rank *me = pd_current ? pd_current->mpi : NULL;
	struct part part = {.me = me};
	const struct mpi_series *series;
	uint64_t place = 0;

	if (!me || pd_current->world->thread != pd_arch_thread_pointer() || me->depth > 0 ||
	    me->n_open == 0 || !me->world->series || me->world->series->all->turned == 0)
		return part;
	if (me->depth == MPI_DEPTH_FOREIGN)
		site = me->foreign_site;
	part.run = me->world->series;
	series = &part.run->all->list[part.run->all->turned - 1];
	part.comm = mpi_comm_get(me, handle);
	part.is_root = is_send != (series->kind == MPI_SERIES_GATHER);
	if (!part.comm || part.comm->context != series->context || tag != series->tag ||
	    part.is_root != (me->rank == series->root) ||
	    !pd_image_locate(me->pd->program->image, site, &place))
		return part;
	part.root = rank_in(part.comm, series->root);
	if (part.is_root ? place == series->hub.place
			 : peer == part.root && is_other(series, place))
		part.series = series;
	return part;
}

/* Without a part in it the function itself is called next: for the program, at `site`. */
static struct part part_of(bool is_send, int peer, int tag, MPI_Comm handle, const void *site)
{
	struct part part = part_at(is_send, peer, tag, handle, site);
	struct mpi_rank *me = part.me;

	if (!part.series && me && pd_current->world->thread == pd_arch_thread_pointer() &&
	    me->depth == 0) {
		me->foreign_site = site;
		me->depth = MPI_DEPTH_FOREIGN;
	}
	return part;
}

/* --- what it does there --- */

static void *allocate(const struct part *part, size_t size_B)
{
	void *data = malloc(size_B ? size_B : 1);

	if (!data)
		pd_fail(part->me->pd, PD_FAILURE_MEMORY, "out of memory for a series of messages");
	return data;
}

static int64_t size_of(const struct part *part, MPI_Count count, MPI_Datatype handle)
{
	const struct mpi_datatype *type = mpi_datatype_get(part->me, handle);

	return type && count > 0 ? count * type->size_B : 0;
}

/* `data`: of the root a block for each rank. */
static int collect(const struct part *part, void *data, int size_B)
{
	void *in_place = part->is_root ? MPI_IN_PLACE : data;

	if (part->series->kind == MPI_SERIES_BCAST)
		return MPI_Bcast(data, size_B, MPI_BYTE, part->root, part->comm->handle);
	if (part->series->kind == MPI_SERIES_SCATTER)
		return MPI_Scatter(data, size_B, MPI_BYTE, in_place, size_B, MPI_BYTE, part->root,
				   part->comm->handle);
	return MPI_Gather(in_place, size_B, MPI_BYTE, data, size_B, MPI_BYTE, part->root,
			  part->comm->handle);
}

static bool begins(const struct part *part, int64_t size_B)
{
	if (part->run->n_done > 0)
		return false;
	part->run->size_B = (size_t)size_B;
	part->run->data = allocate(part, (size_t)part->comm->size * (size_t)size_B);
	return true;
}

static void goes_on(const struct part *part)
{
	if (++part->run->n_done < part->series->n_messages)
		return;
	part->run->n_done = 0;
	free(part->run->data);
	part->run->data = NULL;
}

static char *block_of(const struct part *part, int rank)
{
	bool is_one = part->series->kind == MPI_SERIES_BCAST;

	return part->run->data + (is_one ? 0 : (size_t)rank * part->run->size_B);
}

static int send_in(const struct part *part, const void *buf, int count, MPI_Datatype handle,
		   int dest)
{
	const struct mpi_datatype *type = mpi_datatype_get(part->me, handle);
	int64_t size_B = size_of(part, count, handle);
	int code = MPI_SUCCESS;
	char *data;

	if (part->is_root) {
		begins(part, size_B);
		mpi_datatype_pack(type, buf, count, block_of(part, dest));
		if (part->run->n_done + 1 == part->series->n_messages)
			code = collect(part, part->run->data, (int)size_B);
		goes_on(part);
		return code;
	}
	data = allocate(part, (size_t)size_B);
	mpi_datatype_pack(type, buf, count, data);
	code = collect(part, data, (int)size_B);
	free(data);
	return code;
}

static int recv_in(const struct part *part, void *buf, int count, MPI_Datatype handle, int source,
		   MPI_Status *status)
{
	const struct mpi_datatype *type = mpi_datatype_get(part->me, handle);
	int64_t size_B = size_of(part, count, handle);
	int code = MPI_SUCCESS;
	char *data = NULL;

	if (!part->is_root) {
		data = allocate(part, (size_t)size_B);
		code = collect(part, data, (int)size_B);
	} else if (begins(part, size_B)) {
		code = collect(part, part->run->data, (int)size_B);
	}
	mpi_datatype_unpack(type, buf, count, data ? data : block_of(part, source), size_B);
	if (part->is_root)
		goes_on(part);
	free(data);
	if (status != MPI_STATUS_IGNORE) {
		mpi_status_set_bytes(status, size_B);
		mpi_status_set_cancelled(status, false);
		status->MPI_SOURCE = source;
		status->MPI_TAG = part->series->tag;
	}
	return code;
}

/* --- the program's calls --- */

static int series_send(const void *buf, int count, MPI_Datatype type, int dest, int tag,
		       MPI_Comm comm)
{
	struct part part = part_of(true, dest, tag, comm, __builtin_return_address(0));

	return part.series ? send_in(&part, buf, count, type, dest)
			   : MPI_Send(buf, count, type, dest, tag, comm);
}

static int series_ssend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
			MPI_Comm comm)
{
	struct part part = part_of(true, dest, tag, comm, __builtin_return_address(0));

	return part.series ? send_in(&part, buf, count, type, dest)
			   : MPI_Ssend(buf, count, type, dest, tag, comm);
}

/* A nonblocking send of a series is complete when it returns. */
static int send_in_now(const struct part *part, const void *buf, int count, MPI_Datatype type,
		       int dest, MPI_Request *request)
{
	int code = send_in(part, buf, count, type, dest);

	return code == MPI_SUCCESS
		   ? MPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, part->comm->handle, request)
		   : code;
}

static int series_isend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
			MPI_Comm comm, MPI_Request *request)
{
	struct part part = part_of(true, dest, tag, comm, __builtin_return_address(0));

	return part.series ? send_in_now(&part, buf, count, type, dest, request)
			   : MPI_Isend(buf, count, type, dest, tag, comm, request);
}

static int series_issend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
			 MPI_Comm comm, MPI_Request *request)
{
	struct part part = part_of(true, dest, tag, comm, __builtin_return_address(0));

	return part.series ? send_in_now(&part, buf, count, type, dest, request)
			   : MPI_Issend(buf, count, type, dest, tag, comm, request);
}

static int series_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
		       MPI_Status *status)
{
	struct part part = part_of(false, source, tag, comm, __builtin_return_address(0));

	return part.series ? recv_in(&part, buf, count, type, source, status)
			   : MPI_Recv(buf, count, type, source, tag, comm, status);
}

void *mpi_series_substitute(const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} functions[] = {
	    {"MPI_Isend", (void (*)(void))series_isend}, {"MPI_Issend", (void (*)(void))series_issend},
	    {"MPI_Recv", (void (*)(void))series_recv},	 {"MPI_Send", (void (*)(void))series_send},
	    {"MPI_Ssend", (void (*)(void))series_ssend},
	};

	name += name[0] == 'P';
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0)
			return (void *)(uintptr_t)functions[i].function;
	return NULL;
}
