/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ABI_CALL_INFO_H
#define MPI_ABI_CALL_INFO_H

#include <stdbool.h>

/*
 * What the arguments of each MPI function are, from the columns `args`, `coll`, `collective` and `holds` of
 * mpi/abi/functions.txt: which are buffers, of how many items of which type, which is the peer, the tag …
 * Parameters are numbered from 0; -1 is none.
 */
enum mpi_parameter_kind {
	PARAMETER_OTHER, /* flags, names, colours, orders: nothing that is said here */
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
};

enum mpi_form { FORM_BLOCKING, FORM_NONBLOCKING, FORM_PERSISTENT };

struct mpi_call_info {
	const struct mpi_parameter *parameters; /* [n_parameters] */
	int n_parameters;
	const char *operation; /* collectives of data, MPI_Barrier: "allgather" …; NULL: none */
	bool is_collective;
	/* Of collectives: the communicator, window, file or group whose ranks make the call, -1: all
	 * there are; the root or leader. */
	signed char over, root;
	enum mpi_form form;
	const char *holds; /* the column, or NULL */
};

extern const struct mpi_call_info mpi_call_infos[]; /* [mpi_n_functions], as mpi_functions */

#endif
