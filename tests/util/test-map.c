/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/map.h"
#include "util/rng.h"

enum { N_KEYS = 700, N_STEPS = 200000, SEED = 7 };

/* Against an array by key. Keys are multiples of 2^20, of which only the high bits differ. */
static void every_key_is_found_until_it_is_removed(void **state)
{
	static char things[N_KEYS];
	bool is_there[N_KEYS] = {false};
	struct util_map map = {.n = 0};
	struct util_rng rng;
	size_t n = 0;

	util_rng_init(&rng, SEED, 0);
	for (int step = 0; step < N_STEPS; step++) {
		size_t i = util_rng_next(&rng) % N_KEYS;
		uint64_t key = (uint64_t)i << 20;
		struct util_map_slot *slot = util_map_find(&map, key);

		if (is_there[i]) {
			assert_non_null(slot);
			assert_ptr_equal(slot->item, &things[i]);
			util_map_remove(&map, key, &things[i]);
			n--;
		} else {
			assert_null(slot);
			assert_int_equal(util_map_put(&map, key, &things[i]), 0);
			n++;
		}
		is_there[i] = !is_there[i];
		assert_int_equal(map.n, n);
		assert_true(2 * map.n <= map.n_slots);
	}
	util_map_finish(&map);
	assert_null(util_map_find(&map, 0));
}

static bool is_text(const void *item, const void *wanted)
{
	return strcmp(item, wanted) == 0;
}

static void equal_keys_of_different_items_are_told_apart(void **state)
{
	char one[] = "one", two[] = "two";
	struct util_map map = {.n = 0};

	assert_null(util_map_find_equal(&map, 5, is_text, "one"));
	util_map_put(&map, 5, one);
	util_map_put(&map, 5, two);
	util_map_put(&map, 6, one);
	assert_ptr_equal(util_map_find_equal(&map, 5, is_text, "two"), two);
	util_map_remove(&map, 5, one);
	assert_null(util_map_find_equal(&map, 5, is_text, "one"));
	assert_ptr_equal(util_map_find_equal(&map, 5, is_text, "two"), two);
	assert_ptr_equal(util_map_find_equal(&map, 6, is_text, "one"), one);
	util_map_finish(&map);
}

static void numbers_are_kept_beside_keys(void **state)
{
	struct util_map map = {.n = 0};

	for (uint64_t key = 0; key < 1000; key++)
		util_map_add(&map, key)->number = key + 1;
	for (uint64_t key = 0; key < 1000; key++)
		assert_int_equal(util_map_find(&map, key)->number, key + 1);
	util_map_finish(&map);
}

/* The published values of FNV-1a for these texts. */
static void hashes_are_those_of_fnv(void **state)
{
	assert_true(util_hash("", 0, 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(util_hash("a", 1, 0) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(util_hash("foobar", 6, 0) == UINT64_C(0x85944171f73967e8));
	assert_true(util_hash("bar", 3, util_hash("foo", 3, 0)) == util_hash("foobar", 6, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_key_is_found_until_it_is_removed),
	    cmocka_unit_test(equal_keys_of_different_items_are_told_apart),
	    cmocka_unit_test(numbers_are_kept_beside_keys),
	    cmocka_unit_test(hashes_are_those_of_fnv),
	};

	print_message("seed %d\n", SEED);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
