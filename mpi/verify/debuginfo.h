/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_DEBUGINFO_H
#define MPI_VERIFY_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The types that the variables of a program have, by its debug information (DWARF, read by elfutils'
 * libdw; debuginfo-none.c where mpisim was built without it).
 */
struct mpi_debuginfo;

/* Of an executable file: NULL without debug information, or memory. `fd` is borrowed. */
struct mpi_debuginfo *mpi_debuginfo_open(int fd);
void mpi_debuginfo_close(struct mpi_debuginfo *info); /* NULL is fine */

struct mpi_debuginfo_place { /* a call, in the caller */
	uint64_t pc;	     /* within the instruction that calls, as in the file */
	uintptr_t bias;	     /* where vaddr 0 of the file lies */
	uintptr_t sp, bp;    /* registers of the caller at the call */
	uintptr_t stack, stack_end;
};

enum { DEBUGINFO_TYPE_B = 32 }; /* what a type takes in memory of libdw's own */

struct mpi_debuginfo_object { /* a variable, or what a pointer variable points to */
	const char *name;     /* borrowed */
	bool is_pointed_at;   /* from `at` on there may be many */
	uintptr_t at;
	uint64_t size_B; /* of one */
	_Alignas(8) char type[DEBUGINFO_TYPE_B];
};

enum mpi_debuginfo_kind {
	DEBUGINFO_UNKNOWN,
	DEBUGINFO_INTEGER,
	DEBUGINFO_FLOAT,
	DEBUGINFO_POINTER
};

struct mpi_debuginfo_leaf { /* a number in memory */
	enum mpi_debuginfo_kind kind;
	uint64_t size_B;   /* of complex ones: of a part */
	uint64_t offset_B; /* of the address that was asked for in it */
	char name[64];	   /* of its type */
};

/* From a function to its caller: sp and bp, and *site, where that goes on; pc stays. False: not known. */
bool mpi_debuginfo_climb(struct mpi_debuginfo *info, struct mpi_debuginfo_place *place,
			 uintptr_t *site);

/*
 * Calls `visit` for all objects that may have the byte at `at`: variables that lie there, of the
 * functions around the place and of the program, and what pointers of the functions around the place
 * point to up to there, as far as `is_together` says that both are of one block of memory.
 */
struct mpi_debuginfo_search {
	const struct mpi_debuginfo_place *place;
	uintptr_t at;
	void *context;
	bool (*is_together)(void *context, uintptr_t pointer, uintptr_t at);
	void (*visit)(void *context, const struct mpi_debuginfo_object *object);
};
void mpi_debuginfo_search(struct mpi_debuginfo *info, const struct mpi_debuginfo_search *search);

/* The number of the object that has the byte at `at`. Unknown: unions, bit fields, arrays without a length. */
void mpi_debuginfo_leaf(const struct mpi_debuginfo_object *object, uintptr_t at,
			struct mpi_debuginfo_leaf *out);

#endif
