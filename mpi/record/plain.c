/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of recording that know neither the simulator nor an MPI library. */
#include <limits.h>
#include <stdlib.h>

#include "mpi/record/call.h"
#include "util/array.h"

void mpi_record_ints(struct mpi_record_call *call, int n, const int values[])
{
	n = values && n > 0 ? n : 0;
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mtrace_put_int(call->stream, values[i]);
}

void mpi_record_counts(struct mpi_record_call *call, int n, const MPI_Count values[])
{
	n = values && n > 0 ? n : 0;
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mtrace_put_int(call->stream, values[i]);
}

int mpi_record_sum(int n, const int values[])
{
	int64_t sum = 0;

	for (int i = 0; i < n && values; i++)
		sum += values[i];
	return sum < 0 || sum > INT_MAX ? 0 : (int)sum;
}

uint32_t mpi_record_number(struct mpi_record_numbers *numbers, uint32_t first)
{
	if (numbers->n_free > 0)
		return numbers->free_ones[--numbers->n_free];
	return first + numbers->n++;
}

void mpi_record_free_number(struct mpi_record_numbers *numbers, uint32_t number)
{
	/* without memory it is not used again, that is all */
	if (util_array_room(&numbers->free_ones, numbers->n_free, sizeof *numbers->free_ones))
		numbers->free_ones[numbers->n_free++] = number;
}

void mpi_record_types(struct mpi_record_call *call, int n, const MPI_Datatype types[])
{
	n = types ? n : 0;
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mpi_record_type(call, types[i]);
}
