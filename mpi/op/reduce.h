/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_OP_REDUCE_H
#define MPI_OP_REDUCE_H

#include <stddef.h>

#include "mpi/datatype/datatype.h"

/*
 * The predefined reductions: inout[i] = in[i] op inout[i] for n elements. Each knows the elements
 * it is defined on (mpi_op_accepts has checked) and ignores others.
 */
typedef void (*mpi_reduce_fn)(enum mpi_element element, const void *in, void *inout, size_t n);

void mpi_reduce_sum(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_product(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_complex_product(enum mpi_element part, const void *in, void *inout, size_t n);
void mpi_reduce_min(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_max(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_logical_and(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_logical_or(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_logical_xor(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_bit_and(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_bit_or(enum mpi_element element, const void *in, void *inout, size_t n);
void mpi_reduce_bit_xor(enum mpi_element element, const void *in, void *inout, size_t n);

/* MINLOC and MAXLOC on pairs of these elements: the better value with its index; of equal values
 * the smaller index. */
void mpi_reduce_minloc(enum mpi_element value, enum mpi_element index, const void *in, void *inout,
		       size_t n);
void mpi_reduce_maxloc(enum mpi_element value, enum mpi_element index, const void *in, void *inout,
		       size_t n);

/* For the functions above, whose arguments are `in` and `inout`: the loop, in which a is an element
 * of `in` and b one of `inout`. */
#define MPI_REDUCE_EACH(type, expression)            \
	do {                                         \
		const type *from = in;               \
		type *to = inout;                    \
		for (size_t i = 0; i < n; i++) {     \
			type a = from[i], b = to[i]; \
			to[i] = (type)(expression);  \
		}                                    \
	} while (0)

#endif
