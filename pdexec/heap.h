/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_HEAP_H
#define PDEXEC_HEAP_H

#include <stddef.h>

/*
 * How many bytes the program may use from `address` on, where that is the beginning of a block of
 * the C library's malloc; SIZE_MAX where it is none, or cannot be told for one: memory of the
 * program's image, of a stack, within a block, of another allocator. `size_B`: what the program
 * means to use; with more than the block has, all blocks of the heap are walked to be certain,
 * O(blocks), else O(1). `address` must be there.
 */
size_t pd_heap_room(const void *address, size_t size_B);

#endif
