// SPDX-License-Identifier: BSD-3-Clause
#include "tools/orders/words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void orders_words_finish(struct orders_words *words)
{
	for (uint32_t i = 0; i < words->n; i++)
		free(words->lines[i]);
	free(words->lines);
}

/* The line with its places described. */
static char *describe_places(const struct pd_world *world, const char *line)
{
	char *text = NULL, place[256];
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	while (file && *line) {
		char *end;
		uintptr_t address;

		if (*line != ORDERS_PLACE_MARK) {
			fputc(*line++, file);
			continue;
		}
		address = (uintptr_t)strtoull(line + 1, &end, 16);
		fputs(pd_describe_site(world, (const void *)address, place, sizeof place), file);
		line = *end ? end + 1 : end;
	}
	if (file)
		fclose(file);
	return text;
}

static void read_lines(const struct pd_world *world, FILE *file, struct orders_words *out,
		       uint32_t n)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while (out->n < n && (length = getline(&line, &size, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		out->lines[out->n++] = describe_places(world, line);
	}
	free(line);
}

/* Follows the decisions once more. */
struct orders_words orders_tell(struct orders_view_run *view, const struct orders_outcome *outcome)
{
	int fd = memfd_create("mpisim-words", MFD_CLOEXEC), status;
	struct orders_words words = {.lines =
					 calloc(outcome->decisions.n + 1, sizeof *words.lines)};
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r+");
	pid_t pid = file ? orders_launch(view, outcome->decisions, false, file) : -1;

	if (pid > 0)
		waitpid(pid, &status, 0);
	if (pid > 0 && words.lines) {
		rewind(file);
		read_lines(view->run->world, file, &words, outcome->decisions.n);
	}
	if (file)
		fclose(file);
	return words;
}

/* What is for people: behind rank, call, place, source and place. */
char *orders_words_text(char *line)
{
	for (int i = 0; i < 5 && line; i++)
		line = strchr(line, ' ') ? strchr(line, ' ') + 1 : NULL;
	return line;
}

json_t *orders_words_calls(const char *line)
{
	json_t *calls = json_array();
	char function[64];
	unsigned long long taken, sent;
	int rank, source;

	if (!line ||
	    sscanf(line, "%d %63s %llu %d %llu", &rank, function, &taken, &source, &sent) != 5)
		return calls;
	json_array_append_new(calls, json_pack("{s:i, s:s, s:I}", "rank", rank, "function",
					       function, "place", (json_int_t)taken));
	if (source >= 0)
		json_array_append_new(calls, json_pack("{s:i, s:n, s:I}", "rank", source,
						       "function", "place", (json_int_t)sent));
	return calls;
}
