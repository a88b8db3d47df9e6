/* SPDX-License-Identifier: BSD-3-Clause */
/* faults KIND: goes wrong in one rank while the others wait. The line of each fault is part of the
 * test. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/mpisim.h"

static volatile int zero;
static int *volatile nowhere;

static int overflow(int depth)
{
	volatile char frame[1000];

	frame[0] = (char)depth;
	return overflow(depth + 1) + frame[0];
}

/* A frame that is larger than all stacks together; the rank's is the lowest. */
static int hop(void)
{
	volatile char *frame = __builtin_alloca(((size_t)1 << 30) + (size_t)zero);

	frame[0] = 1;
	return frame[0];
}

static void ignore(int number)
{
	printf("a handler of the program ran\n");
}

static void fault(const char *kind)
{
	char *absent = mpisim_alloc(1 << 20);

	signal(SIGSEGV, ignore);
	if (!strcmp(kind, "write"))
		*nowhere = 1; /* write */
	else if (!strcmp(kind, "read"))
		zero = nowhere[1]; /* read */
	else if (!strcmp(kind, "library"))
		memset(nowhere, 1, (size_t)zero + 100); /* library */
	else if (!strcmp(kind, "jump"))
		((void (*)(void))(void *)nowhere)(); /* jump */
	else if (!strcmp(kind, "divide"))
		zero = 7 / zero; /* divide */
	else if (!strcmp(kind, "illegal"))
		__builtin_trap(); /* illegal */
	else if (!strcmp(kind, "abort"))
		abort(); /* abort */
	else if (!strcmp(kind, "assert"))
		assert(zero == 1); /* assert */
	else if (!strcmp(kind, "overflow"))
		overflow(0);
	else if (!strcmp(kind, "hop"))
		zero = hop();
	else if (!strcmp(kind, "absent"))
		absent[100] = 1; /* absent */
	else if (!strcmp(kind, "free"))
		mpisim_free(absent + 4096); /* free */
	mpisim_free(absent);
}

int main(int argc, char **argv)
{
	static int rank_is_first = 1;

	usleep(5);
	printf("before\n");
	if (rank_is_first)
		fault(argv[1]);
	printf("after\n");
	return 0;
}
