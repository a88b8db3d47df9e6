/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_STORAGE_H
#define NETMODEL_STORAGE_H

#include "netmodel/model.h"

/*
 * The storage that files lie on (docs/model.md §10): servers among which files are striped, each
 * with a bandwidth for reading and one for writing, nodes with a bandwidth of their own towards the
 * storage, and one queue for metadata. Shared max-min fairly, by a net_model of its own in which
 * servers are nodes; traffic between ranks is not concerned.
 */
struct net_storage;
struct net_storage_op;
typedef void (*net_storage_fn)(struct net_storage_op *op);

struct net_stripes { /* how a file is spread: stripe k lies on server (first + k mod n) mod servers
		      */
	int first, n;
	int64_t size_B;
};

struct net_storage_part;

struct net_storage_op { /* private; zero-initialise */
	struct sim_event event;
	struct net_storage *storage;
	net_storage_fn done;
	struct net_stripes stripes;
	struct net_storage_part *parts; /* [stripes.n]; NULL: no byte yet */
	int n_left;			/* parts that have yet to end, and the step under way */
	int node;
	bool is_write, has_failed; /* has_failed: out of memory */
};

/* `cluster` is borrowed and must outlive the storage. Errors: UTIL_ENOMEM. */
int net_storage_create(struct sim_engine *engine, const struct cluster *cluster,
		       struct net_storage **out, struct util_error *err);
void net_storage_destroy(struct net_storage *storage); /* when the engine makes no more steps */

/* Nothing takes any time: the cluster file does not describe its storage. */
bool net_storage_is_free(const struct cluster *cluster);
/* The stripes of a new file by its name; `n` and `size_B` 0: those of the cluster file. Equal on
 * every machine. */
struct net_stripes net_storage_stripes(const struct cluster *cluster, const char *name, int n,
				       int64_t size_B);

/* Before the start: bytes at `offset_B` of a file with these stripes, the same for all of an
 * operation. O(stripes.n). */
void net_storage_add(struct net_storage_op *op, struct net_stripes stripes, int64_t offset_B,
		     int64_t length_B);
/*
 * Starts an access of `node` to the bytes added: after `n_metadata` operations on metadata, one
 * after the other. `done` is called from the engine's loop, never from within; bytes or not, it is
 * called.
 */
void net_storage_start(struct net_storage *storage, struct net_storage_op *op, int node,
		       bool is_write, int n_metadata, net_storage_fn done);
/* Frees what the operation holds; it must not be under way, or the engine makes no more steps. */
void net_storage_finish(struct net_storage_op *op);

#endif
