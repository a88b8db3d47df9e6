/* SPDX-License-Identifier: BSD-3-Clause */
/* options short|long|only OPTSTRING ARGUMENT…: prints what getopt says, sleeping between its calls.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int flag;
static FILE *out; /* collected, because the ranks take turns */
static const struct option longs[] = {
    {"alpha", no_argument, NULL, 'a'},	 {"beta", required_argument, NULL, 'b'},
    {"betamax", no_argument, NULL, 'B'}, {"gamma", optional_argument, NULL, 'g'},
    {"flag", no_argument, &flag, 3},	 {NULL, 0, NULL, 0}};

static int next(const char *how, int argc, char **argv, int *index)
{
	if (!strcmp(how, "short"))
		return getopt(argc, argv, argv[0]);
	if (!strcmp(how, "long"))
		return getopt_long(argc, argv, argv[0], longs, index);
	return getopt_long_only(argc, argv, argv[0], longs, index);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int c, index = -1;
	char *text;
	size_t size;

	out = open_memstream(&text, &size);
	argc -= 2;
	argv += 2;
	if (strchr(argv[0], '!')) {
		opterr = 0;
		argv[0]++;
	}
	for (int pass = 0; pass < 2; pass++) {
		while ((c = next(how, argc, argv, &index)) != -1) {
			fprintf(out, "%d %s %d %d %d %d\n", c, optarg ? optarg : "-", optind,
				c == '?' || c == ':' ? optopt : 0, index, flag);
			usleep(1);
		}
		fprintf(out, "end %d:", optind);
		for (int i = 1; i < argc; i++)
			fprintf(out, " %s", argv[i]);
		fprintf(out, "\n");
		optind = 0;
	}
	fclose(out);
	fputs(text, stdout);
	free(text);
	return 0;
}
