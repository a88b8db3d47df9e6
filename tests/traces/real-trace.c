// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes a trace as libmpisim-trace would, from lines on standard input, so that tests know every
 * time in it:
 *
 *     real-trace OUT RANKS
 *     RANK call FUNCTION SIGNATURE BEGIN_NS TOOK_NS [u5 | i-1 | b0]…    arguments: varint, signed,
 * byte; BEGIN_NS -: no times RANK phase NAME BEGIN_NS, RANK end BEGIN_NS, RANK charge KERNEL
 * SECONDS, RANK exit
 *
 * A signature of - is empty; a kernel of - is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mtrace/writer.h"

enum { MAX_RANKS = 64, MAX_WORDS = 32 };

static struct mtrace_writer *writer;
static long long last_ns[MAX_RANKS];

static void put_times(struct mtrace_stream *s, int rank, const char *begin, const char *took)
{
	long long begin_ns = atoll(begin), took_ns = atoll(took);

	mtrace_record_end(s);
	if (strcmp(begin, "-") == 0)
		return;
	mtrace_put_uint(s, MTRACE_TIMES);
	mtrace_put_uint(s, (uint64_t)(begin_ns - last_ns[rank]));
	mtrace_put_uint(s, (uint64_t)took_ns);
	mtrace_record_end(s);
	last_ns[rank] = begin_ns + took_ns;
}

static void put_call(struct mtrace_stream *s, int rank, char *words[], int n)
{
	bool is_new;

	mtrace_put_uint(s, MTRACE_CALL +
			       mtrace_writer_function(writer, words[2],
						      strcmp(words[3], "-") == 0 ? "" : words[3]));
	mtrace_put_uint(s, mtrace_writer_site(writer, 1, &is_new));
	for (int i = 6; i < n; i++) {
		long long value = atoll(words[i] + 1);

		if (words[i][0] == 'u')
			mtrace_put_uint(s, (uint64_t)value);
		else if (words[i][0] == 'i')
			mtrace_put_int(s, value);
		else
			mtrace_put_byte(s, (unsigned char)value);
	}
	put_times(s, rank, words[4], words[5]);
}

static void put_line(char *words[], int n)
{
	int rank = atoi(words[0]);
	struct mtrace_stream *s = mtrace_writer_stream(writer, rank);
	const char *what = words[1];

	if (strcmp(what, "call") == 0) {
		put_call(s, rank, words, n);
	} else if (strcmp(what, "phase") == 0) {
		mtrace_put_uint(s, MTRACE_PHASE_BEGIN);
		mtrace_put_uint(s, mtrace_writer_string(writer, words[2]));
		put_times(s, rank, words[3], "0");
	} else if (strcmp(what, "end") == 0) {
		mtrace_put_uint(s, MTRACE_PHASE_END);
		put_times(s, rank, words[2], "0");
	} else if (strcmp(what, "charge") == 0) {
		mtrace_put_uint(s, MTRACE_CHARGE);
		mtrace_put_uint(
		    s, strcmp(words[2], "-") == 0 ? 0 : mtrace_writer_string(writer, words[2]) + 1);
		mtrace_put_byte(s, MTRACE_MEASURED);
		mtrace_put_double(s, atof(words[3]));
		mtrace_put_byte(s, 0);
		mtrace_record_end(s);
	} else {
		mtrace_put_uint(s, MTRACE_END);
		mtrace_put_uint(s, 0);
		mtrace_record_end(s);
	}
}

int main(int argc, char **argv)
{
	struct util_error err = {0};
	char line[512], *words[MAX_WORDS], provenance[128];
	int failed;

	if (argc != 3)
		return 2;
	snprintf(provenance, sizeof provenance,
		 "{\"generator\":\"test\",\"command\":[\"program\"],\"n_ranks\":%s,\"options\":{}}",
		 argv[2]);
	failed = mtrace_writer_create(argv[1], atoi(argv[2]), provenance, &writer, &err);
	while (!failed && fgets(line, sizeof line, stdin)) {
		int n = 0;

		for (char *word = strtok(line, " \n"); word && n < MAX_WORDS;
		     word = strtok(NULL, " \n"))
			words[n++] = word;
		if (n >= 2)
			put_line(words, n);
	}
	if (!failed)
		failed = mtrace_writer_close(writer, &err);
	if (failed)
		fprintf(stderr, "real-trace: %s\n", err.text);
	mtrace_writer_destroy(writer);
	return failed ? 1 : 0;
}
