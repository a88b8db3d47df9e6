/* SPDX-License-Identifier: BSD-3-Clause */
/* Hidden state of libc, used in turns by all ranks: each gets what a process of its own gets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;
static FILE *out; /* collected, because the ranks take turns */

static void draw(void)
{
	unsigned short x[3] = {1, 2, 3}, seed[3] = {4, 5, 6};
	static char state[64];
	char *before;

	for (int i = 0; i < 3; i++) {
		fprintf(out, "%d %ld %.6f %ld %ld ", rand(), random(), drand48(), lrand48(),
			mrand48());
		usleep(1);
		fprintf(out, "%.6f %ld %ld\n", erand48(x), nrand48(x), jrand48(x));
		usleep(1);
	}
	srand(5);
	usleep(1);
	fprintf(out, "%d ", rand());
	srandom(6);
	srand48(7);
	usleep(1);
	fprintf(out, "%ld %ld ", random(), lrand48());
	seed48(seed);
	fprintf(out, "%ld\n", lrand48());
	before = initstate(9, state, sizeof(state));
	usleep(1);
	fprintf(out, "%ld ", random());
	setstate(before);
	usleep(1);
	fprintf(out, "%ld\n", random());
}

static void split(void)
{
	char text[] = "a b c d";

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		fprintf(out, "%s.", word);
		usleep(1);
	}
	fprintf(out, "\n");
}

static void environment(void)
{
	static char text[] = "PD_PUT=3";

	fprintf(out, "%s ", getenv("PD_GIVEN"));
	setenv("PD_GIVEN", "changed", 1);
	setenv("PD_NEW", "1", 1);
	usleep(1);
	putenv(text);
	setenv("PD_NEW", "2", 1);
	usleep(1);
	text[7] = '4';
	fprintf(out, "%s %s %s ", getenv("PD_GIVEN"), getenv("PD_NEW"), getenv("PD_PUT"));
	unsetenv("PD_GIVEN");
	usleep(1);
	fprintf(out, "%s %d ", getenv("PD_GIVEN") ? "there" : "gone", environ != NULL);
	environ = NULL;
	fprintf(out, "%s\n", getenv("PD_NEW") ? "there" : "gone");
}

int main(void)
{
	char *text;
	size_t size;

	out = open_memstream(&text, &size);
	errno = ERANGE;
	usleep(1);
	fprintf(out, "%d\n", errno == ERANGE);
	draw();
	split();
	environment();
	fclose(out);
	fputs(text, stdout);
	free(text);
	return 0;
}
