/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of the profiles as text: `mpisim-run --coll rules`. */
#include <stdio.h>
#include <string.h>

#include "mpi/coll/profile.h"

static void print_size(FILE *file, int64_t size_B)
{
	if (size_B >= 1 << 20 && size_B % (1 << 20) == 0)
		fprintf(file, "%lldMiB", (long long)(size_B >> 20));
	else if (size_B >= 1 << 10 && size_B % (1 << 10) == 0)
		fprintf(file, "%lldKiB", (long long)(size_B >> 10));
	else
		fprintf(file, "%lldB", (long long)size_B);
}

static bool is_same_line(const struct mpi_coll_rule *a, const struct mpi_coll_rule *b)
{
	const unsigned int orders = RULE_COMMUTES | RULE_NOT_COMMUTES;

	return b->algorithm && a->ranks_below == b->ranks_below &&
	       (a->conditions & orders) == (b->conditions & orders);
}

static void print_ranks(FILE *file, const struct mpi_coll_rule *rule)
{
	char text[64];
	const char *order = rule->conditions & RULE_COMMUTES	   ? ", commutes"
			    : rule->conditions & RULE_NOT_COMMUTES ? ", ordered"
								   : "";

	if (rule->ranks_below)
		snprintf(text, sizeof text, "<%d%s", rule->ranks_below, order);
	else
		snprintf(text, sizeof text, "any%s", order);
	fprintf(file, "%-16s", text);
}

/* One line: the rules of a range of ranks. Returns the rule after it. */
static const struct mpi_coll_rule *print_line(FILE *file, const char *operation,
					      const struct mpi_coll_rule *rule)
{
	const struct mpi_coll_rule *first = rule;

	fprintf(file, "  %-22s", operation);
	print_ranks(file, rule);
	do {
		fprintf(file, " %s", rule->algorithm->name);
		if (rule->below_B) {
			fprintf(file, "<");
			print_size(file, rule->below_B);
		}
		if (rule->conditions & RULE_POWER_OF_TWO)
			fprintf(file, " (2^k ranks)");
		if (rule->conditions & RULE_PREDEFINED)
			fprintf(file, " (standard's operations)");
		rule++;
	} while (is_same_line(first, rule));
	fprintf(file, "\n");
	return rule;
}

static void print_profile(FILE *file, const struct mpi_coll_profile *profile)
{
	fprintf(file, "%s: %s\n", profile->name, profile->title);
	for (int kind = 0; kind < N_COLL_KINDS; kind++) {
		const struct mpi_coll_rule *rule = profile->rules[kind];
		const char *operation = mpi_coll_kind_name(kind);

		while (rule->algorithm) {
			rule = print_line(file, operation, rule);
			operation = "";
		}
	}
	for (const struct mpi_coll_substitute *s = profile->substitutes; s && s->algorithm; s++)
		fprintf(file, "%s%s -> %s",
			s == profile->substitutes ? "  instead of what does not fit: " : ", ",
			s->algorithm->name, s->instead->name);
	fprintf(file, profile->substitutes ? "\n\n" : "\n");
}

void mpi_coll_print_rules(FILE *file)
{
	fprintf(file,
		"The first algorithm of a line that can do the operation, for sizes below the one "
		"behind it.\n\n");
	for (int i = 0; mpi_coll_profiles[i]; i++)
		print_profile(file, mpi_coll_profiles[i]);
}
