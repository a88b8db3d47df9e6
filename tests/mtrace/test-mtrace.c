/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace file: what is written is read, and what is damaged is refused with the position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "mtrace/reader.h"
#include "mtrace/repeat.h"
#include "mtrace/writer.h"

static const char path[] = "test-mtrace.mtrace";

static uint32_t site_of(struct mtrace_writer *writer, uint64_t key, const char *text)
{
	bool is_new;
	uint32_t site = mtrace_writer_site(writer, key, &is_new);

	if (is_new)
		mtrace_writer_set_site(writer, site, text);
	return site;
}

/* `n` sends by each of two ranks, and then their ends. */
static void write_sends(int n)
{
	struct mtrace_writer *writer;
	struct util_error err;

	assert_int_equal(mtrace_writer_create(path, 2, "{\"n\":1}", &writer, &err), 0);
	for (int i = 0; i < n; i++) {
		for (int rank = 0; rank < 2; rank++) {
			struct mtrace_stream *s = mtrace_writer_stream(writer, rank);

			mtrace_put_uint(s, MTRACE_CALL +
					       mtrace_writer_function(writer, "MPI_Send", "btiw"));
			mtrace_put_uint(s, site_of(writer, 77, "a.c:7 (main)"));
			mtrace_put_byte(s, MTRACE_BUFFER);
			mtrace_put_uint(s, 0x30e);
			mtrace_put_int(s, rank ? -i : i);
			mtrace_put_int(s, MTRACE_ANY_SOURCE);
			mtrace_put_match(s, MTRACE_UNMATCHED, 0);
			mtrace_record_end(s);
		}
	}
	for (int rank = 0; rank < 2; rank++) {
		mtrace_put_uint(mtrace_writer_stream(writer, rank), MTRACE_END);
		mtrace_put_uint(mtrace_writer_stream(writer, rank), 3);
		mtrace_record_end(mtrace_writer_stream(writer, rank));
	}
	/* rank 0's first match, which is in the file already, and its last call's: op, site, b, 2
	 * t, i, then w, whose match follows the source */
	mtrace_patch_match(mtrace_writer_stream(writer, 0), 7, 41, 42);
	mtrace_writer_doubt(writer, MTRACE_DOUBT_ANY, 0, 0, 1, 5);
	mtrace_writer_doubt(writer, MTRACE_DOUBT_ANY, 0, 0, 0, 2);
	assert_int_equal(mtrace_writer_close(writer, &err), 0);
	mtrace_writer_destroy(writer);
}

/* Reads all; 0, or negative with err. Never more than `limit` records. */
static int read_all(struct util_error *err, int limit)
{
	struct mtrace_file *file;
	int failed = mtrace_file_open(path, &file, err), more = 1;

	if (failed)
		return failed;
	for (int rank = 0; rank < file->n_ranks && more >= 0; rank++) {
		struct mtrace_cursor c = {.rank = rank};
		int n = 0;

		more = mtrace_cursor_open(file, rank, &c, err) ? -1 : 1;
		while (more > 0 && (more = mtrace_cursor_more(&c, err)) > 0 && n++ < limit) {
			uint64_t op = mtrace_get_uint(&c);

			mtrace_get_uint(&c);
			if (op >= MTRACE_CALL && op - MTRACE_CALL < file->n_functions)
				mtrace_skip_arguments(&c,
						      file->functions[op - MTRACE_CALL].signature);
		}
		mtrace_cursor_close(&c);
	}
	mtrace_file_close(file);
	return more < 0 ? -1 : 0;
}

static void what_is_written_is_read(void **state)
{
	struct mtrace_file *file;
	struct mtrace_cursor c;
	struct util_error err;
	int32_t source, tag;

	write_sends(20000);
	assert_int_equal(mtrace_file_open(path, &file, &err), 0);
	assert_int_equal(file->n_ranks, 2);
	assert_string_equal(file->provenance, "{\"n\":1}");
	assert_int_equal(file->n_functions, 1);
	assert_string_equal(file->functions[0].name, "MPI_Send");
	assert_string_equal(file->functions[0].signature, "btiw");
	assert_string_equal(file->sites[0], "a.c:7 (main)");
	assert_int_equal(file->n_doubts, 1);
	assert_int_equal(file->doubts[0].count, 7);
	assert_int_equal(file->doubts[0].first_rank, 0);
	assert_int_equal(file->n_records, 40002);
	for (int rank = 0; rank < 2; rank++) {
		assert_int_equal(mtrace_cursor_open(file, rank, &c, &err), 0);
		for (int i = 0; i < 20000; i++) {
			assert_int_equal(mtrace_cursor_more(&c, &err), 1);
			assert_int_equal(mtrace_get_uint(&c), MTRACE_CALL);
			assert_int_equal(mtrace_get_uint(&c), 0);
			assert_int_equal(mtrace_get_byte(&c), MTRACE_BUFFER);
			assert_int_equal(mtrace_get_uint(&c), 0x30e);
			assert_int_equal(mtrace_get_int(&c), rank ? -i : i);
			assert_int_equal(mtrace_get_int(&c), MTRACE_ANY_SOURCE);
			mtrace_get_match(&c, &source, &tag);
			assert_int_equal(source, rank == 0 && i == 0 ? 41 : MTRACE_UNMATCHED);
		}
		assert_int_equal(mtrace_cursor_more(&c, &err), 1);
		assert_int_equal(mtrace_get_uint(&c), MTRACE_END);
		assert_int_equal(mtrace_get_uint(&c), 3);
		assert_int_equal(mtrace_cursor_more(&c, &err), 0);
		mtrace_cursor_close(&c);
	}
	mtrace_file_close(file);
	unlink(path);
}

