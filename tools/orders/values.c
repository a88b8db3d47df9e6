// SPDX-License-Identifier: BSD-3-Clause
/* What an execution ends with: registered memory and output, told apart from those of others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/datatype/datatype.h"
#include "pdexec/image.h"
#include "tools/orders/execution.h"

bool orders_is_observed(const struct orders_execution *x)
{
	bool is_observed = false;

	for (int i = 0; i < x->run->world->n_ranks; i++)
		is_observed |=
		    x->orders->ranks[i].registered.n > 0 || x->capture.written[i].total_B > 0;
	return is_observed;
}

static void add_hash(uint64_t key[2], const uint64_t hash[2])
{
	mpi_orders_mix(key, hash[0]);
	mpi_orders_mix(key, hash[1]);
}

/* With a tolerance values are compared later, number by number. */
static void add_results(struct orders_execution *x, uint64_t key[2])
{
	bool is_observed = orders_is_observed(x);
	uint64_t hash[2];

	if (x->orders->is_partial) { /* what ranks hold means nothing */
		mpi_orders_hash_sent(x->orders, hash);
		add_hash(key, hash);
		return;
	}
	for (int i = 0; i < x->run->world->n_ranks; i++) {
		const struct orders_written *written = &x->capture.written[i];

		mpi_registered_digest(&x->run->mpi->ranks[i], &x->orders->ranks[i].registered, 0,
				      hash);
		add_hash(key, hash);
		mpi_orders_mix(key, written->total_B);
		mpi_orders_mix(key, written->hash[0]);
		mpi_orders_mix(key, (uint64_t)x->run->world->ranks[i].exit_code);
		if (!is_observed)
			add_hash(key, x->orders->ranks[i].received);
	}
	if (!x->run->mpi->series) { /* else messages may be parts of a collective */
		mpi_orders_hash_sent(x->orders, hash);
		add_hash(key, hash);
	}
	mpi_orders_mix(key, (uint64_t)mpi_orders_count_unmatched(x->orders));
}

static uint64_t place_of(const struct orders_execution *x, const struct pd_rank *rank,
			 const void *site)
{
	uint64_t place = (uint64_t)(uintptr_t)site;

	if (site && !x->run->world->is_builtin)
		pd_image_locate(rank->program->image, site, &place);
	return place;
}

static void add_failure(struct orders_execution *x, uint64_t key[2])
{
	const struct pd_world *world = x->run->world;
	const struct pd_failure *failure = &world->failure;

	mpi_orders_mix(key, (uint64_t)failure->kind);
	mpi_orders_mix(key, (uint64_t)failure->rank);
	mpi_orders_mix(key,
		       mpi_registered_hash_bytes(failure->text, (int64_t)strlen(failure->text)));
	if (failure->rank >= 0)
		mpi_orders_mix(key, place_of(x, &world->ranks[failure->rank], failure->site));
}

static void add_blocked(struct orders_execution *x, uint64_t key[2])
{
	const struct pd_world *world = x->run->world;

	for (int i = 0; i < world->n_ranks; i++)
		mpi_orders_mix(key, world->ranks[i].has_ended
					? 0
					: place_of(x, &world->ranks[i], world->ranks[i].site));
}

void orders_key(struct orders_execution *x, enum orders_end end, uint64_t key[2])
{
	key[0] = key[1] = 0;
	if (end == ORDERS_COMPLETE)
		add_results(x, key);
	else if (end == ORDERS_ERROR)
		add_failure(x, key);
	else
		add_blocked(x, key);
}

/* --- keeping --- */

static void write_value(FILE *file, int rank, int element, const char *name, bool is_text,
			const void *bytes, size_t size_B)
{
	const struct orders_value value = {.rank = rank,
					   .element = element,
					   .name_B = (uint32_t)strlen(name) + 1,
					   .is_text = is_text,
					   .size_B = size_B};

	fwrite(&value, sizeof value, 1, file);
	fwrite(name, value.name_B, 1, file);
	if (size_B > 0)
		fwrite(bytes, size_B, 1, file);
}

static void write_rank(struct orders_execution *x, int rank, FILE *file)
{
	const struct mpi_registered *registered = &x->orders->ranks[rank].registered;
	const struct orders_written *written = &x->capture.written[rank];
	int exit_code = x->run->world->ranks[rank].exit_code;

	for (int i = 0; i < registered->n; i++) {
		const struct mpi_registered_item *item = &registered->items[i];
		size_t size_B;
		void *value = mpi_registered_value(&x->run->mpi->ranks[rank], item, &size_B);

		if (value)
			write_value(file, rank, item->type->element, item->name, false, value,
				    size_B);
		free(value);
	}
	write_value(file, rank, ELEMENT_NONE, "output", true, written->text, written->length_B);
	write_value(file, rank, ELEMENT_UINT64, "hash of the output", false, written->hash,
		    sizeof written->hash);
	write_value(file, rank, ELEMENT_INT32, "exit code", false, &exit_code, sizeof exit_code);
	if (!orders_is_observed(x))
		write_value(file, rank, ELEMENT_NONE, "data received", false,
			    x->orders->ranks[rank].received,
			    sizeof x->orders->ranks[rank].received);
	write_value(file, rank, ELEMENT_NONE, "messages sent", false, x->orders->ranks[rank].sent,
		    sizeof x->orders->ranks[rank].sent);
}

void orders_keep_values(struct orders_execution *x, struct orders_outcome *outcome)
{
	char *bytes = NULL;
	size_t size_B = 0;
	FILE *file = open_memstream(&bytes, &size_B);

	if (!file)
		return;
	for (int i = 0; i < x->run->world->n_ranks && !x->orders->is_partial; i++)
		write_rank(x, i, file);
	fclose(file);
	outcome->values = orders_shared_allocate(x->shared, size_B);
	if (outcome->values) {
		memcpy(orders_at(x->shared, outcome->values), bytes, size_B);
		outcome->values_B = size_B;
	}
	free(bytes);
}

