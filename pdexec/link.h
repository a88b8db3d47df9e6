/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_LINK_H
#define PDEXEC_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pdexec/elf.h"

/*
 * Linking: loads the libraries that a program needs and resolves its relocations once, into a list
 * of fixups that is applied to every image of it. Libraries are loaded once and shared by all
 * ranks, their variables too.
 */
enum pd_fixup_kind {
	PD_FIXUP_BASE,	   /* word = base + value */
	PD_FIXUP_VALUE,	   /* word = value */
	PD_FIXUP_INDIRECT, /* word = ((function)(base + value))() */
	PD_FIXUP_COPY,	   /* size_B bytes from the address value */
};

struct pd_fixup {
	uint64_t vaddr, value;
	enum pd_fixup_kind kind;
	uint32_t size_B;
};

/* libc's variables that a program holds a copy of its own of (copy relocations): their vaddr, 0:
 * none. */
struct pd_libc_copies {
	uint64_t environ, optind, optarg, opterr, optopt, in, out, err;
};

struct pd_blas; /* pdexec/blas.h */

struct pd_link {
	const struct pd_elf *elf;	       /* borrowed */
	struct pd_blas *blas;		       /* borrowed; NULL: BLAS calls are as any others */
	void *(*substitute)(const char *name); /* as in struct pd_config */
	int n_cpus; /* that each rank holds */
	void **libraries; /* [n_libraries] handles of dlopen, in the order of the program's list */
	size_t n_libraries;
	size_t own_position; /* libraries before this one precede the simulator's own in the search
				order */
	char *tls_block;     /* where the program's thread-local block lies: its end is the thread
				pointer */
	struct pd_fixup *fixups; /* [n_fixups] */
	size_t n_fixups;
	struct pd_libc_copies copies;
};

/* Of libstdc++, if the process has it and they are not: before anything of them is copied. */
void pd_link_construct_streams(void);

/*
 * `elf` and `blas` are borrowed. Errors: UTIL_EINPUT (a library that is missing, an MPI that is not
 * this one, an unresolved symbol, each by name), UTIL_EUNSUPPORTED, UTIL_ENOMEM. After a failure
 * pd_link_finish is to be called all the same.
 */
int pd_link_init(struct pd_link *link, const struct pd_elf *elf, struct pd_blas *blas,
		 void *(*substitute)(const char *name), int n_cpus, struct util_error *err);
void pd_link_finish(struct pd_link *link);
/* Applies every fixup to the image at `base` and protects what is read-only from then on.
 * O(fixups). */
int pd_link_apply(const struct pd_link *link, char *base, struct util_error *err);

/* Whether programs ask for the simulator's own library by this name: the standard ABI's, and those
 * of MPICH 5.0. `name`: of DT_NEEDED, with or without directories; here and below. */
bool pd_link_is_own(const char *name);
/* The MPI that a library belongs to and that is not this one ("MPICH"); NULL: none. */
const char *pd_link_other_mpi(const char *name);
/*
 * Writes the path of library `name` in a directory of `length` bytes of a search path, with $ORIGIN
 * replaced by that of `owner`, an absolute path. False when it does not fit.
 */
bool pd_link_expand(const char *owner, const char *directory, size_t length, const char *name,
		    char *out, size_t size);

struct pd_tls_index { /* what __tls_get_addr takes (ELF Handling for Thread-Local Storage, §3.4) */
	unsigned long module, offset;
};
extern void *__tls_get_addr(struct pd_tls_index *index);

/* --- within linking --- */
int pd_link_load_libraries(struct pd_link *link, struct util_error *err);
/* What programs get for the parts of std::call_once; NULL: another symbol. */
void *pd_once_symbol(const char *name);
/* … for which there is room at the beginning of `area`, of whose end the next program uses
 * `used_B`; NULL: there is none. */
void pd_once_place(char *area, size_t size_B, size_t used_B);
/* One symbol that the program does not define itself: its address; 0 for a weak one that nobody
 * has. */
int pd_link_find_symbol(const struct pd_link *link, const Elf64_Sym *symbol, const char *name,
			const char *version, uint64_t *out_address, struct util_error *err);
/* Size of the program's thread-local block, rounded up to its alignment; 0: none. */
size_t pd_elf_tls_size(const struct pd_elf *elf);

#endif
