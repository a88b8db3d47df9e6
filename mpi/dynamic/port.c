/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/dynamic/port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/choose.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/request.h"
#include "util/list.h"

/* A root that waits; lies on its stack. */
struct visitor {
	struct util_link link;
	struct mpi_rank *rank;
	enum mpi_port_side side;
	struct mpi_rank *other; /* NULL: nobody has come */
	uint64_t meeting;
	bool is_refused; /* the port was closed */
};

struct port {
	struct util_link link;
	char name[MPI_MAX_PORT_NAME];
	struct util_list visitors; /* in the order in which they came, all of one side */
};

struct published {
	struct util_link link;
	char *service, *port;
};

struct ports {
	struct util_list ports, names;
	uint64_t n_opened, n_meetings;
};

static struct ports *ports_of(struct mpi_world *world)
{
	if (!world->ports)
		world->ports = calloc(1, sizeof(struct ports));
	return world->ports;
}

static struct port *create(struct ports *ports, const char *name)
{
	struct port *port = calloc(1, sizeof *port);

	if (!port)
		return NULL;
	snprintf(port->name, sizeof port->name, "%s", name);
	util_list_prepend(&ports->ports, port);
	return port;
}

/* NULL: there is none. */
static struct port *find(struct ports *ports, const char *name)
{
	struct port *port = ports ? ports->ports.first : NULL;

	while (port && strcmp(port->name, name) != 0)
		port = port->link.next;
	return port;
}

const char *mpi_port_open(struct mpi_world *world)
{
	struct ports *ports = ports_of(world);
	char name[MPI_MAX_PORT_NAME];
	struct port *port;

	if (!ports)
		return NULL;
	snprintf(name, sizeof name, "mpisim-port-%llu", (unsigned long long)++ports->n_opened);
	port = create(ports, name);
	return port ? port->name : NULL;
}

static void destroy(struct ports *ports, struct port *port)
{
	util_list_remove(&ports->ports, port);
	free(port);
}

bool mpi_port_close(struct mpi_world *world, const char *name)
{
	struct ports *ports = ports_of(world);
	struct port *port = find(ports, name);

	if (!port)
		return false;
	for (struct visitor *one = port->visitors.first; one; one = one->link.next) {
		one->is_refused = true;
		mpi_endpoint_wake(one->rank);
	}
	destroy(ports, port);
	return true;
}

/* Nobody comes to the port any more, or the one for whom it waits has come. */
static bool is_answered(struct mpi_rank *me, const struct mpi_wait *wait)
{
	const struct visitor *self = wait->context;

	return self->other || self->is_refused;
}

static void wait_at(struct mpi_rank *me, struct port *port, struct visitor *self)
{
	const struct mpi_wait wait = {.kind = MPI_WAIT_CONDITION,
				      .of.text = "a process at the other side of a port",
				      .is_satisfied = is_answered,
				      .context = self};

	util_list_append(&port->visitors, self);
	mpi_wait(me, &wait);
}

/* --- which connect an accept meets, where that is decided --- */

static struct visitor *visitor_of(const struct port *port, int rank)
{
	struct visitor *one = port->visitors.first;

	while (one && one->rank->rank != rank)
		one = one->link.next;
	return one;
}

static int count_ranks(struct mpi_rank *me, const struct mpi_question *question)
{
	return me->world->n_ranks;
}

static bool has_come(struct mpi_rank *me, const struct mpi_question *question, int rank)
{
	return visitor_of(question->context, rank) != NULL;
}

static const struct mpi_message *describe_visitor(struct mpi_rank *me,
						  const struct mpi_question *question, int rank,
						  char *text, size_t size)
{
	snprintf(text, size, "meets rank %d", rank);
	return NULL;
}

