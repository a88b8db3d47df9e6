/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI-1 that MPI 3.0 removed, for old programs: addresses in integers of the default
 * kind. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "fortran/binding.h"

#define NAMES(name) FORTRAN_ALIAS(pmpi_##name##_, mpi_##name##_)

static int in_default_kind(const char *function, const void *site, MPI_Aint value)
{
	char text[160];

	if (value < INT_MIN || value > INT_MAX) {
		snprintf(text, sizeof text,
			 "the result %lld does not fit in an INTEGER: this function was removed "
			 "from MPI, use the one with INTEGER(KIND=MPI_ADDRESS_KIND)",
			 (long long)value);
		mpisim_foreign_call(site);
		mpisim_foreign_fail(function, text);
	}
	return (int)value;
}

void pmpi_address_(const void *location, int *address, int *ierror)
{
	MPI_Aint address_c = 0;
	int code;

	FORTRAN_CALL();
	code = MPI_Get_address(fortran_buffer(location), &address_c);
	if (code == MPI_SUCCESS)
		*address = in_default_kind("MPI_Address", __builtin_return_address(0), address_c);
	fortran_return(ierror, code);
}
NAMES(address)

void pmpi_type_extent_(const int *datatype, int *extent, int *ierror)
{
	MPI_Datatype type = fortran_handle(DATATYPE, *datatype);
	MPI_Aint lb = 0, extent_c = 0;
	int code;

	FORTRAN_CALL();
	code = MPI_Type_get_extent(type, &lb, &extent_c);
	if (code == MPI_SUCCESS)
		*extent = in_default_kind("MPI_Type_extent", __builtin_return_address(0), extent_c);
	fortran_return(ierror, code);
}
NAMES(type_extent)

void pmpi_type_lb_(const int *datatype, int *displacement, int *ierror)
{
	MPI_Datatype type = fortran_handle(DATATYPE, *datatype);
	MPI_Aint lb = 0, extent = 0;
	int code;

	FORTRAN_CALL();
	code = MPI_Type_get_extent(type, &lb, &extent);
	if (code == MPI_SUCCESS)
		*displacement = in_default_kind("MPI_Type_lb", __builtin_return_address(0), lb);
	fortran_return(ierror, code);
}
NAMES(type_lb)

void pmpi_type_ub_(const int *datatype, int *displacement, int *ierror)
{
	MPI_Datatype type = fortran_handle(DATATYPE, *datatype);
	MPI_Aint lb = 0, extent = 0;
	int code;

	FORTRAN_CALL();
	code = MPI_Type_get_extent(type, &lb, &extent);
	if (code == MPI_SUCCESS)
		*displacement =
		    in_default_kind("MPI_Type_ub", __builtin_return_address(0), lb + extent);
	fortran_return(ierror, code);
}
NAMES(type_ub)

/* --- datatypes --- */

/* NULL when there are none. */
static MPI_Aint *widened(const char *function, int n, const int *array)
{
	MPI_Aint *wide;

	if (n <= 0)
		return NULL;
	wide = fortran_memory(function, (size_t)n * sizeof *wide);
	for (int i = 0; i < n; i++)
		wide[i] = array[i];
	return wide;
}

void pmpi_type_struct_(const int *count, const int *blocklengths, const int *displacements,
		       const int *types, int *newtype, int *ierror)
{
	MPI_Aint *wide = widened("MPI_Type_struct", *count, displacements);
	MPI_Datatype newtype_c = NULL;
	struct fortran_list types_c;
	int code;

	fortran_list_begin(&types_c, FOREIGN_DATATYPE, *count, types);
	FORTRAN_CALL();
	code = MPI_Type_create_struct(*count, blocklengths, wide, (MPI_Datatype *)types_c.handles,
				      &newtype_c);
	fortran_list_end(&types_c, NULL);
	free(wide);
	fortran_number(newtype, newtype_c);
	fortran_return(ierror, code);
}
NAMES(type_struct)

void pmpi_type_hvector_(const int *count, const int *blocklength, const int *stride,
			const int *oldtype, int *newtype, int *ierror)
{
	MPI_Datatype old = fortran_handle(DATATYPE, *oldtype), newtype_c = NULL;
	int code;

	FORTRAN_CALL();
	code = MPI_Type_create_hvector(*count, *blocklength, *stride, old, &newtype_c);
	fortran_number(newtype, newtype_c);
	fortran_return(ierror, code);
}
NAMES(type_hvector)

void pmpi_type_hindexed_(const int *count, const int *blocklengths, const int *displacements,
			 const int *oldtype, int *newtype, int *ierror)
{
	MPI_Datatype old = fortran_handle(DATATYPE, *oldtype), newtype_c = NULL;
	MPI_Aint *wide = widened("MPI_Type_hindexed", *count, displacements);
	int code;

	FORTRAN_CALL();
	code = MPI_Type_create_hindexed(*count, blocklengths, wide, old, &newtype_c);
	free(wide);
	fortran_number(newtype, newtype_c);
	fortran_return(ierror, code);
}
NAMES(type_hindexed)

/* --- error handlers --- */

void pmpi_errhandler_create_(fortran_procedure *function, int *errhandler, int *ierror)
{
	MPI_Errhandler errhandler_c = NULL;
	int code;

	FORTRAN_CALL();
	mpisim_foreign_language(MPI_LANGUAGE_FORTRAN);
	code = MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)function, &errhandler_c);
	mpisim_foreign_language(MPI_LANGUAGE_C);
	fortran_number(errhandler, errhandler_c);
	fortran_return(ierror, code);
}
NAMES(errhandler_create)

void pmpi_errhandler_set_(const int *comm, const int *errhandler, int *ierror)
{
	MPI_Errhandler errhandler_c = fortran_handle(ERRHANDLER, *errhandler);
	MPI_Comm comm_c = fortran_handle(COMM, *comm);

	FORTRAN_CALL();
	fortran_return(ierror, MPI_Comm_set_errhandler(comm_c, errhandler_c));
}
NAMES(errhandler_set)

void pmpi_errhandler_get_(const int *comm, int *errhandler, int *ierror)
{
	MPI_Comm comm_c = fortran_handle(COMM, *comm);
	MPI_Errhandler errhandler_c = NULL;
	int code;

	FORTRAN_CALL();
	code = MPI_Comm_get_errhandler(comm_c, &errhandler_c);
	fortran_number(errhandler, errhandler_c);
	fortran_return(ierror, code);
}
NAMES(errhandler_get)
