/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/swap.h"

#include <string.h>
#include <sys/mman.h>

void pd_swap_add(struct pd_swap *swap, char *address, size_t size_B)
{
	enum { ALIGN = 16 }; /* of every record, for the sake of memcpy */

	if (size_B == 0)
		return;
	swap->regions[swap->n_regions++] = (struct pd_swap_region){
	    .address = address, .size_B = size_B, .offset_B = swap->record_B};
	swap->record_B += (size_B + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

int pd_swap_reserve(struct pd_swap *swap, int n_ranks, struct util_error *err)
{
	void *saved;

	swap->n_ranks = n_ranks;
	swap->resident = -1;
	if (swap->record_B == 0)
		return 0;
	swap->reserved_B = (size_t)n_ranks * swap->record_B;
	saved = mmap(NULL, swap->reserved_B, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (saved == MAP_FAILED)
		return util_error_set(err, UTIL_ENOMEM,
				      "no address space to keep %zu bytes of variables of %d ranks",
				      swap->record_B, n_ranks);
	swap->saved = saved;
	return 0;
}

void pd_swap_finish(struct pd_swap *swap)
{
	if (swap->saved)
		munmap(swap->saved, swap->reserved_B);
	*swap = (struct pd_swap){.resident = -1};
}

char *pd_swap_record(const struct pd_swap *swap, int rank, int index)
{
	return swap->saved + (size_t)rank * swap->record_B + swap->regions[index].offset_B;
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
