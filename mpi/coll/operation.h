/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_OPERATION_H
#define MPI_COLL_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/coll/args.h"
#include "mpi/coll/shape.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/nodes.h"
#include "mpi/op/op.h"
#include "mpi/p2p/p2p.h"

/*
 * One collective under way on one rank, and what algorithms are written with. A blocking collective
 * lives on the rank's stack, a nonblocking or persistent one behind its request.
 *
 * An algorithm is a round function: called on the rank's own fiber when everything that the
 * previous round posted is complete, it works on what has arrived, posts the sends and receives of
 * the next round and says whether the operation has ended on this rank (then it has posted
 * nothing). Rounds that post nothing are followed by the next at once. Schedules are thus computed
 * from (rank, size, step) and never stored.
 */
struct mpi_coll;
typedef bool (*mpi_coll_round_fn)(struct mpi_rank *me, struct mpi_coll *coll);

/* Whom the messages of a stage go between. */
enum mpi_coll_scope {
	SCOPE_ALL,
	SCOPE_LOCAL_GROUP, /* of an intercommunicator */
	SCOPE_NODE,	   /* those on the rank's node: mpi/comm/nodes.h */
	SCOPE_LEADERS,	   /* one of each node; others have nothing to do */
};

struct mpi_coll_stage {
	/* Rewrites coll->call for this stage from coll->given; NULL: nothing to do. */
	void (*prepare)(struct mpi_rank *me, struct mpi_coll *coll);
	mpi_coll_round_fn round;
	enum mpi_coll_scope scope;
};

#define MPI_COLL_MAX_STAGES 4
#define MPI_COLL_KIND(kind) (1u << (kind))

struct mpi_coll_algorithm {
	const char *name;
	uint32_t kinds; /* what it does: MPI_COLL_KIND(…) | … */
	/* Whether it can do this one; looks only at what is equal on all ranks. NULL: always. */
	bool (*fits)(const struct mpi_coll *coll);
	bool needs_nodes;  /* coll->nodes has to be there */
	bool has_segments; /* cuts messages into segments when asked to: "pipeline:64KiB" */
	mpi_coll_shape_fn shape; /* of its tree; NULL: it has none that its stages ask for */
	/* One after the other, up to a NULL round. */
	struct mpi_coll_stage stages[MPI_COLL_MAX_STAGES];
};

/* Like mpi_coll_side_args, but checked, with the objects of the handles. */
struct mpi_coll_side {
	char *buf;
	MPI_Count count;
	struct mpi_counts counts, displs; /* [n_blocks]; displs in extents, with `types` in bytes */
	int n_blocks;			  /* ranks, or neighbours, that it has a block for */
	struct mpi_datatype *type;
	struct mpi_datatype **types;
};

/* `count` items at `buf`. */
struct mpi_coll_block {
	char *buf;
	MPI_Count count;
	struct mpi_datatype *type;
};

/*
 * The data of a collective, MPI_IN_PLACE already replaced by the address it stands for. What is not
 * significant on this rank is all zero. `root` is a rank, or on intercommunicators MPI_ROOT or
 * MPI_PROC_NULL.
 */
struct mpi_coll_call {
	struct mpi_coll_side send, recv;
	int root;
};

/* All ranks' blocks without gaps, see mpi/coll/packed.h. */
struct mpi_coll_packed {
	char *buf;
	const MPI_Count *offsets; /* [size + 1], B; scratch of the operation */
	int first;		  /* the rank whose block comes first */
};

#define MPI_COLL_INLINE_REQUESTS 8

