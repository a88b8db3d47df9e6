/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_PAGES_H
#define PDEXEC_PAGES_H

#include "pdexec/rank.h"

/*
 * Pages of programs' memory whose first accesses are seen while a rank computes. They are closed
 * whenever the rank goes on computing, and opened before anything else runs; an access to one that
 * is closed faults, is noted, and is done then. System calls do not fault but fail: those that the
 * simulator takes over (read, pread, write, fread, fwrite) open what they use before.
 */
enum { PD_PAGE_B = 4096 };

struct pd_frames { /* where a site of a rank is looked for: its program's code and its stack */
	const char *code;
	size_t pitch_B, n;
	uint64_t begin, end;
	const char *low;
	size_t size_B;
};

struct pd_page_access { /* the first one that reads a page, or that writes to it */
	uintptr_t at;
	bool is_write;
	double at_s; /* of the host, since the rank went on computing */
	const void *site;
};

struct pd_pages_user {
	void *context;
	/* A rank has computed for `length_s` of the host, and accessed so many pages first. */
	void (*tell)(void *context, struct pd_rank *rank, const struct pd_page_access accesses[],
		     size_t n, double length_s);
	void (*frames)(const struct pd_rank *rank, struct pd_frames *out);
};

/* One run of a process at a time has them: for `world`, with ranks that may be added. UTIL_ENOMEM. */
int pd_pages_create(const struct pd_world *world, const struct pd_pages_user *user,
		    struct util_error *err);
void pd_pages_destroy(const struct pd_world *world); /* fine without any */
/* The next accesses of the rank to these bytes' pages count: writes, and reads where `reads_count`. */
void pd_pages_arm(struct pd_rank *rank, uintptr_t low, uintptr_t high, bool reads_count);

/* The rank goes on computing; it has computed for `elapsed_s`, of which what is returned was spent on
 * faults. */
void pd_pages_close(struct pd_rank *rank);
double pd_pages_open(struct pd_rank *rank, double elapsed_s);

/* In the handler of the signal: where to look for the site; NULL: the page is not closed. */
const struct pd_frames *pd_pages_frames(const void *address);
void pd_pages_note(const void *address, bool is_write, const void *site);
/* A system call is about to use the bytes. */
void pd_pages_access(const void *address, size_t size_B, bool is_write, const void *site);

#endif
