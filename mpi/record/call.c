/* SPDX-License-Identifier: BSD-3-Clause */
/* What the record of a call holds, by the table of functions: in the simulator and under a real MPI. */
#include "mpi/record/call.h"

#include <limits.h>
#include <string.h>

#define HANDLE(type, value) ((type)(uintptr_t)(value).p)

static union mpi_value value_at(const struct mpi_record_call *call, enum mpi_argument argument)
{
	return mpi_value_at(call->function, call->values, argument);
}

static bool has(const struct mpi_record_call *call, enum mpi_argument argument)
{
	return call->function->at[argument] > 0;
}

static MPI_Comm comm_of(const struct mpi_record_call *call)
{
	return HANDLE(MPI_Comm, value_at(call, MPI_ARG_COMM));
}

/* --- lengths of arrays --- */

int mpi_record_sum(int n, const int values[])
{
	int64_t sum = 0;

	for (int i = 0; i < n && values; i++)
		sum += values[i];
	return sum < 0 || sum > INT_MAX ? 0 : (int)sum;
}

static int parameter_of(const struct mpi_record_call *call, const char *name)
{
	int i = 0;

	while (strcmp(call->function->parameters[i].name, name) != 0)
		i++;
	return i;
}

static int n_edges(const struct mpi_record_call *call)
{
	const int *ends = value_at(call, MPI_ARG_INDX).p;
	int64_t n = call->values[parameter_of(call, "nnodes")].i;

	return n > 0 ? ends[n - 1] : 0;
}

static int length_of(const struct mpi_record_call *call, const struct mpi_parameter *p)
{
	switch (p->extent) {
	case EXTENT_PARAMETER:
		return (int)call->values[p->extent_from].i;
	case EXTENT_PEERS:
		return mpi_record_n_peers(call->me, comm_of(call));
	case EXTENT_SEND_PEERS:
		return value_at(call, MPI_ARG_SENDBUF).p == MPI_IN_PLACE
			   ? 0
			   : mpi_record_n_peers(call->me, comm_of(call));
	case EXTENT_ROOT_PEERS:
		return mpi_record_n_at_root(call->me, comm_of(call),
					    (int)value_at(call, MPI_ARG_ROOT).i);
	case EXTENT_MEMBERS:
		return mpi_record_n_members(call->me, comm_of(call));
	case EXTENT_IN_NEIGHBOURS:
	case EXTENT_OUT_NEIGHBOURS:
		return mpi_record_n_neighbours(call->me, comm_of(call),
					       p->extent == EXTENT_OUT_NEIGHBOURS);
	case EXTENT_DIMS:
		return mpi_record_n_dims(call->me, comm_of(call));
	case EXTENT_GRAPH_EDGES:
		return n_edges(call);
	case EXTENT_DEGREES:
		return mpi_record_sum((int)call->values[parameter_of(call, "n")].i,
				      call->values[parameter_of(call, "degrees")].p);
	default:
		return 0;
	}
}

/* --- what is known before the call --- */

static void put_array(struct mpi_record_call *call, const struct mpi_parameter *p,
		      const void *values)
{
	int n = length_of(call, p);

	n = values && n > 0 ? n : 0;
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mtrace_put_int(call->stream, p->is_wide ? ((const MPI_Count *)values)[i]
							: ((const int *)values)[i]);
}

static void put_types(struct mpi_record_call *call, const struct mpi_parameter *p,
		      const MPI_Datatype types[])
{
	int n = types ? length_of(call, p) : 0;

	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mpi_record_type(call, types[i]);
}

static void put_request(struct mpi_record_call *call, const struct mpi_parameter *p,
			union mpi_value value)
{
	const MPI_Request *place = value.p;

	if (!p->is_place)
		mpi_record_request(call, HANDLE(MPI_Request, value));
	else if (!call->function->ends_requests)
		mpi_record_request(call, place ? *place : MPI_REQUEST_NULL);
	else if (place)
		mpi_record_listed(call, 0);
	else
		mtrace_put_uint(call->stream, 0);
}

static void put_place(struct mpi_record_call *call, char letter, const void *place)
{
	if (letter == 'F')
		mpi_record_comm(call, place ? *(const MPI_Comm *)place : MPI_COMM_NULL);
	else if (letter == 'U')
		mpi_record_win(call, place ? *(const MPI_Win *)place : MPI_WIN_NULL);
	else
		mpi_record_message(call, place ? *(const MPI_Message *)place : MPI_MESSAGE_NULL);
}

/* The letters are those of mtrace/format.h. */
static void put_handle(struct mpi_record_call *call, char letter, const struct mpi_parameter *p,
		       union mpi_value value)
{
	switch (letter) {
	case 't':
		mpi_record_type(call, HANDLE(MPI_Datatype, value));
		break;
	case 'o':
		mpi_record_op(call, HANDLE(MPI_Op, value));
		break;
	case 'c':
		mpi_record_comm(call, HANDLE(MPI_Comm, value));
		break;
	case 'g':
		mpi_record_group(call, HANDLE(MPI_Group, value));
		break;
	case 'v':
		mpi_record_win(call, HANDLE(MPI_Win, value));
		break;
	case 'r':
		put_request(call, p, value);
		break;
	case 's':
		mpi_record_session(call, p, value);
		break;
	default:
		put_place(call, letter, value.p);
	}
}

