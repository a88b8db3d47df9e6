/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simcore/observer.h"

/* A listener that notes what it is told, and whose tokens are its own address and a number. */
struct listener {
	struct sim_causes causes;
	char messages[3];
	int n_messages, n_matched, n_ended;
	int64_t mark, posted, known;
	void *token, *other;
};

static void *message_begin(void *context, const struct sim_cause_message *message, sim_time_ps now)
{
	struct listener *me = context;

	return &me->messages[me->n_messages++];
}

static void matched(void *context, void *token, int rank, int64_t posted, sim_time_ps now)
{
	struct listener *me = context;

	me->token = token;
	me->posted = posted;
	me->n_matched++;
}

static void follow(void *context, void *token, void *other, sim_time_ps now)
{
	struct listener *me = context;

	me->token = token;
	me->other = other;
}

static int64_t released(void *context, void *token, int rank, sim_time_ps now)
{
	struct listener *me = context;

	return me->mark;
}

static void message_end(void *context, void *token)
{
	struct listener *me = context;

	me->token = token;
	me->n_ended++;
}

static int64_t mark(void *context, int rank, sim_time_ps now)
{
	struct listener *me = context;

	return me->mark;
}

static void taken(void *context, int rank, int64_t known, sim_time_ps now)
{
	struct listener *me = context;

	me->known = known;
}

static void listen(struct sim_observers *to, struct listener *listener, struct sim_causes causes)
{
	*listener = (struct listener){.causes = causes};
	listener->causes.context = listener;
	sim_observers_add(to, &(struct sim_observer){.causes = &listener->causes});
}

static const struct sim_cause_message a_message = {.dest = 1};

static void one_that_wants_all_is_told_directly(void **state)
{
	struct sim_observers to = {.n = 0}, copy = {.n = 0}, of_part = {.n = 0};
	struct listener part, listener;

	listen(&of_part, &part, (struct sim_causes){.mark = mark});
	assert_ptr_not_equal(of_part.causes, &part.causes); /* has all members */
	listen(&to, &listener, *of_part.causes);
	assert_ptr_equal(to.causes, &listener.causes);
	sim_observers_copy(&copy, &to);
	assert_ptr_equal(copy.causes, &listener.causes);
}

static void several_are_told_of_their_own_tokens(void **state)
{
	struct sim_observers to = {.n = 0}, copy = {.n = 0};
	struct listener first, second;
	void *a, *b;

	listen(&to, &first,
	       (struct sim_causes){.message_begin = message_begin,
				   .matched = matched,
				   .follow = follow,
				   .message_end = message_end});
	listen(&to, &second,
	       (struct sim_causes){.message_begin = message_begin,
				   .matched = matched,
				   .follow = follow,
				   .message_end = message_end});
	sim_observers_copy(&copy, &to);
	assert_ptr_not_equal(copy.causes, to.causes);
	assert_ptr_equal(copy.causes->context, &copy.fan);
	a = copy.causes->message_begin(copy.causes->context, &a_message, 1);
	b = copy.causes->message_begin(copy.causes->context, &a_message, 2);
	copy.causes->matched(copy.causes->context, b, 1, 7, 3);
	assert_ptr_equal(first.token, &first.messages[1]);
	assert_ptr_equal(second.token, &second.messages[1]);
	assert_int_equal(second.posted, 7);
	copy.causes->follow(copy.causes->context, a, b, 4);
	assert_ptr_equal(second.token, &second.messages[0]);
	assert_ptr_equal(second.other, &second.messages[1]);
	copy.causes->message_end(copy.causes->context, a);
	copy.causes->message_end(copy.causes->context, b);
	assert_int_equal(first.n_ended, 2);
	assert_int_equal(second.n_ended, 2);
}

static void what_is_left_out_is_not_told(void **state)
{
	struct sim_observers to = {.n = 0};
	struct listener ends, matches;
	void *token;

	listen(&to, &ends,
	       (struct sim_causes){.message_begin = message_begin, .message_end = message_end});
	listen(&to, &matches, (struct sim_causes){.matched = matched}); /* has no tokens */
	token = to.causes->message_begin(to.causes->context, &a_message, 1);
	to.causes->matched(to.causes->context, token, 1, 0, 2);
	to.causes->transfer_begin(to.causes->context, token, 1, 0, 2);
	to.causes->block(to.causes->context, 1);
	to.causes->message_end(to.causes->context, token);
	assert_int_equal(matches.n_matched, 0);
	assert_int_equal(ends.n_ended, 1);
}

static void marks_are_those_of_the_first_that_has_them(void **state)
{
	struct sim_observers to = {.n = 0};
	struct listener without, first, second;
	const struct sim_causes marking = {.message_begin = message_begin,
					   .released = released,
					   .message_end = message_end,
					   .mark = mark,
					   .taken = taken};
	void *token;

	listen(&to, &without,
	       (struct sim_causes){.message_begin = message_begin, .released = released});
	assert_int_equal(to.causes->mark(to.causes->context, 0, 1), 0);
	listen(&to, &first, marking);
	listen(&to, &second, marking);
	without.mark = 1;
	first.mark = 2;
	second.mark = 3;
	token = to.causes->message_begin(to.causes->context, &a_message, 1);
	assert_int_equal(to.causes->mark(to.causes->context, 0, 1), 2);
	assert_int_equal(to.causes->released(to.causes->context, token, 0, 1), 2);
	to.causes->taken(to.causes->context, 0, 2, 1);
	assert_int_equal(first.known, 2);
	assert_int_equal(second.known, 2);
	to.causes->message_end(to.causes->context, token);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_that_wants_all_is_told_directly),
	    cmocka_unit_test(several_are_told_of_their_own_tokens),
	    cmocka_unit_test(what_is_left_out_is_not_told),
	    cmocka_unit_test(marks_are_those_of_the_first_that_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
