/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the tree from libyaml's events. Its document API resolves aliases silently, so that a few
 * bytes become a huge or endless tree; events let us refuse them.
 */
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "util/yaml.h"

struct builder {
	struct util_yaml_tree *tree;
	struct util_yaml *root;
	const char *override;
	struct util_yaml *stack[UTIL_YAML_MAX_DEPTH];
	int depth;
	struct util_yaml key; /* the key of the member to come, when key.text is set */
	int n_documents;
	struct util_error *err;
};

static struct util_yaml place_of(const struct builder *b, yaml_mark_t mark)
{
	return (struct util_yaml){
	    .line = (int)mark.line + 1, .column = (int)mark.column + 1, .override = b->override};
}

static int refuse(struct builder *b, yaml_mark_t mark, const char *found, const char *wanted)
{
	struct util_yaml place = place_of(b, mark);

	return util_yaml_fail(b->tree, &place, b->err, "found %s, wanted %s", found, wanted);
}

static int refuse_yaml(struct builder *b, const yaml_parser_t *parser)
{
	struct util_yaml place = place_of(b, parser->problem_mark);
	const char *problem = parser->problem ? parser->problem : "malformed text";

	if (parser->error == YAML_MEMORY_ERROR)
		return util_error_set(b->err, UTIL_ENOMEM, "out of memory while reading %s",
				      b->tree->name);
	if (parser->error == YAML_READER_ERROR) /* the only one without a mark */
		return util_yaml_fail(
		    b->tree, b->override ? &place : NULL, b->err,
		    "found bytes that are not text (%s at byte %zu), wanted YAML in UTF-8", problem,
		    parser->problem_offset);
	if (parser->context)
		return util_yaml_fail(b->tree, &place, b->err,
				      "found malformed YAML (%s, %s), wanted YAML", parser->context,
				      problem);
	return util_yaml_fail(b->tree, &place, b->err, "found malformed YAML (%s), wanted YAML",
			      problem);
}

static void append(struct util_yaml *parent, struct util_yaml *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->n_children++;
}

static struct util_yaml *make_node(struct builder *b, enum util_yaml_kind kind, yaml_mark_t mark)
{
	struct util_yaml *node = malloc(sizeof(*node));

	if (!node) {
		util_error_set(b->err, UTIL_ENOMEM, "out of memory while reading %s",
			       b->tree->name);
		return NULL;
	}
	*node = place_of(b, mark);
	node->kind = kind;
	node->next_owned = b->tree->owned;
	b->tree->owned = node;
	return node;
}

/* Puts a finished scalar or an opened list or mapping where it belongs. */
static int attach(struct builder *b, struct util_yaml *node)
{
	struct util_yaml *parent = b->depth ? b->stack[b->depth - 1] : NULL;

	if (!parent) {
		b->root = node;
	} else {
		if (parent->kind == UTIL_YAML_MAP) {
			node->key = b->key.text;
			node->key_line = b->key.line;
			node->key_column = b->key.column;
			b->key.text = NULL;
		}
		append(parent, node);
	}
	return 0;
}

static int take_key(struct builder *b, struct util_yaml *map, const yaml_event_t *event,
		    const char *text)
{
	char quoted[64];

	b->key = place_of(b, event->start_mark);
	if (util_yaml_member(map, text, strlen(text)))
		return util_yaml_fail(b->tree, &b->key, b->err,
				      "found key %s twice, wanted it once",
				      util_yaml_quote(text, quoted, sizeof(quoted)));
	if (map->n_children >= UTIL_YAML_MAX_KEYS)
		return refuse(b, event->start_mark, "more than 100 keys in a mapping", "fewer");
	b->key.text = strdup(text);
	return b->key.text ? 0 : util_error_set(b->err, UTIL_ENOMEM, "out of memory");
}

static int take_scalar(struct builder *b, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	struct util_yaml *parent = b->depth ? b->stack[b->depth - 1] : NULL;
	struct util_yaml *node;

	if (event->data.scalar.anchor || event->data.scalar.tag)
		return refuse(b, event->start_mark, "an anchor or a tag", "a plain value");
	if (strlen(text) != event->data.scalar.length)
		return refuse(b, event->start_mark, "a NUL character", "text");
	if (parent && parent->kind == UTIL_YAML_MAP && !b->key.text)
		return take_key(b, parent, event, text);
	node = make_node(b, UTIL_YAML_SCALAR, event->start_mark);
	if (!node)
		return UTIL_ENOMEM;
	node->text = strdup(text);
	if (!node->text)
		return util_error_set(b->err, UTIL_ENOMEM, "out of memory");
	return attach(b, node);
}

