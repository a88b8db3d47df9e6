/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/private.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "pdexec/libc-next.h"
#include "pdexec/link.h"
#include "pdexec/process.h"
#include "pdexec/rebind.h"
#include "util/list.h"

enum { MAX_RANGES = 4 };

struct range {
	char *address;
	size_t size_B;
	char *initial; /* [size_B] as every rank finds it */
};

/* One that is loaded; shared by all ranks when it has no ranges. */
struct library {
	struct util_link link;
	const struct link_map *map;
	struct range ranges[MAX_RANGES];
	int n_ranges;
};

struct pd_private {
	struct util_list libraries; /* in the order in which they were found */
	const char *const *names;   /* [n_names] */
	bool *is_used;		    /* [n_names] */
	void *(*substitute)(const char *name);
	int n_names;
	int n_own; /* libraries of the simulator: the first ones */
};

static const struct link_map *first_map(void)
{
	void *program = pd_libc_next()->dlopen(NULL, RTLD_LAZY);
	struct link_map *map = NULL;

	if (program) {
		dlinfo(program, RTLD_DI_LINKMAP, &map);
		dlclose(program);
	}
	while (map && map->l_prev)
		map = map->l_prev;
	return map;
}

/* --- which are private --- */

/* "libfoo.so.1" or "libfoo". */
static bool has_name(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(name);

	return strncmp(base, name, length) == 0 &&
	       (base[length] == '\0' || strncmp(base + length, ".so", 3) == 0);
}

/* What the system brings along keeps no state of programs, or is made for threads. */
static bool is_of_system(const char *path)
{
	static const char *const folders[] = {"/lib/",	   "/lib32/",	  "/lib64/",
					      "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return path[0] == '\0' || strncmp(path, "linux-vdso", 10) == 0;
}

/* Made for programs with threads, or without variables that matter. */
static bool is_runtime(const char *path)
{
	static const char *const names[] = {
	    "ld-linux-x86-64", "ld-linux-aarch64", "libc",      "libm",	       "libdl",
	    "libpthread",      "librt",		   "libgcc_s",  "libstdc++",   "libgfortran",
	    "libquadmath",     "libgomp",	   "libatomic", "libopenblas", "libblas",
	    "liblapack",       "libz",		   "libexpat",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (has_name(path, names[i]))
			return true;
	return false;
}

bool pd_private_is_doubtful(const char *path)
{
	return path[0] == '/' && is_of_system(path) && !is_runtime(path) && !pd_link_is_own(path);
}

bool pd_private_is_python(const char *path)
{
	return strstr(path, "/libpython3") || strstr(path, "/python3");
}

/* libgomp's threads belong to whoever began the first region: each rank has its own. */
static bool is_private(struct pd_private *private, const char *path)
{
	bool is_named = false;

	for (int i = 0; i < private->n_names; i++)
		if (has_name(path, private->names[i]))
			is_named = private->is_used[i] = true;
	return is_named || has_name(path, "libgomp") || pd_private_is_python(path) ||
	       (!is_of_system(path) && !pd_link_is_own(path));
}

/* --- their variables --- */

struct search {
	struct library *library;
	const char *until; /* what lies behind is shared; NULL: nothing */
	bool is_out_of_memory;
};

static void add_range(struct search *search, char *address, size_t size_B)
{
	struct library *library = search->library;
	struct range *range = &library->ranges[library->n_ranges];

	if (size_B == 0 || library->n_ranges == MAX_RANGES)
		return;
	*range = (struct range){.address = address, .size_B = size_B, .initial = malloc(size_B)};
	if (!range->initial) {
		search->is_out_of_memory = true;
		return;
	}
	memcpy(range->initial, address, size_B);
	library->n_ranges++;
}

/* What a rank can change: everything writable but what is read-only once relocated. */
static void add_segment(struct search *search, const struct dl_phdr_info *info,
			const Elf64_Phdr *segment)
{
	uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *relro = &info->dlpi_phdr[i];
		uintptr_t first = info->dlpi_addr + relro->p_vaddr;

		if (relro->p_type == PT_GNU_RELRO && first <= begin &&
		    first + relro->p_memsz > begin)
			begin = first + relro->p_memsz;
	}
	if (search->until && end > (uintptr_t)search->until)
		end = (uintptr_t)search->until;
	if (begin < end)
		add_range(search, (char *)begin, end - begin);
}

static int add_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	if (info->dlpi_addr != search->library->map->l_addr ||
	    strcmp(info->dlpi_name, search->library->map->l_name) != 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W))
			add_segment(search, info, segment);
		if (segment->p_type == PT_TLS &&
		    !search->until) { /* this thread's, on which all ranks run */
			struct pd_tls_index first = {info->dlpi_tls_modid, 0};

			add_range(search, __tls_get_addr(&first), segment->p_memsz);
		}
	}
	return 1;
}

