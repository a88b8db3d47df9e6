/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "pdexec/elf.h"

/*
 * Read-only segments that follow each other in the file as they do in memory (headers, code,
 * constants) become one mapping, readable and executable: with thousands of ranks the number of
 * mappings is what runs out (vm.max_map_count).
 */
static int last_of_group(const struct pd_elf *elf, int first, int *out_protection)
{
	const Elf64_Phdr *begin = &elf->phdr[first];
	int last = first;

	*out_protection = PROT_READ | (begin->p_flags & PF_X ? PROT_EXEC : 0);
	if (begin->p_flags & PF_W) {
		*out_protection |= PROT_WRITE;
		return first;
	}
	for (int i = first + 1; i < elf->n_phdrs; i++) {
		const Elf64_Phdr *next = &elf->phdr[i];

		if (next->p_type != PT_LOAD)
			continue;
		if ((next->p_flags & PF_W) ||
		    next->p_vaddr - next->p_offset != begin->p_vaddr - begin->p_offset ||
		    elf->phdr[last].p_filesz != elf->phdr[last].p_memsz)
			break;
		*out_protection |= next->p_flags & PF_X ? PROT_EXEC : 0;
		last = i;
	}
	return last;
}

static int map_failed(const struct pd_elf *elf, struct util_error *err)
{
	if (errno == ENOMEM)
		return util_error_set(
		    err, UTIL_ENOMEM,
		    "not enough memory or mappings (vm.max_map_count) to load '%s' again",
		    elf->path);
	return util_error_errno(err, errno, "cannot map '%s'", elf->path);
}

static int map_group(const struct pd_elf *elf, int first, int last, int protection, char *base,
		     struct util_error *err)
{
	const Elf64_Phdr *begin = &elf->phdr[first], *end = &elf->phdr[last];
	uint64_t page = elf->page_B, start = begin->p_vaddr & ~(page - 1);
	uint64_t file_end = end->p_vaddr + end->p_filesz, memory_end = end->p_vaddr + end->p_memsz;
	uint64_t file_pages = (file_end + page - 1) & ~(page - 1);
	uint64_t memory_pages = (memory_end + page - 1) & ~(page - 1);
	off_t offset = (off_t)(begin->p_offset - (begin->p_vaddr - start));

	if (file_end == begin->p_vaddr)
		file_pages = start;
	if (file_pages > start &&
	    mmap(base + start, file_pages - start, protection,
		 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, elf->fd, offset) == MAP_FAILED)
		return map_failed(elf, err);
	if (memory_pages > file_pages &&
	    mmap(base + file_pages, memory_pages - file_pages, protection,
		 MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		return map_failed(elf, err);
	if ((protection & PROT_WRITE) && memory_end > file_end && file_pages > file_end)
		memset(base + file_end, 0, file_pages - file_end);
	return 0;
}

int pd_elf_map(const struct pd_elf *elf, char *base, struct util_error *err)
{
	for (int i = 0; i < elf->n_phdrs; i++) {
		int protection, last, rc;

		if (elf->phdr[i].p_type != PT_LOAD || elf->phdr[i].p_memsz == 0)
			continue;
		last = last_of_group(elf, i, &protection);
		rc = map_group(elf, i, last, protection, base, err);
		if (rc)
			return rc;
		i = last;
	}
	return 0;
}

size_t pd_elf_n_mappings(const struct pd_elf *elf)
{
	size_t n = elf->relro.end > elf->relro.begin;
	uint64_t page = elf->page_B, reached = 0;

	for (int i = 0; i < elf->n_phdrs; i++) {
		const Elf64_Phdr *segment = &elf->phdr[i];
		int protection;

		if (segment->p_type != PT_LOAD || segment->p_memsz == 0)
			continue;
		n += segment->p_vaddr - reached >= page; /* a hole that stays reserved */
		i = last_of_group(elf, i, &protection);
		segment = &elf->phdr[i];
		n += segment->p_memsz > segment->p_filesz ? 2 : 1;
		reached = (segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
	}
	return n;
}
