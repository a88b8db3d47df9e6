/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/image.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pdexec/arch.h"
#include "pdexec/estimate.h"
#include "util/units.h"

/*
 * Limits of the automatic choice; docs/decisions/0001-private-globals.md has the measurements.
 * Exchanging 4 KiB takes less time than the rest of a switch, and an image of its own costs a rank
 * as much time as 150 such exchanges.
 */
enum {
	COPY_MAX_B = 4096,
	COPY_MIN_RANKS = 512,
	DEFAULT_MAX_MAPPINGS = 65530, /* the kernel's default of vm.max_map_count */
	OTHER_MAPPINGS = 1024,	      /* libraries, heap */
};

/* The half that fibers leave (simcore/fiber.c). */
static size_t mapping_budget(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
	size_t count = DEFAULT_MAX_MAPPINGS;

	if (file && fscanf(file, "%zu", &count) != 1)
		count = DEFAULT_MAX_MAPPINGS;
	if (file)
		fclose(file);
	return count / 2 > OTHER_MAPPINGS ? count / 2 - OTHER_MAPPINGS : 0;
}

/* What a rank can change: everything writable but what is read-only once relocated. */
static struct pd_elf_range changing_range(const struct pd_elf *elf)
{
	struct pd_elf_range range = elf->writable;

	if (elf->relro.begin <= range.begin && elf->relro.end > range.begin)
		range.begin = elf->relro.end & ~(elf->page_B - 1);
	if (range.begin < elf->writable.begin)
		range.begin = elf->writable.begin;
	if (range.begin > range.end)
		range.begin = range.end;
	return range;
}

static int check_copy(const struct pd_image *image, size_t size_B, struct util_error *err)
{
	double needed_B = (double)size_B * image->n_ranks, there_B;
	char needed[32], there[32];

	there_B = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	if (needed_B <= there_B)
		return 0;
	return util_refuse(
	    err,
	    "keeping the variables of %d ranks aside takes %s of memory and this machine has %s: "
	    "use isolation 'map', for which vm.max_map_count may have to be raised",
	    image->n_ranks, util_format_size(needed, sizeof(needed), needed_B),
	    util_format_size(there, sizeof(there), there_B));
}

static int check_map(const struct pd_image *image, size_t n_mappings, size_t budget,
		     struct util_error *err)
{
	if ((size_t)image->n_ranks <= budget / n_mappings)
		return 0;
	return util_refuse(err,
			   "%d ranks with an image each need %zu mappings each and %zu are to be "
			   "had in all: use isolation 'copy', or raise vm.max_map_count",
			   image->n_ranks, n_mappings, budget);
}

static int choose_isolation(struct pd_image *image, enum pd_isolation wanted,
			    struct util_error *err)
{
	struct pd_elf_range range = changing_range(&image->elf);
	size_t n_mappings = pd_elf_n_mappings(&image->elf), budget = mapping_budget();
	bool is_small = range.end - range.begin <= COPY_MAX_B;

	image->isolation = wanted;
	if (wanted == PD_ISOLATION_AUTO)
		image->isolation = check_map(image, n_mappings, budget, NULL) ||
					   (is_small && image->n_ranks >= COPY_MIN_RANKS)
				       ? PD_ISOLATION_COPY
				       : PD_ISOLATION_MAP;
	if (image->isolation == PD_ISOLATION_MAP)
		return check_map(image, n_mappings, budget, err);
	return check_copy(image, range.end - range.begin, err);
}

static int check_memory(const struct pd_image *image, struct util_error *err)
{
	int n_ranks = image->n_ranks;
	double needed_B = pd_estimate_ranks_B(n_ranks) + pd_estimate_variables_B(image);

	return pd_estimate_check(n_ranks, needed_B, pd_estimate_available_B(), err);
}

/* Address space only: 64 ranks with 100 MB of arrays each reserve 6.4 GB and use what they touch.
 */