struct mpi_coll {
	struct mpi_progress progress; /* first: the nonblocking forms are found by it */
	enum mpi_coll_kind kind;
	const struct mpi_coll_algorithm *algorithm;
	struct mpi_comm *comm;
	/* In comm: of an intercommunicator, in the local group; in a stage, in its scope. */
	int rank, size;
	const int *ranks; /* in comm, of the ranks in the scope; NULL: they are the same */
	const struct mpi_nodes *nodes; /* of comm; NULL: no rule asks for them */
	int remote_size; /* of the other group of an intercommunicator; 0: it has none */
	int tag, local_tag;
	uint32_t turn;	      /* how often it has begun: a persistent one does more than once */
	struct mpi_comm *via; /* where the messages of the present stage go, and with which tag */
	int via_tag;
	int *sources, *destinations; /* neighbours, in the order of their blocks: owned[2] */
	struct mpi_op *op;
	struct mpi_coll_call given, call; /* of the application; of the present stage */
	bool is_in_place;		  /* alltoall: send from a copy of what is to be received */
	bool is_advancing;
	bool is_apart, has_ended; /* mpi/coll/rounds.h */
	struct mpi_request
	    *spare;		/* is_apart: a complete receive of the present stage; NULL: none */
	uint32_t float_control; /* of its rank, is_apart: results must not depend on who runs */
	struct mpi_request *request; /* nonblocking forms; NULL: blocking */
	int error;		     /* first error class of a message, or MPI_SUCCESS */
	void *owned[3];		     /* arrays made while resolving; freed with the operation */
	int64_t staged_B;	     /* mpi/coll/staged.h */
	char *absent; /* an address of buffers without memory (--no-alloc); NULL: none */
	MPI_Count
	    segment_B; /* that messages are cut into, where the algorithm does; 0: they are not */

	/* the algorithm's own */
	int stage, step;   /* step: rounds of this stage so far */
	int phase;	   /* 0 when a stage begins */
	bool has_received; /* the round that has just completed had a receive */
	char *work[2];	   /* accumulator, and where the next contribution arrives */
	const struct mpi_coll_algorithm *part; /* what does the present stage: mpi/coll/part.h */
	bool is_part;			       /* the choice is for a stage */
	char *partial; /* what a node's ranks make together: mpi/coll/hierarchical.c */
	struct mpi_coll_packed packed; /* mpi/coll/packed.h */
	struct mpi_ideal *ideal;       /* mpi/coll/ideal.h */

	int n_posted, n_capacity;
	struct mpi_request **posted; /* [n_capacity]; `inline_posted` or malloc */
	struct mpi_request *inline_posted[MPI_COLL_INLINE_REQUESTS];
	struct mpi_coll_scratch *scratch;
};

/* --- life of an operation (operation.c) --- */

/* An operation without data yet. */
void mpi_coll_init(struct mpi_coll *coll, enum mpi_coll_kind kind, struct mpi_comm *comm);
/*
 * coll->given is there: chooses the algorithm and takes the operation's place in the order of the
 * communicator's collectives.
 */
void mpi_coll_schedule(struct mpi_rank *me, struct mpi_coll *coll);
/*
 * Checks the arguments and fills `coll`. MPI_SUCCESS, or what mpi_raise returned; then nothing is
 * left to free. On MPI_SUCCESS `coll` is scheduled.
 */
int mpi_coll_resolve(struct mpi_rank *me, const struct mpi_coll_args *args, struct mpi_coll *coll);
/* Goes to the first round; again for every start of a persistent operation. */
void mpi_coll_begin(struct mpi_rank *me, struct mpi_coll *coll);
/* All that was posted is complete: runs rounds up to one that posts something. True: has ended. */
bool mpi_coll_continue(struct mpi_rank *me, struct mpi_coll *coll);
/* Begins, runs and waits for a blocking one; returns its error class. `coll` is finished then. */
int mpi_coll_run(struct mpi_rank *me, struct mpi_coll *coll);
/* Who waits for whom, by what the operation means: its algorithm may make them wait for more. */
enum sim_collective_shape mpi_coll_shape_of(enum mpi_coll_kind kind);
/* Puts one that is scheduled, malloc'd and taken over, behind a new request, and begins it. */
struct mpi_request *mpi_coll_start(struct mpi_rank *me, struct mpi_coll *coll);
/* Frees what resolving made. */
void mpi_coll_finish(struct mpi_coll *coll);

/* --- for algorithms: data (data.c) --- */

