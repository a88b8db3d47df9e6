/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pdexec/arch.h"

static int open_file(struct pd_elf *elf, const char *path, struct util_error *err)
{
	struct stat status;

	elf->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (elf->fd < 0 && errno == ENOENT)
		return util_refuse(err, "there is no program '%s'", path);
	if (elf->fd < 0) {
		util_error_errno(err, errno, "cannot read program '%s'", path);
		return err ? (err->code = UTIL_EINPUT) : UTIL_EINPUT;
	}
	if (fstat(elf->fd, &status))
		return util_error_errno(err, errno, "cannot read program '%s'", path);
	if (!S_ISREG(status.st_mode))
		return util_refuse(err, "'%s' is not a file that can be run", path);
	if (access(path, X_OK))
		return util_refuse(err, "'%s' is not executable (chmod +x?)", path);
	elf->file_size_B = (size_t)status.st_size;
	if (elf->file_size_B == 0)
		return util_refuse(err, "'%s' is empty", path);
	elf->file = mmap(NULL, elf->file_size_B, PROT_READ, MAP_PRIVATE, elf->fd, 0);
	if (elf->file == MAP_FAILED) {
		elf->file = NULL;
		return util_error_errno(err, errno, "cannot map program '%s'", path);
	}
	elf->path = realpath(path, NULL);
	return elf->path ? 0 : util_error_errno(err, errno, "cannot find program '%s'", path);
}

static int check_header(const struct pd_elf *elf, struct util_error *err)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf->file;

	if (elf->file_size_B > 2 && !memcmp(elf->file, "#!", 2))
		return util_refuse(err, "'%s' is a script: give the program that it starts",
				   elf->path);
	if (elf->file_size_B < sizeof(*header) || memcmp(elf->file, ELFMAG, SELFMAG))
		return util_refuse(err, "'%s' is no executable (not an ELF file)", elf->path);
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return util_refuse(err, "'%s' is a 32-bit program: rebuild it for 64 bits",
				   elf->path);
	if (pd_arch_machine == 0)
		return util_error_set(err, UTIL_EUNSUPPORTED,
				      "programs cannot be loaded on this processor yet");
	if (header->e_machine != pd_arch_machine)
		return util_refuse(
		    err, "'%s' is for another processor (ELF machine %d), this one runs %s",
		    elf->path, header->e_machine, pd_arch_name);
	if (header->e_type == ET_REL || header->e_type == ET_CORE)
		return util_refuse(err, "'%s' is no executable but %s", elf->path,
				   header->e_type == ET_REL ? "an object file: link it"
							    : "a core dump");
	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff % 8 ||
	    header->e_phoff > elf->file_size_B ||
	    header->e_phnum > (elf->file_size_B - header->e_phoff) / sizeof(Elf64_Phdr))
		return util_refuse(err, "'%s' is damaged (program headers)", elf->path);
	return 0;
}

static void grow(struct pd_elf_range *range, uint64_t begin, uint64_t end)
{
	if (range->end == 0)
		range->begin = begin;
	range->begin = begin < range->begin ? begin : range->begin;
	range->end = end > range->end ? end : range->end;
}

static int add_segment(struct pd_elf *elf, const Elf64_Phdr *segment, struct util_error *err)
{
	uint64_t page = elf->page_B, end = segment->p_vaddr + segment->p_memsz;

	if (segment->p_memsz < segment->p_filesz || end < segment->p_vaddr ||
	    end > (uint64_t)1 << 46 || segment->p_vaddr < elf->span.end ||
	    segment->p_offset > elf->file_size_B ||
	    segment->p_filesz > elf->file_size_B - segment->p_offset ||
	    (segment->p_vaddr - segment->p_offset) % page)
		return util_refuse(err, "'%s' is damaged (segments)", elf->path);
	grow(&elf->span, segment->p_vaddr & ~(page - 1), (end + page - 1) & ~(page - 1));
	if (segment->p_align > elf->align && (segment->p_align & (segment->p_align - 1)) == 0)
		elf->align = segment->p_align;
	if (segment->p_flags & PF_W)
		grow(&elf->writable, segment->p_vaddr, end);
	if (segment->p_flags & PF_X)
		grow(&elf->text, segment->p_vaddr, end);
	return 0;
}

