/* SPDX-License-Identifier: BSD-3-Clause */
/* MINLOC and MAXLOC. */
#include <stdbool.h>
#include <stdint.h>

#include "mpi/op/reduce.h"

/*
 * The loop over structs of a value and an index; `better` compares a.value and b.value. Member by
 * member: the padding belongs to the program.
 */
#define EACH_PAIR(value_type, index_type, better)                                  \
	do {                                                                       \
		struct pair {                                                      \
			value_type value;                                          \
			index_type index;                                          \
		};                                                                 \
		const struct pair *from = in;                                      \
		struct pair *to = inout;                                           \
		for (size_t i = 0; i < n; i++) {                                   \
			value_type a = from[i].value, b = to[i].value;             \
			if ((better) || (a == b && from[i].index < to[i].index)) { \
				to[i].value = a;                                   \
				to[i].index = from[i].index;                       \
			}                                                          \
		}                                                                  \
	} while (0)

void mpi_reduce_minloc(enum mpi_element value, enum mpi_element index, const void *in, void *inout,
		       size_t n)
{
	bool is_real_index = index != ELEMENT_INT32; /* MPI_2REAL and MPI_2DOUBLE_PRECISION */

	switch (value) {
	case ELEMENT_FLOAT:
		if (is_real_index)
			EACH_PAIR(float, float, a < b);
		else
			EACH_PAIR(float, int32_t, a < b);
		break;
	case ELEMENT_DOUBLE:
		if (is_real_index)
			EACH_PAIR(double, double, a < b);
		else
			EACH_PAIR(double, int32_t, a < b);
		break;
	case ELEMENT_LONG_DOUBLE:
		EACH_PAIR(long double, int32_t, a < b);
		break;
	case ELEMENT_INT16:
		EACH_PAIR(int16_t, int32_t, a < b);
		break;
	case ELEMENT_INT32:
		EACH_PAIR(int32_t, int32_t, a < b);
		break;
	case ELEMENT_INT64:
		EACH_PAIR(int64_t, int32_t, a < b);
		break;
	default:
		break;
	}
}

void mpi_reduce_maxloc(enum mpi_element value, enum mpi_element index, const void *in, void *inout,
		       size_t n)
{
	bool is_real_index = index != ELEMENT_INT32; /* MPI_2REAL and MPI_2DOUBLE_PRECISION */

	switch (value) {
	case ELEMENT_FLOAT:
		if (is_real_index)
			EACH_PAIR(float, float, a > b);
		else
			EACH_PAIR(float, int32_t, a > b);
		break;
	case ELEMENT_DOUBLE:
		if (is_real_index)
			EACH_PAIR(double, double, a > b);
		else
			EACH_PAIR(double, int32_t, a > b);
		break;
	case ELEMENT_LONG_DOUBLE:
		EACH_PAIR(long double, int32_t, a > b);
		break;
	case ELEMENT_INT16:
		EACH_PAIR(int16_t, int32_t, a > b);
		break;
	case ELEMENT_INT32:
		EACH_PAIR(int32_t, int32_t, a > b);
		break;
	case ELEMENT_INT64:
		EACH_PAIR(int64_t, int32_t, a > b);
		break;
	default:
		break;
	}
}
