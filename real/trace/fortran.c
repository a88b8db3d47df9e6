/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls from Fortran. The libraries' Fortran interfaces call the C functions, Open MPI's all of
 * them and MPICH's mpi_f08 some by the name PMPI_…, which passes every recorder by. In their tables
 * of addresses, which the dynamic linker has made, such names get the recorder's functions instead.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "real/trace/trace.h"

/* Beginnings of the names of their libraries; MPICH's, of Debian and as it comes. */
#define OF_OPEN_MPI                              \
	{                                        \
		"libmpi_mpifh.", "libmpi_usempi" \
	}
#define OF_MPICH                               \
	{                                      \
		"libmpichfort.", "libmpifort." \
	}
#ifdef OPEN_MPI
static const char *const own[] = OF_OPEN_MPI, *const foreign[] = OF_MPICH;
#define LIBRARY "Open MPI"
#else
static const char *const own[] = OF_MPICH, *const foreign[] = OF_OPEN_MPI;
#define LIBRARY "MPICH"
#endif
#define N_NAMES 2
#define MAX_INTERFACES 8

struct range {
	uintptr_t begin, end;
};
static struct range code[MAX_INTERFACES];
static int n_code;

/* --- binding --- */

struct tables { /* of one library */
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * relocations[2];
	size_t n[2];
	ElfW(Addr) base;
};

/* Linkers of some processors leave offsets in the table. */
static const void *address_in(const struct dl_phdr_info *info, ElfW(Addr) address)
{
	return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

static struct tables read_tables(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
	struct tables t = {.base = info->dlpi_addr};

	for (; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			t.symbols = address_in(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			t.names = address_in(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_JMPREL)
			t.relocations[0] = address_in(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_PLTRELSZ)
			t.n[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
		else if (entry->d_tag == DT_RELA)
			t.relocations[1] = address_in(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_RELASZ)
			t.n[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
	}
	return t;
}

static mpi_trace_fn *recorder_of(const char *name)
{
	if (strncmp(name, "PMPI_", 5) != 0)
		return NULL;
	for (const struct mpi_trace_wrapper *w = mpi_trace_wrappers; w->name; w++)
		if (strcmp(w->name, name + 1) == 0)
			return w->function;
	return NULL;
}

/* The word may lie where the linker made memory read-only once it was done; it stays writable. */
static void bind_word(uintptr_t *word, mpi_trace_fn *function)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (mprotect((void *)((uintptr_t)word & ~(page - 1)), page, PROT_READ | PROT_WRITE) == 0)
		*word = (uintptr_t)function;
}

static void bind_all(const struct tables *t)
{
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; t->relocations[k] && i < t->n[k]; i++) {
			const ElfW(Rela) *r = &t->relocations[k][i];
			const ElfW(Sym) *symbol = &t->symbols[ELF64_R_SYM(r->r_info)];
			mpi_trace_fn *function =
			    r->r_addend == 0 ? recorder_of(t->names + symbol->st_name) : NULL;

			if (function)
				bind_word((uintptr_t *)(t->base + r->r_offset), function);
		}
}

static bool is_among(const char *path, const char *const names[N_NAMES])
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	for (int i = 0; i < N_NAMES; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Said here: what MPI_Init finds by the names of C may be the recorder's own MPI library. */
static void refuse_foreign(const char *path)
{
	if (!is_among(path, foreign))
		return;
	fprintf(stderr,
		"mpisim-trace: this recorder is for programs of " LIBRARY
		", and the program has the Fortran interface %s: preload the recorder for that "
		"library\n",
		path);
	_exit(1);
}

static int visit(struct dl_phdr_info *info, size_t size, void *nothing)
{
	refuse_foreign(info->dlpi_name);
	if (!is_among(info->dlpi_name, own) || n_code == MAX_INTERFACES)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
		struct tables t;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X))
			code[n_code] = (struct range){begin, begin + segment->p_memsz};
		if (segment->p_type != PT_DYNAMIC)
			continue;
		t = read_tables(info, (const void *)begin);
		if (t.symbols && t.names)
			bind_all(&t);
	}
	n_code++;
	return 0;
}

__attribute__((constructor)) static void bind_fortran(void)
{
	dl_iterate_phdr(visit, NULL);
}

/* --- who called --- */

static bool is_inside(uintptr_t address)
{
	for (int i = 0; i < n_code; i++)
		if (address - code[i].begin < code[i].end - code[i].begin)
			return true;
	return false;
}

struct search {
	uintptr_t found;
	bool has_entered;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	struct search *s = data;
	uintptr_t address = _Unwind_GetIP(context);

	if (is_inside(address)) {
		s->has_entered = true;
	} else if (s->has_entered) {
		s->found = address;
		return _URC_END_OF_STACK;
	}
	return _URC_NO_REASON;
}

/*
 * What the interfaces ask the libraries themselves, to convert arguments: the lengths of arrays,
 * types of array sections. The program's own calls of these come from the interface's function of
 * that name.
 */
static const char *const helpers[] = {"MPI_Comm_size",	     "MPI_Comm_remote_size",
				      "MPI_Cartdim_get",     "MPI_Dist_graph_neighbors_count",
				      "MPI_Type_contiguous", "MPI_Type_create_hvector",
				      "MPI_Type_commit",     "MPI_Type_free"};

static bool is_helper(const char *function)
{
	for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
		if (strcmp(helpers[i], function) == 0)
			return true;
	return false;
}

bool mpi_trace_is_inner(const char *function, const void *site)
{
	static struct util_map known; /* by place: to look for a name takes 20 us */
	uint32_t is_inner;
	Dl_info info;

	if (!is_inside((uintptr_t)site) || !is_helper(function))
		return false;
	is_inner = mpi_trace_map_get(&known, (uintptr_t)site);
	if (is_inner == MPI_TRACE_NONE) {
		is_inner = dladdr(site, &info) && info.dli_sname &&
			   !strcasestr(info.dli_sname, function + strlen("MPI_"));
		mpi_trace_map_set(&known, (uintptr_t)site, is_inner);
	}
	return is_inner;
}

const void *mpi_trace_caller(const void *site)
{
	struct search s = {0};

	if (!is_inside((uintptr_t)site))
		return site;
	_Unwind_Backtrace(step, &s);
	return s.found ? (const void *)s.found : site;
}
