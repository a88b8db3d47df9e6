/* SPDX-License-Identifier: BSD-3-Clause */
/* The "external32" representation: big-endian, IEEE formats, sizes of the standard's table, no
 * padding. */
#include <string.h>

#include "mpi/datatype/quad.h"
#include "mpi/datatype/typemap.h"

/* How the elements of a predefined type change on the way. */
struct element_form {
	int n_parts;  /* 2 for complex numbers */
	int memory_B; /* of a part */
	int external_B;
	bool is_signed;
};

/* Sizes differ from those in memory for long (4 bytes outside), wide characters (2) and, on x86,
 * the format of long double. */
static struct element_form form_of(const struct mpi_datatype *type)
{
	struct element_form form = {.n_parts = type->basic == BASIC_COMPLEX ? 2 : 1};

	form.memory_B = form.external_B = (int)type->size_B / form.n_parts;
	form.is_signed = type->basic == BASIC_INTEGER;
	if (type->handle == MPI_LONG || type->handle == MPI_UNSIGNED_LONG)
		form.external_B = 4;
	else if (type->handle == MPI_WCHAR)
		form.external_B = 2;
	return form;
}

static bool is_leaf(const struct mpi_datatype *type)
{
	return !type->map;
}

static MPI_Count size_of_map(const struct mpi_typemap *map)
{
	MPI_Count size_B = 0;

	if (map->kind == MAP_STRIDED)
		return map->n_blocks * map->blocklength * mpi_external_size(map->child);
	for (MPI_Count i = 0; i < map->n_blocks; i++)
		size_B += mpi_map_length(map, i) * mpi_external_size(mpi_map_child(map, i));
	return size_B;
}

MPI_Count mpi_external_size(const struct mpi_datatype *type)
{
	struct element_form form;

	if (!is_leaf(type))
		return size_of_map(type->map);
	form = form_of(type);
	return form.n_parts * form.external_B;
}

static void copy_reversed(unsigned char *to, const unsigned char *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[n - 1 - i];
}

/* Memory is little-endian on every machine this library is built for: numbers are turned around,
 * low bytes kept when shorter. */
static void part_outwards(const struct element_form *form, enum mpi_element element,
			  const unsigned char *memory, unsigned char *external)
{
	long double number;
	mpi_quad quad;

	if (element != ELEMENT_LONG_DOUBLE) {
		copy_reversed(external, memory, form->external_B);
		return;
	}
	memcpy(&number, memory, sizeof number);
	quad = number;
	copy_reversed(external, (const unsigned char *)&quad, sizeof quad);
}

static void part_inwards(const struct element_form *form, enum mpi_element element,
			 unsigned char *memory, const unsigned char *external)
{
	int fill = form->is_signed && (external[0] & 0x80) ? 0xff : 0;
	long double number;
	mpi_quad quad;

	if (element != ELEMENT_LONG_DOUBLE) {
		copy_reversed(memory, external, form->external_B);
		memset(memory + form->external_B, fill,
		       (size_t)(form->memory_B - form->external_B));
		return;
	}
	copy_reversed((unsigned char *)&quad, external, sizeof quad);
	number = quad;
	memcpy(memory, &number, sizeof number);
}

struct cursor {
	unsigned char *external;
	bool is_unpacking;
};

static void walk_elements(struct cursor *cursor, const struct mpi_datatype *type, uintptr_t at,
			  MPI_Count count)
{
	struct element_form form = form_of(type);

	for (MPI_Count i = 0; i < count * form.n_parts; i++) {
		if (cursor->is_unpacking)
			part_inwards(&form, type->element, (unsigned char *)at, cursor->external);
		else
			part_outwards(&form, type->element, (const unsigned char *)at,
				      cursor->external);
		at += (uintptr_t)form.memory_B;
		cursor->external += form.external_B;
	}
}

static void walk(struct cursor *cursor, const struct mpi_datatype *type, uintptr_t at,
		 MPI_Count count)
{
	const struct mpi_typemap *map = type->map;

	if (is_leaf(type)) {
		walk_elements(cursor, type, at, count);
		return;
	}
	for (MPI_Count i = 0; i < count; i++, at += (uintptr_t)type->extent_B)
		for (MPI_Count block = 0; block < map->n_blocks; block++)
			walk(cursor, mpi_map_child(map, block),
			     at + (uintptr_t)mpi_map_displacement(map, block),
			     mpi_map_length(map, block));
}

void mpi_external_pack(const struct mpi_datatype *type, const void *buf, MPI_Count count,
		       void *external)
{
	struct cursor cursor = {.external = external};

	walk(&cursor, type, (uintptr_t)buf, count);
}

void mpi_external_unpack(const struct mpi_datatype *type, void *buf, MPI_Count count,
			 const void *external)
{
	struct cursor cursor = {.external = (unsigned char *)external, .is_unpacking = true};

	walk(&cursor, type, (uintptr_t)buf, count);
}
