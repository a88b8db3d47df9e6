/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int damaged(const struct check_binary *binary, const char *what, struct util_error *err)
{
	return util_refuse(err, "'%s' is damaged (%s)", binary->path, what);
}

static int no_memory(const struct check_binary *binary, struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for the symbols of '%s'",
			      binary->path);
}

static int open_file(struct check_binary *binary, const char *path, struct util_error *err)
{
	struct stat status;

	binary->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block */
	if (binary->fd < 0)
		return util_refuse(err, "cannot read '%s': %s", path, strerror(errno));
	if (fstat(binary->fd, &status) || !S_ISREG(status.st_mode))
		return util_refuse(err, "'%s' is not a file that can be run", path);
	if (status.st_size == 0)
		return util_refuse(err, "'%s' is empty", path);
	binary->path = realpath(path, NULL);
	return binary->path ? 0 : util_refuse(err, "cannot find '%s': %s", path, strerror(errno));
}

static int open_elf(struct check_binary *binary, struct util_error *err)
{
	char start[2] = "";
	Elf *elf;

	elf_version(EV_CURRENT);
	if (pread(binary->fd, start, sizeof start, 0) == 2 && !memcmp(start, "#!", 2))
		return util_refuse(err, "'%s' is a script: give the program that it starts",
				   binary->path);
	binary->elf = elf = elf_begin(binary->fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_AR)
		return util_refuse(err, "'%s' is an archive of object files: link it",
				   binary->path);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return util_refuse(err, "'%s' is no executable (not an ELF file)", binary->path);
	return 0;
}

/* --- headers --- */

struct segments {
	bool has_interpreter, has_dynamic;
};

static int read_segments(struct check_binary *binary, struct segments *out, struct util_error *err)
{
	size_t n = 0;
	GElf_Phdr segment;

	if (elf_getphdrnum(binary->elf, &n))
		return damaged(binary, "program headers", err);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(binary->elf, (int)i, &segment))
			return damaged(binary, "program headers", err);
		out->has_interpreter = out->has_interpreter || segment.p_type == PT_INTERP;
		out->has_dynamic = out->has_dynamic || segment.p_type == PT_DYNAMIC;
		if (segment.p_type == PT_TLS) {
			binary->tls_size_B = segment.p_memsz;
			binary->tls_align_B = segment.p_align;
		}
	}
	return 0;
}

static enum check_kind kind_of(int type, const struct segments *segments, uint64_t flags_1)
{
	bool is_pie = type == ET_DYN && (segments->has_interpreter || (flags_1 & DF_1_PIE));

	if (type == ET_REL || type == ET_CORE)
		return type == ET_REL ? CHECK_OBJECT : CHECK_CORE;
	if (type == ET_DYN && !is_pie)
		return CHECK_LIBRARY;
	if (!segments->has_interpreter)
		return CHECK_STATIC_PROGRAM;
	return is_pie ? CHECK_PROGRAM : CHECK_FIXED_PROGRAM;
}

/* --- sections --- */

/* How many entries a section has that libelf can read; its data in *out. */
static int entries_of(Elf_Scn *section, const GElf_Shdr *header, Elf_Data **out)
{
	uint64_t n;

	*out = elf_getdata(section, NULL);
	if (!*out || header->sh_entsize == 0)
		return 0;
	n = (*out)->d_size / header->sh_entsize;
	return n > INT32_MAX ? INT32_MAX : (int)n;
}

static int read_dynamic(struct check_binary *binary, Elf_Scn *section, const GElf_Shdr *header,
			uint64_t *flags_1, struct util_error *err)
{
	Elf_Data *data;
	int n = entries_of(section, header, &data);
	GElf_Dyn entry;

	free(binary->needed);
	binary->needed = calloc((size_t)n + 1, sizeof *binary->needed);
	binary->n_needed = 0;
	if (!binary->needed)
		return no_memory(binary, err);
	for (int i = 0; i < n && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		bool is_name = entry.d_tag == DT_NEEDED || entry.d_tag == DT_RUNPATH ||
			       entry.d_tag == DT_RPATH;
		const char *name =
		    is_name ? elf_strptr(binary->elf, header->sh_link, entry.d_un.d_val) : NULL;

		if (is_name && !name)
			return damaged(binary, "a name in the dynamic section", err);
		if (entry.d_tag == DT_NEEDED)
			binary->needed[binary->n_needed++] = name;
		else if (entry.d_tag == DT_RUNPATH)
			binary->runpath = name;
		else if (entry.d_tag == DT_RPATH)
			binary->rpath = name;
		else if (entry.d_tag == DT_FLAGS_1)
			*flags_1 = entry.d_un.d_val;
		else if (entry.d_tag == DT_TEXTREL ||
			 (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL)))
			binary->has_text_relocations = true;
	}
	binary->rpath = binary->runpath ? NULL : binary->rpath;
	return 0;
}

