/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/rebind.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pdexec/arch.h"

struct library {
	const struct link_map *map;
	void *(*substitute)(const char *name);
	const char *strings;
	const Elf64_Sym *symbols;
	const Elf64_Rela *tables[2]; /* calls, data */
	size_t sizes_B[2];
	char *fixed_begin, *fixed_end; /* read-only once it was relocated */
};

/* The loader has made addresses of what the file says. */
static void read_dynamic(struct library *library)
{
	for (const Elf64_Dyn *entry = library->map->l_ld; entry->d_tag != DT_NULL; entry++) {
		const void *address = (const void *)entry->d_un.d_ptr; // NOLINT

		switch (entry->d_tag) {
		case DT_STRTAB:
			library->strings = address;
			break;
		case DT_SYMTAB:
			library->symbols = address;
			break;
		case DT_JMPREL:
			library->tables[0] = address;
			break;
		case DT_PLTRELSZ:
			library->sizes_B[0] = entry->d_un.d_val;
			break;
		case DT_RELA:
			library->tables[1] = address;
			break;
		case DT_RELASZ:
			library->sizes_B[1] = entry->d_un.d_val;
			break;
		default:
			break;
		}
	}
}

static int read_fixed(struct dl_phdr_info *info, size_t size, void *context)
{
	struct library *library = context;
	uintptr_t page_B = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (info->dlpi_addr != library->map->l_addr ||
	    strcmp(info->dlpi_name, library->map->l_name) != 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_GNU_RELRO)
			continue;
		library->fixed_begin = (char *)(begin & ~(page_B - 1));
		library->fixed_end = (char *)((begin + segment->p_memsz) & ~(page_B - 1));
	}
	return 1;
}

/* What `name` means to the library is this library's. */
static bool is_own(const char *name)
{
	const void *address = dlsym(RTLD_DEFAULT, name);
	Dl_info found, own;

	return address && dladdr(address, &found) &&
	       dladdr((const void *)(uintptr_t)pd_rebind, &own) && found.dli_fbase == own.dli_fbase;
}

static void bind_one(const struct library *library, const Elf64_Rela *rela)
{
	const Elf64_Sym *symbol = &library->symbols[ELF64_R_SYM(rela->r_info)];
	const char *name = library->strings + symbol->st_name;
	char *word = (char *)library->map->l_addr + rela->r_offset; // NOLINT
	bool is_fixed = word >= library->fixed_begin && word < library->fixed_end;
	size_t fixed_B = (size_t)(library->fixed_end - library->fixed_begin);
	void *replacement;

	if (pd_arch_reloc_kind((uint32_t)ELF64_R_TYPE(rela->r_info)) != PD_RELOC_SYMBOL ||
	    symbol->st_shndx != SHN_UNDEF)
		return;
	replacement = library->substitute(name);
	if (!replacement || !is_own(name))
		return;
	if (is_fixed && mprotect(library->fixed_begin, fixed_B, PROT_READ | PROT_WRITE))
		return; /* the call is told of when it comes */
	memcpy(word, &replacement, sizeof replacement);
	if (is_fixed)
		mprotect(library->fixed_begin, fixed_B, PROT_READ);
}

void pd_rebind(const struct link_map *map, void *(*substitute)(const char *name))
{
	struct library library = {.map = map, .substitute = substitute};

	if (!substitute || !map->l_ld)
		return;
	read_dynamic(&library);
	dl_iterate_phdr(read_fixed, &library);
	for (int table = 0; table < 2 && library.symbols && library.strings; table++)
		for (size_t i = 0;
		     library.tables[table] && i < library.sizes_B[table] / sizeof(Elf64_Rela); i++)
			bind_one(&library, &library.tables[table][i]);
}
