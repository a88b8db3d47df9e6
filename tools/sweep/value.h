/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_VALUE_H
#define TOOLS_SWEEP_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The value of a parameter or of an expression: text, and a number where the text is one. A
 * quantity is a number in its base unit: "10us" is 1e-5 (seconds), "1 MB/s" 1e6 (bytes per second),
 * "4KiB" 4096 (bytes). Text is borrowed.
 */
struct sweep_value {
	const char *text; /* NULL: computed, only the number counts */
	double number;
	bool is_number;
};

enum sweep_quantity {
	SWEEP_TEXT,
	SWEEP_NUMBER, /* without a unit */
	SWEEP_TIME,
	SWEEP_BANDWIDTH,
	SWEEP_SIZE,
};

/* What `text` is; *out is its number (0 for text). Plain numbers first, so "0" is a number. */
enum sweep_quantity sweep_quantity_of(const char *text, double *out);
struct sweep_value sweep_value_of(const char *text);
/* A number as it stands in a command: integers without a point, others with at most 12 digits.
 * `size`
 * >= 32. Returns `buf`. */
char *sweep_number_text(double number, char *buf, size_t size);

#endif
