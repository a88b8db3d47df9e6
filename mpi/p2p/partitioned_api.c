/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Psend_init, MPI_Precv_init, MPI_Pready and MPI_Parrived with their families. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/info/info.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/kept.h"
#include "mpi/p2p/partitioned.h"

static int check_init(struct mpi_rank *me, const struct mpi_p2p_args *a, int n_partitions,
		      MPI_Info info, const MPI_Request *request)
{
	if (n_partitions <= 0)
		return mpi_raise(me, a->comm, MPI_ERR_ARG, "partitions is %d, it must be positive",
				 n_partitions);
	if (a->peer == MPI_ANY_SOURCE || a->tag == MPI_ANY_TAG)
		return mpi_raise(me, a->comm, a->tag == MPI_ANY_TAG ? MPI_ERR_TAG : MPI_ERR_RANK,
				 "partitioned receives have no wildcards");
	if (info != MPI_INFO_NULL && !mpi_info_get(me, info))
		return mpi_raise(me, a->comm, MPI_ERR_INFO, "info is not an info object");
	if (!request)
		return mpi_raise(me, a->comm, MPI_ERR_ARG, "request is NULL");
	return MPI_SUCCESS;
}

static int init(struct mpi_rank *me, const struct mpi_p2p_args *a, bool is_send, int n_partitions,
		MPI_Request *handle)
{
	struct mpi_request *request = mpi_request_create(me, REQUEST_COMPOUND);

	request->buf = (void *)a->buf;
	request->count = a->count;
	request->type = a->type;
	request->peer = a->peer;
	request->tag = a->tag;
	request->comm = a->comm;
	mpi_datatype_retain(a->type);
	mpi_comm_retain(a->comm);
	request->is_persistent = true;
	request->state = REQUEST_IDLE;
	request->start = mpi_partitioned_start;
	*handle = mpi_request_publish(me, request);
	mpi_partitioned_create(me, request, is_send, n_partitions);
	return MPI_SUCCESS;
}

int mpi_psend_init(struct mpi_rank *me, const void *buf, int partitions, MPI_Count count,
		   MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info,
		   MPI_Request *request)
{
	struct mpi_p2p_args a;
	int code = mpi_check_send(me, buf, count, datatype, dest, tag, comm, &a);

	if (code == MPI_SUCCESS)
		code = check_init(me, &a, partitions, info, request);
	if (code == MPI_SUCCESS)
		code = init(me, &a, true, partitions, request);
	return code;
}

int mpi_precv_init(struct mpi_rank *me, void *buf, int partitions, MPI_Count count,
		   MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info,
		   MPI_Request *request)
{
	struct mpi_p2p_args a;
	int code = mpi_check_recv(me, buf, count, datatype, source, tag, comm, &a);

	if (code == MPI_SUCCESS)
		code = check_init(me, &a, partitions, info, request);
	if (code == MPI_SUCCESS)
		code = init(me, &a, false, partitions, request);
	return code;
}

/* MPI_SUCCESS and the half of that direction behind a request, or the error. */
static int get(struct mpi_rank *me, const struct mpi_request *request, bool is_send,
	       struct mpi_partitioned **half)
{
	*half = request->start == mpi_partitioned_start ? request->operation : NULL;
	if (*half && (*half)->is_send == is_send)
		return MPI_SUCCESS;
	return mpi_raise(me, request->comm, MPI_ERR_REQUEST, "request is not a partitioned %s",
			 is_send ? "send" : "receive");
}

static int check_partition(struct mpi_rank *me, const struct mpi_partitioned *half, int partition)
{
	if (partition >= 0 && partition < half->n_partitions)
		return MPI_SUCCESS;
	return mpi_raise(me, half->compound.request->comm, MPI_ERR_ARG,
			 "partition is %d, it must be in 0 … %d", partition,
			 half->n_partitions - 1);
}

static int ready(struct mpi_rank *me, struct mpi_partitioned *send, int partition)
{
	int code = check_partition(me, send, partition);

	if (code != MPI_SUCCESS)
		return code;
	if (send->compound.request->state == REQUEST_IDLE)
		return mpi_raise(me, send->compound.request->comm, MPI_ERR_REQUEST,
				 "the partitioned send is not active");
	if (send->is_ready[partition])
		return mpi_raise(me, send->compound.request->comm, MPI_ERR_ARG,
				 "partition %d is ready already", partition);
	send->asked = partition;
	mpi_kept_fetch(send->compound.request);
	send->asked = -1;
	mpi_partitioned_ready(me, send, partition);
	return MPI_SUCCESS;
}

int mpi_pready(struct mpi_rank *me, int partition, struct mpi_request *request)
{
	return mpi_pready_range(me, partition, partition, request);
}

int mpi_pready_range(struct mpi_rank *me, int partition_low, int partition_high,
		     struct mpi_request *request)
{
	struct mpi_partitioned *send;
	int code = get(me, request, true, &send);

	if (code == MPI_SUCCESS && partition_low > partition_high)
		code = mpi_raise(me, request->comm, MPI_ERR_ARG,
				 "partition_low is %d, more than partition_high, %d", partition_low,
				 partition_high);
	for (int i = partition_low; code == MPI_SUCCESS && i <= partition_high; i++)
		code = ready(me, send, i);
	return code;
}

int mpi_pready_list(struct mpi_rank *me, int length, const int array_of_partitions[],
		    struct mpi_request *request)
{
	struct mpi_partitioned *send;
	int code = get(me, request, true, &send);

	for (int i = 0; code == MPI_SUCCESS && i < length; i++)
		code = ready(me, send, array_of_partitions[i]);
	return code;
}

/* request: NULL: MPI_REQUEST_NULL. */
int mpi_parrived(struct mpi_rank *me, struct mpi_request *request, int partition, int *flag)
{
	struct mpi_partitioned *recv;
	int code = request ? get(me, request, false, &recv) : MPI_SUCCESS;

	*flag = true;
	if (!request)
		return MPI_SUCCESS;
	if (code == MPI_SUCCESS)
		code = check_partition(me, recv, partition);
	if (code != MPI_SUCCESS)
		return code;
	mpi_progress_poll(me, 0, NULL, false);
	*flag = request->state == REQUEST_IDLE || mpi_partitioned_arrived(recv, partition);
	recv->asked = partition;
	if (*flag)
		mpi_kept_give(request);
	else
		mpi_endpoint_poll_failed(me);
	recv->asked = -1;
	return MPI_SUCCESS;
}
