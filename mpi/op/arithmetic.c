/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums and products. Integers are added and multiplied as unsigned ones: the bits are the same, and
 * overflow wraps. */
#include "mpi/datatype/quad.h"
#include "mpi/op/half.h"
#include "mpi/op/reduce.h"

void mpi_reduce_sum(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, (unsigned)a + b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, (unsigned)a + b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a + b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a + b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, a + b);
		break;
	case ELEMENT_FLOAT16:
		MPI_REDUCE_EACH(uint16_t,
				mpi_half_from_float(mpi_half_to_float(a) + mpi_half_to_float(b)));
		break;
	case ELEMENT_FLOAT:
		MPI_REDUCE_EACH(float, a + b);
		break;
	case ELEMENT_DOUBLE:
		MPI_REDUCE_EACH(double, a + b);
		break;
	case ELEMENT_LONG_DOUBLE:
		MPI_REDUCE_EACH(long double, a + b);
		break;
	case ELEMENT_FLOAT128:
		MPI_REDUCE_EACH(mpi_quad, a + b);
		break;
	case ELEMENT_NONE:
		break;
	}
}

void mpi_reduce_product(enum mpi_element element, const void *in, void *inout, size_t n)
{
	switch (element) {
	case ELEMENT_INT8:
	case ELEMENT_UINT8:
		MPI_REDUCE_EACH(uint8_t, (unsigned)a * b);
		break;
	case ELEMENT_INT16:
	case ELEMENT_UINT16:
		MPI_REDUCE_EACH(uint16_t, (unsigned)a * b);
		break;
	case ELEMENT_INT32:
	case ELEMENT_UINT32:
		MPI_REDUCE_EACH(uint32_t, a * b);
		break;
	case ELEMENT_INT64:
	case ELEMENT_UINT64:
		MPI_REDUCE_EACH(uint64_t, a * b);
		break;
	case ELEMENT_INT128:
		MPI_REDUCE_EACH(unsigned __int128, a *b);
		break;
	case ELEMENT_FLOAT16:
		MPI_REDUCE_EACH(uint16_t,
				mpi_half_from_float(mpi_half_to_float(a) * mpi_half_to_float(b)));
		break;
	case ELEMENT_FLOAT:
		MPI_REDUCE_EACH(float, a *b);
		break;
	case ELEMENT_DOUBLE:
		MPI_REDUCE_EACH(double, a *b);
		break;
	case ELEMENT_LONG_DOUBLE:
		MPI_REDUCE_EACH(long double, a *b);
		break;
	case ELEMENT_FLOAT128:
		MPI_REDUCE_EACH(mpi_quad, a * b);
		break;
	case ELEMENT_NONE:
		break;
	}
}

static void half_complex_product(const void *in, void *inout, size_t n)
{
	const uint16_t(*from)[2] = in;
	uint16_t(*to)[2] = inout;

	for (size_t i = 0; i < n; i++) {
		float a = mpi_half_to_float(from[i][0]), b = mpi_half_to_float(from[i][1]);
		float c = mpi_half_to_float(to[i][0]), d = mpi_half_to_float(to[i][1]);

		to[i][0] = mpi_half_from_float(a * c - b * d);
		to[i][1] = mpi_half_from_float(a * d + b * c);
	}
}

void mpi_reduce_complex_product(enum mpi_element part, const void *in, void *inout, size_t n)
{
	switch (part) {
	case ELEMENT_FLOAT16:
		half_complex_product(in, inout, n);
		break;
	case ELEMENT_FLOAT:
		MPI_REDUCE_EACH(float _Complex, a *b);
		break;
	case ELEMENT_DOUBLE:
		MPI_REDUCE_EACH(double _Complex, a *b);
		break;
	case ELEMENT_LONG_DOUBLE:
		MPI_REDUCE_EACH(long double _Complex, a *b);
		break;
	case ELEMENT_FLOAT128:
		MPI_REDUCE_EACH(mpi_complex_quad, a * b);
		break;
	default:
		break;
	}
}
