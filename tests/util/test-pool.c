/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/pool.h"

enum { N_OBJECTS = 5000 };

/* Sizes below, at and above the alignment; each object is filled with its number and none may
 * change another. */
static void live_objects_do_not_overlap_and_are_aligned(void **state)
{
	static const size_t sizes[] = {1, 8, 16, 17, 48, 1000, 40000};
	static unsigned char *objects[N_OBJECTS];

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t n = sizes[s] > 1000 ? 50 : N_OBJECTS;
		struct util_pool pool;

		util_pool_init(&pool, sizes[s]);
		for (size_t i = 0; i < n; i++) {
			objects[i] = util_pool_get(&pool);
			assert_non_null(objects[i]);
			assert_int_equal((uintptr_t)objects[i] % 16, 0);
			memset(objects[i], (int)(i % 251), sizes[s]);
		}
		assert_int_equal(pool.n_live, n);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(objects[i][0], i % 251);
			assert_int_equal(objects[i][sizes[s] - 1], i % 251);
		}
		util_pool_finish(&pool);
	}
}

static void the_object_put_last_is_got_next(void **state)
{
	struct util_pool pool;
	void *a, *b;

	util_pool_init(&pool, 24);
	a = util_pool_get(&pool);
	b = util_pool_get(&pool);
	util_pool_put(&pool, a);
	util_pool_put(&pool, b);
	assert_int_equal(pool.n_live, 0);
	assert_ptr_equal(util_pool_get(&pool), b);
	assert_ptr_equal(util_pool_get(&pool), a);
	assert_int_equal(pool.n_live, 2);
	util_pool_finish(&pool);
}

static void a_finished_pool_is_empty_and_usable(void **state)
{
	struct util_pool pool;

	util_pool_init(&pool, 24);
	util_pool_finish(&pool);
	assert_non_null(util_pool_get(&pool));
	util_pool_finish(&pool);
	assert_int_equal(pool.n_live, 0);
	assert_null(pool.chunks);
}

/* Chunks grow up to large pages: what is got over all of them is as large as it says. */
static void chunks_of_all_sizes_hold_what_they_say(void **state)
{
	enum { OBJECT_B = 1000, N_LARGE = 9000 };
	static char *objects[N_LARGE];
	struct util_pool pool;

	util_pool_init(&pool, OBJECT_B);
	for (int i = 0; i < N_LARGE; i++) {
		objects[i] = util_pool_get(&pool);
		assert_non_null(objects[i]);
		memcpy(objects[i], &i, sizeof i);
		memcpy(objects[i] + OBJECT_B - sizeof i, &i, sizeof i);
	}
	for (int i = 0; i < N_LARGE; i++) {
		assert_memory_equal(objects[i], &i, sizeof i);
		assert_memory_equal(objects[i] + OBJECT_B - sizeof i, &i, sizeof i);
	}
	util_pool_finish(&pool);
}

/* A chunk of 8 objects, each a quarter of the address space: the product does not fit. */
static void an_impossible_size_gives_null(void **state)
{
	struct util_pool pool;

	util_pool_init(&pool, SIZE_MAX / 4);
	assert_null(util_pool_get(&pool));
	assert_int_equal(pool.n_live, 0);
	util_pool_finish(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(live_objects_do_not_overlap_and_are_aligned),
	    cmocka_unit_test(the_object_put_last_is_got_next),
	    cmocka_unit_test(a_finished_pool_is_empty_and_usable),
	    cmocka_unit_test(chunks_of_all_sizes_hold_what_they_say),
	    cmocka_unit_test(an_impossible_size_gives_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
