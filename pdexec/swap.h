/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_SWAP_H
#define PDEXEC_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/*
 * Memory that all ranks use at the same addresses, one at a time: the thread-local block, what the
 * C++ runtime keeps per thread, and the globals when ranks share one image. What belongs to the
 * ranks that are not there is kept aside.
 */
enum { PD_SWAP_FIRST_REGIONS = 3 };

struct pd_swap_region {
	char *address;
	size_t size_B, offset_B; /* offset: in a rank's record of the first regions */
	char *saved;		 /* [n_ranks], pitch_B bytes each; of the resident rank: stale */
	size_t pitch_B;
	bool is_late; /* has its memory for itself */
};

struct pd_swap {
	struct pd_swap_region *regions;			    /* [n_regions], once reserved */
	struct pd_swap_region first[PD_SWAP_FIRST_REGIONS]; /* where they lie while these do */
	int n_regions;
	int n_ranks;
	int resident; /* whose bytes lie at the addresses; -1: nobody's */
	char *saved;  /* [n_ranks] records of record_B bytes, of the first regions */
	size_t record_B;
};

/* Adds a region before pd_swap_reserve, PD_SWAP_FIRST_REGIONS at most; size 0 adds nothing. */
void pd_swap_add(struct pd_swap *swap, char *address, size_t size_B);
/* Reserves the records, all zero. Without regions there is nothing to do, here and later. Errors:
 * UTIL_ENOMEM. */
int pd_swap_reserve(struct pd_swap *swap, int n_ranks, struct util_error *err);
/*
 * Adds a region later, in which every rank begins with the bytes `initial` ([size_B]; borrowed),
 * also `rank`, who runs
 * (-1: none). Errors: UTIL_ENOMEM.
 */
int pd_swap_extend(struct pd_swap *swap, int rank, char *address, size_t size_B,
		   const char *initial, struct util_error *err);
void pd_swap_finish(struct pd_swap *swap);
/* Where region `index` of `rank` is kept, to be filled before the rank is resident for the first
 * time. */
char *pd_swap_record(const struct pd_swap *swap, int rank, int index);

/* Makes `rank` resident. O(bytes of the regions), nothing when it is already. */
void pd_swap_exchange(struct pd_swap *swap, int rank);
static inline void pd_swap_to(struct pd_swap *swap, int rank)
{
	if (swap->n_regions > 0 && swap->resident != rank)
		pd_swap_exchange(swap, rank);
}
/* Puts the resident rank's bytes aside, for others use the addresses too. O(bytes of the regions).
 */
void pd_swap_leave(struct pd_swap *swap);
/* Where the byte that `rank` has at `address` lies now. */
char *pd_swap_find_aside(const struct pd_swap *swap, int rank, char *address);
/* Whether the byte at `address` lies elsewhere when another rank is resident. O(regions). */
bool pd_swap_covers(const struct pd_swap *swap, const char *address);
static inline char *pd_swap_find(const struct pd_swap *swap, int rank, char *address)
{
	return swap->n_regions == 0 || rank == swap->resident
		   ? address
		   : pd_swap_find_aside(swap, rank, address);
}

#endif
