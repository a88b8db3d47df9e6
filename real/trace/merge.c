/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's file into the file of all: numbers of strings, functions and sites become those of
 * all, and times those of the common clock. */
#include <stdlib.h>
#include <string.h>

#include "mtrace/reader.h"
#include "real/trace/trace.h"
#include "util/error.h"

struct merge {
	const struct mpi_trace_source *source;
	struct mtrace_file *file;
	struct mtrace_cursor from;
	struct mtrace_stream *to;
	uint32_t *strings, *functions, *sites; /* numbers in the file of all */
	int64_t local_ns, common_ns;	       /* ends of the last times */
	int rank;
};

int64_t mpi_trace_common_ns(const struct mpi_trace_offset offsets[2], int64_t local_ns)
{
	int64_t between_ns = offsets[1].at_ns - offsets[0].at_ns;
	int64_t drift_ns = offsets[1].offset_ns - offsets[0].offset_ns;
	double share =
	    between_ns > 0 ? (double)(local_ns - offsets[0].at_ns) / (double)between_ns : 0;

	return local_ns - offsets[0].offset_ns - (int64_t)(share * (double)drift_ns);
}

/* The common number of a site is that of its text: every rank has its own addresses. */
static uint32_t site_number(struct mtrace_writer *writer, const char *text)
{
	uint64_t key = 14695981039346656037u;
	uint32_t site;
	bool is_new;

	for (const char *p = text; *p; p++)
		key = (key ^ (unsigned char)*p) * 1099511628211u;
	site = mtrace_writer_site(writer, key, &is_new);
	if (is_new)
		mtrace_writer_set_site(writer, site, text);
	return site;
}

static bool renumber(struct merge *m, struct mtrace_writer *writer)
{
	const struct mtrace_file *f = m->file;

	m->strings = calloc(f->n_strings + 1, sizeof *m->strings);
	m->functions = calloc(f->n_functions + 1, sizeof *m->functions);
	m->sites = calloc(f->n_sites + 1, sizeof *m->sites);
	if (!m->strings || !m->functions || !m->sites)
		return false;
	for (uint32_t i = 0; i < f->n_strings; i++)
		m->strings[i] = mtrace_writer_string(writer, f->strings[i]);
	for (uint32_t i = 0; i < f->n_functions; i++)
		m->functions[i] =
		    mtrace_writer_function(writer, f->functions[i].name, f->functions[i].signature);
	for (uint32_t i = 0; i < f->n_sites; i++)
		m->sites[i] = site_number(writer, f->sites[i]);
	for (uint32_t i = 0; i < f->n_doubts; i++) {
		const struct mtrace_doubt_entry *d = &f->doubts[i];

		mtrace_writer_doubt(writer, (enum mtrace_doubt)d->kind, m->functions[d->function],
				    m->sites[d->site], m->rank, d->count);
	}
	return true;
}

/* The rest of a record as it is, from where the cursor is to where `skip` leaves it. */
static void copy_arguments(struct merge *m, const char *signature)
{
	for (; *signature; signature++) {
		char letter[2] = {*signature, '\0'};
		const unsigned char *begin = m->from.at;
		int32_t match[2];
		int64_t source;

		if (*signature != 'w') {
			mtrace_skip_arguments(&m->from, letter);
			mtrace_put_bytes(m->to, begin, (size_t)(m->from.at - begin));
			continue;
		}
		source = mtrace_get_int(&m->from);
		mtrace_put_int(m->to, source);
		if (source != MTRACE_ANY_SOURCE)
			continue;
		mtrace_get_match(&m->from, &match[0], &match[1]);
		mtrace_put_match(m->to, match[0], match[1]);
	}
}

static void copy_charge(struct merge *m)
{
	uint64_t kernel = mtrace_get_uint(&m->from);
	const unsigned char *begin = m->from.at;
	unsigned char n;

	mtrace_put_uint(m->to, kernel ? m->strings[kernel - 1] + 1 : 0);
	mtrace_get_byte(&m->from);
	mtrace_get_double(&m->from);
	for (n = mtrace_get_byte(&m->from); n > 0; n--)
		mtrace_get_double(&m->from);
	mtrace_put_bytes(m->to, begin, (size_t)(m->from.at - begin));
}

static void copy_type(struct merge *m)
{
	const unsigned char *begin = m->from.at;

	for (int i = 0; i < 6; i++)
		mtrace_get_uint(&m->from);
	mtrace_get_byte(&m->from);
	mtrace_put_bytes(m->to, begin, (size_t)(m->from.at - begin));
}

static int64_t not_before(int64_t ns, int64_t earliest_ns)
{
	return ns > earliest_ns ? ns : earliest_ns;
}

static void copy_times(struct merge *m)
{
	int64_t begin_ns = m->local_ns + (int64_t)mtrace_get_uint(&m->from);
	int64_t end_ns = begin_ns + (int64_t)mtrace_get_uint(&m->from);
	const struct mpi_trace_source *source = m->source;

	m->local_ns = end_ns;
	begin_ns = not_before(mpi_trace_common_ns(source->offsets, begin_ns) - source->zero_ns,
			      m->common_ns);
	end_ns =
	    not_before(mpi_trace_common_ns(source->offsets, end_ns) - source->zero_ns, begin_ns);
	mtrace_put_uint(m->to, (uint64_t)(begin_ns - m->common_ns));
	mtrace_put_uint(m->to, (uint64_t)(end_ns - begin_ns));
	m->common_ns = end_ns;
}

/* Records are this library's own: of no other kinds, and with numbers that are there. */
static void copy_record(struct merge *m)
{
	uint64_t op = mtrace_get_uint(&m->from);

	if (op >= MTRACE_CALL) {
		mtrace_put_uint(m->to, MTRACE_CALL + m->functions[op - MTRACE_CALL]);
		mtrace_put_uint(m->to, m->sites[mtrace_get_uint(&m->from)]);
		copy_arguments(m, m->file->functions[op - MTRACE_CALL].signature);
	} else {
		mtrace_put_uint(m->to, op);
		if (op == MTRACE_CHARGE)
			copy_charge(m);
		else if (op == MTRACE_TYPE)
			copy_type(m);
		else if (op == MTRACE_TIMES)
			copy_times(m);
		else if (op == MTRACE_PHASE_BEGIN)
			mtrace_put_uint(m->to, m->strings[mtrace_get_uint(&m->from)]);
		else if (op == MTRACE_END)
			mtrace_put_uint(m->to, mtrace_get_uint(&m->from));
	}
	mtrace_record_end(m->to);
}

int mpi_trace_merge(const struct mpi_trace_source *source, struct mtrace_writer *writer, int rank,
		    struct util_error *err)
{
	struct merge m = {.source = source, .to = mtrace_writer_stream(writer, rank), .rank = rank};
	int failed = mtrace_file_open(source->path, &m.file, err), more = 0;

	if (failed)
		return failed;
	failed = mtrace_cursor_open(m.file, 0, &m.from, err);
	if (!failed) {
		if (!renumber(&m, writer))
			failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
		while (!failed && (more = mtrace_cursor_more(&m.from, err)) > 0)
			copy_record(&m);
		failed = failed ? failed : more;
		mtrace_cursor_close(&m.from);
	}
	free(m.strings);
	free(m.functions);
	free(m.sites);
	mtrace_file_close(m.file);
	return failed;
}
