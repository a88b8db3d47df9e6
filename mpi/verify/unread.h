/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_UNREAD_H
#define MPI_VERIFY_UNREAD_H

#include "mpi/verify/memory.h"

/*
 * What was received for nothing: bytes that the program writes to before it has read them, and bytes that it
 * never reads. Each byte that comes is fresh until it is read, written to, replaced by a later
 * message, freed, or the run ends. Needs the back end `callbacks`, which sees all accesses.
 */
struct mpi_unread;

/* Where a message came from: the ordinal of those that are the same in the rest makes it one. */
struct mpi_unread_origin {
	int source, dest; /* ranks of the world; source -1: of a collective, or unknown */
	uint32_t context;
	int tag;
};

/* Of a message: bytes that came for nothing, as a run without them needs it. */
struct mpi_unread_message {
	uint64_t key; /* mpi_unread_key */
	uint32_t ordinal;
	int site;
	int64_t unread_B;
};

uint64_t mpi_unread_key(const struct mpi_unread_origin *origin);

int mpi_unread_create(struct mpi_memory *memory, struct mpi_unread **out); /* 0 or UTIL_ENOMEM */
void mpi_unread_destroy(struct mpi_unread *unread);			   /* NULL is fine */

/* The first `size_B` bytes of the buffer have come. */
void mpi_unread_deliver(struct mpi_unread *unread, struct mpi_rank *me,
			const struct mpi_memory_buffer *buffer, size_t size_B,
			const struct mpi_unread_origin *origin);
/* An access, as mpi_memory_touch; `by` NULL: nobody is told. */
void mpi_unread_touch(struct mpi_unread *unread, uintptr_t at, size_t size_B, unsigned use,
		      const struct mpi_finding_call *by);
void mpi_unread_touch_buffer(struct mpi_unread *unread, const struct mpi_memory_buffer *buffer);
/* The memory is no more. */
void mpi_unread_lose(struct mpi_unread *unread, uintptr_t at, size_t size_B);
/* What lies on the rank's stack below `here` is no more. */
void mpi_unread_look_at_stack(struct mpi_unread *unread, struct mpi_rank *me, uintptr_t here);

/* --- unread-report.c --- */
/* The run is over: what is fresh stays unread. Returns how many sites there are, 0: nothing to price. */
int mpi_unread_finish(struct mpi_unread *unread);
const struct mpi_unread_message *mpi_unread_messages(const struct mpi_unread *unread, size_t *n);
/* How long the run takes without the bytes of a site, and with them. */
void mpi_unread_price(struct mpi_unread *unread, int site, double without_s, double with_s);
void mpi_unread_report(struct mpi_unread *unread);

/* --- what unread.c and unread-report.c share --- */
struct mpi_unread_site {
	uint64_t place;
	struct mpi_finding_call call;
	uint64_t n_messages, size_B, unread_B, overwritten_B;
	bool is_raw, is_priced;
	double without_s, with_s;
	unsigned char *offsets; /* [n_offsets] enum mpi_unread_offset: what was seen there */
	size_t n_offsets;
};
enum mpi_unread_offset { OFFSET_CAME = 1, OFFSET_READ = 2, OFFSET_OVERWRITTEN = 4 };
enum { UNREAD_MAX_OFFSETS = 1 << 20 };

struct mpi_unread_delivery {
	int site; /* -1: this one is free */
	uintptr_t base;
	size_t fresh_B, unread_B;
	uint64_t key;
	uint32_t ordinal;
	bool is_priced, is_told;
	struct mpi_finding_call call;
	char text[MEMORY_TEXT_B];
};

enum { UNREAD_PAGE_B = 4096 };
struct mpi_unread_page {
	uint32_t owners[UNREAD_PAGE_B]; /* 1 + delivery; 0: not fresh */
	uintptr_t number;
};

struct mpi_unread {
	struct mpi_memory *memory;
	struct util_map pages; /* by number */
	struct mpi_unread_page *last;
	struct mpi_unread_site *sites; /* [n_sites] */
	int n_sites;
	struct mpi_unread_delivery *deliveries; /* [n_deliveries] */
	uint32_t *free_ones;			/* [n_free] among them */
	size_t n_deliveries, n_free;
	struct util_map ordinals;	     /* by key: how many came */
	struct mpi_unread_message *messages; /* [n_messages] */
	size_t n_messages;
	uintptr_t *stack_low; /* [n_stacks] by rank: the lowest fresh byte there; 0: none */
	int n_stacks;
	bool is_finished, is_off;
};

/* Takes what is fresh of [at, at + size_B) from its deliveries as unread. */
void mpi_unread_drop(struct mpi_unread *unread, uintptr_t at, size_t size_B);

#endif
