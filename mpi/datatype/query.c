/* SPDX-License-Identifier: BSD-3-Clause */
/* Size and bounds of types, addresses. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/datatype/typemap.h"

int mpi_type_size(struct mpi_rank *me, struct mpi_datatype *type, MPI_Count *size)
{
	*size = type->size_B;
	return MPI_SUCCESS;
}

/* MPI_Aint and MPI_Count are the same type where pointers have 64 bits, which the ABI of this
 * library is for. */
int mpi_type_get_extent(struct mpi_rank *me, struct mpi_datatype *type, MPI_Count *lb,
			MPI_Count *extent)
{
	*lb = type->lb_B;
	*extent = type->extent_B;
	return MPI_SUCCESS;
}

int mpi_type_get_true_extent(struct mpi_rank *me, struct mpi_datatype *type, MPI_Count *true_lb,
			     MPI_Count *true_extent)
{
	*true_lb = type->true_lb_B;
	*true_extent = type->true_extent_B;
	return MPI_SUCCESS;
}

int mpi_get_address(struct mpi_rank *me, const void *location, MPI_Aint *address)
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}

/* Plain arithmetic, also before MPI_Init; wraps like addresses do. */
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
	return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
	return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}

/* MPI-1's functions for one bound each, which MPI 3.0 removed: old programs call them. */
int mpi_type_bound(struct mpi_rank *me, int lb_factor, int extent_factor, struct mpi_datatype *type,
		   MPI_Aint *out)
{
	*out = lb_factor * type->lb_B + extent_factor * type->extent_B;
	return MPI_SUCCESS;
}
