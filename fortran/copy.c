/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies without gaps of sections of arrays with gaps: for the time of a call, or of what it
 * starts. */
#include <stdlib.h>
#include <string.h>

#include "fortran/binding.h"

/* One block of memory: the struct, the section's descriptor, the copy, and what it was. */
struct fortran_copy {
	struct mpi_foreign_memory memory; /* first */
	CFI_cdesc_t *section;
	char *data, *before; /* NULL: the call does not write to the section */
	size_t n;	     /* elements */
};

bool fortran_is_contiguous(const CFI_cdesc_t *array)
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

size_t fortran_n_elements(const CFI_cdesc_t *array, int n_dims)
{
	size_t n = 1;

	for (int i = 0; i < n_dims; i++)
		n *= (size_t)array->dim[i].extent;
	return n;
}

/* The element after `element`, whose indices are `at`, in the order of array elements. */
static char *next_of(const CFI_cdesc_t *section, CFI_index_t at[], char *element)
{
	for (int k = 0; k < section->rank; k++) {
		element += section->dim[k].sm;
		if (++at[k] < section->dim[k].extent)
			break;
		element -= section->dim[k].sm * section->dim[k].extent;
		at[k] = 0;
	}
	return element;
}

/* Not by memcpy, which is the program's: whoever checks it would see an access that is none of its own. */
static void copy_element(char *to, const char *from, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++)
		((volatile char *)to)[i] = from[i];
}

static void fetch(struct mpi_foreign_memory *memory)
{
	struct fortran_copy *copy = (struct fortran_copy *)memory;
	CFI_index_t at[CFI_MAX_RANK] = {0};
	size_t size_B = copy->section->elem_len;
	char *element = copy->section->base_addr;

	for (size_t i = 0; i < copy->n; i++) {
		copy_element(copy->data + i * size_B, element, size_B);
		element = next_of(copy->section, at, element);
	}
	if (copy->before)
		memcpy(copy->before, copy->data, copy->n * size_B);
}

/* Only what came: the rest of the section is the program's, and may have changed meanwhile. */
static void give(struct mpi_foreign_memory *memory)
{
	struct fortran_copy *copy = (struct fortran_copy *)memory;
	CFI_index_t at[CFI_MAX_RANK] = {0};
	size_t size_B = copy->section->elem_len;
	char *element = copy->section->base_addr;

	if (!copy->before)
		return;
	for (size_t i = 0; i < copy->n; i++) {
		char *data = copy->data + i * size_B, *before = copy->before + i * size_B;

		if (memcmp(data, before, size_B) != 0) {
			copy_element(element, data, size_B);
			memcpy(before, data, size_B);
		}
		element = next_of(copy->section, at, element);
	}
}

void *fortran_copy_begin(struct fortran_copy **out, const char *function,
			 const CFI_cdesc_t *section, bool is_written)
{
	size_t section_B = sizeof *section + (size_t)section->rank * sizeof section->dim[0];
	struct fortran_copy *copy;
	size_t n, data_B;

	*out = NULL;
	if (fortran_is_contiguous(section))
		return fortran_buffer(section->base_addr);
	n = fortran_n_elements(section, section->rank);
	data_B = n * section->elem_len;
	copy = mpisim_foreign_allocate(sizeof *copy + section_B + data_B * (is_written ? 2 : 1));
	if (!copy) {
		mpisim_foreign_fail(function, "out of memory for a copy of a section of an array");
		return NULL;
	}
	*copy = (struct fortran_copy){.memory = {.fetch = fetch, .give = give}, .n = n};
	copy->section = (CFI_cdesc_t *)(copy + 1);
	copy->data = (char *)copy->section + section_B;
	copy->before = is_written ? copy->data + data_B : NULL;
	memcpy(copy->section, section, section_B);
	fetch(&copy->memory);
	*out = copy;
	return copy->data;
}

void fortran_copy_end(struct fortran_copy *copy)
{
	if (!copy)
		return;
	give(&copy->memory);
	mpisim_foreign_keep(MPI_REQUEST_NULL, &copy->memory);
}

void fortran_copy_keep(struct fortran_copy *copy, MPI_Request request)
{
	if (copy)
		mpisim_foreign_keep(request, &copy->memory);
}
