/* SPDX-License-Identifier: BSD-3-Clause */
/* Matching where a hook chooses who gets which message, and deep queues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/p2p/choose.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/pair.h"
#include "util/rng.h"

/* Three ranks of one communicator; messages of no bytes arrive at rank 0 by hand. */
struct fixture {
	struct cluster cluster;
	struct pd_world pd_world;
	struct mpi_world world;
	struct pd_rank pd[3];
	struct mpi_rank ranks[3];
	struct mpi_comm comm;
	struct mpi_datatype type;
	struct mpi_choice choice;
	int order[2], n_taken; /* sources that wildcard receives have to take, in turn */
};

static int choose_in_order(void *context, struct mpi_rank *me, enum mpi_choice_kind kind, int n,
			   const struct mpi_candidate candidates[])
{
	struct fixture *f = context;

	for (int i = 0; i < n && f->n_taken < 2; i++)
		if (candidates[i].message->source_rank == f->order[f->n_taken]) {
			f->n_taken++;
			return i;
		}
	return MPI_CHOOSE_NONE;
}

static struct fixture *fixture_create(void)
{
	struct fixture *f = calloc(1, sizeof *f);

	assert_non_null(f);
	f->pd_world.cluster = &f->cluster;
	f->world.pd = &f->pd_world;
	f->world.ranks = f->ranks;
	f->world.n_ranks = 3;
	assert_int_equal(mpi_handle_table_create(&f->world.handles), 0);
	assert_int_equal(mpi_p2p_create(&f->world), 0);
	f->comm = (struct mpi_comm){.n_references = 100, .context = 7, .size = 3};
	f->type = (struct mpi_datatype){.n_references = 100, .is_contiguous = true, .size_B = 1};
	for (int i = 0; i < 3; i++) {
		f->pd[i].world = &f->pd_world;
		f->ranks[i] = (struct mpi_rank){.world = &f->world, .rank = i, .pd = &f->pd[i]};
		assert_int_equal(mpi_endpoint_create(&f->ranks[i]), 0);
	}
	f->order[0] = 2;
	f->order[1] = 1;
	f->choice = (struct mpi_choice){.context = f, .choose = choose_in_order};
	return f;
}

static void fixture_destroy(struct fixture *f)
{
	mpi_p2p_destroy(&f->world);
	mpi_handle_table_destroy(f->world.handles);
	free(f);
}

static struct mpi_request *post(struct fixture *f, int source)
{
	struct mpi_request *recv = mpi_request_create(&f->ranks[0], REQUEST_RECV);

	recv->comm = &f->comm;
	recv->type = &f->type;
	recv->peer = source;
	recv->tag = MPI_ANY_TAG;
	mpi_match_recv(&f->ranks[0], recv);
	return recv;
}

/* `size_B` bytes that nobody has written. */
static void arrive_with(struct fixture *f, int source, int tag, int64_t size_B)
{
	struct mpi_message *message = util_pool_get(mpi_message_pool(&f->world, size_B));

	assert_non_null(message);
	memset(message, 0, offsetof(struct mpi_message, inline_data));
	message->source = &f->ranks[source];
	message->dest = &f->ranks[0];
	message->context = mpi_message_context(&f->comm, CHANNEL_P2P);
	message->source_rank = source;
	message->tag = tag;
	message->size_B = size_B;
	assert_false(mpi_pair_append(message->source, message));
	mpi_message_envelope_arrived(&message->transfer);
}

static void arrive(struct fixture *f, int source)
{
	arrive_with(f, source, 0, 0);
}

static int taken(const struct mpi_request *recv)
{
	return recv->state == REQUEST_COMPLETE ? recv->status.MPI_SOURCE : -1;
}

static void the_default_takes_what_arrives_first(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_request *a = post(f, MPI_ANY_SOURCE), *b = post(f, MPI_ANY_SOURCE);

	arrive(f, 1);
	arrive(f, 2);
	assert_int_equal(taken(a), 1);
	assert_int_equal(taken(b), 2);
	fixture_destroy(f);
}

