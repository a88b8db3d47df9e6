/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/swap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 16 }; /* of every record, for the sake of memcpy */

static size_t aligned(size_t size_B)
{
	return (size_B + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* Zero; NULL when the address space is not to be had. */
static char *reserve(int n_ranks, size_t record_B, struct util_error *err)
{
	void *saved = mmap(NULL, (size_t)n_ranks * record_B, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (saved != MAP_FAILED)
		return saved;
	util_error_set(err, UTIL_ENOMEM,
		       "no address space to keep %zu bytes of variables of %d ranks", record_B,
		       n_ranks);
	return NULL;
}

void pd_swap_add(struct pd_swap *swap, char *address, size_t size_B)
{
	if (size_B == 0)
		return;
	swap->first[swap->n_regions++] = (struct pd_swap_region){
	    .address = address, .size_B = size_B, .offset_B = swap->record_B};
	swap->record_B += aligned(size_B);
}

int pd_swap_reserve(struct pd_swap *swap, int n_ranks, struct util_error *err)
{
	swap->n_ranks = n_ranks;
	swap->resident = -1;
	swap->regions = swap->first;
	if (swap->record_B == 0)
		return 0;
	swap->saved = reserve(n_ranks, swap->record_B, err);
	if (!swap->saved)
		return UTIL_ENOMEM;
	for (int i = 0; i < swap->n_regions; i++) {
		swap->regions[i].saved = swap->saved + swap->regions[i].offset_B;
		swap->regions[i].pitch_B = swap->record_B;
	}
	return 0;
}

static int grow(struct pd_swap *swap)
{
	bool is_first = swap->regions == swap->first;
	size_t n = (size_t)swap->n_regions;
	struct pd_swap_region *regions =
	    realloc(is_first ? NULL : swap->regions, (n + 1) * sizeof *regions);

	if (!regions)
		return -1;
	if (is_first)
		memcpy(regions, swap->first, n * sizeof *regions);
	swap->regions = regions;
	return 0;
}

int pd_swap_extend(struct pd_swap *swap, int rank, char *address, size_t size_B,
		   const char *initial, struct util_error *err)
{
	struct pd_swap_region region = {
	    .address = address, .size_B = size_B, .pitch_B = aligned(size_B), .is_late = true};

	if (grow(swap))
		return util_error_set(err, UTIL_ENOMEM, "no memory for variables of libraries");
	region.saved = reserve(swap->n_ranks, region.pitch_B, err);
	if (!region.saved)
		return UTIL_ENOMEM;
	for (int i = 0; i < swap->n_ranks; i++)
		memcpy(region.saved + (size_t)i * region.pitch_B, initial, size_B);
	if (rank >= 0) {
		memcpy(address, initial, size_B);
		swap->resident = rank;
	}
	swap->regions[swap->n_regions++] = region;
	return 0;
}

void pd_swap_finish(struct pd_swap *swap)
{
	for (int i = 0; swap->regions && i < swap->n_regions; i++)
		if (swap->regions[i].is_late)
			munmap(swap->regions[i].saved,
			       (size_t)swap->n_ranks * swap->regions[i].pitch_B);
	if (swap->saved)
		munmap(swap->saved, (size_t)swap->n_ranks * swap->record_B);
	if (swap->regions != swap->first)
		free(swap->regions);
	*swap = (struct pd_swap){.resident = -1};
}

char *pd_swap_record(const struct pd_swap *swap, int rank, int index)
{
	return swap->regions[index].saved + (size_t)rank * swap->regions[index].pitch_B;
}
void pd_swap_leave(struct pd_swap *swap)
{
	for (int i = 0; swap->resident >= 0 && i < swap->n_regions; i++)
		memcpy(pd_swap_record(swap, swap->resident, i), swap->regions[i].address,
		       swap->regions[i].size_B);
	swap->resident = -1;
}

void pd_swap_exchange(struct pd_swap *swap, int rank)
{
	pd_swap_leave(swap);
	for (int i = 0; i < swap->n_regions; i++)
		memcpy(swap->regions[i].address, pd_swap_record(swap, rank, i),
		       swap->regions[i].size_B);
	swap->resident = rank;
}

char *pd_swap_find_aside(const struct pd_swap *swap, int rank, char *address)
{
	for (int i = 0; i < swap->n_regions; i++) {
		size_t offset = (size_t)(address - swap->regions[i].address);

		if (address >= swap->regions[i].address && offset < swap->regions[i].size_B)
			return pd_swap_record(swap, rank, i) + offset;
	}
	return address;
}

bool pd_swap_covers(const struct pd_swap *swap, const char *address)
{
	for (int i = 0; i < swap->n_regions; i++)
		if ((size_t)(address - swap->regions[i].address) < swap->regions[i].size_B)
			return true;
	return false;
}
