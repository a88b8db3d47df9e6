/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that meet at ports: the lower half of the world accepts, the upper half connects. */
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static int error_class(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

static void names_lead_to_ports(void)
{
	char port[MPI_MAX_PORT_NAME], other[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME], service[40];

	snprintf(service, sizeof service, "service of %d", me);
	CHECK_INT(MPI_Open_port(MPI_INFO_NULL, port), MPI_SUCCESS);
	CHECK_INT(MPI_Open_port(MPI_INFO_NULL, other), MPI_SUCCESS);
	CHECK(strcmp(port, other) != 0);
	CHECK_INT(error_class(MPI_Lookup_name(service, MPI_INFO_NULL, found)), MPI_ERR_NAME);
	CHECK_INT(MPI_Publish_name(service, MPI_INFO_NULL, port), MPI_SUCCESS);
	CHECK_INT(error_class(MPI_Publish_name(service, MPI_INFO_NULL, other)), MPI_ERR_SERVICE);
	CHECK_INT(MPI_Lookup_name(service, MPI_INFO_NULL, found), MPI_SUCCESS);
	CHECK(!strcmp(found, port));
	CHECK_INT(MPI_Unpublish_name(service, MPI_INFO_NULL, port), MPI_SUCCESS);
	CHECK_INT(error_class(MPI_Unpublish_name(service, MPI_INFO_NULL, port)), MPI_ERR_SERVICE);
	CHECK_INT(error_class(MPI_Lookup_name(service, MPI_INFO_NULL, found)), MPI_ERR_NAME);
	CHECK_INT(MPI_Close_port(port), MPI_SUCCESS);
	CHECK_INT(MPI_Close_port(other), MPI_SUCCESS);
	CHECK_INT(error_class(MPI_Close_port(port)), MPI_ERR_PORT);
}

static void wrong_arguments_are_errors_of_their_classes(void)
{
	MPI_Comm comm = MPI_COMM_NULL, parent = MPI_COMM_WORLD;
	char port[MPI_MAX_PORT_NAME];

	CHECK_INT(error_class(MPI_Comm_connect("no such port", MPI_INFO_NULL, 0, MPI_COMM_SELF,
					       &comm)),
		  MPI_ERR_PORT);
	CHECK(comm == MPI_COMM_NULL);
	CHECK_INT(error_class(MPI_Comm_connect("no such port", MPI_INFO_NULL, n_ranks - 1,
					       MPI_COMM_WORLD, &comm)),
		  MPI_ERR_PORT); /* on all ranks, though only the root knows the port */
	CHECK_INT(error_class(MPI_Comm_accept("any", MPI_INFO_NULL, 1, MPI_COMM_SELF, &comm)),
		  MPI_ERR_ROOT);
	CHECK_INT(error_class(MPI_Comm_accept(NULL, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm)),
		  MPI_ERR_ARG);
	CHECK_INT(error_class(MPI_Comm_accept("any", MPI_INFO_NULL, 0, MPI_COMM_NULL, &comm)),
		  MPI_ERR_COMM);
	CHECK_INT(error_class(MPI_Open_port(MPI_INFO_NULL, NULL)), MPI_ERR_ARG);
	CHECK_INT(error_class(MPI_Open_port((MPI_Info)MPI_COMM_WORLD, port)), MPI_ERR_INFO);
	comm = MPI_COMM_SELF;
	CHECK_INT(error_class(MPI_Comm_disconnect(&comm)), MPI_ERR_COMM);
	CHECK_INT(error_class(MPI_Comm_join(-1, &comm)), MPI_ERR_ARG);
	MPI_Comm_get_parent(&parent);
	CHECK(parent == MPI_COMM_NULL);
}

/* The halves meet, talk, merge and part, three times at the same port. */
static void groups_meet_at_a_port(void)
{
	int half = n_ranks / 2, is_upper = me >= half, sum, size, remote, flag;
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm local, inter, merged;

	if (half == 0)
		return;
	MPI_Comm_split(MPI_COMM_WORLD, is_upper, 0, &local);
	if (me == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++) {
		int root = is_upper ? n_ranks - half - 1 : 0;
		int code = is_upper ? MPI_Comm_connect(port, MPI_INFO_NULL, root, local, &inter)
				    : MPI_Comm_accept(port, MPI_INFO_NULL, root, local, &inter);

		CHECK_INT(code, MPI_SUCCESS);
		MPI_Comm_test_inter(inter, &flag);
		CHECK(flag);
		MPI_Comm_size(inter, &size);
		MPI_Comm_remote_size(inter, &remote);
		CHECK_INT(size, is_upper ? n_ranks - half : half);
		CHECK_INT(size + remote, n_ranks);
		MPI_Allreduce(&(int){1 + i}, &sum, 1, MPI_INT, MPI_SUM, inter);
		CHECK_INT(sum, remote * (1 + i));
		MPI_Intercomm_merge(inter, is_upper, &merged);
		MPI_Comm_rank(merged, &size);
		CHECK_INT(size, me);
		MPI_Comm_free(&merged);
		CHECK_INT(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
		CHECK(inter == MPI_COMM_NULL);
	}
	if (me == 0)
		MPI_Close_port(port);
	MPI_Comm_free(&local);
}

/* Every process of the lower half waits at one port, every one of the upper half comes to it. */
static void each_meets_one_other(void)
{
	int half = n_ranks / 2, got = -1;
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;

	if (me == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (me < half)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
	else if (me < 2 * half)
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
	if (me < 2 * half) {
		MPI_Sendrecv(&me, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter,
			     MPI_STATUS_IGNORE);
		CHECK(me < half ? got >= half && got < 2 * half : got >= 0 && got < half);
		MPI_Comm_disconnect(&inter);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 0)
		MPI_Close_port(port);
}

/* The connection is there before the processes that hold its ends join. */
static void the_ends_of_a_socket_join(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int fd = -1, server = -1, got = -1, port = 0;
	MPI_Comm inter;

	if (n_ranks < 2)
		return;
	if (me == 0) {
		server = socket(AF_INET, SOCK_STREAM, 0);
		CHECK_INT(bind(server, (struct sockaddr *)&address, size), 0);
		CHECK_INT(listen(server, 1), 0);
		getsockname(server, (struct sockaddr *)&address, &size);
		port = address.sin_port;
	}
	MPI_Bcast(&port, 1, MPI_INT, 0, MPI_COMM_WORLD);
	address.sin_port = (in_port_t)port;
	if (me == 1) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		CHECK_INT(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 0)
		fd = accept(server, NULL, NULL);
	if (me > 1)
		return;
	CHECK_INT(MPI_Comm_join(fd, &inter), MPI_SUCCESS);
	MPI_Sendrecv(&me, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
	CHECK_INT(got, 1 - me);
	MPI_Comm_disconnect(&inter);
	close(fd);
	if (server >= 0)
		close(server);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	names_lead_to_ports();
	section_end("names");
	wrong_arguments_are_errors_of_their_classes();
	section_end("errors");
	groups_meet_at_a_port();
	each_meets_one_other();
	section_end("accept and connect");
	the_ends_of_a_socket_join();
	section_end("join");
	return check_finish();
}