/* --- comparing --- */

static bool read_number(const struct orders_value *value, const char *bytes, size_t i, double *out,
			size_t *step_B)
{
	static const size_t sizes[] = {
	    [ELEMENT_INT8] = 1,	 [ELEMENT_INT16] = 2,  [ELEMENT_INT32] = 4,  [ELEMENT_INT64] = 8,
	    [ELEMENT_UINT8] = 1, [ELEMENT_UINT16] = 2, [ELEMENT_UINT32] = 4, [ELEMENT_UINT64] = 8,
	    [ELEMENT_FLOAT] = 4, [ELEMENT_DOUBLE] = 8};
	int64_t integer = 0;
	float number;

	*step_B = 1;
	if (value->element < 0 || (size_t)value->element >= sizeof sizes / sizeof sizes[0] ||
	    sizes[value->element] == 0)
		return false;
	*step_B = sizes[value->element];
	if (value->element == ELEMENT_DOUBLE) {
		memcpy(out, bytes + i, 8);
	} else if (value->element == ELEMENT_FLOAT) {
		memcpy(&number, bytes + i, 4);
		*out = number;
	} else {
		memcpy(&integer, bytes + i, *step_B);
		*out = (double)integer;
		if (value->element == ELEMENT_INT32)
			*out = (double)(int32_t)integer;
		if (value->element == ELEMENT_INT16)
			*out = (double)(int16_t)integer;
		if (value->element == ELEMENT_INT8)
			*out = (double)(int8_t)integer;
	}
	return true;
}

static bool are_close(double a, double b, double epsilon)
{
	return a == b || fabs(a - b) <= epsilon * fmax(fabs(a), fabs(b));
}

/* The line of two texts that differs first. */
static void print_lines(const char *a, size_t a_B, const char *b, size_t b_B, FILE *file)
{
	size_t at = 0, line = 0;

	while (at < a_B && at < b_B && a[at] == b[at]) {
		at++;
		if (a[at - 1] == '\n')
			line = at;
	}
	fprintf(file, "\"%.*s\" or \"%.*s\"", (int)strcspn(a + line, "\n\0"),
		a_B > line ? a + line : "", (int)strcspn(b + line, "\n"),
		b_B > line ? b + line : "");
}

static void print_difference(const struct orders_value *value, const char *name, size_t at,
			     double x, double y, FILE *file)
{
	size_t step_B = 1;
	double unused;

	read_number(value, (const char[16]){0}, 0, &unused, &step_B);
	fprintf(file, "rank %d: %s", value->rank, name);
	if (value->size_B > step_B)
		fprintf(file, "[%zu]", at / step_B);
	fprintf(file, " is %.17g or %.17g", x, y);
}

static int compare_value(const struct orders_value *a, const char *a_bytes,
			 const struct orders_value *b, const char *b_bytes, const char *name,
			 double epsilon, FILE *file)
{
	bool is_float = a->element == ELEMENT_FLOAT || a->element == ELEMENT_DOUBLE;
	size_t step_B = 1;
	double x = 0, y = 0;

	if (a->size_B != b->size_B || memcmp(a_bytes, b_bytes, a->size_B) != 0) {
		if (a->is_text || a->size_B != b->size_B ||
		    !read_number(a, a_bytes, 0, &x, &step_B)) {
			fprintf(file, "rank %d: %s differ%s", a->rank, name,
				strchr(name, ' ') ? "" : "s");
			if (a->is_text)
				fprintf(file, ": ");
			if (a->is_text)
				print_lines(a_bytes, a->size_B, b_bytes, b->size_B, file);
			return 1;
		}
		for (size_t at = 0; at + step_B <= a->size_B; at += step_B) {
			read_number(a, a_bytes, at, &x, &step_B);
			read_number(b, b_bytes, at, &y, &step_B);
			if (memcmp(a_bytes + at, b_bytes + at, step_B) == 0 ||
			    (is_float && are_close(x, y, epsilon)))
				continue;
			print_difference(a, name, at, x, y, file);
			return 1;
		}
	}
	return 0;
}

int orders_compare(const struct orders_shared *shared, const struct orders_outcome *a,
		   const struct orders_outcome *b, double epsilon, FILE *file)
{
	const char *at_a = orders_at(shared, a->values), *at_b = orders_at(shared, b->values);
	const char *end_a = at_a + a->values_B, *end_b = at_b + b->values_B;

	if (!a->values || !b->values)
		return 0;
	while (at_a < end_a && at_b < end_b) {
		struct orders_value value_a, value_b;
		const char *name_a = at_a + sizeof value_a, *name_b = at_b + sizeof value_b;

		memcpy(&value_a, at_a, sizeof value_a);
		memcpy(&value_b, at_b, sizeof value_b);
		if (value_a.rank != value_b.rank || strcmp(name_a, name_b) != 0) {
			fprintf(file, "rank %d registers %s or rank %d %s", value_a.rank, name_a,
				value_b.rank, name_b);
			return 1;
		}
		if (compare_value(&value_a, name_a + value_a.name_B, &value_b,
				  name_b + value_b.name_B, name_a, epsilon, file))
			return 1;
		at_a = name_a + value_a.name_B + value_a.size_B;
		at_b = name_b + value_b.name_B + value_b.size_B;
	}
	if (a->n_unmatched != b->n_unmatched) {
		fprintf(file, "%d or %d messages are not received", a->n_unmatched, b->n_unmatched);
		return 1;
	}
	return 0;
}
