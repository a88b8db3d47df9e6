/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run will need, and that it is refused where that is not there. */
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "pdexec/estimate.h"
#include "pdexec/image.h"

static void a_million_ranks_take_as_much_as_was_measured(void **state)
{
	double each_B = pd_estimate_ranks_B(1 << 20) / (1 << 20);

	/* 7.6 kB in a barrier of 1 048 576, 10.8 kB with a halo exchange (bench/README.md) */
	assert_true(each_B > 7.6e3 * 0.8 && each_B < 7.6e3 * 1.2);
	assert_true(each_B > 10.8e3 * 0.7 && each_B < 10.8e3 * 1.3);
}

/* 100 ranks; 6000 writable bytes, 1000 of them from the file. */
static double variables(enum pd_isolation isolation)
{
	const Elf64_Phdr segments[] = {
	    {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 70000},
	    {.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = 1000},
	    {.p_type = PT_GNU_RELRO, .p_flags = PF_R | PF_W, .p_filesz = 500},
	};
	struct pd_image image = {.n_ranks = 100, .isolation = isolation};

	image.elf.phdr = segments;
	image.elf.n_phdrs = 3;
	image.elf.writable = (struct pd_elf_range){4096, 4096 + 6000};
	return pd_estimate_variables_B(&image);
}

static void variables_are_counted_by_their_isolation(void **state)
{
	assert_true(variables(PD_ISOLATION_COPY) == 600000);
	assert_true(variables(PD_ISOLATION_MAP) == 100000);
}

static void what_does_not_fit_is_refused_with_the_reason(void **state)
{
	struct util_error err = {0};

	assert_int_equal(pd_estimate_check(1000, 2e9, 2e9, &err), 0);
	assert_int_equal(pd_estimate_check(1000, 2e9, 1.9e9, &err), UTIL_EINPUT);
	assert_string_equal(
	    err.text, "1000 ranks need about 2 GB of memory before the program allocates anything "
		      "(2 MB each: stack, state and variables), and 1.9 GB are to be had");
}

#define PATH_B 256

static void put(const char *folder, const char *name, const char *text)
{
	char path[PATH_B + 64];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_folder(char *path, const char *below, const char *name)
{
	snprintf(path, PATH_B, "%s/%s", below, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
	return remove(path);
}

/* The group has no limit, the one that it is in has: 1000 B, of which 300 B are used and 100 B of
 * these could be done without. */
static void control_groups_of_both_versions_are_asked(void **state)
{
	char root[] = "estimate-XXXXXX", memory[PATH_B], outer[PATH_B], inner[PATH_B],
	     members[PATH_B];

	assert_non_null(mkdtemp(root));
	make_folder(memory, root, "memory");
	make_folder(outer, memory, "outer");
	make_folder(inner, outer, "inner");
	put(outer, "memory.limit_in_bytes", "1000\n");
	put(outer, "memory.usage_in_bytes", "300\n");
	put(outer, "memory.stat", "cache 7\ntotal_inactive_file 100\n");
	put(inner, "memory.limit_in_bytes", "9223372036854771712\n");
	put(root, "members", "5:devices:/\n4:memory:/outer/inner\n");
	snprintf(members, sizeof members, "%s/members", root);
	assert_true(pd_estimate_group_B(root, members) == 800);

	make_folder(outer, root, "outer");
	make_folder(inner, outer, "inner");
	put(outer, "memory.max", "max\n");
	put(outer, "memory.current", "300\n");
	put(root, "members", "0::/outer/inner\n");
	assert_true(isinf(pd_estimate_group_B(root, members)));
	put(inner, "memory.max", "500\n");
	put(inner, "memory.current", "450\n");
	assert_true(pd_estimate_group_B(root, members) == 50);
	put(root, "memory.max", "40\n");
	assert_true(pd_estimate_group_B(root, members) == 40);
	assert_true(isinf(pd_estimate_group_B(root, "no-such-file")));
	assert_int_equal(nftw(root, remove_entry, 4, FTW_DEPTH), 0);
}

static void this_machine_has_some_memory(void **state)
{
	assert_true(pd_estimate_available_B() > 1e6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_million_ranks_take_as_much_as_was_measured),
	    cmocka_unit_test(variables_are_counted_by_their_isolation),
	    cmocka_unit_test(what_does_not_fit_is_refused_with_the_reason),
	    cmocka_unit_test(control_groups_of_both_versions_are_asked),
	    cmocka_unit_test(this_machine_has_some_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
