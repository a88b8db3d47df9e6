/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables and their types, by libdw. */
#include "mpi/verify/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/map.h"

_Static_assert(sizeof(Dwarf_Die) <= DEBUGINFO_TYPE_B, "a type does not fit");

enum { X86_64_BP = 6, X86_64_SP = 7 }; /* System V ABI for x86-64, figure 3.36 */

struct global {
	uint64_t vaddr, size_B;
	Dwarf_Die die;
};

struct variable { /* of a function; or a parameter */
	const char *name;
	Dwarf_Die type, inner; /* inner: what it points to */
	uint64_t size_B;
	bool is_pointer;
	Dwarf_Op ops[2]; /* [n_ops] where it lies */
	size_t n_ops;
};

struct scope {			    /* what is known at an address of the code */
	struct variable *variables; /* [n] */
	size_t n;
	bool has_base;
	Dwarf_Op base; /* of the frame */
};

struct mpi_debuginfo {
	Dwarf *dwarf;
	Dwarf_CFI *cfi;
	struct global *globals; /* [n_globals] by vaddr */
	size_t n_globals;
	struct util_map scopes; /* by address + 1 */
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
		if (dwarf_tag(&child) != DW_TAG_variable || !fixed_place(&child, &vaddr) ||
		    !type_of(&child, &type))
			continue;
		if (!util_array_room(&info->globals, info->n_globals, sizeof *info->globals))
			return;
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
	for (size_t i = 0; i < info->scopes.n_slots; i++)
		if (info->scopes.slots[i].item)
			free(((struct scope *)info->scopes.slots[i].item)->variables);
	util_map_finish_items(&info->scopes);
	dwarf_cfi_end(info->cfi);
	dwarf_end(info->dwarf);
	free(info->globals);
	free(info);
}

/* --- variables of the functions around a place --- */

static bool frame_address(struct mpi_debuginfo *info, uint64_t pc, Dwarf_Op *out)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t n;
	bool is_known;

	if (!info->cfi || dwarf_cfi_addrframe(info->cfi, pc, &frame))
		return false;
	is_known = dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1;
	if (is_known)
		*out = ops[0];
	free(frame);
	return is_known;
}

static bool frame_base(struct mpi_debuginfo *info, uint64_t pc, Dwarf_Die *dies, int n_dies,
		       Dwarf_Op *out)
{
	for (int i = 0; i < n_dies; i++) {
		Dwarf_Attribute attribute;
		Dwarf_Op *ops;
		size_t n;

		if (dwarf_tag(&dies[i]) != DW_TAG_subprogram ||
		    !dwarf_attr(&dies[i], DW_AT_frame_base, &attribute) ||
		    dwarf_getlocation_addr(&attribute, pc, &ops, &n, 1) != 1 || n != 1)
			continue;
		*out = ops[0];
		return ops[0].atom != DW_OP_call_frame_cfa || frame_address(info, pc, out);
	}
	return false;
}

static void add_variable(struct scope *scope, uint64_t pc, Dwarf_Die *die)
{
	struct variable variable = {.name = dwarf_diename(die)};
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	int tag;

	if (!variable.name || !type_of(die, &variable.type) ||
	    !dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, &variable.n_ops, 1) != 1 ||
	    variable.n_ops == 0 || variable.n_ops > 2 ||
	    !util_array_room(&scope->variables, scope->n, sizeof variable))
		return;
	memcpy(variable.ops, ops, variable.n_ops * sizeof *ops);
	tag = dwarf_tag(&variable.type);
	variable.size_B = size_of(&variable.type);
	variable.is_pointer = (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) &&
			      type_of(&variable.type, &variable.inner);
	scope->variables[scope->n++] = variable;
}

static void add_variables(struct scope *scope, uint64_t pc, Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_variable ||
		    dwarf_tag(&child) == DW_TAG_formal_parameter)
			add_variable(scope, pc, &child);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void read_scope(struct mpi_debuginfo *info, uint64_t pc, struct scope *out)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit, *dies;
	int n;

	while (next_unit(info->dwarf, &at, &unit)) {
		if (dwarf_haspc(&unit, pc) != 1)
			continue;
		n = dwarf_getscopes(&unit, pc, &dies);
		if (n <= 0)
			return;
		out->has_base = frame_base(info, pc, dies, n, &out->base);
		for (int i = 0; i < n; i++)
			add_variables(out, pc, &dies[i]);
		free(dies);
		return;
	}
}

