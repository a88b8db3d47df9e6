/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_FABRIC_H
#define TRACES_FABRIC_H

#include <jansson.h>
#include <stdio.h>

#include "cluster/cluster.h"
#include "netmodel/model.h"

/* What the links between switches and the memory of nodes carried in a run; a star has no such links,
 * and memory may have no limit. */
enum { TRACE_FABRIC_LINKS = 100 }; /* that are told at most */

struct trace_fabric_link {
	char name[96];
	int link;	  /* its number; -1: it is memory */
	int node, domain; /* of memory; -1: it is a link */
	double bytes;
	double utilisation; /* of what it could carry in the run */
	double lost_s;	    /* how much longer transfers took that it held back */
};

struct trace_fabric_class {
	char name[48];
	int n_links;
	double bytes;
	double mean, most; /* utilisation */
};

struct trace_fabric {
	struct trace_fabric_class classes[CLUSTER_MAX_DIMENSIONS + 1]; /* [n_classes] */
	int n_classes;
	struct trace_fabric_link *links; /* [n_links] that carried something: those that held back
					    most first, of these the most used */
	int n_links, n_used;		 /* told, and all */
};

/* After `time_s` of simulated time. *out NULL: there is none. UTIL_ENOMEM or 0. */
int trace_fabric_create(const struct net_model *model, int n_nodes, double time_s,
			struct trace_fabric **out);
void trace_fabric_destroy(struct trace_fabric *fabric); /* NULL is fine */
json_t *trace_fabric_json(const struct trace_fabric *fabric);
void trace_fabric_text(const struct trace_fabric *fabric, FILE *file);

#endif
