/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_ASYNC_TRACE_H
#define TOOLS_WHATIF_ASYNC_TRACE_H

#include "mtrace/reader.h"

/* The records of one rank in memory, with the memory that they use. */
struct async_group { /* `count` runs of so many bytes */
	uint64_t at, size_B, count, stride_B;
};

struct async_memory {	    /* one record of memory */
	unsigned flags;	    /* enum mtrace_memory */
	size_t first, n;    /* of the rank's groups */
	uint64_t low, high; /* they lie in [low, high) */
	uint64_t size_B;
	uint32_t site;	 /* of computation */
	double fraction; /* of computation */
};

struct async_op {
	uint64_t what;	   /* enum mtrace_op, or MTRACE_CALL + function */
	uint32_t site;	   /* of calls */
	size_t raw, raw_B; /* the record, of the rank's bytes; matches are filled in */
	size_t arguments;  /* where those of a call begin, in the record */
	size_t first, n;   /* of the rank's memories: a call's, or the touch itself */
	double seconds;	   /* of computation */
	bool is_kernel, is_measured;
};

struct async_rank {
	int rank;
	struct async_op *ops;	       /* [n_ops] */
	struct async_memory *memories; /* [n_memories] */
	struct async_group *groups;    /* [n_groups] */
	unsigned char *bytes;	       /* [n_bytes] */
	size_t n_ops, n_memories, n_groups, n_bytes, capacity_B;
	uint64_t last_request; /* the largest id */
};

/* *out is to be finished in any case. Errors: UTIL_EINPUT, UTIL_ENOMEM. */
int async_rank_read(struct mtrace_file *file, int rank, struct async_rank *out,
		    struct util_error *err);
void async_rank_finish(struct async_rank *rank);

/* A call that blocks for a message, or both halves of one that does for two. */
struct async_message {
	bool has_send, has_recv, is_wild;
	const unsigned char *send, *recv, *comm_at; /* arguments, from the buffer to the tag */
	size_t send_B, recv_B, comm_B;
	uint64_t comm;
	int64_t dest, send_tag, source, recv_tag; /* of a wildcard: what it got */
};

/* What `op` sends and receives, by the signature of its function: "bitiic", "bitwic", both with "R",
 * "bitiibitwic". */
void async_message_read(const struct async_rank *rank, const struct async_op *op,
			const char *signature, struct async_message *out);

/* Whether they have a byte in common, or with page_B > 1 a page. */
bool async_memory_meets(const struct async_rank *rank, const struct async_memory *a,
			const struct async_memory *b, uint64_t page_B);
/* Pages of that size with bytes of it, at most. */
uint64_t async_memory_pages(const struct async_rank *rank, const struct async_memory *memory,
			    uint64_t page_B);

#endif
