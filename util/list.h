/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stddef.h>

/*
 * A list of items that hold their own links: the first member of an item is a struct util_link, so
 * the address of the link is that of the item. All zero: an empty list. An item is in one list at
 * most; nothing is allocated or freed. O(1) each.
 *
 *	for (struct thing *one = list.first; one; one = one->link.next)
 */
struct util_link {
	void *next, *prev; /* items; NULL: none */
};

struct util_list {
	void *first, *last;
};

/* Puts an item between two neighbours in the list, of which one or both may be NULL: the end. */
static inline void util_list_insert(struct util_list *list, void *item, void *prev, void *next)
{
	struct util_link *link = item, *before = prev, *after = next;

	link->next = next;
	link->prev = prev;
	*(before ? &before->next : &list->first) = item;
	*(after ? &after->prev : &list->last) = item;
}

static inline void util_list_prepend(struct util_list *list, void *item)
{
	util_list_insert(list, item, NULL, list->first);
}

static inline void util_list_append(struct util_list *list, void *item)
{
	util_list_insert(list, item, list->last, NULL);
}

static inline void util_list_remove(struct util_list *list, void *item)
{
	struct util_link *link = item, *before = link->prev, *after = link->next;

	*(before ? &before->next : &list->first) = link->next;
	*(after ? &after->prev : &list->last) = link->prev;
}

/* Takes the first item out; NULL: there is none. */
static inline void *util_list_pop(struct util_list *list)
{
	void *item = list->first;

	if (item)
		util_list_remove(list, item);
	return item;
}

#endif
