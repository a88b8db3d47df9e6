/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ORDERS_DECISIONS_H
#define TOOLS_ORDERS_DECISIONS_H

#include "mpi/orders/orders.h"
#include "tools/orders/options.h"

/*
 * A file of decisions: JSON with the view, the program and what was decided, which
 * `mpisim-run --decisions FILE` follows again.
 */
struct orders_decisions {
	enum orders_view view;
	struct mpi_decision *list; /* [n] */
	uint32_t n;
};

/* Whether files that begin with `prefix` can be written. UTIL_EINPUT: why not. */
int orders_decisions_may_write(const char *prefix, struct util_error *err);
/* `lines`: [n] what each one means, or NULL. UTIL_ESYSTEM: it cannot be written. */
int orders_decisions_write(const char *path, enum orders_view view, int n_ranks,
			   char *const program[], const struct mpi_decision list[], uint32_t n,
			   char *const lines[], struct util_error *err);
/* For this run. UTIL_EINPUT: what is wrong with it, or that it is of another program or number of
 * ranks. */
int orders_decisions_read(const char *path, int n_ranks, char *const program[],
			  struct orders_decisions *out, struct util_error *err);
void orders_decisions_finish(struct orders_decisions *decisions);
const char *orders_view_name(enum orders_view view);

#endif