/* Calls from one place are many: what is there is read once. NULL: out of memory. */
static const struct scope *scope_at(struct mpi_debuginfo *info, uint64_t pc)
{
	struct util_map_slot *slot = util_map_find(&info->scopes, pc + 1);
	struct scope *scope = slot ? slot->item : calloc(1, sizeof *scope);

	if (slot || !scope)
		return scope;
	if (util_map_put(&info->scopes, pc + 1, scope)) {
		free(scope);
		return NULL;
	}
	read_scope(info, pc, scope);
	return scope;
}

/* --- where they lie --- */

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

struct scan {
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
static bool find_place(const struct scan *scan, const struct variable *variable, uintptr_t *at,
		       bool *is_fixed)
{
	const struct mpi_debuginfo_place *place = scan->search->place;
	const Dwarf_Op *ops = variable->ops;

	*is_fixed = ops[0].atom == DW_OP_addr;
	if (*is_fixed) {
		*at = place->bias + ops[0].number;
	} else if (ops[0].atom == DW_OP_fbreg && scan->has_base) {
		*at = scan->base + ops[0].number;
	} else if (ops[0].atom < DW_OP_breg0 || !evaluate(place, ops, at)) {
		return false;
	}
	if (variable->n_ops == 2 && ops[1].atom == DW_OP_deref &&
	    is_readable(scan, *at, *is_fixed)) {
		*at = *(const uintptr_t *)*at; /* arguments of Fortran */
		return true;
	}
	return variable->n_ops == 1;
}

static void tell(const struct scan *scan, const char *name, const Dwarf_Die *type, uintptr_t at,
		 bool is_pointed_at)
{
	struct mpi_debuginfo_object object = {
	    .name = name, .is_pointed_at = is_pointed_at, .at = at};

	memcpy(object.type, type, sizeof *type);
	object.size_B = size_of((Dwarf_Die *)(void *)object.type);
	if (object.name && object.size_B > 0)
		scan->search->visit(scan->search->context, &object);
}

static void look_at_variable(const struct scan *scan, const struct variable *variable)
{
	const struct mpi_debuginfo_search *search = scan->search;
	uintptr_t at, pointer;
	bool is_fixed;

	if (!find_place(scan, variable, &at, &is_fixed))
		return;
	if (search->at >= at && search->at - at < variable->size_B)
		tell(scan, variable->name, &variable->type, at, false);
	if (!variable->is_pointer || !is_readable(scan, at, is_fixed))
		return;
	memcpy(&pointer, (const void *)at, sizeof pointer);
	if (pointer == search->at || search->is_together(search->context, pointer, search->at))
		tell(scan, variable->name, &variable->inner, pointer, true);
}

static void look_at_globals(const struct mpi_debuginfo *info, const struct scan *scan)
{
	uint64_t vaddr = scan->search->at - scan->search->place->bias;

	for (size_t i = 0; i < info->n_globals && info->globals[i].vaddr <= vaddr; i++)
		if (vaddr - info->globals[i].vaddr < info->globals[i].size_B) {
			Dwarf_Die type;

			if (type_of(&info->globals[i].die, &type))
				tell(scan, dwarf_diename(&info->globals[i].die), &type,
				     scan->search->place->bias + info->globals[i].vaddr, false);
		}
}

void mpi_debuginfo_search(struct mpi_debuginfo *info, const struct mpi_debuginfo_search *search)
{
	struct scan scan = {.search = search};
	const struct scope *scope = scope_at(info, search->place->pc);

	look_at_globals(info, &scan);
	if (!scope)
		return;
	scan.has_base = scope->has_base && evaluate(search->place, &scope->base, &scan.base);
	for (size_t i = 0; i < scope->n; i++)
		look_at_variable(&scan, &scope->variables[i]);
}
