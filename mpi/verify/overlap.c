/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call reads and what it writes are not to be the same bytes (MPI 4.1, §2.3). */
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"

void mpi_memory_compare_buffers(struct mpi_rank *me, const struct mpi_memory_buffers *all)
{
	for (int i = 0; i < all->n; i++)
		for (int k = 0; k < i; k++) {
			const struct mpi_memory_buffer *a = &all->buffers[k];
			const struct mpi_memory_buffer *b = &all->buffers[i];
			int64_t first;
			size_t n =
			    (a->use | b->use) & MEMORY_WRITE ? mpi_memory_common(a, b, &first) : 0;

			if (n > 0)
				mpi_memory_report(
				    me, "overlapping-buffers", "the result is undefined", &a->call,
				    1,
				    "%zu byte%s, from offset %lld on, of %s are also in the "
				    "other buffer",
				    n, n == 1 ? "" : "s", (long long)first, MEMORY_TEXT(a));
		}
}

/* The end of memory that `n` items may take at most; UINTPTR_MAX: they may begin before `base`. */
static uintptr_t end_of(const struct mpi_datatype *type, int64_t n, uintptr_t base)
{
	if (!type || type->true_lb_B < 0 || type->extent_B < 0 || n < 0)
		return UINTPTR_MAX;
	return base + (uintptr_t)(type->true_lb_B + type->true_extent_B +
				  (n > 0 ? n - 1 : 0) * type->extent_B);
}

bool mpi_verify_are_apart(const struct mpi_datatype *out, int64_t n_out, const void *from,
			  const struct mpi_datatype *in, int64_t n_in, const void *to)
{
	return (uintptr_t)to >= end_of(out, n_out, (uintptr_t)from) ||
	       (uintptr_t)from >= end_of(in, n_in, (uintptr_t)to);
}

static const struct mpi_datatype *type_of(const struct mpi_verify_call *call,
					  enum mpi_argument type)
{
	return mpi_datatype_get(call->me, (MPI_Datatype)(uintptr_t)mpi_verify_value(call, type).p);
}

/* Of how many peers a buffer may have data; 0: that is not known. */
static int64_t n_peers_of(const struct mpi_verify_call *call)
{
	const struct mpi_comm *comm;

	if (call->function->kind == MPI_CALL_SENDRECV || mpi_verify_has(call, MPI_ARG_COUNT))
		return 1;
	comm = mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);
	return comm && !comm->topology ? mpi_comm_n_peers(comm) : 0;
}

/* Without a look at each block: they are far apart. */
static bool are_apart(const struct mpi_verify_call *call)
{
	const void *from = mpi_verify_value(call, MPI_ARG_SENDBUF).p;
	const void *to = mpi_verify_value(call, MPI_ARG_RECVBUF).p;
	bool is_reduction = mpi_verify_has(call, MPI_ARG_DATATYPE);
	enum mpi_argument type = is_reduction ? MPI_ARG_DATATYPE : MPI_ARG_SENDTYPE;
	enum mpi_argument in = is_reduction ? MPI_ARG_DATATYPE : MPI_ARG_RECVTYPE;
	enum mpi_argument n_out = MPI_ARG_SENDCOUNT, n_in = MPI_ARG_RECVCOUNT;
	int64_t n_peers;

	if (from == MPI_IN_PLACE || to == MPI_IN_PLACE)
		return true;
	if (is_reduction)
		n_out = n_in =
		    mpi_verify_has(call, MPI_ARG_COUNT) ? MPI_ARG_COUNT : MPI_ARG_RECVCOUNT;
	if (!mpi_verify_has(call, n_out) || !mpi_verify_has(call, n_in))
		return false;
	n_peers = n_peers_of(call);
	return n_peers > 0 &&
	       mpi_verify_are_apart(type_of(call, type), mpi_verify_value(call, n_out).i * n_peers,
				    from, type_of(call, in),
				    mpi_verify_value(call, n_in).i * n_peers, to);
}

void mpi_verify_overlap(const struct mpi_verify_call *call)
{
	bool is_two_sided =
	    mpi_verify_has(call, MPI_ARG_SENDBUF) && mpi_verify_has(call, MPI_ARG_RECVBUF);
	struct mpi_memory_buffers all;

	if (!is_two_sided && !(mpi_verify_has(call, MPI_ARG_ORIGIN_ADDR) &&
			       mpi_verify_has(call, MPI_ARG_RESULT_ADDR)))
		return;
	if (is_two_sided ? are_apart(call) : mpi_verify_value(call, MPI_ARG_OP).p == MPI_NO_OP)
		return;
	mpi_memory_collect(call, &all);
	mpi_memory_compare_buffers(call->me, &all);
	for (int i = 0; i < all.n; i++)
		mpi_memory_buffer_finish(&all.buffers[i]);
}