static int reserve(struct pd_image *image, struct util_error *err)
{
	const struct pd_elf *elf = &image->elf;
	size_t span = elf->span.end & ~(elf->align - 1), n = 1;
	uintptr_t base;
	void *memory;

	span += span < elf->span.end ? elf->align : 0;
	if (image->isolation == PD_ISOLATION_MAP) {
		image->pitch_B = span;
		n = (size_t)image->n_ranks;
	}
	if (span > ((size_t)1 << 46) / n)
		return util_error_set(err, UTIL_ENOMEM,
				      "no address space for %zu images of %zu bytes of '%s'", n,
				      span, elf->path);
	image->reserved_B = span * n + elf->align;
	memory = mmap(NULL, image->reserved_B, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return util_error_set(err, UTIL_ENOMEM,
				      "no address space for %zu images of %zu bytes of '%s'", n,
				      span, elf->path);
	image->memory = memory;
	base = ((uintptr_t)memory + elf->align - 1) & ~(uintptr_t)(elf->align - 1);
	image->first = (char *)base;
	return 0;
}

static int check_tls(const struct pd_image *image, const struct pd_config *config,
		     struct util_error *err)
{
	const struct pd_elf *elf = &image->elf;
	const char *area = config->tls_area, *pointer = pd_arch_thread_pointer();
	size_t size = pd_elf_tls_size(elf);

	pd_once_place(config->tls_area, config->tls_area_size_B, size);
	if (size == 0)
		return 0;
	if (!area || area + config->tls_area_size_B != pointer)
		return util_error_set(err, UTIL_EUNSUPPORTED,
				      "'%s' has thread-local variables, for which this executable "
				      "keeps no room below "
				      "the thread pointer",
				      elf->path);
	if (size > config->tls_area_size_B)
		return util_error_set(
		    err, UTIL_EUNSUPPORTED,
		    "'%s' has %zu bytes of thread-local variables, at most %zu are possible",
		    elf->path, size, config->tls_area_size_B);
	if (elf->tls->p_align > 1 && (uintptr_t)pointer % elf->tls->p_align)
		return util_error_set(
		    err, UTIL_EUNSUPPORTED,
		    "'%s' wants its thread-local variables aligned to %zu bytes, which is too much",
		    elf->path, (size_t)elf->tls->p_align);
	return 0;
}

/*
 * What a rank starts with. Thread-local variables come from the relocated image: their initial
 * values may hold addresses. Nothing is there yet of exceptions: what lies there may be another
 * program's.
 */
static void fill_record(struct pd_image *image, int rank)
{
	const struct pd_elf *elf = &image->elf;
	const char *base = pd_image_base(image, rank);

	for (int i = 0; i < image->swap.n_regions; i++) {
		const struct pd_swap_region *region = &image->swap.regions[i];
		char *record = pd_swap_record(&image->swap, rank, i);

		if (elf->tls && region->address == image->link.tls_block)
			memcpy(record, base + elf->tls->p_vaddr, elf->tls->p_filesz);
		else if (image->pitch_B == 0 && region->address >= image->first &&
			 region->address < image->first + elf->span.end)
			memcpy(record, region->address, region->size_B);
	}
}

static int map_images(struct pd_image *image, struct util_error *err)
{
	int n = image->isolation == PD_ISOLATION_MAP ? image->n_ranks : 1, rc = 0;

	for (int i = 0; i < n && !rc; i++) {
		rc = pd_elf_map(&image->elf, pd_image_base(image, i), err);
		if (!rc)
			rc = pd_link_apply(&image->link, pd_image_base(image, i), err);
	}
	return rc;
}

/*
 * What libstdc++ keeps per thread of exceptions: the stack of those that are being handled, and how
 * many are in flight (__cxa_eh_globals, Itanium C++ ABI §2.2.2). A rank may wait within a handler.
 */
static void add_exceptions(struct pd_swap *swap)
{
	enum { SIZE_B = 16 };
	void *address = dlsym(RTLD_DEFAULT, "__cxa_get_globals");

	if (address)
		pd_swap_add(swap, ((char *(*)(void))address)(), SIZE_B);
}

static int prepare_swap(struct pd_image *image, struct util_error *err)
{
	struct pd_elf_range range = changing_range(&image->elf);
	int rc;

	if (image->isolation == PD_ISOLATION_COPY)
		pd_swap_add(&image->swap, image->first + range.begin, range.end - range.begin);
	pd_swap_add(&image->swap, image->link.tls_block, pd_elf_tls_size(&image->elf));
	add_exceptions(&image->swap);
	rc = pd_swap_reserve(&image->swap, image->n_ranks, err);
	for (int rank = 0; rank < image->n_ranks && !rc && image->swap.n_regions; rank++)
		fill_record(image, rank);
	return rc;
}

int pd_image_create(const struct pd_config *config, const struct pd_program_config *program,
		    struct pd_blas *blas, struct pd_image **out, struct util_error *err)
{
	struct pd_image *image = calloc(1, sizeof(*image));
	int rc;

	if (!image)
		return util_error_set(err, UTIL_ENOMEM, "no memory to load '%s'", program->path);
	image->n_ranks = program->n_ranks;
	image->elf.fd = -1;
	rc = pd_elf_open(&image->elf, program->path, err);
	if (!rc)
		rc = check_tls(image, config, err);
	if (!rc)
		rc = choose_isolation(image, config->isolation, err);
	if (!rc)
		rc = check_memory(image, err);
	if (!rc)
		rc = pd_link_init(&image->link, &image->elf, blas, config->substitute,
				  config->cpus_per_rank, err);
	if (!rc)
		rc = reserve(image, err);
	if (!rc)
		rc = map_images(image, err);
	if (!rc)
		rc = prepare_swap(image, err);
	if (rc) {
		pd_image_destroy(image);
		return rc;
	}
	pd_unwind_add(image);
	*out = image;
	return 0;
}

void pd_image_destroy(struct pd_image *image)
{
	if (!image)
		return;
	pd_unwind_remove(image);
	pd_swap_finish(&image->swap);
	if (image->memory)
		munmap(image->memory, image->reserved_B);
	pd_link_finish(&image->link);
	pd_elf_close(&image->elf);
	util_map_finish_items(&image->sites);
	free(image);
}

bool pd_image_locate(const struct pd_image *image, const void *address, uint64_t *out_vaddr)
{
	size_t offset = (size_t)((const char *)address - image->first);
	size_t n = image->pitch_B ? (size_t)image->n_ranks : 1;

	if ((const char *)address < image->first)
		return false;
	if (image->pitch_B) {
		if (offset >= n * image->pitch_B)
			return false;
		offset %= image->pitch_B;
	}
	if (offset >= image->elf.span.end)
		return false;
	*out_vaddr = offset;
	return true;
}
