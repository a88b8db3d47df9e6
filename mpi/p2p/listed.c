/* SPDX-License-Identifier: BSD-3-Clause */
/* Which requests of a list a call tells of, where that is chosen. */
#include "mpi/p2p/listed.h"

int mpi_listed_reserve(struct mpi_rank *me, struct mpi_request_list *list)
{
	list->requests = malloc((size_t)list->n * sizeof *list->requests);
	return list->requests
		   ? MPI_SUCCESS
		   : mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for %d requests", list->n);
}

static bool is_over(const struct mpi_request *request)
{
	return mpi_listed_is_active(request) &&
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
	struct mpi_question question = {.kind = kind, .count = count, .context = list};

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
