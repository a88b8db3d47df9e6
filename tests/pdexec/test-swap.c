/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "pdexec/swap.h"

/* Two regions, 5 and 3 bytes, of three ranks that start with their number in every byte. */
struct fixture {
	struct pd_swap swap;
	char first[5], second[3];
};

static void begin(struct fixture *f)
{
	struct util_error err;

	*f = (struct fixture){.swap.resident = -1};
	pd_swap_add(&f->swap, f->first, sizeof(f->first));
	pd_swap_add(&f->swap, f->first, 0);
	pd_swap_add(&f->swap, f->second, sizeof(f->second));
	assert_int_equal(pd_swap_reserve(&f->swap, 3, &err), 0);
	for (int rank = 0; rank < 3; rank++) {
		memset(pd_swap_record(&f->swap, rank, 0), '0' + rank, sizeof(f->first));
		memset(pd_swap_record(&f->swap, rank, 1), '0' + rank, sizeof(f->second));
	}
}

static void each_rank_finds_what_it_left(void **state)
{
	struct fixture f;

	begin(&f);
	pd_swap_to(&f.swap, 1);
	assert_memory_equal(f.first, "11111", 5);
	assert_memory_equal(f.second, "111", 3);
	f.first[4] = 'a';
	f.second[0] = 'b';
	pd_swap_to(&f.swap, 2);
	assert_memory_equal(f.first, "22222", 5);
	assert_memory_equal(f.second, "222", 3);
	pd_swap_to(&f.swap, 2);
	pd_swap_to(&f.swap, 1);
	assert_memory_equal(f.first, "1111a", 5);
	assert_memory_equal(f.second, "b11", 3);
	pd_swap_finish(&f.swap);
}

/* Another program's ranks use the addresses in between: bytes that it writes there are not ours. */
static void who_left_finds_its_bytes_again(void **state)
{
	struct fixture f;

	begin(&f);
	pd_swap_leave(&f.swap); /* nobody was there */
	pd_swap_to(&f.swap, 1);
	f.first[4] = 'a';
	pd_swap_leave(&f.swap);
	memset(f.first, 'x', sizeof(f.first));
	assert_int_equal(*pd_swap_find(&f.swap, 1, &f.first[4]), 'a');
	pd_swap_to(&f.swap, 1);
	assert_memory_equal(f.first, "1111a", 5);
	pd_swap_finish(&f.swap);
}

static void addresses_of_absent_ranks_lead_to_their_records(void **state)
{
	struct fixture f;
	char elsewhere = 0;

	begin(&f);
	/* nobody is there yet: everyone's bytes are in the records */
	assert_int_equal(*pd_swap_find(&f.swap, 0, &f.first[0]), '0');
	pd_swap_to(&f.swap, 0);
	assert_ptr_equal(pd_swap_find(&f.swap, 0, &f.first[2]), &f.first[2]);
	assert_int_equal(*pd_swap_find(&f.swap, 2, &f.first[4]), '2');
	*pd_swap_find(&f.swap, 2, &f.second[2]) = 'x';
	/* one past the last region, and what no region holds, is the same for all */
	assert_ptr_equal(pd_swap_find(&f.swap, 2, f.second + 3), f.second + 3);
	assert_ptr_equal(pd_swap_find(&f.swap, 2, &elsewhere), &elsewhere);
	pd_swap_to(&f.swap, 2);
	assert_memory_equal(f.second, "22x", 3);
	pd_swap_finish(&f.swap);
}

static void without_regions_nothing_happens(void **state)
{
	struct pd_swap swap = {.resident = -1};
	struct util_error err;
	char byte = 'a';

	assert_int_equal(pd_swap_reserve(&swap, 1 << 30, &err), 0);
	pd_swap_to(&swap, 7);
	assert_ptr_equal(pd_swap_find(&swap, 3, &byte), &byte);
	assert_int_equal(byte, 'a');
	pd_swap_finish(&swap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_rank_finds_what_it_left),
	    cmocka_unit_test(who_left_finds_its_bytes_again),
	    cmocka_unit_test(addresses_of_absent_ranks_lead_to_their_records),
	    cmocka_unit_test(without_regions_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