/* 1 arrives first and is refused; 2 goes to the first receive, and then 1, offered again, to the
 * second. */
static void a_hook_chooses_for_posted_wildcards(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_request *a, *b;

	mpi_choose_by(&f->world, &f->choice);
	a = post(f, MPI_ANY_SOURCE);
	b = post(f, MPI_ANY_SOURCE);
	arrive(f, 1);
	assert_int_equal(taken(a), -1);
	assert_int_equal(taken(b), -1);
	arrive(f, 2);
	assert_int_equal(taken(a), 2);
	assert_int_equal(taken(b), 1);
	fixture_destroy(f);
}

static void a_hook_chooses_among_unexpected_messages(void **state)
{
	struct fixture *f = fixture_create();

	mpi_choose_by(&f->world, &f->choice);
	arrive(f, 1);
	arrive(f, 2);
	assert_int_equal(taken(post(f, MPI_ANY_SOURCE)), 2);
	assert_int_equal(taken(post(f, MPI_ANY_SOURCE)), 1);
	fixture_destroy(f);
}

static void named_receives_are_none_of_the_hooks_business(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_request *a;

	mpi_choose_by(&f->world, &f->choice);
	a = post(f, 1);
	arrive(f, 1);
	assert_int_equal(taken(a), 1);
	assert_int_equal(f->n_taken, 0);
	fixture_destroy(f);
}

/* The wildcard was posted first and fits: the named receive waits, although its message is here. */
static void a_named_receive_does_not_overtake_a_wildcard(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_request *wild, *named;

	mpi_choose_by(&f->world, &f->choice);
	wild = post(f, MPI_ANY_SOURCE);
	named = post(f, 1);
	arrive(f, 1);
	assert_int_equal(taken(named), -1);
	arrive(f, 2); /* whom the wildcard takes: 1 is free now */
	assert_int_equal(taken(wild), 2);
	assert_int_equal(taken(named), 1);
	fixture_destroy(f);
}

/* Without a hook all follows the cluster file's threshold; strict: nothing, loose: everything. */
static void standard_sends_buffer_as_the_view_says(void **state)
{
	struct fixture *f = fixture_create();

	f->cluster.protocol.eager_threshold_B = 100;
	mpi_buffering_set(&f->world, MPI_BUFFERS_SMALL);
	assert_true(mpi_match_buffers(&f->ranks[0], 100));
	assert_false(mpi_match_buffers(&f->ranks[0], 101));
	mpi_buffering_set(&f->world, MPI_BUFFERS_NONE);
	assert_false(mpi_match_buffers(&f->ranks[0], 0));
	mpi_buffering_set(&f->world, MPI_BUFFERS_ALL);
	assert_true(mpi_match_buffers(&f->ranks[0], INT64_MAX));
	fixture_destroy(f);
}

/*
 * The naive model: two lists in order, walked from the front. Messages are told apart by their size:
 * the k-th has k bytes. Receives and messages come in bursts, so that both queues get deep and empty
 * again; every other time one of 8 receives has wildcards.
 */
enum { N_STEPS = 20000, N_TAGS = 40, BURST = 200 };

struct waiting {
	struct mpi_request *recv; /* or a message of size_B */
	int source, tag;
	int64_t size_B;
	bool is_gone;
};

static bool naive_fits(const struct waiting *recv, const struct waiting *message)
{
	return (recv->source == MPI_ANY_SOURCE || recv->source == message->source) &&
	       (recv->tag == MPI_ANY_TAG || recv->tag == message->tag);
}

static struct waiting *naive_first(struct waiting list[], int n, const struct waiting *other,
				   bool list_is_of_receives)
{
	for (int i = 0; i < n; i++)
		if (!list[i].is_gone && (list_is_of_receives ? naive_fits(&list[i], other)
							     : naive_fits(other, &list[i])))
			return &list[i];
	return NULL;
}