/* What is sent to, or received from, rank `index`. O(1). */
struct mpi_coll_block mpi_coll_block(const struct mpi_coll_side *side, int index);
/* The side as one block, for those that have a single count. */
struct mpi_coll_block mpi_coll_whole(const struct mpi_coll_side *side);
/* Blocks first … first+n-1 of a regular side as one block. */
struct mpi_coll_block mpi_coll_blocks(const struct mpi_coll_side *side, int first, int n);
static inline MPI_Count mpi_coll_block_size_B(struct mpi_coll_block block)
{
	return block.type ? block.count * block.type->size_B : 0;
}
/* The block at another address, and `size_B` plain bytes. */
struct mpi_coll_block mpi_coll_block_at(struct mpi_coll_block block, char *buf);
struct mpi_coll_block mpi_coll_bytes(const struct mpi_rank *me, char *buf, MPI_Count size_B);

/*
 * Memory until the operation ends: `size_B` bytes, or room for the items of a block (returned as
 * the block's address, lower bound accounted for). When the application's buffers have no memory,
 * neither has this: an absent address. Never NULL.
 */
char *mpi_coll_scratch(struct mpi_rank *me, struct mpi_coll *coll, MPI_Count size_B);
char *mpi_coll_scratch_like(struct mpi_rank *me, struct mpi_coll *coll,
			    struct mpi_coll_block block);
/* The same for [n] numbers, which are there whatever the application's buffers are. */
MPI_Count *mpi_coll_scratch_numbers(struct mpi_rank *me, struct mpi_coll *coll, int n);
/* `offset_B` bytes into scratch memory. */
char *mpi_coll_scratch_at(const struct mpi_coll *coll, char *scratch, MPI_Count offset_B);
void mpi_coll_scratch_free(struct mpi_coll *coll);

/* Copies within the rank; datatypes may differ. Nothing for equal addresses and absent memory. */
void mpi_coll_copy(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block from,
		   struct mpi_coll_block to);
/*
 * work[0] = work[0] op work[1], and work[1] op work[0]; work[1] is lost. `like` says count and
 * type.
 */
void mpi_coll_fold_right(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block like);
void mpi_coll_fold_left(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block like);

/*
 * call.recv, one block, as bytes in work[0]: in its own memory where it has no gaps, else in
 * scratch that `flatten` fills on ranks with data and `unflatten` puts back on the others.
 */
void mpi_coll_flatten(struct mpi_rank *me, struct mpi_coll *coll, bool has_data);
void mpi_coll_unflatten(struct mpi_rank *me, struct mpi_coll *coll, bool had_data);
/* Bytes [from, end) of work[0], cut off at the end of call.recv. */
struct mpi_coll_block mpi_coll_flat(struct mpi_rank *me, struct mpi_coll *coll, MPI_Count from_B,
				    MPI_Count end_B);
/* Items [first, first + count) of `block`, whose memory may be scratch. */
struct mpi_coll_block mpi_coll_items(const struct mpi_coll *coll, struct mpi_coll_block block,
				     MPI_Count first, MPI_Count count);

/* --- for algorithms: messages (operation.c) --- */

/* Room for `n` requests in a round, for those that post many. */
void mpi_coll_reserve(struct mpi_rank *me, struct mpi_coll *coll, int n);
/* Something of the algorithm's own that the round waits for; destroyed with it. */
void mpi_coll_post(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_request *request);
void mpi_coll_send(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		   int dest);
void mpi_coll_recv(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		   int source);
/* The same, but nothing for empty blocks, which all ranks must know to be empty. */
static inline void mpi_coll_send_some(struct mpi_rank *me, struct mpi_coll *coll,
				      struct mpi_coll_block block, int dest)
{
	if (mpi_coll_block_size_B(block) > 0)
		mpi_coll_send(me, coll, block, dest);
}
static inline void mpi_coll_recv_some(struct mpi_rank *me, struct mpi_coll *coll,
				      struct mpi_coll_block block, int source)
{
	if (mpi_coll_block_size_B(block) > 0)
		mpi_coll_recv(me, coll, block, source);
}

#endif
