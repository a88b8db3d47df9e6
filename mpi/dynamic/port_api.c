/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Open_port, MPI_Publish_name and their siblings. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/dynamic/port.h"

int mpi_open_port(struct mpi_rank *me, struct mpi_info *info, char *port_name)
{
	const char *name = mpi_port_open(me->world);

	if (!name)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a port");
	strcpy(port_name, name);
	return MPI_SUCCESS;
}

int mpi_close_port(struct mpi_rank *me, const char *port_name)
{
	return mpi_port_close(me->world, port_name)
		   ? MPI_SUCCESS
		   : mpi_raise(me, NULL, MPI_ERR_PORT, "there is no port \"%.80s\"", port_name);
}

int mpi_publish_name(struct mpi_rank *me, const char *service_name, struct mpi_info *info,
		     const char *port_name)
{
	int code = mpi_name_publish(me->world, service_name, port_name);

	if (code != MPI_SUCCESS)
		code = mpi_raise(me, NULL, code,
				 code == MPI_ERR_SERVICE ? "\"%.80s\" is published already"
							 : "out of memory for \"%.80s\"",
				 service_name);
	return code;
}

int mpi_unpublish_name(struct mpi_rank *me, const char *service_name, struct mpi_info *info,
		       const char *port_name)
{
	return mpi_name_unpublish(me->world, service_name)
		   ? MPI_SUCCESS
		   : mpi_raise(me, NULL, MPI_ERR_SERVICE, "\"%.80s\" is not published",
			       service_name);
}

int mpi_lookup_name(struct mpi_rank *me, const char *service_name, struct mpi_info *info,
		    char *port_name)
{
	const char *port = mpi_name_lookup(me->world, service_name);

	if (!port)
		return mpi_raise(me, NULL, MPI_ERR_NAME, "\"%.80s\" is not published",
				 service_name);
	strncpy(port_name, port, MPI_MAX_PORT_NAME - 1);
	port_name[MPI_MAX_PORT_NAME - 1] = '\0';
	return MPI_SUCCESS;
}
