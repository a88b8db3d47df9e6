/* SPDX-License-Identifier: BSD-3-Clause */
/* Logical and bitwise operations: on integers of any sign, and on logicals by the integer of their
 * size. Logical results are 0 and 1. */
#include "mpi/op/reduce.h"

void mpi_reduce_logical_and(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, a && b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, a && b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a && b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a && b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, a &&b);
		break;
	default:
		break;
	}
}

void mpi_reduce_logical_or(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, a || b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, a || b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a || b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a || b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, a || b);
		break;
	default:
		break;
	}
}

void mpi_reduce_logical_xor(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, !a != !b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, !a != !b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, !a != !b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, !a != !b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, !a != !b);
		break;
	default:
		break;
	}
}

void mpi_reduce_bit_and(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, a & b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, a & b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a & b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a & b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, a &b);
		break;
	default:
		break;
	}
}

void mpi_reduce_bit_or(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, a | b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, a | b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a | b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a | b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, a | b);
		break;
	default:
		break;
	}
}

void mpi_reduce_bit_xor(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, a ^ b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, a ^ b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a ^ b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a ^ b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, a ^ b);
		break;
	default:
		break;
	}
}
