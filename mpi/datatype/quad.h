/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_QUAD_H
#define MPI_DATATYPE_QUAD_H

/* IEEE binary128 on every compiler and machine we build on: __float128 and _Float128 each exist on
 * some of them only. */
typedef float mpi_quad __attribute__((mode(TF)));
typedef _Complex float mpi_complex_quad __attribute__((mode(TC)));

#endif
