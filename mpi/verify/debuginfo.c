/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables and their types, by libdw. */
#include "mpi/verify/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(Dwarf_Die) <= DEBUGINFO_TYPE_B, "a type does not fit");

enum { X86_64_BP = 6, X86_64_SP = 7 }; /* System V ABI for x86-64, figure 3.36 */

struct global {
	uint64_t vaddr, size_B;
	Dwarf_Die die;
};

struct mpi_debuginfo {
	Dwarf *dwarf;
	Dwarf_CFI *cfi;
	struct global *globals; /* [n_globals] by vaddr */
	size_t n_globals, capacity;
};

/* --- types --- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, out) && dwarf_peel_type(out, out) == 0;
}

static uint64_t size_of(Dwarf_Die *type)
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
		    dwarf_hasattr(&child, DW_AT_external) || !type_of(&child, out))
			continue;
		size_B = size_of(out);
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

	out->size_B = size_of(type);
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
		if (type_of(type, &inner) && size_of(&inner) > 0)
			find_leaf(&inner, offset % size_of(&inner), out);
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
		if (dwarf_tag(&child) == DW_TAG_member && type_of(&child, &inner)) {
			last = inner;
			has_last = true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	if (!has_last || dwarf_tag(&last) != DW_TAG_array_type || !type_of(&last, &inner))
		return false;
	return size_of(&last) <= size_of(&inner);
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

static void add_globals(struct mpi_debuginfo *info, Dwarf_Die *unit)
{
	Dwarf_Die child, type;
	uint64_t vaddr;

	if (dwarf_child(unit, &child))
		return;
	do {
		struct global *larger;

		if (dwarf_tag(&child) != DW_TAG_variable || !fixed_place(&child, &vaddr) ||
		    !type_of(&child, &type))
			continue;
		if (info->n_globals == info->capacity) {
			info->capacity = 2 * info->capacity + 64;
			larger = realloc(info->globals, info->capacity * sizeof *larger);
			if (!larger)
				return;
			info->globals = larger;
		}
		info->globals[info->n_globals++] = (struct global){vaddr, size_of(&type), child};
	} while (dwarf_siblingof(&child, &child) == 0);
}

static bool next_unit(Dwarf *dwarf, Dwarf_Off *at, Dwarf_Die *out)
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
	while (next_unit(dwarf, &at, &unit))
		add_globals(info, &unit);
	if (info->n_globals > 0)
		qsort(info->globals, info->n_globals, sizeof *info->globals, compare);
	return info;
}

void mpi_debuginfo_close(struct mpi_debuginfo *info)
{
	if (!info)
		return;
	dwarf_cfi_end(info->cfi);
	dwarf_end(info->dwarf);
	free(info->globals);
	free(info);
}

/* --- variables of the functions around a place --- */

static bool reg(const struct mpi_debuginfo_place *place, unsigned number, uintptr_t *out)
{
	*out = number == X86_64_BP ? place->bp : place->sp;
	return number == X86_64_BP || number == X86_64_SP;
}

/* A register with an offset. */
static bool evaluate(const struct mpi_debuginfo_place *place, const Dwarf_Op *op, uintptr_t *out)
{
	uint64_t offset = op->number;

	if (op->atom == DW_OP_bregx) {
		offset = op->number2;
		if (!reg(place, (unsigned)op->number, out))
			return false;
	} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		if (!reg(place, op->atom - DW_OP_breg0, out))
			return false;
	} else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		offset = 0;
		if (!reg(place, op->atom - DW_OP_reg0, out))
			return false;
	} else {
		return false;
	}
	*out += offset;
	return true;
}

static bool frame_address(struct mpi_debuginfo *info, const struct mpi_debuginfo_place *place,
			  uintptr_t *out)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t n;
	bool is_known = false;

	if (!info->cfi || dwarf_cfi_addrframe(info->cfi, place->pc, &frame))
		return false;
	if (dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1)
		is_known = evaluate(place, ops, out);
	free(frame);
	return is_known;
}

static bool frame_base(struct mpi_debuginfo *info, const struct mpi_debuginfo_place *place,
		       Dwarf_Die *scopes, int n_scopes, uintptr_t *out)
{
	for (int i = 0; i < n_scopes; i++) {
		Dwarf_Attribute attribute;
		Dwarf_Op *ops;
		size_t n;

		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram ||
		    !dwarf_attr(&scopes[i], DW_AT_frame_base, &attribute) ||
		    dwarf_getlocation_addr(&attribute, place->pc, &ops, &n, 1) != 1 || n != 1)
			continue;
		return ops[0].atom == DW_OP_call_frame_cfa ? frame_address(info, place, out)
							   : evaluate(place, ops, out);
	}
	return false;
}

