/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_ASYNC_PLAN_H
#define TOOLS_WHATIF_ASYNC_PLAN_H

#include "mtrace/writer.h"
#include "tools/whatif/async/trace.h"
#include "util/map.h"

/*
 * What a recorded program would do if its blocking messages did not block: each is posted where it
 * stands, and waited for later.
 *
 *   chain        at the end of a run of messages without computation or other calls between them
 *   touch        before the first access to a page of its buffer
 *   touch-exact  before the first access that conflicts with it
 *   priority     the same, and sends that the receiver needs later are posted later
 *
 * Before a message is posted, those that use the same bytes are waited for, if one of the two writes
 * them. Calls that use the bytes wait, too, as do looks at a status, and whatever the trace says
 * nothing of: computation without mpisim_touch, one-sided calls, MPI_Finalize, the end.
 */
enum async_mode { ASYNC_CHAIN, ASYNC_TOUCH, ASYNC_TOUCH_EXACT, ASYNC_PRIORITY, ASYNC_N_MODES };
extern const char *const async_mode_names[]; /* NULL at its end */

/* Of measured computation that is known to access nothing of messages: loops and addresses between two calls; of all
 * else 0. */
#define ASYNC_GAP_OF_STEP -1.0
#define ASYNC_GAP_S 5e-6

struct async_setup {
	enum async_mode mode;
	/* What converted calls cost, of chain and touch. */
	double request_s; /* each request */
	/* Of touch only: each byte that is sent, each request and page that is protected, each fault. */
	double copy_s, protect_s, page_s, fault_s;
	double gap_s; /* computation that is no longer and tells of no accesses counts as none */
};

enum async_cause { ASYNC_TOUCHED, ASYNC_COMPUTED, ASYNC_CALLED, ASYNC_ENDED };

/* A converted call and what made it wait. Functions and sites are numbers of the trace. */
struct async_wait {
	enum async_cause cause;
	uint32_t function, site;	   /* the converted call */
	uint32_t wait_function, wait_site; /* UINT32_MAX: none */
	uint64_t count;
};

/* All but the count. */
bool async_wait_is_alike(const struct async_wait *a, const struct async_wait *b);

/* A chain that was cut short by what conflicts with it, at a place where others go on. */
struct async_chain {
	uint32_t first_site, function, site, wait_function, wait_site;
	enum async_cause cause;
	bool conflicts, is_hazard;
	uint64_t length, count;
};

struct async_result {		    /* over all ranks */
	struct async_wait *waits;   /* [n_waits] */
	struct async_chain *chains; /* [n_chains] that were cut short */
	size_t n_waits, n_chains;
	uint64_t n_converted, n_kept; /* calls that block: converted, left as they are */
	uint64_t n_short;  /* computations that were shorter than gap_s, and ended nothing */
	uint64_t n_untold; /* computations that told no accesses */
	bool has_memory;   /* the trace says which memory is used */
};

/* When receivers need their messages: as many waits later. */
struct async_need {
	int source, dest, tag;
	uint32_t order; /* among those of the same three */
	uint32_t n_waits;
};

struct async_needs {
	struct async_need *all; /* [n], sorted once all ranks are read */
	size_t n;
};

/*
 * Rewrites the records of one rank. `stream` NULL: nothing is written, the needs are noted.
 * `needs`: of ASYNC_PRIORITY, else NULL. Adds to *result. Errors: UTIL_ENOMEM.
 */
int async_plan_rank(const struct mtrace_file *file, const struct async_rank *rank,
		    const struct async_setup *setup, struct async_needs *needs,
		    struct mtrace_stream *stream, struct async_result *result,
		    struct util_error *err);
void async_needs_sort(struct async_needs *needs);

/*
 * Writes `file` as it would be to `path`. Errors: UTIL_EINPUT (it says nothing of memory), those of
 * mtrace_writer_create. *result is to be finished in any case.
 */
int async_rewrite(struct mtrace_file *file, const struct async_setup *setup, const char *path,
		  struct async_result *result, struct util_error *err);
enum { ASYNC_PLACE_B = 256 };
/* The call that does not block instead of one that does; NULL: it is not converted. */
const char *async_posted_name(const char *name, bool is_send);
/* How the sites of a rewritten trace call its waits: "waits at lu.c:90 (main)". `wait_site` UINT32_MAX:
 * at the end. */
void async_place_name(const struct mtrace_file *file, uint32_t wait_site, char *text, size_t size);
void async_result_finish(struct async_result *result);

#endif
