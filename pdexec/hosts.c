/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of hosts: a rank's is that of its simulated node, and all such names lead to this host. */
#include <errno.h>
#include <stdio.h>

#include "pdexec/libc-next.h"
#include "pdexec/process.h"

/* What the rank's node is called; 32 bytes hold it. */
static void node_name(const struct pd_rank *rank, char *name, size_t size)
{
	snprintf(name, size, "node%d", rank->node);
}

PD_INTERPOSE int gethostname(char *name, size_t size)
{
	struct pd_rank *rank = pd_process_here();
	char full[32];

	if (!rank)
		return pd_libc_next()->gethostname(name, size);
	node_name(rank, full, sizeof full);
	if (strlen(full) >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(name, full);
	return 0;
}

PD_INTERPOSE int uname(struct utsname *out)
{
	struct pd_rank *rank = pd_process_here();
	int status = pd_libc_next()->uname(out);

	if (rank && status == 0)
		node_name(rank, out->nodename, sizeof out->nodename);
	return status;
}

/* "localhost" for the name of a node of the run. */
static const char *resolved(const char *name)
{
	struct pd_rank *rank = pd_process_here();
	char end;
	int node;

	if (!rank || !name || sscanf(name, "node%d%c", &node, &end) != 1 || node < 0 ||
	    node >= rank->world->cluster->n_nodes)
		return name;
	return "localhost";
}

PD_INTERPOSE struct hostent *gethostbyname(const char *name)
{
	return pd_libc_next()->gethostbyname(resolved(name));
}

PD_INTERPOSE int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
			     struct addrinfo **out)
{
	return pd_libc_next()->getaddrinfo(resolved(node), service, hints, out);
}