static int accept_chosen(struct mpi_rank *me, struct ports *ports, struct port *port, int *other,
			 uint64_t *meeting)
{
	struct mpi_question question = {.kind = MPI_CHOICE_ACCEPT,
					.count = count_ranks,
					.allows = has_come,
					.describe = describe_visitor,
					.context = port};
	struct visitor *one = visitor_of(port, mpi_ask(me, &question));

	util_list_remove(&port->visitors, one);
	one->other = me;
	*other = one->rank->rank;
	*meeting = one->meeting = ++ports->n_meetings;
	mpi_endpoint_wake(one->rank);
	return MPI_SUCCESS;
}

static int meet(struct mpi_rank *me, struct ports *ports, struct port *port,
		enum mpi_port_side side, int *other, uint64_t *meeting)
{
	struct visitor *first = port->visitors.first, self = {.rank = me, .side = side};

	if (mpi_asks(me) && side == PORT_ACCEPT)
		return accept_chosen(me, ports, port, other, meeting);
	if (first && (side == PORT_EITHER || first->side != side)) {
		util_list_remove(&port->visitors, first);
		first->other = me;
		first->meeting = ++ports->n_meetings;
		mpi_endpoint_wake(first->rank);
		*other = first->rank->rank;
		*meeting = first->meeting;
		return MPI_SUCCESS;
	}
	wait_at(me, port, &self);
	if (self.is_refused)
		return MPI_ERR_PORT;
	*other = self.other->rank;
	*meeting = self.meeting;
	return MPI_SUCCESS;
}

int mpi_port_meet(struct mpi_rank *me, const char *name, enum mpi_port_side side, int *other,
		  uint64_t *meeting)
{
	struct ports *ports = ports_of(me->world);
	struct port *port = find(ports, name);

	return port ? meet(me, ports, port, side, other, meeting) : MPI_ERR_PORT;
}

int mpi_port_meet_once(struct mpi_rank *me, const char *name, int *other, uint64_t *meeting)
{
	struct ports *ports = ports_of(me->world);
	struct port *port = find(ports, name);
	bool is_second = port != NULL;
	int code;

	if (ports && !port)
		port = create(ports, name);
	if (!port)
		return MPI_ERR_NO_MEM;
	code = meet(me, ports, port, PORT_EITHER, other, meeting);
	if (is_second)
		destroy(ports, port);
	return code;
}

/* --- names --- */

/* NULL: there is none. */
static struct published *find_name(const struct ports *ports, const char *service)
{
	struct published *name = ports ? ports->names.first : NULL;

	while (name && strcmp(name->service, service) != 0)
		name = name->link.next;
	return name;
}

static void destroy_name(struct ports *ports, struct published *name)
{
	util_list_remove(&ports->names, name);
	free(name->service);
	free(name->port);
	free(name);
}

int mpi_name_publish(struct mpi_world *world, const char *service, const char *port)
{
	struct ports *ports = ports_of(world);
	struct published *name;

	if (find_name(ports, service))
		return MPI_ERR_SERVICE;
	name = ports ? calloc(1, sizeof *name) : NULL;
	if (!name)
		return MPI_ERR_NO_MEM;
	name->service = strdup(service);
	name->port = strdup(port);
	util_list_prepend(&ports->names, name);
	if (name->service && name->port)
		return MPI_SUCCESS;
	destroy_name(ports, name);
	return MPI_ERR_NO_MEM;
}

const char *mpi_name_lookup(const struct mpi_world *world, const char *service)
{
	const struct published *name = find_name(world->ports, service);

	return name ? name->port : NULL;
}

bool mpi_name_unpublish(struct mpi_world *world, const char *service)
{
	struct published *name = find_name(world->ports, service);

	if (!name)
		return false;
	destroy_name(world->ports, name);
	return true;
}

void mpi_ports_destroy(struct mpi_world *world)
{
	struct ports *ports = world->ports;

	if (!ports)
		return;
	while (ports->ports.first)
		destroy(ports, ports->ports.first);
	while (ports->names.first)
		destroy_name(ports, ports->names.first);
	free(ports);
	world->ports = NULL;
}
