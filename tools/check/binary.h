/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_BINARY_H
#define TOOLS_CHECK_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/*
 * One program or library as its file says, of any architecture; nothing of it is mapped or run.
 * libelf reads the file, so sizes and offsets in it need not be true.
 */
struct check_symbol {
	const char *name; /* borrowed from the file */
	bool is_defined, is_weak;
};

enum check_kind {
	CHECK_PROGRAM,	     /* position-independent, dynamically linked */
	CHECK_FIXED_PROGRAM, /* not position-independent */
	CHECK_STATIC_PROGRAM,
	CHECK_LIBRARY,
	CHECK_OBJECT, /* not linked yet */
	CHECK_CORE,
};

struct check_binary {
	char *path; /* absolute, links followed; owned */
	int fd;
	void *elf; /* libelf's */
	enum check_kind kind;
	int machine; /* EM_* */
	int bits;    /* 32 or 64 */
	bool has_text_relocations, has_lines;
	uint64_t tls_size_B, tls_align_B; /* of thread-local variables; 0: none */
	const char **needed; /* [n_needed] DT_NEEDED in their order; owned, names borrowed */
	int n_needed;
	const char *runpath, *rpath;  /* NULL: none; rpath only without runpath */
	struct check_symbol *symbols; /* [n_symbols] of the dynamic symbol table; owned */
	int n_symbols;
};

/*
 * Reads `path`. Errors: UTIL_EINPUT: there is no such file, it cannot be read, is no ELF file
 * (scripts and archives by name) or is damaged; UTIL_ENOMEM. On failure nothing is to be released.
 */
int check_binary_open(struct check_binary *out, const char *path, struct util_error *err);
void check_binary_close(struct check_binary *binary);

/* "x86-64", or "ELF machine 258" for those without a name here; valid until the next call. */
const char *check_machine_name(int machine);

#endif
