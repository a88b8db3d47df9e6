/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_SCHEMA_H
#define CLUSTER_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "cluster/cluster.h"
#include "util/yaml.h"

/*
 * The keys of a cluster file: one table row each, in cluster/keys.c. A new key is a new row and a
 * member of its section in struct cluster; values that need more than a number with a range get a
 * function (CLUSTER_KEY_CUSTOM).
 */
enum cluster_key_kind {
	CLUSTER_KEY_TEXT,      /* char *, owned */
	CLUSTER_KEY_INT,       /* int */
	CLUSTER_KEY_NUMBER,    /* double */
	CLUSTER_KEY_TIME,      /* double, seconds */
	CLUSTER_KEY_OFFSET,    /* double, seconds, may be negative */
	CLUSTER_KEY_BANDWIDTH, /* double, bytes per second */
	CLUSTER_KEY_SIZE,      /* int64_t, bytes */
	CLUSTER_KEY_CHOICE,    /* an enum (int): place in `choices` */
	CLUSTER_KEY_CUSTOM,
};

/* What the rows fill in: the cluster, and single values that stand for several of its own. */
struct cluster_draft {
	struct cluster cluster;
	int version, library; /* place in CLUSTER_LIBRARIES */
	double message_rate;  /* 1/s; INFINITY: any */
	double overhead_s, storage_Bps, variation, taper;
	int nodes_per_leaf; /* with taper: a tree of two levels; 0: not given */
	int64_t unattended_B, unattended_new_B, unattended_used_B; /* 0: not given */
};

struct cluster_key {
	const char *path;
	enum cluster_key_kind kind;
	size_t target;	 /* offset in struct cluster_draft */
	double min, max; /* inclusive; numbers only */
	bool required;
	const char *fallback; /* the default as it would stand in a file; NULL: none, the target
				 stays as it is */
	size_t inherits; /* offset of a number (double) in struct cluster_draft that stands for an
			    absent key; 0: none */
	const char
	    *choices; /* "delay|shared"; for a number: one word that stands for `word_value` */
	double word_value;
	int (*convert)(
	    struct cluster_draft *draft, const struct util_yaml_tree *tree,
	    const struct util_yaml *node,
	    struct util_error *err); /* CLUSTER_KEY_CUSTOM; node NULL: the key is absent */
};

extern const struct cluster_key cluster_keys[];
extern const int cluster_n_keys;

/* The values of protocol.library: each is a set of defaults (cluster/presets.c). */
#define CLUSTER_LIBRARIES "plain|openmpi-tcp|mpich-tcp|rdma"
/* The default that `library` has for the key; NULL: the one that stands in the table. */
const char *cluster_preset(int library, const char *path);
/* What took the place of a key that files used to have: "wanted …"; NULL: it never was one. */
const char *cluster_renamed(const char *path);

/* Unknown keys and keys in the wrong place: UTIL_EINPUT with a suggestion. */
int cluster_schema_check(const struct util_yaml_tree *tree, struct util_error *err);
/* Every row of the table, in its order. */
int cluster_schema_read(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			struct util_error *err);
/* A number for custom converters: what `path` names, in [min, max]. */
int cluster_schema_number(const struct util_yaml_tree *tree, const struct util_yaml *node,
			  const char *path, double min, double max, double *out,
			  struct util_error *err);
/* The value of any kind but CLUSTER_KEY_CUSTOM, into `key`'s target in *base; `node` NULL: the key is
 * absent, its default holds. */
int cluster_schema_value(void *base, const struct cluster_key *key,
			 const struct util_yaml_tree *tree, const struct util_yaml *node,
			 struct util_error *err);
/* A list's entry: a mapping with all of `keys` that have no default (paths "list.member", targets in
 * *out) and no others. */
int cluster_schema_entry(const struct util_yaml_tree *tree, const struct util_yaml *entry,
			 const struct cluster_key keys[], int n_keys, void *out,
			 struct util_error *err);
/* Converters of lists (cluster/lists.c). Efficiencies below the least one would let a
 * transfer last for ever. */
#define CLUSTER_MIN_EFFICIENCY 0.01
#define CLUSTER_MIN_SPEED 1e-6
#define CLUSTER_MAX_SPEED 1e6
#define CLUSTER_MAX_TIME_S 1e6
int cluster_read_speed_changes(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			       const struct util_yaml *node, struct util_error *err);
int cluster_read_segments(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			  const struct util_yaml *node, struct util_error *err);
int cluster_read_intra_segments(struct cluster_draft *draft, const struct util_yaml_tree *tree,
				const struct util_yaml *node, struct util_error *err);
int cluster_read_send_costs(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *node, struct util_error *err);
int cluster_read_isend_costs(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err);
int cluster_read_recv_costs(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *node, struct util_error *err);
int cluster_read_sharing_losses(struct cluster_draft *draft, const struct util_yaml_tree *tree,
				const struct util_yaml *node, struct util_error *err);
int cluster_read_send_buffer(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err);
/* network.packets: what it needs and what it excludes. */
int cluster_check_packets(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			  const struct util_yaml *node, struct util_error *err);
/* Levels of a node (cluster/levels.c): `cores` as one number or a table; messages by level; what
 * shared memory excludes. */
int cluster_complete_cores(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err);
int cluster_read_memory(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			const struct util_yaml *node, struct util_error *err);
int cluster_read_intra_levels(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			      const struct util_yaml *node, struct util_error *err);
int cluster_check_memory(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			 const struct util_yaml *node, struct util_error *err);
/* network.topology (cluster/topology.c) */
int cluster_read_dimensions(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *node, struct util_error *err);
int cluster_read_down(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		      const struct util_yaml *node, struct util_error *err);
int cluster_read_up(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		    const struct util_yaml *node, struct util_error *err);
int cluster_read_hop_latency(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err);
int cluster_read_link_bandwidth(struct cluster_draft *draft, const struct util_yaml_tree *tree,
				const struct util_yaml *node, struct util_error *err);
int cluster_read_link_speeds(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err);
int cluster_check_topology(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err);
/* After all of the section: what follows from several keys of it, and what they exclude. */
int cluster_complete_protocol(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			      const struct util_yaml *node, struct util_error *err);
/* Intervals of values that were read before (cluster/uncertainty.c). */
int cluster_read_uncertainty(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err);
/* Frees what a draft owns. */
void cluster_draft_finish(struct cluster_draft *draft);

#endif