struct scan {
	struct mpi_debuginfo *info;
	const struct mpi_debuginfo_search *search;
	bool has_base;
	uintptr_t base;
};

static bool is_readable(const struct scan *scan, uintptr_t at, bool is_fixed)
{
	const struct mpi_debuginfo_place *place = scan->search->place;

	return is_fixed || (at >= place->stack && at + sizeof at <= place->stack_end);
}

/* Where a variable lies now; *is_fixed: not on a stack. */
static bool find_place(const struct scan *scan, Dwarf_Die *variable, uintptr_t *at, bool *is_fixed)
{
	const struct mpi_debuginfo_place *place = scan->search->place;
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	*is_fixed = false;
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, place->pc, &ops, &n, 1) != 1 || n == 0 || n > 2)
		return false;
	if (ops[0].atom == DW_OP_addr) {
		*is_fixed = true;
		*at = place->bias + ops[0].number;
	} else if (ops[0].atom == DW_OP_fbreg && scan->has_base) {
		*at = scan->base + ops[0].number;
	} else if (ops[0].atom < DW_OP_breg0 || !evaluate(place, ops, at)) {
		return false;
	}
	if (n == 2 && ops[1].atom == DW_OP_deref && is_readable(scan, *at, *is_fixed)) {
		*at = *(const uintptr_t *)*at; /* arguments of Fortran */
		return true;
	}
	return n == 1;
}

static void tell(const struct scan *scan, Dwarf_Die *variable, Dwarf_Die *type, uintptr_t at,
		 bool is_pointed_at)
{
	struct mpi_debuginfo_object object = {.name = dwarf_diename(variable),
					      .is_pointed_at = is_pointed_at,
					      .at = at,
					      .size_B = size_of(type)};

	memcpy(object.type, type, sizeof *type);
	if (object.name && object.size_B > 0)
		scan->search->visit(scan->search->context, &object);
}

static void look_at_variable(const struct scan *scan, Dwarf_Die *variable)
{
	const struct mpi_debuginfo_search *search = scan->search;
	Dwarf_Die type, inner;
	uintptr_t at, pointer;
	bool is_fixed;

	if (!type_of(variable, &type) || !find_place(scan, variable, &at, &is_fixed))
		return;
	if (search->at >= at && search->at - at < size_of(&type))
		tell(scan, variable, &type, at, false);
	if ((dwarf_tag(&type) != DW_TAG_pointer_type &&
	     dwarf_tag(&type) != DW_TAG_reference_type) ||
	    !is_readable(scan, at, is_fixed) || !type_of(&type, &inner))
		return;
	memcpy(&pointer, (const void *)at, sizeof pointer);
	if (pointer == search->at || search->is_together(search->context, pointer, search->at))
		tell(scan, variable, &inner, pointer, true);
}

static void look_at_scope(const struct scan *scan, Dwarf_Die *scope)
{
	Dwarf_Die child;

	if (dwarf_child(scope, &child))
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_variable ||
		    dwarf_tag(&child) == DW_TAG_formal_parameter)
			look_at_variable(scan, &child);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void look_at_globals(const struct scan *scan)
{
	const struct mpi_debuginfo *info = scan->info;
	uint64_t vaddr = scan->search->at - scan->search->place->bias;

	for (size_t i = 0; i < info->n_globals && info->globals[i].vaddr <= vaddr; i++)
		if (vaddr - info->globals[i].vaddr < info->globals[i].size_B) {
			Dwarf_Die type;

			if (type_of(&info->globals[i].die, &type))
				tell(scan, &info->globals[i].die, &type,
				     scan->search->place->bias + info->globals[i].vaddr, false);
		}
}

void mpi_debuginfo_search(struct mpi_debuginfo *info, const struct mpi_debuginfo_search *search)
{
	struct scan scan = {.info = info, .search = search};
	Dwarf_Off at = 0;
	Dwarf_Die unit, *scopes;

	look_at_globals(&scan);
	while (next_unit(info->dwarf, &at, &unit)) {
		int n;

		if (dwarf_haspc(&unit, search->place->pc) != 1)
			continue;
		n = dwarf_getscopes(&unit, search->place->pc, &scopes);
		if (n <= 0)
			return;
		scan.has_base = frame_base(info, search->place, scopes, n, &scan.base);
		for (int i = 0; i < n; i++)
			look_at_scope(&scan, &scopes[i]);
		free(scopes);
		return;
	}
}
