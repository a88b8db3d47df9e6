/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/link.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pdexec/arch.h"
#include "util/array.h"

size_t pd_elf_tls_size(const struct pd_elf *elf)
{
	uint64_t align = elf->tls && elf->tls->p_align ? elf->tls->p_align : 1;

	return elf->tls ? (elf->tls->p_memsz + align - 1) & ~(align - 1) : 0;
}

static int add_fixup(struct pd_link *link, enum pd_fixup_kind kind, uint64_t vaddr, uint64_t value,
		     uint64_t size_B, struct util_error *err)
{
	const struct pd_elf *elf = link->elf;

	if (vaddr < elf->writable.begin || vaddr > elf->writable.end ||
	    size_B > elf->writable.end - vaddr)
		return util_refuse(err, "'%s' is damaged (relocation outside its data)", elf->path);
	if (!util_array_room(&link->fixups, (size_t)link->n_fixups, sizeof *link->fixups))
		return util_error_set(err, UTIL_ENOMEM, "out of memory linking '%s'", elf->path);
	link->fixups[link->n_fixups++] = (struct pd_fixup){vaddr, value, kind, (uint32_t)size_B};
	return 0;
}

/* The variable `name` of some library lies in memory that stays writable, so a copy could come to
 * differ from it. */
static bool is_shared_variable(const char *address)
{
	Dl_info info;
	struct link_map *map;
	const Elf64_Phdr *phdr;
	const Elf64_Ehdr *header;
	uint64_t vaddr;
	bool writable = false;

	if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
		return false;
	header = info.dli_fbase;
	phdr = (const Elf64_Phdr *)((const char *)header + header->e_phoff);
	vaddr = (uint64_t)(address - (const char *)map->l_addr);
	for (int i = 0; i < header->e_phnum; i++) {
		if (vaddr < phdr[i].p_vaddr || vaddr - phdr[i].p_vaddr >= phdr[i].p_memsz)
			continue;
		if (phdr[i].p_type == PT_LOAD && (phdr[i].p_flags & PF_W))
			writable = true;
		if (phdr[i].p_type == PT_GNU_RELRO)
			return false;
	}
	return writable;
}

/*
 * Runtimes whose variables may be copied: libc's are kept right by pdexec/process.c and getopt.c,
 * libstdc++'s streams stay attached to the same buffers, the others are set once by the runtime
 * itself. The simulator's executable has a copy of its own of some.
 */
static bool is_known_runtime(const char *address)
{
	static const char *const names[] = {"libc.so.",	       "libstdc++.so.", "libm.so.",
					    "libgfortran.so.", "libgcc_s.so.",	"ld-linux"};
	Dl_info info;
	struct link_map *map;
	const char *base;

	if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
		return false;
	if (map->l_name[0] == '\0')
		return true;
	base = strrchr(info.dli_fname, '/');
	base = base ? base + 1 : info.dli_fname;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(base, names[i], strlen(names[i])))
			return true;
	return false;
}

static void note_copy(struct pd_link *link, const char *name, uint64_t vaddr)
{
	struct pd_libc_copies *copies = &link->copies;

	if (!strcmp(name, "environ") || !strcmp(name, "__environ") || !strcmp(name, "_environ"))
		copies->environ = vaddr;
	else if (!strcmp(name, "optind"))
		copies->optind = vaddr;
	else if (!strcmp(name, "optarg"))
		copies->optarg = vaddr;
	else if (!strcmp(name, "opterr"))
		copies->opterr = vaddr;
	else if (!strcmp(name, "optopt"))
		copies->optopt = vaddr;
	else if (!strcmp(name, "stdin"))
		copies->in = vaddr;
	else if (!strcmp(name, "stdout"))
		copies->out = vaddr;
	else if (!strcmp(name, "stderr"))
		copies->err = vaddr;
}

static int add_copy(struct pd_link *link, const Elf64_Rela *rela, const Elf64_Sym *symbol,
		    const char *name, const char *version, struct util_error *err)
{
	uint64_t address;
	int rc = pd_link_find_symbol(link, symbol, name, version, &address, err);

	if (rc || address == 0)
		return rc;
	if (is_shared_variable((const char *)address) && !is_known_runtime((const char *)address)) {
		Dl_info info = {0};

		dladdr((const void *)address, &info);
		return util_error_set(err, UTIL_EUNSUPPORTED,
				      "'%s' would get a copy of the variable '%s' of %s, and the "
				      "two would come to differ: "
				      "compile the program with -fPIC",
				      link->elf->path, name,
				      info.dli_fname ? info.dli_fname : "a library");
	}
	note_copy(link, name, rela->r_offset);
	return add_fixup(link, PD_FIXUP_COPY, rela->r_offset, address, symbol->st_size, err);
}

