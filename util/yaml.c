/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/yaml.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool util_yaml_is_empty(const struct util_yaml *node)
{
	return node->kind == UTIL_YAML_SCALAR && node->text[0] == '\0';
}

struct util_yaml *util_yaml_member(const struct util_yaml *map, const char *key, size_t length)
{
	if (!map || map->kind != UTIL_YAML_MAP)
		return NULL;
	for (struct util_yaml *member = map->first; member; member = member->next)
		if (strncmp(member->key, key, length) == 0 && member->key[length] == '\0')
			return member;
	return NULL;
}

struct util_yaml *util_yaml_at(const struct util_yaml_tree *tree, const char *path)
{
	struct util_yaml *node = tree->root;

	while (node) {
		size_t length = strcspn(path, ".");

		node = util_yaml_member(node, path, length);
		if (path[length] == '\0')
			break;
		path += length + 1;
	}
	return node;
}

char *util_yaml_quote(const char *text, char *buf, size_t size)
{
	size_t n = 0, longest = size - 6; /* two quotes, three dots, the NUL */

	buf[n++] = '"';
	for (; *text && n <= longest; text++)
		buf[n++] = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
	if (*text) {
		/* Do not cut through a UTF-8 sequence. */
		while (n > 1 && ((unsigned char)text[0] & 0xC0) == 0x80) {
			n--;
			text--;
		}
		memcpy(buf + n, "...", 3);
		n += 3;
	}
	buf[n++] = '"';
	buf[n] = '\0';
	return buf;
}

char *util_yaml_found(const struct util_yaml *node, char *buf, size_t size)
{
	if (node->kind == UTIL_YAML_MAP)
		snprintf(buf, size, "a mapping");
	else if (node->kind == UTIL_YAML_LIST)
		snprintf(buf, size, "a list of %d", node->n_children);
	else if (util_yaml_is_empty(node))
		snprintf(buf, size, "nothing");
	else
		util_yaml_quote(node->text, buf, size < 64 ? size : 64);
	return buf;
}

static char *put_place(const struct util_yaml_tree *tree, const char *override, int line, int column,
		       char *buf, size_t size)
{
	char quoted[128];

	if (override)
		snprintf(buf, size, "override %s",
			 util_yaml_quote(override, quoted, sizeof(quoted)));
	else
		snprintf(buf, size, "%s:%d:%d", tree->name, line, column);
	return buf;
}

char *util_yaml_place(const struct util_yaml_tree *tree, const struct util_yaml *node, char *buf,
		      size_t size)
{
	return put_place(tree, node->override, node->line, node->column, buf, size);
}

static int fail_at(const struct util_yaml_tree *tree, const char *override, int line, int column,
		   struct util_error *err, const char *format, va_list args)
{
	char text[768], place[PATH_MAX];

	vsnprintf(text, sizeof(text), format, args);
	for (char *c = text; *c;
	     c++) /* what a file holds may not write on a terminal as it likes */
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return util_refuse(err, "%s: %s",
			   put_place(tree, override, line, column, place, sizeof(place)), text);
}

int util_yaml_fail(const struct util_yaml_tree *tree, const struct util_yaml *node,
		   struct util_error *err, const char *format, ...)
{
	va_list args;
	int code;

	va_start(args, format);
	code = fail_at(tree, node ? node->override : NULL, node ? node->line : 1,
		       node ? node->column : 1, err, format, args);
	va_end(args);
	return code;
}

int util_yaml_fail_key(const struct util_yaml_tree *tree, const struct util_yaml *node,
		       struct util_error *err, const char *format, ...)
{
	va_list args;
	int code;

	va_start(args, format);
	code = fail_at(tree, node->override, node->key_line, node->key_column, err, format, args);
	va_end(args);
	return code;
}

void util_yaml_finish(struct util_yaml_tree *tree)
{
	while (tree->owned) {
		struct util_yaml *node = tree->owned;

		tree->owned = node->next_owned;
		free(node->text);
		free(node->key);
		free(node);
	}
	tree->root = NULL;
}

int util_yaml_read_file(const char *path, const char *what, char **out_text, size_t *out_length_B,
			struct util_error *err)
{
	char *text = malloc(UTIL_YAML_MAX_SIZE_B + 2);
	FILE *file = fopen(path, "rb");
	int rc = 0;

	if (!text)
		rc = util_error_set(err, UTIL_ENOMEM, "out of memory while reading %s", path);
	else if (!file)
		rc = util_refuse(err, "cannot open %s %s: %s", what, path, strerror(errno));
	errno = 0;
	if (!rc)
		*out_length_B = fread(text, 1, UTIL_YAML_MAX_SIZE_B + 1, file);
	if (!rc && ferror(file))
		rc = util_refuse(err, "cannot read %s %s: %s", what, path, strerror(errno));
	if (file)
		fclose(file);
	if (rc) {
		free(text);
		return rc;
	}
	text[*out_length_B] = '\0';
	*out_text = text;
	return 0;
}
