/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ABI_CALL_INFO_H
#define MPI_ABI_CALL_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "mtrace/format.h"

/*
 * What each MPI function is and what its arguments are, from mpi/abi/functions.txt: which are buffers, of how many
 * items of which type, which is the peer, the tag … Parameters are numbered from 0; -1 is none. Of no mpi.h: it
 * serves the simulator and the recorder of real runs.
 */
enum mpi_parameter_kind {
	PARAMETER_OTHER, /* nothing that is said here */
	PARAMETER_INT,	 /* an integer that is none of those below */
	PARAMETER_TEXT,	 /* const char * */
	PARAMETER_BUFFER,
	PARAMETER_COUNT,	 /* of a buffer; an array has one for each block */
	PARAMETER_DISPLACEMENTS, /* of the blocks of a buffer */
	PARAMETER_RANK,		 /* dest, source, target_rank, leaders, of locks and flushes */
	PARAMETER_ROOT,
	PARAMETER_TAG,
	PARAMETER_STATUS,
	/* handles */
	PARAMETER_COMM,
	PARAMETER_DATATYPE,
	PARAMETER_ERRHANDLER,
	PARAMETER_FILE,
	PARAMETER_GROUP,
	PARAMETER_INFO,
	PARAMETER_MESSAGE,
	PARAMETER_OP,
	PARAMETER_REQUEST,
	PARAMETER_SESSION,
	PARAMETER_WIN,
};

enum mpi_direction { MPI_ARGUMENT_IN = 1, MPI_ARGUMENT_OUT = 2, MPI_ARGUMENT_INOUT = 3 };

/* How many: the items of an array, the blocks of a buffer. */
enum mpi_extent {
	EXTENT_ONE,
	EXTENT_PARAMETER,  /* as that parameter says */
	EXTENT_PEERS,	   /* ranks that data are exchanged with: of comm, or of the other group */
	EXTENT_SEND_PEERS, /* the same, 0 when sendbuf is MPI_IN_PLACE */
	EXTENT_ROOT_PEERS, /* the same at the root, else 0 */
	EXTENT_AT_ROOT,	   /* 1 at the root, else 0 */
	EXTENT_MEMBERS,	   /* ranks of comm's own group */
	EXTENT_IN_NEIGHBOURS, /* in comm's topology */
	EXTENT_OUT_NEIGHBOURS,
	EXTENT_DIMS,	    /* of comm's topology */
	EXTENT_GRAPH_EDGES, /* the last item of indx */
	EXTENT_DEGREES,	    /* the sum of degrees */
};

/* What all ranks that make the call together have to give alike: the column `same`. */
enum mpi_same {
	SAME_NOT,
	SAME_VALUE,
	SAME_TRUTH,
	SAME_DEFINED,
	SAME_SIDE,
	SAME_MEMBERS,
	SAME_WEIGHTED,
	SAME_FENCE,
	SAME_PROMISED,
};

struct mpi_parameter {
	const char *name;
	enum mpi_parameter_kind kind;
	enum mpi_direction direction;
	bool is_array;
	bool is_place; /* a pointer to one item */
	bool is_wide;  /* integers of 64 bits, else int */
	/* Buffers. count: -1: one item; an array without displs: the sum of its items. type: -1: bytes. */
	signed char count, displs, type;
	bool is_own;		/* of the counts, this rank's only */
	enum mpi_extent extent; /* of an array, or the blocks of a buffer */
	int extent_from;	/* EXTENT_PARAMETER: that parameter */
	enum mpi_same same;
};

/* What is read of a receive buffer in the place of the send buffer: the column `in_place`. */
enum mpi_in_place {
	IN_PLACE_READ, /* all that is received */
	IN_PLACE_UNREAD,
	IN_PLACE_BLOCK, /* this rank's block */
	IN_PLACE_ALL, /* all that the send buffer would have */
};

