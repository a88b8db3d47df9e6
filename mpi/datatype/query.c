/* SPDX-License-Identifier: BSD-3-Clause */
/* Size and bounds of types, addresses. */
#include <limits.h>

#include "mpi/datatype/typemap.h"

/* MPI_SUCCESS and *type, or the error of an invalid handle or a missing output. */
static int check(struct mpi_rank *me, MPI_Datatype handle, bool has_outputs,
		 struct mpi_datatype **type)
{
	*type = mpi_datatype_get(me, handle);
	if (!*type)
		return mpi_raise(me, NULL, MPI_ERR_TYPE, "datatype is %s",
				 handle == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
							     : "not a datatype");
	if (!has_outputs)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "an output argument is NULL");
	return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype datatype, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_datatype *type;
	int code = check(me, datatype, size, &type);

	if (code == MPI_SUCCESS)
		*size = type->size_B > INT_MAX ? MPI_UNDEFINED : (int)type->size_B;
	return mpi_leave(me, code);
}

static int size_c(struct mpi_rank *me, MPI_Datatype datatype, MPI_Count *size)
{
	struct mpi_datatype *type;
	int code = check(me, datatype, size, &type);

	if (code == MPI_SUCCESS)
		*size = type->size_B;
	return mpi_leave(me, code);
}

int MPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size)
{
	return size_c(MPI_ENTER(), datatype, size);
}

int MPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
	return size_c(MPI_ENTER(), datatype, size);
}

static int extent(struct mpi_rank *me, MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent_B)
{
	struct mpi_datatype *type;
	int code = check(me, datatype, lb && extent_B, &type);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	*lb = type->lb_B;
	*extent_B = type->extent_B;
	return mpi_leave(me, MPI_SUCCESS);
}

/* MPI_Aint and MPI_Count are the same type where pointers have 64 bits, which the ABI of this
 * library is for. */
int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent_B)
{
	return extent(MPI_ENTER(), datatype, lb, extent_B);
}

int MPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent_B)
{
	return extent(MPI_ENTER(), datatype, lb, extent_B);
}

int MPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent_B)
{
	return extent(MPI_ENTER(), datatype, lb, extent_B);
}

static int true_extent(struct mpi_rank *me, MPI_Datatype datatype, MPI_Count *true_lb,
		       MPI_Count *true_extent_B)
{
	struct mpi_datatype *type;
	int code = check(me, datatype, true_lb && true_extent_B, &type);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	*true_lb = type->true_lb_B;
	*true_extent_B = type->true_extent_B;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent_B)
{
	return true_extent(MPI_ENTER(), datatype, true_lb, true_extent_B);
}

int MPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent_B)
{
	return true_extent(MPI_ENTER(), datatype, true_lb, true_extent_B);
}

int MPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent_B)
{
	return true_extent(MPI_ENTER(), datatype, true_lb, true_extent_B);
}

int MPI_Get_address(const void *location, MPI_Aint *address)
{
	struct mpi_rank *me = MPI_ENTER();

	if (!address)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "address is NULL"));
	*address = (MPI_Aint)location;
	return mpi_leave(me, MPI_SUCCESS);
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
static int bound(struct mpi_rank *me, MPI_Datatype datatype, int lb_factor, int extent_factor,
		 MPI_Aint *out)
{
	struct mpi_datatype *type;
	int code = check(me, datatype, out, &type);

	if (code == MPI_SUCCESS)
		*out = lb_factor * type->lb_B + extent_factor * type->extent_B;
	return mpi_leave(me, code);
}

int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent_B)
{
	return bound(MPI_ENTER(), datatype, 0, 1, extent_B);
}

int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
	return bound(MPI_ENTER(), datatype, 1, 0, displacement);
}

int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
	return bound(MPI_ENTER(), datatype, 1, 1, displacement);
}
