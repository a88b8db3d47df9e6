/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void val_grid_init(struct val_grid *grid, const char *alignment)
{
	*grid = (struct val_grid){.n_columns = (int)strlen(alignment), .alignment = alignment};
}

void val_grid_finish(struct val_grid *grid)
{
	for (int i = 0; i < grid->n_cells; i++)
		free(grid->cells[i]);
	free(grid->cells);
	grid->cells = NULL;
	grid->n_cells = 0;
}

/* A copy that stays within its cell. */
static char *escape(const char *text)
{
	char *copy = malloc(2 * strlen(text) + 1), *to = copy;

	for (; copy && *text; text++) {
		if (*text == '|')
			*to++ = '\\';
		*to++ = *text == '\n' || *text == '\r' ? ' ' : *text;
	}
	if (copy)
		*to = '\0';
	return copy;
}

void val_grid_add(struct val_grid *grid, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	bool has_room;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	has_room = util_array_room(&grid->cells, (size_t)grid->n_cells, sizeof *grid->cells);
	if (text && has_room)
		grid->cells[grid->n_cells] = escape(text);
	if (!text || !has_room || !grid->cells[grid->n_cells])
		grid->is_broken = true;
	else
		grid->n_cells++;
	free(text);
}

/* In characters; UTF-8's following bytes take no room. */
static int width(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void print_row(const struct val_grid *grid, int first, const int widths[], FILE *file)
{
	for (int c = 0; c < grid->n_columns; c++) {
		const char *text = grid->cells[first + c];
		int blanks = widths[c] - width(text);

		if (grid->alignment[c] == 'r')
			fprintf(file, "| %*s%s ", blanks, "", text);
		else
			fprintf(file, "| %s%*s ", text, blanks, "");
	}
	fputs("|\n", file);
}

static void print_rule(const struct val_grid *grid, const int widths[], FILE *file)
{
	for (int c = 0; c < grid->n_columns; c++) {
		bool is_right = grid->alignment[c] == 'r';

		fputc('|', file);
		for (int k = 0; k < widths[c] + 2 - is_right; k++)
			fputc('-', file);
		if (is_right)
			fputc(':', file);
	}
	fputs("|\n", file);
}

int val_grid_print(const struct val_grid *grid, FILE *file)
{
	int *widths = calloc((size_t)grid->n_columns + 1, sizeof *widths);

	if (!widths || grid->is_broken) {
		free(widths);
		return -1;
	}
	for (int i = 0; i < grid->n_cells; i++) {
		int *widest = &widths[i % grid->n_columns], own = width(grid->cells[i]);

		*widest = own > *widest ? own : *widest;
	}
	for (int i = 0; i + grid->n_columns <= grid->n_cells; i += grid->n_columns) {
		print_row(grid, i, widths, file);
		if (i == 0)
			print_rule(grid, widths, file);
	}
	free(widths);
	return 0;
}