static int read_segments(struct pd_elf *elf, bool *has_interpreter, struct util_error *err)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf->file;
	int rc = 0;

	elf->phdr = (const Elf64_Phdr *)(elf->file + header->e_phoff);
	elf->n_phdrs = header->e_phnum;
	elf->entry = header->e_entry;
	elf->align = elf->page_B;
	for (int i = 0; i < elf->n_phdrs && !rc; i++) {
		const Elf64_Phdr *segment = &elf->phdr[i];

		if (segment->p_type == PT_LOAD)
			rc = add_segment(elf, segment, err);
		else if (segment->p_type == PT_INTERP)
			*has_interpreter = true;
		else if (segment->p_type == PT_TLS)
			elf->tls = segment->p_memsz ? segment : NULL;
		else if (segment->p_type == PT_GNU_EH_FRAME)
			elf->eh_frame_hdr = segment->p_vaddr;
		else if (segment->p_type == PT_GNU_RELRO)
			elf->relro = (struct pd_elf_range){segment->p_vaddr,
							   segment->p_vaddr + segment->p_memsz};
	}
	return rc;
}

static int find_dynamic(struct pd_elf *elf, struct util_error *err)
{
	for (int i = 0; i < elf->n_phdrs; i++) {
		const Elf64_Phdr *segment = &elf->phdr[i];

		if (segment->p_type != PT_DYNAMIC)
			continue;
		elf->n_dynamic = segment->p_filesz / sizeof(*elf->dynamic);
		elf->dynamic = pd_elf_at(elf, segment->p_vaddr, segment->p_filesz);
		if (!elf->dynamic || segment->p_vaddr % 8 || segment->p_offset % 8)
			return util_refuse(err, "'%s' is damaged (dynamic section)", elf->path);
	}
	return 0;
}

static uint64_t dynamic_value(const struct pd_elf *elf, int64_t tag)
{
	for (size_t i = 0; i < elf->n_dynamic && elf->dynamic[i].d_tag != DT_NULL; i++)
		if (elf->dynamic[i].d_tag == tag)
			return elf->dynamic[i].d_un.d_val;
	return 0;
}

static bool has_dynamic(const struct pd_elf *elf, int64_t tag)
{
	for (size_t i = 0; i < elf->n_dynamic && elf->dynamic[i].d_tag != DT_NULL; i++)
		if (elf->dynamic[i].d_tag == tag)
			return true;
	return false;
}

static struct pd_elf_table dynamic_table(const struct pd_elf *elf, int64_t tag, int64_t size_tag)
{
	return (struct pd_elf_table){dynamic_value(elf, tag), dynamic_value(elf, size_tag)};
}

