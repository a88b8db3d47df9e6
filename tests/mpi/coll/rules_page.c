/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of the profiles as tables for docs/collectives.md.
 *
 *   rules_page              prints them
 *   rules_page PAGE         exit 1, and prints them, when PAGE does not hold them as they are
 */
#include <stdio.h>
#include <stdlib.h>
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

static bool is_same_row(const struct mpi_coll_rule *a, const struct mpi_coll_rule *b)
{
	const unsigned int orders = RULE_COMMUTES | RULE_NOT_COMMUTES;

	return b->algorithm && a->ranks_below == b->ranks_below &&
	       (a->conditions & orders) == (b->conditions & orders);
}

static void print_ranks(FILE *file, const struct mpi_coll_rule *rule)
{
	if (rule->ranks_below)
		fprintf(file, "<%d", rule->ranks_below);
	else
		fprintf(file, "any");
	if (rule->conditions & RULE_COMMUTES)
		fprintf(file, ", commutes");
	if (rule->conditions & RULE_NOT_COMMUTES)
		fprintf(file, ", ordered");
}

/* One row: the rules of a range of ranks. Returns the rule after it. */
static const struct mpi_coll_rule *print_row(FILE *file, const char *operation,
					     const struct mpi_coll_rule *rule)
{
	const struct mpi_coll_rule *first = rule;

	fprintf(file, "| %s | ", operation);
	print_ranks(file, rule);
	fprintf(file, " | ");
	do {
		fprintf(file, "%s`%s`", rule == first ? "" : ", ", rule->algorithm->name);
		if (rule->below_B) {
			fprintf(file, "<");
			print_size(file, rule->below_B);
		}
		if (rule->conditions & RULE_POWER_OF_TWO)
			fprintf(file, " (2^k ranks)");
		if (rule->conditions & RULE_PREDEFINED)
			fprintf(file, " (standard's operations)");
		rule++;
	} while (is_same_row(first, rule));
	fprintf(file, " |\n");
	return rule;
}

static void print_profile(FILE *file, const struct mpi_coll_profile *profile)
{
	fprintf(file, "### `%s`: %s\n\n| operation | ranks | algorithm by size |\n|---|---|---|\n",
		profile->name, profile->title);
	for (int kind = 0; kind < N_COLL_KINDS; kind++) {
		const struct mpi_coll_rule *rule = profile->rules[kind];
		const char *operation = mpi_coll_kind_name(kind);

		while (rule->algorithm) {
			rule = print_row(file, operation, rule);
			operation = "";
		}
	}
	fprintf(file, "\n");
	for (const struct mpi_coll_substitute *s = profile->substitutes; s && s->algorithm; s++)
		fprintf(file, "%s`%s` → `%s`",
			s == profile->substitutes ? "Instead of what does not fit: " : ", ",
			s->algorithm->name, s->instead->name);
	fprintf(file, profile->substitutes ? ".\n\n" : "");
}

static char *print_all(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	for (int i = 0; mpi_coll_profiles[i]; i++)
		if (strcmp(mpi_coll_profiles[i]->name, "ideal") != 0) /* one algorithm for all */
			print_profile(file, mpi_coll_profiles[i]);
	fclose(file);
	return text;
}

static bool page_has(const char *path, const char *text)
{
	FILE *file = fopen(path, "r");
	char *page = NULL;
	size_t size = 0;
	bool has = file && getdelim(&page, &size, '\0', file) > 0 && strstr(page, text);

	if (file)
		fclose(file);
	free(page);
	return has;
}

int main(int argc, char **argv)
{
	char *text = print_all();
	bool is_good = argc < 2 || page_has(argv[1], text);

	if (argc < 2 || !is_good)
		fputs(text, stdout);
	if (!is_good)
		fprintf(stderr, "%s does not hold the tables above as they are\n", argv[1]);
	free(text);
	return is_good ? 0 : 1;
}
