/* SPDX-License-Identifier: BSD-3-Clause */
/* ends return|exit|nested|now|quick CODE: the ways a process ends, and what runs then in which
 * order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int code, step;
static const char *how;

__attribute__((constructor(101))) static void first_constructor(void)
{
	printf("constructor 1, step %d\n", step++);
}

__attribute__((constructor(102))) static void second_constructor(int argc, char **argv,
								 char **environment)
{
	printf("constructor 2, step %d, %d arguments, %s\n", step++, argc, argv[1]);
}

__attribute__((destructor(101))) static void last_destructor(void)
{
	printf("destructor 1, step %d\n", step++);
}

__attribute__((destructor(102))) static void first_destructor(void)
{
	printf("destructor 2, step %d\n", step++);
}

static void late(void)
{
	printf("registered late, step %d\n", step++);
}

static void one(void)
{
	printf("one, step %d\n", step++);
}

static void two(void)
{
	usleep(1);
	printf("two, step %d\n", step++);
	atexit(late);
	if (!strcmp(how, "nested"))
		exit(code + 1);
}

static void with_status(int status, void *argument)
{
	printf("status %d %s, step %d\n", status, (const char *)argument, step++);
}

static void quick(void)
{
	printf("quick, step %d\n", step++);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	how = argv[1];
	code = atoi(argv[2]);
	atexit(one);
	at_quick_exit(quick);
	atexit(two);
	on_exit(with_status, "argument");
	usleep(1);
	fflush(stdout);
	if (!strcmp(how, "return"))
		return code;
	if (!strcmp(how, "now"))
		_exit(code);
	if (!strcmp(how, "quick"))
		quick_exit(code);
	exit(code);
}
