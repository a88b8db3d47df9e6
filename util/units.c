/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A decimal numeral at the start of a text. */
struct number {
	double value;
	bool is_integer; /* digits only, and `integer` holds them exactly */
	int64_t integer;
	const char *rest; /* the unit: what follows the numeral and blanks */
};

struct unit {
	const char *name;
	double factor,
	    divisor; /* base units = value * factor / divisor: both exact, so one rounding each */
};

static const struct unit time_units[] = {
    {"ps", 1, 1e12}, {"ns", 1, 1e9}, {"us", 1, 1e6}, {"\u00b5s", 1, 1e6}, {"\u03bcs", 1, 1e6},
    {"ms", 1, 1e3},  {"s", 1, 1},    {"min", 60, 1}, {"h", 3600, 1},
};

static const struct unit prefixes[] = {
    {"Ki", 0x1p10, 1}, {"Mi", 0x1p20, 1}, {"Gi", 0x1p30, 1}, {"Ti", 0x1p40, 1}, {"k", 1e3, 1},
    {"K", 1e3, 1},     {"M", 1e6, 1},	  {"G", 1e9, 1},     {"T", 1e12, 1},	{"", 1, 1},
};

static const struct unit rate_units[] = {
    {"B/s", 1, 1},
    {"Bps", 1, 1},
    {"bit/s", 1, 8},
    {"bps", 1, 8},
};

static const struct unit size_units[] = {{"B", 1, 1}};

enum {
	N_TIME = sizeof(time_units) / sizeof(time_units[0]),
	N_PREFIX = sizeof(prefixes) / sizeof(prefixes[0]),
	N_RATE = sizeof(rate_units) / sizeof(rate_units[0]),
	N_SIZE = sizeof(size_units) / sizeof(size_units[0])
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

/* The end of the decimal numeral at `text`, NULL when there is none. strtod alone would take
 * hexadecimal, "inf" and "nan" too. */
static const char *numeral_end(const char *text)
{
	const char *p = text + (*text == '-' || *text == '+');
	const char *q = skip_digits(p);
	size_t n_digits = (size_t)(q - p);

	if (*q == '.') {
		p = q + 1;
		q = skip_digits(p);
		n_digits += (size_t)(q - p);
	}
	if (!n_digits)
		return NULL;
	if (*q == 'e' || *q == 'E') {
		p = q + 1;
		p += *p == '-' || *p == '+';
		if (is_digit(*p))
			q = skip_digits(p);
	}
	return q;
}

/* strtod in the C locale: the program may have chosen one with a decimal comma. */
static double c_strtod(const char *text)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);
	double value = strtod_l(text, NULL, locale);

	freelocale(locale);
	return value;
}

static bool number_read(const char *text, struct number *out)
{
	const char *end = numeral_end(text);
	char *integer_end;

	if (!end)
		return false;
	out->value = c_strtod(text);
	errno = 0;
	out->integer = strtoll(text, &integer_end, 10);
	out->is_integer = integer_end == end && !errno;
	out->rest = end + strspn(end, " \t");
	if (!*out->rest) /* blanks stand before a unit only */
		out->rest = end;
	return true;
}

static const struct unit *unit_find(const struct unit *units, int n, const char *name)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(units[i].name, name))
			return &units[i];
	}
	return NULL;
}

/* Finds <prefix><unit> for `name`: 0, or -1 when there is no such unit. */
static int prefixed_unit_find(const struct unit *units, int n, const char *name, struct unit *out)
{
	for (int i = 0; i < N_PREFIX; i++) {
		size_t length = strlen(prefixes[i].name);
		const struct unit *unit;

		if (strncmp(prefixes[i].name, name, length))
			continue;
		unit = unit_find(units, n, name + length);
		if (unit) {
			*out =
			    (struct unit){name, prefixes[i].factor * unit->factor, unit->divisor};
			return 0;
		}
	}
	return -1;
}

static int quantity_read(const char *text, const char *wanted, struct number *out,
			 struct util_error *err)
{
	if (!number_read(text, out))
		return util_refuse(err, "found '%s', wanted %s", text, wanted);
	if (*text == '-')
		return util_refuse(err, "'%s' is negative, wanted %s", text, wanted);
	return 0;
}

