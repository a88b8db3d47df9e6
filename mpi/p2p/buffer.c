/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffer that the program attaches for buffered sends: only its size matters, the library keeps
 * the data itself. */
#include <limits.h>

#include "mpi/p2p/internal.h"

int64_t mpi_buffered_size(int64_t size_B)
{
	return size_B + MPI_BSEND_OVERHEAD;
}

int mpi_buffer_take(struct mpi_rank *me, const struct mpi_p2p_args *args)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	int64_t needed_B = mpi_buffered_size(args->count * args->type->size_B);
	int64_t free_B = endpoint->buffer_size_B - endpoint->buffer_used_B;

	if (args->peer == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (needed_B > free_B)
		return mpi_raise(me, args->comm, MPI_ERR_BUFFER,
				 "a buffered send needs %lld B (MPI_BSEND_OVERHEAD included), the "
				 "attached buffer has %lld B left",
				 (long long)needed_B, (long long)free_B);
	endpoint->buffer_used_B += needed_B;
	return MPI_SUCCESS;
}

static int attach(struct mpi_rank *me, void *buffer, MPI_Count size_B)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	if (size_B < 0)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_ARG, "size is %lld, wanted at least 0",
					   (long long)size_B));
	if (endpoint->buffer_size_B)
		return mpi_leave(
		    me, mpi_raise(me, NULL, MPI_ERR_BUFFER, "a buffer is attached already"));
	endpoint->buffer = buffer;
	endpoint->buffer_size_B = buffer == MPI_BUFFER_AUTOMATIC ? INT64_MAX / 2 : size_B;
	return mpi_leave(me, MPI_SUCCESS);
}

/* Returns when every buffered message has left. Collectives go on meanwhile: the receivers may be
 * waiting for them. */
static void flush(struct mpi_rank *me)
{
	mpi_progress_poll(me, 0, NULL);
	while (me->endpoint->buffer_used_B > 0) {
		mpi_endpoint_block(me);
		mpi_progress_poll(me, 0, NULL);
	}
}

static MPI_Count detach(struct mpi_rank *me, void *buffer_addr)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	MPI_Count size_B = endpoint->buffer == MPI_BUFFER_AUTOMATIC ? 0 : endpoint->buffer_size_B;

	flush(me);
	*(void **)buffer_addr = endpoint->buffer;
	endpoint->buffer = NULL;
	endpoint->buffer_size_B = 0;
	return size_B;
}

int MPI_Buffer_attach(void *buffer, int size)
{
	return attach(MPI_ENTER(), buffer, size);
}

int MPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
	return attach(MPI_ENTER(), buffer, size);
}

int MPI_Buffer_detach(void *buffer_addr, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	MPI_Count size_B;

	if (!buffer_addr || !size)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_ARG, "an output argument is NULL"));
	size_B = detach(me, buffer_addr);
	*size = size_B > INT_MAX ? MPI_UNDEFINED : (int)size_B;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
	struct mpi_rank *me = MPI_ENTER();

	if (!buffer_addr || !size)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_ARG, "an output argument is NULL"));
	*size = detach(me, buffer_addr);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Buffer_flush(void)
{
	struct mpi_rank *me = MPI_ENTER();

	flush(me);
	return mpi_leave(me, MPI_SUCCESS);
}