/*
 * Where libstdc++'s standard streams end, with what it keeps of them: a rank that formats numbers,
 * redirects or silences std::cout does so for itself. The rest, most of it tables of the classic
 * locale, is shared. NULL: this is another library.
 */
static const char *streams_end(const struct link_map *map)
{
	static const char *const streams[] = {"_ZSt3cin",   "_ZSt4cout", "_ZSt4cerr",
					      "_ZSt4clog",  "_ZSt4wcin", "_ZSt5wcout",
					      "_ZSt5wcerr", "_ZSt5wclog"};
	enum { BEHIND_B = 1024 }; /* the last stream's size, and the global locale */
	void *library = NULL;
	const char *last = NULL;

	if (has_name(map->l_name, "libstdc++"))
		library = pd_libc_next()->dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	for (size_t i = 0; library && i < sizeof streams / sizeof streams[0]; i++) {
		const char *stream = dlsym(library, streams[i]);

		if (stream && stream > last)
			last = stream;
	}
	if (library)
		dlclose(library);
	return last ? last + BEHIND_B : NULL;
}

static void destroy(struct library *library)
{
	for (int i = 0; i < library->n_ranges; i++)
		free(library->ranges[i].initial);
	free(library);
}

/* 0, or -1 when out of memory. */
static int add(struct pd_private *private, const struct link_map *map, bool is_private)
{
	struct library *library = calloc(1, sizeof *library);
	struct search search = {.library = library};

	if (!library)
		return -1;
	library->map = map;
	if (!is_private)
		search.until = streams_end(map);
	if (is_private || search.until) {
		/* its variables are copied as long as the run lasts */
		pd_libc_next()->dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
		dl_iterate_phdr(add_ranges, &search);
	}
	if (search.is_out_of_memory) {
		destroy(library);
		return -1;
	}
	util_list_append(&private->libraries, library);
	return 0;
}

static bool is_known(const struct pd_private *private, const struct link_map *map)
{
	const struct library *library = private->libraries.first;

	while (library && library->map != map)
		library = library->link.next;
	return library != NULL;
}

/* --- life --- */

static int fail_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "no memory for the variables of libraries");
}

int pd_private_create(int n, const char *const names[], void *(*substitute)(const char *name),
		      struct pd_private **out, struct util_error *err)
{
	struct pd_private *private = calloc(1, sizeof *private);
	int failed;

	if (!private)
		return fail_memory(err);
	private->names = names;
	private->n_names = n;
	private->substitute = substitute;
	private->is_used = calloc((size_t)n + 1, sizeof *private->is_used);
	failed = !private->is_used;
	pd_link_construct_streams();
	for (const struct link_map *map = first_map(); map && !failed; map = map->l_next) {
		failed = add(private, map, false);
		private->n_own++;
	}
	if (failed) {
		pd_private_destroy(private);
		return fail_memory(err);
	}
	*out = private;
	return 0;
}

void pd_private_destroy(struct pd_private *private)
{
	struct library *library;

	if (!private)
		return;
	while ((library = util_list_pop(&private->libraries)))
		destroy(library);
	free(private->is_used);
	free(private);
}

int pd_private_take(struct pd_private *private, struct pd_image *image, int rank,
		    struct util_error *err)
{
	const struct library *library;
	int number = 0, rc = 0;

	for (const struct link_map *map = first_map(); map; map = map->l_next) {
		if (is_known(private, map))
			continue;
		pd_rebind(map, private->substitute);
		if (add(private, map, is_private(private, map->l_name)))
			return fail_memory(err);
	}
	for (library = private->libraries.first; library && !rc;
	     library = library->link.next, number++) {
		if (number < image->n_libraries)
			continue;
		for (int i = 0; i < library->n_ranges && !rc; i++)
			rc = pd_swap_extend(&image->swap, rank, library->ranges[i].address,
					    library->ranges[i].size_B, library->ranges[i].initial,
					    err);
		if (!rc)
			image->n_libraries++;
	}
	return rc;
}

const char *pd_private_unused(const struct pd_private *private)
{
	for (int i = 0; private && i < private->n_names; i++)
		if (!private->is_used[i])
			return private->names[i];
	return NULL;
}

const char *pd_private_first_doubtful(const struct pd_private *private)
{
	const struct library *library = private ? private->libraries.first : NULL;

	for (int i = 0; library; library = library->link.next, i++)
		if (i >= private->n_own && library->n_ranges == 0 &&
		    pd_private_is_doubtful(library->map->l_name))
			return library->map->l_name;
	return NULL;
}
