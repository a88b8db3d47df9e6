/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/list.h"

struct item {
	struct util_link link;
	char name;
};

/* Both ways. */
static void assert_items(const struct util_list *list, const char *names)
{
	size_t n = 0;
	const struct item *last = NULL;

	for (const struct item *item = list->first; item; item = item->link.next) {
		assert_int_equal(item->name, names[n++]);
		assert_ptr_equal(item->link.prev, last);
		last = item;
	}
	assert_int_equal(names[n], 0);
	assert_ptr_equal(list->last, last);
}

static void items_stand_where_they_were_put(void **state)
{
	struct item a = {.name = 'a'}, b = {.name = 'b'}, c = {.name = 'c'}, d = {.name = 'd'};
	struct util_list list = {.first = NULL};

	assert_items(&list, "");
	util_list_append(&list, &b);
	assert_items(&list, "b");
	util_list_prepend(&list, &a);
	util_list_append(&list, &d);
	util_list_insert(&list, &c, &b, &d);
	assert_items(&list, "abcd");
}

static void any_item_can_be_removed(void **state)
{
	struct item a = {.name = 'a'}, b = {.name = 'b'}, c = {.name = 'c'};
	struct util_list list = {.first = NULL};

	util_list_append(&list, &a);
	util_list_append(&list, &b);
	util_list_append(&list, &c);
	util_list_remove(&list, &b);
	assert_items(&list, "ac");
	util_list_remove(&list, &c);
	assert_items(&list, "a");
	util_list_append(&list, &b);
	assert_ptr_equal(util_list_pop(&list), &a);
	assert_ptr_equal(util_list_pop(&list), &b);
	assert_null(util_list_pop(&list));
	assert_items(&list, "");
}

static void an_array_has_room_for_what_comes(void **state)
{
	int *numbers = NULL;
	size_t n = 0;

	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 50 * round; i++) {
			assert_true(util_array_room(&numbers, n, sizeof *numbers));
			numbers[n] = (int)n;
			n++;
		}
		for (size_t i = 0; i < n; i++)
			assert_int_equal(numbers[i], i);
		n = n * 3 / 7;
	}
	assert_false(util_array_room(&numbers, SIZE_MAX / 2 + 1, sizeof *numbers));
	free(numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(items_stand_where_they_were_put),
	    cmocka_unit_test(any_item_can_be_removed),
	    cmocka_unit_test(an_array_has_room_for_what_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