static void check_taken(struct fixture *f, struct mpi_request *recv, int64_t size_B)
{
	assert_int_equal(recv->state, REQUEST_COMPLETE);
	assert_int_equal(mpi_status_bytes(&recv->status), size_B);
	mpi_request_destroy(&f->ranks[0], recv);
}

static void step_message(struct fixture *f, struct waiting posted[], int n_posted,
			 struct waiting messages[], int *n_messages, struct waiting w)
{
	struct waiting *first = naive_first(posted, n_posted, &w, true);

	arrive_with(f, w.source, w.tag, w.size_B);
	if (!first) {
		messages[(*n_messages)++] = w;
		return;
	}
	first->is_gone = true;
	check_taken(f, first->recv, w.size_B);
}

static void step_recv(struct fixture *f, struct waiting posted[], int *n_posted,
		      struct waiting messages[], int n_messages, struct waiting w)
{
	struct waiting *first = naive_first(messages, n_messages, &w, false);

	w.recv = mpi_request_create(&f->ranks[0], REQUEST_RECV);
	w.recv->comm = &f->comm;
	w.recv->type = &f->type;
	w.recv->count = 2 * N_STEPS;
	w.recv->peer = w.source;
	w.recv->tag = w.tag;
	mpi_comm_retain(&f->comm);
	mpi_datatype_retain(&f->type);
	mpi_match_recv(&f->ranks[0], w.recv);
	if (!first) {
		assert_int_equal(w.recv->state, REQUEST_PENDING);
		posted[(*n_posted)++] = w;
		return;
	}
	first->is_gone = true;
	check_taken(f, w.recv, first->size_B);
}

static void deep_queues_match_as_lists_do(void **state)
{
	static struct waiting posted[N_STEPS], messages[N_STEPS];
	struct fixture *f = fixture_create();
	int n_posted = 0, n_messages = 0, deepest_posted = 0, deepest_unexpected = 0;
	const struct mpi_endpoint *endpoint = f->ranks[0].endpoint;
	struct util_rng rng;

	util_rng_init(&rng, 20240607, 0);
	for (int step = 0; step < N_STEPS; step++) {
		uint64_t r = util_rng_next(&rng);
		struct waiting w = {
		    .source = (int)(r % 3), .tag = (int)(r / 3 % N_TAGS), .size_B = step + 1};

		if (step / BURST % 4 == 1 || step / BURST % 4 == 2) {
			step_message(f, posted, n_posted, messages, &n_messages, w);
		} else {
			bool may_be_wild = step / BURST / 4 % 2;

			if (may_be_wild && (r >> 32 & 15) == 0)
				w.source = MPI_ANY_SOURCE;
			if (may_be_wild && (r >> 36 & 15) == 0)
				w.tag = MPI_ANY_TAG;
			step_recv(f, posted, &n_posted, messages, n_messages, w);
		}
		if (endpoint->posted_index.last && endpoint->n_posted > deepest_posted)
			deepest_posted = endpoint->n_posted;
		if (endpoint->unexpected_index.last && endpoint->n_unexpected > deepest_unexpected)
			deepest_unexpected = endpoint->n_unexpected;
	}
	assert_true(deepest_posted > 100 && deepest_unexpected > 100);
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_default_takes_what_arrives_first),
	    cmocka_unit_test(a_hook_chooses_for_posted_wildcards),
	    cmocka_unit_test(a_hook_chooses_among_unexpected_messages),
	    cmocka_unit_test(named_receives_are_none_of_the_hooks_business),
	    cmocka_unit_test(a_named_receive_does_not_overtake_a_wildcard),
	    cmocka_unit_test(standard_sends_buffer_as_the_view_says),
	    cmocka_unit_test(deep_queues_match_as_lists_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
