/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_ASYNC_INTERNAL_H
#define TOOLS_WHATIF_ASYNC_INTERNAL_H

#include "tools/whatif/async/plan.h"

/* What the files of this folder share. */
enum { ASYNC_PAGE_B = 4096 };

struct async_pending { /* a send or receive that is not waited for yet */
	size_t op;
	bool is_send, is_chosen;
	uint32_t request; /* 0: it is not posted yet */
	uint64_t n_waits; /* before it was posted */
	uint32_t batch;	  /* of a send: it is posted so many waits later */
	int64_t dest;	  /* the same */
	size_t need;	  /* of a receive: SIZE_MAX: none */
};

struct async_plan { /* of one rank */
	const struct mtrace_file *file;
	const struct async_rank *rank;
	const struct async_setup *setup;
	struct async_needs *needs;
	struct util_map orders; /* messages so far by peer and tag: of sends, and of receives */
	struct util_map recv_orders;
	struct mtrace_stream *out; /* NULL: nothing is written */
	struct async_result *result;
	struct async_pending *pending; /* [n_pending] in the order of their posts */
	size_t n_pending;
	uint32_t *free_ids; /* [n_free] */
	size_t n_free;
	uint32_t last_id;
	uint64_t n_waits;
	size_t step;	     /* the first op of the present computation */
	uint32_t first_site; /* of the present chain */
	uint64_t length;
	size_t first_chain; /* of the rank, in the result */
	bool is_out_of_memory;
};

struct async_where { /* what makes a rank wait */
	enum async_cause cause;
	uint32_t function, site;
	bool is_fault; /* a page was touched */
};

/* What has to wait is chosen before. */
void async_wait_chosen(struct async_plan *plan, const struct async_where *where);
void async_wait_all(struct async_plan *plan, const struct async_where *where);
/* What is chosen conflicts with what ends all that is pending; of a chain that is noted. */
void async_end_chain(struct async_plan *plan, const struct async_where *where);
/* Chooses what conflicts with one of these, by whole pages or (1) bytes; false: nothing does. */
bool async_choose(struct async_plan *plan, const struct async_memory memories[], size_t n,
		  uint64_t page_B);
/* Sends to `dest` that were put off are posted now: none that is posted overtakes them. */
void async_post_to(struct async_plan *plan, int64_t dest);
/* All of them. */
void async_post_all(struct async_plan *plan);
/* The computation before op `next` goes on. */
void async_step(struct async_plan *plan, size_t next);

/* --- records.c --- */
void async_put_raw(struct async_plan *plan, const struct async_op *op);
void async_put_charge(struct async_plan *plan, double seconds);
/* A part of a charge. */
void async_put_part(struct async_plan *plan, const struct async_op *op, double seconds);
void async_put_post(struct async_plan *plan, const struct async_pending *pending);
void async_put_wait(struct async_plan *plan, uint32_t wait_site);

/* --- needs.c --- */
void async_note_recv(struct async_plan *plan, struct async_pending *pending,
		     const struct async_message *message);
uint32_t async_batch_of(struct async_plan *plan, const struct async_message *message);

#endif
