/* SPDX-License-Identifier: BSD-3-Clause */
/* Globals of every kind, changed by each rank between switches: each sees its own, as a process
 * does. */
#include <stdio.h>
#include <unistd.h>

static int zero;
static int one = 1;
int visible = 2;
static int *pointer = &one;
static _Thread_local int local = 7;
static _Thread_local int *local_pointer = &visible;
static _Thread_local int local_zero;
static const char *const constant = "text";

int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++) {
		zero++;
		*pointer += 2;
		*local_pointer += 3;
		local += 4;
		local_zero += 5;
		argv[0][0] = (char)('a' + i);
		usleep(1);
	}
	printf("%d %d %d %d %d %s %s %c %d\n", zero, one, visible, local, local_zero, constant,
	       argc > 1 ? argv[1] : "-", argv[0][0], argv[argc] == NULL);
	return 0;
}
