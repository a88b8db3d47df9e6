/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_TOOL_TOOL_H
#define MPI_TOOL_TOOL_H

#include "mpi/core/rank.h"

/*
 * The tool information interface, MPI_T_*: control variables are the settings of the run and of the
 * cluster, none of which a program may change; performance variables are the simulator's counters.
 * Errors are only returned: no handler is called for them.
 */
enum tool_category {
	TOOL_ALL, /* holds the other ones */
	TOOL_RUN,
	TOOL_CLUSTER,
	TOOL_NETWORK,
	TOOL_PROTOCOL,
	TOOL_COLLECTIVES,
	TOOL_MESSAGES,
	TOOL_TIME,
	N_TOOL_CATEGORIES,
};

/* The values of an enumeration are 0 … n - 1. */
struct tool_enum {
	const char *name;
	int n;
	const char *const *items; /* [n] */
};

/* A value as the program gets it: which member, the variable's datatype says. */
union tool_value {
	int number;		  /* MPI_INT */
	unsigned long long count; /* MPI_UNSIGNED_LONG_LONG */
	double real;		  /* MPI_DOUBLE; sizes and rates may be infinite */
};
/* Bytes of a value of MPI_INT, MPI_UNSIGNED_LONG_LONG or MPI_DOUBLE. */
size_t tool_value_size(MPI_Datatype datatype);

struct tool_cvar {
	const char *name, *description;
	enum tool_category category;
	MPI_Datatype datatype;		  /* MPI_CHAR: `text` */
	const struct tool_enum *enumtype; /* of MPI_INT; NULL: a plain number */
	union tool_value (*value)(const struct mpi_rank *me);
	const char *(*text)(const struct mpi_rank *me, const struct tool_cvar *cvar);
	int collective; /* of those in CLUSTER_N_COLLECTIVES; the others' `text` does not ask */
};

struct tool_pvar {
	const char *name, *description;
	enum tool_category category;
	int class;
	MPI_Datatype datatype;
	bool is_level; /* is what it is: runs all the time, cannot be set. Else each handle counts
			  from its start. */
	union tool_value (*value)(const struct mpi_rank *me);
};

extern const struct tool_cvar tool_cvars[];
extern const int tool_n_cvars;
extern const struct tool_pvar tool_pvars[];
extern const int tool_n_pvars;

/*
 * As MPI_ENTER. MPI_SUCCESS, or MPI_T_ERR_NOT_INITIALIZED outside of MPI_T_init_thread …
 * MPI_T_finalize; to leave: mpi_leave(*me, code).
 */
int tool_enter(struct mpi_rank **me, const char *function, const void *site);
#define TOOL_ENTER(me) tool_enter((me), __func__, __builtin_return_address(0))

/* What is done to performance variables. */
enum { TOOL_START, TOOL_STOP, TOOL_RESET };

/* Where a call writes to must be there. */
static inline int tool_check_place(const void *place)
{
	return place ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}

/* Gives a string as far as there is room: *length is the size of the buffer and becomes that of the
 * whole string, with its end. NULL: not wanted. */
void tool_give_text(const char *text, char *buffer, int *length);
static inline void tool_give_int(int value, int *out)
{
	if (out)
		*out = value;
}

#endif