static int unit_refuse(const char *text, const struct number *number, const char *wanted,
		       struct util_error *err)
{
	if (!*number->rest)
		return util_refuse(err, "'%s' has no unit, wanted %s", text, wanted);
	return util_refuse(err, "unknown unit '%s' in '%s', wanted %s", number->rest, text, wanted);
}

static int result_store(const char *text, double value, double *out, struct util_error *err)
{
	if (!isfinite(value))
		return util_refuse(err, "'%s' is too large", text);
	*out = value;
	return 0;
}

static int parse_time_s(const char *text, const char *wanted, double *out_s, struct util_error *err)
{
	const struct unit *unit;
	struct number number;
	int rc = quantity_read(text, wanted, &number, err);

	if (rc)
		return rc;
	unit = unit_find(time_units, N_TIME, number.rest);
	if (!unit && !*number.rest && number.value == 0)
		unit = &time_units[0];
	if (!unit)
		return unit_refuse(text, &number, wanted, err);
	return result_store(text, number.value * unit->factor / unit->divisor, out_s, err);
}

int util_parse_time_s(const char *text, double *out_s, struct util_error *err)
{
	return parse_time_s(text, "a time such as '1350us' (units ps ns us ms s min h)", out_s,
			    err);
}

int util_parse_span_s(const char *text, double *out_s, struct util_error *err)
{
	struct number number;

	if (number_read(text, &number) && !*number.rest && *text != '-')
		return result_store(text, number.value, out_s, err);
	return parse_time_s(text, "a time such as '90s' or '5min' (units ps ns us ms s min h)",
			    out_s, err);
}

int util_parse_bandwidth_Bps(const char *text, double *out_Bps, struct util_error *err)
{
	static const char wanted[] = "a bandwidth such as '11.85 MB/s' or '1 Gbit/s' (prefixes k M "
				     "G T Ki Mi Gi Ti), or 'inf'";
	struct number number;
	struct unit unit;
	int rc;

	if (!strcmp(text, "inf")) {
		*out_Bps = INFINITY;
		return 0;
	}
	rc = quantity_read(text, wanted, &number, err);
	if (rc)
		return rc;
	if (prefixed_unit_find(rate_units, N_RATE, number.rest, &unit))
		return unit_refuse(text, &number, wanted, err);
	return result_store(text, number.value * unit.factor / unit.divisor, out_Bps, err);
}

int util_parse_size_B(const char *text, int64_t *out_B, struct util_error *err)
{
	static const char wanted[] = "a size such as '64KiB', '1 MB' or '4096' (bytes)";
	struct unit unit = {"", 1, 1};
	struct number number;
	int64_t exact;
	double bytes;
	int rc = quantity_read(text, wanted, &number, err);

	if (rc)
		return rc;
	if (*number.rest && prefixed_unit_find(size_units, N_SIZE, number.rest, &unit))
		return unit_refuse(text, &number, wanted, err);
	/* whole numerals beyond 2^53 would lose digits as doubles */
	if (number.is_integer &&
	    !__builtin_mul_overflow(number.integer, (int64_t)unit.factor, &exact)) {
		*out_B = exact;
		return 0;
	}
	bytes = number.value * unit.factor;
	if (!(bytes < 0x1p63))
		return util_refuse(err, "'%s' is too large", text);
	if (bytes != (double)(int64_t)bytes)
		return util_refuse(err, "'%s' is not a whole number of bytes", text);
	*out_B = (int64_t)bytes;
	return 0;
}

int util_parse_double(const char *text, double *out, struct util_error *err)
{
	struct number number;

	if (!number_read(text, &number) || text + strlen(text) != numeral_end(text))
		return util_refuse(err, "found '%s', wanted a number", text);
	return result_store(text, number.value, out, err);
}

int util_parse_int(const char *text, int64_t min, int64_t max, int64_t *out, struct util_error *err)
{
	const char *p = text + (*text == '-' || *text == '+');
	long long value;

	if (!is_digit(*p) || *skip_digits(p))
		return util_refuse(err, "found '%s', wanted a whole number", text);
	errno = 0;
	value = strtoll(text, NULL, 10);
	if (errno || value < min || value > max)
		return util_refuse(err, "'%s' is out of range, wanted %lld to %lld", text,
				   (long long)min, (long long)max);
	*out = value;
	return 0;
}
