/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_IMAGE_H
#define PDEXEC_IMAGE_H

#include "pdexec/link.h"
#include "pdexec/rank.h"
#include "pdexec/swap.h"
#include "util/map.h"

/*
 * The program in memory, so that every rank has globals of its own
 * (docs/decisions/0001-private-globals.md): MAP: an image per rank, all mapped from the same file:
 * code is shared, data pages are copied when they are first written. COPY: one image, whose
 * writable range is exchanged when another rank is resumed. Thread-local variables are exchanged in
 * both: code addresses them relative to the thread pointer, and all ranks run on one thread.
 */
enum { PD_SITE_TEXT_B = 480 };

struct pd_image {
	struct pd_elf elf;
	struct pd_link link;
	enum pd_isolation isolation; /* MAP or COPY */
	int n_ranks;
	char *memory; /* the reservation */
	size_t reserved_B;
	char *first;	/* base of the first image */
	size_t pitch_B; /* from image to image; 0 in COPY */
	struct pd_swap swap;
	struct pd_image *next; /* of all: pdexec/unwind.c */
	int n_libraries; /* that pd_private_take has looked at */
	struct util_map sites; /* texts by address, of those that were asked for (pdexec/site.c) */
};

/*
 * Loads `program` (its BLAS calls are bound by `blas` unless that is NULL) for its ranks with the
 * isolation that `config` asks for; its cpus_per_rank is what the ranks hold. Errors: those of pd_elf_open and pd_link_init; UTIL_EINPUT when
 * thread-local variables or mappings do not fit.
 */
int pd_image_create(const struct pd_config *config, const struct pd_program_config *program,
		    struct pd_blas *blas, struct pd_image **out, struct util_error *err);
void pd_image_destroy(struct pd_image *image);

/* `rank`, here and in the image's swap: of the program, from 0. */
static inline char *pd_image_base(const struct pd_image *image, int rank)
{
	return image->first + (size_t)rank * image->pitch_B;
}

/* Where the image of a rank's program lies. */
static inline char *pd_rank_base(const struct pd_rank *rank)
{
	const struct pd_program *program = rank->program;

	return pd_image_base(program->image, rank->rank - program->first_rank);
}

/* Finds the vaddr that `address`, in any rank's image, has in the file. False when it is not in the
 * program. */
bool pd_image_locate(const struct pd_image *image, const void *address, uint64_t *out_vaddr);

/* Exceptions find the frames of images between the two. O(images). */
void pd_unwind_add(struct pd_image *image);
void pd_unwind_remove(const struct pd_image *image);

#endif
