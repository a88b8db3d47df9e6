/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_PARTITIONED_H
#define MPI_P2P_PARTITIONED_H

#include "mpi/p2p/compound.h"

/*
 * Partitioned communication. MPI_Psend_init and MPI_Precv_init match once, in the order of the
 * calls with equal (communicator, source, destination, tag); the two halves then share a context of
 * their own, and partition i of the sender is a message of its own with tag i, sent by MPI_Pready.
 * The receiver may cut the same bytes into another number of partitions.
 */
struct mpi_partitioned {
	struct mpi_compound compound; /* first */
	struct mpi_comm *line;	      /* the communicator with that context; NULL: MPI_PROC_NULL */
	struct mpi_partitioned *partner;
	struct mpi_partitioned *next; /* in the list of unmatched ones */
	struct mpi_partitioned **list;
	bool is_send, has_started;
	int source, dest; /* world ranks */
	int tag;
	uint32_t context;      /* of the program's communicator */
	uint32_t line_context; /* of `line` */
	int n_partitions;
	MPI_Count count; /* items per partition */
	int64_t part_B;	 /* bytes per partition */
	int asked;	 /* by MPI_Pready or MPI_Parrived, while they last; -1: none */
	/* sender */
	bool *is_ready; /* [n_partitions] */
	/* receiver */
	int n_messages;	    /* partitions of the sender, once matched */
	int64_t message_B;  /* bytes of each */
	int64_t *missing_B; /* [n_partitions]: what of each has not arrived */
	bool *is_unpacked;  /* [n_partitions] */
	char *packed;	    /* where messages arrive when the datatype has gaps; NULL: in place */
};

/*
 * The half of an operation behind `request`, whose arguments are set; matches it with its partner
 * if that is there already. `request->operation` owns it.
 */
void mpi_partitioned_create(struct mpi_rank *me, struct mpi_request *request, bool is_send,
			    int n_partitions);
/* MPI_Start. */
int mpi_partitioned_start(struct mpi_rank *me, struct mpi_request *request);
/* MPI_Pready of a partition that is not ready. */
void mpi_partitioned_ready(struct mpi_rank *me, struct mpi_partitioned *send, int partition);
/* Whether a partition has arrived; unpacks it then. On its rank's fiber. */
bool mpi_partitioned_arrived(struct mpi_partitioned *recv, int partition);
/* Frees the senders of a list of unmatched halves that lost their requests. */
void mpi_partitioned_destroy_left(struct mpi_partitioned *list);

#endif
