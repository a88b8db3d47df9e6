/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of functions that are under way, by libdw. */
#include "mpi/verify/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

enum { X86_64_BP = 6, X86_64_SP = 7 }; /* System V ABI for x86-64, figure 3.36 */

struct variable { /* of a function; or a parameter */
	const char *name;
	Dwarf_Die type, inner; /* inner: of what it points to, or of an array's items */
	uint64_t size_B;
	enum {
		VARIABLE_PLAIN,
		VARIABLE_POINTS, /* its first word is the address: pointers, descriptors of Fortran */
		VARIABLE_ENDLESS, /* an array whose end is not known */
	} kind;
	Dwarf_Op ops[2]; /* [n_ops] where it lies */
	size_t n_ops;
};

struct scope {			    /* what is known at an address of the code */
	struct variable *variables; /* [n] */
	size_t n;
	bool has_base;
	Dwarf_Op base; /* of the frame */
};

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

static bool frame_base(struct mpi_debuginfo *info, uint64_t pc, Dwarf_Die *function, Dwarf_Op *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, &n, 1) != 1 || n != 1)
		return false;
	*out = ops[0];
	return ops[0].atom != DW_OP_call_frame_cfa || frame_address(info, pc, out);
}

/* Arrays of Fortran that are allocated, pointers or of assumed shape: their descriptor begins with the address. */
static bool is_descriptor(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_attr_integrate(type, DW_AT_data_location, &attribute) &&
	       dwarf_getlocation(&attribute, &ops, &n) == 0 && n == 2 &&
	       ops[0].atom == DW_OP_push_object_address && ops[1].atom == DW_OP_deref;
}

static int kind_of(struct variable *variable)
{
	int tag = dwarf_tag(&variable->type);
	bool is_array = tag == DW_TAG_array_type;

	if ((!is_array && tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type) ||
	    !mpi_debuginfo_type(&variable->type, &variable->inner))
		return VARIABLE_PLAIN;
	if (!is_array || is_descriptor(&variable->type))
		return VARIABLE_POINTS;
	return dwarf_hasattr_integrate(&variable->type, DW_AT_data_location) || variable->size_B > 0
		   ? VARIABLE_PLAIN
		   : VARIABLE_ENDLESS;
}

static void add_variable(struct scope *scope, uint64_t pc, Dwarf_Die *die)
{
	struct variable variable = {.name = dwarf_diename(die)};
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;

	if (!variable.name || !mpi_debuginfo_type(die, &variable.type) ||
	    !dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, &variable.n_ops, 1) != 1 ||
	    variable.n_ops == 0 || variable.n_ops > 2 ||
	    !util_array_room(&scope->variables, scope->n, sizeof variable))
		return;
	memcpy(variable.ops, ops, variable.n_ops * sizeof *ops);
	variable.size_B = mpi_debuginfo_size(&variable.type);
	variable.kind = kind_of(&variable);
	scope->variables[scope->n++] = variable;
}

static void add_variables(struct scope *scope, uint64_t pc, Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			add_variable(scope, pc, &child);
		else if (tag == DW_TAG_common_block)
			add_variables(scope, pc, &child);
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* Those of a function around the one that has the address: their frame is not known. */
static void add_fixed(struct scope *scope, uint64_t pc, Dwarf_Die *die)
{
	size_t n = scope->n;

	add_variables(scope, pc, die);
	for (size_t i = n; i < scope->n; i++)
		if (scope->variables[i].ops[0].atom == DW_OP_addr)
			scope->variables[n++] = scope->variables[i];
	scope->n = n;
}

static bool has_functions(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_module || tag == DW_TAG_namespace;
}

static bool has_variables(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_inlined_subroutine;
}

/* The blocks and functions that have the address; functions of Fortran and of gcc contain others. False: none has. */
static bool add_scopes(struct mpi_debuginfo *info, uint64_t pc, Dwarf_Die *die, struct scope *out)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool is_here = has_variables(tag) && dwarf_haspc(&child, pc) == 1;

		if ((!is_here && !has_functions(tag)) ||
		    (!add_scopes(info, pc, &child, out) && !is_here))
			continue;
		if (is_here)
			add_variables(out, pc, &child);
		else
			add_fixed(out, pc, &child);
		if (is_here && tag == DW_TAG_subprogram)
			out->has_base = frame_base(info, pc, &child, &out->base);
		return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static void read_scope(struct mpi_debuginfo *info, uint64_t pc, struct scope *out)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	while (mpi_debuginfo_next_unit(info->dwarf, &at, &unit))
		if (dwarf_haspc(&unit, pc) == 1) {
			add_scopes(info, pc, &unit, out);
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

static bool is_readable(const struct mpi_debuginfo_place *place, uintptr_t at, bool is_fixed)
{
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
	    is_readable(place, *at, *is_fixed)) {
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
	object.size_B = mpi_debuginfo_size((Dwarf_Die *)(void *)object.type);
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
	pointer = at;
	if (variable->kind == VARIABLE_POINTS && is_readable(search->place, at, is_fixed))
		memcpy(&pointer, (const void *)at, sizeof pointer);
	else if (variable->kind != VARIABLE_ENDLESS)
		return;
	if (pointer == search->at || search->is_together(search->context, pointer, search->at))
		tell(scan, variable->name, &variable->inner, pointer, true);
}

static void look_at_globals(const struct mpi_debuginfo *info, const struct scan *scan)
{
	uint64_t vaddr = scan->search->at - scan->search->place->bias;

	for (size_t i = 0; i < info->n_globals && info->globals[i].vaddr <= vaddr; i++)
		if (vaddr - info->globals[i].vaddr < info->globals[i].size_B) {
			Dwarf_Die type;

			if (mpi_debuginfo_type(&info->globals[i].die, &type))
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

/* --- from function to function --- */

/* The base pointer of the caller, where the function has kept it. */
static bool find_base(const struct mpi_debuginfo_place *place, Dwarf_Frame *frame, uintptr_t cfa,
		      uintptr_t *bp)
{
	Dwarf_Op memory[3], *ops;
	size_t n;
	uintptr_t at = cfa;

	if (dwarf_frame_register(frame, X86_64_BP, memory, &ops, &n) || n == 0)
		return true; /* it is as it was */
	if (ops[0].atom != DW_OP_call_frame_cfa || n > 2 ||
	    (n == 2 && ops[1].atom != DW_OP_plus_uconst))
		return false;
	if (n == 2)
		at += ops[1].number;
	if (!is_readable(place, at, false))
		return false;
	memcpy(bp, (const void *)at, sizeof *bp);
	return true;
}

bool mpi_debuginfo_climb(struct mpi_debuginfo *info, struct mpi_debuginfo_place *place,
			 uintptr_t *site)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t n;
	uintptr_t cfa;
	bool is_known;

	if (!info->cfi || dwarf_cfi_addrframe(info->cfi, place->pc, &frame))
		return false;
	is_known = dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1 && evaluate(place, ops, &cfa) &&
		   is_readable(place, cfa - sizeof *site, false) &&
		   find_base(place, frame, cfa, &place->bp);
	free(frame);
	if (!is_known)
		return false;
	memcpy(site, (const void *)(cfa - sizeof *site), sizeof *site);
	place->sp = cfa;
	return true;
}

void mpi_debuginfo_forget_scopes(struct mpi_debuginfo *info)
{
	for (size_t i = 0; i < info->scopes.n_slots; i++)
		if (info->scopes.slots[i].item)
			free(((struct scope *)info->scopes.slots[i].item)->variables);
	util_map_finish_items(&info->scopes);
}
