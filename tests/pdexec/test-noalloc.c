/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "pdexec/noalloc.h"
#include "pdexec/rank.h"

static struct pd_noalloc *begin(void)
{
	struct pd_noalloc *noalloc = NULL;
	struct util_error err;

	assert_int_equal(pd_noalloc_create(&noalloc, &err), 0);
	return noalloc;
}

static void buffers_are_absent_from_first_to_last_byte_and_do_not_overlap(void **state)
{
	struct pd_noalloc *noalloc = begin();
	/* 5000 takes the next power of two, 8192; one GiB and one byte takes two GiB */
	const size_t sizes[] = {0, 1, 4096, 5000, 5000, ((size_t)1 << 30) + 1, (size_t)1 << 38};
	char *buffers[7];

	for (int i = 0; i < 7; i++) {
		buffers[i] = pd_noalloc_get(noalloc, sizes[i]);
		assert_non_null(buffers[i]);
		assert_int_equal((uintptr_t)buffers[i] % 4096, 0);
		assert_true(pd_memory_is_absent(buffers[i]));
		assert_true(pd_memory_is_absent(buffers[i] + (sizes[i] ? sizes[i] - 1 : 0)));
		for (int k = 0; k < i; k++)
			assert_true(buffers[i] + sizes[i] <= buffers[k] ||
				    buffers[k] + sizes[k] <= buffers[i]);
	}
	assert_ptr_not_equal(buffers[0], buffers[1]);
	assert_true(buffers[4] >= buffers[3] + 5000 || buffers[3] >= buffers[4] + 5000);
	pd_noalloc_destroy(noalloc);
}

static void ordinary_memory_is_not_absent(void **state)
{
	char local = 0, *heap = calloc(1, 10);

	assert_false(pd_memory_is_absent(&local));
	assert_false(pd_memory_is_absent(heap));
	assert_false(pd_memory_is_absent(NULL));
	assert_false(pd_memory_is_absent((void *)(uintptr_t)&begin));
	free(heap);
}

static void freed_buffers_are_given_out_again(void **state)
{
	struct pd_noalloc *noalloc = begin();
	void *a = pd_noalloc_get(noalloc, 100000), *b = pd_noalloc_get(noalloc, 100000);

	assert_int_equal(pd_noalloc_put(noalloc, a), 0);
	assert_ptr_equal(pd_noalloc_get(noalloc, 70000), a); /* both take 131072 bytes */
	assert_ptr_not_equal(pd_noalloc_get(noalloc, 70000), b);
	for (int i = 0; i < 100000; i++) {
		void *buffer = pd_noalloc_get(noalloc, (size_t)1 << 37);

		assert_non_null(buffer);
		assert_int_equal(pd_noalloc_put(noalloc, buffer), 0);
	}
	pd_noalloc_destroy(noalloc);
}

static void buffers_of_one_size_take_as_much_of_the_range_as_they_need(void **state)
{
	struct pd_noalloc *noalloc = begin();
	/* 1024 ranks with 1.25 GB each: 2 GiB of addresses, 2^41 bytes in all */
	const size_t size_B = 1250000000;
	char *first = pd_noalloc_get(noalloc, size_B), *last = first;

	for (int i = 1; i < 1024; i++) {
		char *next = pd_noalloc_get(noalloc, size_B);

		assert_true(next >= last + size_B);
		last = next;
	}
	assert_true(pd_memory_is_absent(last + size_B - 1));
	assert_int_equal(pd_noalloc_put(noalloc, last), 0);
	assert_int_equal(pd_noalloc_put(noalloc, first), 0);
	assert_ptr_equal(pd_noalloc_get(noalloc, size_B), first);
	assert_ptr_equal(pd_noalloc_get(noalloc, size_B), last);
	pd_noalloc_destroy(noalloc);
}

static void only_starts_of_buffers_in_use_can_be_freed(void **state)
{
	struct pd_noalloc *noalloc = begin();
	char *a = pd_noalloc_get(noalloc, 8192), local = 0;

	assert_int_equal(pd_noalloc_put(noalloc, a + 1), -1);
	assert_int_equal(pd_noalloc_put(noalloc, a + 8192), -1);
	assert_int_equal(pd_noalloc_put(noalloc, &local), -1);
	assert_int_equal(pd_noalloc_put(noalloc, a), 0);
	assert_int_equal(pd_noalloc_put(noalloc, a), -1);
	pd_noalloc_destroy(noalloc);
}

static void what_is_too_large_is_refused(void **state)
{
	struct pd_noalloc *noalloc = begin(), *second = NULL;
	struct util_error err;
	int n = 0;

	assert_null(pd_noalloc_get(noalloc, ((size_t)1 << 38) + 1));
	assert_null(pd_noalloc_get(noalloc, SIZE_MAX));
	assert_non_null(pd_noalloc_get(noalloc, 1));
	/* the range is 48 * 2^40 bytes, of which small buffers have 2^40: four times 47 buffers of 2^38 */
	while (pd_noalloc_get(noalloc, (size_t)1 << 38))
		n++;
	assert_int_equal(n, 4 * 47);
	assert_non_null(pd_noalloc_get(noalloc, 1));
	assert_null(pd_noalloc_get(noalloc, 4097));
	assert_int_equal(pd_noalloc_create(&second, &err), UTIL_ENOMEM);
	pd_noalloc_destroy(noalloc);
	pd_noalloc_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(buffers_are_absent_from_first_to_last_byte_and_do_not_overlap),
	    cmocka_unit_test(ordinary_memory_is_not_absent),
	    cmocka_unit_test(freed_buffers_are_given_out_again),
	    cmocka_unit_test(buffers_of_one_size_take_as_much_of_the_range_as_they_need),
	    cmocka_unit_test(only_starts_of_buffers_in_use_can_be_freed),
	    cmocka_unit_test(what_is_too_large_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
