/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a status says was received, counted in items and in basic elements. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/core/status.h"
#include "mpi/datatype/typemap.h"

/* Basic elements in the first size_B (less than one item) bytes of an item. */
static MPI_Count elements_of_map(const struct mpi_typemap *map, MPI_Count size_B)
{
	MPI_Count n_elements = 0, first = 0;

	if (map->kind == MAP_STRIDED) { /* all blocks hold the same: skip the whole ones at once */
		first = size_B / (map->blocklength * map->child->size_B);
		n_elements = first * map->blocklength * map->child->n_elements;
		size_B -= first * map->blocklength * map->child->size_B;
	}
	for (MPI_Count i = first; i < map->n_blocks && size_B > 0; i++) {
		const struct mpi_datatype *child = mpi_map_child(map, i);
		MPI_Count block_B = mpi_map_length(map, i) * child->size_B;

		if (block_B > size_B) {
			MPI_Count n = mpi_datatype_elements(child, size_B);

			return n < 0 ? n : n_elements + n;
		}
		n_elements += mpi_map_length(map, i) * child->n_elements;
		size_B -= block_B;
	}
	return n_elements;
}

MPI_Count mpi_datatype_elements(const struct mpi_datatype *type, MPI_Count size_B)
{
	MPI_Count n_items, rest_B, n = 0;

	if (size_B == 0)
		return 0;
	if (type->size_B == 0)
		return -1;
	n_items = size_B / type->size_B;
	rest_B = size_B % type->size_B;
	if (rest_B > 0)
		n = type->map ? elements_of_map(type->map, rest_B) : -1;
	return n < 0 ? -1 : n_items * type->n_elements + n;
}

/* Bytes of the first n (less than one item has) elements of an item. */
static MPI_Count bytes_of_map(const struct mpi_typemap *map, MPI_Count n)
{
	MPI_Count size_B = 0;

	for (MPI_Count i = 0; i < map->n_blocks && n > 0; i++) {
		const struct mpi_datatype *child = mpi_map_child(map, i);
		MPI_Count in_block = mpi_map_length(map, i) * child->n_elements;

		if (in_block > n)
			return size_B + mpi_datatype_bytes(child, n);
		size_B += mpi_map_length(map, i) * child->size_B;
		n -= in_block;
	}
	return size_B;
}

MPI_Count mpi_datatype_bytes(const struct mpi_datatype *type, MPI_Count n_elements)
{
	MPI_Count rest;

	if (type->n_elements == 0)
		return 0;
	rest = n_elements % type->n_elements;
	return n_elements / type->n_elements * type->size_B +
	       (rest > 0 ? bytes_of_map(type->map, rest) : 0);
}

static MPI_Count items_received(const MPI_Status *status, const struct mpi_datatype *type)
{
	MPI_Count size_B = mpi_status_bytes(status);

	if (type->size_B == 0)
		return size_B == 0 ? 0 : MPI_UNDEFINED;
	return size_B % type->size_B == 0 ? size_B / type->size_B : MPI_UNDEFINED;
}

int mpi_get_count(struct mpi_rank *me, const MPI_Status *status, struct mpi_datatype *type,
		  MPI_Count *count)
{
	*count = items_received(status, type);
	return MPI_SUCCESS;
}

int mpi_get_elements(struct mpi_rank *me, const MPI_Status *status, struct mpi_datatype *type,
		     MPI_Count *count)
{
	MPI_Count n = mpi_datatype_elements(type, mpi_status_bytes(status));

	*count = n < 0 ? MPI_UNDEFINED : n;
	return MPI_SUCCESS;
}

int mpi_status_set_elements(struct mpi_rank *me, MPI_Status *status, struct mpi_datatype *type,
			    MPI_Count count)
{
	if (count < 0)
		return mpi_raise(me, NULL, MPI_ERR_COUNT, "count is %lld, it must not be negative",
				 (long long)count);
	mpi_status_set_bytes(status, mpi_datatype_bytes(type, count));
	return MPI_SUCCESS;
}
