/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_OP_OP_H
#define MPI_OP_OP_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/datatype/datatype.h"

/* Reduction operations. */
struct mpi_op {
	MPI_Op handle;
	int n_references;
	bool is_predefined, is_commutative;
	MPI_User_function *user; /* one of the two for a user-defined operation */
	MPI_User_function_c *user_c;
	enum mpi_language language; /* of these */
};

struct mpi_op *mpi_op_get(const struct mpi_rank *me, MPI_Op handle);
void mpi_op_retain(struct mpi_op *op);
void mpi_op_release(struct mpi_rank *me, struct mpi_op *op);
/* Whether `op` is defined on `type` (user-defined ones always are). */
bool mpi_op_accepts(const struct mpi_op *op, const struct mpi_datatype *type);
/* inout[i] = in[i] op inout[i] for `count` items, as the standard's user functions do. On the
 * rank's own fiber. Does nothing when a buffer is absent (--no-alloc). */
void mpi_op_apply(struct mpi_rank *me, const struct mpi_op *op, const struct mpi_datatype *type,
		  const void *in, void *inout, MPI_Count count);

#endif
