/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pdexec/compute.h"
#include "util/array.h"

enum { READS = 1, WRITES = 2, COST_SAMPLES = 100 };

struct page {
	uintptr_t at;
	unsigned char wanted, seen; /* READS, WRITES */
	bool is_on_stack;	    /* of the rank: it is used all the time */
	bool is_gone;		    /* nothing is there any more */
	double seen_s[2];	    /* of a read, a write; negative: none */
	const void *site[2];
};

struct list {		 /* of a rank */
	struct page *of; /* [n] by address */
	size_t n, capacity;
};

struct pages {
	const struct pd_world *world;
	struct pd_pages_user user;
	size_t n_lists, size_B;
	struct list *closed; /* NULL: all are open */
	struct pd_frames frames;
	double mark_s, spent_s, last_s; /* last_s: of the last access, as seen_s */
	double cost_s;			/* of a fault, beside what the handler measures */
	struct pd_page_access *told;	/* [told_capacity] */
	size_t told_capacity;
	struct list lists[]; /* [n_lists] by rank */
};

/* All that the handler reads and writes has pages of its own: those of the heap may be closed. */
static struct pages *pages;

static void *map(size_t size_B)
{
	void *memory =
	    mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Room for one more item of what map() gave; false when out of memory. */
static bool make_room(void **items, size_t n, size_t *capacity, size_t item_B)
{
	size_t larger = *capacity ? 2 * *capacity : 64;
	void *moved;

	if (n < *capacity)
		return true;
	moved = *items ? mremap(*items, *capacity * item_B, larger * item_B, MREMAP_MAYMOVE)
		       : map(larger * item_B);
	if (!moved || moved == MAP_FAILED)
		return false;
	*items = moved;
	*capacity = larger;
	return true;
}

/* --- which pages --- */

static bool is_page_below(const void *page, const void *at)
{
	return ((const struct page *)page)->at < *(const uintptr_t *)at;
}

/* The place of the page, or where it would stand. */
static size_t place_of(const struct list *list, uintptr_t at)
{
	return util_count_before(list->of, list->n, sizeof *list->of, is_page_below, &at);
}

static struct page *find(const struct list *list, uintptr_t address)
{
	uintptr_t at = address & ~(uintptr_t)(PD_PAGE_B - 1);
	size_t i = place_of(list, at);

	return i < list->n && list->of[i].at == at ? &list->of[i] : NULL;
}

static bool is_on_stack(const struct pd_rank *rank, uintptr_t at)
{
	void *low;
	size_t size;

	sim_fiber_stack(rank->task.fiber, &low, &size);
	return at + PD_PAGE_B > (uintptr_t)low && at < (uintptr_t)low + size;
}

static void arm(struct pd_rank *rank, struct list *list, uintptr_t at, unsigned char wanted)
{
	size_t i = place_of(list, at);
	struct page *page;

	if (i == list->n || list->of[i].at != at) {
		if (!make_room((void **)&list->of, list->n, &list->capacity, sizeof *list->of))
			pd_fail(rank, PD_FAILURE_MEMORY,
				"out of memory for pages that are watched");
		memmove(&list->of[i + 1], &list->of[i], (list->n++ - i) * sizeof *list->of);
		list->of[i] = (struct page){.at = at, .is_on_stack = is_on_stack(rank, at)};
	}
	page = &list->of[i];
	page->wanted |= wanted;
	page->seen &= (unsigned char)~wanted;
	page->seen_s[0] = page->seen_s[1] = -1;
	page->site[0] = page->site[1] =
	    rank->site; /* of a page of the stack: right behind the call */
}

void pd_pages_arm(struct pd_rank *rank, uintptr_t low, uintptr_t high, bool reads_count)
{
	struct list *list = &pages->lists[rank->rank];
	unsigned char wanted = WRITES | (reads_count ? READS : 0);

	for (uintptr_t at = low & ~(uintptr_t)(PD_PAGE_B - 1); at < high; at += PD_PAGE_B)
		arm(rank, list, at, wanted);
}

/* --- closing and opening --- */

static int protection_of(const struct page *page)
{
	unsigned char left = page->wanted & (unsigned char)~page->seen;

	if (page->is_on_stack || page->is_gone || !left)
		return PROT_READ | PROT_WRITE;
	return left & READS ? PROT_NONE : PROT_READ;
}

/* The end of the pages from `i` on that follow each other and are protected alike. */
static size_t end_of_run(const struct list *list, size_t i)
{
	size_t end = i + 1;

	while (end < list->n && list->of[end].at == list->of[end - 1].at + PD_PAGE_B &&
	       protection_of(&list->of[end]) == protection_of(&list->of[i]))
		end++;
	return end;
}

static void close_page(struct page *page)
{
	page->is_gone = mprotect((void *)page->at, PD_PAGE_B, protection_of(page)) != 0;
}

static void close_all(const struct list *list)
{
	for (size_t i = 0, end; i < list->n; i = end) {
		int protection = protection_of(&list->of[i]);

		end = end_of_run(list, i);
		if (protection == (PROT_READ | PROT_WRITE) ||
		    mprotect((void *)list->of[i].at, (end - i) * PD_PAGE_B, protection) == 0)
			continue;
		for (size_t k = i; k < end; k++) /* memory may have been given back */
			close_page(&list->of[k]);
	}
}

static void open_all(const struct list *list)
{
	for (size_t i = 0, end; i < list->n; i = end) {
		end = end_of_run(list, i);
		if (protection_of(&list->of[i]) != (PROT_READ | PROT_WRITE) &&
		    mprotect((void *)list->of[i].at, (end - i) * PD_PAGE_B,
			     PROT_READ | PROT_WRITE) != 0)
			for (size_t k = i; k < end; k++)
				mprotect((void *)list->of[k].at, PD_PAGE_B, PROT_READ | PROT_WRITE);
	}
}

/* What a fault takes that the handler cannot see: the least of many. */
static double measure_cost(void)
{
	struct page page = {.wanted = READS | WRITES};
	struct list list = {.of = &page, .n = 1};
	volatile char *memory = map(PD_PAGE_B);
	double least_s = 1;

	if (!memory)
		return 0;
	page.at = (uintptr_t)memory;
	for (int i = 0; i < COST_SAMPLES; i++) {
		double begin_s, elapsed_s;

		page.seen = 0;
		pages->spent_s = 0;
		pages->closed = &list;
		close_all(&list);
		begin_s = pd_host_cpu_s();
		memory[0] = 1;
		elapsed_s = pd_host_cpu_s() - begin_s - pages->spent_s;
		pages->closed = NULL;
		if (elapsed_s < least_s)
			least_s = elapsed_s;
	}
	munmap((void *)(uintptr_t)memory, PD_PAGE_B);
	return least_s;
}

void pd_pages_close(struct pd_rank *rank)
{
	struct list *list = pages ? &pages->lists[rank->rank] : NULL;

	if (!pages || rank->world != pages->world)
		return;
	pages->user.frames(rank, &pages->frames);
	for (size_t i = 0; i < list->n; i++)
		list->of[i].seen_s[0] = list->of[i].seen_s[1] = -1;
	pages->last_s = 0;
	pages->closed = list;
	pages->mark_s = rank->host_mark_s;
	close_all(list);
	pages->spent_s = pd_host_cpu_s() - pages->mark_s;
}

static void add_told(struct pd_rank *rank, size_t n, const struct page *page, int k)
{
	if (!make_room((void **)&pages->told, n, &pages->told_capacity, sizeof *pages->told))
		pd_fail(rank, PD_FAILURE_MEMORY, "out of memory for accesses of pages");
	pages->told[n] = (struct pd_page_access){.at = page->at,
						 .is_write = k == 1,
						 .at_s = page->is_on_stack ? 0 : page->seen_s[k],
						 .site = page->site[k]};
}

/* Pages that have been seen enough are no more watched. */
static void drop_seen(struct list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (!list->of[i].is_on_stack && !list->of[i].is_gone &&
		    (list->of[i].wanted & (unsigned char)~list->of[i].seen))
			list->of[n++] = list->of[i];
	list->n = n;
}

double pd_pages_open(struct pd_rank *rank, double elapsed_s)
{
	struct list *list = pages ? pages->closed : NULL;
	double spent_s;
	size_t n = 0;

	if (!list)
		return 0;
	open_all(list);
	pages->closed = NULL;
	spent_s = pages->spent_s;
	for (size_t i = 0; i < list->n; i++)
		for (int k = 0; k < 2; k++)
			if (list->of[i].seen_s[k] >= 0 || list->of[i].is_on_stack)
				add_told(rank, n++, &list->of[i], k);
	drop_seen(list);
	elapsed_s -= spent_s;
	pages->user.tell(pages->user.context, rank, pages->told, n,
			 elapsed_s > pages->last_s ? elapsed_s : pages->last_s);
	return spent_s;
}

/* --- accesses --- */

const struct pd_frames *pd_pages_frames(const void *address)
{
	if (!pages || !pages->closed || !find(pages->closed, (uintptr_t)address))
		return NULL;
	return &pages->frames;
}

void pd_pages_note(const void *address, bool is_write, const void *site)
{
	double begin_s = pd_host_cpu_s();
	struct page *page = find(pages->closed, (uintptr_t)address);
	int k = is_write;

	if (page->seen_s[k] < 0) {
		double at_s = begin_s - pages->mark_s - pages->spent_s;

		if (at_s > pages->last_s) /* the cost that is taken out is not exact */
			pages->last_s = at_s;
		page->seen_s[k] = pages->last_s;
		page->site[k] = site;
	}
	page->seen |= is_write ? READS | WRITES : READS;
	mprotect((void *)page->at, PD_PAGE_B, protection_of(page));
	pages->spent_s += pd_host_cpu_s() - begin_s + pages->cost_s;
}

void pd_pages_access(const void *address, size_t size_B, bool is_write, const void *site)
{
	uintptr_t low = (uintptr_t)address & ~(uintptr_t)(PD_PAGE_B - 1),
		  high = (uintptr_t)address + size_B;

	if (is_write && pd_current && pd_current->world->fault)
		pd_current->world->fault(pd_current->world, address, size_B, NULL);
	if (!pages || !pages->closed)
		return;
	for (uintptr_t at = low; at < high; at += PD_PAGE_B) {
		const struct page *page = find(pages->closed, at);

		if (page && protection_of(page) != (PROT_READ | PROT_WRITE) &&
		    (is_write || protection_of(page) == PROT_NONE))
			pd_pages_note((const void *)at, is_write, site);
	}
}

/* --- life --- */

int pd_pages_create(const struct pd_world *world, const struct pd_pages_user *user,
		    struct util_error *err)
{
	size_t n = (size_t)world->n_ranks + (size_t)world->config.max_spawned,
	       size_B = sizeof *pages + n * sizeof pages->lists[0];

	pages = map(size_B);
	if (!pages)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for pages that are watched");
	pages->world = world;
	pages->user = *user;
	pages->n_lists = n;
	pages->size_B = size_B;
	pages->cost_s = measure_cost();
	return 0;
}

void pd_pages_destroy(const struct pd_world *world)
{
	if (!pages || pages->world != world)
		return;
	if (pages->closed)
		open_all(pages->closed);
	for (size_t i = 0; i < pages->n_lists; i++)
		if (pages->lists[i].of)
			munmap(pages->lists[i].of,
			       pages->lists[i].capacity * sizeof *pages->lists[i].of);
	if (pages->told)
		munmap(pages->told, pages->told_capacity * sizeof *pages->told);
	munmap(pages, pages->size_B);
	pages = NULL;
}