static int add_symbol(struct pd_link *link, const Elf64_Rela *rela, const Elf64_Sym *symbol,
		      const char *name, const char *version, struct util_error *err)
{
	uint64_t value, addend = (uint64_t)rela->r_addend;
	int rc;

	if (symbol->st_shndx == SHN_ABS)
		return add_fixup(link, PD_FIXUP_VALUE, rela->r_offset, symbol->st_value + addend, 8,
				 err);
	if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		return add_fixup(link, PD_FIXUP_INDIRECT, rela->r_offset, symbol->st_value, 8, err);
	if (symbol->st_shndx != SHN_UNDEF)
		return add_fixup(link, PD_FIXUP_BASE, rela->r_offset, symbol->st_value + addend, 8,
				 err);
	rc = pd_link_find_symbol(link, symbol, name, version, &value, err);
	return rc ? rc : add_fixup(link, PD_FIXUP_VALUE, rela->r_offset, value + addend, 8, err);
}

/*
 * Thread-local variables of the program lie directly below the thread pointer, where its block is
 * swapped in; in terms of modules they belong to module 1, the executable that was started. Those
 * of libraries have whatever address this thread sees them at: all ranks run on this thread.
 */
static int add_tls(struct pd_link *link, enum pd_reloc_kind kind, const Elf64_Rela *rela,
		   uint32_t index, const Elf64_Sym *symbol, const char *name, const char *version,
		   struct util_error *err)
{
	uint64_t addend = (uint64_t)rela->r_addend, address, value;
	struct pd_tls_index first = {1, 0};
	int rc = 0;

	if (index == 0)
		address = (uint64_t)link->tls_block + addend;
	else if (symbol->st_shndx != SHN_UNDEF)
		address = (uint64_t)link->tls_block + symbol->st_value + addend;
	else
		rc = pd_link_find_symbol(link, symbol, name, version, &address, err);
	if (rc)
		return rc;
	if (kind == PD_RELOC_TLS_THREAD_OFFSET)
		value = address - (uint64_t)pd_arch_thread_pointer();
	else if (kind == PD_RELOC_TLS_MODULE)
		value = 1;
	else
		value = address - (uint64_t)__tls_get_addr(&first);
	return add_fixup(link, PD_FIXUP_VALUE, rela->r_offset, value, 8, err);
}

static int add_rela(struct pd_link *link, const Elf64_Rela *rela, struct util_error *err)
{
	uint32_t index = (uint32_t)ELF64_R_SYM(rela->r_info),
		 type = (uint32_t)ELF64_R_TYPE(rela->r_info);
	enum pd_reloc_kind kind = pd_arch_reloc_kind(type);
	const Elf64_Sym *symbol;
	const char *version, *name;

	if (kind == PD_RELOC_NONE)
		return 0;
	if (kind == PD_RELOC_UNKNOWN)
		return util_error_set(err, UTIL_EUNSUPPORTED,
				      "'%s' uses relocation type %u, which is not supported",
				      link->elf->path, type);
	if (kind == PD_RELOC_RELATIVE)
		return add_fixup(link, PD_FIXUP_BASE, rela->r_offset, (uint64_t)rela->r_addend, 8,
				 err);
	if (kind == PD_RELOC_INDIRECT)
		return add_fixup(link, PD_FIXUP_INDIRECT, rela->r_offset, (uint64_t)rela->r_addend,
				 8, err);
	symbol = pd_elf_symbol(link->elf, index, &version);
	name = symbol ? pd_elf_string(link->elf, symbol->st_name) : NULL;
	if (!name)
		return util_refuse(err, "'%s' is damaged (symbols)", link->elf->path);
	if (kind == PD_RELOC_COPY)
		return add_copy(link, rela, symbol, name, version, err);
	if (kind == PD_RELOC_SYMBOL)
		return add_symbol(link, rela, symbol, name, version, err);
	return add_tls(link, kind, rela, index, symbol, name, version, err);
}

static int add_rela_table(struct pd_link *link, struct pd_elf_table table, struct util_error *err)
{
	const Elf64_Rela *rela = pd_elf_at(link->elf, table.vaddr, table.size_B);
	size_t n = table.size_B / sizeof(*rela);
	int rc = 0;

	if (table.size_B == 0)
		return 0;
	if (!rela)
		return util_refuse(err, "'%s' is damaged (relocations)", link->elf->path);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_rela(link, &rela[i], err);
	return rc;
}

static int add_relative(struct pd_link *link, uint64_t vaddr, struct util_error *err)
{
	const uint64_t *word = pd_elf_at(link->elf, vaddr, 8);

	if (!word)
		return util_refuse(err, "'%s' is damaged (relative relocations)", link->elf->path);
	return add_fixup(link, PD_FIXUP_BASE, vaddr, *word, 8, err);
}

/* DT_RELR: an even entry is an address; an odd one a bitmap of the 63 words that follow the last
 * address. */
