/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of mpi_f08 that may be sections of arrays with gaps. */
#include "fortran/binding.h"

#define GAPS_ARE_REFUSED                                                                           \
	"a buffer is a section of an array with gaps, which this call cannot take: copy it to an " \
	"array, or describe it by a datatype"

void fortran_contiguous(const char *function, const CFI_cdesc_t *section)
{
	if (!fortran_is_contiguous(section))
		mpisim_foreign_fail(function, GAPS_ARE_REFUSED);
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
		size_t slab = fortran_n_elements(array, i), n_slabs = n / slab;

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

void *fortran_section_begin(struct fortran_section *section, const CFI_cdesc_t *array,
			    MPI_Count count, MPI_Datatype type)
{
	MPI_Datatype element = MPI_DATATYPE_NULL;
	const void *site = section->site;
	size_t n;

	section->count = count;
	section->type = type;
	if (fortran_is_contiguous(array) || count <= 0)
		return fortran_buffer(array->base_addr);
	n = elements_of(site, array, count, type, &element);
	mpisim_foreign_call(site);
	if (n == 0 && section->has_request)
		return fortran_copy_begin(&section->copy, section->function, array,
					  section->is_written);
	if (n == 0)
		mpisim_foreign_fail(section->function, GAPS_ARE_REFUSED
				    " whose items are elements of the section, or parts of one");
	if (n > fortran_n_elements(array, array->rank))
		mpisim_foreign_fail(
		    section->function,
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

void fortran_section_end(struct fortran_section *section, MPI_Request request)
{
	if (section->is_made)
		MPI_Type_free(&section->type);
	fortran_copy_keep(section->copy, request);
}
