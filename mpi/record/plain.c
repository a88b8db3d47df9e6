/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of recording that know neither the simulator nor an MPI library. */
#include <stdlib.h>

#include "mpi/record/call.h"
#include "util/array.h"

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
