/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ORDERS_SHARED_H
#define TOOLS_ORDERS_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/orders/orders.h"

/*
 * What the processes that explore one view share: memory that all of them see (MAP_SHARED), as large as
 * it may become, of which only what is used takes any. Places in it are offsets.
 */
enum orders_end {
	ORDERS_COMPLETE,
	ORDERS_DEADLOCK,
	ORDERS_POLLING, /* ranks poll for ever */
	ORDERS_ERROR,	/* the run failed */
	ORDERS_CRASHED, /* its process ended without a word */
	ORDERS_N_ENDS
};

enum { ORDERS_TEXT_B = 4096, ORDERS_MAX_OUTCOMES = 4096, ORDERS_MAX_CALLS = 8 };

struct orders_list { /* of decisions */
	size_t first;
	uint32_t n;
};

/* One way in which executions end. */
struct orders_outcome {
	enum orders_end end;
	uint64_t key[2];
	uint64_t n;		      /* executions */
	struct orders_list decisions; /* of the first of them */
	size_t values, values_B;      /* tools/orders/values.h */
	char text[ORDERS_TEXT_B];     /* of a deadlock or an error */
	struct {		      /* [n_calls] in which ranks are then */
		int rank;
		char function[48];
		uint64_t place; /* in the file of the program */
	} calls[ORDERS_MAX_CALLS];
	int n_calls;
	int rank, n_unmatched;
};

struct orders_table { /* a set of hashes */
	size_t first; /* of pairs of uint64_t */
	uint32_t mask, n;
};

struct orders_shared {
	size_t size_B, used_B; /* of all of it */
	atomic_flag lock;
	atomic_int stop;      /* nobody begins anything more */
	atomic_int n_running; /* processes that do not only wait for others */
	atomic_ullong n_executions, n_choices, n_merged, n_left; /* left: work that was not done */
	struct orders_table states, finals[ORDERS_N_ENDS];
	struct orders_outcome outcomes[ORDERS_MAX_OUTCOMES];
	int n_outcomes;
	bool is_full; /* outcomes or memory: not all is told */
	size_t work;  /* of struct orders_list, [n_work_max]: prefixes to go on from */
	uint32_t work_first, work_last, n_work_max;
};

/* NULL: no memory. */
struct orders_shared *orders_shared_create(void);
void orders_shared_destroy(struct orders_shared *shared);
static inline void *orders_at(const struct orders_shared *shared, size_t place)
{
	return (char *)(uintptr_t)shared + place;
}
/* 0: there is no room any more, and is_full. */
size_t orders_shared_allocate(struct orders_shared *shared, size_t size_B);
/* Enters a hash; false: it was there. A table that is full forgets: then more is done than needed. */
bool orders_table_add(struct orders_shared *shared, struct orders_table *table,
		      const uint64_t hash[2]);
bool orders_table_has(struct orders_shared *shared, const struct orders_table *table,
		      const uint64_t hash[2]);
struct orders_list orders_list_keep(struct orders_shared *shared,
				    const struct mpi_decision *decisions, uint32_t n,
				    const struct mpi_decision *last);
/* Work to be done: a prefix of decisions. */
void orders_work_put(struct orders_shared *shared, struct orders_list list);
bool orders_work_take(struct orders_shared *shared, bool oldest, struct orders_list *out);
/*
 * Counts an outcome, or enters it as new (true; `out` is then the caller's to fill in, but for key,
 * end and n). NULL `*out`: there is no room.
 */
bool orders_outcome_note(struct orders_shared *shared, enum orders_end end, const uint64_t key[2],
			 struct orders_outcome **out);

#endif
