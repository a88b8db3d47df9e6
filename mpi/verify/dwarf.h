/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_DWARF_H
#define MPI_VERIFY_DWARF_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "mpi/verify/debuginfo.h"
#include "util/map.h"

/* What debuginfo.c (types, variables of the program) and variables.c (those of functions) share. */

struct global {
	uint64_t vaddr, size_B;
	Dwarf_Die die;
};

struct mpi_debuginfo {
	Dwarf *dwarf;
	Dwarf_CFI *cfi;
	struct global *globals; /* [n_globals] by vaddr */
	size_t n_globals;
	struct util_map scopes; /* by address + 1 */
};

/* The type of a variable, member or array's item, without its names; false: it has none. */
bool mpi_debuginfo_type(Dwarf_Die *die, Dwarf_Die *out);
uint64_t mpi_debuginfo_size(Dwarf_Die *type); /* 0: unknown */
/* The next one from *at on, which moves behind it. */
bool mpi_debuginfo_next_unit(Dwarf *dwarf, Dwarf_Off *at, Dwarf_Die *out);
/* --- variables.c --- */
void mpi_debuginfo_forget_scopes(struct mpi_debuginfo *info);

#endif
