/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls about files: what they did that takes time. */
#include "mpi/record/internal.h"

static uint32_t number_of(void *context, const char *text)
{
	return mtrace_writer_string(context, text);
}

void mpi_record_effects_begin(struct mpi_record_call *call, MPI_Comm comm)
{
	struct io_effects *effects = &mpi_record_rank_of(call)->effects;

	mpi_record_open(call);
	mpi_record_comm(call, comm);
	io_effects_clear(effects);
	effects->number_of = number_of;
	effects->context = call->record->writer;
	io_rank(call->me)->effects = effects;
}

void mpi_record_effects_end(struct mpi_record_call *call, const MPI_Request *request, int code)
{
	const struct io_effects *effects = &mpi_record_rank_of(call)->effects;

	io_rank(call->me)->effects = NULL;
	call->record->is_out_of_memory |= effects->is_lost;
	mtrace_put_uint(call->stream, effects->n);
	for (size_t i = 0; i < effects->n; i++)
		mtrace_put_int(call->stream, effects->items[i]);
	if (request)
		mpi_record_new_request(call, request, code);
	else
		mtrace_put_uint(call->stream, 0);
	mpi_record_end(call, MPI_SUCCESS); /* errors take the time that the effects take */
}
