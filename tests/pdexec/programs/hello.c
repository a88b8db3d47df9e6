/* SPDX-License-Identifier: BSD-3-Clause */
/* Globals of every kind, changed by each rank between switches: each sees its own. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int zero;
static int one = 1;
int visible = 2;
static int *pointer = &one;
static _Thread_local int local = 7;
static _Thread_local int *local_pointer = &visible;

int main(int argc, char **argv)
{
	int rank = atoi(getenv("HELLO") ? getenv("HELLO") : "0");

	for (int i = 0; i < 10; i++) {
		zero++;
		*pointer += 2;
		*local_pointer += 3;
		local += 4;
		usleep(1);
	}
	printf("%d %d %d %d %d %s\n", rank, zero, one, visible, local, argc > 1 ? argv[1] : "-");
	return 0;
}
