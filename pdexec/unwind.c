/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++ exceptions find the frames of the program through this: the system's loader knows nothing of
 * images that it did not load. libgcc asks for the version GLIBC_2.35 of the name; a definition
 * without versions satisfies that.
 */
#include <dlfcn.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

/* All that are mapped: threads that a program started look, too. */
static struct pd_image *images;

void pd_unwind_add(struct pd_image *image)
{
	image->next = images;
	__atomic_store_n(&images, image, __ATOMIC_RELEASE);
}

void pd_unwind_remove(const struct pd_image *image)
{
	struct pd_image **link = &images;

	while (*link && *link != image)
		link = &(*link)->next;
	if (*link)
		*link = image->next;
}

PD_INTERPOSE int _dl_find_object(void *address, struct dl_find_object *out)
{
	const struct pd_image *image = __atomic_load_n(&images, __ATOMIC_ACQUIRE);
	uint64_t vaddr;
	char *base;

	while (image && !pd_image_locate(image, address, &vaddr))
		image = image->next;
	if (!image)
		return pd_libc_next()->dl_find_object(address, out);
	if (!image->elf.eh_frame_hdr)
		return -1;
	base = (char *)address - vaddr;
	*out = (struct dl_find_object){
	    .dlfo_map_start = base,
	    .dlfo_map_end = base + image->elf.span.end,
	    .dlfo_eh_frame = base + image->elf.eh_frame_hdr,
	};
	return 0;
}
