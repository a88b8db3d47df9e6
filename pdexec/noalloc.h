/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_NOALLOC_H
#define PDEXEC_NOALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/*
 * Buffers that have addresses and no memory (docs/model.md §2, no-alloc mode), and those of
 * accelerators, which have memory otherwise. They come from one range of address space at a fixed
 * place, so that pd_memory_is_absent is two compares.
 */
struct pd_noalloc;

/* Errors: UTIL_ENOMEM when the range is not to be had, as with a second world of this kind in the
 * process. */
int pd_noalloc_create(struct pd_noalloc **out, struct util_error *err);
void pd_noalloc_destroy(struct pd_noalloc *noalloc); /* NULL is fine */
/* Address of `size_B` bytes that must not be touched, aligned to 4096; NULL when there is no more.
 * O(1). */
void *pd_noalloc_get(struct pd_noalloc *noalloc, size_t size_B);
/* Lets its bytes [from_B, from_B + size_B), which are within it, be there, and no others. What one freed
 * before had there may be there still. 0, or -1: no memory. */
int pd_noalloc_provide(struct pd_noalloc *noalloc, void *buffer, size_t from_B, size_t size_B);
/* The same, and `there_B` bytes from from_B on are there; is_device: of an accelerator. */
void *pd_noalloc_get_with_part(struct pd_noalloc *noalloc, bool is_device, size_t size_B,
			       size_t from_B, size_t there_B);
/* 0, or -1 when `buffer` is not the start of a buffer that is in use. O(1). */
int pd_noalloc_put(struct pd_noalloc *noalloc, void *buffer);

#endif
