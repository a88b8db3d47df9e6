/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_YAML_H
#define UTIL_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/*
 * A small YAML document as a tree that remembers where each node stood. What a configuration file
 * does not need is refused when the tree is built: aliases, anchors, tags, keys that are not
 * scalars, duplicate keys, a second document, nesting deeper than UTIL_YAML_MAX_DEPTH, texts longer
 * than UTIL_YAML_MAX_SIZE_B.
 */
#define UTIL_YAML_MAX_DEPTH 16
#define UTIL_YAML_MAX_SIZE_B (1 << 20)
#define UTIL_YAML_MAX_KEYS 100 /* of one mapping; keeps the search for duplicates short */

enum util_yaml_kind { UTIL_YAML_SCALAR, UTIL_YAML_LIST, UTIL_YAML_MAP };

struct util_yaml { /* one node; owned by its tree */
	enum util_yaml_kind kind;
	char *text;	  /* of a scalar; contains no NUL but its end */
	char *key;	  /* of a member of a mapping, else NULL */
	int line, column; /* of the node, 1-based */
	int key_line, key_column;
	struct util_yaml *first, *last; /* children in order */
	struct util_yaml *next;
	int n_children;
	const char *override; /* borrowed; the override it came from, NULL: the file */
	struct util_yaml *next_owned;
};

struct util_yaml_tree {
	const char *name; /* borrowed; stands in messages */
	struct util_yaml *root;
	struct util_yaml *owned;
};

/*
 * Parses `length_B` bytes of `text` (no NUL needed). The tree must be finished also when this
 * fails. Errors: UTIL_EINPUT with name:line:column, UTIL_ENOMEM.
 */
int util_yaml_parse(struct util_yaml_tree *tree, const char *name, const char *text,
		    size_t length_B, struct util_error *err);
void util_yaml_finish(struct util_yaml_tree *tree);
/*
 * Reads a file to parse: *out_text is malloc'd and ends with a NUL; *out_length_B is at most
 * UTIL_YAML_MAX_SIZE_B + 1, so that too much is noticed. `what` stands in messages: "the cluster file". Errors: UTIL_EINPUT, UTIL_ENOMEM.
 */
int util_yaml_read_file(const char *path, const char *what, char **out_text, size_t *out_length_B,
			struct util_error *err);

/*
 * Applies "a.b.c=value": sets or replaces that node, making mappings on the way. `override` is
 * borrowed until the tree is finished. Errors: UTIL_EINPUT (no '=', an empty key, a value that is
 * not YAML, a way through something that is no mapping), UTIL_ENOMEM.
 */
int util_yaml_override(struct util_yaml_tree *tree, const char *override, struct util_error *err);

/* The member `key` (the first `length` bytes of it) of a mapping, or NULL. */
struct util_yaml *util_yaml_member(const struct util_yaml *map, const char *key, size_t length);
/* The node at a dotted path from the root, or NULL. */
struct util_yaml *util_yaml_at(const struct util_yaml_tree *tree, const char *path);
/* True for `key:` with nothing after it. */
bool util_yaml_is_empty(const struct util_yaml *node);

/* Describes a node for "found …": "\"12 parsecs\"", "a list", "nothing". Returns `buf`; 64 bytes
 * hold any. */
char *util_yaml_found(const struct util_yaml *node, char *buf, size_t size);
/* Copies text into quotes, control characters as '?', cut where it is long. Returns `buf`. */
char *util_yaml_quote(const char *text, char *buf, size_t size);
/* Where a node stood: "x.yaml:5:12", or the override it came from. Returns `buf`. */
char *util_yaml_place(const struct util_yaml_tree *tree, const struct util_yaml *node, char *buf,
		      size_t size);
/* Sets "<place of node>: <formatted>"; returns UTIL_EINPUT. `node` NULL: the file as a whole. */
int util_yaml_fail(const struct util_yaml_tree *tree, const struct util_yaml *node,
		   struct util_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with the place of the node's key. */
int util_yaml_fail_key(const struct util_yaml_tree *tree, const struct util_yaml *node,
		       struct util_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