static int add_relr_table(struct pd_link *link, struct util_error *err)
{
	struct pd_elf_table table = link->elf->relr;
	const uint64_t *entry = pd_elf_at(link->elf, table.vaddr, table.size_B);
	uint64_t next = 0;
	int rc = 0;

	for (size_t i = 0; entry && i < table.size_B / 8 && !rc; i++) {
		if ((entry[i] & 1) == 0) {
			rc = add_relative(link, entry[i], err);
			next = entry[i] + 8;
			continue;
		}
		for (int bit = 0; bit < 63 && !rc; bit++)
			if (entry[i] >> (bit + 1) & 1)
				rc = add_relative(link, next + 8 * (uint64_t)bit, err);
		next += 8 * 63;
	}
	return rc;
}

/* A program with an allocator of its own would free with it what libc allocated, and the other way
 * round. */
static int refuse_own_allocator(const struct pd_link *link, struct util_error *err)
{
	static const char *const names[] = {"malloc", "free", "calloc", "realloc"};
	const char *version, *name;
	const Elf64_Sym *symbol;

	/* The string table follows the symbols in every linker's output; the name check stops a
	 * run-away otherwise. */
	for (uint32_t i = 1;
	     link->elf->symtab + (uint64_t)(i + 1) * sizeof(*symbol) <= link->elf->strtab; i++) {
		symbol = pd_elf_symbol(link->elf, i, &version);
		name = symbol ? pd_elf_string(link->elf, symbol->st_name) : NULL;
		if (!name)
			break;
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (symbol->st_shndx != SHN_UNDEF && !strcmp(name, names[k]))
				return util_error_set(err, UTIL_EUNSUPPORTED,
						      "'%s' has its own %s(): programs that "
						      "replace the memory allocator "
						      "are not supported",
						      link->elf->path, name);
	}
	return 0;
}

/*
 * libstdc++ constructs its streams when the first object of type std::ios_base::Init is, which a
 * program's own initialisers do: too late for copies of the streams. So one is constructed here,
 * and destroyed, which leaves the streams: to be flushed with the last one of each rank.
 */
void pd_link_construct_streams(void)
{
	void *constructor = dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev"),
	     *destructor = dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitD1Ev");
	void *const *virtual_table = dlsym(RTLD_DEFAULT, "_ZSt4cout");
	char object[16]; /* it has no members */

	if (!constructor || !destructor || !virtual_table || *virtual_table)
		return;
	((void (*)(void *))constructor)(object);
	((void (*)(void *))destructor)(object);
}

int pd_link_init(struct pd_link *link, const struct pd_elf *elf, struct pd_blas *blas,
		 void *(*substitute)(const char *name), int n_cpus, struct util_error *err)
{
	int rc;

	*link = (struct pd_link){.elf = elf,
				 .blas = blas,
				 .substitute = substitute,
				 .n_cpus = n_cpus,
				 .tls_block = pd_arch_thread_pointer() - pd_elf_tls_size(elf)};
	rc = refuse_own_allocator(link, err);
	if (!rc)
		rc = pd_link_load_libraries(link, err);
	if (!rc)
		pd_link_construct_streams();
	if (!rc)
		rc = add_relr_table(link, err);
	if (!rc)
		rc = add_rela_table(link, elf->rela, err);
	if (!rc)
		rc = add_rela_table(link, elf->jmprel, err);
	return rc;
}

void pd_link_finish(struct pd_link *link)
{
	for (size_t i = 0; i < link->n_libraries; i++)
		dlclose(link->libraries[i]);
	free(link->libraries);
	free(link->fixups);
	*link = (struct pd_link){0};
}

/* Functions that choose an implementation may use what the other fixups provide: they run last. */
static void apply_indirect(const struct pd_link *link, char *base)
{
	for (size_t i = 0; i < link->n_fixups; i++) {
		const struct pd_fixup *fixup = &link->fixups[i];
		uint64_t (*choose)(void) = (uint64_t(*)(void))(base + fixup->value);
		uint64_t word;

		if (fixup->kind != PD_FIXUP_INDIRECT)
			continue;
		word = choose();
		memcpy(base + fixup->vaddr, &word, sizeof(word));
	}
}

int pd_link_apply(const struct pd_link *link, char *base, struct util_error *err)
{
	const struct pd_elf *elf = link->elf;
	uint64_t begin = elf->relro.begin & ~(elf->page_B - 1),
		 end = elf->relro.end & ~(elf->page_B - 1);

	for (size_t i = 0; i < link->n_fixups; i++) {
		const struct pd_fixup *fixup = &link->fixups[i];
		uint64_t word = fixup->value + (fixup->kind == PD_FIXUP_BASE ? (uint64_t)base : 0);

		if (fixup->kind == PD_FIXUP_COPY)
			memcpy(base + fixup->vaddr, (const void *)fixup->value, fixup->size_B);
		else if (fixup->kind != PD_FIXUP_INDIRECT)
			memcpy(base + fixup->vaddr, &word, sizeof(word));
	}
	apply_indirect(link, base);
	if (end > begin && mprotect(base + begin, end - begin, PROT_READ))
		return util_error_set(err, UTIL_ENOMEM,
				      "not enough mappings (vm.max_map_count) to load '%s' again",
				      elf->path);
	return 0;
}
