// SPDX-License-Identifier: BSD-3-Clause
/* Damaged files: what reads them refuses them or reads on, and touches nothing that is not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/check/check.h"
#include "tools/check/search.h"
#include "util/rng.h"

#define SEED 20110
#define MUTATIONS 1500
#define MAX_NAME_B (1 << 20) /* larger than the program */

static const char *program; /* a good one */
static char scratch[64];

static char *read_file(const char *path, size_t *out_size_B)
{
	FILE *file = fopen(path, "rb");
	char *content;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*out_size_B = (size_t)ftell(file);
	rewind(file);
	content = malloc(*out_size_B);
	assert_non_null(content);
	assert_int_equal(fread(content, 1, *out_size_B, file), *out_size_B);
	fclose(file);
	return content;
}

static void write_scratch(const char *content, size_t size_B)
{
	FILE *file = fopen(scratch, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(content, 1, size_B, file), size_B);
	assert_int_equal(fclose(file), 0);
}

/* Refused as input, or read; and everything that was read is there. */
static bool is_refused(void)
{
	struct check_binary binary;
	struct util_error err = {0};
	size_t length = 0;

	if (check_binary_open(&binary, scratch, &err)) {
		assert_int_equal(err.code, UTIL_EINPUT);
		assert_true(strlen(err.text) > 0);
		return true;
	}
	for (int i = 0; i < binary.n_symbols; i++)
		length += strlen(binary.symbols[i].name);
	for (int i = 0; i < binary.n_needed; i++)
		length += strlen(binary.needed[i]);
	assert_true(length <= (size_t)(binary.n_symbols + binary.n_needed) * MAX_NAME_B);
	check_binary_close(&binary);
	return false;
}

/* Bytes of the headers, tables and names are replaced, where the reader follows what it finds. */
static void damaged_programs_are_refused_or_read(void **state)
{
	size_t size_B;
	char *good = read_file(program, &size_B), *bad = malloc(size_B);
	struct util_rng rng;
	int n_refused = 0;

	assert_non_null(bad);
	util_rng_init(&rng, SEED, 0);
	for (int i = 0; i < MUTATIONS; i++) {
		int n_bytes = 1 + (int)(util_rng_next(&rng) % 8);

		memcpy(bad, good, size_B);
		for (int k = 0; k < n_bytes; k++) {
			uint64_t place = util_rng_next(&rng) % 4096;
			bool at_end = util_rng_next(&rng) % 2; /* the section headers */

			bad[at_end ? size_B - 1 - place % size_B : place % size_B] =
			    (char)util_rng_next(&rng);
		}
		write_scratch(bad, size_B);
		n_refused += is_refused();
	}
	assert_in_range(n_refused, MUTATIONS / 20, MUTATIONS - 1);
	free(bad);
	free(good);
}

static void cut_programs_are_refused_or_read(void **state)
{
	size_t size_B;
	char *good = read_file(program, &size_B);

	for (size_t length = 1; length < size_B; length += 1 + size_B / 200) {
		write_scratch(good, length);
		assert_true(is_refused()); /* the section headers are at the end */
	}
	free(good);
}

/* One entry, "libx.so" at "/lib/libx.so", then entries and strings that are not in the file. */
static void damaged_caches_have_no_entries_outside(void **state)
{
	static const uint32_t words[] = {
	    0, 96, 104,	     0, 0, 0, /* flags, name, path, version, capabilities */
	    0, 96, 1u << 30, 0, 0, 0, /* a path that is not there */
	};
	unsigned char file[118] = "glibc-ld.so.cache1.1";
	uint32_t count = 1000;
	struct check_cache cache;
	size_t cursor = 0;

	memcpy(file + 20, &count, sizeof count);
	memcpy(file + 48, words, sizeof words);
	memcpy(file + 96, "libx.so", 8);
	memcpy(file + 104, "/lib/libx.so", 13);
	write_scratch((const char *)file, sizeof file);
	check_cache_open(&cache, scratch);
	assert_non_null(cache.file);
	assert_string_equal(check_cache_find(&cache, "libx.so", &cursor), "/lib/libx.so");
	assert_null(check_cache_find(&cache, "libx.so", &cursor));
	check_cache_close(&cache);
	file[0] = 'G';
	write_scratch((const char *)file, sizeof file);
	check_cache_open(&cache, scratch);
	assert_null(cache.file);
}

static void the_table_of_functions_is_sorted(void **state)
{
	for (int i = 1; i < mpi_n_functions; i++)
		assert_true(strcmp(mpi_functions[i - 1].name, mpi_functions[i].name) < 0);
	assert_in_range(mpi_n_functions, 664, 710);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(damaged_programs_are_refused_or_read),
	    cmocka_unit_test(cut_programs_are_refused_or_read),
	    cmocka_unit_test(damaged_caches_have_no_entries_outside),
	    cmocka_unit_test(the_table_of_functions_is_sorted),
	};
	int status, fd;

	program = argc > 1 ? argv[1] : argv[0];
	strcpy(scratch, "/tmp/mpisim-test-binary-XXXXXX");
	fd = mkstemp(scratch);
	if (fd < 0)
		return 1;
	close(fd);
	printf("seed %d\n", SEED);
	status = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(scratch);
	return status;
}
