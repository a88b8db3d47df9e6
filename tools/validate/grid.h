/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VALIDATE_GRID_H
#define TOOLS_VALIDATE_GRID_H

#include <stdbool.h>
#include <stdio.h>

/*
 * A table of texts that is printed as aligned Markdown, which a terminal shows as well. The first
 * row is the head. Out of memory while cells are added is remembered, and told by val_grid_print.
 */
struct val_grid {
	int n_columns, n_cells;
	const char *alignment; /* borrowed: 'l' or 'r' for each column */
	char **cells;
	bool is_broken;
};

/* One letter in `alignment` per column; borrowed. */
void val_grid_init(struct val_grid *grid, const char *alignment);
void val_grid_finish(struct val_grid *grid);
/* Adds the next cell of the current row. '|' and line ends in texts are escaped. */
void val_grid_add(struct val_grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns 0, -1 when memory ran out. Write errors are left in `file`. */
int val_grid_print(const struct val_grid *grid, FILE *file);

#endif