static int open_collection(struct builder *b, const yaml_event_t *event, enum util_yaml_kind kind)
{
	const yaml_char_t *anchor = kind == UTIL_YAML_MAP ? event->data.mapping_start.anchor
							  : event->data.sequence_start.anchor;
	const yaml_char_t *tag =
	    kind == UTIL_YAML_MAP ? event->data.mapping_start.tag : event->data.sequence_start.tag;
	struct util_yaml *parent = b->depth ? b->stack[b->depth - 1] : NULL;
	struct util_yaml *node;

	if (anchor || tag)
		return refuse(b, event->start_mark, "an anchor or a tag", "a plain value");
	if (parent && parent->kind == UTIL_YAML_MAP && !b->key.text)
		return refuse(b, event->start_mark, "a list or mapping as a key", "a word");
	if (b->depth == UTIL_YAML_MAX_DEPTH)
		return refuse(b, event->start_mark, "lists or mappings nested too deeply",
			      "at most 16 levels");
	node = make_node(b, kind, event->start_mark);
	if (!node)
		return UTIL_ENOMEM;
	attach(b, node);
	b->stack[b->depth++] = node;
	return 0;
}

static int take_event(struct builder *b, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return take_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
		return open_collection(b, event, UTIL_YAML_LIST);
	case YAML_MAPPING_START_EVENT:
		return open_collection(b, event, UTIL_YAML_MAP);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return 0;
	case YAML_ALIAS_EVENT:
		return refuse(b, event->start_mark, "an alias", "the value itself");
	case YAML_DOCUMENT_START_EVENT:
		if (b->n_documents++)
			return refuse(b, event->start_mark, "a second document", "only one");
		return 0;
	default:
		return 0;
	}
}

static int build(struct builder *b, yaml_parser_t *parser)
{
	yaml_event_t event;
	bool at_end = false;
	int rc = 0;

	while (!rc && !at_end) {
		if (!yaml_parser_parse(parser, &event))
			return refuse_yaml(b, parser);
		rc = take_event(b, &event);
		at_end = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	return rc;
}

/* Parses one text into nodes that `tree` owns; *out NULL: an empty text. */
static int parse_text(struct util_yaml_tree *tree, const char *override, const char *text,
		      size_t length_B, struct util_yaml **out, struct util_error *err)
{
	struct builder b = {.tree = tree, .override = override, .err = err};
	yaml_parser_t parser;
	int rc;

	if (!yaml_parser_initialize(&parser))
		return util_error_set(err, UTIL_ENOMEM, "out of memory while reading %s",
				      tree->name);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length_B);
	rc = build(&b, &parser);
	yaml_parser_delete(&parser);
	free(b.key.text);
	if (!rc)
		*out = b.root;
	return rc;
}

int util_yaml_parse(struct util_yaml_tree *tree, const char *name, const char *text,
		    size_t length_B, struct util_error *err)
{
	int rc;

	*tree = (struct util_yaml_tree){.name = name};
	if (length_B > UTIL_YAML_MAX_SIZE_B)
		return util_yaml_fail(tree, NULL, err, "found more than %d bytes, wanted fewer",
				      UTIL_YAML_MAX_SIZE_B);
	rc = parse_text(tree, NULL, text, length_B, &tree->root, err);
	if (!rc && !tree->root)
		return util_yaml_fail(tree, NULL, err,
				      "found an empty file, wanted keys and values");
	return rc;
}

/* Finds or makes the member `key` of `map`. A member that holds nothing becomes a mapping where one
 * is needed. */
static struct util_yaml *get_member(struct builder *b, struct util_yaml *map, const char *key,
				    size_t length)
{
	struct util_yaml *member = util_yaml_member(map, key, length);

	if (member)
		return member;
	member = make_node(b, UTIL_YAML_MAP, (yaml_mark_t){0});
	if (!member)
		return NULL;
	member->key = strndup(key, length);
	if (!member->key) {
		util_error_set(b->err, UTIL_ENOMEM, "out of memory");
		return NULL;
	}
	append(map, member);
	return member;
}

static void become(struct util_yaml *node, struct util_yaml *value, const char *override)
{
	free(node->text);
	node->kind = value ? value->kind : UTIL_YAML_SCALAR;
	node->text = value ? value->text : NULL;
	node->first = value ? value->first : NULL;
	node->last = value ? value->last : NULL;
	node->n_children = value ? value->n_children : 0;
	node->override = override;
	if (value)
		value->text = NULL;
}

int util_yaml_override(struct util_yaml_tree *tree, const char *override, struct util_error *err)
{
	struct util_yaml place = {.override = override}, *node = tree->root, *value = NULL;
	struct builder b = {.tree = tree, .override = override, .err = err};
	const char *equals = strchr(override, '='), *key = override;
	int rc;

	if (!equals)
		return util_yaml_fail(tree, &place, err, "found no '=', wanted key=value");
	rc = parse_text(tree, override, equals + 1, strlen(equals + 1), &value, err);
	if (rc)
		return rc;
	if (!value)
		return util_yaml_fail(tree, &place, err, "found no value, wanted key=value");
	for (;;) {
		size_t length = strcspn(key, ".=");

		if (length == 0)
			return util_yaml_fail(tree, &place, err,
					      "found an empty key, wanted section.key=value");
		if (util_yaml_is_empty(node))
			node->kind = UTIL_YAML_MAP;
		if (node->kind != UTIL_YAML_MAP)
			return util_yaml_fail(tree, &place, err,
					      "found a value above \"%.*s\", wanted a section",
					      (int)length, key);
		node = get_member(&b, node, key, length);
		if (!node)
			return UTIL_ENOMEM;
		key += length + 1;
		if (key > equals)
			break;
	}
	become(node, value, override);
	return 0;
}
