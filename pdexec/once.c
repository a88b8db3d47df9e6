/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * std::call_once, and what is made of it (std::async, futures). Its header leaves what is to be
 * called in two thread-local variables of libstdc++, where __once_proxy finds it. A program refers
 * to them by their distance from the thread pointer. That is the same in all threads for variables
 * of the executable and what it is linked to; libstdc++ is loaded later. So programs get a place in
 * the room that the executable keeps for their own thread-local variables, and a proxy for it.
 */
#include <stddef.h>
#include <string.h>

#include "pdexec/arch.h"
#include "pdexec/link.h"

struct once {
	void *callable;
	void (*call)(void);
};

static ptrdiff_t distance; /* from the thread pointer; 0: there is no room */

static struct once *of_this_thread(void)
{
	return (struct once *)(pd_arch_thread_pointer() + distance);
}

static void proxy(void)
{
	of_this_thread()->call();
}

void pd_once_place(char *area, size_t size_B, size_t used_B)
{
	char *pointer = pd_arch_thread_pointer();
	bool fits = area && area + size_B == pointer && used_B + sizeof(struct once) <= size_B;

	distance = fits ? area - pointer : 0;
}

void *pd_once_symbol(const char *name)
{
	if (distance == 0)
		return NULL;
	if (strcmp(name, "_ZSt15__once_callable") == 0)
		return &of_this_thread()->callable;
	if (strcmp(name, "_ZSt11__once_call") == 0)
		return &of_this_thread()->call;
	return strcmp(name, "__once_proxy") == 0 ? (void *)proxy : NULL;
}
