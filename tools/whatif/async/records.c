// SPDX-License-Identifier: BSD-3-Clause
/* What a plan writes. */
#include <stdio.h>
#include <string.h>

#include "tools/whatif/async/internal.h"

static const char *signature_of(const struct async_plan *plan, const struct async_op *op)
{
	return plan->file->functions[op->what - MTRACE_CALL].signature;
}

void async_put_raw(struct async_plan *plan, const struct async_op *op)
{
	if (!plan->out)
		return;
	mtrace_put_bytes(plan->out, plan->rank->bytes + op->raw, op->raw_B);
	mtrace_record_end(plan->out);
}

void async_put_charge(struct async_plan *plan, double seconds)
{
	struct mtrace_stream *s = plan->out;

	if (!s || seconds <= 0)
		return;
	mtrace_put_uint(s, MTRACE_CHARGE);
	mtrace_put_uint(s, 0);
	mtrace_put_byte(s, 0);
	mtrace_put_double(s, seconds);
	mtrace_put_byte(s, 0);
	mtrace_record_end(s);
}

/* The seconds stand behind number, kernel and flags. */
void async_put_part(struct async_plan *plan, const struct async_op *op, double seconds)
{
	const unsigned char *record = plan->rank->bytes + op->raw;
	struct mtrace_cursor c = {.at = record, .end = record + op->raw_B};
	size_t before;

	if (!plan->out)
		return;
	mtrace_get_uint(&c);
	mtrace_get_uint(&c);
	mtrace_get_byte(&c);
	before = (size_t)(c.at - record);
	mtrace_put_bytes(plan->out, record, before);
	mtrace_put_double(plan->out, seconds);
	mtrace_put_bytes(plan->out, record + before + sizeof seconds,
			 op->raw_B - before - sizeof seconds);
	mtrace_record_end(plan->out);
}

const char *async_posted_name(const char *name, bool is_send)
{
	static const struct {
		const char *name, *send, *recv;
	} all[] = {
	    {"MPI_Send", "MPI_Isend", NULL},
	    {"MPI_Ssend", "MPI_Issend", NULL},
	    {"MPI_Rsend", "MPI_Irsend", NULL},
	    {"MPI_Recv", NULL, "MPI_Irecv"},
	    {"MPI_Sendrecv", "MPI_Isend", "MPI_Irecv"},
	};
	size_t length = strlen(name);

	if (length > 2 && strcmp(name + length - 2, "_c") == 0)
		length -= 2;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (strlen(all[i].name) == length && strncmp(all[i].name, name, length) == 0)
			return is_send ? all[i].send : all[i].recv;
	return NULL;
}

void async_put_post(struct async_plan *plan, const struct async_pending *pending)
{
	const struct async_op *op = &plan->rank->ops[pending->op];
	const char *name = plan->file->functions[op->what - MTRACE_CALL].name;
	const char *posted = async_posted_name(name, pending->is_send);
	struct mtrace_stream *s = plan->out;
	struct async_message message;
	uint32_t function;

	if (!s)
		return;
	async_message_read(plan->rank, op, signature_of(plan, op), &message);
	function =
	    mtrace_writer_function(s->writer, posted, pending->is_send ? "bitiicR" : "bitwicR");
	mtrace_put_uint(s, MTRACE_CALL + function);
	mtrace_put_uint(s, op->site);
	mtrace_put_bytes(s, pending->is_send ? message.send : message.recv,
			 pending->is_send ? message.send_B : message.recv_B);
	mtrace_put_bytes(s, message.comm_at, message.comm_B);
	mtrace_put_uint(s, pending->request);
	mtrace_record_end(s);
}

void async_place_name(const struct mtrace_file *file, uint32_t wait_site, char *text, size_t size)
{
	if (wait_site < file->n_sites && file->sites[wait_site][0])
		snprintf(text, size, "waits at %s", file->sites[wait_site]);
	else
		snprintf(text, size, "waits at the end");
}

/* Apart from other calls there, so that the waiting that stays can be told. */
static uint32_t wait_place(struct mtrace_writer *writer, const struct mtrace_file *file,
			   uint32_t wait_site)
{
	char text[ASYNC_PLACE_B];
	uint32_t place;
	bool is_new;

	place = mtrace_writer_site(writer, 1ULL << 32 | wait_site, &is_new);
	async_place_name(file, wait_site, text, sizeof text);
	if (is_new)
		mtrace_writer_set_site(writer, place, text);
	return place;
}

void async_put_wait(struct async_plan *plan, uint32_t wait_site)
{
	struct mtrace_stream *s = plan->out;
	uint64_t n = 0;

	for (size_t i = 0; i < plan->n_pending; i++)
		n += plan->pending[i].is_chosen;
	if (!s)
		return;
	mtrace_put_uint(s, MTRACE_CALL + mtrace_writer_function(s->writer, "MPI_Waitall", "q"));
	mtrace_put_uint(s, wait_place(s->writer, plan->file, wait_site));
	mtrace_put_uint(s, n);
	for (size_t i = 0; i < plan->n_pending; i++)
		if (plan->pending[i].is_chosen)
			mtrace_put_uint(s, plan->pending[i].request);
	mtrace_record_end(s);
}
