/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a cluster file that is known, as text. */
#include "machine_known.h"

#include <string.h>

static const char *end_of_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end ? end + 1 : text + strlen(text);
}

/* The brace that ends "key: {…}", be it on a later line; NULL: there is none. */
static const char *find_brace(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at && (depth > 0 || *at != '\n'); at++) {
		if (*at == '#' && at > text && strchr(" \n", at[-1]))
			at += strcspn(at, "\n") - 1;
		else if (*at == '{')
			depth++;
		else if (*at == '}' && --depth == 0)
			return at;
	}
	return NULL;
}

static bool gives_key(const char *text, const char *key)
{
	size_t n = strlen(key);

	text += strspn(text, " ");
	return !strncmp(text, key, n) && text[n] == ':';
}

/* The section (-1), or the group of that section, which begins here; -1: none of ours. */
static int block_at(const char *text, int section)
{
	for (int k = 0; k < BLOCKS; k++) {
		bool is_section = (int)BLOCK[k].section == k;

		if ((section < 0 ? is_section : !is_section && (int)BLOCK[k].section == section) &&
		    gives_key(text, BLOCK[k].name))
			return k;
	}
	return -1;
}

bool known_next(struct known_line *line)
{
	line->text = line->end;
	line->begins = -1;
	if (!strchr(" #\n", *line->text))
		line->begins = line->section = block_at(line->text, -1);
	else if (*line->text == ' ' && line->section >= 0)
		line->begins = block_at(line->text, line->section);
	line->brace = line->begins >= 0 ? find_brace(line->text) : NULL;
	line->end = end_of_line(line->brace ? line->brace : line->text);
	return *line->text;
}

int known_indent(const char *text)
{
	for (; *text; text = end_of_line(text)) {
		int n = (int)strspn(text, " ");

		if (text[n] != '#' && text[n] != '\n')
			return n > 0 ? n : 2;
	}
	return 2;
}

bool known_has(const char *known, enum block block)
{
	struct known_line line = {.end = known, .section = -1};

	while (known_next(&line))
		if (line.begins == (int)block)
			return true;
	return false;
}

/* What a fit to times of others may set. */
static bool is_of_times(enum parameter_id id)
{
	return PARAMETER[id].unit != WORD && (id < INNER_LATENCY || id >= SEND_OVERHEAD) &&
	       (id < UNATTENDED || id == DEPTH); /* of those behind it a known one is left alone */
}

/* Does this line of the section give what is fitted, or a library? */
static bool is_taken(const char *text, enum block section)
{
	for (int k = 0; k < PARAMETERS; k++) {
		enum block block = PARAMETER[k].block;

		if (is_of_times((enum parameter_id)k) && BLOCK[block].section == section &&
		    gives_key(text, block == section ? PARAMETER[k].key : BLOCK[block].name))
			return true;
	}
	for (int k = 0; k < LIBRARIES && section == PROTOCOL; k++)
		if (LIBRARY[k].key && gives_key(text, LIBRARY[k].key))
			return true;
	return false;
}

static int number_of(const char *line, const char *text)
{
	int number = 1;

	while (text < line)
		number += *text++ == '\n';
	return number;
}

int machine_check(const char *known, const char *name, struct util_error *err)
{
	struct known_line line = {.end = known, .section = -1};
	int indent = 0;

	while (known_next(&line)) {
		bool begins_section = line.begins >= 0 && line.begins == line.section;
		const char *wanted = NULL;

		if (begins_section)
			indent = known_indent(line.end);
		if (begins_section && line.brace && line.section != CORES)
			wanted = "a key on each line, as the fit adds some";
		else if (!begins_section && line.section >= 0 &&
			 (int)strspn(line.text, " ") == indent &&
			 is_taken(line.text, (enum block)line.section))
			wanted = "a file without this key, which is fitted";
		if (wanted)
			return util_error_set(err, UTIL_EINPUT, "%s:%d: found \"%.*s\", wanted %s",
					      name, number_of(line.text, known),
					      (int)strcspn(line.text, "\n"), line.text, wanted);
	}
	return 0;
}