enum mpi_form { FORM_BLOCKING, FORM_NONBLOCKING, FORM_PERSISTENT };
enum mpi_send_mode { SEND_STANDARD, SEND_BUFFERED, SEND_SYNCHRONOUS, SEND_READY };

/* What verification does with a call. */
enum mpi_call_kind {
	MPI_CALL_NONE, /* it does not look at it */
	MPI_CALL_SEND,
	MPI_CALL_RECV,
	MPI_CALL_SENDRECV,
	MPI_CALL_PARTITIONED,
	MPI_CALL_COLL,
	MPI_CALL_TOGETHER,     /* collective over comm, but of no chapter of collectives */
	MPI_CALL_TOGETHER_WIN, /* over the window's group */
	MPI_CALL_WAIT,
	MPI_CALL_TEST,
	MPI_CALL_START,
	MPI_CALL_FREE,
	MPI_CALL_CANCEL,
	MPI_CALL_STATUS,
	MPI_CALL_PROBE,
	MPI_CALL_MPROBE,
	MPI_CALL_MRECV,
	MPI_CALL_COMM_FREE,
	MPI_CALL_LOCK,
	MPI_CALL_INIT,
	MPI_CALL_FINALIZE,
	MPI_CALL_MEMORY, /* of none of these: its buffers are looked at, or its window */
};

/* What a call does of or in a window: the column `window`. */
enum mpi_window_call {
	MPI_WINDOW_NONE,
	MPI_WINDOW_CREATE,
	MPI_WINDOW_FREE,
	MPI_WINDOW_ATTACH,
	MPI_WINDOW_DETACH,
	/* synchronization; of unlocks and flushes those of all targets, too */
	MPI_WINDOW_FENCE,
	MPI_WINDOW_POST,
	MPI_WINDOW_START,
	MPI_WINDOW_COMPLETE,
	MPI_WINDOW_WAIT,
	MPI_WINDOW_TEST,
	MPI_WINDOW_LOCK,
	MPI_WINDOW_LOCK_ALL,
	MPI_WINDOW_UNLOCK,
	MPI_WINDOW_FLUSH,
	MPI_WINDOW_FLUSH_LOCAL,
	MPI_WINDOW_SYNC,
	/* operations, also those with a request */
	MPI_WINDOW_PUT,
	MPI_WINDOW_GET,
	MPI_WINDOW_ACCUMULATE,
	MPI_WINDOW_FETCH, /* an accumulate that gets what was there */
};

/* What recording does of a call: the column `record`. */
enum mpi_record_class {
	RECORD_NONE,
	RECORD_LOCAL,
	RECORD_CALL,
	RECORD_OWN,
	RECORD_EFFECTS,
};

/* Parameters by their names; comm: also that of another name over which the call is collective. */
enum mpi_argument {
	MPI_ARG_BUF,
	MPI_ARG_BUFFER,
	MPI_ARG_SENDBUF,
	MPI_ARG_RECVBUF,
	MPI_ARG_COUNT,
	MPI_ARG_SENDCOUNT,
	MPI_ARG_SENDCOUNTS,
	MPI_ARG_RECVCOUNT,
	MPI_ARG_RECVCOUNTS,
	MPI_ARG_PARTITIONS,
	MPI_ARG_DISPLS,
	MPI_ARG_SDISPLS,
	MPI_ARG_RDISPLS,
	MPI_ARG_DATATYPE,
	MPI_ARG_SENDTYPE,
	MPI_ARG_SENDTYPES,
	MPI_ARG_RECVTYPE,
	MPI_ARG_RECVTYPES,
	MPI_ARG_DEST,
	MPI_ARG_SOURCE,
	MPI_ARG_TAG,
	MPI_ARG_SENDTAG,
	MPI_ARG_RECVTAG,
	MPI_ARG_COMM,
	MPI_ARG_ROOT,
	MPI_ARG_OP,
	MPI_ARG_REQUEST,
	MPI_ARG_ARRAY_OF_REQUESTS,
	MPI_ARG_INCOUNT,
	MPI_ARG_INDX,
	MPI_ARG_OUTCOUNT,
	MPI_ARG_ARRAY_OF_INDICES,
	MPI_ARG_FLAG,
	MPI_ARG_MESSAGE,
	MPI_ARG_NEWCOMM,
	MPI_ARG_WIN,
	MPI_ARG_ASSERT,
	MPI_ARG_ORIGIN_ADDR,
	MPI_ARG_ORIGIN_COUNT,
	MPI_ARG_ORIGIN_DATATYPE,
	MPI_ARG_RESULT_ADDR,
	MPI_ARG_RESULT_COUNT,
	MPI_ARG_RESULT_DATATYPE,
	MPI_ARG_TARGET_COUNT,
	MPI_ARG_TARGET_DATATYPE,
	MPI_ARG_STATUS,
	MPI_ARG_ARRAY_OF_STATUSES,
	MPI_N_ARGS,
};

