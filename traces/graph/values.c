/* SPDX-License-Identifier: BSD-3-Clause */
#include "traces/graph/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/datatype/datatype.h"
#include "mpi/op/op.h"

const char *trace_value_peer(int64_t value)
{
	return value == MPI_ANY_SOURCE	? "MPI_ANY_SOURCE"
	       : value == MPI_PROC_NULL ? "MPI_PROC_NULL"
	       : value == MPI_ROOT	? "MPI_ROOT"
					: NULL;
}

const char *trace_value_tag(int64_t value)
{
	return value == MPI_ANY_TAG ? "MPI_ANY_TAG" : NULL;
}

static const char *op_name(MPI_Op op)
{
	const struct {
		MPI_Op op;
		const char *name;
	} all[] = {
	    {MPI_SUM, "MPI_SUM"},     {MPI_MAX, "MPI_MAX"},	    {MPI_MIN, "MPI_MIN"},
	    {MPI_PROD, "MPI_PROD"},   {MPI_LAND, "MPI_LAND"},	    {MPI_BAND, "MPI_BAND"},
	    {MPI_LOR, "MPI_LOR"},     {MPI_BOR, "MPI_BOR"},	    {MPI_LXOR, "MPI_LXOR"},
	    {MPI_BXOR, "MPI_BXOR"},   {MPI_MAXLOC, "MPI_MAXLOC"},   {MPI_MINLOC, "MPI_MINLOC"},
	    {MPI_NO_OP, "MPI_NO_OP"}, {MPI_REPLACE, "MPI_REPLACE"}, {MPI_OP_NULL, "MPI_OP_NULL"},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].op == op)
			return all[i].name;
	return "user-defined";
}

static void type_text(const struct mpi_rank *me, MPI_Datatype handle, char *text, size_t size)
{
	const struct mpi_datatype *type = mpi_datatype_get(me, handle);

	if (!type)
		snprintf(text, size, "no datatype");
	else if (type->name && type->name[0])
		snprintf(text, size, "%s", type->name);
	else
		snprintf(text, size, "derived of %lld B", (long long)type->size_B);
}

static void comm_text(const struct mpi_rank *me, MPI_Comm handle, char *text, size_t size)
{
	const struct mpi_comm *comm = mpi_comm_get(me, handle);

	if (!comm)
		snprintf(text, size, "MPI_COMM_NULL");
	else if (comm->name && comm->name[0])
		snprintf(text, size, "%s", comm->name);
	else
		snprintf(text, size, "communicator %u", comm->context);
}

static void number_text(const char *name, int64_t value, char *text, size_t size)
{
	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%" PRId64, value);
}

char *trace_value_text(const struct mpi_watch_call *call, int i, char *text, size_t size)
{
	const union mpi_value value = call->values[i];

	text[0] = '\0';
	switch (mpi_value_kind(&call->function->parameters[i])) {
	case PARAMETER_INT:
	case PARAMETER_COUNT:
		number_text(NULL, value.i, text, size);
		break;
	case PARAMETER_RANK:
	case PARAMETER_ROOT:
		number_text(trace_value_peer(value.i), value.i, text, size);
		break;
	case PARAMETER_TAG:
		number_text(trace_value_tag(value.i), value.i, text, size);
		break;
	case PARAMETER_COMM:
		comm_text(call->me, (MPI_Comm)value.p, text, size);
		break;
	case PARAMETER_DATATYPE:
		type_text(call->me, (MPI_Datatype)value.p, text, size);
		break;
	case PARAMETER_OP:
		snprintf(text, size, "%s", op_name((MPI_Op)value.p));
		break;
	case PARAMETER_TEXT:
		snprintf(text, size, "%s", value.p ? (const char *)value.p : "");
		break;
	default:
		break;
	}
	return text;
}

char *trace_values_text(const struct mpi_watch_call *call, char *text, size_t size)
{
	size_t length = 0;
	char value[256];

	text[0] = '\0';
	for (int i = 0; i < call->function->n_parameters; i++)
		if (trace_value_text(call, i, value, sizeof value)[0] && length < size)
			length += (size_t)snprintf(text + length, size - length, "%s%s %s",
						   length ? ", " : "",
						   call->function->parameters[i].name, value);
	return text;
}
