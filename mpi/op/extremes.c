/* SPDX-License-Identifier: BSD-3-Clause */
/* Minima and maxima. */
#include "mpi/datatype/quad.h"
#include "mpi/op/half.h"
#include "mpi/op/reduce.h"

void mpi_reduce_min(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
		MPI_REDUCE_EACH(int8_t, a < b ? a : b);
		break;
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, a < b ? a : b);
		break;
	case ELEMENT_INT16:
		MPI_REDUCE_EACH(int16_t, a < b ? a : b);
		break;
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, a < b ? a : b);
		break;
	case ELEMENT_INT32:
		MPI_REDUCE_EACH(int32_t, a < b ? a : b);
		break;
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a < b ? a : b);
		break;
	case ELEMENT_INT64:
		MPI_REDUCE_EACH(int64_t, a < b ? a : b);
		break;
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a < b ? a : b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(__int128, a < b ? a : b);
		break;
	case ELEMENT_FLOAT16:
		MPI_REDUCE_EACH(uint16_t, mpi_half_to_float(a) < mpi_half_to_float(b) ? a : b);
		break;
	case ELEMENT_FLOAT:
		MPI_REDUCE_EACH(float, a < b ? a : b);
		break;
	case ELEMENT_DOUBLE:
		MPI_REDUCE_EACH(double, a < b ? a : b);
		break;
	case ELEMENT_LONG_DOUBLE:
		MPI_REDUCE_EACH(long double, a < b ? a : b);
		break;
	case ELEMENT_FLOAT128:
		MPI_REDUCE_EACH(mpi_quad, a < b ? a : b);
		break;
	case ELEMENT_NONE:
		break;
	}
}

void mpi_reduce_max(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
		MPI_REDUCE_EACH(int8_t, a > b ? a : b);
		break;
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, a > b ? a : b);
		break;
	case ELEMENT_INT16:
		MPI_REDUCE_EACH(int16_t, a > b ? a : b);
		break;
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, a > b ? a : b);
		break;
	case ELEMENT_INT32:
		MPI_REDUCE_EACH(int32_t, a > b ? a : b);
		break;
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a > b ? a : b);
		break;
	case ELEMENT_INT64:
		MPI_REDUCE_EACH(int64_t, a > b ? a : b);
		break;
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a > b ? a : b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(__int128, a > b ? a : b);
		break;
	case ELEMENT_FLOAT16:
		MPI_REDUCE_EACH(uint16_t, mpi_half_to_float(a) > mpi_half_to_float(b) ? a : b);
		break;
	case ELEMENT_FLOAT:
		MPI_REDUCE_EACH(float, a > b ? a : b);
		break;
	case ELEMENT_DOUBLE:
		MPI_REDUCE_EACH(double, a > b ? a : b);
		break;
	case ELEMENT_LONG_DOUBLE:
		MPI_REDUCE_EACH(long double, a > b ? a : b);
		break;
	case ELEMENT_FLOAT128:
		MPI_REDUCE_EACH(mpi_quad, a > b ? a : b);
		break;
	case ELEMENT_NONE:
		break;
	}
}
