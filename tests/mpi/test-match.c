/* SPDX-License-Identifier: BSD-3-Clause */
/* A matching policy other than the default: who gets which message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/match.h"

/* Three ranks of one communicator; messages of no bytes arrive at rank 0 by hand. */
struct fixture {
	struct net_cluster cluster;
	struct pd_world pd_world;
	struct mpi_world world;
	struct pd_rank pd[3];
	struct mpi_rank ranks[3];
	struct mpi_comm comm;
	struct mpi_datatype type;
	struct mpi_match_policy policy;
	int order[2],
	    n_taken; /* the policy: sources that wildcard receives have to take, in turn */
};

static bool accept_in_order(void *context, const struct mpi_request *recv,
			    const struct mpi_message *message)
{
	struct fixture *f = context;

	if (f->n_taken == 2 || message->source_rank != f->order[f->n_taken])
		return false;
	f->n_taken++;
	return true;
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
	f->policy = (struct mpi_match_policy){.context = f, .accept = accept_in_order};
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
	mpi_match_recv(recv);
	return recv;
}

static void arrive(struct fixture *f, int source)
{
	struct mpi_message *message = util_pool_get(&f->world.messages);

	assert_non_null(message);
	memset(message, 0, sizeof *message);
	message->source = &f->ranks[source];
	message->dest = &f->ranks[0];
	message->context = mpi_message_context(&f->comm, CHANNEL_P2P);
	message->source_rank = source;
	mpi_match_message(message);
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
static void a_policy_forces_the_choice_of_posted_wildcards(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_request *a, *b;

	f->world.policy = &f->policy;
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

static void a_policy_forces_the_choice_among_unexpected_messages(void **state)
{
	struct fixture *f = fixture_create();

	f->world.policy = &f->policy;
	arrive(f, 1);
	arrive(f, 2);
	assert_int_equal(taken(post(f, MPI_ANY_SOURCE)), 2);
	assert_int_equal(taken(post(f, MPI_ANY_SOURCE)), 1);
	fixture_destroy(f);
}

static void named_receives_are_none_of_the_policys_business(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_request *a;

	f->world.policy = &f->policy;
	a = post(f, 1);
	arrive(f, 1);
	assert_int_equal(taken(a), 1);
	assert_int_equal(f->n_taken, 0);
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_default_takes_what_arrives_first),
	    cmocka_unit_test(a_policy_forces_the_choice_of_posted_wildcards),
	    cmocka_unit_test(a_policy_forces_the_choice_among_unexpected_messages),
	    cmocka_unit_test(named_receives_are_none_of_the_policys_business),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
