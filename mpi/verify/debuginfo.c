/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables and their types, by libdw. */
#include "mpi/verify/dwarf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

_Static_assert(sizeof(Dwarf_Die) <= DEBUGINFO_TYPE_B, "a type does not fit");

/* --- types --- */

bool mpi_debuginfo_type(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, out) && dwarf_peel_type(out, out) == 0;
}

uint64_t mpi_debuginfo_size(Dwarf_Die *type)
{
	Dwarf_Word size_B;

	return dwarf_aggregate_size(type, &size_B) == 0 ? size_B : 0;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attribute) &&
		       dwarf_formudata(&attribute, &value) == 0
		   ? value
		   : otherwise;
}

/* The member that has the byte; false: there is none, or it cannot be told. */
static bool member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *out, uint64_t *begin)
{
	Dwarf_Die child;

	if (dwarf_child(type, &child))
		return false;
	do {
		uint64_t at = number_of(&child, DW_AT_data_member_location, 0), size_B;

		if ((dwarf_tag(&child) != DW_TAG_member &&
		     dwarf_tag(&child) != DW_TAG_inheritance) ||
		    dwarf_hasattr_integrate(&child, DW_AT_bit_size) ||
		    dwarf_hasattr(&child, DW_AT_external) || !mpi_debuginfo_type(&child, out))
			continue;
		size_B = mpi_debuginfo_size(out);
		*begin = at;
		if (offset >= at && offset < at + size_B)
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static void leaf_of_number(Dwarf_Die *type, uint64_t offset, struct mpi_debuginfo_leaf *out)
{
	const char *name = dwarf_diename(type);
	uint64_t encoding = number_of(type, DW_AT_encoding, 0);

	out->size_B = mpi_debuginfo_size(type);
	out->offset_B = offset;
	out->kind = DEBUGINFO_INTEGER;
	if (dwarf_tag(type) == DW_TAG_pointer_type)
		out->kind = DEBUGINFO_POINTER;
	else if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
		out->kind = DEBUGINFO_FLOAT;
	if (encoding == DW_ATE_complex_float) {
		out->size_B /= 2;
		out->offset_B %= out->size_B;
	}
	snprintf(out->name, sizeof out->name, "%s%s",
		 dwarf_tag(type) == DW_TAG_enumeration_type ? "enum " : "",
		 name				  ? name
		 : out->kind == DEBUGINFO_POINTER ? "a pointer"
						  : "a number");
}

static void find_leaf(Dwarf_Die *type, uint64_t offset, struct mpi_debuginfo_leaf *out)
{
	Dwarf_Die inner;
	uint64_t begin;

	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_pointer_type:
		leaf_of_number(type, offset, out);
		return;
	case DW_TAG_array_type:
		if (mpi_debuginfo_type(type, &inner) && mpi_debuginfo_size(&inner) > 0)
			find_leaf(&inner, offset % mpi_debuginfo_size(&inner), out);
		return;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		if (member_at(type, offset, &inner, &begin))
			find_leaf(&inner, offset - begin, out);
		return;
	default: /* unions, … */
		return;
	}
}

/* Further ones of a structure that ends with an array of no or one item may be that array's. */
static bool ends_with_array(Dwarf_Die *type)
{
	Dwarf_Die child, inner, last;
	bool has_last = false;

	if (dwarf_tag(type) != DW_TAG_structure_type || dwarf_child(type, &child))
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_member && mpi_debuginfo_type(&child, &inner)) {
			last = inner;
			has_last = true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	if (!has_last || dwarf_tag(&last) != DW_TAG_array_type ||
	    !mpi_debuginfo_type(&last, &inner))
		return false;
	return mpi_debuginfo_size(&last) <= mpi_debuginfo_size(&inner);
}

void mpi_debuginfo_leaf(const struct mpi_debuginfo_object *object, uintptr_t at,
			struct mpi_debuginfo_leaf *out)
{
	Dwarf_Die type;
	uint64_t offset = at - object->at;

	memcpy(&type, object->type, sizeof type);
	*out = (struct mpi_debuginfo_leaf){.kind = DEBUGINFO_UNKNOWN};
	if (at < object->at || object->size_B == 0 ||
	    (offset >= object->size_B && (!object->is_pointed_at || ends_with_array(&type))))
		return;
	find_leaf(&type, offset % object->size_B, out);
}

/* --- variables of the program --- */

/* Where it always lies. */
static bool fixed_place(Dwarf_Die *variable, uint64_t *vaddr)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &n) || n != 1 || ops[0].atom != DW_OP_addr)
		return false;
	*vaddr = ops[0].number;
	return true;
}

static void add_global(struct mpi_debuginfo *info, Dwarf_Die *die)
{
	Dwarf_Die type;
	uint64_t vaddr;

	if (fixed_place(die, &vaddr) && mpi_debuginfo_type(die, &type) &&
	    util_array_room(&info->globals, info->n_globals, sizeof *info->globals))
		info->globals[info->n_globals++] =
		    (struct global){vaddr, mpi_debuginfo_size(&type), *die};
}

/* What a unit has, and modules of Fortran or namespaces in it. */
static void add_globals(struct mpi_debuginfo *info, Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variable)
			add_global(info, &child);
		else if (tag == DW_TAG_module || tag == DW_TAG_namespace)
			add_globals(info, &child);
	} while (dwarf_siblingof(&child, &child) == 0);
}

bool mpi_debuginfo_next_unit(Dwarf *dwarf, Dwarf_Off *at, Dwarf_Die *out)
{
	Dwarf_Off next;
	size_t header_B;

	while (dwarf_nextcu(dwarf, *at, &next, &header_B, NULL, NULL, NULL) == 0) {
		Dwarf_Off die = *at + header_B;

		*at = next;
		if (dwarf_offdie(dwarf, die, out))
			return true;
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct global *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

struct mpi_debuginfo *mpi_debuginfo_open(int fd)
{
	struct mpi_debuginfo *info;
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	info = dwarf ? calloc(1, sizeof *info) : NULL;
	if (!info) {
		dwarf_end(dwarf);
		return NULL;
	}
	info->dwarf = dwarf;
	info->cfi = dwarf_getcfi_elf(dwarf_getelf(dwarf));
	while (mpi_debuginfo_next_unit(dwarf, &at, &unit))
		add_globals(info, &unit);
	if (info->n_globals > 0)
		qsort(info->globals, info->n_globals, sizeof *info->globals, compare);
	return info;
}

void mpi_debuginfo_close(struct mpi_debuginfo *info)
{
	if (!info)
		return;
	mpi_debuginfo_forget_scopes(info);
	dwarf_cfi_end(info->cfi);
	dwarf_end(info->dwarf);
	free(info->globals);
	free(info);
}
