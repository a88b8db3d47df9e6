/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_SCHEMA_H
#define NETMODEL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "netmodel/cluster.h"
#include "netmodel/yamltree.h"

/*
 * The keys of a cluster file: one table row each, in netmodel/cluster-keys.c. A new key is a new
 * row and a member of net_cluster; values that need more than a number with a range get a function
 * (NET_KEY_CUSTOM).
 */
enum net_key_kind {
	NET_KEY_TEXT,	   /* char *, owned */
	NET_KEY_INT,	   /* int */
	NET_KEY_NUMBER,	   /* double */
	NET_KEY_TIME,	   /* double, seconds */
	NET_KEY_OFFSET,	   /* double, seconds, may be negative */
	NET_KEY_BANDWIDTH, /* double, bytes per second */
	NET_KEY_SIZE,	   /* int64_t, bytes */
	NET_KEY_CHOICE,	   /* an enum (int): place in `choices` */
	NET_KEY_CUSTOM,
};

/* What the rows fill in; the parts that are not yet net_cluster's are put together by
 * net_draft_complete. */
struct net_draft {
	struct net_cluster cluster;
	int version;
	bool has_table, has_law; /* which form of cpu.communication_cost the file uses */
	double law_outgoing, law_incoming, law_maximum;
	int law_transfers;
};

struct net_key {
	const char *path;
	enum net_key_kind kind;
	size_t target;	 /* offset in struct net_draft */
	double min, max; /* inclusive; numbers only */
	bool required;
	const char *fallback; /* the default as it would stand in a file; NULL: none, the target
				 stays as it is */
	size_t inherits; /* offset of a number (double) in struct net_draft that stands for an
			    absent key; 0: none */
	const char
	    *choices; /* "delay|shared"; for a number: one word that stands for `word_value` */
	double word_value;
	int (*convert)(struct net_draft *draft, const struct net_yaml_tree *tree,
		       const struct net_yaml *node,
		       struct util_error *err); /* NET_KEY_CUSTOM; node NULL: the key is absent */
};

extern const struct net_key net_keys[];
extern const int net_n_keys;

/* Unknown keys and keys in the wrong place: UTIL_EINPUT with a suggestion. */
int net_schema_check(const struct net_yaml_tree *tree, struct util_error *err);
/* Every row of the table, in its order. */
int net_schema_read(struct net_draft *draft, const struct net_yaml_tree *tree,
		    struct util_error *err);
/* A number for custom converters: what `path` names, in [min, max]. */
int net_schema_number(const struct net_yaml_tree *tree, const struct net_yaml *node,
		      const char *path, double min, double max, double *out,
		      struct util_error *err);
/* The value of any kind but NET_KEY_CUSTOM, into `key`'s target in *base; `node` NULL: the key is
 * absent, its default holds. */
int net_schema_value(void *base, const struct net_key *key, const struct net_yaml_tree *tree,
		     const struct net_yaml *node, struct util_error *err);
/* A list's entry: a mapping with all of `keys` (paths "list.member", targets in *out) and no
 * others. */
int net_schema_entry(const struct net_yaml_tree *tree, const struct net_yaml *entry,
		     const struct net_key keys[], int n_keys, void *out, struct util_error *err);
/* Converters of lists (netmodel/cluster-lists.c). Efficiencies below the least one would let a
 * transfer last for ever. */
#define NET_MIN_EFFICIENCY 0.01
#define NET_MIN_SPEED 1e-6
#define NET_MAX_SPEED 1e6
int net_read_speed_changes(struct net_draft *draft, const struct net_yaml_tree *tree,
			   const struct net_yaml *node, struct util_error *err);
int net_read_segments(struct net_draft *draft, const struct net_yaml_tree *tree,
		      const struct net_yaml *node, struct util_error *err);
int net_read_intra_segments(struct net_draft *draft, const struct net_yaml_tree *tree,
			    const struct net_yaml *node, struct util_error *err);
int net_read_sharing_efficiency(struct net_draft *draft, const struct net_yaml_tree *tree,
				const struct net_yaml *node, struct util_error *err);
int net_read_send_buffer(struct net_draft *draft, const struct net_yaml_tree *tree,
			 const struct net_yaml *node, struct util_error *err);
/* network.packets: what it needs and what it excludes. */
int net_check_packets(struct net_draft *draft, const struct net_yaml_tree *tree,
		      const struct net_yaml *node, struct util_error *err);
/* After protocol.order and .progress: it needs connections, and ranks that do not attend to them. */
int net_read_unattended_send(struct net_draft *draft, const struct net_yaml_tree *tree,
			     const struct net_yaml *node, struct util_error *err);
/* Intervals of values that were read before (netmodel/uncertainty.c). */
int net_read_uncertainty(struct net_draft *draft, const struct net_yaml_tree *tree,
			 const struct net_yaml *node, struct util_error *err);
/* Frees what a draft owns. */
void net_draft_finish(struct net_draft *draft);

#endif
