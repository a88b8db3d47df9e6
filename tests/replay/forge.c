/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a trace again with other records and correct checksums, for tests of what the replay
 * believes.
 *
 *     forge IN OUT cut      every array has no items
 *     forge IN OUT in-place every buffer is MPI_IN_PLACE
 *     forge IN OUT SEED     some bytes are others
 */
#include <stdio.h>
#include <stdlib.h>

#include "mtrace/reader.h"
#include "mtrace/writer.h"

struct forgery {
	struct mtrace_file *in;
	struct mtrace_writer *out;
	uint64_t random;
	bool cuts, is_in_place;
};

static uint64_t draw(struct forgery *f, uint64_t n)
{
	f->random = f->random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
	return (f->random >> 33) % n;
}

/* Strings, functions and sites get the numbers that they had. */
static void copy_tables(const struct forgery *f)
{
	bool is_new;

	for (uint32_t i = 0; i < f->in->n_strings; i++)
		mtrace_writer_string(f->out, f->in->strings[i]);
	for (uint32_t i = 0; i < f->in->n_functions; i++)
		mtrace_writer_function(f->out, f->in->functions[i].name,
				       f->in->functions[i].signature);
	for (uint32_t i = 0; i < f->in->n_sites; i++)
		mtrace_writer_set_site(f->out, mtrace_writer_site(f->out, i + 1, &is_new),
				       f->in->sites[i]);
}

static void change(struct forgery *f, struct mtrace_cursor *c, struct mtrace_stream *s)
{
	size_t size = (size_t)(c->end - c->at);
	unsigned char *bytes = c->block + (c->at - c->begin);

	for (uint64_t i = 1 + draw(f, 4); i > 0; i--)
		bytes[draw(f, size)] = (unsigned char)(draw(f, 2) ? draw(f, 256) : draw(f, 4));
	mtrace_put_bytes(s, bytes, size);
	mtrace_record_end(s);
	c->at = c->end;
}

static void copy_since(const struct mtrace_cursor *c, const unsigned char *from,
		       struct mtrace_stream *s)
{
	mtrace_put_bytes(s, from, (size_t)(c->at - from));
}

static void change_call(struct forgery *f, struct mtrace_cursor *c, const char *signature,
			struct mtrace_stream *s)
{
	for (; *signature; signature++) {
		const unsigned char *from = c->at;
		char one[2] = {*signature};

		mtrace_skip_arguments(c, one);
		if (f->cuts && (*signature == 'a' || *signature == 'T'))
			mtrace_put_uint(s, 0);
		else if (f->is_in_place && *signature == 'b')
			mtrace_put_byte(s, MTRACE_IN_PLACE);
		else
			copy_since(c, from, s);
	}
}

/* One record: those beside calls as they are. */
static void change_calls(struct forgery *f, struct mtrace_cursor *c, struct mtrace_stream *s)
{
	const unsigned char *from = c->at;
	uint64_t op = mtrace_get_uint(c);

	if (op != MTRACE_PHASE_END && op != MTRACE_NODE_RELEASE && op != MTRACE_NODE_ACQUIRE)
		mtrace_get_uint(c); /* site, text, kernel, id */
	if (op == MTRACE_CHARGE) {
		mtrace_get_byte(c);
		mtrace_get_double(c);
		for (int n = mtrace_get_byte(c); n > 0; n--)
			mtrace_get_double(c);
	} else if (op == MTRACE_SLEEP || op == MTRACE_POLLS) {
		mtrace_get_uint(c);
	} else if (op == MTRACE_TYPE) {
		mtrace_skip_arguments(c, "iiiiib");
	}
	copy_since(c, from, s);
	if (op >= MTRACE_CALL)
		change_call(f, c, f->in->functions[op - MTRACE_CALL].signature, s);
	mtrace_record_end(s);
}

static int forge(struct forgery *f, struct util_error *err)
{
	int more = 0;

	copy_tables(f);
	for (int rank = 0; rank < f->in->n_ranks && more >= 0; rank++) {
		struct mtrace_cursor c;

		if (mtrace_cursor_open(f->in, rank, &c, err))
			return -1;
		while ((more = mtrace_cursor_more(&c, err)) > 0)
			(f->cuts || f->is_in_place ? change_calls : change)(
			    f, &c, mtrace_writer_stream(f->out, rank));
		mtrace_cursor_close(&c);
	}
	return more < 0 ? more : mtrace_writer_close(f->out, err);
}

int main(int argc, char **argv)
{
	struct forgery f = {0};
	struct util_error err = {0};
	int failed;

	if (argc != 4)
		return 2;
	f.random = strtoull(argv[3], NULL, 10);
	f.cuts = strcmp(argv[3], "cut") == 0;
	f.is_in_place = strcmp(argv[3], "in-place") == 0;
	failed = mtrace_file_open(argv[1], &f.in, &err);
	if (!failed)
		failed =
		    mtrace_writer_create(argv[2], f.in->n_ranks, f.in->provenance, &f.out, &err);
	if (!failed)
		failed = forge(&f, &err);
	if (failed)
		fprintf(stderr, "forge: %s\n", err.text);
	mtrace_writer_destroy(f.out);
	mtrace_file_close(f.in);
	return failed ? 1 : 0;
}