/* Four arguments of one to nine bytes: a wrong length would end at another record. */
static void arguments_are_skipped_by_their_signature(void **state)
{
	struct mtrace_file *file;
	struct mtrace_cursor c;
	struct util_error err;

	write_sends(1000);
	assert_int_equal(mtrace_file_open(path, &file, &err), 0);
	assert_int_equal(mtrace_cursor_open(file, 1, &c, &err), 0);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(mtrace_cursor_more(&c, &err), 1);
		assert_int_equal(mtrace_get_uint(&c), MTRACE_CALL);
		assert_int_equal(mtrace_get_uint(&c), 0);
		mtrace_skip_arguments(&c, file->functions[0].signature);
	}
	assert_int_equal(mtrace_cursor_more(&c, &err), 1);
	assert_int_equal(mtrace_get_uint(&c), MTRACE_END);
	mtrace_cursor_close(&c);
	mtrace_file_close(file);
	unlink(path);
}

static size_t slurp(unsigned char **out)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	assert_non_null(file);
	*out = malloc(1 << 20);
	n = fread(*out, 1, 1 << 20, file);
	fclose(file);
	return n;
}

/* What lies before the block is not looked at, although it would go on the same way. */
static void what_repeats_began_in_its_block(void **state)
{
	static const unsigned char bytes[] = "abababababab";
	struct mtrace_cursor scout = {0};
	struct mtrace_cursor cursor = {.begin = bytes + 4, .at = bytes + 6, .end = bytes + 11};

	assert_int_equal(mtrace_cursor_repeats(&cursor, &scout, 2, 1), 1);
	assert_int_equal(mtrace_cursor_repeats(&cursor, &scout, 2, 2), 2);
	assert_int_equal(mtrace_cursor_repeats(&cursor, &scout, 4, 1), 0);
	cursor.at += 1;
	assert_int_equal(mtrace_cursor_repeats(&cursor, &scout, 2, 1), 1);
	assert_int_equal(mtrace_cursor_repeats(&cursor, &scout, 3, 1), 0); /* "aba", then "bab" */
}

static void spit(const unsigned char *bytes, size_t n)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

static void every_truncation_is_refused(void **state)
{
	unsigned char *bytes;
	size_t n;

	write_sends(40);
	n = slurp(&bytes);
	for (size_t length = 0; length < n; length++) {
		struct util_error err;

		spit(bytes, length);
		assert_int_not_equal(read_all(&err, 1000), 0);
		assert_non_null(strstr(err.text, path));
	}
	free(bytes);
	unlink(path);
}

/* Every byte of the file is under some checksum, or is compared. */
static void a_flipped_bit_in_any_byte_is_refused(void **state)
{
	unsigned char *bytes;
	size_t n;

	write_sends(40);
	n = slurp(&bytes);
	for (size_t i = 0; i < n; i++) {
		struct util_error err;

		bytes[i] ^= (unsigned char)(1 << i % 8);
		spit(bytes, n);
		if (read_all(&err, 1000) == 0)
			fail_msg("bit %zu of byte %zu of %zu makes no difference", i % 8, i, n);
		bytes[i] ^= (unsigned char)(1 << i % 8);
	}
	free(bytes);
	unlink(path);
}

static void no_file_is_left_without_close(void **state)
{
	struct mtrace_writer *writer;
	struct util_error err;

	assert_int_equal(mtrace_writer_create(path, 1, "{}", &writer, &err), 0);
	mtrace_put_uint(mtrace_writer_stream(writer, 0), MTRACE_END);
	mtrace_put_uint(mtrace_writer_stream(writer, 0), 0);
	mtrace_record_end(mtrace_writer_stream(writer, 0));
	mtrace_writer_destroy(writer);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(mtrace_writer_create("no/such/folder/x", 1, "{}", &writer, &err),
			 UTIL_ESYSTEM);
	assert_non_null(strstr(err.text, "no/such/folder/x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_written_is_read),
	    cmocka_unit_test(arguments_are_skipped_by_their_signature),
	    cmocka_unit_test(what_repeats_began_in_its_block),
	    cmocka_unit_test(every_truncation_is_refused),
	    cmocka_unit_test(a_flipped_bit_in_any_byte_is_refused),
	    cmocka_unit_test(no_file_is_left_without_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