static void put(struct mpi_record_call *call, char letter, int place)
{
	const struct mpi_parameter *p = &call->function->parameters[place];
	const union mpi_value value = call->values[place];

	switch (letter) {
	case 'b':
		mpi_record_buffer(call, value.p);
		break;
	case 'i':
	case 'd':
		mpi_record_int(call, p, value.i);
		break;
	case 'w':
		mpi_record_source(call, (int)value.i, comm_of(call));
		break;
	case 'a':
		put_array(call, p, value.p);
		break;
	case 'T':
		put_types(call, p, value.p);
		break;
	case 'q':
		mpi_record_requests(call, length_of(call, p), value.p);
		break;
	case 'n':
		mtrace_put_uint(call->stream,
				mtrace_writer_string(call->stream->writer, value.p ? value.p : ""));
		break;
	default:
		put_handle(call, letter, p, value);
	}
}

/* Definitions of datatypes come before the record. */
static void define_types(struct mpi_record_call *call)
{
	const struct mpi_call_info *f = call->function;

	for (int i = 0; i < f->n_known; i++) {
		const struct mpi_parameter *p = &f->parameters[f->recorded[i]];
		const union mpi_value value = call->values[f->recorded[i]];
		const MPI_Datatype *types = value.p;
		int n = f->signature[i] == 'T' && types ? length_of(call, p) : 0;

		if (f->signature[i] == 't')
			mpi_record_define(call, HANDLE(MPI_Datatype, value));
		for (int k = 0; k < n; k++)
			mpi_record_define(call, types[k]);
	}
}

/* Where the program wants no status of what a wildcard or a request got, the recorder does. */
static void keep_statuses(struct mpi_record_call *call)
{
	const struct mpi_call_info *f = call->function;
	int one = f->at[MPI_ARG_STATUS] - 1, all = f->at[MPI_ARG_ARRAY_OF_STATUSES] - 1;

	if (!f->ends_requests && !f->has_wildcard)
		return;
	if (one >= 0 && call->values[one].p == MPI_STATUS_IGNORE)
		call->values[one].p = &call->own;
	if (all >= 0)
		call->values[all].p =
		    mpi_record_statuses(call, (MPI_Status *)(uintptr_t)call->values[all].p);
}

static int n_requests(const struct mpi_record_call *call)
{
	if (!has(call, MPI_ARG_ARRAY_OF_REQUESTS))
		return value_at(call, MPI_ARG_REQUEST).p ? 1 : 0;
	return (int)value_at(call, has(call, MPI_ARG_INCOUNT) ? MPI_ARG_INCOUNT : MPI_ARG_COUNT).i;
}

static const MPI_Request *requests_of(const struct mpi_record_call *call)
{
	return value_at(call, has(call, MPI_ARG_ARRAY_OF_REQUESTS) ? MPI_ARG_ARRAY_OF_REQUESTS
								   : MPI_ARG_REQUEST)
	    .p;
}

static void doubt_before(struct mpi_record_call *call)
{
	int doubt = call->function->doubt;

	if (doubt == MTRACE_DOUBT_TEST || doubt == MTRACE_DOUBT_PROBE ||
	    (doubt == MTRACE_DOUBT_ANY && mpi_record_n_listed(call, n_requests(call)) > 1))
		mpi_record_doubt(call, (enum mtrace_doubt)doubt);
}

void mpi_record_before(struct mpi_record_call *call)
{
	const struct mpi_call_info *f = call->function;

	if (f->has_types)
		define_types(call);
	if (f->ends_requests)
		mpi_record_list(call, n_requests(call), requests_of(call));
	mpi_record_open(call);
	for (int i = 0; i < f->n_known; i++)
		put(call, f->signature[i], f->recorded[i]);
	if (f->doubt >= 0)
		doubt_before(call);
	keep_statuses(call);
}

/* --- what the call gave --- */

/* Requests that are complete: those of the list of indices, the one of the index, or all. */
static void end_requests(struct mpi_record_call *call, const int *flag, const int *index)
{
	static const MPI_Status unknown = {.MPI_SOURCE = MPI_ANY_SOURCE};
	const MPI_Request *requests = requests_of(call);
	const MPI_Status *statuses = value_at(call, MPI_ARG_STATUS).p;
	int n = n_requests(call);

	if (has(call, MPI_ARG_ARRAY_OF_STATUSES))
		statuses = value_at(call, MPI_ARG_ARRAY_OF_STATUSES).p;
	if (!statuses) /* MPI_Request_free */
		statuses = &unknown;
	if (!requests || (has(call, MPI_ARG_FLAG) && !(flag && *flag)))
		return;
	if (!has(call, MPI_ARG_INDX))
		for (int i = 0; i < n; i++)
			mpi_record_done(call, i, requests[i], &statuses[i]);
	else if (index && *index >= 0 && *index < n)
		mpi_record_done(call, *index, requests[*index], statuses);
}