static int read_symbols(struct check_binary *binary, Elf_Scn *section, const GElf_Shdr *header,
			struct util_error *err)
{
	Elf_Data *data;
	int n = entries_of(section, header, &data);
	GElf_Sym symbol;

	free(binary->symbols);
	binary->symbols = calloc((size_t)n + 1, sizeof *binary->symbols);
	binary->n_symbols = 0;
	if (!binary->symbols)
		return no_memory(binary, err);
	for (int i = 1; i < n; i++) { /* the first is none */
		const char *name;

		if (!gelf_getsym(data, i, &symbol))
			return damaged(binary, "dynamic symbols", err);
		if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
			continue;
		name = elf_strptr(binary->elf, header->sh_link, symbol.st_name);
		if (!name)
			return damaged(binary, "the name of a dynamic symbol", err);
		binary->symbols[binary->n_symbols++] = (struct check_symbol){
		    .name = name,
		    .is_defined = symbol.st_shndx != SHN_UNDEF,
		    .is_weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK,
		};
	}
	return 0;
}

static int read_sections(struct check_binary *binary, uint64_t *flags_1, struct util_error *err)
{
	size_t names = 0;
	Elf_Scn *section = NULL;
	int rc = 0;

	elf_getshdrstrndx(binary->elf, &names);
	while (!rc && (section = elf_nextscn(binary->elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			return damaged(binary, "section headers", err);
		name = elf_strptr(binary->elf, names, header.sh_name);
		if (name && strcmp(name, ".debug_line") == 0)
			binary->has_lines = true;
		if (header.sh_type == SHT_DYNAMIC)
			rc = read_dynamic(binary, section, &header, flags_1, err);
		else if (header.sh_type == SHT_DYNSYM)
			rc = read_symbols(binary, section, &header, err);
	}
	return rc;
}

static int read_all(struct check_binary *binary, struct util_error *err)
{
	struct segments segments = {false, false};
	GElf_Ehdr header;
	uint64_t flags_1 = 0;
	int rc;

	if (!gelf_getehdr(binary->elf, &header))
		return damaged(binary, "header", err);
	binary->machine = header.e_machine;
	binary->bits = gelf_getclass(binary->elf) == ELFCLASS32 ? 32 : 64;
	rc = read_segments(binary, &segments, err);
	if (!rc)
		rc = read_sections(binary, &flags_1, err);
	if (rc)
		return rc;
	binary->kind = kind_of(header.e_type, &segments, flags_1);
	if (segments.has_dynamic && !binary->symbols)
		return util_refuse(err,
				   "'%s' has no table of dynamic symbols: it is damaged, or its "
				   "section headers were stripped",
				   binary->path);
	return 0;
}

int check_binary_open(struct check_binary *out, const char *path, struct util_error *err)
{
	struct check_binary binary = {.fd = -1};
	int rc = open_file(&binary, path, err);

	if (!rc)
		rc = open_elf(&binary, err);
	if (!rc)
		rc = read_all(&binary, err);
	if (rc)
		check_binary_close(&binary);
	else
		*out = binary;
	return rc;
}

void check_binary_close(struct check_binary *binary)
{
	elf_end(binary->elf);
	if (binary->fd >= 0)
		close(binary->fd);
	free(binary->needed);
	free(binary->symbols);
	free(binary->path);
	*binary = (struct check_binary){.fd = -1};
}

const char *check_machine_name(int machine)
{
	static const struct {
		int machine;
		const char *name;
	} names[] = {
	    {EM_X86_64, "x86-64"}, {EM_386, "i386"},	{EM_AARCH64, "aarch64"}, {EM_ARM, "arm"},
	    {EM_PPC64, "ppc64"},   {EM_RISCV, "riscv"}, {EM_S390, "s390x"},	 {EM_MIPS, "mips"},
	};
	static char number[32];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (names[i].machine == machine)
			return names[i].name;
	snprintf(number, sizeof number, "ELF machine %d", machine);
	return number;
}
