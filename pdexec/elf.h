/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_ELF_H
#define PDEXEC_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * An executable file, checked and parsed. Addresses ("vaddr") are those of the file: an image at
 * `base` has vaddr v at base + v. Ranges are [begin, end).
 */
struct pd_elf_range {
	uint64_t begin, end;
};

struct pd_elf_table { /* of the dynamic section */
	uint64_t vaddr, size_B;
};

struct pd_elf {
	char *path;
	int fd;
	const uint8_t *file; /* mapped for reading */
	size_t file_size_B;
	const Elf64_Phdr *phdr;
	int n_phdrs;
	uint64_t entry;
	struct pd_elf_range span;     /* of all segments, page-aligned; begin is 0 or more */
	uint64_t align;		      /* of the base, at least a page */
	struct pd_elf_range writable; /* hull of the writable segments */
	struct pd_elf_range relro;    /* read-only once relocated; may be empty */
	struct pd_elf_range text;     /* hull of the executable segments */
	const Elf64_Phdr *tls;	      /* NULL: none */
	uint64_t eh_frame_hdr;	      /* 0: none */
	const Elf64_Dyn *dynamic;
	size_t n_dynamic;
	uint64_t symtab, strtab, versym, verneed;
	uint64_t strtab_size_B, n_verneed;
	struct pd_elf_table rela, jmprel, relr, preinit_array, init_array, fini_array;
	uint64_t init, fini;	     /* 0: none */
	const char *runpath, *rpath; /* NULL: none */
	size_t page_B;
};

/*
 * Opens and checks a position-independent, dynamically linked executable of this machine. Errors:
 * UTIL_EINPUT for anything else, with what to do about it; UTIL_ENOMEM, UTIL_ESYSTEM. On failure
 * nothing is to be released.
 */
int pd_elf_open(struct pd_elf *elf, const char *path, struct util_error *err);
void pd_elf_close(struct pd_elf *elf);

/* `size_B` bytes of the file's content at `vaddr`; NULL when the file has no such bytes. */
const void *pd_elf_at(const struct pd_elf *elf, uint64_t vaddr, uint64_t size_B);
/* The string at `offset` of the string table; NULL when outside. */
const char *pd_elf_string(const struct pd_elf *elf, uint64_t offset);
/* Dynamic symbol `index`, or NULL; *out_version: the version that is asked for ("GLIBC_2.34"),
 * NULL: any. */
const Elf64_Sym *pd_elf_symbol(const struct pd_elf *elf, uint32_t index, const char **out_version);
/* The next DT_NEEDED name from *cursor on (start with 0); NULL at the end. */
const char *pd_elf_needed(const struct pd_elf *elf, size_t *cursor);

/*
 * Maps the segments at `base`, over a reservation that is there: file pages are private, what
 * follows them zero. Nothing is relocated. Errors: UTIL_ENOMEM, UTIL_ESYSTEM.
 */
int pd_elf_map(const struct pd_elf *elf, char *base, struct util_error *err);
/* How many mappings pd_elf_map and the protection of relro make. */
size_t pd_elf_n_mappings(const struct pd_elf *elf);

#endif
