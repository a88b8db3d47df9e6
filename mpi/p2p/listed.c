/* SPDX-License-Identifier: BSD-3-Clause */
/* Which requests of a list a call tells of, where that is chosen. */
#include "mpi/p2p/listed.h"

#include <stdio.h>

int mpi_listed_reserve(struct mpi_rank *me, struct mpi_request_list *list)
{
	list->requests = malloc((size_t)list->n * sizeof *list->requests);
	return list->requests
		   ? MPI_SUCCESS
		   : mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for %d requests", list->n);
}

static bool is_over(const struct mpi_request *request)
{
	return mpi_request_is_active(request) &&
	       (request->state == REQUEST_COMPLETE || request->state == REQUEST_ARRIVED);
}

static int count_any(struct mpi_rank *me, const struct mpi_question *question)
{
	const struct mpi_request_list *list = question->context;
	int n = 0;

	for (int i = 0; i < list->n; i++)
		n += is_over(list->requests[i]);
	return n;
}

/* Each one alone, or all together. */
static int count_some(struct mpi_rank *me, const struct mpi_question *question)
{
	int n = count_any(me, question);

	return n > 1 ? n + 1 : n;
}

static int count_all(struct mpi_rank *me, const struct mpi_question *question)
{
	const struct mpi_request_list *list = question->context;

	return count_any(me, question) == list->n_active;
}

static void describe_request(const struct mpi_request_list *list, int i, char *text, size_t size)
{
	const struct mpi_request *request = list->requests[i];
	int length = snprintf(text, size, "tells of request %d of %d", i, list->n);

	if (length < 0 || (size_t)length >= size)
		return;
	if (request->kind == REQUEST_RECV && request->message)
		snprintf(text + length, size - (size_t)length,
			 ", the receive of the message from rank %d with tag %d",
			 request->message->source->rank, request->message->tag);
	else if (request->kind == REQUEST_RECV || request->kind == REQUEST_SEND)
		snprintf(text + length, size - (size_t)length, ", the %s rank %d with tag %d",
			 request->kind == REQUEST_SEND ? "send to" : "receive from",
			 request->kind == REQUEST_SEND ? request->peer : request->status.MPI_SOURCE,
			 request->kind == REQUEST_SEND ? request->tag : request->status.MPI_TAG);
}

/* Of all three ways to count. */
static const struct mpi_message *describe(struct mpi_rank *me, const struct mpi_question *question,
					  int answer, char *text, size_t size)
{
	const struct mpi_request_list *list = question->context;
	int n = answer;

	if (question->count == count_all) {
		snprintf(text, size, "finds all %d complete", list->n_active);
		return NULL;
	}
	for (int i = 0; i < list->n; i++)
		if (is_over(list->requests[i]) && n-- == 0) {
			describe_request(list, i, text, size);
			return NULL;
		}
	snprintf(text, size, "tells of all %d that are complete", answer);
	return NULL;
}

/* The n-th of those that are complete, which it is then; -1: there are not so many. */
static int take_nth(struct mpi_rank *me, struct mpi_request_list *list, int n)
{
	for (int i = 0; i < list->n; i++)
		if (is_over(list->requests[i]) && n-- == 0) {
			mpi_requests_wait(me, 1, &list->requests[i], false);
			return i;
		}
	return -1;
}

/* Puts the question of a list; MPI_CHOOSE_NONE: of a poll that finds nothing. */
static int ask(struct mpi_rank *me, const struct mpi_request_list *list, enum mpi_choice_kind kind,
	       int (*count)(struct mpi_rank *me, const struct mpi_question *question))
{
	struct mpi_question question = {
	    .kind = kind, .count = count, .describe = describe, .context = list};

	return mpi_ask(me, &question);
}

bool mpi_listed_is_told_nothing(struct mpi_rank *me, const struct mpi_request_list *list)
{
	return mpi_asks(me) && list->n_active > 0 &&
	       ask(me, list, MPI_CHOICE_POLL, count_all) == MPI_CHOOSE_NONE;
}

int mpi_listed_choose_any(struct mpi_rank *me, struct mpi_request_list *list,
			  enum mpi_choice_kind kind)
{
	int n = ask(me, list, kind, count_any);

	return n == MPI_CHOOSE_NONE ? -1 : take_nth(me, list, n);
}

int mpi_listed_choose_some(struct mpi_rank *me, struct mpi_request_list *list,
			   enum mpi_choice_kind kind)
{
	int n = ask(me, list, kind, count_some), only = n == MPI_CHOOSE_NONE ? -2 : -1;

	if (n >= 0)
		only = take_nth(me, list, n);
	for (int i = 0; i < list->n && only == -1; i++)
		if (is_over(list->requests[i]))
			mpi_requests_wait(me, 1, &list->requests[i], false);
	return only;
}
