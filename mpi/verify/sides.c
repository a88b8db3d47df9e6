/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes on two sides: of a one-sided operation and an access to a file, where one call gives both, and
 * of a message. */
#include <stdio.h>

#include "mpi/datatype/datatype.h"
#include "mpi/io/file.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/shadow.h"

struct side {
	const struct mpi_datatype *type;
	MPI_Count count;
};

static struct side side_of(const struct mpi_verify_call *call, enum mpi_argument count,
			   enum mpi_argument type)
{
	MPI_Datatype handle = (MPI_Datatype)(uintptr_t)mpi_verify_value(call, type).p;

	return (struct side){mpi_datatype_get(call->me, handle), mpi_verify_value(call, count).i};
}

/* What is shorter is a beginning of what is longer. */
static bool fit(const struct side *a, const struct side *b)
{
	struct mpi_signature of_a, of_b;

	if (a->type == b->type)
		return true;
	of_a = mpi_signature_of(a->type, a->count);
	of_b = mpi_signature_of(b->type, b->count);
	if (of_a.is_packed || of_b.is_packed || mpi_signature_is_equal(of_a, of_b))
		return true;
	if (of_a.n < of_b.n)
		of_b = mpi_signature_prefix(b->type, b->count, of_a.n);
	else
		of_a = mpi_signature_prefix(a->type, a->count, of_b.n);
	return mpi_signature_is_equal(of_a, of_b);
}

static void compare(const struct mpi_verify_call *call, enum mpi_argument count,
		    enum mpi_argument type, const char *name)
{
	struct side mine = side_of(call, count, type);
	struct side theirs = side_of(call, MPI_ARG_TARGET_COUNT, MPI_ARG_TARGET_DATATYPE);

	if (mine.type && theirs.type && mine.count > 0 && theirs.count > 0 && !fit(&mine, &theirs))
		mpi_verify_report_here(call->me, "datatype-mismatch", MPI_FINDING_ERROR,
				       "the same basic datatypes at both sides, as for a message",
				       "data is lost, or what was not sent is taken for data",
				       "%s has other basic datatypes than target_datatype", name);
}

/*
 * The data are so many whole etypes, one after the other; an etype MPI_BYTE takes any (MPI 4.1,
 * §14.6.6). That the bytes are no whole etypes is the library's to say.
 */
static void compare_etype(const struct mpi_verify_call *call)
{
	int place = mpi_memory_parameter(call->function, PARAMETER_FILE);
	const struct mpi_file *file =
	    place < 0 ? NULL
		      : mpi_handle_object(call->me, KIND_FILE, (uintptr_t)call->values[place].p);
	struct side data = side_of(call, MPI_ARG_COUNT, MPI_ARG_DATATYPE);
	const struct mpi_datatype *etype = file ? file->view.etype : NULL;
	struct mpi_signature given, whole;

	if (!etype || !data.type || data.count <= 0 || data.type == etype ||
	    etype->basic == BASIC_BYTE || etype->n_elements == 0)
		return;
	given = mpi_signature_of(data.type, data.count);
	whole = mpi_signature_of(etype, (MPI_Count)given.n / etype->n_elements);
	if (!mpi_signature_is_equal(given, whole))
		mpi_verify_report_here(
		    call->me, "datatype-mismatch", MPI_FINDING_ERROR,
		    "the basic datatypes of etypes of the view, one after the other",
		    "what is written by one type and read by another is no data",
		    "the buffer has %llu basic elements, %lld B, of other datatypes than the "
		    "view's etype",
		    (unsigned long long)given.n, (long long)given.size_B);
}

void mpi_verify_sides(const struct mpi_verify_call *call)
{
	bool has_result;

	if (mpi_verify_has(call, MPI_ARG_BUF) && call->function->kind == MPI_CALL_MEMORY)
		compare_etype(call);
	if (!mpi_verify_has(call, MPI_ARG_ORIGIN_ADDR))
		return;
	has_result = mpi_verify_has(call, MPI_ARG_RESULT_ADDR);
	if (!has_result || mpi_verify_value(call, MPI_ARG_OP).p != MPI_NO_OP)
		compare(call, MPI_ARG_ORIGIN_COUNT, MPI_ARG_ORIGIN_DATATYPE, "origin_datatype");
	if (has_result)
		compare(call, MPI_ARG_RESULT_COUNT, MPI_ARG_RESULT_DATATYPE, "result_datatype");
}

/* --- messages --- */

static bool agree(const struct mpi_shadow_data *recv, const struct mpi_shadow_data *send,
		  struct mpi_signature sent)
{
	struct mpi_signature wanted = mpi_signature_of(recv->type, recv->count);

	if (wanted.is_packed || sent.is_packed || wanted.size_B < sent.size_B)
		return true; /* truncated: that is said when it comes */
	if (wanted.n > sent.n)
		wanted = mpi_signature_prefix(recv->type, recv->count, sent.n);
	return mpi_signature_is_equal(wanted, sent);
}

void mpi_shadow_compare(struct mpi_shadow *shadow, const struct mpi_shadow_data *recv,
			const struct mpi_shadow_data *send)
{
	struct mpi_signature sent;
	char text[256];

	if (recv->type == send->type) /* cut, if at all: that is said when it comes */
		return;
	if (!mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		return;
	sent = mpi_signature_of(send->type, send->count);
	if (agree(recv, send, sent))
		return;
	snprintf(
	    text, sizeof text,
	    "the message of %llu basic elements, %lld B, from rank %d has other datatypes than "
	    "the receive",
	    (unsigned long long)sent.n, (long long)sent.size_B, send->call.rank);
	mpi_verify_report(
	    shadow->world,
	    &(struct mpi_finding){
		.class_name = "datatype-mismatch",
		.severity = MPI_FINDING_ERROR,
		.calls = {recv->call, send->call},
		.n_calls = 2,
		.found = text,
		.wanted = "the same sequence of basic datatypes on both sides",
		.why = "data is converted wrongly, or not at all, where representations differ",
	    });
}
