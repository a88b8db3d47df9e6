/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of mpi_f08 that may be sections of arrays with gaps. */
#include <stdlib.h>
#include <string.h>

#include "fortran/binding.h"

#define GAPS_ARE_REFUSED                                                                           \
	"a buffer is a section of an array with gaps, which this call cannot take: copy it to an " \
	"array, or describe it by a datatype"

/* Whether its elements follow each other: also scalars, arrays without elements and assumed-size
 * arrays, whose last extent is -1. */
static bool is_contiguous(const CFI_cdesc_t *array)
{
	CFI_index_t stride_B = (CFI_index_t)array->elem_len;

	for (int i = 0; i < array->rank; i++) {
		if (array->dim[i].extent == 0)
			return true;
		if (array->dim[i].extent != 1 && array->dim[i].sm != stride_B)
			return false;
		stride_B *= array->dim[i].extent;
	}
	return true;
}

void fortran_contiguous(const char *function, const CFI_cdesc_t *section)
{
	if (!is_contiguous(section))
		mpisim_foreign_fail(function, GAPS_ARE_REFUSED);
}

static size_t n_elements(const CFI_cdesc_t *array, int n_dims)
{
	size_t n = 1;

	for (int i = 0; i < n_dims; i++)
		n *= (size_t)array->dim[i].extent;
	return n;
}

/* Copies between a section and memory without gaps, in the order of array elements. */
static void transfer(const CFI_cdesc_t *section, char *memory, bool is_in)
{
	CFI_index_t at[CFI_MAX_RANK] = {0};
	size_t n = n_elements(section, section->rank), size_B = section->elem_len;
	char *element = section->base_addr;

	for (size_t i = 0; i < n; i++, memory += size_B) {
		int k = 0;

		if (is_in)
			memcpy(memory, element, size_B);
		else
			memcpy(element, memory, size_B);
		while (k < section->rank) {
			element += section->dim[k].sm;
			if (++at[k] < section->dim[k].extent)
				break;
			element -= section->dim[k].sm * section->dim[k].extent;
			at[k++] = 0;
		}
	}
}

void *fortran_copy_begin(struct fortran_copy *copy, const char *function,
			 const CFI_cdesc_t *section)
{
	copy->section = section;
	copy->memory = NULL;
	if (is_contiguous(section))
		return fortran_buffer(section->base_addr);
	copy->memory =
	    fortran_memory(function, n_elements(section, section->rank) * section->elem_len);
	transfer(section, copy->memory, true);
	return copy->memory;
}

void fortran_copy_end(struct fortran_copy *copy, bool was_written)
{
	if (copy->memory && was_written)
		transfer(copy->section, copy->memory, false);
	free(copy->memory);
}

/* The first `n_dims` dimensions of the section as a datatype, `element` being its elements'. */
static MPI_Datatype whole(const void *site, const CFI_cdesc_t *array, int n_dims,
			  MPI_Datatype element)
{
	MPI_Datatype type, next;

	mpisim_foreign_call(site);
	MPI_Type_dup(element, &type);
	for (int i = 0; i < n_dims; i++) {
		mpisim_foreign_call(site);
		MPI_Type_create_hvector_c(array->dim[i].extent, 1, array->dim[i].sm, type, &next);
		mpisim_foreign_call(site);
		MPI_Type_free(&type);
		type = next;
	}
	return type;
}

/* The first `n` elements: as many of the last dimension as are full, then of the one before it. */
static MPI_Datatype part(const void *site, const CFI_cdesc_t *array, size_t n, MPI_Datatype element)
{
	MPI_Count lengths[CFI_MAX_RANK + 1], places[CFI_MAX_RANK + 1], place = 0;
	MPI_Datatype types[CFI_MAX_RANK + 1], result = MPI_DATATYPE_NULL, full;
	int n_parts = 0;

	for (int i = array->rank - 1; i >= 0; i--) {
		size_t slab = n_elements(array, i), n_slabs = n / slab;

		if (n_slabs == 0)
			continue;
		full = whole(site, array, i, element);
		mpisim_foreign_call(site);
		MPI_Type_create_hvector_c((MPI_Count)n_slabs, 1, array->dim[i].sm, full,
					  &types[n_parts]);
		mpisim_foreign_call(site);
		MPI_Type_free(&full);
		lengths[n_parts] = 1;
		places[n_parts++] = place;
		place += (MPI_Count)n_slabs * array->dim[i].sm;
		n %= slab;
	}
	mpisim_foreign_call(site);
	MPI_Type_create_struct_c(n_parts, lengths, places, types, &result);
	for (int i = 0; i < n_parts; i++) {
		mpisim_foreign_call(site);
		MPI_Type_free(&types[i]);
	}
	return result;
}

/*
 * How many elements of the array `count` items are, and the type of one; 0 when items are no
 * elements: types with gaps, or parts of one element in several items' pieces.
 */
static size_t elements_of(const void *site, const CFI_cdesc_t *array, MPI_Count count,
			  MPI_Datatype type, MPI_Datatype *element)
{
	MPI_Count size_B = 0, lb = 0, extent_B = 0, n_of_element;

	mpisim_foreign_call(site);
	MPI_Type_size_c(type, &size_B);
	mpisim_foreign_call(site);
	MPI_Type_get_true_extent_c(type, &lb, &extent_B);
	if (size_B <= 0 || lb != 0 || extent_B != size_B)
		return 0;
	mpisim_foreign_call(site);
	MPI_Type_get_extent_c(type, &lb, &extent_B);
	n_of_element = (MPI_Count)array->elem_len / size_B;
	if (extent_B != size_B || n_of_element * size_B != (MPI_Count)array->elem_len ||
	    count % n_of_element != 0)
		return 0;
	mpisim_foreign_call(site);
	MPI_Type_contiguous_c(n_of_element, type, element);
	return (size_t)(count / n_of_element);
}

void *fortran_section_begin(struct fortran_section *section, const char *function, const void *site,
			    const CFI_cdesc_t *array, MPI_Count count, MPI_Datatype type)
{
	MPI_Datatype element = MPI_DATATYPE_NULL;
	size_t n;

	*section = (struct fortran_section){.count = count, .type = type};
	if (is_contiguous(array) || count <= 0)
		return fortran_buffer(array->base_addr);
	n = elements_of(site, array, count, type, &element);
	mpisim_foreign_call(site);
	if (n == 0)
		mpisim_foreign_fail(function, GAPS_ARE_REFUSED
				    " whose items are elements of the section, or parts of one");
	if (n > n_elements(array, array->rank))
		mpisim_foreign_fail(
		    function,
		    "a buffer is a section of an array with fewer elements than the call names");
	section->count = 1;
	section->type = part(site, array, n, element);
	section->is_made = true;
	mpisim_foreign_call(site);
	MPI_Type_free(&element);
	mpisim_foreign_call(site);
	MPI_Type_commit(&section->type);
	return array->base_addr;
}

void fortran_section_end(struct fortran_section *section)
{
	if (section->is_made)
		MPI_Type_free(&section->type);
}
