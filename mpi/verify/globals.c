/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of the program that are not on a stack: what its symbol table says of them. */
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/memory.h"
#include "pdexec/image.h"
#include "util/array.h"

struct global {
	uint64_t vaddr, size_B;
	const char *name; /* in the file */
};

struct mpi_memory_globals { /* of an image */
	struct mpi_memory_globals *next;
	const struct pd_image *image;
	struct global *all; /* [n], by vaddr; the larger ones of those at one place first */
	size_t n;
};

static int compare(const void *a, const void *b)
{
	const struct global *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	if (x->size_B != y->size_B)
		return x->size_B > y->size_B ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* `size_B` bytes of the file, NULL where it has none. */
static const void *part(const struct pd_elf *elf, uint64_t offset, uint64_t size_B)
{
	return offset <= elf->file_size_B && size_B <= elf->file_size_B - offset
		   ? elf->file + offset
		   : NULL;
}

static const Elf64_Shdr *find_section(const struct pd_elf *elf, const Elf64_Shdr *sections, int n,
				      uint32_t type)
{
	for (int i = 0; i < n; i++)
		if (sections[i].sh_type == type && sections[i].sh_link < (uint32_t)n &&
		    sections[i].sh_entsize == sizeof(Elf64_Sym) &&
		    part(elf, sections[i].sh_offset, sections[i].sh_size))
			return &sections[i];
	return NULL;
}

static void take(struct mpi_memory_globals *out, const struct pd_elf *elf,
		 const Elf64_Shdr *section, const Elf64_Shdr *strings)
{
	const Elf64_Sym *symbols = part(elf, section->sh_offset, section->sh_size);
	const char *names = part(elf, strings->sh_offset, strings->sh_size);
	size_t n = section->sh_size / sizeof *symbols;

	if (!names || strings->sh_size == 0 || names[strings->sh_size - 1] != 0)
		return;
	out->all = calloc(n + 1, sizeof *out->all);
	for (size_t i = 0; out->all && i < n; i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_OBJECT && symbols[i].st_size > 0 &&
		    symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_shndx < SHN_LORESERVE &&
		    symbols[i].st_name < strings->sh_size)
			out->all[out->n++] = (struct global){
			    symbols[i].st_value, symbols[i].st_size, names + symbols[i].st_name};
	if (out->n > 0)
		qsort(out->all, out->n, sizeof *out->all, compare);
}

/* A program without a symbol table has the variables that it exports. */
static void read_symbols(struct mpi_memory_globals *out)
{
	const struct pd_elf *elf = &out->image->elf;
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf->file;
	int n = header->e_shnum;
	const Elf64_Shdr *sections = part(elf, header->e_shoff, (uint64_t)n * sizeof *sections);
	const Elf64_Shdr *found = NULL;

	if (header->e_shoff && sections && header->e_shentsize == sizeof *sections) {
		found = find_section(elf, sections, n, SHT_SYMTAB);
		if (!found)
			found = find_section(elf, sections, n, SHT_DYNSYM);
	}
	if (found)
		take(out, elf, found, &sections[found->sh_link]);
}

static struct mpi_memory_globals *globals_of(struct mpi_memory *memory,
					     const struct pd_image *image)
{
	struct mpi_memory_globals *globals = memory->globals;

	while (globals && globals->image != image)
		globals = globals->next;
	if (globals)
		return globals;
	globals = calloc(1, sizeof *globals);
	if (!globals)
		return NULL;
	globals->image = image;
	globals->next = memory->globals;
	memory->globals = globals;
	read_symbols(globals);
	return globals;
}

static bool begins_up_to(const void *global, const void *vaddr)
{
	return ((const struct global *)global)->vaddr <= *(const uint64_t *)vaddr;
}

const char *mpi_memory_global_at(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t at,
				 uintptr_t *low, uintptr_t *high)
{
	const struct mpi_memory_globals *globals;
	uint64_t vaddr;
	size_t begin;

	if (me->world->pd->is_builtin ||
	    !pd_image_locate(me->pd->program->image, (const void *)at, &vaddr) ||
	    !(globals = globals_of(memory, me->pd->program->image)))
		return NULL;
	begin =
	    util_count_before(globals->all, globals->n, sizeof *globals->all, begins_up_to, &vaddr);
	if (begin == 0)
		return NULL;
	for (begin--; begin > 0 && globals->all[begin - 1].vaddr == globals->all[begin].vaddr;)
		begin--;
	if (vaddr - globals->all[begin].vaddr >= globals->all[begin].size_B)
		return NULL;
	*low = at - (uintptr_t)(vaddr - globals->all[begin].vaddr);
	*high = *low + globals->all[begin].size_B;
	return globals->all[begin].name;
}

void mpi_memory_globals_destroy(struct mpi_memory_globals *globals)
{
	while (globals) {
		struct mpi_memory_globals *next = globals->next;

		free(globals->all);
		free(globals);
		globals = next;
	}
}
