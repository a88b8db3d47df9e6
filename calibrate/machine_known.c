/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a cluster file that is known, as text. */
#include "machine_known.h"

#include <string.h>

const char *const KNOWN_SECTION[KNOWN_SECTIONS] = {"network", "protocol", "rma", "cores"};

int known_section(const char *line)
{
	for (int k = 0; k < KNOWN_SECTIONS; k++) {
		size_t n = strlen(KNOWN_SECTION[k]);

		if (!strncmp(line, KNOWN_SECTION[k], n) && line[n] == ':')
			return k;
	}
	return -1;
}

const char *known_line_end(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

const char *known_brace(const char *line)
{
	int depth = 0;

	for (const char *at = line; *at && (depth > 0 || *at != '\n'); at++) {
		if (*at == '#' && at > line && strchr(" \n", at[-1]))
			at += strcspn(at, "\n") - 1;
		else if (*at == '{')
			depth++;
		else if (*at == '}' && --depth == 0)
			return at;
	}
	return NULL;
}

int known_indent(const char *line)
{
	while (*line) {
		int n = (int)strspn(line, " ");

		if (line[n] != '#' && line[n] != '\n')
			return n > 0 ? n : 2;
		line = known_line_end(line);
	}
	return 2;
}

const char *known_group(const char *line, const char *section)
{
	line += strspn(line, " ");
	for (int k = 0; k < PARAMETERS; k++) {
		const char *group = PARAMETER[k].group;

		if (group && !strcmp(PARAMETER[k].section, section) &&
		    !strncmp(line, group, strlen(group)) && line[strlen(group)] == ':')
			return group;
	}
	return NULL;
}

bool known_has_group(const char *known, const char *section, const char *group)
{
	int here = -1;

	for (const char *line = known; *line; line = known_line_end(line)) {
		if (*line != ' ' && *line != '#' && *line != '\n')
			here = known_section(line);
		else if (here >= 0 && !strcmp(KNOWN_SECTION[here], section) && *line == ' ' &&
			 known_group(line, section) && !strcmp(known_group(line, section), group))
			return true;
	}
	return false;
}

/* What a fit to times of others may set. */
static bool is_of_times(enum parameter_id id)
{
	return PARAMETER[id].unit != WORD && (id < INNER_LATENCY || id >= SEND_OVERHEAD) &&
	       (id < UNATTENDED || id == DEPTH); /* of those behind it a known one is left alone */
}

/* Does this line of the section give the key of a parameter, or of a library? */
static bool is_taken(const char *line, const char *section)
{
	size_t n;

	line += strspn(line, " ");
	n = strcspn(line, ":\n");
	for (int k = 0; k < PARAMETERS; k++) {
		const char *key = PARAMETER[k].group ? PARAMETER[k].group : PARAMETER[k].key;

		if (is_of_times((enum parameter_id)k) && !strcmp(PARAMETER[k].section, section) &&
		    strlen(key) == n && !strncmp(line, key, n))
			return true;
	}
	for (int k = 0; k < LIBRARIES; k++) {
		const char *taken = library_line((enum library)k, section);

		if (taken && !strncmp(line, taken, n) && taken[n] == ':')
			return true;
	}
	return false;
}

int machine_check(const char *known, const char *name, struct util_error *err)
{
	int section = -1, indent = 0, number = 1;

	for (const char *line = known; *line; line = known_line_end(line), number++) {
		int length = (int)strcspn(line, "\n");

		if (*line != ' ' && *line != '#' && *line != '\n') {
			section = known_section(line);
			indent = known_indent(known_line_end(line));
			if (section >= 0 && strcmp(KNOWN_SECTION[section], "cores") &&
			    known_brace(line))
				return util_error_set(
				    err, UTIL_EINPUT,
				    "%s:%d: found \"%.*s\", wanted a key on each line, "
				    "as the fit adds some",
				    name, number, length, line);
		} else if (section >= 0 && (int)strspn(line, " ") == indent &&
			   is_taken(line, KNOWN_SECTION[section])) {
			return util_error_set(err, UTIL_EINPUT,
					      "%s:%d: found \"%.*s\", wanted a file without this "
					      "key, which is fitted",
					      name, number, length, line);
		}
	}
	return 0;
}