static void read_dynamic(struct pd_elf *elf)
{
	elf->symtab = dynamic_value(elf, DT_SYMTAB);
	elf->strtab = dynamic_value(elf, DT_STRTAB);
	elf->strtab_size_B = dynamic_value(elf, DT_STRSZ);
	elf->versym = dynamic_value(elf, DT_VERSYM);
	elf->verneed = dynamic_value(elf, DT_VERNEED);
	elf->n_verneed = dynamic_value(elf, DT_VERNEEDNUM);
	elf->rela = dynamic_table(elf, DT_RELA, DT_RELASZ);
	elf->jmprel = dynamic_table(elf, DT_JMPREL, DT_PLTRELSZ);
	elf->relr = dynamic_table(elf, DT_RELR, DT_RELRSZ);
	elf->preinit_array = dynamic_table(elf, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ);
	elf->init_array = dynamic_table(elf, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
	elf->fini_array = dynamic_table(elf, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
	elf->init = dynamic_value(elf, DT_INIT);
	elf->fini = dynamic_value(elf, DT_FINI);
	if (has_dynamic(elf, DT_RUNPATH))
		elf->runpath = pd_elf_string(elf, dynamic_value(elf, DT_RUNPATH));
	else if (has_dynamic(elf, DT_RPATH))
		elf->rpath = pd_elf_string(elf, dynamic_value(elf, DT_RPATH));
}

static int check_kind(const struct pd_elf *elf, bool has_interpreter, struct util_error *err)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf->file;
	bool is_pie = header->e_type == ET_DYN &&
		      (has_interpreter || (dynamic_value(elf, DT_FLAGS_1) & DF_1_PIE));

	if (header->e_type == ET_DYN && !is_pie)
		return util_refuse(err, "'%s' is a shared library, not a program", elf->path);
	if (!has_interpreter)
		return util_refuse(
		    err, "'%s' is statically linked: link it without -static, as mpisim-cc does",
		    elf->path);
	if (!is_pie)
		return util_refuse(err,
				   "'%s' is not position-independent: compile it with -fPIE and "
				   "link it with -pie, as mpisim-cc does",
				   elf->path);
	if (has_dynamic(elf, DT_TEXTREL) || (dynamic_value(elf, DT_FLAGS) & DF_TEXTREL))
		return util_refuse(err,
				   "'%s' has relocations in its code: compile all of it with -fPIE",
				   elf->path);
	if (!elf->symtab || !elf->strtab || elf->span.end == 0 || elf->entry >= elf->span.end)
		return util_refuse(err, "'%s' is damaged (no symbols, code or entry)", elf->path);
	return 0;
}

int pd_elf_open(struct pd_elf *elf, const char *path, struct util_error *err)
{
	bool has_interpreter = false;
	int rc;

	*elf = (struct pd_elf){.fd = -1, .page_B = (size_t)sysconf(_SC_PAGESIZE)};
	rc = open_file(elf, path, err);
	if (!rc)
		rc = check_header(elf, err);
	if (!rc)
		rc = read_segments(elf, &has_interpreter, err);
	if (!rc)
		rc = find_dynamic(elf, err);
	if (!rc) {
		read_dynamic(elf);
		rc = check_kind(elf, has_interpreter, err);
	}
	if (rc)
		pd_elf_close(elf);
	return rc;
}

void pd_elf_close(struct pd_elf *elf)
{
	if (elf->file)
		munmap((void *)elf->file, elf->file_size_B);
	if (elf->fd >= 0)
		close(elf->fd);
	free(elf->path);
	*elf = (struct pd_elf){.fd = -1};
}

const void *pd_elf_at(const struct pd_elf *elf, uint64_t vaddr, uint64_t size_B)
{
	for (int i = 0; i < elf->n_phdrs; i++) {
		const Elf64_Phdr *segment = &elf->phdr[i];

		if (segment->p_type == PT_LOAD && vaddr >= segment->p_vaddr &&
		    vaddr - segment->p_vaddr <= segment->p_filesz &&
		    size_B <= segment->p_filesz - (vaddr - segment->p_vaddr))
			return elf->file + segment->p_offset + (vaddr - segment->p_vaddr);
	}
	return NULL;
}

const char *pd_elf_string(const struct pd_elf *elf, uint64_t offset)
{
	const char *strings = pd_elf_at(elf, elf->strtab, elf->strtab_size_B);

	if (!strings || offset >= elf->strtab_size_B ||
	    !memchr(strings + offset, 0, elf->strtab_size_B - offset))
		return NULL;
	return strings + offset;
}

static const char *version_name(const struct pd_elf *elf, uint16_t index)
{
	uint64_t need = elf->verneed;

	for (uint64_t i = 0; i < elf->n_verneed; i++) {
		const Elf64_Verneed *record = pd_elf_at(elf, need, sizeof(*record));
		uint64_t at = record ? need + record->vn_aux : 0;

		for (int k = 0; record && k < record->vn_cnt; k++) {
			const Elf64_Vernaux *version = pd_elf_at(elf, at, sizeof(*version));

			if (!version)
				return NULL;
			if (version->vna_other == index)
				return pd_elf_string(elf, version->vna_name);
			at += version->vna_next;
		}
		if (!record || record->vn_next == 0)
			return NULL;
		need += record->vn_next;
	}
	return NULL;
}

const Elf64_Sym *pd_elf_symbol(const struct pd_elf *elf, uint32_t index, const char **out_version)
{
	const uint16_t *version;

	*out_version = NULL;
	if (elf->versym) {
		version = pd_elf_at(elf, elf->versym + (uint64_t)index * sizeof(*version),
				    sizeof(*version));
		if (version && (*version & 0x7fff) > VER_NDX_GLOBAL)
			*out_version = version_name(elf, *version & 0x7fff);
	}
	return pd_elf_at(elf, elf->symtab + (uint64_t)index * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
}

const char *pd_elf_needed(const struct pd_elf *elf, size_t *cursor)
{
	while (*cursor < elf->n_dynamic && elf->dynamic[*cursor].d_tag != DT_NULL) {
		const Elf64_Dyn *entry = &elf->dynamic[(*cursor)++];

		if (entry->d_tag == DT_NEEDED)
			return pd_elf_string(elf, entry->d_un.d_val);
	}
	return NULL;
}