/* An argument, or what it points to. */
union mpi_value {
	const void *p; /* pointers and handles */
	int64_t i;
};

struct mpi_call_info {
	const char *name;
	const struct mpi_parameter *parameters; /* [n_parameters] */
	int n_parameters;
	const char *
	    operation; /* of collectives of data and MPI_Barrier "Allgather", whatever the form; else the name
				  without MPI_ */
	enum mpi_call_kind kind;
	enum mpi_window_call window;
	enum mpi_form form;
	enum mpi_send_mode mode;
	enum mpi_in_place in_place;
	bool is_collective;
	/* Of collectives: the communicator, window, file or group whose ranks make the call, -1: all
	 * there are; the root or leader. */
	signed char over, root;
	const char *holds;	/* the column, or NULL */
	bool is_large;		/* counts in arrays are MPI_Count */
	bool values_are_places; /* comm or win is a pointer to the handle */
	bool has_same;		/* some parameters are to be the same on all ranks */
	enum mpi_record_class record;
	const char *signature; /* of its record (mtrace/format.h) */
	const signed char
	    *recorded; /* the parameter that each letter stands for; NULL: they stand for none */
	signed char n_known;	    /* letters of what is known before the call */
	bool has_types;		    /* among them */
	bool gives;		    /* letters of what the call makes, ends or finds */
	bool has_wildcard;	    /* it may receive from any source */
	bool ends_requests;	    /* their numbers are noted before */
	int doubt;		    /* enum mtrace_doubt; -1: none */
	bool is_simulated;	    /* recorded in the simulator only */
	signed char at[MPI_N_ARGS]; /* which parameter an argument is, from 1; 0: it has none */
};

extern const struct mpi_call_info mpi_call_infos[]; /* [mpi_n_functions], as mpi_functions */

/* That of the function of this name, also as PMPI_…; NULL: there is none. O(log n). */
const struct mpi_call_info *mpi_call_info(const char *name);
/* The first parameter of this kind that is neither array nor place, or that is a place; -1: there is none. */
int mpi_parameter_value(const struct mpi_call_info *info, enum mpi_parameter_kind kind);
int mpi_parameter_place(const struct mpi_call_info *info, enum mpi_parameter_kind kind);

/* What an argument is that is given by its value; of arrays and places PARAMETER_OTHER. */
static inline enum mpi_parameter_kind mpi_value_kind(const struct mpi_parameter *p)
{
	return p->is_array || p->is_place ? PARAMETER_OTHER : p->kind;
}

/* The argument of that name among the values of a call; one that the function has not is 0. */
static inline union mpi_value mpi_value_at(const struct mpi_call_info *info,
					   const union mpi_value values[],
					   enum mpi_argument argument)
{
	int at = info->at[argument];

	return at > 0 ? values[at - 1] : (union mpi_value){.p = (void *)0};
}

#endif