/* A flag, or the index of a request. */
static void put_found(struct mpi_record_call *call, int code)
{
	const int *flag = value_at(call, MPI_ARG_FLAG).p, *index = value_at(call, MPI_ARG_INDX).p;
	bool ends = call->function->ends_requests, is_said = ends || code == MPI_SUCCESS;
	bool is_found = is_said && flag && *flag;

	if (ends)
		end_requests(call, flag, index);
	if (!has(call, MPI_ARG_INDX))
		mtrace_put_int(call->stream, is_found ? *flag : 0);
	else if (has(call, MPI_ARG_FLAG) && !is_found && ends)
		mtrace_put_int(call->stream, -1);
	else
		mpi_record_index(
		    call, index && (is_found || !has(call, MPI_ARG_FLAG)) ? *index : MPI_UNDEFINED);
}

static void put_indices(struct mpi_record_call *call, int code)
{
	const int *given = value_at(call, MPI_ARG_OUTCOUNT).p;
	const int *indices = value_at(call, MPI_ARG_ARRAY_OF_INDICES).p;
	const MPI_Status *statuses = value_at(call, MPI_ARG_ARRAY_OF_STATUSES).p;
	bool ends = call->function->ends_requests;
	int n = given && indices && (ends || code == MPI_SUCCESS) ? *given : 0;

	n = n == MPI_UNDEFINED ? 0 : n;
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++) {
		mtrace_put_uint(call->stream, (uint64_t)indices[i]);
		if (ends)
			mpi_record_done(call, indices[i], requests_of(call)[indices[i]],
					&statuses[i]);
	}
}

static void note_given(struct mpi_record_call *call, char letter, int place, int code)
{
	const struct mpi_parameter *p = &call->function->parameters[place];
	const void *value = call->values[place].p;

	switch (letter) {
	case 'R':
		mpi_record_new_request(call, value, code);
		break;
	case 'C':
		mpi_record_new_comm(call, value, code);
		break;
	case 'M':
		mpi_record_new_message(call, value, code);
		break;
	case 'V':
		mpi_record_new_win(call, value, code);
		break;
	case 'F':
		mpi_record_freed_comm(call, value);
		break;
	case 'U':
		mpi_record_freed_win(call, value);
		break;
	case 'm':
		mpi_record_taken_message(call, value);
		break;
	case 'N':
	case 'P':
		mpi_record_processes(call, letter, value, code);
		break;
	case 'S':
	case 's':
		mpi_record_given_session(call, p, value, code);
		break;
	default:
		break;
	}
}

static void doubt_after(struct mpi_record_call *call)
{
	int doubt = call->function->doubt;

	if (doubt == MTRACE_DOUBT_FETCH)
		mpi_record_fetches(call, HANDLE(MPI_Win, value_at(call, MPI_ARG_WIN)));
	else if (doubt == MTRACE_DOUBT_CLOCK || doubt == MTRACE_DOUBT_PLACE ||
		 doubt == MTRACE_DOUBT_POINTER)
		mpi_record_doubt(call, (enum mtrace_doubt)doubt);
}

static void note_all_given(struct mpi_record_call *call, int code)
{
	const struct mpi_call_info *f = call->function;
	const int *flag = value_at(call, MPI_ARG_FLAG).p;
	bool is_found = !has(call, MPI_ARG_FLAG) || (flag && *flag);

	if (f->ends_requests &&
	    !f->signature[f->n_known]) /* MPI_Wait, MPI_Waitall, MPI_Request_free */
		end_requests(call, NULL, NULL);
	for (int i = 0; f->signature[i]; i++) {
		char letter = f->signature[i];

		if (letter == 'x')
			put_found(call, code);
		else if (letter == 'X')
			put_indices(call, code);
		else if (i > f->n_known && letter >= 'a') /* of probes */
			put(call, letter, f->recorded[i]);
		else
			note_given(call, letter, f->recorded[i], is_found ? code : MPI_ERR_OTHER);
	}
}

void mpi_record_after(struct mpi_record_call *call, int code)
{
	const struct mpi_call_info *f = call->function;
	const MPI_Status *status = value_at(call, MPI_ARG_STATUS).p;
	const int *flag = value_at(call, MPI_ARG_FLAG).p;

	if (f->gives || f->ends_requests)
		note_all_given(call, code);
	if (f->has_wildcard && status && (!has(call, MPI_ARG_FLAG) || (flag && *flag)))
		mpi_record_matched(call, status, code);
	if (f->doubt >= 0)
		doubt_after(call);
}
