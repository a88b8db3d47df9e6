/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Open_port, MPI_Publish_name and their siblings. */
#include <string.h>

#include "mpi/dynamic/port.h"
#include "mpi/info/info.h"

static int check_info(struct mpi_rank *me, MPI_Info info)
{
	if (info == MPI_INFO_NULL || mpi_info_get(me, info))
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_INFO, "info is not an info object");
}

static int check_text(struct mpi_rank *me, const char *text, const char *name)
{
	return text ? MPI_SUCCESS : mpi_raise(me, NULL, MPI_ERR_ARG, "%s is NULL", name);
}

int MPI_Open_port(MPI_Info info, char *port_name)
{
	struct mpi_rank *me = MPI_ENTER();
	const char *name;
	int code = check_info(me, info);

	if (code == MPI_SUCCESS)
		code = check_text(me, port_name, "port_name");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	name = mpi_port_open(me->world);
	if (!name)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a port"));
	strcpy(port_name, name);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Close_port(const char *port_name)
{
	struct mpi_rank *me = MPI_ENTER();
	int code = check_text(me, port_name, "port_name");

	if (code == MPI_SUCCESS && !mpi_port_close(me->world, port_name))
		code = mpi_raise(me, NULL, MPI_ERR_PORT, "there is no port \"%.80s\"", port_name);
	return mpi_leave(me, code);
}

static int check_service(struct mpi_rank *me, const char *service, MPI_Info info, const char *port)
{
	int code = check_info(me, info);

	if (code == MPI_SUCCESS)
		code = check_text(me, service, "service_name");
	return code == MPI_SUCCESS ? check_text(me, port, "port_name") : code;
}

int MPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name)
{
	struct mpi_rank *me = MPI_ENTER();
	int code = check_service(me, service_name, info, port_name);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	code = mpi_name_publish(me->world, service_name, port_name);
	if (code != MPI_SUCCESS)
		code = mpi_raise(me, NULL, code,
				 code == MPI_ERR_SERVICE ? "\"%.80s\" is published already"
							 : "out of memory for \"%.80s\"",
				 service_name);
	return mpi_leave(me, code);
}

int MPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name)
{
	struct mpi_rank *me = MPI_ENTER();
	int code = check_service(me, service_name, info, port_name);

	if (code == MPI_SUCCESS && !mpi_name_unpublish(me->world, service_name))
		code = mpi_raise(me, NULL, MPI_ERR_SERVICE, "\"%.80s\" is not published",
				 service_name);
	return mpi_leave(me, code);
}

int MPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
	struct mpi_rank *me = MPI_ENTER();
	const char *port;
	int code = check_service(me, service_name, info, port_name);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	port = mpi_name_lookup(me->world, service_name);
	if (!port)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_NAME, "\"%.80s\" is not published",
					       service_name));
	strncpy(port_name, port, MPI_MAX_PORT_NAME - 1);
	port_name[MPI_MAX_PORT_NAME - 1] = '\0';
	return mpi_leave(me, MPI_SUCCESS);
}
